"""Arms from Denavit-Hartenberg tables, with bars drawn from joint to joint.

A row of LINKS of such a system is alpha (deg), a, d (m), mass (kg), center of mass (m), moments about it (kg m^2), and perhaps
the inertia of the motor at the joint (kg m^2). Two motions: `inverse` turns all joints along a cycloid, `fall` lets the arm go.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from locomote.formats.dh.reader import read_dh
from locomote.model.builder import Builder
from locomote.model.description import Visual
from locomote.model.model import Model
from locomote.systems.parts import at


def arm(name: str, table: list[dict], gravity: float, *, convention: str, about: str = "com") -> Model:
    """The model of a table (angles in degrees) that stands upright on the ground."""
    return chain_of(name, table, (0.0, 0.0, -gravity), convention=convention, about=about)


def chain_of(name: str, table: list[dict], gravity, *, convention: str, about: str = "com") -> Model:
    """The model of a table (angles in degrees) in any gravity, m/s^2."""
    description = read_dh(table, convention=convention, angles="deg", about=about)
    builder = Builder(name, gravity=gravity)
    bodies = list(description.bodies)
    starts = [body.moving[0].anchor if body.moving else (0.0, 0.0, 0.0) for body in bodies]
    size = sum(float(np.linalg.norm(body.placement[:3, 3])) for body in bodies)
    for k, body in enumerate(bodies):
        last = k + 1 == len(bodies)
        end = hand(body, size) if last else bodies[k + 1].placement[:3, :3] @ starts[k + 1] + bodies[k + 1].placement[:3, 3]
        looks = bars(np.array(starts[k], dtype=float), np.array(end, dtype=float), 0.03 * size * max(0.5, 1 - 0.1 * k))
        if k == 0 and convention == "modified" and gravity[2] < 0:
            looks = [*looks, *stand(float(body.placement[2, 3]), size)]
        inertia, joints = body.inertia, list(body.joints)
        builder.body(body.name, parent=body.parent, joint=joints, at=body.placement, inertia=inertia, visuals=looks)
    return builder.build()


def stand(height: float, size: float) -> list[Visual]:
    """A foot on the ground and a column, round about the first axis, so that they may turn with its link.

    height : of the frame of that link, m ; size : of the arm, m
    """
    grey, below = (0.62, 0.64, 0.67, 1.0), max(height, 0.3 * size)
    foot, column = np.eye(4), np.eye(4)
    foot[2, 3], column[2, 3] = -below, -below / 2
    thick = 0.02 * size
    return [
        Visual("cylinder", (0.15 * size, thick), foot, color=grey),
        Visual("cylinder", (0.035 * size, below), column, color=grey),
    ]


def modified(links: Sequence[tuple], motors: bool = True) -> list[dict[str, Any]]:
    """The modified table of rows of LINKS."""
    names = ("alpha", "a", "d", "mass")
    return [
        dict(zip(names, row[:4], strict=True))
        | dict(zip(("cx", "cy", "cz"), row[4], strict=True))
        | dict(zip(("ixx", "iyy", "izz"), row[5], strict=True))
        | {"armature": row[6] if len(row) > 6 and motors else 0.0}
        for row in links
    ]


def setting(p) -> dict[str, Any]:
    """All six joints imposed, or none."""
    from locomote.drives.kinds.cycloid import Cycloid

    return {} if p.motion == "fall" else {"drives": {f"joint{k}": Cycloid(0.0, p.turn, p.time) for k in range(1, 7)}}


def duration(p) -> float:
    """s"""
    return p.time if p.motion == "inverse" else 1.0


def hand(body, size: float) -> np.ndarray:
    """Where the last link ends: beyond its mass center, or along its axis."""
    com = np.zeros(3) if body.inertia is None else np.asarray(body.inertia.com, dtype=float)
    far = float(np.linalg.norm(com))
    return com * max(2.0, 0.08 * size / far) if far > 1e-3 * size else np.array([0.0, 0.0, 0.08 * size])


def bars(start: np.ndarray, end: np.ndarray, radius: float) -> tuple[Visual, ...]:
    """A ball at a joint, and bars along the axis (z) and then across to the next one, as the link of a table goes."""
    corner = np.array([start[0], start[1], end[2]])
    looks = [Visual("sphere", (1.4 * radius,), at(*start))]
    for first, last in ((start, corner), (corner, end)):
        way = last - first
        if (length := float(np.linalg.norm(way))) > 1e-3 * radius:
            z = way / length
            x = np.cross(np.eye(3)[np.argmin(abs(z))], z)
            x /= np.linalg.norm(x)
            pose = np.eye(4)
            pose[:3, :3], pose[:3, 3] = np.column_stack([x, np.cross(z, x), z]), (first + last) / 2
            looks.append(Visual("capsule", (radius, length), pose))
    return tuple(looks)
