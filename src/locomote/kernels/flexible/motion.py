"""Motion and forces of a tree with flexible bodies: poses, twists, inverse dynamics, forces of wrenches on coordinates.

The plain recursion over rows, for every kind of them. (R, o) is the pose of row i in its parent, V, A its twist and the rate of
that, s the motion of its joint (or of its step along a flexible body) and s' the rate of it:

    outward   V = Ad V_p + s ,   A = Ad A_p + s' + V x s                                                                  (1)
              F = I A + V x* I V - external wrench        (gravity is an acceleration of the world)                       (2)
    inward    tau += (ds/dv)^T F ,   F_p += Ad^T F                                                                        (3)
"""

from locomote.compiler.source import helper, routine
from locomote.kernels.added import added_times, has_added
from locomote.kernels.bodies import momentum_of
from locomote.kernels.flexible.columns import ACCELERATION, ORIGIN, POSE_O, POSE_R, RATE, ROTATION, TWIST, UP, VELOCITY, WRENCH
from locomote.kernels.flexible.shape import pull, pull_row, shape
from locomote.kernels.kinematics import ORIGIN as PLACE
from locomote.kernels.kinematics import ROTATION as TURN
from locomote.kernels.kinematics import TWIST as MOTION
from locomote.model.columns import DISPLACEMENT, GRAVITY, KIND, PARENT, ROD, STATION, V_COUNT, V
from locomote.model.columns import ROTATION as FIXED_ROTATION
from locomote.model.joints import ATTACHED, FLEX, along_axis, joint_force, joint_pose, joint_sines, joint_twist
from locomote.spatial import algebra as al
from locomote.spatial.rows import load, load6, load9, store, store6, store9

NONE = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@routine
def place_rows(tree, nq, q, sine, cosine, steps, work):
    """Poses of all rows in their parents, into `work`; the steps must be there."""
    topology, constants = tree.topology, tree.constants
    joint_sines(topology, constants, nq, q, sine, cosine)
    for i in range(topology.shape[0] - 1):
        kind = topology[i, KIND]
        if kind == ATTACHED:
            s = topology[i, STATION]
            store9(work, i, POSE_R, load9(steps, s, ROTATION))
            store(work, i, POSE_O, load(steps, s, ORIGIN))
        elif kind == FLEX:
            store9(work, i, POSE_R, load9(constants, i, FIXED_ROTATION))
            store(work, i, POSE_O, load(constants, i, DISPLACEMENT))
        else:
            R, o = joint_pose(topology, constants, i, q, sine, cosine)
            store9(work, i, POSE_R, R)
            store(work, i, POSE_O, o)


@helper
def own_motion(tree, i, v, steps, column):
    """s of row i, or with the column RATE and accelerations its rate."""
    t, kind = NONE, tree.topology[i, KIND]
    if kind == ATTACHED:
        t = load6(steps, tree.topology[i, STATION], column)
    elif kind != FLEX:
        t = joint_twist(tree.topology, tree.constants, i, v)
    return t


@routine
def carry(tree, v, a, up, steps, work):
    """(1): twists of all rows and, unless a is None, their rates, in their own frames; the world accelerates by -up."""
    topology, world = tree.topology, tree.topology.shape[0] - 1
    store6(work, world, VELOCITY, NONE)
    store6(work, world, ACCELERATION, (-up[0], -up[1], -up[2], 0.0, 0.0, 0.0))
    store(work, world, UP, (-up[0], -up[1], -up[2]))
    for i in range(world):
        p, R, o = topology[i, PARENT], load9(work, i, POSE_R), load(work, i, POSE_O)
        s = own_motion(tree, i, v, steps, TWIST)
        t = al.plus(al.twist_to_child(R, o, load6(work, p, VELOCITY)), s)
        store6(work, i, VELOCITY, t)
        if a is not None:
            rate = al.plus(own_motion(tree, i, a, steps, RATE), al.bracket(t, s))
            store6(work, i, ACCELERATION, al.plus(al.twist_to_child(R, o, load6(work, p, ACCELERATION)), rate))
            store(work, i, UP, al.unrotate(R, load(work, p, UP)))


@routine
def wrenches_of(tree, wrenches, work):
    """(2) of all rows."""
    constants = tree.constants
    for i in range(tree.topology.shape[0] - 1):
        t, rate = load6(work, i, VELOCITY), load6(work, i, ACCELERATION)
        f = al.plus(momentum_of(constants, i, rate), al.bracket_dual(t, momentum_of(constants, i, t)))
        if has_added(constants):
            up = load(work, i, UP)
            still = al.minus(rate, (up[0], up[1], up[2], 0.0, 0.0, 0.0))
            f = al.plus(f, al.plus(added_times(constants, i, still), al.bracket_dual(t, added_times(constants, i, t))))
        if wrenches is not None:
            f = al.minus(f, load6(wrenches, i, 0))
        store6(work, i, WRENCH, f)


@routine
def forces_of(tree, a, steps, work, tau):
    """(3): what joints and deformations must provide."""
    topology, world = tree.topology, tree.topology.shape[0] - 1
    for k in range(topology[world, V]):
        tau[k] = 0.0 * a[k]
    for i in range(world - 1, -1, -1):
        kind, p, f = topology[i, KIND], topology[i, PARENT], load6(work, i, WRENCH)
        if kind == ATTACHED:
            pull(tree, topology[i, ROD], topology[i, STATION], steps, f, tau)
        elif kind != FLEX:
            joint_force(topology, tree.constants, i, a, f, tau)
        if p < world:
            moved = al.wrench_to_parent(load9(work, i, POSE_R), load(work, i, POSE_O), f)
            store6(work, p, WRENCH, al.plus(load6(work, p, WRENCH), moved))


@routine
def inverse_dynamics(tree, strain, nq, q, v, a, wrenches, room, tau):
    """Fill tau. `wrenches` (rows, 6) are external ones in packed frames, or None."""
    world, steps, work = tree.topology.shape[0] - 1, room.steps, room.work
    shape(tree, strain, q, v, a, steps)
    place_rows(tree, nq, q, room.sine, room.cosine, steps, work)
    carry(tree, v, a, load(tree.constants, world, GRAVITY), steps, work)
    wrenches_of(tree, wrenches, work)
    forces_of(tree, a, steps, work, tau)


@routine
def world_wrench(tree, work):
    """The wrench that the tree exerts on the world, after inverse dynamics, without weight of what is fixed to it."""
    world, total = tree.topology.shape[0] - 1, NONE
    for i in range(world):
        if tree.topology[i, PARENT] == world:
            moved = al.wrench_to_parent(load9(work, i, POSE_R), load(work, i, POSE_O), load6(work, i, WRENCH))
            total = al.plus(total, moved)
    return total


@routine
def places_in_world(tree, strain, nq, q, room):
    """Poses of all rows in the world, into room.bodies (columns of `kinematics`); those in their parents into room.work."""
    topology, world = tree.topology, tree.topology.shape[0] - 1
    shape(tree, strain, q, None, None, room.steps)
    place_rows(tree, nq, q, room.sine, room.cosine, room.steps, room.work)
    put_places(topology, world, room.work, room.bodies)


@routine
def put_places(topology, world, work, bodies):
    """Poses in the world from poses in parents."""
    store9(bodies, world, TURN, al.IDENTITY)
    store(bodies, world, PLACE, (0.0, 0.0, 0.0))
    for i in range(world):
        p = topology[i, PARENT]
        P, o = load9(bodies, p, TURN), load(bodies, p, PLACE)
        store9(bodies, i, TURN, al.compose(P, load9(work, i, POSE_R)))
        store(bodies, i, PLACE, al.add(o, al.rotate(P, load(work, i, POSE_O))))


@routine
def world_motion(tree, strain, nq, q, v, a, room):
    """Poses, and twists at the world origin in world axes (bodies), and their rates (rates), without gravity."""
    topology, world = tree.topology, tree.topology.shape[0] - 1
    steps, work, bodies, rates = room.steps, room.work, room.bodies, room.rates
    shape(tree, strain, q, v, a, steps)
    place_rows(tree, nq, q, room.sine, room.cosine, steps, work)
    put_places(topology, world, work, bodies)
    carry(tree, v, a, (0.0, 0.0, 0.0), steps, work)
    store6(bodies, world, MOTION, NONE)
    store6(rates, world, 0, NONE)
    for i in range(world):
        R, o = load9(bodies, i, TURN), load(bodies, i, PLACE)
        store6(bodies, i, MOTION, al.twist_to_parent(R, o, load6(work, i, VELOCITY)))
        store6(rates, i, 0, al.twist_to_parent(R, o, load6(work, i, ACCELERATION)))


@routine
def pull_world(tree, steps, bodies, i, end, wrench, sign, out, r):
    """Add to row r of `out` the forces of a wrench, at the world origin in world axes, on row i, on all coordinates between it
    and its ancestor `end`."""
    topology, world = tree.topology, tree.topology.shape[0] - 1
    while i != end and i < world:
        kind = topology[i, KIND]
        if kind != FLEX:
            f = al.wrench_to_child(load9(bodies, i, TURN), load(bodies, i, PLACE), wrench)
            if kind == ATTACHED:
                pull_row(tree, topology[i, ROD], topology[i, STATION], steps, f, sign, out, r)
            else:
                for j in range(topology[i, V_COUNT]):
                    k = topology[i, V] + j
                    out[r, k] = out[r, k] + sign * along_axis(topology, tree.constants, i, j, f)
        i = topology[i, PARENT]


@routine
def kinetic_energy(tree, v, work):
    """Half the momentum times the twist of all rows; twists must be there. Armatures of joints join it."""
    energy = 0.0
    for i in range(tree.topology.shape[0] - 1):
        t = load6(work, i, VELOCITY)
        energy = energy + 0.5 * al.pair(momentum_of(tree.constants, i, t), t)
        if has_added(tree.constants):
            energy = energy + 0.5 * al.pair(added_times(tree.constants, i, t), t)
    return energy
