"""Wings as thin sheets with camber, drawn from the wing laws of a problem: their span, chord and axis of pitch.

A section is bent to an arc, upwards where the wing lies flat, and ahead where it stands up; both wings of a pair alike. Tips
are rounded. A wing on a rod bends and twists with it.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from locomote.dynamics.kinematics import forward_kinematics
from locomote.forces.along import Line
from locomote.model.model import Model
from locomote.view.bent import AROUND
from locomote.view.colors import WING, rgba
from locomote.view.contacts import index_of
from locomote.view.scene import Piece, Tube, world_point, world_pose
from locomote.view.smooth import between, finer

if TYPE_CHECKING:
    from locomote.forces.water.wing import Wing

CAMBER, THICK = 0.06, 0.03  # height of the arc and half of the thickness of the sheet, over the chord
FINER = 4  # sections for each node of a rod
ALONG = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.96, 1.0])  # sections of a wing on a stiff body, over its span
ROUND = 0.12, 0.5  # where the tip begins to be rounded, over the span, and how much of the chord is left at its end
FLAT = 0.1  # thickness of a plate over its length that stands for a wing
NEAR = 0.02  # of its length: a wing that begins as near to the tip of another goes on from there
UP = np.array([1.0, 0.0, 2.0])


def wing_tubes(model: Model, environment: Sequence) -> tuple[Tube, ...]:
    """A sheet for each wing law."""
    wings = wings_of(model, environment)
    poses = forward_kinematics(model, model.neutral())
    stiff = [wing for wing in wings if np.ndim(wing.root)]
    roots = [world_point(poses, index_of(model, wing.body), wing.root) for wing in stiff]
    tubes = []
    for wing in wings:
        tip = world_point(poses, index_of(model, wing.body), wing.tip) if np.ndim(wing.root) else None
        goes_on = tip is not None and any(np.linalg.norm(root - tip) < NEAR * np.linalg.norm(wing.tip) for root in roots)
        tubes.append(tube_of(model, wing, not goes_on))
    return tuple(tubes)


def wings_of(model: Model, environment: Sequence) -> "list[Wing]":
    """The wing laws whose places the model has: those on rods are known to the model of a problem only."""
    found = []
    for part in environment:
        if getattr(part, "sheet", False) and all(str(place.body) in model.body_names for place, _, _ in part.sections(model)):
            found.append(part)
    return found


def tube_of(model: Model, wing: "Wing", rounded: bool) -> Tube:
    """The sheet of one wing."""
    from locomote.forces.water.drag import section_value

    line = Line(wing.body, wing.root, wing.tip, np.asarray(wing.forward, dtype=float))
    along = line.rotation  # x along the span, z forward
    R = np.column_stack([along[:, 0], -along[:, 2], np.cross(along[:, 0], -along[:, 2])])
    x = line.nodes(model, wing.elements, 10)[0] if line.on_rod else ALONG
    places = [line.place(float(s), R) for s in x]
    bodies = [index_of(model, str(place.body)) for place in places]
    poses = np.array([place.pose for place in places])
    s = between(np.concatenate([[0.0], x, [1.0]]), FINER) if line.on_rod else x  # nodes end before root and tip
    chord = np.array([section_value("chord", wing.chord, float(one)) for one in np.clip(s, 0.0, 1.0)])
    if rounded:
        late = np.clip((s - (1 - ROUND[0])) / ROUND[0], 0.0, 1.0)
        chord = chord * (1 - (1 - ROUND[1]) * late**2)
    start = moved(model, bodies, poses, line.on_rod, line.length, model.neutral()[None])[0][0]
    side = np.sign(start[0, :3, 2] @ UP) or 1.0
    return Tube(
        f"wing of {wing.body}", partial(moved, model, bodies, poses, line.on_rod, line.length), chord, rgba(WING),
        profile=profile(float(wing.axis), side),
    )  # fmt: skip


def profile(axis: float, side: float) -> np.ndarray:
    """(AROUND, 2) corners of a section over its chord: from the axis of pitch back, and up. side : 1 or -1, of its hollow."""
    half = AROUND // 2
    s = (1 - np.cos(np.pi * np.arange(half + 1) / half)) / 2  # 0 at the leading edge, 1 at the trailing edge
    arc = 4 * CAMBER * side * s * (1 - s)
    thick = THICK * np.sqrt(s * (1 - s))
    back = s - axis
    over, under = np.column_stack([back, arc + thick]), np.column_stack([back, arc - thick])
    return np.concatenate([under[:-1], over[:0:-1]])  # around x, from y to z


def moved(model: Model, bodies: list[int], places, on_rod: bool, span: float, q: np.ndarray) -> tuple[np.ndarray, None]:
    """Poses (n, sections, 4, 4) of the axis of pitch at configurations q (n, nq), x along the span, y back."""
    found = forward_kinematics(model, q)
    poses = np.stack([world_pose(found, body) @ place for body, place in zip(bodies, places, strict=True)], axis=1)
    if not on_rod:
        return poses, None
    ends = []
    for first, second in ((0, 1), (-1, -2)):
        end, step = poses[:, first].copy(), poses[:, first, :3, 3] - poses[:, second, :3, 3]
        end[:, :3, 3] += 0.5 * span / len(bodies) * step / np.maximum(np.linalg.norm(step, axis=1, keepdims=True), 1e-12)
        ends.append(end[:, None])
    return finer(np.concatenate([ends[0], poses, ends[1]], axis=1), FINER), None


def without_plates(pieces: Sequence[Piece], model: Model, environment: Sequence) -> list[Piece]:
    """The pieces without flat boxes on bodies that carry a wing, or on those that hang on a rod which is one."""
    wings = {wing.body for wing in wings_of(model, environment)}
    if not wings:
        return list(pieces)
    bodies = [model.body(k).body for k in range(len(model.body_names))]
    over = {k for k, body in enumerate(bodies) if body.name in wings or (body.parent in wings and not body.moving)}
    kept = []
    for piece in pieces:
        size = np.sort(np.ptp(piece.mesh.vertices, axis=0)) if len(piece.mesh.vertices) else np.ones(3)
        if piece.body in over and piece.name == "box" and size[0] < FLAT * size[1]:
            continue
        kept.append(piece)
    return kept
