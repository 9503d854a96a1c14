"""Limits of joints and motors hold in every run, and what is written down is what acted."""

import dataclasses
import pickle

import numpy as np
import pytest

import locomote as lo

METHODS = ("adaptive", "rk4", "implicit", "gauss", "radau", "rosenbrock", "timestep")


def arm(**joint):
    builder = lo.Builder("arm", base="fixed", gravity=(0, 0, 0))
    builder.body("link", joint=lo.Joint("hinge", axis=(0, 1, 0), **joint), inertia=lo.Inertia(1.0, moment=(1, 1, 1)))
    return builder.build()


def two_links(**joint):
    builder = lo.Builder("two links", base="fixed")
    inertia = lo.Inertia(1.0, (0.5, 0, 0), (0.01, 0.1, 0.1))
    builder.body("a", joint=lo.Joint("one", axis=(0, 1, 0)), inertia=inertia)
    builder.body("b", parent="a", at=(1, 0, 0), joint=lo.Joint("two", axis=(0, 1, 0), **joint), inertia=inertia)
    return builder.build()


def given_as(kind, asked):
    """A torque on the hinge, in all the ways that it can be given."""
    return {
        "signal": {"hinge": asked},
        "function": lambda t, q, v: np.array([asked]),
        "sampled": lo.Sampled(lambda t, q, v: np.array([asked]), every=0.01),
        "PD": lo.PD({"hinge": 100.0}, 0.01 * asked, 0.0, every=0.01),
        "servo": lo.Servo({"hinge": 100.0}, 0.01 * asked, 0.0),
        "computed": lo.ComputedTorque({"hinge": lo.Polynomial((0.0, 0.0, 0.5 * asked))}, 0.0, 0.0),
    }[kind]


WAYS = [
    (kind, method)
    for kind in ("signal", "function", "sampled", "PD", "servo", "computed")
    for method in ("adaptive", "implicit", "rosenbrock", "gauss", "timestep")[: 3 if kind == "computed" else None]
]  # others refuse computed torques


@pytest.mark.parametrize(("kind", "method"), WAYS)
def test_what_a_motor_gives_is_what_is_written_down(kind, method):
    problem = lo.Locomotion(arm(effort_limit=2.0), torques=given_as(kind, 10.0))
    run = problem.simulate(0.5, method=method, every=0.05, progress=False)
    assert run.q[-1, 0] == pytest.approx(0.5 * 2.0 * 0.25, rel=2e-3)  # two, not ten
    assert np.all(run.tau == 2.0) and run.tracked["tau.max"][0] == 2.0
    assert run.work["torques"][-1] == pytest.approx(2.0 * run.q[-1, 0], rel=1e-4)
    assert run.audit.ok and run.audit.deep().ok, run.audit.deep()
    assert problem.evaluate(0.1, [0.1], [0.0]).tau[0] == 2.0
    free = lo.Locomotion(arm(effort_limit=2.0), torques=given_as(kind, 10.0), limits=False)
    assert abs(free.simulate(0.1, method=method, progress=False).tau[0, 0] - 10.0) < 1e-6


def test_the_audit_sees_a_torque_that_is_not_what_acted():
    problem = lo.Locomotion(arm(effort_limit=2.0), torques={"hinge": 10.0})
    run = problem.simulate(0.5, every=0.05, progress=False)
    bad = dataclasses.replace(run, tau=np.full_like(run.tau, 10.0)).audit
    assert {"limits", "drives and torques", "equations of motion"} <= {check.name for check in bad.failed}
    beyond = dataclasses.replace(lo.Locomotion(arm(upper=0.5)).simulate(0.5, v=[2.0], progress=False), events=[])
    beyond = dataclasses.replace(beyond, q=beyond.q + 0.01)
    assert "limits" in [check.name for check in beyond.audit.failed]


def test_motors_at_their_limits_have_no_slope():
    problem = lo.Locomotion(arm(effort_limit=2.0), torques=lo.Servo({"hinge": 1.0}, 100.0, 1.0))
    assert problem.derivatives(0.0, [0.0], [0.0]).a.q == pytest.approx(0.0)
    assert problem.derivatives(0.0, [0.99], [0.0]).a.q == pytest.approx(-100.0)
    clocked = lo.Locomotion(arm(effort_limit=2.0), torques=lo.PD({"hinge": 1.0}, 100.0, 1.0, every=0.01))
    assert clocked.derivatives(0.0, [0.0], [0.0]).a.q == pytest.approx(0.0)
    assert clocked.derivatives(0.0, [0.99], [0.0]).a.q == pytest.approx(-100.0, rel=1e-6)


@pytest.mark.parametrize("method", ["rk4", "euler", "timestep"])
def test_rollouts_and_steps_by_hand_clip_torques(method):
    problem = lo.Locomotion(arm(effort_limit=2.0))
    runs = lo.rollout(problem, np.full((4, 100, 1), 10.0), step=1e-3, method=method)
    assert np.allclose(runs.v[:, -1], 0.2) and not runs.lost.any()
    if method != "timestep":
        stepper = problem.stepper(step=1e-3, method=method)
        stepper.advance(np.array([10.0]), 100)
        assert stepper.v[0] == pytest.approx(0.2)


@pytest.mark.parametrize("method", [*METHODS, "gauss4", "gauss8", "variational"])
def test_joints_stop_in_every_method(method):
    """Pushed onto its stop, held there, and pulled off again by a torque that changes its sign: one rule for all methods."""
    torque = lo.Sine(2.0, 1.0, phase=np.pi / 2)
    problem = lo.Locomotion(arm(upper=0.5), torques={"hinge": torque})
    run = problem.simulate(3.0, method=method, every=0.02, step=1e-3, progress=False)
    assert run.q[:, 0].max() <= 0.5 + 1e-7
    lying = run.q[:, 0] > 0.5 - 1e-6
    assert 0.7 < run.t[lying].min() < 0.76 and 1.5 < run.t[lying].max() < 1.64  # cos turns its sign at pi / 2
    after = run.t > 1.65
    s = run.t[after] - np.pi / 2
    assert np.allclose(run.q[after, 0], 0.5 + 2.0 * (np.sin(s) - s), atol=4e-3)
    assert run.audit.ok and run.audit.deep().ok, run.audit.deep()
    assert "upper stop of hinge at 0.5 rad" in run.summary()
    assert run.q[-1, 0] < 0.0


@pytest.mark.parametrize("method", [*METHODS, "variational"])
def test_a_stop_takes_momentum_from_all_joints(method):
    """Two links fall, the second onto its stop: compared with the same steps over contacts."""
    problem = lo.Locomotion(two_links(upper=0.6))
    run = problem.simulate(1.5, method=method, q=[0.0, 0.5], v=[0.0, 3.0], every=0.01, step=2e-4, progress=False)
    exact = problem.simulate(1.5, method="adaptive", q=[0.0, 0.5], v=[0.0, 3.0], every=0.01, rtol=1e-11, progress=False)
    q = np.array([np.interp(exact.t, run.t, run.q[:, k]) for k in range(2)]).T
    assert np.allclose(q[:60], exact.q[:60], atol=5e-3)
    assert run.audit.ok and run.audit.deep().ok, run.audit.deep()
    assert run.q[:, 1].max() <= 0.6 + 1e-9


@pytest.mark.parametrize("method", ["rk4", "euler"])
def test_rollouts_and_steps_without_stops_say_so(method):
    problem = lo.Locomotion(arm(upper=0.5))
    with pytest.warns(RuntimeWarning, match="2 of 3 rollouts of 'arm' pass limits of joints.*has no stops"):
        runs = lo.rollout(problem, None, 3, q=np.zeros((3, 1)), v=[[0.1], [1.0], [2.0]], duration=1.0, step=1e-2, method=method)
    assert runs.lost.tolist() == [False, True, True] and runs.beyond[2] == pytest.approx(1.5)
    free = lo.rollout(
        lo.Locomotion(arm(upper=0.5), limits=False), None, 3, q=[0.0], v=[2.0], duration=1.0, step=1e-2, method=method
    )
    assert not free.lost.any() and free.q[0, -1, 0] == pytest.approx(2.0)
    stepper = problem.stepper(v=[1.0], step=1e-2, method=method)
    with pytest.raises(lo.LocomoteError, match="a joint would pass its limit"):
        stepper.advance(steps=100)
    assert stepper.q[0] <= 0.5 + 1e-9


def test_rollouts_over_contacts_stop_at_limits():
    problem = lo.Locomotion(arm(upper=0.5))
    runs = lo.rollout(problem, None, 5, q=[0.0], v=[2.0], duration=1.0, step=1e-3, method="timestep")
    assert np.allclose(runs.q[:, -1], 0.5, atol=1e-9) and not runs.lost.any()


@pytest.mark.parametrize("method", [*METHODS, "variational"])
def test_a_start_beyond_a_limit_is_refused(method):
    problem = lo.Locomotion(arm(upper=0.5))
    with pytest.raises(lo.InconsistentStart, match="beyond the upper stop of hinge at 0.5"):
        problem.simulate(1.0, q=[0.6], method=method, progress=False)
    assert lo.Locomotion(arm(upper=0.5), limits=False).simulate(0.1, q=[0.6], method=method, progress=False).audit.ok


def test_what_drives_take_beyond_limits_is_said():
    problem = lo.Locomotion(arm(upper=0.5, effort_limit=1.0), drives={"hinge": lo.Sine(1.0, 3.0)})
    said = problem.simulate(1.0, progress=False).summary()
    assert "hinge driven beyond its limit" in said and "of a drive, more than the 1 N m of its motor" in said


def four_bar_with_a_stop():
    builder, inertia = lo.Builder("four-bar", base="fixed"), lo.Inertia(0.5, (0.3, 0, 0), (0.01, 0.05, 0.05))
    builder.body("crank", joint=lo.Joint("a", axis=(0, 1, 0)), inertia=inertia)
    builder.body("coupler", parent="crank", at=(0.4, 0, 0), joint=lo.Joint("b", axis=(0, 1, 0)), inertia=inertia)
    builder.body("rocker", at=(1, 0, 0), joint=lo.Joint("c", axis=(0, 1, 0), upper=-1.25), inertia=inertia)
    loop = lo.LoopClosure("coupler", "rocker", locked="xz", frame=(1, 0, 0), other_frame=(0.7, 0, 0))
    problem = lo.Locomotion(builder.build(), constraints=[loop])
    return problem, problem.initial([-1.0, 0.6, -1.8], [1.0, 0.0, 0.0])


def hopper_with_a_stop():
    builder, small = lo.Builder("hopper", base="fixed"), (0.01, 0.01, 0.01)
    builder.body("body", joint=lo.Joint("z", kind="prismatic", axis=(0, 0, 1)), inertia=lo.Inertia(1.0, moment=small))
    leg = lo.Joint("leg", kind="prismatic", axis=(0, 0, 1), lower=-0.1, upper=0.05, stiffness=200.0)
    builder.body("leg", parent="body", joint=leg, inertia=lo.Inertia(0.2, (0, 0, -0.5), small))
    foot = lo.PointContact("leg", point=(0, 0, -0.5), directions="z", target=(0, 0, 0), unilateral=True)
    return lo.Locomotion(builder.build(), constraints=[foot]), ([0.8, 0.0], [0.0, 0.0])


def rod_with_a_stop():
    rod = lo.Rod(0.6, lo.Section.circle(0.02), lo.Material(1000.0, 2e6, damping=0.01), strains="bending", order=2)
    builder = lo.Builder("rod", base="fixed")
    builder.body("hub", joint=lo.Joint("hinge", axis=(0, 1, 0), upper=0.3), inertia=lo.Inertia(0.5, moment=(0.02,) * 3))
    model = builder.body("beam", parent="hub", flex=rod).build()
    return lo.Locomotion(model), (model.neutral(), [1.0] + [0.0] * (model.nv - 1))


def crank_in_honey():
    """Without inertia, velocities follow from the balance of forces."""
    push = lo.Sine(2.0, 1.0, phase=np.pi / 2)
    problem = lo.Locomotion(arm(upper=0.5), torques={"hinge": push}, springs={"hinge": (0.0, 0.0, 1.0)}, inertia=False)
    return problem, ([0.0], [0.0])


def led_onto_a_stop():
    """A controller that knows nothing of the stop, and goes on to ask for what it cannot have."""
    controller = lo.ComputedTorque({"hinge": lo.Sine(1.0, 2.0)}, 100.0, 20.0)
    return lo.Locomotion(arm(upper=0.5), torques=controller), ([0.0], [0.0])


STOPPED = {
    four_bar_with_a_stop: ("adaptive", "rk4", "implicit", "gauss", "radau", "variational", "timestep"),
    hopper_with_a_stop: ("adaptive", "rk4", "implicit", "gauss"),
    rod_with_a_stop: ("adaptive", "implicit", "gauss", "radau", "timestep"),
    crank_in_honey: ("adaptive", "rk4", "implicit"),
    led_onto_a_stop: ("adaptive", "rosenbrock", "implicit"),
}


@pytest.mark.parametrize(("make", "method"), [(make, method) for make, methods in STOPPED.items() for method in methods])
def test_stops_meet_loops_contacts_rods_and_controllers(make, method):
    problem, (q, v) = make()
    exact = problem.simulate(0.6, q=q, v=v, method="adaptive", every=0.02, progress=False)
    run = problem.simulate(0.6, q=q, v=v, method=method, every=0.02, progress=False)
    times = 0.02 * np.arange(31)
    here, there = (np.array([np.interp(times, found.t, x) for x in found.q.T]) for found in (run, exact))
    assert np.allclose(here, there, atol=2e-2), abs(here - there).max()
    assert run.audit.deep().ok, run.audit.deep()
    assert "stop of" in "".join(str(event) for event in exact.events) and "stop of" in run.summary().split("limits reached")[1]


@pytest.mark.parametrize("make", [hopper_with_a_stop, four_bar_with_a_stop, rod_with_a_stop])
def test_a_run_on_a_stop_goes_on_saved_and_copied(make, tmp_path):
    problem, (q, v) = make()
    whole = problem.simulate(0.6, q=q, v=v, every=0.02, progress=False)
    half = problem.simulate(0.5, q=q, v=v, every=0.02, progress=False)
    longer = half.extend(0.1)
    assert np.allclose(longer.q[-1], whole.q[-1], atol=1e-4) and longer.audit.ok
    again = pickle.loads(pickle.dumps(problem)).simulate(0.6, q=q, v=v, every=0.02, progress=False)
    assert np.array_equal(again.q, whole.q)
    whole.save(tmp_path / "run.h5")
    kept = lo.open_run(tmp_path / "run.h5")
    assert kept.audit.ok and (kept.problem is None or "limits reached" in kept.summary())


@pytest.mark.parametrize("method", [method for method in METHODS if method != "timestep"])
@pytest.mark.parametrize("side", ["lower", "upper"])
@pytest.mark.parametrize("begins", [0.0, 0.1])
def test_a_joint_that_lies_on_its_stop_without_force_leaves_it_with_the_first_one(method, side, begins):
    sign = 1.0 if side == "lower" else -1.0
    model = arm(**({"lower": 0.0, "upper": 2.0} if side == "lower" else {"lower": -2.0, "upper": 0.0}))
    problem = lo.Locomotion(model, torques=lambda t, q, v: np.array([sign * max(t - begins, 0.0)]))
    run = problem.simulate(0.5, q=[0.0], method=method, every=0.05, progress=False)
    assert run.q[-1, 0] == pytest.approx(sign * (0.5 - begins) ** 3 / 6.0, rel=1e-2 if method in ("gauss", "rk4") else 1e-3)
    (left,) = run.events
    assert left.kind == "release" and left.t == pytest.approx(begins, abs=1e-6) and side in left.data["constraint"]
    assert run.audit.ok, run.audit


def test_a_joint_that_lies_on_its_stop_without_force_stays_there():
    run = lo.Locomotion(arm(lower=0.0, upper=2.0)).simulate(0.5, q=[0.0], progress=False)
    assert not run.q.any() and not run.events and run.audit.ok
