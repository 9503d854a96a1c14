"""Where bodies are and how they move: poses in the world, twists in body frames, Jacobians of a frame and their rates."""

from typing import Annotated, NamedTuple

import numpy as np

from locomote.compiler.scratch_layout import NQ, NV, ROWS
from locomote.compiler.source import helper, routine
from locomote.kernels.common_frame import AXES, take
from locomote.model.columns import PARENT, V_COUNT, V
from locomote.model.joints import joint_sines, joint_twist, placed, put_axes, twist_from_parent
from locomote.spatial import algebra as al
from locomote.spatial.rows import load, load6, load9, put, store, store6, store9

ROTATION, ORIGIN, TWIST = 0, 9, 12  # columns of `bodies`
BODIES = 18
LOCAL, WORLD, ALIGNED = 0, 1, 2


class Places(NamedTuple):
    """Scratch of poses and twists."""

    sine: Annotated[np.ndarray, NQ, "of what turns by an angle; filled by `joint_sines`"]
    cosine: Annotated[np.ndarray, NQ, "likewise"]
    bodies: Annotated[np.ndarray, ROWS, BODIES, "pose in the world, and twist where one was asked for"]


class Screws(NamedTuple):
    """Scratch of Jacobians: that of poses, and motion axes."""

    sine: Annotated[np.ndarray, NQ, "of what turns by an angle; filled by `joint_sines`"]
    cosine: Annotated[np.ndarray, NQ, "likewise"]
    bodies: Annotated[np.ndarray, ROWS, BODIES, "pose in the world, and twist where one was asked for"]
    axes: Annotated[np.ndarray, AXES, NV, "motion axes of all coordinates at the world origin, filled by `axes_in_world`"]


@routine
def poses_in_world(topology, constants, nq, q, room):
    """Poses of all moving bodies, and of the world itself."""
    world, sine, cosine, bodies = topology.shape[0] - 1, room.sine, room.cosine, room.bodies
    joint_sines(topology, constants, nq, q, sine, cosine)
    store9(bodies, world, ROTATION, al.IDENTITY)
    store(bodies, world, ORIGIN, (0.0, 0.0, 0.0))
    for i in range(world):
        p = topology[i, PARENT]
        R, o = placed(topology, constants, i, q, sine, cosine, load9(bodies, p, ROTATION), load(bodies, p, ORIGIN))
        store9(bodies, i, ROTATION, R)
        store(bodies, i, ORIGIN, o)


@routine
def twists_in_bodies(topology, constants, q, v, room):
    """Twists of all moving bodies in their own frames; sines must be there."""
    world, sine, cosine, bodies = topology.shape[0] - 1, room.sine, room.cosine, room.bodies
    store6(bodies, world, TWIST, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    for i in range(world):
        carried = twist_from_parent(topology, constants, i, q, sine, cosine, load6(bodies, topology[i, PARENT], TWIST))
        store6(bodies, i, TWIST, al.plus(carried, joint_twist(topology, constants, i, v)))


@helper
def frame_pose(bodies, i, frame):
    """Pose in the world of a frame (rotation and displacement, 12 numbers) fixed to body i."""
    P = load9(bodies, i, ROTATION)
    F = (frame[0], frame[1], frame[2], frame[3], frame[4], frame[5], frame[6], frame[7], frame[8])
    o = al.add(load(bodies, i, ORIGIN), al.rotate(P, (frame[9], frame[10], frame[11])))
    return al.compose(P, F), o


@helper
def seen_from(kind, R, p, t):
    """A twist at the world origin in world axes, seen as `kind` says from a frame with pose (R, p)."""
    moved = al.add(al.linear(t), al.cross(al.angular(t), p))
    if kind == LOCAL:
        return al.join(al.unrotate(R, moved), al.unrotate(R, al.angular(t)))
    elif kind == ALIGNED:
        return al.join(moved, al.angular(t))
    return t


@routine
def axes_in_world(topology, constants, bodies, axes):
    """Motion axes of all joints as twists at the world origin."""
    for i in range(topology.shape[0] - 1):
        put_axes(topology, constants, i, load9(bodies, i, ROTATION), load(bodies, i, ORIGIN), axes)


@routine
def jacobian(topology, bodies, axes, i, frame, kind, J):
    """Fill J (6, nv), which must be zero, for a frame fixed to body i."""
    world = topology.shape[0] - 1
    R, p = frame_pose(bodies, i, frame)
    while i < world:
        for k in range(topology[i, V], topology[i, V] + topology[i, V_COUNT]):
            put(J, 0, k, seen_from(kind, R, p, take(axes, 0, k)))
        i = topology[i, PARENT]


@routine
def frame_jacobian(topology, constants, nq, body, frame, kind, q, room, J):
    """`jacobian` at a configuration; `room` is a Screws."""
    poses_in_world(topology, constants, nq, q, room)
    axes_in_world(topology, constants, room.bodies, room.axes)
    jacobian(topology, room.bodies, room.axes, body, frame, kind, J)


@routine
def world_twists(topology, v, axes, bodies):
    """Twists of all bodies at the world origin in world axes."""
    world = topology.shape[0] - 1
    store6(bodies, world, TWIST, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    for i in range(world):
        t = load6(bodies, topology[i, PARENT], TWIST)
        for k in range(topology[i, V], topology[i, V] + topology[i, V_COUNT]):
            t = al.plus(t, al.times(v[k], take(axes, 0, k)))
        store6(bodies, i, TWIST, t)


@routine
def jacobian_rate(topology, bodies, axes, i, frame, kind, J):
    """Fill J (6, nv), which must be zero, with the rate of the Jacobian; world twists must be there.

    An axis S of joint j moves as S' = V_j x S. Seen from the frame, with twist V and point velocity p':

        local     Ad (S' - V x S)          aligned   Ad S' + (w x p', 0)          world   S'
    """
    world = topology.shape[0] - 1
    R, p = frame_pose(bodies, i, frame)
    V_f = load6(bodies, i, TWIST)
    speed = al.add(al.linear(V_f), al.cross(al.angular(V_f), p))
    while i < world:
        V_i = load6(bodies, i, TWIST)
        for k in range(topology[i, V], topology[i, V] + topology[i, V_COUNT]):
            S = take(axes, 0, k)
            rate = al.bracket(V_i, S)
            if kind == LOCAL:
                rate = al.minus(rate, al.bracket(V_f, S))
            rate = seen_from(kind, R, p, rate)
            if kind == ALIGNED:
                rate = al.join(al.add(al.linear(rate), al.cross(al.angular(S), speed)), al.angular(rate))
            put(J, 0, k, rate)
        i = topology[i, PARENT]


@routine
def frame_jacobian_rate(topology, constants, nq, body, frame, kind, q, v, room, J_rate):
    """`jacobian_rate` at a state; `room` is a Screws."""
    poses_in_world(topology, constants, nq, q, room)
    axes_in_world(topology, constants, room.bodies, room.axes)
    world_twists(topology, v, room.axes, room.bodies)
    jacobian_rate(topology, room.bodies, room.axes, body, frame, kind, J_rate)


@routine
def named_poses(carrier, placement, bodies, poses):
    """Poses (named bodies, 4, 4) in the world; placement is (named bodies, 12)."""
    for n in range(carrier.shape[0]):
        R, o = frame_pose(bodies, carrier[n], placement[n])
        for r in range(3):
            poses[n, 3, r] = 0.0
            poses[n, r, 3] = o[r]
            for c in range(3):
                poses[n, r, c] = R[3 * r + c]
        poses[n, 3, 3] = 1.0


@routine
def forward_kinematics(topology, constants, nq, carrier, placement, q, room, poses):
    """`named_poses` at a configuration; `room` is a Places."""
    poses_in_world(topology, constants, nq, q, room)
    named_poses(carrier, placement, room.bodies, poses)
