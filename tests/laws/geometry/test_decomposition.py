"""Convex parts of meshes cover them, and the more there are the less they cover besides."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import locomote as lo
from locomote.geometry.decomposition import Piece, below, distances, hull_error, winding

CORNERS = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)


def prism(outline, height=0.3):
    """Triangles of an upright prism over an outline that is star-shaped about its first corner, counter-clockwise."""
    low = np.column_stack([outline, np.zeros(len(outline))])
    high, n = low + [0, 0, height], len(outline)
    fans = [(0, k, k + 1) for k in range(1, n - 1)]
    sides = [[low[k], low[k - n + 1], high[k]] for k in range(n)] + [
        [high[k], low[k - n + 1], high[k - n + 1]] for k in range(n)
    ]
    return np.array([[low[k] for k in fan[::-1]] for fan in fans] + [[high[k] for k in fan] for fan in fans] + sides)


ELL = prism(np.array([(0, 0), (1, 0), (1, 0.3), (0.3, 0.3), (0.3, 1), (0, 1)])[[3, 4, 5, 0, 1, 2]])


def ring(around=12, inside=0.6, height=0.2):
    """A washer: triangles, volume."""
    angles = 2 * np.pi * np.arange(around) / around
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    found = []
    for k in range(around):
        a, b = circle[k], circle[k - around + 1]
        for z, flip in ((height, 1), (0.0, -1)):
            quad = [(*inside * a, z), (*a, z), (*b, z), (*inside * b, z)]
            found += [[quad[i] for i in face[::flip]] for face in ((0, 1, 2), (0, 2, 3))]
        for r, flip in ((1.0, 1), (inside, -1)):
            quad = [(*r * a, 0.0), (*r * b, 0.0), (*r * b, height), (*r * a, height)]
            found += [[quad[i] for i in face[::flip]] for face in ((0, 1, 2), (0, 2, 3))]
    return np.array(found), height * around / 2 * np.sin(2 * np.pi / around) * (1 - inside**2)


def volume(parts):
    return sum(ConvexHull(part.corners).volume for part in parts)


def covered(parts, points):
    """Whether points are in one of the hulls, with room for rounding."""
    faces = [ConvexHull(part.corners).equations for part in parts]
    return np.any([(points @ own[:, :3].T + own[:, 3]).max(axis=1) < 1e-9 for own in faces], axis=0)


@pytest.mark.parametrize(("triangles", "exact"), [(ELL, 0.3 * (0.3 + 0.21)), ring()], ids=["ell", "ring"])
def test_parts_cover_the_solid_and_little_besides(triangles, exact):
    rng, least = np.random.default_rng(0), np.inf
    points = rng.uniform(triangles.reshape(-1, 3).min(0), triangles.reshape(-1, 3).max(0), (400, 3))
    inside = points[winding(points, triangles) > 0.5]
    on = (rng.dirichlet(np.ones(3), 200)[:, :, None] * triangles[rng.integers(len(triangles), size=200)]).sum(1)
    for parts in (1, 4, 8):
        found = lo.convex_parts(triangles, tolerance=1e-6, parts=parts)
        assert len(found) <= parts and covered(found, inside).all() and covered(found, on).all()
        assert exact * (1 - 1e-9) <= volume(found) <= least * (1 + 1e-9)
        least = volume(found)
    assert least < 1.1 * exact


def test_nothing_is_lost_by_any_cuts():
    """Cuts in all directions, through corners too: three of them may meet inside the solid."""
    rng, (triangles, _) = np.random.default_rng(5), ring()
    points = rng.uniform(triangles.reshape(-1, 3).min(0), triangles.reshape(-1, 3).max(0), (1000, 3))
    inside, met = points[winding(points, triangles) > 0.5], 0
    for _ in range(60):
        pieces = [Piece(triangles, np.zeros((0, 3)), np.zeros((0, 4)))]
        for _ in range(5):
            n = rng.normal(size=3) if rng.random() < 0.5 else np.eye(3)[rng.integers(3)]
            n, k = n / np.linalg.norm(n), rng.integers(len(pieces))
            along = pieces[k].points @ n
            place = rng.choice(along) if rng.random() < 0.6 else np.median(along)
            halves = [below(pieces[k], n, place, triangles), below(pieces[k], -n, -place, triangles)]
            if None not in halves:
                pieces[k : k + 1] = halves
        met += sum(len(piece.inner) for piece in pieces)
        assert covered([lo.Hull(piece.points) for piece in pieces if piece.volume > 0], inside).all()
    assert met > 0


def test_an_ell_is_two_boxes_and_a_box_is_one():
    two = lo.convex_parts(ELL, tolerance=1e-3)
    assert len(two) == 2 and volume(two) == pytest.approx(0.3 * 0.51, rel=1e-9)
    faces = ConvexHull(CORNERS)
    box = CORNERS[faces.simplices]
    assert len(lo.convex_parts(box, tolerance=1e-6)) == 1


def test_errors_fall_below_what_is_asked_for():
    triangles, _ = ring()
    assert hull_error(lo.Hull(triangles.reshape(-1, 3)), triangles) > 0.4  # the hole
    counts = []
    for tolerance in (0.2, 0.1):
        parts = lo.convex_parts(triangles, tolerance=tolerance)
        counts.append(len(parts))
        assert max(hull_error(part, triangles) for part in parts) <= tolerance * (1 + 1e-9)
    assert counts == sorted(counts) and counts[0] > 1


def test_distances_and_windings():
    triangle = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0.0]]])
    points = np.array([(0.2, 0.2, 0.5), (2, 0, 0), (-1, -1, 0), (0.5, 0.5, 1), (1, 1, 0)])
    np.testing.assert_allclose(distances(points, triangle), [0.5, 1, np.sqrt(2), 1, np.sqrt(0.5)])
    np.testing.assert_allclose(winding(np.array([(0.1, 0.1, 0.1), (2, 2, 2.0)]), ELL), [1, 0], atol=1e-12)


def test_a_hook_hangs_where_its_hull_would_not_let_it():
    """Two parts of an L as solids: a ball rests in its corner, inside the hull of the whole."""
    parts = lo.convex_parts(ELL, tolerance=1e-3)
    ball = lo.Builder("ball", gravity=(-3, -9.81, 0)).body(
        "ball", joint=lo.Joint("free", "free"), inertia=lo.Inertia.sphere(1, 0.1)
    )
    solids = (lo.Solid("ball", lo.Sphere(radius=0.1)), *(lo.Solid(None, part) for part in parts))
    touching = lo.BodyContacts(solids, pairs=((1, 0), (2, 0)), friction=0.5)
    problem = lo.Locomotion(ball.build(), contacts=[touching])
    run = problem.simulate(1.0, q=[0.45, 0.45, 0.15, 0, 0, 0, 1], step=2e-3, progress=False)
    np.testing.assert_allclose(run.q[-1, :3], [0.4, 0.4, 0.15], atol=1e-4)


@pytest.mark.parametrize(("given", "words"), [
    ({"tolerance": 0.0}, "above 0"), ({"tolerance": 0.1, "parts": 0}, "from 1 on"), ({"tolerance": np.nan}, "above 0"),
])  # fmt: skip
def test_wrong_numbers_are_said(given, words):
    with pytest.raises(ValueError, match=words):
        lo.convex_parts(ELL, **given)
    with pytest.raises(ValueError, match="shape"):
        lo.convex_parts(np.zeros((3, 3)), tolerance=0.1)
    with pytest.raises(ValueError, match="no such file"):
        lo.convex_parts("not there.stl", tolerance=0.1)
