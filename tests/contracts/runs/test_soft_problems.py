"""Random mixes of rods, water, actuators and contacts that once crashed, grew without bound, or failed their audit."""

import pytest
import random_problems
import random_soft_problems

import locomote as lo


@pytest.mark.parametrize("seed", [14, 33, 46, 49])
def test_contacts_on_rods(seed):
    """Steps over contacts know the energy of rods; a step that is too long for one is said, and nothing else is wrong."""
    kind, text = random_problems.outcome(seed, make=random_soft_problems.random_problem)
    assert kind in ("good", "step too long") or "are too long for what is s" in text, (kind, text)


@pytest.mark.parametrize("seed", [3012, 3014, 3030, 3134, 3144, 3170, 3196])
def test_stiff_rods_over_contacts(seed):
    """Rods that are much too stiff for explicit steps of a millisecond; what touches may ask for shorter ones."""
    kind, text = random_problems.outcome(seed, make=random_soft_problems.random_problem)
    assert kind in ("good", "step too long"), (kind, text)


def test_what_grows_without_bound_is_said():
    """A stiff rod in explicit steps that are too long: the end of that is a sentence, without a number of nodes."""
    rod = lo.Rod(0.3, lo.Section.circle(0.005), lo.Material(1000.0, 1e7), strains="bending", order=2)
    problem = lo.Locomotion(lo.Builder("whip").body("arm", flex=rod).build())
    with pytest.raises(lo.RunFailed, match="diverged") as caught:
        problem.simulate(3.0, method="rk4", step=0.01, every=0.01, progress=False)
    assert "nodes=" not in str(caught.value)


def test_drag_on_a_tiny_rod():
    """It is explicit in steps over contacts: such a run ends, and its audit says that the steps are too long."""
    kind, text = random_problems.outcome(3061, make=random_soft_problems.random_problem)
    assert kind == "step too long" and "run it with step=" in text, (kind, text)


def test_forces_that_cancel_without_mass():
    """A joint that only honey turns has no force but rounding, which is not measured by itself."""
    kind, text = random_problems.outcome(3093, make=random_soft_problems.random_problem)
    assert kind == "good", (kind, text)


@pytest.mark.parametrize("seed", [14, 15, 23, 30, 64, 91])
def test_rods_on_the_ground(seed):
    """Imposed and damped, pulled from within, on flat and round ground, with rolling friction and bounces."""
    kind, text = random_problems.outcome(seed, make=random_soft_problems.touching_problem)
    assert kind == ("step too long" if seed == 64 else "good"), (kind, text)
