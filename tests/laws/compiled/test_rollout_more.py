"""Targets, pushes and outputs of rollouts, against runs of problems that have these as laws of their own, and closed forms."""

import numpy as np
import pytest

import locomote as lo

H = 5e-3


def arm(**more):
    """Two links that hang, with dampers."""
    builder = lo.Builder("arm")
    link = {"inertia": lo.Inertia(1.0, (0.0, 0.0, -0.2), (0.02, 0.02, 0.01))}
    builder.body("upper", joint=lo.Joint("shoulder", axis="y", damping=0.1), **link)
    builder.body("lower", parent="upper", at=(0, 0, -0.4), joint=lo.Joint("elbow", axis="y", **more), **link)
    return lo.Locomotion(builder.build())


def ball(**start):
    model = lo.Builder("ball", base="free").body("ball", inertia=lo.Inertia.sphere(2.0, 0.1)).build()
    contacts = [lo.Touch("ball", lo.Ground(friction=0.3), points=[(0, 0, 0)])]
    return lo.Locomotion(model, contacts=contacts, start=(np.array([0, 0, 0, 0, 0, 0, 1.0]), np.zeros(6)))


def test_targets_are_pd_control():
    problem, steps = arm(), 40
    targets = np.random.default_rng(0).normal(size=(3, 1, 2)) * np.ones((1, steps, 1))
    runs = lo.rollout(problem, targets, step=H, keep=10, stiffness=[30.0, 20.0], damping=2.0, progress=False)
    for n in range(3):
        a, b = targets[n, 0]
        own = problem.replaced(springs={"shoulder": (30.0, a, 2.0), "elbow": (20.0, b, 2.0)})
        run = own.simulate(steps * H, method="rk4", step=H, every=10 * H, progress=False)
        assert np.abs(runs.q[n] - run.q).max() < 1e-12 and np.abs(runs.v[n] - run.v).max() < 1e-11
    assert np.ptp(runs.q[:, -1, 0]) > 0.1


def test_pushes_are_wrenches_on_bodies():
    """An arm whose torques are J^T w, in a run; masses of each run are its own."""
    problem, steps, rng = arm(), 30, np.random.default_rng(1)
    wrench, masses = rng.normal(size=(4, 1, 6)) * np.ones((1, steps, 1)), np.array([0.5, 1.0, 2.0, 1.0])
    runs = lo.rollout(
        problem, parameters={"lower.mass": masses}, duration=steps * H, step=H, pushes={"lower": wrench}, progress=False
    )
    for n in range(4):
        own = problem.with_parameters({"lower.mass": masses[n]})

        def pull(t, q, v, own=own, w=wrench[n, 0]):
            return lo.jacobian(own.model, q, "lower", frame="aligned").T @ w

        run = own.replaced(torques=pull).simulate(steps * H, method="rk4", step=H, every=steps * H, progress=False)
        assert np.abs(runs.q[n, -1] - run.q[-1]).max() < 1e-12
    with pytest.raises(ValueError, match="pushes do work that is not counted"):
        runs.balance


def test_a_push_over_ground_against_friction():
    """A sliding point: (F - mu m g) / m while pushed, then friction alone brakes it; it is pushed for half of the time."""
    push = np.zeros((200, 3))
    push[:100, 0] = 12.0
    runs = lo.rollout(ball(), batch=4, duration=0.2, step=1e-3, pushes={"ball": push}, keep=100, progress=False)
    a, g = (12.0 - 0.3 * 2.0 * 9.81) / 2.0, 9.81
    assert np.allclose(runs.v[:, 1, 0], 0.1 * a, atol=1e-6)
    assert np.allclose(runs.v[:, 2, 0], max(0.0, 0.1 * a - 0.1 * 0.3 * g), atol=1e-6)
    assert runs.contact_forces.shape == (4, 3, 1, 3)
    assert np.allclose(runs.contact_forces[:, 1:, 0], [-0.3 * 2.0 * g, 0.0, 2.0 * g], atol=1e-5)


def test_outputs_are_channels_and_integrals():
    problem = lo.systems.load("snakeboard").problem()

    def mixed(t, q, v):
        return q[0] * v[2] + t

    asked = ["rotor.torque", "net.x", "energy.kinetic", mixed, lo.integral("power.drives"), lo.integral(mixed)]
    amplitude = np.array([0.5, 0.6, 0.7])
    runs = lo.rollout(
        problem, parameters={"rotor.amplitude": amplitude}, duration=0.5, step=H, keep=20, outputs=asked, progress=False
    )
    for n, size in enumerate(amplitude):
        own = problem.with_parameters({"rotor.amplitude": size})
        run = own.simulate(0.5, method="rk4", step=H, every=20 * H, progress=False)
        for name in ("rotor.torque", "net.x", "energy.kinetic"):
            assert np.abs(runs.outputs[name][n] - run[name]).max() < 1e-10, name
        assert np.allclose(runs.outputs["mixed"][n], run.q[:, 0] * run.v[:, 2] + run.t, atol=1e-11)
        assert np.allclose(runs.outputs["integral of power.drives"][n], run["work.drives"], atol=1e-7)
    fine = problem.with_parameters({"rotor.amplitude": 0.7}).simulate(0.5, every=1e-3, progress=False)
    whole = np.trapezoid([mixed(*x) for x in zip(fine.t, fine.q, fine.v, strict=True)], fine.t)
    assert abs(runs.outputs["integral of mixed"][2, -1] - whole) < 1e-6


def test_what_is_kept_does_not_depend_on_calls(monkeypatch):
    """Calls of a few steps, inside of groups that are kept and over several, give the same bits as one call."""
    problem = lo.systems.load("snakeboard").problem()
    for keep in (1, 3, 50, None):
        whole = lo.rollout(problem, batch=9, duration=0.5, step=H, keep=keep, progress=False)
        with monkeypatch.context() as patch:
            patch.setattr("locomote.compiled.step_loop.LONGEST", 7)
            parts = lo.rollout(problem, batch=9, duration=0.5, step=H, keep=keep, progress=False)
        assert np.array_equal(whole.t, parts.t) and np.array_equal(whole.q, parts.q) and np.array_equal(whole.v, parts.v)


def test_draws_are_taken_as_they_are():
    drawn = lo.sweeps.draws({"board.mass": (3.0, 5.0)}, 4, seed=4)
    problem = lo.systems.load("snakeboard").problem()
    one, two = (lo.rollout(problem, parameters=x, duration=0.1, progress=False) for x in (drawn, drawn.columns))
    assert np.array_equal(one.q, two.q)


TWO = np.zeros((5, 2))


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"controls": TWO, "stiffness": -1.0}, "stiffness must be above 0"),
        ({"controls": TWO, "damping": 1.0}, "give their stiffness"),
        ({"duration": 0.1, "stiffness": 1.0}, "give these as controls"),
        ({"controls": TWO, "stiffness": [1.0, 2.0, 3.0]}, "one for each of 2 joints"),
        ({"controls": np.zeros((5, 3)), "stiffness": 1.0}, "3 columns of targets, expected 2"),
        ({"duration": 0.1, "pushes": {"lowre": np.zeros((20, 6))}}, "did you mean 'lower'"),
        ({"duration": 0.1, "pushes": {"lower": np.zeros((3, 6))}}, r"expected \(20, 6\)"),
        ({"duration": 0.1, "pushes": {"lower": np.full((20, 6), np.nan)}}, "not finite"),
        ({"duration": 0.1, "pushes": 3.0}, "given by body"),
        ({"duration": 0.1, "outputs": ["elbow.torqe"]}, "did you mean 'elbow.torque'"),
        ({"duration": 0.1, "outputs": [3.0]}, "names of channels"),
    ],
)
def test_refused(how, sentence):
    with pytest.raises((lo.LocomoteError, ValueError, TypeError), match=sentence):
        lo.rollout(arm(), **{"step": H, "progress": False} | how)


def test_refused_by_what_a_problem_has():
    with pytest.raises(ValueError, match="joint 'elbow' has a largest effort of 3, which targets do not know"):
        lo.rollout(arm(effort_limit=3.0), np.zeros((4, 2)), step=H, stiffness=10.0, progress=False)
    with pytest.raises(ValueError, match="is moved by its drive"):
        lo.rollout(lo.systems.load("snakeboard").problem(), np.zeros((4, 3)), step=H, stiffness=10.0, progress=False)
    with pytest.raises(ValueError, match="over contacts integrals are not outputs"):
        lo.rollout(ball(), batch=2, duration=0.01, outputs=[lo.integral("base.z")], progress=False)
