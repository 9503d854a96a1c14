"""Rods are drawn where they are: the tube ends at what hangs on them, and constant curvature is an arc of its circle."""

import numpy as np
import pytest

import locomote as lo
from locomote.view.build import scene_of
from locomote.view.frames import still_frames


@pytest.fixture(scope="module")
def whip():
    builder = lo.Builder("whip")
    builder.body("hand", joint=lo.Joint("turn", axis="y"), inertia=lo.Inertia.box(0.5, (0.05, 0.05, 0.05)))
    section, stuff = lo.Section.circle(0.012), lo.Material(density=1000, young=2e6, poisson=0.45)
    rod = lo.Rod(0.6, section=section, material=stuff, strains="bending torsion", order=3)
    builder.body("rod", parent="hand", at=(0.1, 0, 0), flex=rod)
    builder.body("tip", parent="rod", inertia=lo.Inertia.sphere(0.05, 0.03))
    return builder.build()


def test_the_tube_goes_from_root_to_tip(whip):
    scene = scene_of(whip)
    (tube,) = scene.tubes
    rng = np.random.default_rng(0)
    q = np.array([whip.neutral(), 0.5 * rng.normal(size=whip.nq)])
    frames = still_frames(scene, whip, q)
    poses, values = frames.tubes[0]
    tip = whip.body_index("tip")
    assert np.allclose(poses[:, -1, :3, 3], frames.poses[:, tip, :3, 3], atol=1e-9)
    stations = np.concatenate([[0.1], 0.1 + lo.rods.sections(whip, q[0], "rod").along])
    finer = (poses.shape[1] - 1) // (len(stations) - 1)
    assert finer > 1 and np.allclose(poses[0, ::finer, 0, 3], stations)
    assert (np.diff(poses[0, :, 0, 3]) > 0).all() and np.allclose(poses[0, :, 1:3, 3], poses[0, :1, 1:3, 3])  # in between
    assert np.allclose(values[0], 0) and (values[1] > 0).all() and np.allclose(tube.radius, 0.012)


def test_constant_curvature_is_an_arc(whip):
    """The first bending coordinate alone: a circle, whose curvature is the value that gives the colour."""
    scene = scene_of(whip)
    for k in range(whip.joint("rod").q.start, whip.joint("rod").q.stop):
        q = whip.neutral()
        q[k] = 1.5
        poses, values = still_frames(scene, whip, q[None]).tubes[0]
        points, curvature = poses[0, :, :3, 3], values[0]
        if np.ptp(curvature) < 1e-9 and np.ptp(points[:, 1:], axis=0).max() > 1e-3:  # constant, and not torsion
            chords = np.linalg.norm(points[1:] - points[0], axis=1)
            along = lo.rods.sections(whip, q, "rod").along
            finer = len(chords) // len(along)
            exact = 2 / curvature[0] * np.sin(curvature[0] * along / 2)
            assert np.allclose(chords[finer - 1 :: finer], exact, atol=1e-9)
            root, way = points[0], poses[0, 0, :3, 0]
            side = points[-1] - root - (points[-1] - root) @ way * way
            middle = root + side / np.linalg.norm(side) / curvature[0]
            assert np.allclose(np.linalg.norm(points - middle, axis=1), 1 / curvature[0], rtol=2e-3)  # in between
            return
    pytest.fail("no coordinate bends the rod evenly")


def test_films_and_reports_of_rods(whip, tmp_path):
    run = lo.Locomotion(whip, drives={"turn": lo.Sine(0.8, 5.0)}).simulate(0.3, method="implicit", progress=False)
    run.film(tmp_path / "whip.png", size=(120, 90))
    run.report(tmp_path / "whip.html")
    assert '"tubes":[{"name":"rod"' in (tmp_path / "whip.html").read_text()


def test_the_viewer_colours_a_rod_along_its_length(whip):
    """The second bending coordinate: little curvature at one end, much at the other, and so in the colours of the bands."""
    q = whip.neutral()
    q[whip.joint("rod").q.start :][1::3] = 3.0
    with whip.view(q, browser=False, wait=False, port=0) as viewer:
        live = viewer.panel.live
        nodes = list(live._tubes.values())
        _, values = still_frames(live.scene, whip, q[None]).tubes[0]
        assert len(nodes) == min(24, values.shape[1] - 1) and len({tuple(node.color) for node in nodes}) > 3
        brightest = int(np.argmax([node.color[0] + node.color[1] for node in nodes]))
        assert abs(brightest / (len(nodes) - 1) - np.argmax(values[0]) / (values.shape[1] - 1)) < 0.2
        before = [node.vertices.copy() for node in nodes]
        viewer.panel.set(int(whip.joint("turn").q.start), 0.5)
        assert all(abs(node.vertices - old).max() > 1e-3 for node, old in zip(nodes, before, strict=True)), "it moves"


def test_the_viewer_says_what_colours_mean_and_closes_tubes_at_their_ends_only(whip):
    run = lo.Locomotion(whip).simulate(0.2, every=0.02, progress=False)
    with run.view(browser=False, wait=False, port=0) as viewer:
        live = viewer.panel.scenes[0][2]
        words = viewer.panel._scales._handle.content
        assert "curvature and twist" in words and "1/m" in words and words.count("rgb(") == 5
        bands = [live._tubes[key] for key in sorted(live._tubes)]
        around = [np.bincount(np.sort(edges_of(band.faces), axis=1) @ [1, 10_000]) for band in bands]
        open_ends = [int((count == 1).sum()) for count in around]
    assert len(bands) > 2 and open_ends == [12, *[24] * (len(bands) - 2), 12]


def edges_of(faces):
    """(3 m, 2) edges of faces (m, 3)."""
    return np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]).astype(int)


def test_legs_that_are_forces_are_drawn_while_they_push():
    """From the foothold to the mass, and nowhere in flight."""
    system = lo.systems.load("slip_hopper")
    problem = system.problem()
    run = problem.simulate(system.duration, q=system.initial[0], v=system.initial[1], progress=False)
    tubes = scene_of(run.model, problem, run.q).tubes
    assert len(tubes) == len(problem.environment) > 0
    ends = np.array([tube.shape(run.q)[0][:, :, :3, 3] for tube in tubes])  # (legs, samples, 2, 3)
    lengths = np.linalg.norm(ends[:, :, 1] - ends[:, :, 0], axis=-1)
    compressed = 0.5 * 20000.0 * np.maximum(1.0 - lengths, 0.0) ** 2 * (lengths > 0.1)
    stored = np.array([run.energies[term.name] for term in problem.environment])
    assert np.allclose(compressed, stored, atol=1e-6 * stored.max())
    assert ((lengths < 1e-5) | (abs(ends[:, :, 0, 2]) < 1e-12)).all()  # feet are on the ground
