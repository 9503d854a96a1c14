"""Convex hulls: corners against Qhull and brute force, on the ground against all their corners as points; meshes in files."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import locomote as lo
from locomote.formats.mesh_files import mesh_corners
from locomote.geometry.shapes import hull as hulls
from locomote.geometry.shapes.hull import FIRST, climbed, fill_slots, packed_hull, seed

RANDOM = np.random.default_rng(3)


def cloud(n, flat=1.0):
    return RANDOM.normal(size=(n, 3)) * [0.1, 0.08, 0.05 * flat]


@pytest.mark.parametrize("n", [4, 5, 20, 200])
def test_climbing_finds_the_furthest_corner(n):
    hull = lo.Hull(cloud(n))
    assert {tuple(x) for x in hull.points} == {tuple(x) for x in hull.corners[ConvexHull(hull.corners).vertices]}
    corners, edges = packed_hull(hull, np.eye(4), 0, 0)
    for d in RANDOM.normal(size=(200, 3)):
        i = climbed(corners, edges, 0, seed(edges, 0, d), tuple(d))
        assert np.isclose(corners[i] @ d, (corners @ d).max(), rtol=0, atol=1e-15)


def test_a_hull_in_a_table_with_others_is_the_same():
    first, second = lo.Hull(cloud(30)), lo.Hull(cloud(40))
    pose = np.eye(4)
    pose[:3, 3] = 1, 2, 3
    a, at = packed_hull(first, np.eye(4), 0, 0)
    b, bt = packed_hull(second, pose, len(a), len(at))
    corners, edges, head = np.concatenate([a, b]), np.concatenate([at, bt]), len(at)
    assert edges[head + FIRST] == len(a) and np.allclose(b, second.corners + [1, 2, 3])
    for d in RANDOM.normal(size=(50, 3)):
        i = climbed(corners, edges, head, seed(edges, head, d), tuple(d))
        assert i == len(a) + (b @ d).argmax()


def test_slots_hold_the_lowest_corner_and_no_corner_twice():
    hull = lo.Hull(cloud(200))
    corners, edges = packed_hull(hull, np.eye(4), 0, 0)
    rows = np.zeros((hulls.SLOTS, 1))
    for n in RANDOM.normal(size=(50, 3)):
        n /= np.linalg.norm(n)
        t = np.cross(n, [1.0, 0, 0]) / np.linalg.norm(np.cross(n, [1.0, 0, 0]))
        low = (corners @ n).argmin()
        fill_slots(corners, edges, 0, low, True, tuple(n), tuple(t), tuple(np.cross(n, t)), rows, 0, hulls.SLOTS, 0)
        held = rows[rows[:, 0] >= 0, 0].astype(int).tolist()
        assert (corners @ n).argmin() in held and len(set(held)) == len(held)


def test_a_flat_face_has_its_corners_in_slots():
    k = np.arange(40) * 2 * np.pi / 40
    rim = np.column_stack([0.1 * np.cos(k), 0.1 * np.sin(k), np.zeros(40)])
    square = np.array([[x, y, -0.05] for x in (-0.05, 0.05) for y in (-0.05, 0.05)])
    hull = lo.Hull(np.concatenate([rim, square]))
    corners, edges = packed_hull(hull, np.eye(4), 0, 0)
    rows = np.zeros((hulls.SLOTS, 1))
    fill_slots(corners, edges, 0, corners[:, 2].argmin(), True, (0, 0, 1), (1, 0, 0), (0, 1, 0), rows, 0, hulls.SLOTS, 0)
    held = rows[rows[:, 0] >= 0, 0].astype(int)
    assert (corners[held][:, 2] < -0.04).sum() == 4


@pytest.mark.parametrize("n", [8, 60])
def test_on_the_ground_it_moves_as_all_its_corners_do(n):
    hull = lo.Hull(cloud(n))
    body = lo.Builder("stone", base="free").body("stone", inertia=lo.Inertia.box(1.0, (0.2, 0.15, 0.1))).build()
    start, spin = [0, 0, 0.3, 0.1, 0.2, 0.3, np.sqrt(1 - 0.14)], [0.3, 0, 0, 1, 2, 3]
    runs = [
        lo.Locomotion(body, contacts=[lo.Touch("stone", lo.Ground(), **how)]).simulate(0.6, q=start, v=spin, step=1e-3)
        for how in ({"shape": hull}, {"points": hull.points})
    ]
    assert abs(runs[0].q[-1] - runs[1].q[-1]).max() < 2e-4 and runs[0].tracked["contact_law"][0] == 0
    pose = lo.forward_kinematics(body, runs[0].q)[:, 0]
    low = (np.einsum("tij,nj->tni", pose[:, :3, :3], hull.corners) + pose[:, None, :3, 3])[..., 2].min()
    assert -1e-6 < low < 1e-3  # it touches, and does not sink in


@pytest.mark.parametrize(
    ("points", "corners"),
    [
        ([[1, 2, 3]] * 5, 1),
        (np.outer(np.linspace(0, 1, 9), [1, 2, 3]), 2),
        ([[x, y, x + y] for x in range(4) for y in range(4)], 4),
        ([[x, y, 1e-14 * x * y] for x in range(4) for y in range(4)], 4),
    ],
)
def test_points_segments_and_flat_hulls(points, corners):
    hull = lo.Hull(points)
    assert len(hull.points) == corners
    body = lo.Builder("flat", base="free").body("flat", inertia=lo.Inertia.box(1.0, (3, 3, 1))).build()
    problem = lo.Locomotion(body, contacts=[lo.Touch("flat", lo.Ground(), shape=hull)])
    run = problem.simulate(0.3, q=[0, 0, -hull.corners[:, 2].min() + 0.01, 0, 0, 0, 1], step=1e-3)
    heights = hull.corners @ lo.forward_kinematics(body, run.q[-1])[0, :3, :3].T[:, 2] + run.q[-1, 2]
    assert abs(heights.min()) < 1e-3


def test_fewer_corners_are_off_by_no_more_than_the_tolerance():
    points = RANDOM.normal(size=(1000, 3))
    whole = lo.Hull(points / np.linalg.norm(points, axis=1)[:, None] * [0.1, 0.08, 0.05])
    less = lo.Hull(whole.points, tolerance=1e-3)
    d = RANDOM.normal(size=(2000, 3))
    d /= np.linalg.norm(d, axis=1)[:, None]
    off = (whole.corners @ d.T).max(axis=0) - (less.corners @ d.T).max(axis=0)
    assert len(less.points) < 0.5 * len(whole.points) and -1e-15 < off.min() and off.max() <= 1e-3


def test_odd_hulls_are_refused():
    for points in ([], [[1, 2]], [[0, 0, np.nan]], "stone", [[0, 0, 0, 0]]):
        with pytest.raises((ValueError, TypeError), match="points of a hull"):
            lo.Hull(points)
    with pytest.raises(ValueError, match="tolerance of a hull"):
        lo.Hull(cloud(9), tolerance=-1)
    with pytest.raises(ValueError, match="not known"):
        lo.Touch("a", lo.Ground(lo.Torus(1.0, 0.2)), shape=lo.Hull(cloud(9)))


def as_stl(points):
    triangles = np.zeros(len(points) // 3, [("n", "<f4", 3), ("c", "<f4", (3, 3)), ("a", "<u2")])
    triangles["c"] = points.reshape(-1, 3, 3)
    return b"\0" * 80 + len(triangles).to_bytes(4, "little") + triangles.tobytes()


def test_meshes_are_read_from_stl_and_obj(tmp_path):
    points = cloud(30).astype(np.float32).astype(float)
    lines = "\n".join(f"vertex {x!r} {y!r} {z!r}" for x, y, z in points.tolist())
    texts = {
        "a.stl": as_stl(points),
        "b.STL": f"solid a\nfacet\n{lines}\nendfacet".encode(),
        "c.obj": ("# a\n" + lines.replace("vertex", "v") + "\nvn 1 0 0\nf 1 2 3").encode(),
    }
    for name, data in texts.items():
        (tmp_path / name).write_bytes(data)
        assert np.array_equal(mesh_corners(str(tmp_path / name)), points)
    scaled = lo.Hull.of_mesh(str(tmp_path / "a.stl"), (2.0, 1.0, -1.0))
    assert np.isclose(np.ptp(scaled.corners[:, 0]), 2 * np.ptp(points[:, 0]))


def test_odd_meshes_are_refused_in_a_sentence(tmp_path):
    good = as_stl(cloud(30))
    bad = {
        "cut.stl": good[:-7], "long.stl": good + b"x", "empty.stl": b"", "none.stl": b"\0" * 84, "text.stl": b"hello",
        "nan.stl": as_stl(np.full((3, 3), np.nan)), "huge.stl": b"\0" * 80 + b"\xff" * 4, "word.obj": b"v 1 2 three",
        "short.obj": b"v 1 2", "no.obj": b"f 1 2 3", "inf.obj": b"v 1 2 inf", "odd.ply": b"ply", "no.ending": b"",
        "solid.stl": b"solid", "folder.obj/": b"",
    }  # fmt: skip
    for name, data in bad.items():
        path = tmp_path / name
        path.mkdir() if name.endswith("/") else path.write_bytes(data)
        with pytest.raises(ValueError, match="mesh .*: |mesh .* cannot be read"):
            mesh_corners(str(path))
    with pytest.raises(ValueError, match="no such file"):
        mesh_corners(str(tmp_path / "missing.stl"))
