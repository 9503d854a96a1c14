"""Sweeps with contact inertias against dense matrices, and both ways of stepping against each other."""

import numpy as np
import pytest
from trotting_robot import dropped_on_corners

import locomote as lo
from locomote.compiler.source import kernel
from locomote.contact.delassus import settle
from locomote.contact.softening import settle_slowly
from locomote.kernels.contact_sweep import ACCELERATION, DOFS, EXTRA, ROWS, sweep_inward, sweep_outward
from locomote.kernels.inverse_dynamics import WORK as NEWTON
from locomote.kernels.inverse_dynamics import Motion, Newton, Tree, carry_motion
from locomote.methods.integrators import timestep
from locomote.methods.timestep.pace import EVEN, FAST, fast_for
from locomote.model.joints import joint_sines


@kernel
def swept(topology, constants, q, v, zero, wrenches, sine, cosine, newton, loaded, extra, tau, D, rows, dofs, a):
    joint_sines(topology, constants, q.shape[0], q, sine, cosine)
    carry_motion(Tree(topology, constants), Motion(q, v, zero), wrenches, Newton(sine, cosine, newton))
    sweep_inward(topology, constants, q, sine, cosine, None, wrenches, newton, loaded, extra, tau, D, rows, dofs)
    sweep_outward(topology, constants, q, sine, cosine, None, D, rows, dofs, a)
    return 0


@kernel
def settled(blocks, count, W, b, mu, p, m, A, x, kept, modes, diagonal, good, shifted, guess, trial, left):
    left[0] = settle(blocks, count, W, b, mu, p, m, A, x, kept, 1e-9)
    if left[0] > 1e-9:
        left[0] = settle_slowly(
            blocks, count, W, b, mu, p, m, A, x, kept, modes, diagonal, good, shifted, guess, trial, 1e-9, 5e-9
        )
    return 0


@pytest.mark.parametrize("damped", [False, True])
def test_sweep_solves_with_contact_inertias(damped):
    model = lo.systems.load("quadruped").model
    rng = np.random.default_rng(3)
    q, v, tau = model.random(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    D = rng.uniform(0.1, 1.0, model.nv) if damped else np.zeros(model.nv)
    count = len(model.topology)
    loaded, extra = np.zeros(count, np.int64), np.zeros((count, EXTRA))
    M = lo.mass_matrix(model, q) + np.diag(D)
    force = tau - lo.bias_force(model, q, v)
    for name in model.body_names:
        index = model.body(name).index
        if not np.allclose(model.placement[index], np.eye(4)) or model.carrier[index] == count - 1:
            continue
        B = rng.normal(size=(6, 6))
        block, wrench = B @ B.T, rng.normal(size=6)
        i, J = int(model.carrier[index]), lo.jacobian(model, q, name, frame="local")
        loaded[i] = 1
        extra[i, :6], extra[i, 6:15] = block[:3, :3][np.triu_indices(3)], block[:3, 3:].ravel()
        extra[i, 15:21], extra[i, 21:] = block[3:, 3:][np.triu_indices(3)], wrench
        M, force = M + J.T @ block @ J, force + J.T @ wrench
    assert loaded.any()
    a, rows = np.zeros(model.nv), np.zeros((count, ROWS))
    swept(
        np.array(model.topology), np.array(model.constants), q, v, np.zeros(model.nv), np.zeros((count, 6)), np.zeros(model.nq),
        np.zeros(model.nq), np.zeros((count, NEWTON)), loaded, extra, tau, D, rows, np.zeros((model.nv, DOFS)), a,
    )  # fmt: skip
    assert np.allclose(a, np.linalg.solve(M, force), rtol=1e-9, atol=1e-9)
    assert np.allclose(rows[0, ACCELERATION : ACCELERATION + 6], a[:6])


def quadruped():
    model = lo.systems.load("quadruped").model
    feet = [name for name in model.body_names if name.endswith("foot")]
    contacts = [lo.Touch(name, lo.Ground(friction=0.6), sphere=0.02) for name in feet]
    springs = dict.fromkeys(model.joint_names[1:], (60.0, 0.0, 1.5))
    q = model.neutral()
    low = min(lo.forward_kinematics(model, q)[model.body(name).index][2, 3] for name in feet)
    q[2] += 0.03 - low
    return lo.Locomotion(model, springs=springs, contacts=contacts), q


def test_both_ways_of_stepping_agree(monkeypatch):
    problem, q = quadruped()
    v = np.zeros(problem.model.nv)
    v[:2] = 0.4, 0.1
    options = {"method": "timestep", "step": 1e-3, "progress": False, "every": 0.05}
    run = problem.simulate(0.5, q=q, v=v, **options)
    assert run.info["rejected"] < 0.2 * run.info["steps"]
    monkeypatch.setattr(timestep, "can_sweep", lambda plan: 0)
    other = problem.simulate(0.5, q=q, v=v, **options)
    assert other.info["evaluations"] == 0
    assert np.allclose(run.q, other.q, atol=2e-5)
    assert max(run.tracked["contact_law"][1], other.tracked["contact_law"][1]) < 1e-8


def test_rollouts_over_contacts_are_the_runs_themselves():
    problem, q = quadruped()
    starts = np.tile(q, (3, 1))
    starts[:, 2] += [0.0, 0.01, 0.02]
    rolled = lo.rollout(problem, q=starts, v=np.zeros((3, problem.model.nv)), duration=0.3, step=1e-3, keep=100, threads=2)
    assert rolled.q.shape == (3, 4, problem.model.nq) and (rolled.contact_law[:, 0] == 0).all()
    for k in range(3):
        run = problem.simulate(0.3, q=starts[k], method="timestep", step=1e-3, every=0.1, progress=False)
        assert np.allclose(rolled.q[k], run.q, atol=1e-10)
    joints = list(problem.model.joint_names[1:2])
    pushed = lo.rollout(problem, np.full((3, 300, 2), 5.0), q=starts, step=1e-3, joints=joints)
    assert not np.allclose(pushed.q[:, -1], rolled.q[:, -1], atol=1e-4)
    with pytest.raises(ValueError, match="timestep"):
        lo.rollout(problem, q=starts, duration=0.1, method="euler")


def test_redundant_sliding_contacts_are_solved():
    """Sixteen points below one sliding, spinning plate: a random load that no single point has to carry."""
    rng = np.random.default_rng(5)
    points = np.c_[rng.uniform(-0.2, 0.2, (16, 2)), np.full(16, -0.05)]
    J = np.vstack([np.array([np.r_[e, np.cross(p, e)] for e in np.eye(3)]) for p in points])
    W = J @ np.diag([1, 1, 1, 40.0, 40.0, 20.0]) @ J.T
    b = J @ np.array([0.5, 0.2, -0.02, 0.01, 0.02, 1.0])
    m, count = 48, 16
    blocks = np.zeros((count, 3), np.int64)
    blocks[:, 1] = 3 * np.arange(count)
    p, left = np.zeros(m), np.ones(1)
    settled(
        blocks, count, W, b, np.full(count, 0.5), p, m, np.zeros((m, m)), np.zeros(m), np.zeros(m), np.zeros(count, np.int64),
        np.zeros(m), np.zeros(m), np.zeros(m), np.zeros(m), np.zeros(m), left,
    )  # fmt: skip
    assert left[0] < 1e-8
    u, p = (W @ p + b).reshape(-1, 3), p.reshape(-1, 3)
    assert (p[:, 2] >= 0).all() and u[:, 2].min() > -1e-8 and abs(p[:, 2] * u[:, 2]).max() < 1e-9
    size, speed = np.hypot(*p[:, :2].T), np.hypot(*u[:, :2].T)
    assert (size <= 0.5 * p[:, 2] + 1e-9).all()
    sliding = (speed > 1e-6) & (p[:, 2] > 1e-9)
    assert sliding.any() and np.allclose((p[:, :2] * u[:, :2]).sum(1)[sliding], -(size * speed)[sliding], atol=1e-8)


def test_bodies_that_weigh_nothing_are_no_reason_for_short_steps():
    """Two joints about one axis, with next to nothing between them: what is fast is measured with their dampers."""
    nothing = np.array([[1.0 + 1e-12, 1.0], [1.0, 1.0]])
    assert fast_for(nothing, np.array([40.0, 40.0])) == FAST
    light = np.array([[1.001, 1.0], [1.0, 1.0]])  # 1000 times lighter than it looks, which is heeded
    assert fast_for(light, np.array([40.0, 40.0])) == pytest.approx(FAST * EVEN / 1001.0)
    assert fast_for(np.eye(2), np.zeros(2)) == fast_for(np.zeros((2, 2)), np.zeros(2)) == FAST


def test_light_corners_at_the_edge_of_their_cones_do_not_change_their_ways_step_by_step():
    """Robots on sixteen corners sway after a fall: a corner that carries next to nothing is pushed against its cone by others
    of its foot, and once stuck and slid in turn, with 5 to 8 sweeps a step where one will do."""
    for seed in (1, 2, 4):
        problem, q, v = dropped_on_corners(seed)
        counts = []
        for duration in (2.0, 2.4):
            run = problem.simulate(duration, q=q, v=v, step=2e-3, progress=False)
            counts.append((run.info["evaluations"], run.info["steps"]))
        assert run.tracked["contact_law"][0] == 0 and abs(run.v[-1]).max() < 0.01
        (sweeps, steps), (more, most) = counts
        assert more - sweeps < 1.4 * (most - steps)
        assert np.allclose(run.contact_forces[-1].sum(axis=0), [0, 0, 9.81 * problem.model.mass], atol=0.5)
