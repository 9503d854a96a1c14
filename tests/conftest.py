"""Fixtures of all tests: the random mechanisms, and an empty folder."""

import mechanisms
import pytest


@pytest.fixture(params=mechanisms.NAMES, ids=str)
def case(request):
    """A random mechanism with a random state."""
    return mechanisms.case(request.param)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder, to which relative paths lead."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
