"""Many contact points on few bodies, and much friction: every step meets the law, with work that grows as their number does."""

import numpy as np
import pytest

import locomote as lo
from locomote.compiler.source import kernel
from locomote.contact.alart_curnier import Contacts, own_blocks
from locomote.contact.proximal import FIRST_KAPPA, ROOM, SCALE, VECTORS, Room, settle_velocities
from locomote.methods.integrators.timestep import TIMESTEP
from locomote.methods.state import MOST_ROWS


@kernel
def settled(blocks, spans, rows, soft, b, mu, p, starts, links, room, vectors, A, own, way, left):
    c = Contacts(
        blocks, spans, rows, rows, soft, b, mu, len(mu), len(p), A.shape[0], A.shape[0], len(links), starts, links, False
    )
    scratch = Room(room, vectors, A, own, way, left)
    own_blocks(c, own, room[SCALE])
    left[0] = settle_velocities(c, scratch, p, FIRST_KAPPA, 1e7, 1e-9, 5e-9)
    return 0


def settle_all(blocks, spans, rows, b, mu, starts, links):
    """Impulses of blocks of points, and what is left."""
    m, nv = rows.shape
    p, best = np.zeros(m), np.ones(3)
    settled(
        blocks, spans, rows, np.zeros(m), b, mu, p, starts, links, np.zeros((ROOM, m)), np.zeros((VECTORS, nv)),
        np.zeros((nv, nv)), np.zeros((len(mu), 6)), np.zeros((len(mu), 3)), best,
    )  # fmt: skip
    return p, best[0]


@pytest.mark.parametrize("count", [4, 16, 300])
def test_loads_of_a_plate_in_the_space_of_velocities(count):
    """Points below one sliding, spinning plate: impulses and velocities meet Coulomb's law, point by point."""
    rng = np.random.default_rng(count)
    points = np.c_[rng.uniform(-0.2, 0.2, (count, 2)), np.full(count, -0.05)]
    J = np.vstack([np.array([np.r_[e, np.cross(p, e)] for e in np.eye(3)]) for p in points])
    Y = np.ascontiguousarray(J @ np.sqrt(np.diag([1, 1, 1, 40.0, 40.0, 20.0])))
    b, mu = J @ np.array([0.05, 0.02, -0.3, 0.01, 0.02, 0.5]), 0.5
    blocks = np.zeros((count, 3), np.int64)
    blocks[:, 1] = 3 * np.arange(count)
    spans, starts, links = np.tile([0, 6, 0, 0], (count, 1)), np.array([0, 6]), np.ones((1, 1), int)
    p, left = settle_all(blocks, spans, Y, b, np.full(count, mu), starts, links)
    assert left < 1e-8
    u, p = (Y @ (Y.T @ p) + b).reshape(-1, 3), p.reshape(-1, 3)
    assert (p[:, 2] >= 0).all() and u[:, 2].min() > -1e-8 and abs(p[:, 2] * u[:, 2]).max() < 1e-8
    size, speed = np.hypot(*p[:, :2].T), np.hypot(*u[:, :2].T)
    assert (size <= mu * p[:, 2] + 1e-9).all()
    sliding = (speed > 1e-6) & (p[:, 2] > 1e-9)
    assert np.allclose((p[:, :2] * u[:, :2]).sum(1)[sliding], -(size * speed)[sliding], atol=1e-8)


def test_two_thousand_points():
    side = np.linspace(-0.5, 0.5, 45)
    points = [(x, y, -0.05) for x in side for y in side]
    model = lo.Builder("plate", base="free").body("plate", inertia=lo.Inertia.box(1.0, (1.0, 1.0, 0.1))).build()
    problem = lo.Locomotion(model, contacts=[lo.Touch("plate", lo.Ground(friction=0.5), points=points)])
    state = TIMESTEP.state_for(problem.plan)
    assert state.delassus.shape == (MOST_ROWS, MOST_ROWS)  # and not 6000 by 6000
    tilt = np.array([0.03, 0.02, 0.01, 1.0])
    q = np.r_[0, 0, 0.15, tilt / np.linalg.norm(tilt)]
    run = problem.simulate(0.3, q=q, v=[1.0, 0, 0, 0, 0, 1.0], step=1e-3, progress=False)
    assert run.tracked["contact_law"][0] == 0 and run.audit.ok, run.audit
    load = run.contact_forces[-1].sum(axis=0)
    assert load[2] == pytest.approx(9.81, rel=1e-3)


@pytest.mark.parametrize("friction", [1e2, 1e4])
def test_friction_that_lets_nothing_slide(friction):
    model = lo.Builder("box", base="free").body("box", inertia=lo.Inertia.box(1.0, (0.2, 0.2, 0.1))).build()
    problem = lo.Locomotion(model, contacts=[lo.Touch("box", lo.Ground(friction=friction), box=(0.1, 0.1, 0.05))])
    turn = np.array([0.1, 0.2, 0.05, 1.0])
    q = np.r_[0, 0, 0.4, turn / np.linalg.norm(turn)]
    run = problem.simulate(1.0, q=q, v=[1, 0.5, 0, 1, 2, 3.0], step=1e-3, progress=False)
    assert run.tracked["contact_law"][0] == 0 and run.audit.ok, run.audit
    assert abs(run.v[-1]).max() < 1e-8


def test_friction_without_bound_is_refused():
    for friction in (1.1e4, 1e300):
        with pytest.raises(ValueError, match="at most 10000"):
            lo.Ground(friction=friction)
