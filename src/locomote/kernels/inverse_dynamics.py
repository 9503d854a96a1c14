"""Joint forces of a tree for a given motion: recursive Newton-Euler in body frames.

i is a body, p its parent, (R, o) its pose in the parent. w, alpha, acc are angular velocity, angular acceleration and
acceleration of the origin of a body, F the wrench on it; all in body axes. Gravity enters as an acceleration of the world.

    outward   A   = alpha^ + w^ w^  of the parent                                           (1)
              w   = R^T w_p ,  alpha = R^T alpha_p ,  acc = R^T (acc_p + A_p o)             (2)
                                                then the joint's own motion is added
              F   = wrench of Newton and Euler (A, acc) - external wrench                   (3)
    inward    tau_i = S_i^T F ,   F_p += R F, moved by o                                    (4)

Inertias are grouped ones (`grouping`), which leave tau what it is. A body with added inertia also needs its velocity u, and
has no weight from it (5). The world is the body after the last: its row of the scratch array starts the recursion.
"""

from typing import Annotated, NamedTuple

import numpy as np

from locomote.compiler.scratch_layout import NQ, ROWS
from locomote.compiler.source import helper, inlined_routine, routine
from locomote.kernels.added import added_wrench, has_added
from locomote.kernels.bodies import grouped, newton_euler, newton_euler_prismatic, newton_euler_revolute, swirl
from locomote.model import joints
from locomote.model.columns import ARMATURE, DISPLACEMENT, GRAVITY, KIND, PARENT, Q, V
from locomote.spatial.algebra import add, cross, join, linear, minus, plus, scale, subtract, unrotate
from locomote.spatial.rows import load, load6, store, store6

ACC, WRENCH, VELOCITY, UP = 6, 9, 15, 18  # columns of `bodies`, after w and alpha
WORK = 21


class Newton(NamedTuple):
    """Scratch of inverse dynamics."""

    sine: Annotated[np.ndarray, NQ, "of what turns by an angle; filled by `joint_sines`"]
    cosine: Annotated[np.ndarray, NQ, "likewise"]
    bodies: Annotated[np.ndarray, ROWS, WORK, "motion, filled outward, and the wrench that each body hands on, inward"]


class Tree(NamedTuple):
    """A packed model."""

    topology: np.ndarray
    constants: np.ndarray


class Motion(NamedTuple):
    """Configuration, velocity and acceleration."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray


@helper
def put_motion(tree, i, motion, wrenches, room, w, alpha, acc, F):
    """Store the motion of body i and the wrench it takes, F of (3) without an external one."""
    (topology, constants), work = tree, room.bodies
    if wrenches is not None:
        F = minus(F, load6(wrenches, i, 0))
        if has_added(constants):
            p = topology[i, PARENT]
            R, o = joints.joint_pose(topology, constants, i, motion.q, room.sine, room.cosine)
            u = unrotate(R, add(load(work, p, VELOCITY), cross(load(work, p, 0), o)))
            u = add(u, linear(joints.joint_twist(topology, constants, i, motion.v)))
            up = unrotate(R, load(work, p, UP))
            F = plus(F, added_wrench(constants, i, u, w, alpha, subtract(acc, up)))  # (5)
            store(work, i, VELOCITY, u)
            store(work, i, UP, up)
    store(work, i, 0, w)
    store(work, i, 3, alpha)
    store(work, i, ACC, acc)
    store6(work, i, WRENCH, F)


@inlined_routine
def carry_motion(tree, motion, wrenches, room):
    """(1) to (3): motions of all bodies and the wrenches they take, into their rows."""
    (topology, constants), (q, v, a), (sine, cosine, work) = tree, motion, room
    world = topology.shape[0] - 1
    for k in range(WORK):
        work[world, k] = 0.0
    for k in range(3):
        work[world, ACC + k] = work[world, UP + k] = -constants[world, GRAVITY + k]
    w, alpha, acc = load(work, world, 0), load(work, world, 3), load(work, world, ACC)
    for i in range(world):
        kind, p = topology[i, KIND], topology[i, PARENT]
        if joints.in_line(topology, constants, i):
            A = swirl(w, alpha)
            w, alpha, acc = joints.revolute_motion(topology, constants, i, sine, cosine, v, a, w, alpha, acc, A, None)
            F = newton_euler_revolute(constants, i, swirl(w, alpha), acc)
            put_motion(tree, i, motion, wrenches, room, w, alpha, acc, F)
        elif kind == joints.REVOLUTE:
            w, alpha, acc = load(work, p, 0), load(work, p, 3), load(work, p, ACC)
            A = swirl(w, alpha)
            w, alpha, acc = joints.revolute_motion(topology, constants, i, sine, cosine, v, a, w, alpha, acc, A, True)
            F = newton_euler_revolute(constants, i, swirl(w, alpha), acc)
            put_motion(tree, i, motion, wrenches, room, w, alpha, acc, F)
        elif kind == joints.PRISMATIC:
            w, alpha, acc = load(work, p, 0), load(work, p, 3), load(work, p, ACC)
            A = swirl(w, alpha)
            w, alpha, acc = joints.prismatic_motion(topology, constants, i, q, sine, cosine, v, a, w, alpha, acc, A)
            F = newton_euler_prismatic(constants, i, swirl(w, alpha), acc)
            put_motion(tree, i, motion, wrenches, room, w, alpha, acc, F)
        else:
            w, alpha, acc = load(work, p, 0), load(work, p, 3), load(work, p, ACC)
            if kind == joints.FREE and p == world:
                w, alpha, acc = joints.free_motion(topology, constants, i, q, v, a, acc)
            else:
                A = swirl(w, alpha)
                w, alpha, acc = joints.joint_motion(topology, constants, i, q, sine, cosine, v, a, w, alpha, acc, A)
            F = newton_euler(constants, i, swirl(w, alpha), acc)
            put_motion(tree, i, motion, wrenches, room, w, alpha, acc, F)


@helper
def revolute_inward(topology, constants, i, a, sine, cosine, tau, F, forked):
    """(4) for a body on a revolute joint, in a straight line."""
    j, k = topology[i, Q], topology[i, V]
    tau[k] = F[5] + constants[i, ARMATURE] * a[k]
    return joints.wrench_over_screw(constants, i, sine[j], cosine[j], load(constants, i, DISPLACEMENT), F, forked)


@routine
def wrench_on_world(topology, constants, q, room):
    """The wrench that the tree exerts on the world, after inverse dynamics."""
    world, (sine, cosine, work) = topology.shape[0] - 1, room
    m, c, P = grouped(constants, world)
    acc = load(work, world, ACC)
    F = join(scale(m, acc), cross(c, acc))
    for i in range(world):
        if topology[i, PARENT] == world:
            F = plus(F, joints.wrench_on_parent(topology, constants, i, q, sine, cosine, load6(work, i, WRENCH)))
    return F


@inlined_routine
def inverse_dynamics(topology, constants, nq, q, v, a, wrenches, room, tau):
    """Fill tau. `wrenches` (bodies, 6) are external ones in packed frames; None: there are none, and no added inertia."""
    world, (sine, cosine, work) = topology.shape[0] - 1, room
    joints.joint_sines(topology, constants, nq, q, sine, cosine)
    carry_motion(Tree(topology, constants), Motion(q, v, a), wrenches, room)
    F = load6(work, world - 1, WRENCH)
    for i in range(world - 1, -1, -1):
        if joints.in_line(topology, constants, i):
            F = plus(load6(work, i - 1, WRENCH), revolute_inward(topology, constants, i, a, sine, cosine, tau, F, None))
        else:
            p = topology[i, PARENT]
            if p == world:
                joints.joint_force(topology, constants, i, a, F, tau)
                store6(work, i, WRENCH, F)
            else:
                if topology[i, KIND] == joints.REVOLUTE:
                    F = revolute_inward(topology, constants, i, a, sine, cosine, tau, F, True)
                else:
                    joints.joint_force(topology, constants, i, a, F, tau)  # (4)
                    F = joints.wrench_on_parent(topology, constants, i, q, sine, cosine, F)
                store6(work, p, WRENCH, plus(load6(work, p, WRENCH), F))
            if i > 0:
                F = load6(work, i - 1, WRENCH)
