"""The gap of convex shapes: proven by its two bounds, and against NNLS, Qhull, closed forms and MuJoCo.

python tests/laws/contact/test_separation.py      10,000 random pairs, 300 pairs of hulls, 2,000 pairs beside MuJoCo
"""

import mujoco
import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import locomote as lo

KINDS = ("box", "sphere", "capsule", "ellipsoid", "cylinder", "hull")


def posed(random, reach=0.2):
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = Rotation.random(random_state=random).as_matrix(), reach * random.normal(size=3)
    return pose


def made(kind, random):
    a = random.uniform(0.05, 0.3, 3).tolist()
    shapes = {
        "box": lambda: lo.Box(tuple(a)), "sphere": lambda: lo.Sphere(radius=a[0]), "capsule": lambda: lo.Capsule(a[0], a[1]),
        "ellipsoid": lambda: lo.Ellipsoid(tuple(a)), "cylinder": lambda: lo.Collision("cylinder", (a[0], 2 * a[1])),
        "hull": lambda: lo.Hull(random.normal(size=(random.integers(4, 64), 3)) * a),
    }  # fmt: skip
    return shapes[kind]()


def reach(shape, pose, d):
    """How far a shape reaches along d, in closed form."""
    own, at = pose[:3, :3].T @ d, pose[:3, 3] @ d
    if isinstance(shape, lo.Box):
        return at + np.array(shape.half) @ abs(own)
    if isinstance(shape, lo.Sphere):
        return at + shape.radius
    if isinstance(shape, lo.Capsule):
        return at + shape.radius + shape.half * abs(own[2])
    if isinstance(shape, lo.Ellipsoid):
        return at + np.linalg.norm(np.array(shape.semi_axes) * own)
    if isinstance(shape, lo.Collision):
        return at + shape.size[0] * np.hypot(*own[:2]) + shape.size[1] / 2 * abs(own[2])
    return at + (shape.corners @ own).max()


def sep(first, pose, second, other, n):
    return -reach(second, other, -n) - reach(first, pose, n)


def pairs(count, seed, kinds=KINDS):
    random = np.random.default_rng(seed)
    for _ in range(count):
        shapes = [made(kinds[random.integers(len(kinds))], random) for _ in range(2)]
        yield shapes[0], posed(random), shapes[1], posed(random)


def prove(count, seed=0):
    worst = 0.0
    for first, pose, second, other in pairs(count, seed):
        found = lo.separation(first, pose, second, other)
        assert abs(np.linalg.norm(found.normal) - 1) < 1e-14
        assert abs(sep(first, pose, second, other, found.normal) - found.gap) < 1e-12  # a lower bound, by other code
        assert -1e-12 < found.bound - found.gap < 1e-9, (first, second, found)
        worst = max(worst, found.bound - found.gap)
        assert abs((found.points[1] - found.points[0]) @ found.normal - found.gap) < 1e-6
    return worst


def exact(first, pose, second, other):
    """The gap of two hulls by NNLS (least distance) where they are apart, and by Qhull of all differences where not."""
    a, b = (x.corners @ p[:3, :3].T + p[:3, 3] for x, p in ((first, pose), (second, other)))
    w = (a[:, None] - b[None]).reshape(-1, 3)
    E = np.vstack([w.T, np.ones(len(w))])
    r = E @ nnls(E, np.array([0.0, 0, 0, 1]), maxiter=10000)[0] - [0, 0, 0, 1]
    if abs(r[3]) > 1e-9:
        return 1 / np.linalg.norm(r[:3] / r[3])
    return ConvexHull(w).equations[:, 3].max()


def against_exact(count, seed=1):
    worst = 0.0
    for given in pairs(count, seed, ("hull",)):
        found, gap = lo.separation(*given).gap, exact(*given)
        if abs(gap) > 1e-6:
            worst = max(worst, abs(found - gap))
    return worst


def geom_of(shape, name, assets):
    def numbers(x):
        return " ".join(repr(float(y)) for y in np.ravel(x))

    if isinstance(shape, lo.Hull):
        assets.append(f'<mesh name="{name}" vertex="{numbers(shape.corners)}" inertia="shell"/>')
        return f'type="mesh" mesh="{name}"'
    if isinstance(shape, lo.Collision):
        return f'type="cylinder" size="{shape.size[0]} {shape.size[1] / 2}"'
    size = {lo.Box: "half", lo.Sphere: "radius", lo.Ellipsoid: "semi_axes"}.get(type(shape))
    values = (shape.radius, shape.half) if size is None else getattr(shape, size)
    return f'type="{type(shape).__name__.lower()}" size="{numbers(values)}"'


def beside_mujoco(count, seed=2):
    """The most by which MuJoCo's direction separates better than ours."""
    worst, compared = -np.inf, 0
    for first, pose, second, other in pairs(count, seed):
        assets, bodies = [], ""
        for k, (shape, at) in enumerate(((first, pose), (second, other))):
            axes = " ".join(map(repr, np.concatenate([at[:3, 0], at[:3, 1]]).tolist()))
            place = " ".join(map(repr, at[:3, 3].tolist()))
            bodies += f'<body pos="{place}" xyaxes="{axes}"><freejoint/><geom {geom_of(shape, f"m{k}", assets)}/></body>'
        text = f"<mujoco><asset>{''.join(assets)}</asset><worldbody>{bodies}</worldbody></mujoco>"
        try:
            model = mujoco.MjModel.from_xml_string(text)
        except ValueError:  # hulls that it finds too thin
            continue
        data, line = mujoco.MjData(model), np.zeros(6)
        mujoco.mj_forward(model, data)
        mujoco.mj_geomDistance(model, data, 0, 1, 10.0, line)
        n = line[3:] - line[:3]
        if np.linalg.norm(n) < 1e-9:
            continue
        ours, compared = lo.separation(first, pose, second, other), compared + 1
        n *= np.sign(n @ ours.normal) / np.linalg.norm(n)
        worst = max(worst, sep(first, pose, second, other, n) - ours.gap)
    return worst, compared


def test_every_answer_is_proven_by_its_two_bounds():
    assert prove(1200) < 1e-9


def test_hulls_have_the_gap_of_exact_programs():
    assert against_exact(60) < 1e-9


def test_no_direction_of_mujoco_separates_better():
    worst, compared = beside_mujoco(150)
    assert worst < 1e-9 and compared > 100


def test_closed_forms_and_normals_of_round_shapes():
    random = np.random.default_rng(5)
    for _ in range(50):
        pose, other = posed(random), posed(random)
        away = other[:3, 3] - pose[:3, 3]
        ball = lo.separation(lo.Sphere(radius=0.1), pose, lo.Sphere(radius=0.2), other)
        assert np.isclose(ball.gap, np.linalg.norm(away) - 0.3, atol=1e-14)
        assert np.allclose(ball.normal, away / np.linalg.norm(away), atol=1e-14)
        egg = lo.Ellipsoid((0.1, 0.2, 0.3)), pose, lo.Ellipsoid((0.2, 0.1, 0.15)), other
        found = lo.separation(*egg)
        for _ in range(20):  # no direction nearby separates better: to first order the normal is exact
            turned = found.normal + 1e-5 * random.normal(size=3)
            assert sep(*egg, turned / np.linalg.norm(turned)) < found.gap + 1e-15
        t = np.linalg.svd(found.normal[None])[2][1:]
        sides = [[sep(*egg, (found.normal + e * x) / np.hypot(1, e)) for e in (1e-4, -1e-4)] for x in t]
        slope = [a - b for a, b in sides]
        assert np.abs(slope).max() / 2e-4 < 1e-7


def test_flat_thin_and_touching_shapes():
    plate, box = lo.Hull([[x, y, 0] for x in (-1, 1) for y in (-1, 1)]), lo.Box((0.1, 0.1, 0.1))
    for height in (0.3, 0.1, 0.05, 1e-9, -0.02):
        pose = np.eye(4)
        pose[2, 3] = height
        assert np.isclose(lo.separation(plate, np.eye(4), box, pose).gap, abs(height) - 0.1, atol=1e-12)
    point = lo.Hull([[0, 0, 0]])
    assert np.isclose(lo.separation(point, np.eye(4), box, np.eye(4)).gap, -0.1)
    same = lo.separation(box, np.eye(4), box, np.eye(4))
    assert np.isclose(same.gap, -0.2) and same.bound - same.gap < 1e-12


def test_odd_calls_are_refused():
    box = lo.Box((1, 1, 1))
    for shape, pose, word in (
        (lo.Plane(), np.eye(4), "not known"), ("box", np.eye(4), "unknown shape"), (box, np.eye(3), "shape"),
        (box, np.full((4, 4), np.nan), "finite"), (box, 2 * np.eye(4), "rotation"),
        (lo.Collision("cylinder", (1,)), np.eye(4), "size"), (lo.Sphere(radius=1.0, inside=True), np.eye(4), "not known"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=word):
            lo.separation(shape, pose, box, np.eye(4))


if __name__ == "__main__":
    print(f"10,000 pairs: bounds are at most {prove(10_000):.0e} m apart")
    print(f"300 pairs of hulls: {against_exact(300):.0e} m from NNLS and Qhull")
    worst, compared = beside_mujoco(2000)
    print(f"{compared} pairs beside MuJoCo: its direction separates better by at most {worst:.0e} m")
