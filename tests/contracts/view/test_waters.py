"""Water in the view: where its surface is, specks that stand still, and a flow as it is at points of its own law."""

from dataclasses import replace

import numpy as np
import pytest

import locomote as lo
from locomote.view.build import scene_of
from locomote.view.camera import camera_for
from locomote.view.draw import Painter
from locomote.view.frames import frames_of, still_frames
from locomote.view.scene import piece_corners
from locomote.view.waters import at_time, flowing, stream_arrows, stream_colors, stream_of, velocity_and_gradient


def still(name, **given):
    system = lo.systems.load(name, **given)
    problem = system.problem()
    q = np.asarray(system.initial[0])[None]
    return scene_of(problem.model, problem, q), still_frames(scene_of(problem.model, problem, q), problem.model, q)


@pytest.mark.parametrize("name", ["tuna_robot", "purcell_swimmer"])
def test_the_surface_is_above_and_the_bottom_below_and_specks_between(name):
    scene, frames = still(name)
    corners = piece_corners(scene, frames.poses)
    assert scene.water and scene.ground < corners[..., 2].min() and scene.surface > corners[..., 2].max()
    heights = scene.specks[:, 2]
    assert len(heights) >= 60 and scene.ground <= heights.min() < heights.max() <= scene.surface
    again, _ = still(name)
    assert (again.specks == scene.specks).all()


def test_what_floats_without_up_and_down_has_specks_and_no_surface():
    scene, _ = still("jellyfish")
    assert scene.water and scene.surface is None and len(scene.specks)


def test_land_has_no_water():
    scene, _ = still("snakeboard")
    assert not scene.water and scene.surface is None and not len(scene.specks) and scene.stream is None


@pytest.mark.parametrize("part", ["water", "flow"])
def test_layers_of_water_change_the_picture(part):
    scene, frames = still("dead_fish") if part == "flow" else still("tuna_robot")
    if part == "flow":
        frames = replace(frames, flow=flowing(scene.stream, np.zeros(1)))
    painter = Painter(scene, camera_for(scene, frames, 4 / 3), 160, 120)
    without = Painter(scene, painter.camera, 160, 120, painter.layers - {part})
    changed = abs(painter.picture(frames, 0).astype(int) - without.picture(frames, 0)).max(axis=2) > 5
    assert changed.mean() > 0.02


def test_a_flow_is_that_of_its_law():
    """All places at once against the law at each, and vorticity against differences of the velocity."""
    flow = lo.water.KarmanStreet((0.3, 0.0, 0.0), 0.2, 0.028, 0.02) + lo.water.Shear(0.5, (1, 0, 0), (0, 1, 0))
    fluid = lo.Fluid(1000.0, 1e-3, flow)
    stream = stream_of([lo.Buoyancy("x", fluid)], np.array([-0.1, -0.1, 0.0]), np.array([0.3, 0.1, 0.0]))
    found = flowing(stream, np.array([0.0, 0.4]))
    h = 1e-6
    for n, i, j in ((0, 3, 5), (1, 10, 20), (1, 0, 0)):
        t, x = found.t[n], np.array([stream.x[j], stream.y[i], stream.level])
        U, G, _ = flow.at(t, x)
        assert np.allclose(found.velocity[n, i, j], U[:2]) and np.isclose(found.vorticity[n, i, j], G[1, 0] - G[0, 1])
        ahead, side = (flow.at(t, x + h * step)[0] - flow.at(t, x - h * step)[0] for step in np.eye(3)[:2])
        assert np.isclose(found.vorticity[n, i, j], (ahead[1] - side[0]) / (2 * h), atol=1e-5)
    middle = at_time(found, 0.2)[0]
    assert np.allclose(middle, found.vorticity.mean(axis=0))
    at, arrows = stream_arrows(stream, found, 0.0)
    fastest = np.linalg.norm(found.velocity, axis=-1).max()
    assert len(at) == len(arrows) > 20 and np.linalg.norm(arrows, axis=1).max() <= 4 * (stream.x[1] - stream.x[0])
    k = int(np.argmin(np.linalg.norm(at - [stream.x[2], stream.y[2], stream.level], axis=1)))
    own = found.velocity[0, 2, 2]
    assert fastest > 0.3 and np.allclose(arrows[k, :2] / np.linalg.norm(arrows[k]) * np.linalg.norm(own), own)


def test_a_law_that_branches_is_asked_point_by_point():
    class Step(lo.water.Uniform):
        law = property(lambda self: branching)

    def branching(t, x, numbers, start):
        size = 2.0 if x[1] > 0 else 1.0
        return (size * numbers[start], 0.0, 0.0), (0.0,) * 9, (0.0, 0.0, 0.0)

    points = np.array([[[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]])
    U, G = velocity_and_gradient(Step((0.5, 0.0, 0.0)), 0.0, points)
    assert U.shape == (1, 2, 3) and G.shape == (1, 2, 3, 3) and U[0, :, 0].tolist() == [1.0, 0.5]


def test_colours_tell_both_ways_round_and_still_water_is_clear():
    colors, opacity = stream_colors(np.array([-2.0, 0.0, 2.0]), 2.0)
    assert opacity[1] == 0 and opacity[0] == opacity[2] > 0.3 and (colors[0] != colors[2]).any()
    assert not stream_colors(np.zeros(3), 0.0)[1].any()


def test_a_report_holds_the_flow_in_few_bytes(tmp_path):
    run = lo.systems.load("dead_fish").problem().simulate(1.0, progress=False)
    frames = frames_of(scene_of(run.model, run.problem, run.q), run, np.linspace(0.0, 1.0, 30))
    assert frames.flow is not None and frames.flow.vorticity.shape[0] == 30
    run.report(tmp_path / "a.html")
    text = (tmp_path / "a.html").read_text()
    assert '"flow": {' in text or '"flow":{' in text
    assert len(text) < 5e6
