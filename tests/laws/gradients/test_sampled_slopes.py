"""Channels of all samples with their slopes in one pass: against rollouts of problems with other numbers, and other starts."""

import numpy as np
import pytest

import locomote as lo
from locomote.gradients import programs
from locomote.gradients.sampled import Departure, Sampled, moved_along

NUMBERS = (
    (("rotor.amplitude", ()),),
    (("rotor.rate", ()),),
    (("board.mass", ()),),
    (("rear_axle.mass", ()), ("front_axle.mass", ())),
)


def test_snakeboard():
    problem = lo.systems.load("snakeboard").problem()
    names = ["base.x", "base.angle", "rotor.angle", "rotor.torque"]
    sampled = Sampled.of(problem, names, NUMBERS, steps=31, step=0.02)
    values, slopes = sampled.run()
    rolled = lo.rollout(problem, batch=1, duration=0.6, step=0.02, keep=1)
    for c, k in enumerate((0, 2, 5)):
        assert values[0, :, c] == pytest.approx(rolled.q[0, :, k], abs=1e-12)
    start = [x.copy() for x in sampled.case.starts]
    for k, number in enumerate(NUMBERS):
        h = 1e-5
        both = []
        for sign in (1, -1):
            other = problem.with_parameters({name: problem.parameters[name] + sign * h for name, _ in number})
            both.append(sampled.moved(other, (start[0], start[1])).run()[0])
        rough = (both[0] - both[1]) / (2 * h)
        assert slopes[..., k] == pytest.approx(rough, abs=1e-8 * max(1.0, abs(rough).max()))
        assert abs(rough).max() > 1e-4


def test_other_drives_need_no_other_code():
    """Signals of drives are inputs of the compiled step."""
    problem = lo.systems.load("snakeboard").problem()
    first = Sampled.of(problem, ["base.x"], NUMBERS[1:2], steps=11, step=0.02)
    first.run()
    known = set(programs.LOADED)
    faster = first.moved(problem.with_parameters({"rotor.rate": 1.3 * problem.parameters["rotor.rate"]}), first.case.starts)
    assert abs(faster.run()[0] - first.run()[0]).max() > 1e-6 and set(programs.LOADED) == known


def test_starts_of_a_free_body():
    """A quadruped in flight, from a start that is moved far along the tangent."""
    problem, rng = lo.systems.load("quadruped").problem(), np.random.default_rng(1)
    model = problem.model
    q0, v0 = problem.initial()
    u, way = 0.5 * rng.normal(size=model.nv), rng.normal(size=(2, model.nv))
    names, given = ["net.z", "base.wy"], {"steps": 16, "step": 5e-3}
    equations = Sampled.of(problem, names, (), **given).step.equations

    def place(e):
        """q moved by u and e of a direction, and how it changes."""
        moved, dq = moved_along(equations, q0[None], (u + e * way[0])[None], way[0][None, :, None])
        return moved[0], dq[:, :, 0]

    small = moved_along(equations, q0[None], 1e-6 * u[None], np.zeros((1, model.nv, 0)))[0][0]
    assert small == pytest.approx(model.integrate(q0, 1e-6 * u), abs=1e-11)
    q, dq = place(0.0)
    _, slopes = Sampled.of(problem, names, (), q=q, v=v0, **given).run([Departure(dq, way[1][None])])
    both = [Sampled.of(problem, names, (), q=place(e)[0], v=v0 + e * way[1], **given).run()[0] for e in (1e-5, -1e-5)]
    assert slopes[..., 0] == pytest.approx((both[0] - both[1]) / 2e-5, abs=1e-8)
