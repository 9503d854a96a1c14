"""URDF mimic joints as couplings: the follower's coordinate is a linear function of an independent joint."""

from locomote.formats.couplings import Follows, can_follow, flattened
from locomote.formats.faults import Faults
from locomote.formats.numbers import number
from locomote.formats.urdf.joint import UrdfJoint
from locomote.formats.xml import Node
from locomote.model.description import Coupling


def read_couplings(joints: list[UrdfJoint], faults: Faults) -> tuple[Coupling, ...]:
    """One Coupling a mimic joint. A follower of a follower is coupled to the first of the row."""
    by_name = {joint.name: joint.joint for joint in joints}
    follows: Follows = {}
    for joint in joints:
        if joint.mimic is None:
            continue
        leader, ratio, offset = _mimic(joint, joint.mimic, faults)
        if joint.joint is None:
            faults.warn_alike("a <mimic> of a fixed joint says nothing; not read", joint.node)
        elif leader and can_follow(joint.joint, leader, by_name, joint.node, faults):
            follows[joint.name] = (leader, ratio, offset)
    return flattened(follows, {joint.name: joint.node for joint in joints}, faults)


def _mimic(joint: UrdfJoint, mimic: Node, faults: Faults) -> tuple[str | None, float, float]:
    leader = mimic.get("joint")
    if not leader:
        faults.add(joint.node, "its <mimic> has no attribute 'joint'")
    ratio = number(mimic, "multiplier", faults, 1.0)
    return leader, ratio, number(mimic, "offset", faults, 0.0)
