"""A turn about an axis and a shift along it: two elementary joints."""

from locomote.model.joints.axes import turn_to
from locomote.model.joints.kind import ANGLE, PIN, SHIFT, Kind
from locomote.model.joints.numbers import PRISMATIC, REVOLUTE

KIND = Kind(
    "cylindrical",
    (2, 2),
    parts=lambda joint: [(REVOLUTE, turn_to(joint.axis)), (PRISMATIC, turn_to(joint.axis))],
    slots=lambda joint: ([ANGLE, SHIFT], [("turn rate", "rad/s"), ("shift rate", "m/s")]),
    axes=("axis",),
    grounded=True,
    mark=PIN,
    railed=True,
)
