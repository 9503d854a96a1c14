"""Models whose hollow meshes touch with several hulls instead of one."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np

from locomote.errors import UnknownName
from locomote.geometry.decomposition import convex_parts
from locomote.model.description import Collision, Description
from locomote.model.model import Model, checked_model


def decomposed(model: Model, *, tolerance: float = 1e-3, parts: int = 8, bodies: Collection[str] | None = None) -> Model:
    """The model with each mesh among its collision shapes cut into convex parts (`lo.convex_parts`), to be handed to
    `lo.on_ground`, `lo.collision_pairs` and others.

    tolerance : how far hulls may be outside the mesh, m ; parts : of a mesh, at most
    bodies : those whose meshes are cut; all if None
    """
    checked_model(model)
    for name in () if bodies is None else bodies:
        if name not in model.body_names:
            raise UnknownName("body", name, model.body_names, f"model {model.name!r}")
    return Model(cut_description(model.description, tolerance, parts, bodies))


def cut_description(
    description: Description, tolerance: float, parts: int, bodies: Collection[str] | None = None
) -> Description:
    """A description with its meshes cut."""
    own = [
        replace(body, collisions=tuple(cut_shapes(body.collisions, tolerance, parts)))
        if bodies is None or body.name in bodies
        else body
        for body in description.bodies
    ]
    return replace(description, bodies=tuple(own))


def cut_shapes(shapes: tuple[Collision, ...], tolerance: float, parts: int) -> Iterator[Collision]:
    """Collision shapes, those of meshes as hulls; a ValueError names the one that it is about."""
    for shape in shapes:
        if shape.shape != "mesh" or not shape.file:
            yield shape
            continue
        try:
            hulls = _cut(str(shape.file), tuple(map(float, shape.size)), tolerance, parts)
        except ValueError as error:
            raise ValueError(f"collision {shape.title!r}: {error}") from None
        for n, corners in enumerate(hulls, 1):
            name = f"{shape.title} {n}" if len(hulls) > 1 else shape.name
            yield replace(shape, shape="hull", size=corners, file=None, name=name)


@lru_cache(maxsize=256)
def _cut(file: str, scale: tuple[float, ...], tolerance: float, parts: int) -> tuple[tuple[float, ...], ...]:
    """Corners of the parts of a file, flat; a process cuts each once."""
    hulls = convex_parts(file, tolerance=tolerance, parts=parts, scale=scale)
    return tuple(tuple(np.ravel(hull.corners).tolist()) for hull in hulls)
