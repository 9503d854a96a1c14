"""Fixtures of all tests: the random mechanisms, and an empty folder."""

import signal

import mechanisms
import pytest

# a shell lets what it starts in the background ignore Ctrl-C; tests that interrupt runs need it
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(params=mechanisms.NAMES, ids=str)
def case(request):
    """A random mechanism with a random state."""
    return mechanisms.case(request.param)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder, to which relative paths lead."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
