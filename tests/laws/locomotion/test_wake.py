"""Momentum of swimmers and of what they leave behind; the impulse of vortices; connections at the mass centre."""

import numpy as np
import pytest

import locomote as lo


@pytest.mark.parametrize("name, duration", [("fish", 1.0), ("tuna_robot", 1.0), ("eel", 0.6), ("jellyfish", 0.3)])
def test_swimmer_and_wake_keep_their_momentum(name, duration):
    """Forces at the states of a run against the momentum that the run has; finer samples close the balance better."""
    system = lo.systems.load(name)
    q, v = system.initial
    errors = []
    for count in (101, 201):
        times = np.linspace(0, duration, count)
        run = system.problem().simulate(duration, q=q, v=v, samples=times, rtol=1e-10, atol=1e-12, progress=False)
        balance = lo.water.wake_balance(run)
        errors.append(balance.error)
    assert errors[1] < 1e-5 and (errors[1] < 0.3 * errors[0] or errors[1] < 1e-7)
    assert abs(balance.body[-1]).max() > 1e-4


def test_lighthill_gives_the_wake_what_passes_the_tail():
    """Of a straight body that is towed sideways and forward, -int L dt by hand: L = W_x P - 1/2 P.W e_x with P = m W_y."""
    water = lo.Fluid(1000.0)
    builder = lo.Builder("plate", base="planar", gravity=(0, 0, 0)).body("plate", inertia=lo.Inertia.box(3.0, (0.6, 0.02, 0.1)))
    height = 0.1
    swim = lo.water.Lighthill(water, [lo.water.Segment("plate", (0.3, 0, 0), (-0.3, 0, 0), height)])
    problem = lo.Locomotion(builder.build(), environment=[swim])
    run = problem.simulate(0.2, v=[0.8, 0.05, 0.1], samples=np.linspace(0, 0.2, 201), rtol=1e-11, atol=1e-13, progress=False)
    balance = lo.water.wake_balance(run)
    assert balance.error < 1e-8 and balance.wake_names == tuple(balance.fluid)
    force = []
    for q, (V, U, w) in zip(run.q, run.v, strict=True):
        W = np.array([-V, U - 0.3 * w])  # of the tail, along the body towards the tail, and across it (to the right of that)
        m = 1000.0 * np.pi * (height / 2) ** 2
        along, across = -0.5 * m * W[1] ** 2, W[0] * m * W[1]
        tail, side = np.array([-np.cos(q[2]), -np.sin(q[2])]), np.array([-np.sin(q[2]), np.cos(q[2])])
        force.append(along * tail + across * side)
    steps = np.diff(run.t)[:, None]
    impulse = -np.cumsum(0.5 * (np.array(force)[1:] + np.array(force)[:-1]) * steps, axis=0)
    assert np.allclose(balance.wake[1:, :2], impulse, atol=2e-6 * abs(impulse).max() + 1e-9)


def test_impulse_of_rings_and_pairs():
    """A ring: rho G pi a^2 along its axis, wherever it is; a pair: rho G times their distance."""
    angles = np.linspace(0, 2 * np.pi, 2000, endpoint=False)
    ring = np.column_stack([0.3 * np.cos(angles), 0.3 * np.sin(angles), np.zeros(2000)]) + [1.0, -2.0, 0.5]
    found = lo.water.vortex_impulse(ring[None], [0.7], 1000.0)
    p = 1000 * 0.7 * np.pi * 0.09
    assert np.allclose(found.linear, [0, 0, p], rtol=1e-5, atol=1e-8)
    assert np.allclose(found.angular, np.cross([1.0, -2.0, 0.5], [0, 0, p]), rtol=1e-5)  # as of a push at its middle
    pair = lo.water.vortex_impulse([[0.0, 0.1], [0.0, -0.1]], [0.5, -0.5], 1000.0)
    assert np.allclose(pair.linear, [1000 * 0.5 * 0.2, 0, 0]) and np.allclose(pair.angular, 0.0)


def test_the_sheet_behind_a_tail_has_the_momentum_of_lighthills_slices():
    """A strip that a tail of half height b leaves, with the jump 2 w sqrt(b^2 - z^2) of a plate: rho pi b^2 w per length."""
    b, w, length = 0.05, 0.3, 0.02
    edges = np.linspace(0, 2 * w * b, 4001)  # circulations of nested rectangles
    middles = 0.5 * (edges[1:] + edges[:-1])
    z = np.sqrt(b**2 - (middles / (2 * w)) ** 2)
    rectangles = np.array([[[0, 0, -h], [length, 0, -h], [length, 0, h], [0, 0, h]] for h in z])
    found = lo.water.vortex_impulse(rectangles, np.diff(edges), 1000.0)
    assert np.allclose(found.linear, [0, -1000 * np.pi * b**2 * w * length, 0], rtol=1e-5)


def test_wrong_calls_get_a_sentence():
    with pytest.raises(ValueError, match="expected \\(lines, points, 3\\)"):
        lo.water.vortex_impulse(np.zeros((2, 4)), [1.0, 1.0])
    with pytest.raises(ValueError, match="one a line"):
        lo.water.vortex_impulse(np.zeros((2, 2)), [1.0])
    run = lo.systems.load("purcell_swimmer").problem().simulate(0.1, progress=False)
    with pytest.raises(ValueError, match="has no inertia"):
        lo.water.wake_balance(run)
    with pytest.raises(ValueError, match="no base that moves freely"):
        lo.water.wake_balance(lo.systems.load("simple_pendulum").problem().simulate(0.1, progress=False))


@pytest.mark.parametrize("name", ["space_robot", "falling_cat"])
def test_a_mass_centre_does_not_move_by_itself(name):
    """Boyer and Porez (8): -A = I_lock^-1 I_r for the rotation, and nothing for translations; curvature is that of the base."""
    system = lo.systems.load(name)
    problem, q = system.problem(), system.initial[0]
    q = problem.model.integrate(q, 0.3 * np.random.default_rng(1).normal(size=problem.model.nv))
    base, centre = problem.connection(q), problem.connection(q, origin="mass_center")
    turn = [2] if len(base.base) == 3 else [3, 4, 5]
    shift = [k for k in range(len(base.base)) if k not in turn]
    assert np.allclose(centre.A[shift], 0.0, atol=1e-10) and np.allclose(centre.A[turn], base.A[turn], atol=1e-12)
    assert np.allclose(centre.curvature[..., turn], base.curvature[..., turn], atol=1e-8)
    assert np.allclose(centre.curvature[..., shift], 0.0, atol=1e-8)
    model, R = problem.model, lo.forward_kinematics(problem.model, q)[0][:3, :3]
    about = lo.momentum_matrix(model, q)[3:]  # about the mass centre, in world axes
    lock, ring = R.T @ about[:, base.base[turn]], R.T @ about[:, base.shape]
    rows = [2] if len(turn) == 1 else [0, 1, 2]
    assert np.allclose(centre.A[turn], np.linalg.solve(lock[rows], ring[rows]), atol=1e-10)


def test_a_mass_centre_of_a_swimmer_moves_as_its_base_says():
    problem = lo.systems.load("perfect_fluid_swimmer").problem()
    q = problem.initial()[0]
    q = problem.model.integrate(q, 0.2 * np.random.default_rng(2).normal(size=problem.model.nv))
    base, centre = problem.connection(q), problem.connection(q, origin="mass_center")
    step = np.zeros(problem.model.nv)
    step[base.shape] = 1e-6
    step[base.base] = -base.A @ step[base.shape]
    ahead, behind = (lo.center_of_mass(problem.model, problem.model.integrate(q, s * step)) for s in (1, -1))
    R = lo.forward_kinematics(problem.model, q)[0][:3, :3]
    assert np.allclose((R.T @ (ahead - behind) / 2e-6)[:2], -(centre.A @ np.ones(len(base.shape)))[:2], atol=1e-8)
    with pytest.raises(ValueError, match="no origin named"):
        problem.connection(q, origin="tail")
