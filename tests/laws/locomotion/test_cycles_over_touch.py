"""Limit cycles over lo.Touch: contacts stick, motions and derivatives are exact."""

import numpy as np
import pytest

import locomote as lo

SPOKES, LENGTH, MOMENT, SLOPE = 8, 1.0, 0.1, 0.08
TURN = 2 * np.pi / SPOKES


def rimless_wheel(friction):
    """A wheel of points, mass 1, in a plane whose weight leans by the slope."""
    gravity = (9.81 * np.sin(SLOPE), -9.81 * np.cos(SLOPE), 0)
    builder = lo.Builder("wheel", base="planar", gravity=gravity)
    model = builder.body("wheel", inertia=lo.Inertia(1.0, moment=MOMENT * np.eye(3))).build()
    points = [(LENGTH * np.sin(k * TURN), -LENGTH * np.cos(k * TURN), 0) for k in range(SPOKES)]
    ground = lo.Ground(lo.Plane((0, 0, 0), (0, 1, 0)), friction=friction)
    return lo.Locomotion(model, contacts=[lo.Touch("wheel", ground, points=points, name="spoke")])


def next_spoke(t, q, v):
    """The wheel looks the same when it has turned by a spoke."""
    c, s = np.cos(TURN), np.sin(TURN)
    return [q[0] - 2 * LENGTH * np.sin(TURN / 2), q[1], q[2] + TURN], [c * v[0] + s * v[1], c * v[1] - s * v[0], v[2]]


def test_a_rimless_wheel_of_points_has_the_multiplier_of_its_impact():
    """eta = (I + m l^2 cos) / (I + m l^2): the square of the speed goes to eta^2 of itself, and what slopes give (McGeer)."""
    eta = (MOMENT + LENGTH**2 * np.cos(TURN)) / (MOMENT + LENGTH**2)
    gained = 2 * 9.81 * LENGTH * (np.cos(TURN / 2 - SLOPE) - np.cos(TURN / 2 + SLOPE)) / (MOMENT + LENGTH**2)
    after = eta**2 * gained / (1 - eta**2)  # square of the spin just after a hit
    middle = np.sqrt(after - 2 * 9.81 * LENGTH * (np.cos(SLOPE) - np.cos(TURN / 2 - SLOPE)) / (MOMENT + LENGTH**2))
    section = lo.When(lambda t, q, v: q[2] + TURN, direction=-1)
    start = [0, LENGTH, 0], [1.05 * middle * LENGTH, 0, -1.05 * middle]
    cycle = lo.limit_cycle(rimless_wheel(1.0), section, *start, then=next_spoke)
    assert abs(cycle.v[2] + middle) < 1e-9 and cycle.stable
    assert np.allclose(cycle.multipliers, [eta**2], atol=1e-9)
    with pytest.raises(lo.NoLimitCycle, match="asks more friction of 'spoke.0' than it has"):
        lo.limit_cycle(rimless_wheel(0.3), section, cycle.q, cycle.v, then=next_spoke)
