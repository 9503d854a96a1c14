"""How bodies move: twists of all bodies and the rates of these, seen from body frames or from the world.

i is a body, p its parent, V its twist and A the rate of V, in its own frame; S the axes of its joint.

    V_i = Ad_i V_p + S_i v_i                                                                (1)
    A_i = Ad_i A_p + S_i a_i + V_i x S_i v_i                                                (2)

A frame that is fixed to the body sees both by the same constant map. With (R, o) its pose in the world, (u, w) its twist and
(acc, alpha) the rate of that, other axes see

    aligned   (R u, R w) ,     rate (R (acc + w x u), R alpha)                              (3)
    world     Ad V ,           rate Ad A ,        since V x V = 0                           (4)
"""

from typing import Annotated, NamedTuple

import numpy as np

from locomote.compiler.scratch_layout import NQ, NV, ROWS
from locomote.compiler.source import helper, routine
from locomote.kernels.common_frame import AXES
from locomote.kernels.kinematics import ALIGNED, BODIES, LOCAL, TWIST, frame_pose, named_poses, poses_in_world, twists_in_bodies
from locomote.model.columns import PARENT
from locomote.model.joints import joint_twist, twist_from_parent
from locomote.spatial.algebra import add, angular, bracket, cross, join, linear, plus, rotate, twist_to_child, twist_to_parent
from locomote.spatial.rows import load6, store6

RATE = BODIES  # column of `bodies`, after those of `kinematics`
MOTION = RATE + 6
STILL = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class Motions(NamedTuple):
    """Scratch of twists and their rates."""

    sine: Annotated[np.ndarray, NQ, "of what turns by an angle; filled by `joint_sines`"]
    cosine: Annotated[np.ndarray, NQ, "likewise"]
    bodies: Annotated[np.ndarray, ROWS, MOTION, "pose in the world, twist and its rate in the body's own frame"]
    axes: Annotated[np.ndarray, AXES, NV, "motion axes at the world origin, where `axes_in_world` was asked for them"]


@routine
def motions_in_bodies(topology, constants, q, v, a, room):
    """Twists of all moving bodies in their own frames, and their rates; sines must be there."""
    world, sine, cosine, bodies = topology.shape[0] - 1, room.sine, room.cosine, room.bodies
    store6(bodies, world, TWIST, STILL)
    store6(bodies, world, RATE, STILL)
    for i in range(world):
        p, own = topology[i, PARENT], joint_twist(topology, constants, i, v)
        V = plus(twist_from_parent(topology, constants, i, q, sine, cosine, load6(bodies, p, TWIST)), own)  # (1)
        store6(bodies, i, TWIST, V)
        A = twist_from_parent(topology, constants, i, q, sine, cosine, load6(bodies, p, RATE))
        A = plus(plus(A, joint_twist(topology, constants, i, a)), bracket(V, own))  # (2)
        store6(bodies, i, RATE, A)


@helper
def in_frame(frame, t):
    """A twist of a body, or its rate, seen from a frame that is fixed to it (rotation and displacement, 12 numbers)."""
    R = (frame[0], frame[1], frame[2], frame[3], frame[4], frame[5], frame[6], frame[7], frame[8])
    return twist_to_child(R, (frame[9], frame[10], frame[11]), t)


@helper
def frame_twist(bodies, i, frame, kind):
    """Twist of a frame fixed to body i, seen as `kind` says."""
    V = in_frame(frame, load6(bodies, i, TWIST))
    if kind != LOCAL:
        R, o = frame_pose(bodies, i, frame)
        if kind == ALIGNED:
            V = join(rotate(R, linear(V)), rotate(R, angular(V)))  # (3)
        else:
            V = twist_to_parent(R, o, V)  # (4)
    return V


@helper
def frame_rate(bodies, i, frame, kind):
    """Rate of `frame_twist`."""
    A = in_frame(frame, load6(bodies, i, RATE))
    if kind != LOCAL:
        R, o = frame_pose(bodies, i, frame)
        if kind == ALIGNED:
            V = in_frame(frame, load6(bodies, i, TWIST))
            A = join(rotate(R, add(linear(A), cross(angular(V), linear(V)))), rotate(R, angular(A)))  # (3)
        else:
            A = twist_to_parent(R, o, A)  # (4)
    return A


@routine
def frame_velocity(topology, constants, nq, body, frame, kind, q, v, room, twist):
    """`frame_twist` at a state; `room` is a Places."""
    poses_in_world(topology, constants, nq, q, room)
    twists_in_bodies(topology, constants, q, v, room)
    twist[0], twist[1], twist[2], twist[3], twist[4], twist[5] = frame_twist(room.bodies, body, frame, kind)


@routine
def frame_acceleration(topology, constants, nq, body, frame, kind, q, v, a, room, rate):
    """`frame_rate` at a state; `room` is a Motions."""
    poses_in_world(topology, constants, nq, q, room)
    motions_in_bodies(topology, constants, q, v, a, room)
    rate[0], rate[1], rate[2], rate[3], rate[4], rate[5] = frame_rate(room.bodies, body, frame, kind)


@routine
def body_motions(topology, constants, nq, carrier, placement, kind, q, v, a, room, poses, twists, rates):
    """Poses (named bodies, 4, 4), twists and their rates (named bodies, 6) of all named bodies."""
    poses_in_world(topology, constants, nq, q, room)
    motions_in_bodies(topology, constants, q, v, a, room)
    named_poses(carrier, placement, room.bodies, poses)
    for b in range(carrier.shape[0]):
        store6(twists, b, 0, frame_twist(room.bodies, carrier[b], placement[b], kind))
        store6(rates, b, 0, frame_rate(room.bodies, carrier[b], placement[b], kind))
