"""Limits of commands that the <ros2_control> elements of a URDF file say of joints."""

from dataclasses import replace

import numpy as np

from locomote.formats.faults import Faults, shown
from locomote.formats.numbers import parse_numbers
from locomote.formats.urdf.joint import UrdfJoint
from locomote.formats.xml import Node


def with_control_limits(root: Node, joints: list[UrdfJoint], faults: Faults) -> list[UrdfJoint]:
    """The joints with limits of position, velocity and effort narrowed to those of their command interfaces."""
    known = {joint.name: joint for joint in joints}
    for node in (joint for system in root.all("ros2_control") for joint in system.all("joint")):
        name = node.get("name") or ""
        if name not in known:
            faults.add(node, f"joint {shown(name)} is not in the file{faults.nearest(name, known)}")
        elif (own := known[name].joint) is not None and own.sizes == (1, 1):
            known[name] = replace(known[name], joint=_narrowed(own, node, faults))
    return [known[joint.name] for joint in joints]


def _narrowed(joint, node: Node, faults: Faults):
    for interface in node.all("command_interface"):
        low, high = (_limit(interface, which, faults) for which in ("min", "max"))
        what = interface.get("name")
        if what == "position":
            lower, upper = (float(np.ravel(side)[0]) for side in (joint.lower, joint.upper))
            lower = lower if low is None else max(low, lower)
            upper = upper if high is None else min(high, upper)
            if lower > upper:
                faults.add(interface, f"leaves no position between {lower:g} and {upper:g}")
            else:
                joint = replace(joint, lower=lower, upper=upper)
        elif what in ("velocity", "effort") and (low is not None or high is not None):
            name = f"{what}_limit"
            most = max(abs(value) for value in (low, high) if value is not None)
            joint = replace(joint, **{name: min(float(np.ravel(getattr(joint, name))[0]), most)})
    return joint


def _limit(interface: Node, which: str, faults: Faults) -> float | None:
    for parameter in interface.all("param"):
        if parameter.get("name") == which:
            values = parse_numbers(parameter.text, 1, 1)
            if not isinstance(values, str):
                return values[0]
            faults.add(parameter, f"{which} {values}")
    return None
