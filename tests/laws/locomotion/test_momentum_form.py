"""The momentum form against the other one: at random states of many systems, and integrated side by side."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locomote as lo
from locomote.dynamics.differences import derivative

SYSTEMS = [
    "snakeboard", "trikke", "roller_racer", "mobile_pendulum", "chaplygin_sleigh", "falling_cat", "space_robot", "bicycle",
    "whipple_bicycle", "ball_on_turntable", "soft_snakeboard", "ice_skater", "four_bar", "rolling_disc",
]  # fmt: skip


def at_random(problem, rng):
    """A state that meets drives and constraints, near the start."""
    t = float(rng.uniform(0.2, 0.6))
    q, v = problem.initial(t=t)
    kick = np.where(problem.imposed, 0.0, rng.normal(scale=0.02, size=problem.model.nv))
    return t, *problem.initial(problem.model.integrate(q, kick), v + 5 * kick, t)


@pytest.mark.parametrize("name", SYSTEMS)
def test_rate_of_momentum_is_that_of_the_motion(name):
    """p_r along the motion that accelerations of the evaluation give, differentiated; velocities come back from momenta."""
    problem, rng = lo.systems.load(name).problem(), np.random.default_rng(5)
    t, q, v = at_random(problem, rng)
    form = problem.momentum_form(t=t, q=q)
    assert len(form.names) == problem.classify(t, q).free
    p, a = form.momentum(t, q, v), problem.evaluate(t, q, v).a
    size = max(1.0, abs(p).max(initial=0.0))
    assert np.allclose(form.velocity(t, q, p), v, atol=1e-10 * max(1.0, abs(v).max()))
    moving = derivative(lambda s: form.momentum(t + s, problem.model.integrate(q, s * v), v + s * a), 2e-3)
    assert np.allclose(form.rate(t, q, p), moving, atol=1e-10 * max(size, abs(moving).max(initial=0.0)))
    found, held = form.matrices(t, q), problem.imposed
    x = found.H @ np.linalg.solve(found.inertia, p) - found.connection @ v[held] + found.drift
    assert np.allclose(x, v[~held], atol=1e-10 * max(1.0, abs(v).max()))


def test_momentum_is_that_of_the_reduction():
    """By a basis of the reduction that was scaled to the same velocity."""
    system = lo.systems.load("snakeboard")
    problem, rng = system.problem(), np.random.default_rng(1)
    t, q, v = at_random(problem, rng)
    reduced = problem.reduction(t, q, v)
    H = reduced.H / reduced.H[0]
    found = problem.momentum_form(["base.vx"]).momentum(t, q, v)
    assert np.allclose(found, H.T @ (reduced.M @ v[~problem.imposed] + reduced.Ma.T @ v[problem.imposed]), atol=1e-13)


@pytest.mark.parametrize("name, duration", [("snakeboard", 4.0), ("trikke", 2.0), ("roller_racer", 1.0)])
def test_both_forms_go_side_by_side(name, duration):
    """(g, p_r) by another integrator, with the twist of the plane written out here."""
    system = lo.systems.load(name)
    problem = system.problem()
    q, v = problem.initial(*system.initial)
    form = problem.momentum_form(["base.vx"])

    def rate(t, y):
        state = np.concatenate([y[:3], q[3:]])
        V = form.velocity(t, state, y[3:])
        c, s = np.cos(y[2]), np.sin(y[2])
        return [c * V[0] - s * V[1], s * V[0] + c * V[1], V[2], *form.rate(t, state, y[3:])]

    start = [*q[:3], *form.momentum(0.0, q, v)]
    other = solve_ivp(rate, (0.0, duration), start, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    run = problem.simulate(duration, q=q, v=v, rtol=1e-12, atol=1e-13, progress=False)
    assert np.allclose(run.q[-1, :3], other[:3], atol=1e-10)
    assert np.allclose(form.momentum(duration, run.q[-1], run.v[-1]), other[3:], atol=1e-10 * max(1.0, abs(other[3:]).max()))
    assert abs(run.q[-1, 0]) > 0.02 and abs(other[3]) > 1e-3  # they move, and have gained momentum


def test_without_constraints_it_is_the_momentum_of_the_base():
    system = lo.systems.load("space_robot")
    problem = system.problem()
    q, v = problem.initial(*system.initial, t=0.4)
    form = problem.momentum_form()
    assert np.allclose(form.momentum(0.4, q, v), (lo.mass_matrix(problem.model, q) @ v)[~problem.imposed])


def test_a_row_that_changes_with_time_alone():
    """A bead whose guide turns: the rate of its direction is in H'."""
    model = lo.Builder("bead", base="xyz", gravity=(0, 0, 0)).body("bead", inertia=lo.Inertia(2.0)).build()
    guide = lo.Custom(rows=lambda t, q, v: [[-np.sin(t), np.cos(t), 0.0], [0.0, 0.0, 1.0]], count=2, name="guide")
    problem = lo.Locomotion(model, constraints=[guide])
    form = problem.momentum_form(["base.x rate"])
    t, speed = 0.3, 1.7
    v = speed * np.array([np.cos(t), np.sin(t), 0.0])
    p = form.momentum(t, np.zeros(3), v)
    assert np.isclose(p[0], 2.0 * speed / np.cos(t))
    assert np.isclose(form.rate(t, np.zeros(3), p)[0], 2.0 * speed * np.sin(t) / np.cos(t) ** 2)  # its speed along stays


def test_wrong_calls_get_a_sentence():
    problem = lo.systems.load("snakeboard").problem()
    for velocities, words in (
        (["base.vz"], "did you mean"),
        ("base.vx", "must be a list"),
        ([], "has 1 reduced velocities here, not 0"),
        (["base.wz"], "do not follow from them"),  # straight axles: it cannot turn
    ):
        with pytest.raises((ValueError, TypeError), match=words):
            problem.momentum_form(velocities)
    with pytest.raises(ValueError, match="has no inertia"):
        lo.systems.load("purcell_swimmer").problem().momentum_form()
