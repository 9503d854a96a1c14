"""Joints of SDF that follow others: <mimic> of an axis, and gearboxes between two links on a third.

    q = multiplier (q_leader - reference) + offset                                                             (1)
    theta_2 = -ratio theta_1                                                                                   (2)

theta_1 and theta_2 are the angles of the parent about <axis>, and of the child about <axis2>, on the reference body.
"""

from locomote.formats.couplings import Follows, can_follow, flattened
from locomote.formats.sdf.elements import check, value, word
from locomote.formats.sdf.joint import SdfJoint
from locomote.formats.sdf.reading import Reading
from locomote.formats.xml import Node
from locomote.model.description import Coupling

PARALLEL = 1e-9


def read_couplings(joints: list[SdfJoint], mimic: bool, reading: Reading) -> tuple[Coupling, ...]:
    """One Coupling a follower; mimic : whether <mimic> is read."""
    by_name = {reading.named(joint.name): joint.joint for joint in joints}
    follows: Follows = {}
    places: dict[str, Node] = {}
    for joint in joints:
        name = reading.named(joint.name)
        if joint.node.get("type") == "gearbox":
            _gearbox(joint, joints, follows, places, reading)
            continue
        for node in [found for tag in ("axis", "axis2") for axis in joint.node.all(tag) for found in axis.all("mimic")]:
            check(node, reading.faults)
            if joint.joint is None:
                reading.faults.warn_alike("a <mimic> of a fixed joint says nothing; not read", joint.node)
            elif mimic and name not in follows:
                leader = reading.named(joint.part.scope + (node.get("joint") or ""))
                if can_follow(joint.joint, leader, by_name, joint.node, reading.faults):
                    ratio = value(node, "multiplier", reading.faults, 1.0)
                    reference = value(node, "reference", reading.faults, 0.0)
                    follows[name] = leader, ratio, value(node, "offset", reading.faults, 0.0) - ratio * reference  # (1)
                    places[name] = joint.node
    return flattened(follows, places, reading.faults)


def _gearbox(gears: SdfJoint, joints: list[SdfJoint], follows: Follows, places: dict[str, Node], reading: Reading) -> None:
    """A gearbox as a coupling of the two joints that turn its links on the reference body."""
    node, name = gears.node, word(gears.node, "gearbox_reference_body")
    if not name:
        reading.faults.add(node, "has no <gearbox_reference_body>, on which its angles are measured")
        return
    body = reading.frames.link(reading.frames.find(gears.part.scope, name, node))
    turning = [_turning(body, link, axis, joints) for link, axis in zip((gears.parent, gears.child), gears.axes, strict=True)]
    if None in turning:
        what = "a gearbox whose links do not turn on the reference body by a joint about the same axis"
        reading.unsupported.refuse(node, what, "couple joints with <mimic>")
        return
    (leader, first), (follower, second) = (found for found in turning if found is not None)
    if leader == follower or follower in follows:
        reading.faults.add(node, f"joint {follower!r} follows another already, or itself")
        return
    ratio = value(node, "gearbox_ratio", reading.faults, 1.0)
    follows[follower], places[follower] = (leader, -ratio * first * second, 0.0), node  # (2)


def _turning(body: str, link: str, axis, joints: list[SdfJoint]) -> tuple[str, float] | None:
    """The hinge between two links, and the sign of its angle from the first to the second about an axis."""
    for joint in joints:
        if {joint.parent, joint.child} == {body, link} and joint.joint is not None and joint.joint.kind == "revolute":
            cosine = float(axis @ joint.axes[0])
            if abs(cosine) > 1.0 - PARALLEL:
                return joint.joint.name, (1.0 if cosine > 0 else -1.0) * (1.0 if joint.child == link else -1.0)
    return None
