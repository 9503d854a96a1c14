"""Sections of rods by X: where something acts or holds along a rod, and bodies without mass that stand there."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from locomote.model.description import Body
from locomote.model.flexible.rod_packing import natural_nodes, shapes_of
from locomote.model.flexible.rods import Rod
from locomote.model.model import Model


@dataclass(frozen=True)
class Along:
    """The section of a rod at X, m: stands where a force or a constraint takes the name of a body."""

    rod: str
    x: float

    def __str__(self) -> str:
        return f"{self.rod}@{self.x:.9g}"


def rod_of(model: Model, name: str) -> Rod:
    """The rod that a body is; a ValueError if it is none."""
    name = model.body_names[model.body_index(name)]
    flex = next(body.flex for body in model.description.bodies if body.name == name)
    if not isinstance(flex, Rod):
        raise ValueError(f"body {name!r} is not a rod: sections at X are for rods; give points of its frame, (x, y, z)")
    return flex


def own_nodes(rod: Rod, length: float) -> int:
    """As many Gauss points on a stretch of a rod as it has mass nodes there, and at least four."""
    own = rod.nodes or natural_nodes(rod, len(shapes_of(rod)[0]))
    return max(4, int(np.ceil(own * length / rod.length - 1e-9)))


def with_bodies_on(model: Model, sections: Iterable[Along], what: str) -> Model:
    """The model with a body without mass on every one of the sections; itself if there is none. what : what is there"""
    found = {str(section): section for section in sections}
    taken = {body.name for body in model.description.bodies}
    hung = []
    for name, section in found.items():
        rod = rod_of(model, section.rod)
        if not 0.0 <= section.x <= float(rod.length) * (1 + 1e-12):
            raise ValueError(f"{what} at X = {section.x:g} m of rod {section.rod!r}, which is {rod.length:g} m long")
        if name not in taken:
            hung.append(Body(name, section.rod, np.eye(4), (), along=min(section.x, float(rod.length))))
    return Model(replace(model.description, bodies=(*model.description.bodies, *hung))) if hung else model
