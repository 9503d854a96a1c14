"""Joint wrenches of problems at one instant: those of a run there, and with a self-stress."""

import numpy as np
import pytest
from run_kinds import KINDS

import locomote as lo

STILL = [name for name in KINDS if "touch" not in name and "ground" not in name and "stop" not in name]


@pytest.mark.parametrize("name", STILL)
def test_a_problem_says_at_one_instant_what_its_run_says(name):
    problem, options = KINDS[name]()
    run = problem.simulate(progress=False, **options)
    clocks = bool(problem.controllers)  # their torques between ticks are in the run alone
    n = 0 if clocks else 3
    closed = (
        {label[0] for k, label in enumerate(run.constraint_labels) if run.reactions[n, k] != 0} if name == "impacts" else None
    )
    w = problem.joint_wrenches(run.t[n], run.q[n], run.v[n], closed=closed)
    assert w == pytest.approx(run.joint_wrenches[n], abs=1e-9 * max(1.0, abs(w).max()))


def test_a_self_stress_loads_joints_and_moves_nothing():
    """A table on four legs that are held: loads shift from leg to leg, their sum stays, along axes only drives change."""
    builder = lo.Builder("table", base="free").body("top", inertia=lo.Inertia.box(8.0, (0.6, 0.4, 0.05)))
    feet = []
    for n, (x, y) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
        builder.body(
            f"leg {n}",
            parent="top",
            joint=lo.Joint(f"hip {n}", axis="y"),
            at=(0.25 * x, 0.15 * y, 0),
            inertia=lo.Inertia(1.0, (0, 0, -0.2)),
        )
        feet.append(lo.PointContact(f"leg {n}", (0, 0, -0.4), directions="xyz"))
    model = builder.build()
    problem = lo.Locomotion(model, constraints=feet, drives={f"hip {n}": 0.0 for n in range(4)})
    q, v = model.neutral(), np.zeros(model.nv)
    found = problem.evaluate(0.0, q, v)
    stressed = found.with_self_stress(np.arange(1.0, found.self_stress.shape[1] + 1.0))
    plain, more = (problem.joint_wrenches(0.0, q, v, evaluation=x) for x in (found, stressed))
    assert plain == pytest.approx(problem.joint_wrenches(0.0, q, v), abs=1e-12)
    assert abs(more - plain)[1:].max() > 0.1 and abs(more[0]).max() < 1e-9
    for w, x in ((plain, found), (more, stressed)):
        assert w[1:, 4] == pytest.approx(x.tau[6:], abs=1e-9)
        assert w[1:, :3].sum(axis=0) == pytest.approx([0, 0, -8.0 * 9.81], abs=1e-9)


def test_contacts_push_joints_at_one_instant():
    """A leg that stands on two points, its trunk free: nothing holds the trunk, and the hip carries it and what turns it."""
    builder = lo.Builder("leg", base="free").body("trunk", inertia=lo.Inertia.box(5.0, (0.3, 0.2, 0.1)))
    builder.body(
        "leg",
        parent="trunk",
        joint=lo.Joint("hip", axis="y", damping=0.5),
        inertia=lo.Inertia(1.0, (0, 0, -0.2), (0.01, 0.01, 0.001)),
    )
    model = builder.body("foot", parent="leg", at=(0, 0, -0.4), inertia=lo.Inertia(0.2, moment=(1e-3, 1e-3, 1e-3))).build()
    points = [(x, y, 0) for x, y in ((-0.1, -0.1), (0.15, -0.1), (0, 0.15))]
    problem = lo.Locomotion(model, contacts=[lo.Touch("foot", lo.Ground(friction=0.8), points=points)], torques={"hip": 2.0})
    q, v = model.neutral(), np.zeros(model.nv)
    q[2] = 0.4
    found = problem.evaluate(0.0, q, v)
    assert found.contact_forces[:, 2].sum() > 20
    w = problem.joint_wrenches(0.0, q, v)
    assert abs(w[0]).max() < 1e-9 and w[1, 4] == pytest.approx(2.0, abs=1e-9)
    spinning = lo.Locomotion(model, contacts=[lo.Touch("foot", lo.Ground(torsion=0.01), points=points)])
    with pytest.raises(ValueError, match="rolling or torsion"):
        spinning.joint_wrenches(0.0, q, v)
    taken = 0.2 * (lo.acceleration(model, q, v, found.a, "foot", frame="aligned")[:3] - model.gravity)
    assert w[2, :3] == pytest.approx(taken - found.contact_forces.sum(axis=0), abs=1e-9)
