"""Loads of contacts that stay closed while their bodies turn: they converge with the step, in runs and on lanes.

python tests/laws/contact/test_contact_loads.py      the table of docs/contacts.md
"""

from dataclasses import replace

import numpy as np
import pytest
from numba import config
from scipy.integrate import solve_ivp

import locomote as lo
from locomote.methods.state import FORCE, TOUCH
from locomote.methods.timestep.runs import SteppedRuns

G, L, M = 9.81, 0.5, 1.0
STEPS = (2e-3, 1e-3, 5e-4, 2.5e-4)


def pendulum(inertia, arm, angle):
    """Angle over time of a body that tips about a hinge, from rest, and its angular velocity and acceleration."""
    pull = M * G * arm / (inertia + M * arm**2)
    found = solve_ivp(lambda t, x: [x[1], pull * np.sin(x[0])], (0, 1), [angle, 0.0], rtol=1e-12, atol=1e-12, dense_output=True)

    def at(t):
        tilt, rate = found.sol(t)
        return tilt, rate, pull * np.sin(tilt)

    return at


def tipping_rod():
    """A rod falls over its foot: x = l sin, z = l cos of its tilt."""
    inertia, angle = M * L**2 / 3, 0.3
    model = lo.Builder("rod", base="free").body("rod", inertia=lo.Inertia(M, moment=(inertia, inertia, 1e-4))).build()
    problem = lo.Locomotion(model, contacts=[lo.Touch("rod", lo.Ground(friction=5.0), points=[(0, 0, -L)])])
    at = pendulum(inertia, L, angle)

    def load(t):
        tilt, rate, rise = at(t)
        return M * (G - L * (rise * np.sin(tilt) + rate**2 * np.cos(tilt)))

    return problem, [L * np.sin(angle), 0, L * np.cos(angle), 0, np.sin(angle / 2), 0, np.cos(angle / 2)], load


def ladder():
    """A rod slides down between a wall and a floor without friction."""
    inertia, angle = M * L**2 / 3, 0.3
    model = lo.Builder("rod", base="free").body("rod", inertia=lo.Inertia(M, moment=(inertia, inertia, 1e-4))).build()
    floor, wall = lo.Ground(friction=0.0), lo.Ground(lo.Plane((0, 0, 0), (1, 0, 0)), friction=0.0)
    contacts = [
        lo.Touch("rod", floor, points=[(0, 0, -L)], name="floor"),
        lo.Touch("rod", wall, points=[(0, 0, L)], name="wall"),
    ]
    at = pendulum(inertia, L, angle)

    def load(t):
        tilt, rate, rise = at(t)
        return M * (G - L * (rise * np.sin(tilt) + rate**2 * np.cos(tilt)))

    return lo.Locomotion(model, contacts=contacts), [
        L * np.sin(angle), 0, L * np.cos(angle), 0, -np.sin(angle / 2), 0, np.cos(angle / 2)
    ], load  # fmt: skip


def rocking_box():
    """A tilted box falls back about an edge, which two corners of it carry."""
    half, tilt = np.array([0.1, 0.1, 0.3]), 0.1
    inertia, arm = M / 3 * (half[0] ** 2 + half[2] ** 2), np.hypot(half[0], half[2])
    model = lo.Builder("box", base="free").body("box", inertia=lo.Inertia.box(M, tuple(2 * half))).build()
    problem = lo.Locomotion(model, contacts=[lo.Touch("box", lo.Ground(friction=3.0), box=tuple(half))])
    lean = np.arctan2(half[0], half[2])  # of the line from the edge to the center
    at = pendulum(inertia, arm, tilt - lean)

    def load(t):
        angle, rate, rise = at(t)
        return M * (G - arm * (rise * np.sin(angle) + rate**2 * np.cos(angle)))

    center = arm * np.array([np.sin(tilt - lean), np.cos(tilt - lean)])
    return problem, [center[0], 0, center[1], 0, np.sin(tilt / 2), 0, np.cos(tilt / 2)], load


def monopod():
    """A trunk on a springy leg swings over its foot: the same foot as a hinge has the load."""
    builder = lo.Builder("monopod", base="free")
    builder.body("trunk", inertia=lo.Inertia.box(5.0, (0.3, 0.2, 0.1)))
    builder.body("leg", parent="trunk", joint=lo.Joint("hip", axis="y", stiffness=40.0, damping=0.5), inertia=lo.Inertia(0.5))
    slide = lo.Joint("knee", "prismatic", axis="z", stiffness=4000.0, damping=20.0)
    builder.body("foot", parent="leg", at=(0, 0, -0.5), joint=slide, inertia=lo.Inertia.sphere(0.2, 0.03))
    model = builder.build()
    q = model.neutral()
    tilt = 0.1
    q[:7] = 0.5 * np.sin(tilt), 0, 0.5 * np.cos(tilt), 0, np.sin(tilt / 2), 0, np.cos(tilt / 2)
    held = lo.Locomotion(model, constraints=[lo.PointContact("foot")])
    exact = held.simulate(0.2, q=q, rtol=1e-11, atol=1e-12, every=1e-4, progress=False)
    column = int(np.argmax(abs(exact.reactions).max(axis=0)))
    assert np.allclose(exact.reactions[0].sum(), exact.reactions[0, column], atol=100.0)

    def load(t):
        return np.interp(t, exact.t, exact.reactions[:, column])

    return lo.Locomotion(model, contacts=[lo.Touch("foot", lo.Ground(friction=2.0), points=[(0, 0, 0)])]), q, load


CASES = {"tipping rod": tipping_rod, "ladder": ladder, "rocking box": rocking_box, "monopod": monopod}
ORDER, SMALL = 0.8, 3e-5  # of errors over steps; part of the load that is left at the shortest


def upward(problem, forces):
    """Load on the floor: forces of all contacts, but for a wall."""
    own = [k for k, name in enumerate(problem.contact_names) if "wall" not in name]
    return forces[..., own, 2].sum(axis=-1)


def errors(problem, q, load, steps=STEPS, T=0.12):
    """Root mean square of what loads of steps are off from the load in their middle, for every step length."""
    found = []
    for h in steps:
        run = problem.simulate(T, q=q, step=h, every=h, progress=False)
        assert run.tracked["contact_law"][0] == 0
        off = upward(problem, run.contact_forces)[3:] - load(run.t[3:] - 0.5 * h)
        found.append(np.sqrt(np.mean(off**2)))
    return np.array(found)


@pytest.mark.parametrize("name", CASES)
def test_loads_converge_with_the_step(name):
    problem, q, load = CASES[name]()
    found = errors(problem, q, load)
    assert np.polyfit(np.log(STEPS), np.log(found), 1)[0] > ORDER, found
    assert found[-1] < SMALL * load(0.06), found


@pytest.mark.parametrize("name", CASES)
@pytest.mark.skipif(config.DISABLE_JIT, reason="lanes are there in compiled code only")
def test_loads_on_lanes_are_those_of_runs(name):
    problem, q, _ = CASES[name]()
    h, count = 5e-4, 5
    q, v = np.tile(q, (count, 1)), np.zeros((count, problem.model.nv))
    steps = 100
    lanes, alone = (SteppedRuns(problem, q, v, np.zeros((count, steps, 0)), np.zeros(0, np.int64), h) for _ in range(2))
    assert lanes.together
    alone.together = False
    workers = lanes.worker(), alone.worker()
    loads = np.zeros((steps, 2))
    for i in range(steps):
        for k, (runs, worker) in enumerate(zip((lanes, alone), workers, strict=True)):
            runs.go(worker, 0, count, i, i + 1)
            loads[i, k] = upward(problem, runs.touch.reshape(count, -1, TOUCH)[:, :, FORCE : FORCE + 3])[0]
    assert np.allclose(*loads[3:].T, rtol=1e-5)
    assert abs(np.diff(loads[5:, 0], n=2)).max() < 2e-3 * loads[:, 0].max()  # nothing swings from step to step


def test_the_audit_compares_loads_of_neighbouring_steps():
    problem, q, _ = tipping_rod()
    run = problem.simulate(0.2, q=q, step=1e-3, every=0.05, progress=False)
    check = next(check for check in run.audit.checks if check.name == "loads of neighbouring steps")
    assert check.passed and check.value < 1e-4
    swung = replace(run, tracked=dict(run.tracked) | {"contact_loads": run.tracked["contact_loads"] + [300.0, 0.0]})
    assert "loads of neighbouring steps" in [check.name for check in swung.audit.failed]


def test_sliding_whose_direction_turns_is_of_first_order():
    """A block that slides across a slope turns downhill; friction is along the velocity at the end of a step."""
    slope, mu = lo.Plane.slope(0.3), 0.2
    n, g = np.array(slope.normal), np.array([0, 0, -G])
    model = lo.Builder("block", base="free").body("block", inertia=lo.Inertia(1.0, moment=(1, 1, 1))).build()
    problem = lo.Locomotion(model, contacts=[lo.Touch("block", lo.Ground(slope, friction=mu), points=[(0, 0, 0)])])
    down, press = g - n * (g @ n), -(g @ n)

    def rates(t, x):
        return np.r_[x[3:], down - mu * press * x[3:] / np.linalg.norm(x[3:])]

    exact = solve_ivp(rates, (0, 0.5), np.r_[0, 0, 0, 0, 1.0, 0], rtol=1e-12, atol=1e-13).y[:3, -1]
    off = []
    for h in STEPS:
        run = problem.simulate(0.5, q=[0, 0, 0, 0, 0, 0, 1.0], v=[0, 1.0, 0, 0, 0, 0], step=h, every=0.1, progress=False)
        off.append(np.linalg.norm(run.q[-1, :3] - exact))
    assert np.polyfit(np.log(STEPS), np.log(off), 1)[0] == pytest.approx(1.0, abs=0.05)
    assert off[1] == pytest.approx(2.3e-4, rel=0.05)


def test_a_point_that_sticks_below_a_body_that_turns_is_of_second_order():
    """It stands still at the end of a step, where its body has turned on by half a step."""
    problem, q, _ = tipping_rod()
    at, off, gone = pendulum(M * L**2 / 3, L, 0.3), [], []
    for h in STEPS:
        run = problem.simulate(0.4, q=q, step=h, every=0.4, progress=False)
        tilt = 2 * np.arctan2(run.q[-1, 4], run.q[-1, 6])
        off.append(abs(tilt - at(0.4)[0]))
        gone.append(np.hypot(run.q[-1, 0] - L * np.sin(tilt), run.q[-1, 2] - L * np.cos(tilt)))
    for found, expected in ((off, 1.08e-6), (gone, 3.43e-7)):
        assert np.polyfit(np.log(STEPS), np.log(found), 1)[0] == pytest.approx(2.0, abs=0.05)
        assert found[1] == pytest.approx(expected, rel=0.05)


if __name__ == "__main__":
    for title, case in CASES.items():
        made = case()
        print(f"{title}, {made[2](0.06):.1f} N:", *(f"{x:.0e}" for x in errors(*made, steps=(4e-3, *STEPS, 1.25e-4, 2e-5))))
