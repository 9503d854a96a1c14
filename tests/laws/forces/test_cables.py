"""Strings over bodies: forces are slopes of lengths and energies, closed forms of wraps and pulleys, wrong paths."""

import numpy as np
import pytest

import locomote as lo


def pendulum():
    builder = lo.Builder("rods", gravity=(0, 0, 0))
    builder.body("a", joint=lo.Joint("first", axis="z"), inertia=lo.Inertia.rod(1.0, 0.5, axis="x"))
    return builder.body(
        "b", parent="a", at=(0.5, 0, 0), joint=lo.Joint("second", axis="z"), inertia=lo.Inertia.rod(1.0, 0.5, axis="x")
    ).build()


ROUND = lo.Path([lo.Via("a", (0.1, 0.0, 0.0)), lo.Wrap("a", "cylinder", 0.05, (0.5, 0.0, 0.0)), lo.Via("b", (0.3, 0.0, 0.0))])


@pytest.mark.parametrize("angle", [0.1, -0.25, 0.29, 0.3, 1.0, -2.5])
def test_a_string_round_a_pulley(angle):
    """Tangents and an arc where it touches, whose moment arm is the radius; the third side of a triangle where it does not."""
    model, between, r = pendulum(), np.pi - abs(angle), 0.05
    lengths, arms = lo.path_lengths(model, [ROUND], [0.3, angle])
    arc = between - np.arccos(r / 0.4) - np.arccos(r / 0.3)
    if arc > 0:
        length, slope = np.sqrt(0.4**2 - r**2) + np.sqrt(0.3**2 - r**2) + r * arc, -r * np.sign(angle)
    else:
        length = np.sqrt(0.4**2 + 0.3**2 - 2 * 0.4 * 0.3 * np.cos(between))
        slope = -0.4 * 0.3 * np.sin(between) / length * np.sign(angle)
    np.testing.assert_allclose(lengths, length, rtol=1e-13)
    np.testing.assert_allclose(arms, [[0.0, slope]], atol=1e-13)


def test_pulleys_divide_length_and_pull():
    model = pendulum()
    ends = lo.Via("a", (0.1, 0.0, 0.0)), lo.Via("b", (0.3, 0.0, 0.0))
    plain, halved = lo.Path(ends), lo.Path([*ends, lo.Pulley(4.0), *ends])
    (one, more), (arm, arms) = lo.path_lengths(model, [plain, halved], [0.3, 1.0])
    assert more == pytest.approx(1.25 * one)
    np.testing.assert_allclose(arms, 1.25 * arm, atol=1e-14)


def test_forces_are_slopes_of_the_energy():
    """Springs, dead bands, limits and constant tension: torques against differences of the energy that runs keep."""
    model = pendulum()
    cable = lo.Cable(ROUND, 30.0, (0.2, 0.5), tension=2.0, limits=(0.0, 0.6), stop_stiffness=100.0)
    problem = lo.Locomotion(model, environment=[cable])
    for q in np.array([[0.3, 0.1], [0.2, 1.5], [0.1, 2.8], [0.0, -1.0]]):
        tau = lo.mass_matrix(model, q) @ problem.evaluate(0.0, q, np.zeros(2)).a

        def energy(angle, first=q[0]):
            length = lo.path_lengths(model, [ROUND], [first, angle])[0][0]
            away, beyond = length - np.clip(length, 0.2, 0.5), length - np.clip(length, 0.0, 0.6)
            return 2.0 * length + 15.0 * away**2 + 50.0 * beyond**2

        h = 1e-4
        slope = (8 * (energy(q[1] + h) - energy(q[1] - h)) - (energy(q[1] + 2 * h) - energy(q[1] - 2 * h))) / (12 * h)
        np.testing.assert_allclose(tau, [0.0, -slope], atol=1e-9)


def test_a_muscle_pulls_by_its_curves():
    """At its best length, at rest and fully activated it pulls with its force; not when it shortens at its highest speed."""
    model = pendulum()
    path = lo.Path([lo.Via("a", (0.1, 0.1, 0.0)), lo.Via("b", (0.3, 0.1, 0.0))])
    (length,), (arm,) = lo.path_lengths(model, [path], [0.0, 0.2])
    fibres = lo.Fibres(50.0, (0.5 * length, 1.5 * length), (0.5, 1.5), speed=2.0)
    problem = lo.Locomotion(model, environment=[lo.SkeletalMuscle(path, fibres, 1.0)])

    def pull(v):
        a = problem.evaluate(0.0, np.array([0.0, 0.2]), np.array([0.0, v])).a
        rest = lo.Locomotion(model).evaluate(0.0, np.array([0.0, 0.2]), np.array([0.0, v])).a
        return (lo.mass_matrix(model, [0.0, 0.2]) @ (a - rest))[1] / -arm[1]

    assert pull(0.0) == pytest.approx(50.0)
    assert pull(-2.0 * length / arm[1]) == pytest.approx(0.0, abs=1e-9)
    assert pull(-1.0 * length / arm[1]) == pytest.approx(50.0 * 0.25)
    assert pull(9.0 * length / arm[1]) == pytest.approx(50.0 * 1.2)


WRONG = {
    "one point": ([lo.Via("a")], "at least two points"),
    "wrap at the end": ([lo.Via("a"), lo.Via("b"), lo.Wrap("b", "sphere", 0.1)], "at least two points"),
    "two wraps": ([lo.Via("a"), lo.Wrap("b", "sphere", 0.1), lo.Wrap("b", "sphere", 0.1), lo.Via("b")], "between two points"),
    "pulley after a pulley": (
        [lo.Via("a"), lo.Via("b"), lo.Pulley(2.0), lo.Pulley(2.0), lo.Via("a"), lo.Via("b")],
        "no branch ends before",
    ),
    "no radius": ([lo.Via("a"), lo.Wrap("b", "sphere", -0.1), lo.Via("b")], "radius of a wrap is -0.1"),
    "a box": ([lo.Via("a"), lo.Wrap("b", "box", 0.1), lo.Via("b")], "expected cylinder or sphere"),
    "no axis": ([lo.Via("a"), lo.Wrap("b", "cylinder", 0.1, axis=(0, 0, 0)), lo.Via("b")], "axis of a wrap is zero"),
    "nan": ([lo.Via("a", (np.nan, 0, 0)), lo.Via("b")], "expected 3 finite numbers"),
    "a word": ([lo.Via("a"), "b"], "must be a list of lo.Via"),
    "no such body": ([lo.Via("c"), lo.Via("b")], "'c'"),
}


@pytest.mark.parametrize("stops, said", WRONG.values(), ids=WRONG)
def test_wrong_paths(stops, said):
    with pytest.raises((ValueError, TypeError, KeyError, lo.UnknownName), match=said):
        lo.Locomotion(pendulum(), environment=[lo.Cable(lo.Path(stops))])


@pytest.mark.parametrize("stop_damping", [0.0, 60.0])
def test_limits_of_cables_are_met_by_short_steps_and_refused_by_long_ones(stop_damping):
    builder = lo.Builder("pendulum")
    builder.body("rod", joint=lo.Joint("hinge", axis="y", damping=0.02), inertia=lo.Inertia.rod(2.0, 0.3, axis="x"))
    path = lo.Path([lo.Via(None, (0.0, 0.0, 0.2)), lo.Via("rod", (0.2, 0.0, 0.0))])
    cable = lo.Cable(path, limits=(0.12, 0.3), stop_stiffness=2e4, stop_damping=stop_damping, name="rope")
    problem = lo.Locomotion(builder.build(), environment=[cable])
    ends = []
    for method, finer in (("auto", {"rtol": 1e-9, "atol": 1e-11}), ("rosenbrock", {})):
        run = problem.simulate(0.5, q=[0.2], method=method, progress=False, **finer)
        assert run.audit.ok, run.audit
        ends.append(run.q[-1, 0])
    assert abs(ends[0] - ends[1]) < 5e-3
    for method in ("gauss", "gauss8", "radau"):
        with pytest.raises(ValueError, match="'rope' of 'pendulum' comes to its limits; use 'adaptive'"):
            problem.simulate(0.5, q=[0.2], method=method)
    slack = lo.Locomotion(problem.model, environment=[lo.Cable(path, 100.0, 0.25)])
    assert slack.simulate(0.1, method="gauss", progress=False).audit.ok
