"""Turns about `axis`, then about `axis2` as turned by the first: two elementary joints."""

import numpy as np

from locomote.model.joints.axes import direction, turn_to
from locomote.model.joints.kind import Kind
from locomote.model.joints.numbers import REVOLUTE


def faults(joint) -> list[str]:
    """Whether the axes are two."""
    if np.linalg.norm(np.cross(direction(joint.axis), direction(joint.axis2))) < 1e-9:
        return ["the two axes of a universal joint are parallel"]
    return []


KIND = Kind(
    "universal",
    (2, 2),
    parts=lambda joint: [(REVOLUTE, turn_to(axis)) for axis in (joint.axis, joint.axis2)],
    slots=lambda joint: ([("angle 1", "rad"), ("angle 2", "rad")], [("rate 1", "rad/s"), ("rate 2", "rad/s")]),
    axes=("axis", "axis2"),
    faults=faults,
    grounded=True,
)
