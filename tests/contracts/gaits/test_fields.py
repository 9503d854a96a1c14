"""Connections over two shape coordinates: against the connection at single shapes and small loops."""

import numpy as np
import pytest

import locomote as lo


@pytest.fixture(scope="module")
def problem():
    snake = lo.Builder("kinematic snake", base="planar")
    link = lo.Inertia.box(1.0, (1.0, 0.1, 0.1))
    snake.body("middle", inertia=link)
    snake.body("head", parent="middle", at=(0.5, 0, 0), joint=lo.Joint("front"), inertia=link)
    snake.body("tail", parent="middle", at=(-0.5, 0, 0), joint=lo.Joint("rear"), inertia=link)
    blades = [lo.Blade("middle"), lo.Blade("head", (0.5, 0, 0)), lo.Blade("tail", (-0.5, 0, 0))]
    return lo.Locomotion(snake.build(), constraints=blades)


def test_numbers_and_a_small_loop(problem, tmp_path):
    field = problem.connection_field({"front": (0.4, 1.2, 5), "rear": (-1.1, -0.4, 5)})
    assert field.base == ("base.vx", "base.vy", "base.wz") and field.units == ("rad", "rad")
    i, j, e = 2, 1, 1e-3
    q = problem.model.neutral()
    q[3:] = field.x[i], field.y[j]
    # a small circle in shape leaves minus curvature times its area behind, in the frame of the base
    w = 2 * np.pi
    path = {"front": lo.Sine(e, w, phase=np.pi / 2, offset=field.x[i]), "rear": lo.Sine(e, w, offset=field.y[j])}
    q[3] += e
    left = problem.net_displacement(path, 1.0, q)
    assert np.allclose(left, -field.curvature[i, j] * np.pi * e**2, atol=2e-2 * abs(left).max())
    field.plot(path=tmp_path / "field.png")
    assert (tmp_path / "field.png").stat().st_size > 10_000 and field._repr_png_()[:4] == b"\x89PNG"


def test_what_is_left_of_zero_has_no_arrows(problem):
    """Blades keep the middle from going sideways, but for rounding."""
    field = problem.connection_field({"front": (0.3, 1.2, 12), "rear": (-0.2, 0.2, 12)})
    assert 0 < abs(field.A[:, :, 1]).max() < 1e-12 * abs(field.A).max()
    arrows = [axes for axes in field.plot().axes if "arrows" in axes.get_title(loc="left") + axes.get_title()]
    assert [len(axes.collections) for axes in arrows] == [1, 0, 1] and arrows[1].texts[0].get_text() == "zero"


def test_wrong_requests(problem):
    for words, region in (
        ("two shape coordinates", {"front": None}),
        ("no shape coordinate named 'frnt'", {"frnt": None, "rear": None}),
        ("is the base of", {"base": None, "rear": None}),
        ("two points or more", {"front": (0.0, 1.0, 1), "rear": None}),
        ("to a larger one", {"front": (1.0, 0.0), "rear": None}),
        ("expected .low, high.", {"front": 3, "rear": None}),
    ):
        with pytest.raises((ValueError, lo.UnknownName), match=words):
            problem.connection_field(region)
