"""Arms from Denavit-Hartenberg tables, with a cylinder drawn along each link."""

import numpy as np

from locomote.formats.dh import read_dh
from locomote.model.builder import Builder
from locomote.model.description import Visual
from locomote.model.model import Model


def arm(name: str, table: list[dict], gravity: float, *, convention: str, about: str = "com") -> Model:
    """The model of a table (angles in degrees) that stands upright on the ground."""
    return chain_of(name, table, (0.0, 0.0, -gravity), convention=convention, about=about)


def chain_of(name: str, table: list[dict], gravity, *, convention: str, about: str = "com") -> Model:
    """The model of a table (angles in degrees) in any gravity, m/s^2."""
    description = read_dh(table, convention=convention, angles="deg", about=about)
    builder = Builder(name, gravity=gravity)
    for body in description.bodies:
        builder.body(
            body.name,
            parent=body.parent,
            joint=list(body.joints),
            at=body.placement,
            inertia=body.inertia,
            visuals=drawn(body.inertia),
        )
    return builder.build()


def drawn(inertia) -> tuple[Visual, ...]:
    """A bar from the origin of a link through its centre of mass, twice as long."""
    if inertia is None or (length := float(np.linalg.norm(inertia.com))) < 1e-6:
        return ()
    z = np.asarray(inertia.com) / length
    x = np.cross(np.eye(3)[np.argmin(abs(z))], z)
    x /= np.linalg.norm(x)
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = np.column_stack([x, np.cross(z, x), z]), inertia.com
    return (Visual("cylinder", (0.05, 2 * length), pose),)
