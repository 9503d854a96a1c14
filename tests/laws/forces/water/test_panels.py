"""Perfect fluid by boundary integrals: ellipses and circles in closed form, bodies far apart, and swimmers that feel their own
links."""

import numpy as np
import pytest

import locomote as lo
from locomote.forces.water.panels import added_inertia


def test_an_ellipse_has_its_added_mass_faster_than_any_power():
    a, b = 0.5, 0.1
    expected = np.pi * np.array([b * b, a * a, (a * a - b * b) ** 2 / 8])
    errors = []
    for panels in (16, 32, 64, 128):
        M = added_inertia([lo.water.Outline.ellipse(a, b, panels=panels)], np.array([[0.3, 0.2, 0.7]]), 1.0)
        assert abs(M - np.diag(np.diag(M))).max() < 1e-14
        errors.append(abs(np.diag(M) / expected - 1).max())
    assert errors[0] < 1e-2 and errors[1] < 2e-5 and errors[2] < 1e-10 and errors[3] < 1e-13


def test_an_ellipse_aside_and_turned_is_moved_as_an_inertia_is():
    a, b, x, y, angle = 0.4, 0.15, 0.3, -0.2, 0.5
    M = added_inertia([lo.water.Outline.ellipse(a, b, at=(x, y), angle=angle)], np.zeros((1, 3)), 1000.0)
    c, s = np.cos(angle), np.sin(angle)
    T = np.array([[c, s, c * -y + s * x], [-s, c, s * y + c * x], [0, 0, 1]])  # velocity of its middle in its own axes
    own = 1000 * np.pi * np.diag([b * b, a * a, (a * a - b * b) ** 2 / 8])
    np.testing.assert_allclose(M, T.T @ own @ T, rtol=1e-11, atol=1e-9)


def doublets(a, b, d, along):
    """Circle a at 0 moves with unit speed, along or across the line to circle b at d, which is held: strengths of all images in
    a and in b. An image of a doublet m at the distance r has m a^2/r^2, turned round if it lies along the line."""
    here, there, m, x, inside = a * a, 0.0, a * a, 0.0, True
    for _ in range(200):
        r, radius = (d - x, b) if inside else (x, a)
        m *= (-1 if along else 1) * radius**2 / r**2
        x = d - radius**2 / r if inside else radius**2 / r
        inside = not inside
        here, there = (here + m, there) if inside else (here, there + m)
    return 2 * np.pi * here - np.pi * a * a, 2 * np.pi * there


@pytest.mark.parametrize(("along", "k"), [(True, 0), (False, 1)], ids=["along", "across"])
def test_two_circles_feel_each_other_as_their_images_say(along, k):
    circles = [lo.water.Outline.ellipse(r, r, panels=96) for r in (1.0, 0.5)]
    M = added_inertia(circles, np.array([[0.0, 0, 0.4], [1.8 * np.cos(0.4), 1.8 * np.sin(0.4), 0.4]]), 1.0)
    own, other = doublets(1.0, 0.5, 1.8, along)
    np.testing.assert_allclose([M[k, k], M[k, 3 + k]], [own, other], rtol=1e-12)
    own, other = doublets(0.5, 1.0, 1.8, along)
    np.testing.assert_allclose([M[3 + k, 3 + k], M[k, 3 + k]], [own, other], rtol=1e-12)


def swimmer(joint=0.6, panels=24):
    system = lo.systems.load("perfect_fluid_swimmer", joint=joint)
    outlines = {
        name: lo.water.Outline.ellipse(0.5, 0.1, at=(x, 0), panels=panels)
        for name, x in (("middle", 0.0), ("front", joint), ("rear", -joint))
    }
    return system, lo.water.PerfectFluid(system.model, outlines, 1.0)


def test_far_apart_links_are_alone():
    """Mass matrix of the isolated model, nearer with the square of the distance."""
    apart = []
    for joint in (2.0, 4.0, 8.0):
        system, fluid = swimmer(joint, 64)
        q = np.array([0.1, 0.2, 0.3, 0.4, -0.6])
        alone = lo.mass_matrix(system.problem().model, q)
        apart.append(abs(fluid.mass_matrix(q)[:2, :2] - alone[:2, :2]).max())
    assert apart[0] < 0.05 and apart[1] < 0.3 * apart[0] and apart[2] < 0.3 * apart[1]


def test_a_swimmer_that_feels_its_links_goes_less_far_and_no_speed_matters():
    system, fluid = swimmer()
    q, loop = system.initial[0], {"front": lo.Sine(0.5, 1.0, np.pi / 2), "rear": lo.Sine(0.5, 1.0, np.pi)}
    alone = system.problem().net_displacement(loop, 2 * np.pi, q=q)
    slow = fluid.net_displacement(loop, 2 * np.pi, q=q, steps=30)
    quick = {"front": lo.Sine(0.5, 5.0, np.pi / 2), "rear": lo.Sine(0.5, 5.0, np.pi)}
    np.testing.assert_allclose(fluid.net_displacement(quick, 2 * np.pi / 5, q=q, steps=30), slow, atol=1e-12)
    assert alone[0] == pytest.approx(0.192, abs=1e-3) and slow[0] == pytest.approx(0.1749, abs=2e-4)
    back = {"front": lo.Sine(0.5, 1.0), "rear": lo.Sine(-0.3, 1.0)}
    assert abs(fluid.net_displacement(back, 2 * np.pi, steps=30)).max() < 1e-6


def test_wrong_outlines_get_a_sentence():
    for points, words in (
        (np.zeros((7, 2)), "shape"),
        (np.zeros((8, 2)), "enclose nothing"),
        (np.full((8, 2), np.nan), "finite"),
    ):
        with pytest.raises(ValueError, match=words):
            lo.water.Outline(points)
    ring = lo.water.Outline.ellipse(1, 1)
    with pytest.raises(ValueError, match="clockwise"):
        lo.water.Outline(ring.points[::-1])
    with pytest.raises(ValueError, match="must be apart"):
        added_inertia([ring, ring], np.zeros((2, 3)))
    arm = lo.systems.load("puma").model
    with pytest.raises(ValueError, match="planar base"):
        lo.water.PerfectFluid(arm, {arm.body_names[0]: ring})
    with pytest.raises(ValueError, match="every joint"):
        swimmer()[1].net_displacement({"front": 0.3}, 1.0)
