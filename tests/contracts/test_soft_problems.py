"""Random mixes of rods, water, actuators and contacts that once crashed, or failed their audit."""

import pytest
import random_problems
import random_soft_problems


@pytest.mark.parametrize("seed", [14, 33, 46, 49])
def test_contacts_on_rods(seed):
    """Steps over contacts know the energy of rods; a step that is too long for one is said, and nothing else is wrong."""
    kind, text = random_problems.outcome(seed, make=random_soft_problems.random_problem)
    assert kind in ("good", "step too long"), (kind, text)
