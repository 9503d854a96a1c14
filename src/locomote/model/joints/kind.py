"""What a word for a joint stands for, as far as no compiled code needs it: a record that the file of each kind fills in."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from locomote.model.description import Joint

Slots = list[tuple[str, str]]  # name and unit of each coordinate
ANGLE, ANGLE_RATE, SHIFT, SHIFT_RATE = ("angle", "rad"), ("rate", "rad/s"), ("shift", "m"), ("rate", "m/s")
PLACE = [("x", "m"), ("y", "m"), ("z", "m")]
QUATERNION = [("qx", "-"), ("qy", "-"), ("qz", "-"), ("qw", "-")]
BODY_VELOCITY = [("vx", "m/s, body frame"), ("vy", "m/s, body frame"), ("vz", "m/s, body frame")]
BODY_TURN = [("wx", "rad/s, body frame"), ("wy", "rad/s, body frame"), ("wz", "rad/s, body frame")]
EACH, SAME, NONE = "each", "same", "none"  # which armatures: any of each coordinate, the same about all axes, none
PIN, BLOCK, BALL = "pin", "block", "ball"  # how a joint is drawn: a pin or a block along its axis, a ball


def nothing(joint: Any) -> list:
    """An empty list, for any joint."""
    return []


@dataclass(frozen=True)
class Kind:
    """A kind of joint.

    sizes : how many coordinates it has in q and in v
    parts : elementary joints that make it, the one on the parent first: their numbers, and the turns of their frames in the
        body frame
    slots : (name, unit) of its coordinates in q and in v
    axes : arguments of a Joint that are its axes
    faults : what is wrong with a joint whose axes are axes, beyond what all kinds ask; sentences
    anchored : whether it moves about an anchor
    armature : EACH, SAME or NONE
    quaternion : where in its coordinates of q a quaternion starts; None if it has none
    on_group : whether v is a velocity in body axes, not the rate of q
    turns : whether it can turn
    slides : (3,) axes at right angles or not, of the first coordinates of v, which are a velocity of the origin
    base : what a root body that moves so is called, empty if it has no name; other_bases : what others call it
    grounded : whether a first joint of this kind stands on the ground, as that of an arm does, and is not a base
    goes : whether a body on such a joint on the world goes somewhere, so that its path is worth a picture
    roams : whether there is nothing to draw between such a root and the world
    hangs : whether a root may hang on such a joint
    mark, railed : how it is drawn: PIN, BLOCK or BALL, and whether there is a rail to slide along
    """

    name: str
    sizes: tuple[int, int]
    parts: Callable[["Joint"], list[tuple[int, np.ndarray]]]
    slots: Callable[["Joint"], tuple[Slots, Slots]]
    axes: tuple[str, ...] = ()
    faults: Callable[["Joint"], list[str]] = nothing
    anchored: bool = True
    armature: str = EACH
    quaternion: int | None = None
    on_group: bool = False
    turns: bool = True
    slides: Callable[["Joint"], list[np.ndarray]] = nothing
    base: str = ""
    other_bases: tuple[str, ...] = ()
    grounded: bool = False
    goes: bool = False
    roams: bool = False
    hangs: bool = False
    mark: str = BALL
    railed: bool = False
