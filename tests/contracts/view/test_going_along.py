"""Where the viewer goes along with what moves, the world is shifted and the cameras of pages stay."""

import numpy as np
import pytest

import locomote as lo

pytest.importorskip("viser")


@pytest.fixture(scope="module")
def viewer():
    from locomote.view.viewer import view

    system = lo.systems.load("bicycle")
    run = system.problem().simulate(4.0, progress=False)
    with view(run, browser=False, wait=False, port=0, rerun=system) as running:
        yield running


def where(viewer) -> np.ndarray:
    return np.array(viewer.panel.scenes[0][2].world.position)


def test_the_world_is_shifted_against_the_way_of_the_body(viewer):
    panel, run = viewer.panel, viewer.panel.scenes[0][1]
    assert panel.goes and panel.follow.value
    camera = tuple(viewer.server.initial_camera.position)
    for t in (0.0, 3.7, 1.2):
        panel.go(t)
        way = run.at(t).q[:2] - run.at(0.0).q[:2]
        assert np.linalg.norm(where(viewer)[:2] + way) < 0.15 * max(1.0, np.linalg.norm(way))
    assert tuple(viewer.server.initial_camera.position) == camera, "pages that come later see the same"


def test_who_does_not_want_to_go_along_keeps_the_world_where_it_is(viewer):
    panel = viewer.panel
    panel.go(1.0)
    before = where(viewer)
    panel.follow.value = False
    panel.go(3.0)
    np.testing.assert_array_equal(where(viewer), before)
    panel.follow.value = True
    panel.go(3.5)
    far = panel._targets[1][-1] - panel._targets[1][0]
    went = before - where(viewer)
    assert 0.05 * np.linalg.norm(far) < np.linalg.norm(went) < 0.25 * np.linalg.norm(far), "half a second of four"


def test_another_run_starts_where_its_camera_looks(viewer):
    panel = viewer.panel
    panel.go(3.0)
    assert np.any(where(viewer))
    panel.replace(panel.scenes[0][1])
    assert not np.any(where(viewer))
