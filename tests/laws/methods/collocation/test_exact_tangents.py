"""Stages of collocation by exact tangents: the tangents themselves, how fast iterations shrink by them, and what they save."""

import numpy as np
import pytest
from constraint_reference import derivative
from numba import config
from rod_problems import blades
from scipy.spatial.transform import Rotation
from test_collocation import driven_loop

import locomote as lo
from locomote.methods import dual_plans
from locomote.methods.collocation import tangent_choice
from locomote.methods.collocation.rules import EXACT, LENGTH, MASS_COST, NODES, WANTED
from locomote.methods.collocation.tangents import exact_stages
from locomote.methods.integrators import collocation

pytestmark = pytest.mark.skipif(config.DISABLE_JIT, reason="dual numbers are compiled")
WATER = lo.Fluid(1000.0, 1e-3)


def thrown(resistance, gravity=9.81):
    """A free rod in something thick: forces of 1000 times its mass a second that neither M nor K knows of."""
    rod = lo.Rod(1.0, lo.Section.circle(0.01), lo.Material(1000.0, 1e7), strains="bending", order=2)
    model = lo.Builder("thrown", base="free", gravity=(0, 0, -gravity)).body("rod", flex=rod).build()
    thick = lo.water.Resistive("rod", WATER, 0.0, 1.0, along=resistance, across=2 * resistance)
    return lo.Locomotion(model, environment=[thick]), np.r_[0.3, 0.2, 0.1, 1.0, 2.0, 3.0, np.zeros(model.nv - 6)]


def skating(resistance):
    """A soft rod on skates in the same."""
    model, constraints = (problem := blades()).model, problem.constraints
    thick = lo.water.Resistive("spine", WATER, 0.0, 0.6, along=resistance, across=2 * resistance)
    q, v = model.neutral(), np.zeros(model.nv)
    q[-1], v[0] = 0.4, 0.3
    return lo.Locomotion(model, environment=[thick], constraints=constraints), q, v


@pytest.fixture
def given(monkeypatch):
    """Runs by collocation that have exact tangents from the start, and use nothing else; what they were given, in a list."""
    found, fill = [], collocation.wanted

    def at_once(plan, work, state, terms, stuck=False):
        state.pace[WANTED], state.pace[EXACT], state.pace[MASS_COST] = 1e9, 1e9, 1e9
        tangents = fill(plan, work, state, terms, stuck)
        found.append((plan, work, state, *tangents))
        return tangents

    monkeypatch.setattr(collocation, "wanted", at_once)
    return found


def without(monkeypatch):
    """Runs by M + K alone."""
    monkeypatch.setattr(collocation, "wants_tangents", lambda *_: False)


def configuration(model, start, u):
    """q at chart coordinates u about `start`."""
    if model.nq == model.nv:
        return start + u
    turned = Rotation.from_quat(start[3:7]) * Rotation.from_rotvec(u[3:6])
    return np.concatenate([start[:3] + u[:3], turned.as_quat(), start[7:] + u[6:]])


def chart_rate(model, start, u, v):
    """Rates of u of a free base, and of plain coordinates."""
    if model.nq == model.nv:
        return v
    turn = Rotation.from_rotvec(u[3:6])
    spin = derivative(lambda s: (turn * Rotation.from_rotvec(s * v[3:6])).as_rotvec(), 1e-2)
    return np.concatenate([(Rotation.from_quat(start[3:7]) * turn).apply(v[:3]), spin, v[6:]])


@pytest.mark.parametrize("make", ["thrown", "loop"])
def test_tangents_against_differences(make, given):
    """At states within a step, away from its start: of accelerations as `evaluate` gives them, and of the chart."""
    problem, v = thrown(10.0) if make == "thrown" else (driven_loop(), None)
    problem.simulate(1e-3, v=v, samples=[0.0, 1e-3], method="gauss", progress=False)
    plan, work, state, differential, room = given[-1]
    model, nv, h, t = problem.model, problem.model.nv, 0.02, 0.3
    start, v = problem.initial(t=t)
    v = v + (0.5 * np.random.default_rng(1).normal(size=nv) if make == "thrown" else 0.0)
    a = problem.evaluate(t, start, v).a
    state.q[:], state.v[:], state.k[0, nv : 2 * nv], state.pace[LENGTH] = start, v, a, 0.0
    state.k[0, :nv], held = chart_rate(model, start, np.zeros(nv), v), plan.held
    exact_stages(plan, work, *differential, room, state, t, h, 1e300, int(state.counts[3]))
    turning, free = room.turning, plan.free
    assert len(turning) == (6 if make == "thrown" else 0)
    for i, c in enumerate(state.rule[NODES, : len(state.stages)].tolist()):
        u, at = c * h * v + 0.5 * (c * h) ** 2 * a, v + c * h * a  # of constant accelerations
        u[turning] = c * h * state.k[0, turning]
        u[held] = 0.0
        now = t + c * h

        def rates(u, at, now=now):
            q, speed = configuration(model, start, u), at.copy()
            if len(held):  # what is imposed is so whatever u and v say
                drive = lo.Sine(0.3, 12.0)(now)
                q[held], speed[held] = drive[0], drive[1]
            return np.concatenate([chart_rate(model, start, u, speed), problem.evaluate(now, q, speed).a])

        slopes = room.slopes[2 * nv * i : 2 * nv * (i + 1)]
        by_u, by_v = (np.zeros((2 * nv, nv)) for _ in range(2))
        for k in free:
            along = np.eye(nv)[k]
            by_u[:, k] = derivative(lambda s, d=along, u=u, at=at: rates(u + s * d, at), 1e-3)
            by_v[:, k] = derivative(lambda s, d=along, u=u, at=at: rates(u, at + s * d), 1e-3)
        rows = np.concatenate([turning, nv + free])
        assert np.allclose(slopes[rows, :nv], by_u[rows], rtol=0, atol=1e-6 * abs(by_u).max())
        assert np.allclose(slopes[rows, nv:], by_v[rows], rtol=0, atol=1e-6 * abs(by_v).max())


def test_iterations_shrink_by_squares(given):
    """A rod at rest stays there. From accelerations ten times as far from that, the first iteration ends a hundred times as
    far: a matrix that is not exact gives ten."""
    problem, v = thrown(10.0, gravity=0.0)
    problem.simulate(1e-3, v=v, samples=[0.0, 1e-3], method="gauss", progress=False)
    plan, work, state, differential, room = given[-1]
    nv, rng, left = problem.model.nv, np.random.default_rng(2), []
    far = rng.normal(size=2 * nv)
    state.q[:], state.v[:] = problem.model.neutral(), 0.0
    for size in (0.1, 1.0, 10.0):
        state.pace[LENGTH], state.k[0, : 2 * nv] = 0.0, size * far
        assert exact_stages(plan, work, *differential, room, state, 0.0, 0.02, 1e-12, 0) == 0
        assert room.went[0] < 0.0 and room.went[1] > 0.0  # the second with the same matrix
        left.append(room.went[1] / room.went[0] ** 2)
    assert max(left) < 1.5 * min(left), left
    assert abs(state.k[1 : 1 + len(state.stages), : 2 * nv]).max() < 1e-9


def test_thick_water(monkeypatch):
    """M + K cannot step over what water takes in a thousandth of a second; exact tangents can, to the same motion."""
    problem, v = thrown(3000.0)
    every = {"v": v, "every": 0.05, "method": "gauss", "progress": False}
    run = problem.simulate(1.0, **every)
    assert run.audit.ok, str(run.audit)
    fine = problem.simulate(1.0, **every, rtol=1e-8, atol=1e-13)
    assert abs(run.q - fine.q).max() < 2e-6
    without(monkeypatch)
    other = problem.simulate(1.0, **every)
    assert other.info["evaluations"] > 8 * run.info["evaluations"] and other.info["steps"] > 10 * run.info["steps"]
    other = problem.simulate(0.05, v=v, every=0.01, method="adaptive", rtol=1e-9, atol=1e-12, progress=False)
    assert np.allclose(other.q[-1], fine.q[1], rtol=0, atol=1e-8)


def test_with_constraints(monkeypatch):
    problem, q, v = skating(1e4)
    start = {"q": q, "v": v, "every": 0.05, "method": "gauss", "progress": False}
    run = problem.simulate(1.0, **start)
    assert run.audit.ok and run.residual.max() < 1e-9, str(run.audit)
    fine = problem.simulate(1.0, **start, rtol=1e-8, atol=1e-13)
    assert abs(run.q - fine.q).max() < 1e-5
    without(monkeypatch)
    other = problem.simulate(1.0, **start)
    assert other.info["evaluations"] > 3 * run.info["evaluations"] and other.info["steps"] > 3 * run.info["steps"]


def test_going_on_with_tangents(tmp_path):
    """A run that had tangents when it was kept has them when it goes on."""
    problem, v = thrown(3000.0)
    steps = {"v": v, "method": "gauss", "rtol": 1e-6, "progress": False}
    whole = problem.simulate(1.0, samples=np.linspace(0.0, 1.0, 5), **steps)
    problem.simulate(0.5, samples=np.linspace(0.0, 0.5, 3), checkpoint=tmp_path / "run.h5", **steps)
    longer = lo.open_run(tmp_path / "run.h5").extend(0.5, every=0.25, progress=False)
    assert longer.info["evaluations"] < 1.5 * whole.info["evaluations"]
    assert np.allclose(longer.q, whole.q, rtol=0, atol=1e-8)


def test_functions_of_python_do_without(monkeypatch):
    """Their slopes would be differences of many more calls: steps are shorter instead, and nothing asks again and again."""
    asked = []
    fill = dual_plans.fill_tangents
    monkeypatch.setattr(dual_plans, "fill_tangents", lambda *given: asked.append(fill(*given)))
    monkeypatch.setattr(
        collocation, "wants_tangents", lambda plan, state, stuck=False: tangent_choice.wants_tangents(plan, state, True)
    )
    rod = lo.Rod(0.5, lo.Section.circle(0.01), lo.Material(1000.0, 1e7), strains="bending_z", order=1)
    model = lo.Builder("x").body("rod", flex=rod).build()
    problem = lo.Locomotion(model, torques=lambda t, q, v: -3.0 * v)
    run = problem.simulate(0.05, v=[1.0, 0.0], every=0.01, method="gauss", progress=False)
    assert run.audit.ok and asked and not any(asked)
