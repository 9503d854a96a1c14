"""Poses, twists and accelerations of all bodies in one call: as Jacobians and their rates say, in every frame, over batches."""

import numpy as np
import pytest
from mechanisms import relative

import locomote as lo

TOLERANCE = 1e-11


@pytest.mark.parametrize("frame", ["local", "world", "aligned"])
def test_motion_is_what_jacobians_say(case, frame):
    """Jacobians come from motion axes in the world, the motion from a recursion in body frames."""
    model, q, v, a = case.model, case.q, case.v, case.a
    found = lo.motion(model, q, v, a, frame=frame)
    assert np.array_equal(found.poses, lo.forward_kinematics(model, q))
    for k, body in enumerate(model.body_names):
        J, rate = lo.jacobian(model, q, body, frame=frame), lo.jacobian_rate(model, q, v, body, frame=frame)
        size = 1.0 + abs(J).max() * (abs(v).max() + abs(a).max()) + abs(rate).max() * abs(v).max()
        assert abs(found.twists[k] - J @ v).max() < TOLERANCE * size
        assert abs(found.accelerations[k] - (J @ a + rate @ v)).max() < TOLERANCE * size
        assert relative(lo.velocity(model, q, v, body, frame=frame), found.twists[k]) < 1e-14
        assert relative(lo.acceleration(model, q, v, a, body, frame=frame), found.accelerations[k]) < 1e-14


@pytest.mark.parametrize("frame", ["local", "world", "aligned"])
def test_accelerations_are_rates_of_twists(case, frame):
    """Along q(s) with q' = v, v' = a, by central differences."""
    model, q, v, a = case.model, case.q, case.v, case.a
    step = 1e-5

    def twists(s):
        return lo.motion(model, model.integrate(q, s * v + 0.5 * s * s * a), v + s * a, a, frame=frame).twists

    slope = (twists(step) - twists(-step)) / (2 * step)
    exact = lo.motion(model, q, v, a, frame=frame).accelerations
    assert abs(slope - exact).max() < 1e-6 * (1.0 + abs(exact).max() + abs(v).max() ** 3)


def test_many_at_once(case):
    model, rng = case.model, case.rng(90)
    q, (v, a) = model.random(rng, (3, 4)), rng.normal(size=(2, 3, 4, model.nv))
    many = lo.motion(model, q, v, a[0, 0], frame="aligned")
    count = len(model.body_names)
    assert [x.shape for x in many] == [(3, 4, count, 4, 4), (3, 4, count, 6), (3, 4, count, 6)]
    one = lo.motion(model, q[2, 1], v[2, 1], a[0, 0], frame="aligned")
    for whole, part in zip(many, one, strict=True):
        assert relative(whole[2, 1], part) < 1e-12  # couplings are let loose by matrix products


def test_a_wrong_frame_is_named(case):
    with pytest.raises(lo.UnknownName, match="no frame named 'lokal'.*did you mean 'local'"):
        lo.motion(case.model, case.q, case.v, case.a, frame="lokal")
