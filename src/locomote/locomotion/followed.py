"""Controllers without a clock, packed for compiled code."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.actuation.controllers import as_target
from locomote.actuation.following import ComputedTorque, FeedForward, Servo, gain
from locomote.drives.packing import pack_signals
from locomote.evaluation.computed_torque import COMPUTED, FEED, SERVO
from locomote.locomotion.inputs import slots_of
from locomote.locomotion.parts import Parts


@dataclass(frozen=True)
class PackedFollowing:
    """See Plan."""

    rows: np.ndarray  # (rows, 3): coordinate of v, place in q, kind
    numbers: np.ndarray  # (rows, 2): stiffness, damping
    led: np.ndarray  # (nv,) 1 where acceleration is known: imposed, or by computed torque
    fed: np.ndarray  # (nv,) 1 where the copy of feed-forward moves as told; empty without
    signals: Any  # targets, then torques over time, packed


def pack_following(parts: Parts, before: int) -> PackedFollowing:
    """What follows, as arrays; functions of targets stand from row `before` of the table of functions on."""
    rows, numbers, targets, torques = [], [], [], {}
    led, taken = parts.imposed.astype(np.int64), set()
    fed, feeding = led.copy(), False
    for controller in parts.said.controllers:
        if not isinstance(controller, (Servo, ComputedTorque, FeedForward)):
            continue
        computed, feeds = isinstance(controller, ComputedTorque), isinstance(controller, FeedForward)
        feeding = feeding or feeds
        if (computed or feeds) and (parts.constraints or parts.model.flexible or not parts.said.inertia):
            raise ValueError(
                f"{controller.name} of {parts.said.name!r} knows forces of the environment and of contacts, but not those of "
                f"constraints or flexible bodies, and needs inertia: use lo.Touch or lo.SoftGround for feet, lo.Servo, or "
                f"lo.Sampled"
            )
        if feeds and parts.contacts:
            raise ValueError(
                f"{controller.name} of {parts.said.name!r} looks at a copy of the robot, which hard contacts do not carry: use "
                f"lo.SoftGround for feet, lo.ComputedTorque, lo.Servo, or lo.Sampled"
            )
        for key, given in controller.targets.items():
            slots, wanted = slots_of(parts.model, key), as_target(given)
            if len(slots) != len(wanted):
                raise ValueError(
                    f"targets[{key!r}] of {controller.name} has {len(wanted)} target(s), the joint {len(slots)} coordinates"
                )
            said = {} if computed or feeds else getattr(controller, "torques", {})
            given_torques = as_target(said[key]) if key in said else ()
            if given_torques and len(given_torques) != len(slots):
                raise ValueError(f"torques[{key!r}] of {controller.name} must be one for each coordinate, {len(slots)}")
            for j, (slot, drive) in enumerate(zip(slots, wanted, strict=True)):
                if parts.q_of_v[slot] < 0 or parts.imposed[slot] or slot in taken:
                    why = "moves on a group" if parts.q_of_v[slot] < 0 else "is imposed, or followed already"
                    raise ValueError(f"joint {key!r} of {controller.name} {why}: its coordinates cannot follow")
                taken.add(slot)
                if given_torques:
                    torques[len(rows)] = given_torques[j]
                targets.append(drive)
                rows.append([slot, int(parts.q_of_v[slot]), COMPUTED if computed else FEED if feeds else SERVO])
                numbers.append([gain(controller, "stiffness", key), gain(controller, "damping", key)])
                led[slot], fed[slot] = max(led[slot], int(computed)), max(fed[slot], int(feeds))
    if feeding and led.sum() > parts.imposed.sum():
        raise ValueError(
            f"{parts.said.name!r} has computed torques beside feed-forward: the copy of the robot does not know them"
        )
    count = len(rows)
    signals = dict(enumerate(targets)) | {count + n: drive for n, drive in torques.items()}
    return PackedFollowing(
        np.array(rows, np.int64).reshape(-1, 3), np.array(numbers, float).reshape(-1, 2), led, fed if feeding else fed[:0],
        pack_signals(signals, before),
    )  # fmt: skip
