"""What every joint carries: the wrench that each body gets from its parent.

In the frame of body b, with V and A its twist and the rate of that, g gravity, W external wrenches, and (R, o) the pose of a
child c in it:

    w_b = I_b (A_b - g) + V_b x* I_b V_b - W_b + sum over children of Ad_c^T w_c                                        (1)

over all named bodies, those that are fixed to others among them, with their own inertias. Inertias that kernels hand from a
body to its parent (`model.grouping`) would give other wrenches. A flexible body gets what the recursion along it finds at its
root.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numba import config

from locomote.compiler.background import need
from locomote.compiler.scratch_layout import NV, ROWS
from locomote.compiler.source import helper, routine
from locomote.dynamics.function import NAMED_BODIES, FlexibleFunction, ModelFunction
from locomote.dynamics.wrenches import spread
from locomote.kernels.added import added_times, has_added
from locomote.kernels.bodies import momentum_of
from locomote.kernels.entries import NAMED, Output, Recursion
from locomote.kernels.flexible import columns as at
from locomote.kernels.flexible.motion import inverse_dynamics, world_motion
from locomote.kernels.flexible.scratch import Placed
from locomote.kernels.kinematics import TWIST, frame_pose, poses_in_world
from locomote.kernels.motion import RATE, Motions, in_frame, motions_in_bodies
from locomote.model.columns import GRAVITY, KIND
from locomote.model.joints import FLEX
from locomote.model.model import Model
from locomote.spatial import algebra as al
from locomote.spatial.rows import load, load6, load9, store6

OUTPUT = Output("joint_wrenches", (NAMED, 6))


class Gathered(NamedTuple):
    """Scratch of flexible bodies, beside that of their motion."""

    tau: Annotated[np.ndarray, NV, "forces that the motion takes"]
    loads: Annotated[np.ndarray, ROWS, 6, "external wrenches on rows"]


@helper
def own_wrench(inertias, b, R, g, V, A):
    """(1) of a body by itself; R is its rotation in the world."""
    weightless = al.bracket_dual(V, momentum_of(inertias, b, V))
    f = al.plus(weightless, momentum_of(inertias, b, al.minus(A, al.join(al.unrotate(R, g), (0.0, 0.0, 0.0)))))
    if has_added(inertias):
        f = al.plus(f, al.plus(added_times(inertias, b, A), al.bracket_dual(V, added_times(inertias, b, V))))
    return f


@helper
def hand_on(carrier, placement, parents, bodies, b, w):
    """Add the wrench that body b carries to that of its parent; `bodies` has poses in the world."""
    p, f = parents[b], load6(w, b, 0)
    if p >= 0:
        (R, o), (P, x) = frame_pose(bodies, carrier[b], placement[b]), frame_pose(bodies, carrier[p], placement[p])
        force = al.rotate(R, al.linear(f))
        moment = al.add(al.rotate(R, al.angular(f)), al.cross(al.subtract(o, x), force))
        store6(w, p, 0, al.plus(load6(w, p, 0), al.join(al.unrotate(P, force), al.unrotate(P, moment))))


@routine
def own_wrenches(carrier, placement, inertias, g, wrenches, bodies, twists, first, rates, second, w):
    """(1) of all bodies by themselves. Twists and rates of rows stand in the columns `first` and `second` of their arrays."""
    for b in range(carrier.shape[0]):
        i, frame = carrier[b], placement[b]
        R, o = frame_pose(bodies, i, frame)
        V, A = in_frame(frame, load6(twists, i, first)), in_frame(frame, load6(rates, i, second))
        f = own_wrench(inertias, b, R, g, V, A)
        if wrenches is not None:
            f = al.minus(f, load6(wrenches, b, 0))
        store6(w, b, 0, f)


@routine
def of_rigid(topology, constants, nq, carrier, placement, parents, inertias, q, v, a, wrenches, room, w):
    """Fill w (named bodies, 6); `room` is a Motions."""
    bodies, g = room.bodies, load(constants, topology.shape[0] - 1, GRAVITY)
    poses_in_world(topology, constants, nq, q, room)
    motions_in_bodies(topology, constants, q, v, a, room)
    own_wrenches(carrier, placement, inertias, g, wrenches, bodies, bodies, TWIST, bodies, RATE, w)
    for b in range(carrier.shape[0] - 1, -1, -1):
        hand_on(carrier, placement, parents, bodies, b, w)


@routine
def of_flexible(tree, strain, nq, carrier, placement, parents, inertias, q, v, a, wrenches, room, w):
    """The same; `room` is a Placed and a Gathered."""
    placed, loads, bodies, work = room[0], room[1].loads, room[0].bodies, room[0].work
    world = tree.topology.shape[0] - 1
    for i in range(world + 1):
        for k in range(6):
            loads[i, k] = 0.0
    for b in range(carrier.shape[0]):
        f = al.wrench_to_parent(load9(placement, b, 0), load(placement, b, 9), load6(wrenches, b, 0))
        store6(loads, carrier[b], 0, al.plus(load6(loads, carrier[b], 0), f))
    inverse_dynamics(tree, strain, nq, q, v, a, loads, placed, room[1].tau)
    world_motion(tree, strain, nq, q, v, a, placed)
    g = load(tree.constants, world, GRAVITY)
    own_wrenches(carrier, placement, inertias, g, wrenches, bodies, work, at.VELOCITY, work, at.ACCELERATION, w)
    for b in range(carrier.shape[0] - 1, -1, -1):
        i = carrier[b]
        if tree.topology[i, KIND] == FLEX:  # with all that is beyond its root
            f = al.wrench_to_child(load9(placement, b, 0), load(placement, b, 9), load6(work, i, at.WRENCH))
            store6(w, b, 0, f)
        hand_on(carrier, placement, parents, bodies, b, w)


FLEXIBLE = FlexibleFunction(
    __name__,
    Recursion(
        "flexible_joint_wrenches", of_flexible, (Placed, Gathered), ("q", "v", "a"), (OUTPUT,), held=NAMED_BODIES, loaded=True,
        on_named=True, flexible=True,
    ),
    lanes=True,
)  # fmt: skip
WRENCHES = ModelFunction(
    __name__,
    Recursion("joint_wrenches", of_rigid, Motions, ("q", "v", "a"), (OUTPUT,), held=NAMED_BODIES, loaded=True, on_named=True),
    "joint wrenches",
    flexible=FLEXIBLE,
    many="lanes",
    formula=r"w_b = I_b (\dot V_b - g) + V_b \times^* I_b V_b - W_b + \sum_c \mathrm{Ad}_c^T w_c",
)


def has_to_be_compiled(model: Model) -> bool:
    """Whether a batch of a model takes a kernel that is not on disk, or, with flexible bodies, may do so."""
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return False
    batch = WRENCHES.batch_loaded
    return bool(model.flexible) or batch is None or need(*batch.need).is_missing()


def joint_wrenches(model: Model, q, v, a, *, wrenches=None, threads: int = 1) -> np.ndarray:
    """(..., bodies, 6) what each joint carries: force (N) and moment (N m) that a body gets from its parent.

    q : (..., nq) ; v, a : (..., nv) ; wrenches, threads : as for `inverse_dynamics`
    In the frame of the body, about its origin, in the order of `model.body_names`. A body without a joint has what holds it to
    its parent; a rod has what enters at its root. Along the axes S of a joint S^T w is the force of `inverse_dynamics`, that of
    the drive and of the joint's own spring, damper and friction together, less what the armature takes within the drive.
    """
    if type(threads) is int and threads == 1:
        if wrenches is None:
            result = WRENCHES.one.call(model, q, v, a)
        else:
            given = spread(model, wrenches) if type(wrenches) is dict else wrenches
            result = WRENCHES.loaded.call(model, q, v, a, given)
        if result is not None:
            return result
    return WRENCHES.checked(model, q, v, a, wrenches=wrenches, threads=threads)
