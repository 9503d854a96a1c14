"""Slopes by parameters: against differences of problems with other parameters, forwards, and by hand."""

import numpy as np
import pytest

import locomote as lo

BY = {
    "snakeboard": ["rotor.amplitude", "rotor.rate", "front_steer.phase", "*.mass", "gravity", "rotor.inertia", "rear.point",
                   "rear_axle.placement", "rear_steer.damping"],
    "quadruped": ["trunk.mass", "gravity"],
    "purcell_swimmer": ["*.amplitude"],
}  # fmt: skip


@pytest.mark.parametrize("name", BY)
def test_systems(name):
    problem = lo.systems.load(name).problem()
    q, v = problem.initial()
    if not len(problem.plan.holonomic):
        v = v + 0.3 * np.random.default_rng(0).normal(size=len(v))
    goal = lo.at_end("net.x") ** 2 + lo.at_end("energy.kinetic") + (lo.integral("power.drives") if problem.inertia else 0.0)
    by = problem.parameters.matching([x for x in BY[name] if problem.parameters.matching(x)])
    given = {"q": q, "v": v, "duration": 0.3, "step": 1e-2}
    _, slopes = lo.gradient(problem, goal, by, check=True, **given)
    _, ahead = lo.gradient(problem, goal, by, way="forward", **given)
    assert slopes.check is not None and slopes.check < 1e-7
    largest = max(np.abs(x).max() for x in slopes.values())
    for key in by:
        assert np.shape(slopes[key]) == np.shape(problem.parameters[key])
        assert slopes[key] == pytest.approx(ahead[key], rel=1e-10, abs=1e-12 * largest)


def pendulum(**joint):
    return (
        lo.Builder("swing")
        .body("bob", joint=lo.Joint("pivot", axis="y", **joint), inertia=lo.Inertia(2.0, (0, 0, -0.5)))
        .build()
    )


def test_a_drop_by_gravity_and_mass():
    """z = g T^2 / 2, whatever the mass."""
    model = lo.Builder("drop").body("stone", joint=lo.Joint("fall", "prismatic", axis="z"), inertia=lo.Inertia(2.0)).build()
    _, slopes = lo.gradient(lo.Locomotion(model), lo.at_end("fall.shift"), ["gravity", "stone.mass"], duration=0.5, step=0.05)
    assert slopes["gravity"] == pytest.approx([0.0, 0.0, 0.125], abs=1e-14) and slopes["stone.mass"] == pytest.approx(0.0)
    assert slopes.units["gravity"] == "m per m/s^2"


@pytest.mark.parametrize("value", [0.0, 0.4])
def test_springs_and_dampers_that_are_there_and_that_are_not(value):
    """The slope at zero is that of the formula, not of the branch that leaves the spring out."""
    problem = lo.Locomotion(pendulum(stiffness=value, damping=value))
    given = {"q": [0.4], "v": [0.3], "step": 1e-2, "duration": 0.4}
    by = ["pivot.stiffness", "pivot.damping"]
    _, slopes = lo.gradient(problem, lo.at_end("pivot.angle"), by, **given)
    for name in by:
        h = 1e-4
        values = [
            lo.gradient(problem.with_parameters({name: value + k * h}), lo.at_end("pivot.angle"), "v", **given)[0]
            for k in range(5)
        ]
        rough = np.dot([-25 / 12, 4.0, -3.0, 4 / 3, -1 / 4], values) / h
        assert slopes[name] == pytest.approx(rough, rel=1e-8) and abs(slopes[name]) > 1e-3


def test_what_the_goal_itself_has_of_a_parameter():
    """Kinetic energy of a mass that does not accelerate: dT/dm = v^2 / 2."""
    model = lo.Builder("puck").body("puck", joint=lo.Joint("slide", "prismatic", axis="x"), inertia=lo.Inertia(2.0)).build()
    value, slopes = lo.gradient(
        lo.Locomotion(model), lo.at_end("energy.kinetic"), "puck.mass", duration=0.1, step=0.02, q=[0.0], v=[3.0]
    )
    assert value == pytest.approx(9.0) and slopes["puck.mass"] == pytest.approx(4.5)


def test_other_values_need_no_other_code():
    """Entries are inputs of the compiled step: another mass is found with the code that there is."""
    from locomote.gradients import programs

    problem = lo.systems.load("snakeboard").problem()

    def ask(mass):
        return lo.gradient(problem.with_parameters({"rotor.mass": mass}), lo.at_end("net.x"), "rotor.mass", duration=0.1)[1]

    first = ask(1.2)
    known = set(programs.LOADED)
    assert ask(1.3)["rotor.mass"] != first["rotor.mass"] and set(programs.LOADED) == known


def test_a_parameter_that_cannot_move_is_refused():
    problem = lo.systems.load("snakeboard").problem()
    with pytest.raises(ValueError, match=r"slopes of 'snakeboard' by 'base.stiffness' are not known: it cannot be moved"):
        lo.gradient(problem, lo.at_end("net.x"), "base.stiffness", duration=0.1)
    with pytest.raises(lo.UnknownName, match=r"no input named 'rotor.mas' in gradient of 'snakeboard'; did you mean"):
        lo.gradient(problem, lo.at_end("net.x"), "rotor.mas", duration=0.1)
