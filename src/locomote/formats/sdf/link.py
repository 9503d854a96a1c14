"""What an SDF link weighs."""

from itertools import combinations_with_replacement

import numpy as np

from locomote.formats.inertias import judge
from locomote.formats.sdf.elements import MASSES, attribute_flag, check, flag, value
from locomote.formats.sdf.pose import read_pose, relative_to
from locomote.formats.sdf.reading import Reading
from locomote.formats.sdf.scope import Part
from locomote.formats.xml import Node
from locomote.spatial.inertia import Inertia

MOMENTS = {"ixx": 1.0, "ixy": 0.0, "ixz": 0.0, "iyy": 1.0, "iyz": 0.0, "izz": 1.0}  # with the defaults of the format
UNWEIGHED = "links without <inertial> weigh 1 kg, with moments of 1 kg m^2, as the format says"
IN_CODE = "add such a force in code"


def read_inertial(part: Part, reading: Reading) -> tuple[Inertia | None, np.ndarray | None]:
    """The inertia of a link in its frame, None without mass, and the added inertia of the fluid around it."""
    link, faults, label = part.node, reading.faults, f"link {reading.named(part.name)!r}"
    if not part.static:
        _judge(link, reading)
    node = link.first("inertial")
    if node is None:
        if not part.static:
            faults.warn_alike(UNWEIGHED, link)
        return Inertia(1.0, moment=tuple(MOMENTS.values())), None
    check(node, faults)
    if attribute_flag(node, "auto", faults):
        reading.unsupported.refuse(node, "inertia from collision shapes (auto)", "give <mass> and <inertia>")
        return None, None
    if relative_to(node):
        faults.add(node, f"the pose of its center of mass is in the frame of {label}; leave relative_to out")
    moments = node.first("inertia")
    if moments is not None:
        check(moments, faults)
    mass = value(node, "mass", faults, 1.0)
    numbers = [x if moments is None else value(moments, name, faults, x) for name, x in MOMENTS.items()]
    added = _added(node, reading)
    if mass == 0 and not any(numbers):
        return None, added
    inertia = Inertia(mass, moment=numbers).moved(read_pose(node, faults))
    judge(inertia, reading.policy, node, label, faults)
    return inertia, added


def _judge(link: Node, reading: Reading) -> None:
    """What of a link would change the motion and is not supported."""
    faults, refuse = reading.faults, reading.unsupported.refuse
    if not flag(link, "gravity", True, faults):
        refuse(link, "a link without weight (gravity)", IN_CODE)
    if flag(link, "kinematic", False, faults):
        refuse(link, "a kinematic link", "impose its motion in code")
    if flag(link, "enable_wind", False, faults):
        refuse(link, "wind", IN_CODE)
    decay = link.first("velocity_decay")
    if decay is not None:
        check(decay, faults)
        if value(decay, "linear", faults, 0.0) or value(decay, "angular", faults, 0.0):
            refuse(link, "velocity_decay", IN_CODE)


def _added(inertial: Node, reading: Reading) -> np.ndarray | None:
    """The added mass about the origin of the link, over its linear and angular velocity."""
    node = inertial.first("fluid_added_mass")
    if node is None:
        return None
    check(node, reading.faults)
    result = np.zeros((6, 6))
    for name, (i, j) in zip(MASSES.split(), combinations_with_replacement(range(6), 2), strict=True):
        result[i, j] = result[j, i] = value(node, name, reading.faults, 0.0)
    return result if result.any() else None
