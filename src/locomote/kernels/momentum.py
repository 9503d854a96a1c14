"""Momentum of the whole tree about its center of mass, in world axes: matrix, rate, and the center itself; energies."""

from typing import Annotated, NamedTuple

import numpy as np

from locomote.compiler.scratch_layout import NV
from locomote.compiler.source import helper, routine
from locomote.kernels.added import added_times, has_added
from locomote.kernels.bodies import first_moment, momentum_of
from locomote.kernels.common_frame import add_composite, composite_times, place_bodies, take
from locomote.kernels.inverse_dynamics import inverse_dynamics, wrench_on_world
from locomote.kernels.kinematics import ORIGIN, ROTATION, TWIST, poses_in_world, twists_in_bodies
from locomote.kernels.mass_matrix import ADDED_LINEAR, WORK, added_composite_times, place_added
from locomote.model.columns import ARMATURE, GRAVITY, LAST, MASS, PARENT, V_COUNT, V
from locomote.model.joints import joint_pose, joint_sines
from locomote.spatial import algebra as al
from locomote.spatial.rows import load, load6, load9, put


@helper
def common_rotation(topology, constants, q, sine, cosine):
    """Rotation of the common frame in the world."""
    R, o = joint_pose(topology, constants, 0, q, sine, cosine)
    if topology[0, LAST] < topology.shape[0] - 2:
        return al.IDENTITY
    return R


@routine
def momentum_matrix(topology, constants, nq, q, room, A):
    """Fill A (6, nv): momentum (linear, angular about the center of mass) in world axes is A v."""
    world, (sine, cosine, bodies, axes) = topology.shape[0] - 1, room
    added = has_added(constants)
    place_bodies(topology, constants, nq, q, sine, cosine, bodies, axes)
    R = common_rotation(topology, constants, q, sine, cosine)
    center, mass = center_of_mass(topology, constants, bodies)
    if added:
        for i in range(world):
            place_added(constants, i, bodies)
    for i in range(world - 1, -1, -1):
        for k in range(topology[i, V], topology[i, V] + topology[i, V_COUNT]):
            S = take(axes, 0, k)
            h = composite_times(bodies, i, S)
            if added:
                h = al.plus(h, added_composite_times(bodies, i, S))
            put(A, 0, k, h)
        p = topology[i, PARENT]
        if p < world:
            add_composite(bodies, i, p)
            if added:
                for c in range(ADDED_LINEAR, WORK):
                    bodies[p, c] = bodies[p, c] + bodies[i, c]
    for i in range(world):
        for k in range(topology[i, V], topology[i, V] + topology[i, V_COUNT]):
            h = take(A, 0, k)
            about = al.subtract(al.angular(h), al.cross(center, al.linear(h)))
            put(A, 0, k, al.join(al.rotate(R, al.linear(h)), al.rotate(R, about)))


@routine
def center_of_mass(topology, constants, bodies):
    """Center of all moving mass in the frame that poses are in, and that mass."""
    world = topology.shape[0] - 1
    m, c = 0.0 * bodies[world, 0], al.scale(0.0, load(bodies, world, ORIGIN))
    for i in range(world):
        part = al.add(
            al.rotate(load9(bodies, i, ROTATION), first_moment(constants, i)),
            al.scale(constants[i, MASS], load(bodies, i, ORIGIN)),
        )
        m, c = m + constants[i, MASS], al.add(c, part)
    return al.scale(1.0 / m, c), m


@routine
def added_swing(topology, constants, q, v, room, mass):
    """`swing`, of a rigid tree."""
    twists_in_bodies(topology, constants, q, v, room)
    return swing(topology, constants, room.bodies, room.bodies, TWIST, mass)


@routine
def swing(topology, constants, bodies, twists, column, mass):
    """Velocity of the center of mass x momentum of added inertia: the rate about a center that moves on its own has it.

    bodies : poses in the world ; twists : of bodies in their own frames, from a column on
    """
    world = topology.shape[0] - 1
    rigid, fluid = al.scale(0.0, load(bodies, world, ORIGIN)), al.scale(0.0, load(bodies, world, ORIGIN))
    if has_added(constants):
        for i in range(world):
            R, t = load9(bodies, i, ROTATION), load6(twists, i, column)
            rigid = al.add(rigid, al.rotate(R, al.linear(momentum_of(constants, i, t))))
            fluid = al.add(fluid, al.rotate(R, al.linear(added_times(constants, i, t))))
    return al.scale(1.0 / mass, al.cross(rigid, fluid))


@routine
def potential_energy(topology, constants, bodies):
    """Minus mass times gravity times height, from poses in the world."""
    world = topology.shape[0] - 1
    g = (constants[world, GRAVITY], constants[world, GRAVITY + 1], constants[world, GRAVITY + 2])
    energy = 0.0 * bodies[world, 0]
    for i in range(world):
        part = al.add(
            al.rotate(load9(bodies, i, ROTATION), first_moment(constants, i)),
            al.scale(constants[i, MASS], load(bodies, i, ORIGIN)),
        )
        energy = energy - al.dot(g, part)
    return energy


@routine
def kinetic_energy(topology, constants, nq, q, v, room):
    """Half the momentum times the twist of all bodies, and what armatures hold."""
    world, bodies = topology.shape[0] - 1, room.bodies
    joint_sines(topology, constants, nq, q, room.sine, room.cosine)
    twists_in_bodies(topology, constants, q, v, room)
    energy = 0.0 * bodies[world, TWIST]
    for i in range(world):
        t = load6(bodies, i, TWIST)
        energy = energy + 0.5 * al.pair(momentum_of(constants, i, t), t)
        if has_added(constants):
            energy = energy + 0.5 * al.pair(added_times(constants, i, t), t)
        for j in range(topology[i, V_COUNT]):
            rate = v[topology[i, V] + j]
            energy = energy + 0.5 * constants[i, ARMATURE + j] * rate * rate
    return energy


class Map(NamedTuple):
    """Scratch of the momentum, beside that of its matrix."""

    A: Annotated[np.ndarray, 6, NV, "the matrix"]


class Taken(NamedTuple):
    """Scratch of the rate of the momentum, beside that of inverse dynamics and of poses."""

    tau: Annotated[np.ndarray, NV, "forces that the motion takes"]


@routine
def momentum_at(topology, constants, nq, q, v, room, total):
    """Fill A v (6,); `room` is a Composite and a Map."""
    A = room[1].A
    for r in range(6):
        for k in range(v.shape[0]):
            A[r, k] = 0.0
    momentum_matrix(topology, constants, nq, q, room[0], A)
    for r in range(6):
        total[r] = 0.0
        for k in range(v.shape[0]):
            total[r] += A[r, k] * v[k]


@routine
def momentum_rate(topology, constants, nq, q, v, a, wrenches, room, rate):
    """Rate of the momentum about the center of mass: the wrench on the world, weight taken out.

    `room` is a Newton, a Places and a Taken.
    """
    newton, places, world = room[0], room[1], topology.shape[0] - 1
    inverse_dynamics(topology, constants, nq, q, v, a, wrenches, newton, room[2].tau)
    poses_in_world(topology, constants, nq, q, places)
    center, mass = center_of_mass(topology, constants, places.bodies)
    F = wrench_on_world(topology, constants, q, newton)
    force = al.add(al.linear(F), al.scale(mass, load(constants, world, GRAVITY)))
    turn = al.subtract(al.angular(F), al.cross(center, al.linear(F)))
    if wrenches is not None:
        turn = al.subtract(turn, added_swing(topology, constants, q, v, places, mass))
    rate[0], rate[1], rate[2], rate[3], rate[4], rate[5] = force[0], force[1], force[2], turn[0], turn[1], turn[2]


@routine
def center_at(topology, constants, nq, q, room, center):
    """Center of mass (3,) at a configuration; `room` is a Places."""
    poses_in_world(topology, constants, nq, q, room)
    place, mass = center_of_mass(topology, constants, room.bodies)
    center[0], center[1], center[2] = place


@routine
def potential_energy_at(topology, constants, nq, q, room):
    """Potential energy at a configuration; `room` is a Places."""
    poses_in_world(topology, constants, nq, q, room)
    return potential_energy(topology, constants, room.bodies)
