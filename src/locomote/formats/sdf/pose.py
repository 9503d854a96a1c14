"""The <pose> of an SDF element."""

import numpy as np

from locomote.formats import poses
from locomote.formats.faults import Faults, shown
from locomote.formats.numbers import parse_numbers
from locomote.formats.sdf.elements import attribute_flag, check
from locomote.formats.xml import Node

FORMS = {"euler_rpy": 6, "quat_xyzw": 7}


def relative_to(node: Node) -> str:
    """The frame that the pose of an element names, "" if it names none."""
    pose = node.first("pose")
    return "" if pose is None else pose.get("relative_to") or ""


def read_pose(node: Node, faults: Faults) -> np.ndarray:
    """The pose of an element in the frame that it is relative to; the identity without one."""
    pose = node.first("pose")
    if pose is None:
        return np.eye(4)
    check(pose, faults)
    form = (pose.get("rotation_format") or "euler_rpy").strip()
    degrees = attribute_flag(pose, "degrees", faults)
    if form not in FORMS:
        faults.add(pose, f"rotation_format is {shown(form)}, expected {' or '.join(FORMS)}")
    elif pose.text.strip():
        found = parse_numbers(pose.text, FORMS[form], FORMS[form])
        if isinstance(found, str):
            faults.add(pose, f"it {found}" if found.startswith("has") else found)
        elif form == "euler_rpy":
            return poses.pose(poses.from_rpy(*(np.deg2rad(found[3:]) if degrees else found[3:])), found[:3])
        elif degrees:
            faults.add(pose, "degrees is for rotation_format euler_rpy; a quaternion has none")
        elif not any(found[3:]):
            faults.add(pose, "its quaternion is zero: no direction")
        else:
            return poses.pose(poses.from_quaternion(*found[3:]), found[:3])
    return np.eye(4)
