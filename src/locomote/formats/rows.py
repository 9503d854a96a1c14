"""Joints of several coordinates as joints of one, where these have the same coordinates."""

from dataclasses import replace

import numpy as np

from locomote.formats import poses
from locomote.formats.draft import other_name
from locomote.model.description import PER_COORDINATE, Joint
from locomote.model.joints import NAMES, elementary, is_simple_screw
from locomote.model.joints.axes import AXES
from locomote.model.packing import per_coordinate


def row_of(joint: Joint, taken: set[str]) -> list[Joint]:
    """Revolute and prismatic joints one after the other that move as the joint does with the same q and v.

    A joint that is none such (spherical, planar, free, helical) comes back alone, a fixed one not at all. Axes are numbers of
    unit length. `taken` are the names of joints, to which those of new ones are added.
    """
    parts = elementary(joint)
    if not all(is_simple_screw(kind) for kind, _ in parts):
        return [joint]
    if len(parts) == 1 and joint.kind == NAMES[parts[0][0]]:
        return [replace(joint, axis=unit_axis(joint.axis))]
    row = []
    for k, (kind, turn) in enumerate(parts):
        name = joint.name if len(parts) == 1 else other_name(f"{joint.name} {k + 1}", taken)
        said = {label: per_coordinate(getattr(joint, label), len(parts))[k] for label in (*PER_COORDINATE, "lower", "upper")}
        row.append(replace(joint, name=name, kind=NAMES[kind], axis=turn[:, 2], **said))
    return row


def unit_axis(axis) -> np.ndarray:
    """An axis of unit length: the given numbers if they are one already."""
    given = np.array(AXES[axis] if isinstance(axis, str) else axis, dtype=float)
    return given if abs(np.linalg.norm(given) - 1.0) < 1e-14 else poses.unit(given)
