"""Wings in the view: as long and as wide as their laws say, hollow below on both sides, and without the plates they replace."""

import numpy as np
import pytest

import locomote as lo
from locomote.view.bent import AROUND, tube_vertices
from locomote.view.build import scene_of
from locomote.view.frames import still_frames
from locomote.view.wings import CAMBER, THICK, profile


def drawn(name, **given):
    """Scene, and corners (sections, AROUND, 3) of each wing where a system starts."""
    system = lo.systems.load(name, **given)
    problem = system.problem()
    q = np.asarray(system.initial[0])[None]
    scene = scene_of(problem.model, problem, q)
    tubes = still_frames(scene, problem.model, q).tubes
    wings = {}
    for tube, (poses, _) in zip(scene.tubes, tubes, strict=True):
        if tube.name.startswith("wing of"):
            wings[tube.name[8:]] = tube_vertices(poses[0], tube.radius, tube.profile)[:-2].reshape(-1, AROUND, 3)
    return scene, wings, system


@pytest.mark.parametrize("name", ["hovering_moth", "soft_moth"])
def test_a_wing_has_the_span_and_the_chords_of_its_law(name):
    """By the corners: 5 cm long, 1.4 mean chords wide at the root, about 0.6 of it near the tip, which is rounded."""
    scene, wings, system = drawn(name)
    p = system.parameters
    assert set(wings) == {"left", "right"} and not [piece for piece in scene.pieces if piece.name == "box"]
    for corners in wings.values():
        middles = corners.mean(axis=1)
        assert np.isclose(np.linalg.norm(middles[-1] - middles[0]), p["span"], rtol=0.12)
        wide = np.array([np.ptp(section - section.mean(axis=0), axis=0) for section in corners])
        wide = np.linalg.norm(wide, axis=1)
        assert np.isclose(wide[0], 1.4 * p["chord"], rtol=0.12) and wide[-1] < 0.6 * p["chord"] * 0.62
        assert (np.diff(wide) < 1e-9).all()


def test_camber_is_to_the_same_side_on_both_wings():
    """A section is an arc, six parts in a hundred high; left and right are mirror images."""
    for side in (1.0, -1.0):
        own = profile(0.25, side)
        assert np.isclose(np.ptp(own[:, 0]), 1.0) and np.isclose(own[:, 0].min(), -0.25)
        height = side * own[:, 1].mean()
        assert height > 0.02 and np.ptp(own[:, 1]) < CAMBER + 2 * THICK
    _, wings, _ = drawn("flapping_bird")
    left, right = (np.concatenate([corners for name, corners in wings.items() if name.startswith(side)]).reshape(-1, 3)
                   for side in ("left", "right"))  # fmt: skip
    assert len(left) == len(right) > 0
    mirrored = right * [1, -1, 1]
    far = np.linalg.norm(left[:, None] - mirrored[None], axis=2).min(axis=1)
    assert far.max() < 1e-9


def test_wings_on_rods_are_left_out_for_the_model_that_does_not_know_them():
    """The model of a system has no bodies on the sections of its rods: then its own shapes are drawn."""
    system = lo.systems.load("soft_moth")
    scene = scene_of(system.model, system.problem())
    assert not [tube for tube in scene.tubes if tube.name.startswith("wing of")]
    assert [piece for piece in scene.pieces if piece.name == "box"]
