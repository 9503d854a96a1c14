"""Functions of one state of a tree with flexible bodies, in the form that `kernels.entries` makes entries of."""

from typing import Annotated, NamedTuple

import numpy as np

from locomote.compiler.scratch_layout import NV
from locomote.compiler.source import routine
from locomote.kernels.flexible.columns import VELOCITY, WRENCH, X1, X2
from locomote.kernels.flexible.elastic import elastic_energy, elastic_forces
from locomote.kernels.flexible.forward import forward_dynamics
from locomote.kernels.flexible.gather import MOMENTUM
from locomote.kernels.flexible.jacobian import jacobian
from locomote.kernels.flexible.mass import mass_matrix
from locomote.kernels.flexible.motion import inverse_dynamics, kinetic_energy, places_in_world, world_motion, world_wrench
from locomote.kernels.kinematics import LOCAL, TWIST, WORLD, frame_pose, named_poses
from locomote.kernels.momentum import center_of_mass, potential_energy, swing
from locomote.model.columns import ARMATURE, GRAVITY, KIND, STATION, V_COUNT, V
from locomote.model.joints import ATTACHED, is_flexible
from locomote.spatial.algebra import add, angular, cross, join, linear, scale, subtract, unrotate
from locomote.spatial.rows import load, load6, store6


class Forces(NamedTuple):
    """Scratch beside that of inverse dynamics."""

    tau: Annotated[np.ndarray, NV, "forces that the motion takes"]


@routine
def hybrid_dynamics(tree, strain, nq, imposed, q, v, tau, a, wrenches, room, all_a, all_tau):
    """Fill accelerations and forces of all coordinates."""
    for k in range(imposed.shape[0]):
        all_tau[k], all_a[k] = tau[k], 0.0 * a[k]
        if imposed[k] != 0:
            all_a[k] = a[k]
    forward_dynamics(tree, strain, nq, q, v, all_tau, wrenches, imposed, room, all_a)


@routine
def mass_and_momentum(tree, strain, nq, q, room, M, momentum):
    """The mass matrix, and `momentum` (6, nv): momentum, about the world origin, per unit of each velocity."""
    mass_matrix(tree, strain, nq, q, room, M)
    for r in range(6):
        for k in range(tree.topology[tree.topology.shape[0] - 1, V]):
            momentum[r, k] = room.table[MOMENTUM + r, k]


@routine
def forward_kinematics(tree, strain, nq, carrier, placement, q, room, poses):
    """Poses of named bodies in the world."""
    places_in_world(tree, strain, nq, q, room)
    named_poses(carrier, placement, room.bodies, poses)


@routine
def frame_jacobian(tree, strain, nq, body, frame, kind, q, room, J):
    """That of a frame on a row, into J (6, nv), which must be zero."""
    jacobian(tree, strain, nq, q, body, frame, kind, room, J)


@routine
def body_motions(tree, strain, nq, carrier, placement, kind, q, v, a, room, poses, twists, rates):
    """Poses, twists and their rates of named bodies, or of any frames."""
    world_motion(tree, strain, nq, q, v, a, room)
    named_poses(carrier, placement, room.bodies, poses)
    for b in range(carrier.shape[0]):
        i = carrier[b]
        R, p = frame_pose(room.bodies, i, placement[b])
        t, d = load6(room.bodies, i, TWIST), load6(room.rates, i, 0)
        u, w, acc, alpha = linear(t), angular(t), linear(d), angular(d)
        if kind != WORLD:
            u, acc = add(u, cross(w, p)), add(acc, cross(alpha, p))  # velocity of the point, and the rate of its body twist
            if kind == LOCAL:
                u, w, acc, alpha = unrotate(R, u), unrotate(R, w), unrotate(R, acc), unrotate(R, alpha)
            else:
                acc = add(acc, cross(w, u))
        store6(twists, b, 0, join(u, w))
        store6(rates, b, 0, join(acc, alpha))


@routine
def energies(tree, strain, nq, q, v, room, energy):
    """Kinetic energy, potential energy in gravity, and center of mass, into `energy` (5,)."""
    world_motion(tree, strain, nq, q, v, v, room)
    energy[0] = kinetic_energy(tree, v, room.work) + armature_energy(tree, v)
    energy[1] = potential_energy(tree.topology, tree.constants, room.bodies)
    center, mass = center_of_mass(tree.topology, tree.constants, room.bodies)
    energy[2], energy[3], energy[4] = center


@routine
def armature_energy(tree, v):
    """What armatures of joints hold."""
    energy = 0.0
    for i in range(tree.topology.shape[0] - 1):
        if not is_flexible(tree.topology[i, KIND]):
            for j in range(tree.topology[i, V_COUNT]):
                rate = v[tree.topology[i, V] + j]
                energy += 0.5 * tree.constants[i, ARMATURE + j] * rate * rate
    return energy


@routine
def momentum_rate(tree, strain, nq, q, v, a, wrenches, room, rate):
    """Rate of the momentum about the center of mass: the wrench on the world, weight taken out.

    `room` is a Placed and a Forces.
    """
    placed, world = room[0], tree.topology.shape[0] - 1
    places_in_world(tree, strain, nq, q, placed)
    center, mass = center_of_mass(tree.topology, tree.constants, placed.bodies)
    inverse_dynamics(tree, strain, nq, q, v, a, wrenches, placed, room[1].tau)
    F = world_wrench(tree, placed.work)
    force = add(linear(F), scale(mass, load(tree.constants, world, GRAVITY)))
    turn = subtract(angular(F), cross(center, linear(F)))
    turn = subtract(turn, swing(tree.topology, tree.constants, placed.bodies, placed.work, VELOCITY, mass))
    rate[0], rate[1], rate[2], rate[3], rate[4], rate[5] = force[0], force[1], force[2], turn[0], turn[1], turn[2]


@routine
def elastic(tree, strain, nq, q, v, room, force, energy):
    """Forces of elasticity and damping (nv,), and the energy and power (2,) of `elastic_forces`."""
    for k in range(v.shape[0]):
        force[k] = 0.0
    energy[0], energy[1] = elastic_energy(tree, q), elastic_forces(tree, q, v, force)


@routine
def section_forces(tree, strain, nq, q, v, a, wrenches, room, out):
    """`out` (stations, 6): the wrench that each station passes on to what is beyond it, itself included, in its frame.

    `room` is a Carried and a Forces.
    """
    inverse_dynamics(tree, strain, nq, q, v, a, wrenches, room[0], room[1].tau)
    for i in range(tree.topology.shape[0] - 1):
        if tree.topology[i, KIND] == ATTACHED:
            store6(out, tree.topology[i, STATION], 0, load6(room[0].work, i, WRENCH))


@routine
def sections(tree, strain, nq, q, room, poses, strains):
    """Poses (stations, 12) of all sections in the world, and the strain (stations, 6) in the middle of each step."""
    places_in_world(tree, strain, nq, q, room)
    for i in range(tree.topology.shape[0] - 1):
        if tree.topology[i, KIND] == ATTACHED:
            at = tree.topology[i, STATION]
            for c in range(12):
                poses[at, c] = room.bodies[i, c]
            for c in range(6):
                strains[at, c] = 0.5 * (room.steps[at, X1 + c] + room.steps[at, X2 + c])
