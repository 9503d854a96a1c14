"""Joints that hit their stops while feet hit the ground: no step goes beyond, and what is beyond at a middle does not stay."""

import numpy as np
import pytest

import locomote as lo


def legs():
    builder = lo.Builder("legs", base="free").body("trunk", inertia=lo.Inertia.box(8.0, (0.3, 0.2, 0.1)))
    ground = lo.Ground(friction=1.0)
    touches = [lo.Touch("trunk", ground, shape=lo.Sphere(radius=0.1))]
    for side in (-1, 1):
        hip = lo.Joint(f"hip {side}", axis="y", lower=-1.0, upper=1.0, damping=1.0)
        knee = lo.Joint(f"knee {side}", axis="y", lower=-2.5, upper=-0.05, damping=1.0)
        thigh, shin = f"thigh {side}", f"shin {side}"
        builder.body(thigh, parent="trunk", at=(0, 0.1 * side, -0.1), joint=hip, inertia=lo.Inertia.rod(2.0, 0.4, axis="z"))
        builder.body(shin, parent=thigh, at=(0, 0, -0.4), joint=knee, inertia=lo.Inertia.rod(1.0, 0.4, axis="z"))
        touches += [lo.Touch(body, ground, shape=lo.Sphere(radius=0.05), at=(0, 0, -0.4)) for body in (thigh, shin)]
    return lo.Locomotion(builder.build(), contacts=touches)


@pytest.mark.parametrize("seed", range(12))
def test_legs_that_fall_keep_within_their_stops(seed):
    problem, rng = legs(), np.random.default_rng(seed)
    model = problem.model
    q = model.neutral()
    q[2] = 1.1 + 0.3 * rng.random()
    for side in (-1, 1):
        q[model.joint(f"knee {side}").q] = -0.1 - 0.5 * rng.random()
        q[model.joint(f"hip {side}").q] = 0.3 * rng.normal()
    run = problem.simulate(1.5, q=q, v=np.zeros(model.nv), every=1e-3)
    beyond = np.maximum(model.lower - run.q, run.q - model.upper).max()
    assert run.audit.ok and beyond < 1e-6
