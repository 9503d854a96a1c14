"""Which shapes of a body a file can show, and which touch."""

from collections.abc import Iterator

import numpy as np

from locomote.formats.draft import Draft
from locomote.model.check import POSE_TOLERANCE, numbers
from locomote.model.description import Body, Collision, Visual

SIZES = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2, "ellipsoid": 3, "plane": 2, "mesh": 3}


def collision_of(shape: Visual, friction: float | None = None, group: int = 1, mask: int = 1) -> Collision:
    """What touches with a shape that was read as what is seen."""
    return Collision(shape.shape, shape.size, shape.placement, shape.file, shape.name, "", friction, group, mask)


def touching_shapes(body: Body, shapes: tuple[str, ...], draft: Draft, *, solid: bool) -> Iterator[tuple[Collision, Visual]]:
    """The collisions of a body, each also as a visual, without those that cannot be written, which are refused."""
    for n, own in enumerate(body.collisions):
        shape = Visual(own.shape, own.size, own.placement, own.file, None, own.name)
        fault = visual_fault(shape, shapes, solid)
        if fault is None:
            yield own, shape
        else:
            label = repr(own.name) if own.name else f"{n + 1}"
            draft.unsupported.refuse(f"collision {label} of body {body.name!r}", fault)


def shown_visuals(body: Body, shapes: tuple[str, ...], draft: Draft, *, solid: bool) -> Iterator[Visual]:
    """The visuals of a body, without those that cannot be written, which are refused.

    shapes : what the format has; solid : whether sizes must be more than zero
    """
    for n, visual in enumerate(body.visuals):
        fault = visual_fault(visual, shapes, solid)
        if fault is None:
            yield visual
        else:
            label = repr(visual.name) if visual.name else f"{n + 1}"
            draft.unsupported.refuse(f"visual {label} of body {body.name!r}", fault)


def visual_fault(visual: Visual, shapes: tuple[str, ...], solid: bool) -> str | None:
    """What about a visual the format does not have, or None."""
    if visual.shape not in shapes:
        return f"the shape {visual.shape!r}"
    if not numbers(visual.size, (SIZES[visual.shape],)):
        return f"a {visual.shape} of size {visual.size!r:.60}"
    if solid and visual.shape not in ("mesh", "plane") and min(visual.size) <= 0:
        return f"a {visual.shape} without extent (size {visual.size!r:.60})"
    if not is_pose(visual.placement):
        return "a placement that is not a pose"
    if visual.color is not None and not numbers(visual.color, (4,)):
        return f"the colour {visual.color!r:.60}"
    if visual.shape == "mesh" and not visual.file:
        return "a mesh without a file"
    return None


def is_pose(placement) -> bool:
    """Whether a value is a (4, 4) pose, as that of a body must be."""
    if not numbers(placement, (4, 4)):
        return False
    turn = np.asarray(placement, dtype=float)[:3, :3]
    return np.allclose(turn @ turn.T, np.eye(3), rtol=0, atol=POSE_TOLERANCE) and bool(np.linalg.det(turn) > 0)
