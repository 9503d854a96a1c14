"""Forces of fluids on bodies: closed forms, moving frames, power balance, saving and symbols."""

import pickle

import numpy as np
import pytest

import locomote as lo

RHO = 1000.0
WATER = lo.Fluid(RHO, 1e-3)
STREET = lo.Fluid(RHO, 1e-3, lo.water.KarmanStreet((-0.3, 0, 0), 0.2, 0.06, 0.02))
AXES = (0.15, 0.05, 0.1)


def body(base="free", mass=2.0, gravity=(0, 0, -9.81), com=(0.01, 0, 0.02)):
    return (
        lo.Builder("body", base=base, gravity=gravity).body("body", inertia=lo.Inertia(mass, com, (0.01, 0.02, 0.015))).build()
    )


def everything(fluid):
    return [
        lo.AddedMass("body", fluid, lo.Ellipsoid(AXES), (0.01, 0.02, 0)),
        lo.Drag("body", fluid, (0.01, 0.02, 0.03), 1e-4),
        lo.Buoyancy("body", fluid, center=(0, 0, 0.03)),
        lo.water.SlenderDrag("body", fluid, (-0.15, 0, 0), (0.15, 0, 0), lambda x: 0.1 * x, 0.05),
        lo.water.StokesDrag("body", fluid, 0.1, (0, 0, 0.1)),
        lo.water.Resistive("body", fluid, (-0.15, 0, 0), (0.1, 0.1, 0), radius=0.005, elements=3),
    ]


def test_a_ball_starts_with_half_the_water_and_ends_at_the_speed_of_its_drag():
    radius, density = 0.05, 3000.0
    volume = 4 / 3 * np.pi * radius**3
    ball = body("xyz", mass=density * volume, com=(0, 0, 0))
    area = 0.47 * np.pi * radius**2
    fluid = [
        lo.AddedMass("body", WATER, lo.Ellipsoid((radius,) * 3)),
        lo.Buoyancy("body", WATER, volume),
        lo.Drag("body", WATER, area),
    ]
    problem = lo.Locomotion(ball, environment=fluid)
    a = problem.evaluate(0.0, ball.neutral(), np.zeros(3)).a
    np.testing.assert_allclose(a, [0, 0, -9.81 * (density - RHO) / (density + RHO / 2)], atol=1e-12)
    run = problem.simulate(10.0)
    end = np.sqrt(2 * (density - RHO) * volume * 9.81 / (RHO * area))
    time = end * (density + RHO / 2) / ((density - RHO) * 9.81)
    np.testing.assert_allclose(run.v[:, 2], -end * np.tanh(run.t / time), atol=1e-6)
    assert run.audit.ok and run.audit.balance < 1e-8


def test_all_forces_are_those_of_a_body_that_moves_through_water_at_rest():
    """In a uniform stream everything is as seen by an observer who moves with the water."""
    stream = np.array([0.4, -0.3, 0.2])
    still, moving = (
        lo.Locomotion(body(), environment=everything(f)) for f in (WATER, lo.Fluid(RHO, 1e-3, lo.water.Uniform(tuple(stream))))
    )
    rng = np.random.default_rng(0)
    for _ in range(10):
        q, v = still.model.random(rng), rng.normal(size=6)
        R = lo.forward_kinematics(still.model, q)[0, :3, :3]
        seen = v.copy()
        seen[:3] -= R.T @ stream
        a, b = still.evaluate(0.0, q, seen).a, moving.evaluate(0.0, q, v).a
        # rates of body-frame velocities: the stream, seen from a turning frame, turns too
        np.testing.assert_allclose(b[:3] - np.cross(R.T @ stream, v[3:]), a[:3], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(b[3:], a[3:], rtol=1e-9, atol=1e-9)


def test_a_neutral_ball_moves_with_a_flow_that_starts():
    """d'Alembert: (m + M) u' = (rho V + M) U'; a ball as heavy as water goes exactly with it, another by the known ratio."""
    radius = 0.05
    volume = 4 / 3 * np.pi * radius**3
    for density in (1000.0, 2500.0):
        ball = body("xyz", mass=density * volume, gravity=(0, 0, 0), com=(0, 0, 0))
        gust = lo.Fluid(RHO, 0.0, lo.water.Gust((1.0, 0.0, 0.0), 0.0, 2.0))
        run = lo.Locomotion(ball, environment=[lo.AddedMass("body", gust, lo.Ellipsoid((radius,) * 3))]).simulate(1.0)
        assert run.v[-1, 0] == pytest.approx(1.5 * RHO / (density + 0.5 * RHO), rel=1e-8)


def test_kirchhoff_momentum_of_a_body_in_still_water_is_kept():
    """Momentum of body and water, by the matrix itself and not by the recursions."""
    model = body(gravity=(0, 0, 0))
    problem = lo.Locomotion(model, environment=[lo.AddedMass("body", WATER, lo.Ellipsoid(AXES), (0.01, 0.02, 0))])
    run = problem.simulate(3.0, v=[0.3, -0.2, 0.4, 1.0, 2.0, -1.5], rtol=1e-11, atol=1e-12)
    M = lo.mass_matrix(problem.model, run.q[0])
    P = run.v @ M.T
    pose = lo.forward_kinematics(model, run.q)[:, 0]
    force = np.einsum("nij,nj->ni", pose[:, :3, :3], P[:, :3])
    moment = np.einsum("nij,nj->ni", pose[:, :3, :3], P[:, 3:]) + np.cross(pose[:, :3, 3], force)
    for kept in (force, moment):
        assert abs(kept - kept[0]).max() < 1e-9 * abs(kept).max()
    assert M[0, 0] > model.mass


def test_every_force_in_a_street_has_its_work_and_the_power_closes(tmp_path):
    problem = lo.Locomotion(body(), environment=everything(STREET))
    run = problem.simulate(1.0, v=[0.1, 0.2, -0.1, 0.5, -1.0, 0.3], rtol=1e-10, atol=1e-12)
    assert run.audit.ok, str(run.audit)
    assert run.audit.balance < 1e-8
    for term in ("added mass body", "drag body", "drag along body", "stokes drag body", "resistive body"):
        assert abs(run.work[term]).max() > 0
    assert set(run.energies) == {"buoyancy body"}
    short = lo.Locomotion(body(), environment=everything(STREET)[:3])
    copy = pickle.loads(pickle.dumps(short))
    np.testing.assert_array_equal(copy.evaluate(0.1, run.q[5], run.v[5]).a, short.evaluate(0.1, run.q[5], run.v[5]).a)
    kept = lo.Locomotion(body(), environment=[x for x in everything(STREET) if not isinstance(x, lo.water.SlenderDrag)])
    kept.simulate(0.1).save(tmp_path / "run.h5")
    again = lo.open_run(tmp_path / "run.h5")
    assert again.problem is not None and again.audit.ok, (again.problem_missing, str(again.audit))


def test_forces_run_on_symbols_and_vectors_as_compiled():
    problem = lo.Locomotion(body(), environment=everything(STREET))
    q, v = problem.initial(v=[0.1, 0.2, -0.1, 0.5, -1.0, 0.3])
    runs = lo.rollout(problem, batch=5, q=q, v=v, duration=0.2, step=1e-3)
    run = problem.simulate(0.2, q=q, v=v, method="rk4", step=1e-3)
    np.testing.assert_allclose(runs.q[:, -1], np.tile(run.q[-1], (5, 1)), atol=1e-10)


def test_wrong_numbers_get_a_sentence():
    model = body()
    for wrong, words in (
        (lo.AddedMass("tail", WATER, lo.Ellipsoid(AXES)), "tail"),
        (lo.AddedMass("body", WATER, lo.Ellipsoid((1.0, 0.0, 0.0))), "at most one of them zero"),
        (lo.Drag("body", WATER, -1.0), "not negative"),
        (lo.water.SlenderDrag("body", WATER, (0, 0, 0), (0, 0, 0), 0.1), "not zero"),
        (lo.water.Resistive("body", WATER, (0, 0, 0), (1, 0, 0)), "needs its radius"),
        (lo.water.Resistive("body", WATER, (0, 0, 0), (1, 0, 0), radius=1.0), "not slender"),
        (lo.Buoyancy("body", WATER, volume=np.inf), "volume is inf"),
    ):
        with pytest.raises((ValueError, TypeError, lo.UnknownName), match=words):
            lo.Locomotion(model, environment=[wrong])
    with pytest.raises(
        TypeError, match="shape of lo.AddedMass must be a lo.Ellipsoid or a lo.water.EllipticCylinder, not Sphere"
    ):
        lo.AddedMass("body", WATER, lo.Sphere())


def test_a_grid_acts_in_runs_and_is_refused_on_symbols():
    """A stream of samples is the uniform stream; vector code cannot look samples up, and says so."""
    samples = np.broadcast_to([0.4, -0.3, 0.2], (4, 3, 2, 3)).copy()
    grid = lo.Fluid(RHO, 1e-3, lo.water.Grid(samples, (-5, -5, -5), (4, 5, 10)) + lo.water.Uniform((0.0, 0.0, 0.1)))
    same = lo.Fluid(RHO, 1e-3, lo.water.Uniform((0.4, -0.3, 0.3)))
    one, two = (lo.Locomotion(body(), environment=[lo.Drag("body", f, 0.01)]).simulate(0.5) for f in (grid, same))
    np.testing.assert_allclose(one.q[-1], two.q[-1], atol=1e-9)
    assert one.audit.ok, str(one.audit)
    with pytest.raises(ValueError, match="its flow is a grid of samples"):
        lo.rollout(lo.Locomotion(body(), environment=[lo.Drag("body", grid, 0.01)]), batch=4, duration=0.1)


def test_numbers_that_are_not_finite_do_not_hang():
    """A flow that blows up ends the run with a sentence."""
    problem = lo.Locomotion(body(), environment=[lo.Drag("body", lo.Fluid(RHO, 1e-3, lo.water.Shear(1e300)), 1e10)])
    with pytest.raises((lo.RunFailed, lo.LocomoteError)):
        problem.simulate(1.0, q=[0, 0, 1.0, 0, 0, 0, 1])
