"""The inertia of a URDF link."""

import numpy as np

from locomote.formats import poses
from locomote.formats.faults import Faults
from locomote.formats.inertias import judge
from locomote.formats.numbers import number, numbers
from locomote.formats.xml import Node, only_child
from locomote.spatial.inertia import Inertia

MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def read_origin(node: Node, faults: Faults) -> np.ndarray:
    """The pose that the <origin> of an element gives; the identity without one."""
    origin = only_child(node, "origin", faults)
    if origin is None:
        return np.eye(4)
    position = numbers(origin, "xyz", 3, faults, (0.0, 0.0, 0.0))
    if origin.get("quat_xyzw") is not None:
        quaternion = numbers(origin, "quat_xyzw", 4, faults, (0.0, 0.0, 0.0, 1.0))
        if origin.get("rpy") is not None:
            faults.add(origin, "has both rpy and quat_xyzw; keep one")
        if not any(quaternion):
            faults.add(origin, "quat_xyzw is zero: no direction")
            quaternion = (0.0, 0.0, 0.0, 1.0)
        return poses.pose(poses.from_quaternion(*quaternion), position)
    return poses.pose(poses.from_rpy(*numbers(origin, "rpy", 3, faults, (0.0, 0.0, 0.0))), position)


def read_inertial(link: Node, policy: str, faults: Faults) -> Inertia | None:
    """The inertia of a link in its frame, None for a link without mass."""
    inertial = only_child(link, "inertial", faults)
    if inertial is None:
        return None
    placement = read_origin(inertial, faults)
    mass_node, moment_node = only_child(inertial, "mass", faults), only_child(inertial, "inertia", faults)
    if mass_node is None:
        faults.add(inertial, f"link {link.get('name')!r} has an <inertial> without <mass>")
    if moment_node is None:
        faults.add(inertial, f"link {link.get('name')!r} has an <inertial> without <inertia>")
    mass = None if mass_node is None else number(mass_node, "value", faults)
    moments = [] if moment_node is None else [number(moment_node, name, faults) for name in MOMENTS]
    if mass is None or not moments or None in moments:
        return None
    if mass == 0 and not any(moments):
        return None
    inertia = Inertia(mass, moment=moments).moved(placement)
    judge(inertia, policy, inertial, f"link {link.get('name')!r}", faults)
    return inertia
