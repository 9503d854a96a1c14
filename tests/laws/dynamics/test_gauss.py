"""Gauss' principle, summed over bodies, against recursions and constrained evaluations of the library."""

import numpy as np
import pytest
from mechanisms import random_description

import locomote as lo

SEEDS = range(24)


def random_state(seed, **options):
    rng = np.random.default_rng(seed)
    model = lo.Model(random_description(seed, coupled=False, **options))
    return model, rng, model.random(rng), rng.normal(size=model.nv)


@pytest.mark.parametrize("seed", SEEDS)
def test_its_minimum_is_the_motion(seed):
    """Free accelerations by all the forces; gradient = inverse dynamics - tau; hessian = mass matrix."""
    model, rng, q, v = random_state(seed)
    tau, a = rng.normal(size=(2, model.nv))
    wrenches = {model.body_names[-1]: rng.normal(size=6)}
    D = lo.gauss(model, q, v, tau, wrenches=wrenches)
    force = lo.inverse_dynamics(model, q, v, a, wrenches=wrenches) - tau
    size = max(1.0, abs(force).max())
    assert np.allclose(D.gradient(a), force, atol=1e-10 * size)
    M = lo.mass_matrix(model, q)
    assert np.allclose(D.hessian, M, atol=1e-10 * max(1.0, abs(M).max()))
    if np.linalg.cond(M) < 1e6:
        true = lo.forward_dynamics(model, q, v, tau, wrenches=wrenches)
        least = D.minimum()
        assert np.allclose(least.a, true, atol=1e-10 * max(1.0, abs(true).max()) * np.linalg.cond(M) ** 0.5)
        assert all(D.value(true + 0.1 * rng.normal(size=model.nv)) > least.value for _ in range(3))


def test_value_at_mass_centres():
    """(22) with mass centres, written out: m |c'' - free|^2 and the moment about the centre, for two linked boxes."""
    box = lo.Inertia(2.0, (0.1, -0.05, 0.2), np.diag([0.02, 0.03, 0.04]))
    builder = lo.Builder("two", base="free").body("first", inertia=box)
    builder.body("second", parent="first", joint=lo.Joint("hinge", axis=(1, 2, 3)), at=(0.3, 0.1, 0), inertia=box)
    model = builder.build()
    rng = np.random.default_rng(2)
    q, v, a = model.random(rng), *rng.normal(size=(2, model.nv))
    tau = np.zeros(model.nv)
    tau[6] = 1.7
    poses, axis = lo.forward_kinematics(model, q), np.array([1.0, 2, 3]) / np.sqrt(14)
    moment = {"first": -(poses[1][:3, :3] @ axis) * 1.7, "second": (poses[1][:3, :3] @ axis) * 1.7}

    def departure(a, torque):
        """With the motor on both bodies (torque 1), or without it."""
        D = 0.0
        for name, pose in zip(model.body_names, poses, strict=True):
            R, place = pose[:3, :3], {"point": (0.1, -0.05, 0.2), "frame": "aligned"}
            now, w = lo.acceleration(model, q, v, a, name, **place), lo.velocity(model, q, v, name, **place)[3:]
            moments = R @ np.diag([0.02, 0.03, 0.04]) @ R.T
            turn = np.linalg.solve(moments, torque * moment[name] - np.cross(w, moments @ w))
            off, spin = now[:3] - [0, 0, -9.81], now[3:] - turn
            D += 0.5 * 2.0 * off @ off + 0.5 * spin @ moments @ spin
        return D

    assert np.isclose(lo.gauss(model, q, v).value(a), departure(a, 0.0), rtol=1e-12)
    D, other = lo.gauss(model, q, v, tau), rng.normal(size=model.nv)
    assert np.isclose(D.value(a) - D.value(other), departure(a, 1.0) - departure(other, 1.0), rtol=1e-11)


@pytest.mark.parametrize("name", ["snakeboard", "bicycle", "whipple_bicycle", "trikke", "four_bar", "mobile_pendulum"])
def test_its_constrained_minimum_is_that_of_the_problem(name):
    """Drives as rows, too: their multipliers are the torques."""
    problem = lo.systems.load(name).problem()
    t, model = 0.3, problem.model
    q, v = problem.initial(t=t)
    now = problem.evaluate(t, q, v)
    rows, drift, _, _ = problem.rows(t, q, v)
    held = np.eye(model.nv)[problem.imposed]
    force = lo.passive_force(model, q, v) + np.where(problem.imposed, 0.0, now.tau)
    least = lo.gauss(model, q, v, force).minimum(np.vstack([rows, held]), np.concatenate([drift, -now.a[problem.imposed]]))
    assert np.allclose(least.a, now.a, atol=1e-9 * max(1.0, abs(now.a).max()))
    if not problem.classify(t, q).self_stress:
        assert np.allclose(least.reactions[: len(rows)], now.reactions, atol=1e-8 * max(1.0, abs(now.reactions).max()))
        assert np.allclose(least.reactions[len(rows) :], now.tau[problem.imposed], atol=1e-8 * max(1.0, abs(now.tau).max()))


def test_wrong_calls_get_a_sentence():
    model = lo.systems.load("snakeboard").model
    q, v = model.neutral(), np.zeros(model.nv)
    D = lo.gauss(model, q, v)
    with pytest.raises(ValueError, match=r"a has shape \(3,\)"):
        D.value(np.zeros(3))
    with pytest.raises(ValueError, match=r"expected \(m, 6\)"):
        D.minimum(np.eye(3))
    with pytest.raises(ValueError, match="flexible bodies or couplings"):
        soft = lo.systems.load("soft_snakeboard").model
        lo.gauss(soft, soft.neutral(), np.zeros(soft.nv))
