"""Cones of friction and loads: normals by the surface, cones by Coulomb's law, and that forces lie in them."""

import numpy as np
import pytest

import locomote as lo
from locomote.view.build import scene_of
from locomote.view.frames import frames_of
from locomote.view.presses import FEW, cone, cone_pose, disc_pose, face_of, largest_load

BALL = lo.Inertia.sphere(2.0, 0.1)


def frames(run, count=12):
    scene = scene_of(run.model, run.problem, run.q)
    return scene, frames_of(scene, run, np.linspace(run.t[0], run.t[-1], count), forces=True)


def on_slope(angle, friction):
    """A box on a plane that is tilted about y."""
    normal = (np.sin(angle), 0.0, np.cos(angle))
    model = lo.Builder("box", base="free").body("box", inertia=lo.Inertia.box(3.0, (0.4, 0.4, 0.2))).build()
    ground = lo.Ground(lo.Plane(point=(0, 0, 0), normal=normal), friction=friction)
    problem = lo.Locomotion(model, contacts=[lo.Touch("box", ground, box=(0.2, 0.2, 0.1))])
    q = model.neutral()
    q[:3] = 0.1 * np.array(normal)
    q[3:7] = (0.0, np.sin(angle / 2), 0.0, np.cos(angle / 2))
    return problem.simulate(0.2, q=q, progress=False), np.array(normal)


@pytest.mark.parametrize("angle, slides", [(0.2, False), (0.5, True)])
def test_what_sticks_lies_within_its_cone_and_what_slides_on_its_rim(angle, slides):
    """The normal is that of the plane, loads carry the weight across it, and tan of the angle tells sticking from sliding."""
    run, normal = on_slope(angle, 0.3)
    _, found = frames(run)
    assert len(found.presses) == 4
    for press in found.presses:
        assert np.allclose(press.axes[:, :, 2], normal) and press.friction == (0.3, 0.3)
    row = len(found.t) - 1
    total = sum(press.load[row] for press in found.presses)
    assert np.isclose(total, 3.0 * 9.81 * np.cos(angle), rtol=1e-3)
    forces = {arrow.name: arrow.vector[row] for arrow in found.arrows if arrow.kind == "reaction"}
    along = sum(force - force @ normal * normal for force in forces.values())
    share = np.linalg.norm(along) / (0.3 * total)
    assert np.isclose(share, 1.0, atol=1e-3) if slides else np.isclose(share, np.tan(angle) / 0.3, atol=1e-2)


def test_a_cone_has_the_tip_of_the_arrow_of_what_slides_in_its_rim():
    run, normal = on_slope(0.5, 0.3)
    _, found = frames(run)
    row, press = len(found.t) - 1, max(found.presses, key=lambda press: press.load[-1])
    force = next(arrow.vector[row] for arrow in found.arrows if arrow.name == press.name)
    tip = press.at[row] + force / found.scales["N"]
    pose = cone_pose(press, row, found.scales, largest_load(found.presses))
    own = np.linalg.inv(pose) @ [*tip, 1.0]
    assert np.isclose(own[2], 1.0) and np.isclose(np.hypot(own[0], own[1]), 1.0, atol=2e-3)
    assert np.allclose(cone().vertices[:, 2], np.hypot(*cone().vertices[:, :2].T))  # one high, one wide


def test_discs_are_as_large_as_the_load_and_nothing_is_drawn_where_none_is():
    run, _ = on_slope(0.2, 0.3)
    scene, found = frames(run)
    largest = largest_load(found.presses)
    for press in found.presses:
        pose = disc_pose(press, 5, scene.size, largest)
        area = np.pi * np.linalg.norm(pose[:3, 0]) ** 2
        whole = np.pi * (0.09 * scene.size) ** 2
        assert np.isclose(area / whole, press.load[5] / largest)
        assert disc_pose(press, 5, scene.size, 1e6 * largest) is None and cone_pose(press, 5, {}, largest) is None


def test_soft_ground_has_cones_of_its_own_coefficients():
    """A ball at rest on ground with two coefficients: its load is its weight."""
    model = lo.Builder("ball", base="free").body("ball", inertia=BALL).build()
    ground = lo.SoftGround({"ball": [(0, 0, 0)]}, 1e4, 200.0, friction=(0.8, 0.2), radius=0.1)
    problem = lo.Locomotion(model, environment=[ground])
    q = model.neutral()
    q[2] = 0.1 - 2.0 * 9.81 / 1e4
    _, found = frames(problem.simulate(0.3, q=q, progress=False))
    (press,) = found.presses
    assert press.friction == (0.8, 0.2) and np.isclose(press.load[-1], 2.0 * 9.81, rtol=1e-3)
    assert np.allclose(press.axes[-1, :, 2], (0, 0, 1)) and np.allclose(press.axes[-1, :, 0], (1, 0, 0))


def test_bodies_that_lie_on_each_other_have_normals_towards_each():
    """A stack: all normals are upright, as forces on the upper box are."""
    run = lo.systems.load("box_stack", count=3, offset=0.0).problem().simulate(0.05, progress=False)
    _, found = frames(run, 3)
    loaded = [press for press in found.presses if press.load[-1] > 1e-3 * largest_load(found.presses)]
    assert len(loaded) >= 8
    for press in loaded:
        assert np.allclose(abs(press.axes[-1, :, 2]), (0, 0, 1), atol=1e-6) and press.load[-1] > 0


def test_faces_of_boxes_at_their_edges_are_faces():
    box = lo.Box((0.5, 0.5, 0.1))
    places = np.array([(0.5, 0.5, 0.1), (0.5001, 0.0, 0.0), (0.0, -0.2, -0.1001)])
    normals = face_of(box, places)
    assert np.allclose(np.linalg.norm(normals, axis=1), 1.0) and np.allclose(normals[1:], [(1, 0, 0), (0, 0, -1)])
    assert np.count_nonzero(normals[0]) == 1


def test_shapes_of_bodies_push_along_the_normal_of_their_pair():
    """Two balls that are pressed together: their pair has a slot, and its normal joins their middles."""
    builder = lo.Builder("balls")
    for name in ("left", "right"):
        builder.body(name, joint=lo.Joint(f"{name}_x", "prismatic", axis=(1, 0, 0)), inertia=BALL)
    model = builder.build()
    balls = tuple(lo.Solid(name, lo.Sphere(0.1)) for name in ("left", "right"))
    problem = lo.Locomotion(
        model, contacts=[lo.BodyContacts(balls, ((0, 1),), friction=0.4)],
        torques={"left_x": lo.Constant(5.0), "right_x": lo.Constant(-5.0)},
    )  # fmt: skip
    run = problem.simulate(0.1, q=np.array([-0.1, 0.1]), progress=False)
    _, found = frames(run, 4)
    loaded = [press for press in found.presses if press.load[-1] > 0.1]
    assert loaded and FEW > 0
    for press in loaded:
        assert np.isclose(press.load[-1], 5.0, rtol=1e-2) and np.allclose(abs(press.axes[-1, :, 2]), (1, 0, 0), atol=1e-6)
        assert press.friction == (0.4, 0.4)
