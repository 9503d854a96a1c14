"""The random mechanisms as a fixture."""

import mechanisms
import pytest


@pytest.fixture(params=mechanisms.NAMES, ids=str)
def case(request):
    """A random mechanism with a random state."""
    return mechanisms.case(request.param)
