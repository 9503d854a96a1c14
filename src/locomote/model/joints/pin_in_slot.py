"""A pin in a slot: a shift along a slot of the parent, `axis2`, then a turn about `axis`, which is perpendicular to it.

    pose in the placement  =  shift by q_1 along the slot  *  turn by q_2 about the axis through the anchor             (1)

The slot stays where the parent has it, whichever way the body is turned. Two elementary joints; v are the rates of q.
"""

import numpy as np

from locomote.model.joints.axes import direction, turn_to
from locomote.model.joints.kind import ANGLE, PIN, SHIFT, Kind
from locomote.model.joints.numbers import PRISMATIC, REVOLUTE

ASKEW = 1e-9  # most cosine of the angle between axis and slot


def faults(joint) -> list[str]:
    """Whether the axis is across the slot."""
    cosine = float(direction(joint.axis) @ direction(joint.axis2))
    if abs(cosine) > ASKEW:
        angle = np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))
        return [f"the slot of a pin_in_slot joint (axis2) must be perpendicular to its axis, not at {angle:.6g} degrees to it"]
    return []


KIND = Kind(
    "pin_in_slot",
    (2, 2),
    parts=lambda joint: [(PRISMATIC, turn_to(joint.axis2)), (REVOLUTE, turn_to(joint.axis))],
    slots=lambda joint: ([SHIFT, ANGLE], [("shift rate", "m/s"), ("turn rate", "rad/s")]),
    axes=("axis", "axis2"),
    faults=faults,
    slides=lambda joint: [direction(joint.axis2)],
    grounded=True,
    mark=PIN,
    railed=True,
)
