"""Dry granular ground: C. Li, T. Zhang, D.I. Goldman, Science 339 (2013) 1408, generic coefficients of their supplement.

Stresses per depth over tilt and direction, by their sums of sines and cosines, and what these say of simple intruders.
"""

import numpy as np
import pytest

import locomote as lo
from locomote.forces.plain import acting

# A_00, A_10, B_11, B_01, B_-11, C_11, C_01, C_-11, D_10
A00, A10, B11, B01, BM11, C11, C01, CM11, D10 = 0.206, 0.169, 0.212, 0.358, 0.055, -0.124, 0.253, 0.007, 0.088


def stress(b, g):
    """a_x and a_z, N/cm^3 for a scale of one."""
    a_z = A00 + A10 * np.cos(2 * b) + B11 * np.sin(2 * b + g) + B01 * np.sin(g) + BM11 * np.sin(-2 * b + g)
    return C11 * np.cos(2 * b + g) + C01 * np.cos(g) + CM11 * np.cos(-2 * b + g) + D10 * np.sin(2 * b), a_z


def force_on(tilt, direction, depth=0.03, area=1e-3, speed=0.1, ahead=(1.0, 0.0, 0.0), scale=2e6):
    """On a plate tilted by `tilt` (leading edge up), whose body moves at `direction` below the horizontal."""
    model = lo.Builder("foot", base="xyz").body("foot", inertia=lo.Inertia(1.0)).build()
    x = np.array(ahead)
    normal = -np.sin(tilt) * x + np.cos(tilt) * np.array([0, 0, 1])
    sand = lo.water.Intrusion("foot", [(0, 0, 0)], [tuple(normal)], area, scale=scale, level=0.0, ahead=ahead, slow=1e-9)
    v = speed * (np.cos(direction) * x - np.sin(direction) * np.array([0, 0, 1]))
    found = acting(model, sand.term(model), np.zeros(1), np.array([[0.0, 0.0, -depth]]), v[None], axes="world")
    force = found.wrenches[0, 0, :3] / (scale * area * depth)
    return force, found.loss[0]


@pytest.mark.parametrize("ahead", [(1.0, 0.0, 0.0), (-0.6, 0.8, 0.0)], ids=["x", "aside"])
def test_stresses_are_the_published_sums(ahead):
    for b in np.radians([-80, -45, -10, 0, 25, 60, 90]):
        for g in np.radians([-90, -40, 0, 15, 50, 90, 130, 170]):
            force, _ = force_on(b, g, ahead=ahead)
            a_x, a_z = stress(b, g)
            np.testing.assert_allclose(force, [-a_x * ahead[0], -a_x * ahead[1], a_z], atol=1e-6)


def test_flat_pieces_go_down_hardest_and_come_out_easily():
    down, up = force_on(0.0, np.pi / 2)[0], force_on(0.0, -np.pi / 2)[0]
    assert down[2] == pytest.approx(1.0, abs=1e-6) and up[2] == pytest.approx(-0.25, abs=1e-6)
    assert abs(down[0]) < 1e-9
    drag, loss = force_on(np.pi / 2, 0.0)  # an upright plate that is drawn along
    assert drag[0] == pytest.approx(-0.37, abs=1e-6) and loss > 0
    assert force_on(0.6, 0.0)[0][2] > force_on(0.0, 0.0)[0][2] > force_on(-0.6, 0.0)[0][2]  # leading edge up: it is lifted


def test_nothing_above_ground_and_nothing_by_speed():
    np.testing.assert_allclose(force_on(0.3, 0.7, speed=0.01)[0], force_on(0.3, 0.7, speed=3.0)[0], rtol=1e-6)
    model = lo.Builder("foot", base="xyz").body("foot", inertia=lo.Inertia(1.0)).build()
    sand = lo.water.Intrusion("foot", [(0, 0, 0)], [(0, 0, 1)], 1e-3)
    above = acting(model, sand.term(model), np.zeros(1), np.array([[0, 0, 0.01]]), np.array([[0, 0, -1.0]])).wrenches
    assert abs(above).max() < 1e-5


def test_a_foot_sinks_until_the_ground_carries_it():
    """Quasi-static: depth = weight / (scale area) for a flat foot that comes down slowly."""
    mass, scale, area = 0.5, 0.3e6, 4e-3
    model = lo.Builder("foot", base="xyz").body("foot", inertia=lo.Inertia(mass)).build()
    sand = lo.water.Intrusion("foot", [(0, 0, 0)], [(0, 0, 1)], area, scale=scale)
    run = lo.Locomotion(model, environment=[sand], inertia=True).simulate(1.0, q=[0.0, 0.0, 0.0], rtol=1e-9)
    assert run.audit.ok, str(run.audit)
    assert -run.q[-1, 2] >= 0.99 * mass * 9.81 / (scale * area)
    for wrong, words in (
        (lo.water.Intrusion("foot", [(0, 0, 0)], [], 1.0), "1 points and 0 normals"),
        (lo.water.Intrusion("foot", [(0, 0, 0)], [(0, 0, 1)], [1.0, 2.0]), "2 areas"),
        (lo.water.Intrusion("foot", [(0, 0, 0)], [(0, 0, 1)], 1.0, ahead=(0, 0, 1)), "horizontal"),
    ):
        with pytest.raises(ValueError, match=words):
            lo.Locomotion(model, environment=[wrong])
