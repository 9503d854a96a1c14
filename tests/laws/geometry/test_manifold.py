"""Places where two convex shapes touch, against polygons cut by SciPy, and against gaps by all corners."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull, HalfspaceIntersection

import locomote as lo
from locomote.contact.separation import convex_numbers
from locomote.geometry import manifold
from locomote.geometry.shapes.hull import packed_hull

NONE = (np.zeros((0, 3)), np.zeros(0, np.int64))
UP = (0.0, 0.0, 1.0)


def places(first, second, turn, at, gap=0.0, n=UP, reach=1e-3):
    """Places, gaps and slots of two shapes, the second at a pose in the frame of the first."""
    shapes, corners, edges = [], [NONE[0]], [NONE[1]]
    for shape in (first, second):
        numbers, _, hull = convex_numbers(shape)
        if hull is not None:
            numbers[5] = sum(map(len, edges))
            more = packed_hull(hull, np.eye(4), sum(map(len, corners)), int(numbers[5]))
            corners.append(more[0])
            edges.append(more[1])
        shapes.append(numbers)
    rows = np.zeros((manifold.OUTLINE, manifold.COLUMNS))
    tables = np.concatenate(corners), np.concatenate(edges)
    witness = (0.0, 0.0, 1e3)
    count, m = manifold.touching_places(*shapes, tuple(turn.ravel()), tuple(at), *tables, n, gap, witness, reach, rows)
    taken = rows[manifold.TAKEN :]
    slots = np.flatnonzero(taken[:, manifold.GAP] < 1e100)
    assert len(slots) == count
    return taken[slots, :3], taken[slots, manifold.GAP], slots, np.array(m)


def about_z(a):
    return np.array([[np.cos(a), -np.sin(a), 0.0], [np.sin(a), np.cos(a), 0.0], [0.0, 0.0, 1.0]])


def as_hull(half):
    return lo.Hull([(x * half[0], y * half[1], z * half[2]) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])


def square(half, turn, at):
    """Half planes (a, b, c), a x + b y + c <= 0, of the face of a box."""
    found = []
    for axis in range(2):
        for s in (-1, 1):
            n = s * turn[:2, axis]
            found.append([*n, -half[axis] - n @ at[:2]])
    return np.array(found)


@pytest.mark.parametrize("kinds", ["boxes", "hulls", "mixed"])
def test_faces_are_cut_to_each_other(kinds):
    rng = np.random.default_rng(3)
    for _ in range(40):
        one, two = rng.uniform(0.05, 0.2, (2, 3))
        turn = about_z(rng.uniform(0, 6))
        at = np.array([*rng.uniform(-0.06, 0.06, 2), one[2] + two[2] + rng.uniform(-1e-4, 1e-4)])
        first = as_hull(one) if kinds == "hulls" else lo.Box(tuple(one))
        second = lo.Box(tuple(two)) if kinds == "boxes" else as_hull(two)
        gap = at[2] - one[2] - two[2]
        x, gaps, _, m = places(first, second, turn, at, gap)
        planes = np.concatenate([square(one, np.eye(3), np.zeros(3)), square(two, turn, at)])
        exact = HalfspaceIntersection(planes, inner_point(planes)).intersections
        assert np.allclose(gaps, gap, atol=1e-12) and np.allclose(m, UP, atol=1e-12)
        assert (planes[:, :2] @ x[:, :2].T + planes[:, 2:]).max() < 2e-9
        assert len(x) >= 3 and ConvexHull(x[:, :2]).volume > 0.9 * ConvexHull(exact).volume


def inner_point(planes):
    """A point well within half planes."""
    from scipy.optimize import linprog

    rows = np.column_stack([planes[:, :2], np.ones(len(planes))])
    return linprog([0, 0, -1], A_ub=rows, b_ub=-planes[:, 2], bounds=[(None, None)] * 3).x[:2]


def test_gaps_of_a_tilted_box_are_those_of_its_corners():
    tilt = 0.01
    turn = np.array([[np.cos(tilt), 0, np.sin(tilt)], [0, 1, 0], [-np.sin(tilt), 0, np.cos(tilt)]])
    corners = np.array([(x, y, -0.1) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]) @ turn.T
    at = np.array([0.0, 0.0, 0.1 - corners[:, 2].min()])
    for second in (lo.Box((0.1, 0.1, 0.1)), as_hull((0.1, 0.1, 0.1))):
        x, gaps, _, _ = places(lo.Box((0.3, 0.3, 0.1)), second, turn, at, 0.0, reach=0.01)
        expected = np.sort((corners + at)[:, 2] - 0.1)
        assert np.allclose(np.sort(gaps), expected, atol=1e-12)


def test_ends_of_round_shapes():
    top = lo.Box((0.3, 0.3, 0.1))
    lying = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])  # z of the shape along x
    can = lo.Collision("cylinder", (0.05, 0.2))
    x, gaps, _, _ = places(top, can, lying, (0, 0, 0.15))
    assert np.allclose(np.sort(x[:, 0]), [-0.1, 0.1]) and np.allclose(gaps, 0, atol=1e-12)
    x, gaps, _, _ = places(top, can, np.eye(3), (0, 0, 0.2))
    assert len(x) == 8 and np.allclose(np.hypot(*x[:, :2].T), 0.05) and np.allclose(gaps, 0, atol=1e-12)
    x, gaps, _, _ = places(top, lo.Capsule(0.05, 0.1), lying, (0, 0, 0.15 - 1e-5), -1e-5)
    assert np.allclose(np.sort(x[:, 0]), [-0.1, 0.1]) and np.allclose(gaps, -1e-5, atol=1e-12)
    x, gaps, _, _ = places(top, lo.Sphere(radius=0.05), np.eye(3), (0.1, 0, 0.15))
    assert np.allclose(x, [[0.1, 0, 0.1]]) and np.allclose(gaps, 0, atol=1e-12)
    x, gaps, _, _ = places(lo.Capsule(0.05, 0.1), lo.Capsule(0.05, 0.1), np.eye(3), (0.1, 0, 0.05), n=(1.0, 0.0, 0.0))
    assert np.allclose(np.sort(x[:, 2]), [-0.05, 0.1]) and np.allclose(x[:, 0], 0.05) and np.allclose(gaps, 0, atol=1e-12)


def test_a_place_keeps_its_slot():
    at, before = np.array([0.013, 0.02, 0.2]), None
    for angle in np.linspace(0.3, 0.303, 30):
        _, _, slots, _ = places(lo.Box((0.1, 0.1, 0.1)), as_hull((0.1, 0.1, 0.1)), about_z(angle), at + [angle * 1e-3, 0, 0])
        assert before is None or (slots == before).all()
        before = slots
