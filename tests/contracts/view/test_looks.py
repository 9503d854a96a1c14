"""What bodies without shapes of their own look like, which colours they get, and which chains get a skin."""

import numpy as np
import pytest

import locomote as lo
from locomote.view import looks, skins, tracks
from locomote.view.build import scene_of
from locomote.view.solids import solid_of

TURN = np.eye(4)
TURN[:3, :3] = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
TURN[:3, 3] = 0.1, -0.2, 0.3
SOLIDS = {
    "ball": lo.Inertia.sphere(2.0, 0.3),
    "rod": lo.Inertia.cylinder(2.0, 0.1, 0.9),
    "disc": lo.Inertia.cylinder(2.0, 0.5, 0.1),
    "box": lo.Inertia.box(2.0, (0.2, 0.3, 0.5)),
}


def inertia_of(mesh, mass: float) -> np.ndarray:
    """Moment about the center of a closed mesh that is full, by tetrahedra to the origin."""
    corners = mesh.vertices[mesh.faces]
    volumes = np.linalg.det(corners) / 6
    sums = corners.sum(axis=1)
    second = (np.einsum("fki,fkj->fij", corners, corners) + np.einsum("fi,fj->fij", sums, sums)) * volumes[:, None, None] / 20
    covariance = second.sum(axis=0) / volumes.sum() * mass
    return np.trace(covariance) * np.eye(3) - covariance


@pytest.mark.parametrize("name", SOLIDS)
def test_a_solid_has_the_inertia_that_it_stands_for(name):
    inertia = SOLIDS[name].moved(TURN)
    _, mesh, pose = solid_of(inertia)
    found = pose[:3, :3] @ inertia_of(mesh, inertia.mass) @ pose[:3, :3].T
    assert np.allclose(found, inertia.moment, atol=0.06 * np.trace(inertia.moment))  # corners are less round
    assert np.allclose(pose[:3, 3], inertia.com) and np.isclose(np.linalg.det(pose[:3, :3]), 1.0)


def test_a_point_mass_is_no_solid():
    assert solid_of(lo.Inertia(1.0, (1.0, 0.0, 0.0))) is None and solid_of(lo.Inertia(0.0)) is None


def test_moments_that_need_a_body_lighter_than_air_are_no_shape():
    assert solid_of(lo.Inertia(1e-5, moment=(4e-8,) * 3)) is None  # of a motor: a ball of 0.2 m
    assert (
        solid_of(lo.Inertia(1.0, moment=(1.0, 1.0, 1.9))) is None and solid_of(lo.Inertia(1.0, moment=(1.0, 1.5, 2.0))) is None
    )


def test_a_stack_has_several_colours():
    model = lo.systems.load("box_stack").model
    assert len(set(looks.body_colors([model.body(k).body for k in range(len(model.body_names))]))) == 4


def test_both_sides_and_long_chains_have_one_colour():
    of = {}
    for system in ("trotting_quadruped", "rope", "snakeboard"):
        model = lo.systems.load(system).model
        bodies = [model.body(k).body for k in range(len(model.body_names))]
        of[system] = dict(zip(model.body_names, looks.body_colors(bodies), strict=True))
    assert len(set(of["rope"].values())) <= 2
    board = of["snakeboard"]
    assert board["rear_axle"] == board["front_axle"] and len({board["board"], board["rotor"], board["rear_axle"]}) == 3


def test_a_fish_has_a_skin_along_its_links():
    system = lo.systems.load("fish")
    run = system.problem().simulate(0.5, progress=False)
    scene = scene_of(run.model, run.problem, run.q)
    (tube,) = scene.tubes
    poses, values = tube.shape(run.q[-1:])
    middles = lo.forward_kinematics(run.model, run.q[-1])
    half = np.array([0.5 * 0.5 / 24, 0.0, 0.0])
    for k in (3, 11, 20):  # it passes the middle of each link
        middle = middles[k, :3, :3] @ half + middles[k, :3, 3]
        assert np.linalg.norm(poses[0, :, :3, 3] - middle, axis=1).min() < 1e-9
    assert values is None and scene.water and not any(piece.name == "ellipsoid" for piece in scene.pieces)
    assert np.allclose(np.linalg.det(poses[0, :, :3, :3]), 1.0)


def test_short_chains_and_coloured_links_keep_their_shapes():
    tuna = lo.systems.load("tuna_robot").model
    assert skins.covered([tuna.body(k).body for k in range(len(tuna.body_names))]) == []


def test_cubics_between_values_are_exact_for_parabolas():
    x = np.arange(6.0)
    fine = skins.between(x**2, 4)
    assert np.allclose(fine[4:-4], (np.arange(21) / 4)[4:-4] ** 2)


def test_wheels_leave_lines_and_feet_leave_prints():
    """A board whose axles go where run.q says; a foot that stands twice, at known places."""
    run = lo.systems.load("snakeboard").problem().simulate(5.0, progress=False)
    (marks,) = [piece for piece in scene_of(run.model, run.problem, run.q).pieces if piece.layer == "tracks"]
    rear = lo.forward_kinematics(run.model, run.q)[:, run.model.body_index("rear_axle"), :3, 3]
    away = [np.linalg.norm(marks.mesh.vertices[:, :2] - point[:2], axis=1).min() for point in rear[::20]]
    assert max(away) < 0.02 and np.ptp(marks.mesh.vertices[:, 2]) == 0.0
    way = np.zeros((60, 3))
    way[20:40, 0], way[40:, 0] = np.linspace(0.0, 0.5, 20), 0.5  # stands at 0, swings, stands at 0.5
    way[20:40, 2] = 0.1 * np.sin(np.linspace(0.0, np.pi, 20))
    found = tracks.prints(way, 1.0)
    assert len(found) == 2 and np.allclose(found, [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0]], atol=0.01)


def test_what_stands_still_or_hangs_leaves_no_marks():
    system = lo.systems.load("snakeboard")
    assert not [piece for piece in scene_of(system.model, system.problem()).pieces if piece.layer == "tracks"]
