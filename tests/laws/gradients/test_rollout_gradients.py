"""Gradients of rollouts: against differences of the same steps, backwards against forwards, and against closed forms."""

import numpy as np
import pytest
import random_gradients
from random_problems import random_problem

import locomote as lo
from locomote.compiled.beginning import Controls
from locomote.gradients import forwards
from locomote.gradients.fixed import Case

# every kind of smooth problem: a free base, rows, loops, water, no inertia, a rod, soft ground
SYSTEMS = {
    "quadruped": {}, "snakeboard": {}, "andrews_squeezer": {}, "perfect_fluid_swimmer": {}, "purcell_swimmer": {},
    "dual_arm_satellite": {}, "roller_racer": {}, "heavy_top": {},
}  # fmt: skip


def random_case(name, rng, steps=12):
    problem = lo.systems.load(name, **SYSTEMS[name]).problem()
    q, v = problem.initial()
    if problem.inertia and not len(problem.plan.holonomic):
        v = v + 0.3 * rng.normal(size=len(v))
    columns = len(Controls.of(problem, None, True).given)
    return problem, {"q": q, "v": v, "controls": 0.3 * rng.normal(size=(steps, columns)), "step": 1e-3}


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("method", ["rk4", "euler"])
def test_systems(name, method):
    rng = np.random.default_rng(5)
    problem, given = random_case(name, rng)
    goal = lo.at_end(random_gradients.linear(problem, rng)) ** 2 + lo.integral(random_gradients.linear(problem, rng))
    by = ["q", "v", "controls"]
    _, back = lo.gradient(problem, goal, by, check=True, method=method, **given)
    _, ahead = lo.gradient(problem, goal, by, way="forward", method=method, **given)
    assert back.check is not None and back.check < 1e-7
    for column in by:
        assert back[column] == pytest.approx(ahead[column], rel=1e-10, abs=1e-10 * abs(back[column]).max(initial=0.0) + 1e-13)


@pytest.mark.parametrize("seed", [0, 3, 4, 5, 6, 7, 8, 11, 242])
def test_random_problems(seed):
    problem, how = random_problem(seed)
    difference, gap = random_gradients.errors(random_gradients.smooth(problem), how, np.random.default_rng(seed))
    assert difference < random_gradients.AGREES and gap < random_gradients.SAME


def test_a_start_that_constraints_hold(capsys):
    """The distance and the wheel leave body and speeds no choice: the check moves q along the circle, and says so of v."""
    problem, how = random_problem(242)
    problem = random_gradients.smooth(problem)
    (q, v), _ = problem.started(how["q"], how["v"], 0.0, start="project")
    given = {"q": q, "v": v, "start": "project", "step": 2e-3, "duration": 0.03, "check": True}
    _, slopes = lo.gradient(problem, lo.at_end(random_gradients.linear(problem, np.random.default_rng(1))), "q", **given)
    assert slopes.check < 1e-7
    capsys.readouterr()
    _, slopes = lo.gradient(problem, lo.at_end(lambda t, q, v: v[0]), "v", **given)
    assert "constraints allow no other v" in capsys.readouterr().out and abs(slopes["v"]).max() < 1e-12


def test_fewer_directions_in_a_program(monkeypatch):
    """Where four or two at a time are too long for one program, others are taken, with the same slopes."""
    problem, rng = lo.systems.load("snakeboard").problem(), np.random.default_rng(3)
    goal, u = lo.at_end(random_gradients.linear(problem, rng)), rng.normal(size=(9, 10, 3))
    monkeypatch.setattr(forwards, "QUICK", 7000)
    _, back = lo.gradient(problem, goal, ["v", "controls"], controls=u, step=1.03e-3)
    _, ahead = lo.gradient(problem, goal, ["v", "controls"], controls=u, step=1.03e-3, way="forward")
    case = Case.of(problem, goal, u, None, None, None, None, 1.03e-3, "rk4", "check", 1, 1e9, (None, None), ())
    assert forwards.program_along(case.rolled, 30, True, False)[0] == 2
    for name in back:
        assert ahead[name] == pytest.approx(back[name], rel=1e-10, abs=1e-11 * abs(back[name]).max())


def cart():
    return lo.Locomotion(
        lo.Builder("cart").body("cart", joint=lo.Joint("slide", "prismatic", axis="x"), inertia=lo.Inertia(2.0)).build()
    )


def test_a_cart_by_hand():
    """x_T = x + T v + sum of h^2 (N - n - 1/2) u_n / m for a force that is constant within steps."""
    n, h = 50, 0.01
    value, slopes = lo.gradient(
        cart(), lo.at_end("slide.shift"), ["q", "v", "controls", "duration"], controls=np.full((n, 1), 3.0), step=h
    )
    assert value == pytest.approx(0.5 * 1.5 * (n * h) ** 2)
    assert slopes["q"] == pytest.approx([1.0]) and slopes["v"] == pytest.approx([n * h])
    assert slopes["controls"][:, 0] == pytest.approx(h * h * (n - np.arange(n) - 0.5) / 2.0)
    assert slopes["duration"] == pytest.approx(1.5 * n * h)
    assert slopes.units["controls"] == ("m per N",) and slopes.units["duration"] == "m per s"


def test_integrals_are_those_of_the_steps():
    """The integral of v^2 of a cart that is pushed is exact for Runge-Kutta, and its slopes follow."""
    n, h, f = 20, 0.05, 3.0
    value, slopes = lo.gradient(
        cart(), lo.integral(lambda t, q, v: v[0] * v[0]), ["v", "duration"], controls=np.full((n, 1), f), step=h
    )
    T, a = n * h, f / 2.0
    assert value == pytest.approx(a * a * T**3 / 3.0)
    assert slopes["v"] == pytest.approx([a * T * T]) and slopes["duration"] == pytest.approx((a * T) ** 2)


def test_work_of_drives_is_that_of_a_run():
    problem = lo.systems.load("snakeboard").problem()
    value, _ = lo.gradient(problem, lo.integral("power.drives"), "v", duration=2.0, step=2e-3)
    run = problem.simulate(2.0, rtol=1e-10, atol=1e-12, progress=False)
    assert value == pytest.approx(run.work["drives"][-1], rel=1e-7)


def test_batches_and_checkpoints_change_nothing():
    rng = np.random.default_rng(0)
    problem = lo.systems.load("quadruped").problem()
    goal = lo.at_end("net.x") * lo.at_time("net.z", 0.02) + lo.integral("energy.kinetic")
    u, by = rng.normal(size=(11, 50, 12)), ["q", "v", "controls"]
    values, all_slopes = lo.gradient(problem, goal, by, controls=u)
    _, again = lo.gradient(problem, goal, by, controls=u, memory=1e4, threads=2)
    assert again.checkpoints and not all_slopes.checkpoints and again.memory < all_slopes.memory / 3
    one, slopes = lo.gradient(problem, goal, by, controls=u[7])
    assert one == pytest.approx(values[7], rel=1e-13)
    for name in by:
        assert np.array_equal(all_slopes[name], again[name])
        assert slopes[name] == pytest.approx(all_slopes[name][7], rel=1e-10, abs=1e-14)


def test_values_are_those_of_rollouts():
    problem, rng = lo.systems.load("snakeboard").problem(), np.random.default_rng(1)
    u = rng.normal(size=(3, 40, 3))
    runs = lo.rollout(problem, u)
    values, _ = lo.gradient(problem, lo.at_end("base.x"), "controls", controls=u)
    assert values == pytest.approx(runs.q[:, -1, 0], abs=1e-15)


@pytest.mark.parametrize("name", ["snakeboard", "quadruped", "purcell_swimmer"])
def test_steps_that_a_run_chose(name):
    """The value is that of `simulate`; slopes are those of the same steps, and near those of short fixed ones."""
    problem = lo.systems.load(name).problem()
    goal = lo.at_end("net.x") + lo.at_time("net.y", 0.3) ** 2
    by = ["q", "v", "duration"] if problem.inertia else ["q", "v"]
    value, slopes = lo.gradient(problem, goal, by, duration=0.5, method="adaptive", rtol=1e-9, atol=1e-11, check=True)
    run = problem.simulate(0.5, method="adaptive", rtol=1e-9, atol=1e-11, samples=[0.3, 0.5], progress=False)
    assert value == pytest.approx(run.net_motion.x[-1] + run.net_motion.y[0] ** 2, abs=1e-9)
    assert slopes.check is not None and slopes.check < 1e-9
    _, fixed = lo.gradient(problem, goal, by, duration=0.5, step=2e-3)
    for column in by:
        assert slopes[column] == pytest.approx(fixed[column], abs=1e-6 * abs(fixed[column]).max() + 1e-9)


def test_functions_of_channels():
    """Effort, the integral of a squared torque, by steps and along the run; and what is made of it by hand."""
    problem = lo.systems.load("snakeboard").problem()
    goal = lo.integral(lambda torque, rate: torque**2 + 0.1 * rate**2, of=["rotor.torque", "base.wz"])
    given = {"by": ["v", "rotor.amplitude", "board.mass"], "duration": 0.3, "check": True}
    value, slopes = lo.gradient(problem, goal, step=1e-3, **given)
    other, along = lo.gradient(problem, goal, method="gauss", **given)
    assert slopes.check < 1e-8 and along.check < 1e-8 and value == pytest.approx(other, rel=1e-7)
    for name in slopes:
        assert slopes[name] == pytest.approx(along[name], rel=1e-5, abs=1e-7)
    run = problem.simulate(0.3, samples=np.linspace(0.0, 0.3, 601), rtol=1e-10, atol=1e-12, progress=False)
    assert value == pytest.approx(np.trapezoid(run.tau[:, 5] ** 2 + 0.1 * run.v[:, 2] ** 2, run.t), rel=1e-4)
    with pytest.raises(TypeError, match="takes a function of these channels"):
        lo.integral("rotor.torque", of=["base.wz"])
    with pytest.raises(lo.UnknownName, match=r"rotor\.torqe"):
        lo.gradient(problem, lo.integral(lambda x: x, of="rotor.torqe"), "v", duration=0.1)


def test_options_that_mean_nothing_are_refused():
    goal, given = lo.at_end("slide.shift"), {"duration": 0.1, "step": 0.01}
    with pytest.raises(ValueError, match="contacts='smooth' is for problems with contacts"):
        lo.gradient(cart(), goal, "v", contacts="smooth", **given)
    with pytest.raises(ValueError, match="which choose steps by them, not for 'rk4'"):
        lo.gradient(cart(), goal, "v", rtol=1e-6, **given)
    for memory in (-1.0, float("nan")):
        with pytest.raises(ValueError, match="memory must be a number of bytes above 0"):
            lo.gradient(cart(), goal, "v", memory=memory, **given)
