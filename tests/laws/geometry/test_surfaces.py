"""Surfaces against their own definitions: the gap is the distance to points of the surface, the normal its gradient."""

import numpy as np
import pytest

import locomote as lo
from locomote.geometry.shapes.steps import STEPS
from locomote.geometry.table import normal_and_gap, normal_rate, pack_surface

NOTHING = np.zeros((1, 1), np.int64)


def packed(surface):
    p = pack_surface(surface)
    return (p.kind, *p.numbers, NOTHING, 0, np.zeros(8), np.zeros(8)), p.frame


def profile(run, rise, count, points=4000):
    """Points of stairs, seen from the side."""
    xs, zs = [np.linspace(-3, 0, points)], [np.zeros(points)]
    for k in range(count):
        xs += [np.full(points, k * run), np.linspace(k * run, (k + 1) * run, points)]
        zs += [np.linspace(k * rise, (k + 1) * rise, points), np.full(points, (k + 1) * rise)]
    xs, zs = [*xs, np.linspace(count * run, count * run + 3, points)], [*zs, np.full(points, count * rise)]
    return np.concatenate(xs), np.concatenate(zs)


def test_gap_above_steps_is_the_distance_to_the_nearest_point():
    surface, _ = packed(lo.Steps(0.3, 0.2, 3))
    xs, zs = profile(0.3, 0.2, 3)
    rng = np.random.default_rng(0)
    for _ in range(300):
        x, z = rng.uniform(-0.5, 1.5), rng.uniform(0, 1.2)
        if z <= 0.2 * np.clip(np.floor(x / 0.3) + 1, 0, 3):
            continue
        n, gap = normal_and_gap(surface, (x, 0.3, z))
        nearest = np.hypot(xs - x, zs - z)
        assert gap == pytest.approx(nearest.min(), abs=1e-4)
        foot = np.array([x, z]) - gap * np.array([n[0], n[2]])
        assert np.hypot(xs - foot[0], zs - foot[1]).min() < 2e-3
        assert np.dot(n, n) == pytest.approx(1.0, abs=1e-14)


def test_gap_within_steps_leads_to_a_face():
    surface, _ = packed(lo.Steps(0.3, 0.2, 3))
    assert normal_and_gap(surface, (0.01, 0.0, 0.1)) == ((-1.0, 0.0, 0.0), -0.01)
    n, gap = normal_and_gap(surface, (0.15, 0.0, 0.19))
    assert n == (0.0, 0.0, 1.0) and gap == pytest.approx(-0.01)
    assert normal_and_gap(surface, (-0.5, 0.0, -0.1)) == ((0.0, 0.0, 1.0), -0.1)


@pytest.mark.parametrize(
    "surface", [lo.Plane(), lo.Sphere(radius=2.0), lo.Sphere(radius=2.0, inside=True), lo.Cylinder(radius=0.7)]
)
def test_normal_is_the_gradient_of_the_gap_and_curvature_its_rate(surface):
    surface, _ = packed(surface)
    y, h = np.array([0.3, -0.4, 0.9]), 1e-6
    n, _ = normal_and_gap(surface, tuple(y))
    for k in range(3):
        d = np.eye(3)[k] * h
        ahead, behind = normal_and_gap(surface, tuple(y + d)), normal_and_gap(surface, tuple(y - d))
        assert (ahead[1] - behind[1]) / (2 * h) == pytest.approx(n[k], abs=1e-9)
        rate = normal_rate(surface, tuple(y), tuple(d / h))
        assert np.allclose((np.array(ahead[0]) - behind[0]) / (2 * h), rate, atol=1e-8)


def test_slope_falls_towards_its_heading():
    normal = np.array(lo.Plane.slope(0.2, 0.5).normal)
    assert normal @ [np.cos(0.5), np.sin(0.5), 0] == pytest.approx(np.sin(0.2))
    assert normal @ [0, 0, 1] == pytest.approx(np.cos(0.2))


def test_wrong_surfaces_are_refused():
    for wrong in (lo.Steps(0.0, 0.1), lo.Steps(0.1, 0.1, 0), lo.Steps(0.1, float("nan")), lo.Sphere(radius=-1.0), "floor"):
        with pytest.raises(ValueError, match="steps|radius|finite|surface"):
            pack_surface(wrong)
    assert pack_surface(lo.Steps(0.1, 0.1)).kind == STEPS
