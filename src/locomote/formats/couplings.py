"""Rows of followers: each coupled joint ends up as a function of an independent joint."""

from collections.abc import Mapping

from locomote.formats.faults import Faults, shown
from locomote.model.description import Coupling, Joint

Follows = dict[str, tuple[str | None, float, float]]  # follower: leader (None: a constant), ratio, offset
FREE_IT = " (mimic=False leaves such joints independent)"


def flattened(follows: Follows, places: dict, faults: Faults) -> tuple[Coupling, ...]:
    """One Coupling a follower; followers in a circle are a fault at their place."""
    flat: Follows = {}
    for name in follows:
        row: dict[str, None] = {}
        while name in follows and name not in flat and name not in row:
            row[name] = None
            name = follows[name][0]
        if name in row:
            faults.add(places[name], f"follows {follows[name][0]!r} in a circle: one of the joints must be free")
        for follower in reversed(row):  # from the one next to the leader to the last
            leader, ratio, offset = follows[follower]
            if leader in flat:
                leader, next_ratio, next_offset = flat[leader]
                ratio, offset = ratio * next_ratio, offset + ratio * next_offset
            flat[follower] = (leader, ratio, offset)
    return tuple(
        Coupling(name, ((leader, ratio),) if leader is not None else (), offset)
        for name, (leader, ratio, offset) in flat.items()
    )


def can_follow(joint: Joint, leader: str, joints: Mapping[str, Joint | None], where, faults: Faults) -> bool:
    """Whether a joint can follow another, by the names of all joints (None: it does not move); a fault if not."""
    if leader not in joints:
        faults.add(where, f"mimics joint {shown(leader)}, which is not in the file{faults.nearest(leader, joints)}{FREE_IT}")
    elif joint.sizes != (1, 1):
        faults.add(where, f"is {joint.kind} and mimics {leader!r}; only joints with one coordinate can")
    elif (other := joints[leader]) is None:
        faults.add(where, f"mimics joint {leader!r}, which is fixed")
    elif other.sizes != (1, 1):
        faults.add(where, f"mimics joint {leader!r}, which has more than one coordinate")
    else:
        return True
    return False
