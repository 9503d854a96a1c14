"""The random mechanisms as a fixture. This file also puts its folder on the path of all tests."""

import mechanisms
import pytest


@pytest.fixture(params=mechanisms.NAMES, ids=str)
def case(request):
    """A random mechanism with a random state."""
    return mechanisms.case(request.param)
