"""Hollow meshes of files that touch with several hulls: what lies in the hollow lies on what is there."""

import numpy as np
import pytest

import locomote as lo

BALL = '<body name="ball" pos=".65 .1 .6"><freejoint/><geom name="ball" size=".1"/></body>'
WALL = """<mujoco><option timestep="0.002"/><asset><mesh name="ell" file="ell.obj"/></asset>
<worldbody><geom name="ell" type="mesh" mesh="ell"/>{}</worldbody></mujoco>"""
ARM = """<mujoco><asset><mesh name="ell" file="ell.obj"/></asset><worldbody>
<body name="ell"><joint axis="0 1 0"/><geom name="ell" type="mesh" mesh="ell"/></body>{}</worldbody></mujoco>"""


@pytest.fixture
def folder(tmp_path):
    """A folder with the mesh of an L of 1 m that stands in x and z, 0.3 m thick."""
    outline = [(0.3, 0.3), (0.3, 1), (0, 1), (0, 0), (1, 0), (1, 0.3)]  # seen from its inner corner
    corners = [(x, y, z) for y in (0.2, 0.0) for x, z in outline]
    faces = [(1, k, k + 1) for k in range(2, 6)]
    faces = [face[::-1] for face in faces] + [tuple(k + 6 for k in face) for face in faces]
    for k in range(6):
        a, b = k + 1, (k + 1) % 6 + 1
        faces += [(a, b, a + 6), (a + 6, b, b + 6)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {a} {b} {c}" for a, b, c in faces]
    (tmp_path / "ell.obj").write_text("\n".join(lines))
    return tmp_path


def scene(folder, text, **options):
    path = folder / "scene.xml"
    path.write_text(text.format(BALL))
    return lo.load_scene(path, **options)


def test_a_ball_falls_into_the_hollow_of_a_wall(folder):
    """With its one hull the ball starts within it, and their pair is off."""
    assert scene(folder, WALL).simulate(0.5).q[-1, 2] < 0.0
    run = scene(folder, WALL, parts=2).simulate(1.0)
    assert abs(run.q[-1, 2] - 0.4) < 1e-6 and run.audit.ok


def test_meshes_of_models_are_cut(folder):
    model = scene(folder, ARM, contacts=False).model
    cut = lo.decomposed(model, tolerance=1e-6, parts=4)
    assert [shape.shape for shape in cut.collisions] == ["hull", "hull", "sphere"]
    assert [shape.name for shape in cut.collisions] == ["ell 1", "ell 2", "ball"]
    q = model.neutral()
    q[model.joint("free of ball").q] = [0.65, 0.1, 0.6, 0, 0, 0, 1]
    (near,) = lo.self_collisions(model, q)
    assert near.gap < -0.1 and not lo.self_collisions(cut, q)
    (foot,) = lo.self_collisions(cut, q, margin=0.21)
    assert foot.gap == pytest.approx(0.2)
    parts = [np.reshape(shape.size, (-1, 3)) for shape in cut.collisions[:2]]
    assert {tuple(x) for x in np.concatenate(parts).round(9)} >= {(1, 0, 0.3), (0.3, 0.2, 1), (0, 0, 0)}
    assert lo.decomposed(model, bodies=["ball"]).collisions == model.collisions
    assert lo.Model(cut.description) == cut


def test_odd_questions_get_a_sentence(folder):
    model = scene(folder, ARM, contacts=False).model
    with pytest.raises(LookupError, match="no body named 'bal'"):
        lo.decomposed(model, bodies=["bal"])
    with pytest.raises(ValueError, match="parts is 0"):
        lo.decomposed(model, parts=0)
    with pytest.raises(ValueError, match="tolerance of convex parts"):
        scene(folder, WALL, parts=3, tolerance=0.0)
    strange = lo.Collision("hull", (0.0, 1.0))
    body = lo.Builder("odd", base="free").body("odd", inertia=lo.Inertia.sphere(1.0, 0.1), collisions=[strange]).build()
    with pytest.raises(ValueError, match="2 numbers, expected x, y, z"):
        lo.on_ground(body)
    (folder / "ell.obj").write_text("v 1e30 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3")
    with pytest.raises((lo.ModelError, ValueError), match="ell"):
        scene(folder, ARM, parts=3)
