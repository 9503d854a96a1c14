"""URDF mimic joints as couplings: the follower's coordinate is a linear function of a joint that follows nobody."""

from locomote.formats.couplings import flattened
from locomote.formats.faults import Faults, shown
from locomote.formats.numbers import number
from locomote.formats.urdf.joint import UrdfJoint
from locomote.model.description import Coupling

FREE_IT = " (mimic=False leaves such joints independent)"


def read_couplings(joints: list[UrdfJoint], faults: Faults) -> tuple[Coupling, ...]:
    """One Coupling a mimic joint. A follower of a follower is coupled to the first of the row."""
    by_name = {joint.name: joint for joint in joints}
    follows: dict[str, tuple[str, float, float]] = {}
    for joint in joints:
        if joint.mimic is None:
            continue
        leader, ratio, offset = _mimic(joint, faults)
        if joint.joint is None:
            faults.warn_alike("a <mimic> of a fixed joint says nothing; not read", joint.node)
        elif _usable(joint, leader, by_name, faults):
            follows[joint.name] = (leader, ratio, offset)
    return flattened(follows, {name: by_name[name].node for name in follows}, faults)


def _mimic(joint: UrdfJoint, faults: Faults) -> tuple[str | None, float, float]:
    leader = joint.mimic.get("joint")
    if not leader:
        faults.add(joint.node, "its <mimic> has no attribute 'joint'")
    ratio = number(joint.mimic, "multiplier", faults, 1.0)
    return leader, ratio, number(joint.mimic, "offset", faults, 0.0)


def _usable(joint: UrdfJoint, leader: str | None, by_name: dict[str, UrdfJoint], faults: Faults) -> bool:
    if not leader:
        return False
    if leader not in by_name:
        faults.add(
            joint.node, f"mimics joint {shown(leader)}, which is not in the file{faults.nearest(leader, by_name)}{FREE_IT}"
        )
    elif joint.joint.sizes != (1, 1):
        faults.add(joint.node, f"is {joint.joint.kind} and mimics {leader!r}; only joints with one coordinate can")
    elif by_name[leader].joint is None:
        faults.add(joint.node, f"mimics joint {leader!r}, which is fixed")
    elif by_name[leader].joint.sizes != (1, 1):
        faults.add(joint.node, f"mimics joint {leader!r}, which has more than one coordinate")
    else:
        return True
    return False
