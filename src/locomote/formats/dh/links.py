"""The links of a Denavit-Hartenberg table as bodies.

Rx, Tx, ... turn about and shift along an axis of the moving frame, left to right. Link i on its parent p:

    standard   Rz(theta) Tz(d) Tx(a) Rx(alpha)                     the joint moves about or along z of p             (1)
    modified   Rz(gamma) Tz(b) Rx(alpha) Tx(a) Tz(d) Rz(theta)     the joint moves about or along z of i             (2)

A body's pose is placement * J(q), with J about an axis that is given in the body frame. In (2) this is z. In (1) the motion
stands on the left, Z(q) A = A (A^-1 Z(q) A), so the axis is z of the parent as seen from the link at q = 0.
"""

from typing import Any

import numpy as np

from locomote.formats import poses
from locomote.formats.dh.row import DHRow
from locomote.formats.faults import Faults, shown
from locomote.formats.inertias import judge
from locomote.model.description import Body, Joint
from locomote.spatial.inertia import Inertia, skew


def read_links(
    rows: list[tuple[DHRow, str]], convention: str | None, about: str, policy: str, faults: Faults
) -> tuple[Body, ...]:
    """The base, then one body a row. `policy` is that of inertias; each row comes with its place in the file."""
    bodies = [Body("base")]
    if rows and rows[0][0].kind == "base":
        row, place = rows.pop(0)
        bodies = [Body(row.name or "base", inertia=_inertia(row, about, policy, place, faults))]
    index = {"base": 0, bodies[0].name: 0}
    for number, (row, place) in enumerate(rows, start=1):
        if row.kind == "base":
            faults.add(place, "the base can only be the first row")
        name = _name(row, number, index, place, faults)
        parent = _parent(row, number, index, place, faults)
        if convention == "standard" and (row.gamma or row.b):
            faults.add(place, "gamma and b are for the modified convention")
        placement = _standard(row) if convention == "standard" else _modified(row)
        joints = () if row.kind == "fixed" else (_joint(row, row.name or f"joint{number}", placement, convention),)
        inertia = _inertia(row, about, policy, place, faults)
        bodies.append(Body(name, bodies[parent].name, placement, joints, inertia))
        index[name] = number
    return tuple(bodies)


def _name(row: DHRow, number: int, index: dict[str, int], place: str, faults: Faults) -> str:
    name = row.name or f"link{number}"
    if name in index:
        faults.add(place, f"the name {shown(name)} is taken")
    if name.isdigit():
        faults.add(place, f"the name {shown(name)} is a number, which `parent` could not tell from the number of a row")
    return name


def _parent(row: DHRow, number: int, index: dict[str, int], place: str, faults: Faults) -> int:
    """The number of the parent's row, 0 for the base."""
    parent = row.parent
    if parent is None:
        return number - 1
    text = str(parent).strip()
    if text.isdecimal() and text.isascii() and len(text) < 9:
        if int(text) < number:
            return int(text)
        faults.add(place, f"its parent {text} is not an earlier row")
    elif text in index:
        return index[text]
    else:
        faults.add(place, f"its parent {shown(text)} is not an earlier row{faults.nearest(text, index)}")
    return 0


def _standard(row: DHRow) -> np.ndarray:
    """(1) at q = 0."""
    turned = poses.pose(poses.turn("z", row.theta), (0.0, 0.0, row.d))
    return turned @ poses.pose(poses.turn("x", row.alpha), (row.a, 0.0, 0.0))


def _modified(row: DHRow) -> np.ndarray:
    """(2) at q = 0."""
    branch = poses.pose(poses.turn("z", row.gamma), (0.0, 0.0, row.b))
    leaned = poses.pose(poses.turn("x", row.alpha), (row.a, 0.0, 0.0))
    return branch @ leaned @ poses.pose(poses.turn("z", row.theta), (0.0, 0.0, row.d))


def _joint(row: DHRow, name: str, placement: np.ndarray, convention: str | None) -> Joint:
    axis, anchor = (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
    if convention == "standard":
        to_link = placement[:3, :3].T
        axis = tuple(to_link @ (0.0, 0.0, 1.0))
        anchor = tuple(-to_link @ (placement[0, 3], placement[1, 3], 0.0))  # the point of the axis nearest to the link's origin
    limits: dict[str, Any] = {
        "lower": row.lower,
        "upper": row.upper,
        "velocity_limit": row.velocity,
        "effort_limit": row.effort,
    }
    fields = ("stiffness", "rest", "damping", "friction", "armature")
    passive: dict[str, Any] = {field: getattr(row, field) for field in fields}
    return Joint(name, "revolute" if row.kind == "base" else row.kind, axis, anchor=anchor, **passive, **limits)


def _inertia(row: DHRow, about: str, policy: str, place: str, faults: Faults) -> Inertia | None:
    com = np.array([row.cx, row.cy, row.cz])
    moment = np.array([[row.ixx, row.ixy, row.ixz], [row.ixy, row.iyy, row.iyz], [row.ixz, row.iyz, row.izz]])
    if row.mass == 0 and not moment.any():
        return None
    if about == "origin":
        moment = moment + row.mass * skew(com) @ skew(com)
    inertia = Inertia(row.mass, com, moment)
    judge(inertia, policy, place, f"link {shown(row.name)}" if row.name else "this link", faults)
    return inertia
