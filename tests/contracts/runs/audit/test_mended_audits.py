"""What random problems found: audits that measured rounding, samples of a start, impacts and imposed motion."""

import dataclasses

import numpy as np
import pytest
import random_problems

import locomote as lo
from locomote.methods.events.impact import jump


def body(mass=1.0, at=(0.0, 0.0, 0.0)):
    return lo.Inertia(mass, at, 0.1 * np.eye(3))


@pytest.mark.parametrize("kind", ["x", "xyz"])
def test_what_does_not_turn_has_no_angular_momentum_to_lose(kind):
    builder = lo.Builder("slider", gravity=(1.6, 6.5, -1.4)).body(
        "a", joint=lo.Joint("base", kind), inertia=body(2.8, (0.3, 0.1, 0.7))
    )
    run = lo.Locomotion(
        builder.body("b", parent="a", joint=lo.Joint("weld", "fixed"), inertia=body(1.6, (-0.2, 0.4, 0.1))).build()
    ).simulate(
        0.25, q=[-2.7] if kind == "x" else [-2.7, -1.1, 0.4], v=[-0.4] if kind == "x" else [-0.4, -0.3, 0.7], progress=False
    )
    assert run.audit.ok and not any(name.startswith("angular") for name in run.audit.conserved)


def test_a_spin_is_still_looked_at():
    model = lo.Builder("spinner", base="free", gravity=(0, 0, 0)).body("b", inertia=body()).build()
    run = lo.Locomotion(model).simulate(0.5, v=[0.3, 0, 0, 0.1, 0.2, 0.3], progress=False)
    assert {"angular x", "angular y", "angular z"} <= set(run.audit.conserved)
    v = run.v.copy()
    v[-1, 3:] *= 1.01
    assert "conserved momentum" in [check.name for check in dataclasses.replace(run, v=v).audit.failed]


def resting_ball(**options):
    model = lo.Builder("ball").body("b", joint=lo.Joint("move", "xyz"), inertia=body()).build()
    return lo.Locomotion(model, constraints=[lo.PointContact("b", (0, 0, 0), (0, 0, 0), "xyz", unilateral=True, **options)])


def test_a_hit_at_the_start_has_a_sample_before_it_in_which_the_contact_is_open():
    run = resting_ball().simulate(0.2, q=[0.0, 0.0, 0.0], v=[0.3, 0.0, -1.0], progress=False)
    assert run.audit.ok and run.t[0] == run.t[1] == 0.0
    assert np.allclose(run.v[0], [0.3, 0, -1.0]) and np.allclose(run.v[1:], 0.0) and not run.reactions[0].any()
    assert np.isclose(run.work["losses"][1], -0.5 * (0.3**2 + 1.0))  # all of m v^2 / 2 is lost


def test_a_start_inside_the_ground_is_brought_out_of_it():
    q, v = resting_ball().initial([0.5, 0.2, -0.1], [0.3, 0.0, -1.0])
    assert np.allclose(q, [0.5, 0.2, 0.0], atol=1e-12) and np.allclose(v, [0.3, 0.0, -1.0])  # up, and nowhere else
    run = resting_ball(restitution=0.5).simulate(0.2, q=[0.5, 0.2, -0.1], v=[0.0, 0.0, -1.0], progress=False)
    assert run.audit.ok and np.isclose(run.v[1, 2], 0.5) and run.q[:, 2].min() > -1e-9


def test_a_start_that_cannot_be_brought_out_is_refused():
    model = lo.Builder("stuck").body("b", joint=lo.Joint("move", "x"), inertia=body()).build()
    contact = lo.PointContact("b", (0, 0, 0), (0, 0, 0.4), "z", unilateral=True, name="ground")
    with pytest.raises(lo.InconsistentStart, match="'z' of 'ground' is off by -0.4"):
        lo.Locomotion(model, constraints=[contact]).simulate(0.1, v=[1.0], progress=False)


FOUND = {  # seeds of random_problems.py
    348: "a torque on what does not move: its work is rounding",
    429: "rows that are all rounding: a contact between bodies that do not move that way",
    1377: "an impact whose rebound other rows forbid",
    1575: "contacts that hit at the start",
}


@pytest.mark.parametrize("seed", FOUND, ids=str)
def test_random_problems_that_failed_do_not_any_more(seed):
    assert random_problems.outcome(seed) == ("good", "")


def test_a_contact_that_would_sink_in_is_not_let_go():
    """One that sticks, where friction without bound and the other constraints press it down: it pulls, and the run says so."""
    problem, how = random_problems.random_problem(1042)
    run = problem.simulate(0.25, progress=False, **how)
    row = problem.constraint_labels.index(next(x for x in problem.constraint_labels if x[:2] == ("constraint 0", "z")))
    gaps = [problem.rows(float(t), q, v)[3][row] for t, q, v in zip(run.t[::8], run.q[::8], run.v[::8], strict=True)]
    assert min(gaps) > -1e-6 and "pull" in {event.kind for event in run.events}
    assert "contacts that pull" in {check.name for check in run.audit.failed}


@pytest.mark.parametrize("rtol", [1e-6, 1e-9])
def test_the_implicit_method_chooses_steps_for_the_work_of_imposed_motion(rtol):
    """Nothing is free, so nothing but the work can be wrong: a mass that a drive lifts and shakes.

    The work of the drive is the energy that the mass has: m v^2 / 2 + m g z.
    """
    model = lo.Builder("lift").body("b", joint=lo.Joint("lift", "prismatic", axis="z"), inertia=body(2.0)).build()
    shaken = lo.Sine(0.3, 4.0, 0.4) + lo.Polynomial([0.0, 0.2, 0.5])
    run = lo.Locomotion(model, drives={"lift": shaken}).simulate(2.0, method="implicit", rtol=rtol, every=0.5, progress=False)
    x, dx, _ = (np.asarray(value) for value in shaken(run.t))
    work = 2.0 * (dx**2 / 2 + 9.81 * x)
    off = abs(run.work["drives"] - (work - work[0])).max() / abs(work).max()
    assert run.audit.ok and off < (1e-4 if rtol > 1e-8 else 1e-7) and run.info["steps"] > 10


def test_an_impact_that_a_distance_forbids_to_bounce_loses_what_it_says():
    """A rod that is held at one end, with a contact of the same point: whatever it would have to bounce with, it cannot."""
    model = lo.Builder("rod", base="free").body("b", inertia=body()).build()
    point = (0.2, 0.0, 0.1)
    ties = [
        lo.Distance("b", None, point, (3.2, 3.0, 2.6), name="x"),
        lo.Distance("b", None, point, (-3.2, 3.1, 2.2), name="y"),
    ]
    ground = lo.PointContact("b", point, (0, 0, 0), "xyz", unilateral=True, restitution=1.0, name="ground")
    problem = lo.Locomotion(model, constraints=[*ties, ground])
    q, v = model.neutral(), np.array([0.5, 0.1, -1.0, 0.3, 0.2, 0.1])
    A, _, b, _ = problem.rows(0.0, q, v)
    M = lo.mass_matrix(model, q)
    v = v - np.linalg.pinv(A[:2]) @ (A[:2] @ v)  # a motion that both distances allow
    done = jump(M, A, b, v, np.arange(6), [([2, 3, 4], 4)], [1.0])
    gained = 0.5 * done.v @ M @ done.v - 0.5 * v @ M @ v
    assert abs(gained - done.lost) < 1e-12 and abs(A[:4] @ done.v).max() < 1e-12
    assert abs(A[4] @ done.v) < 1e-12  # x, y and two distances leave no way up


@pytest.mark.parametrize("samples", [11, 21])  # whole periods apart, and half periods, where nothing accelerates
def test_samples_that_see_nothing_of_a_gait_are_not_judged_by_it(samples):
    system = lo.systems.load("snakeboard")
    q, v = system.initial
    times = np.linspace(0.0, system.duration, samples)
    run = system.problem().simulate(system.duration, q=q, v=v, samples=times, progress=False)
    assert run.audit.ok
    assert "that q follows v: samples are too far apart" in run.audit.unchecked
    assert "that momentum is conserved: samples are too far apart" in run.audit.unchecked


def test_samples_that_see_a_gait_are_still_judged_by_it():
    """With many more steps than samples, too."""
    system = lo.systems.load("snakeboard")
    q, v = system.initial
    run = system.problem().simulate(system.duration, q=q, v=v, every=system.duration / 700, rtol=1e-11, progress=False)
    assert run.info["steps"] > 2 * len(run) and run.audit.ok and "work of drives" in [c.name for c in run.audit.checks]
    for name, check in (("q", "q follows v"), ("a", "v follows a")):
        wrong = getattr(run, name).copy()
        wrong[:, getattr(run.model.joint("rotor"), "q" if name == "q" else "v")] *= 0.9
        assert check in [c.name for c in dataclasses.replace(run, **{name: wrong}).audit.failed]
    wrong = {**run.work, "drives": 0.9 * run.work["drives"]}
    assert "work of drives" in [c.name for c in dataclasses.replace(run, work=wrong).audit.failed]


def test_a_pendulum_seen_at_whole_periods_only_is_not_judged_by_it():
    """A spring on a mass, whose period is known."""
    model = lo.Builder("mass", gravity=(0, 0, 0)).body("b", joint=lo.Joint("move", "x"), inertia=body(1.0)).build()
    problem = lo.Locomotion(model, springs={"move": (4.0 * np.pi**2, 0.0, 0.0)})
    for start in ((0.1, 0.0), (0.0, 0.1), (0.1, 0.3)):
        run = problem.simulate(20.0, q=[start[0]], v=[start[1]], every=1.0, progress=False)
        assert run.audit.ok and np.ptp(run.q) < 1e-5
        run = problem.simulate(20.0, q=[start[0]], v=[start[1]], every=0.02, progress=False)
        assert run.audit.ok and {"q follows v", "v follows a"} <= {check.name for check in run.audit.checks}


def test_hard_contacts_that_give_energy_are_found_out():
    """However little beside all energies: a balance that counts it as lost closes."""
    run = lo.systems.load("box_stack", count=2, push=0.8).problem().simulate(0.2, step=1e-3, progress=False)
    assert run.audit.ok and "energy that contacts give" in [check.name for check in run.audit.checks]
    lost = run.work["losses"].copy()
    lost[len(lost) // 2 :] += 0.01 * run.audit.scale
    failed = [check.name for check in dataclasses.replace(run, work={**run.work, "losses": lost}).audit.failed]
    assert "energy that contacts give" in failed


def test_a_rattleback_that_swings_often_between_samples_is_not_judged_by_them():
    system = lo.systems.load("rattleback")
    q, v = system.initial
    run = system.problem().simulate(1.0, q=q, v=v, samples=np.linspace(0.0, 1.0, 12), progress=False)
    assert run.audit.ok and "that v follows a: samples are too far apart" in run.audit.unchecked
