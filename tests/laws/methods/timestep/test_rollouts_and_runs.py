"""Every law of `lo.Ground` in rollouts and in runs: the same forces and motion, where the law has one answer.

Three points of a body carry it in one way only; four corners of a face share loads in many, and which of them is taken hangs on
the last bit of a time: runs that sample land on times of samples, rollouts on multiples of the step. So faces are compared on
the same times.
"""

import numpy as np
import pytest

import locomote as lo

STEP, T, HALF = 1e-3, 0.3, (0.1, 0.15, 0.05)
FEET = [(0.1, 0.0, -0.05), (-0.08, 0.12, -0.05), (-0.07, -0.1, -0.05)]
LAWS = {
    "friction": {},
    "no friction": {"friction": 0.0},
    "slope": {"surface": lo.Plane.slope(0.3)},
    "ball": {"surface": lo.Sphere((0, 0, -2.0), 2.0)},
    "belt": {"motion": (0.7, -0.4, 0.0)},
    "static": {"static": 0.6},
    "fading": {"static": 0.6, "fading": 0.3},
    "across": {"across": 0.2},
    "adhesion": {"adhesion": 1.0},
    "rolling": {"rolling": 0.01, "torsion": 0.02},
    "soft": {"stiffness": 1e4, "damping": 20.0},
    "shear": {"stiffness": 1e4, "damping": 20.0, "shear": 1e4, "shear_damping": 20.0},
    "restitution": {"restitution": 0.5},
    "newton": {"restitution": 0.5, "impact": "newton"},
    "material": {"material": "ice"},
}
START = np.array([0.0, 0.0, 0.06, 0.0, 0.02, 0.0, np.sqrt(1 - 0.02**2)]), np.array([1.0, 0.5, -0.3, 1.0, 0.5, 2.0])
TUMBLES = np.array([0.0, 0.0, 0.3, *np.array([0.3, 0.5, 0.1, 0.8]) / np.sqrt(0.99)]), np.array([1, 0.5, -2, 12.0, -15, 20])


def on_ground(name, **shape):
    law = {"surface": lo.Plane(), "friction": 0.4} | LAWS[name]
    shape |= {"along": (1, 0, 0)} if name == "across" else {"material": "steel"} if name == "material" else {}
    touches = [lo.Touch("box", lo.Ground(law.pop("surface"), **law), name="box", **shape)]
    if name == "material":
        touches = lo.pair_materials(touches, {("ice", "steel"): {"friction": 0.1, "static": 0.2}})
    inertia = lo.Inertia.box(1.0, tuple(2 * x for x in HALF))
    return lo.Locomotion(lo.Builder("box", base="free").body("box", inertia=inertia).build(), contacts=touches)


def both(problem, start, T, **times):
    """A run, and the first of four rollouts (as many as lanes want), which are all alike."""
    run = problem.simulate(T, q=start[0], v=start[1], method="timestep", step=STEP, progress=False, **times)
    copies = [np.tile(x, (4, 1)) for x in start]
    rolled = lo.rollout(problem, q=copies[0], v=copies[1], duration=T, step=STEP, keep=1)
    assert run.tracked["contact_law"][0] == 0 and (rolled.contact_law[:, 0] == 0).all()
    assert abs(rolled.q - rolled.q[0]).max() == 0
    return run, rolled


@pytest.mark.parametrize("name", LAWS)
def test_three_feet(name):
    shape = {"sphere": 0.05} if name == "rolling" else {"points": FEET}  # moments of several points are shared in many ways
    run, rolled = both(on_ground(name, **shape), START, T, every=STEP)
    assert abs(run.q - rolled.q[0]).max() < 1e-9 and abs(run.v - rolled.v[0]).max() < 1e-6
    loads, others = run.contact_forces[1:], rolled.contact_forces[0, 1:]
    assert abs(loads - others).max() < 1e-4 * abs(loads).max() and abs(loads).max() > 5.0


@pytest.mark.parametrize("name", ["friction", *list(LAWS)[4:9], "restitution"])
def test_a_box_that_tumbles_onto_a_face_on_the_same_times(name):
    run, rolled = both(on_ground(name, box=HALF), TUMBLES, 0.5, samples=[0.0, 0.5])
    assert abs(run.q[-1] - rolled.q[0, -1]).max() < 1e-9
    assert np.allclose(run.contact_forces[-1], rolled.contact_forces[0, -1], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("part, holds", [(0.99, True), (1.01, False)])
def test_all_corners_at_rest_on_glue_can_pull(part, holds):
    """Boxes land on one corner after the other; of four that touch three carry, and the fourth, unloaded, holds as much."""
    G, each, count, steps = 9.81, LAWS["adhesion"]["adhesion"], 12, 700
    rng = np.random.default_rng(0)
    q = np.c_[np.zeros((count, 2)), np.full(count, 0.06), 0.05 * rng.normal(size=(count, 3)), np.ones(count)]
    q[:, 3:] /= np.linalg.norm(q[:, 3:], axis=1)[:, None]
    pushes = np.zeros((steps, 6))
    pushes[500:, 2] = part * 4 * each + G
    v = np.c_[0.3 * rng.normal(size=(count, 3)), rng.normal(size=(count, 3))]
    rolled = lo.rollout(
        on_ground("adhesion", box=HALF), q=q, v=v, duration=steps * STEP, step=STEP, pushes={"box": pushes}, keep=100
    )
    assert abs(rolled.v[:, 5]).max() < 1e-6 and abs(rolled.q[:, 5, 2] - HALF[2]).max() < 1e-6  # all lie on a face
    assert (abs(rolled.v[:, -1]).max(axis=1) < 1e-6).all() if holds else (rolled.v[:, -1, 2] > 0.1 * 0.2 * 4 * each).all()
