"""Entries from Python for one configuration.

Each takes the packed model, inputs, and results to be filled, and returns a status: OK, or why the caller should look
closer (SHAPE: an input of the wrong length; QUATERNION: one that is not unit; VALUE: a result that is not finite).
`wrenches` is None when there are none and no body has added inertia.
"""

from typing import Annotated, NamedTuple

import numpy as np

from locomote.compiler.scratch import scratch, scratch_of
from locomote.compiler.scratch_layout import NV, Sizes
from locomote.compiler.source import helper, kernel, routine
from locomote.kernels.coriolis import coriolis_matrix
from locomote.kernels.derivatives import Sloping, inverse_dynamics_derivatives
from locomote.kernels.factor import apply_inverse
from locomote.kernels.forward_dynamics import DOFS, Articulated, forward_dynamics
from locomote.kernels.inverse_dynamics import Newton, inverse_dynamics, wrench_on_world
from locomote.kernels.kinematics import (
    Places,
    Screws,
    axes_in_world,
    frame_pose,
    jacobian,
    jacobian_rate,
    poses_in_world,
    world_twists,
)
from locomote.kernels.mass_matrix import Composite, mass_matrix
from locomote.kernels.momentum import added_swing, center_of_mass, kinetic_energy, momentum_matrix, potential_energy
from locomote.linear.dots import copy_row
from locomote.linear.products import GROUP, grouped
from locomote.model.columns import GRAVITY, Q, V
from locomote.model.status import OK, SHAPE, VALUE, input_status, value_status
from locomote.spatial.algebra import add, angular, cross, linear, scale, subtract
from locomote.spatial.rows import load


class Inverting(NamedTuple):
    """Scratch of derivatives of forward dynamics, beside that of the recursions."""

    a: Annotated[np.ndarray, NV, "accelerations, by forward dynamics"]
    force: Annotated[np.ndarray, NV, "forces of these, which are those given"]
    M: Annotated[np.ndarray, NV, NV, "mass matrix, and its factors afterwards"]
    B: Annotated[np.ndarray, NV, grouped(NV), "inverse of the mass matrix"]
    X: Annotated[np.ndarray, NV, 2 * NV, "derivatives of inverse dynamics by q and by v, then of forward dynamics"]
    dofs: Annotated[np.ndarray, NV, DOFS, "those of forward dynamics, whose bodies stand where derivatives have theirs later"]
    rows: Annotated[np.ndarray, 4, grouped(NV), "rows under way in `invert_symmetric`"]
    block: Annotated[np.ndarray, NV, GROUP, "columns under way in `remove_product`"]


@helper
def sizes(topology):
    """Sizes of a model."""
    world = topology.shape[0] - 1
    return Sizes(topology[world, Q], topology[world, V], world + 1)


@routine
def values_status(x, y, z, count):
    """Whether the first numbers of all three are finite."""
    bad = 0
    for k in range(count):
        bad += not ((x[k] - x[k]) + (y[k] - y[k]) + (z[k] - z[k]) == 0.0)
    return VALUE if bad > 0 else OK


@routine
def diagonal_status(M):
    """Whether the diagonal of a mass matrix is finite; then the others, which are no larger, are so, too."""
    bad = 0
    for k in range(M.shape[0]):
        bad += not (M[k, k] - M[k, k] == 0.0)
    return VALUE if bad > 0 else OK


@routine
def place_status(poses):
    """Whether the places of poses (n, 4, 4) are finite; their rotations are, if angles are finite and quaternions unit."""
    bad = 0
    for n in range(poses.shape[0]):
        total = poses[n, 0, 3] + poses[n, 1, 3] + poses[n, 2, 3]
        bad += not (total - total == 0.0)
    return VALUE if bad > 0 else OK


@kernel
def inverse_dynamics_one(topology, constants, q, v, a, wrenches, tau):
    n = sizes(topology)
    if q.shape[0] != n.nq or v.shape[0] != n.nv or a.shape[0] != n.nv:
        return SHAPE
    room = scratch_of(Newton, n)
    inverse_dynamics(topology, constants, n.nq, q, v, a, wrenches, room, tau)
    return max(input_status(topology, q), values_status(v, a, tau, n.nv))


@kernel
def forward_dynamics_one(topology, constants, q, v, tau, wrenches, a):
    n = sizes(topology)
    if q.shape[0] != n.nq or v.shape[0] != n.nv or tau.shape[0] != n.nv:
        return SHAPE
    room = scratch_of(Articulated, n)
    forward_dynamics(topology, constants, n.nq, q, v, tau, wrenches, None, room, a)
    return max(input_status(topology, q), values_status(v, tau, a, n.nv))


@kernel
def hybrid_dynamics_one(topology, constants, q, v, imposed, wrenches, tau, a):
    n = sizes(topology)
    if q.shape[0] != n.nq or v.shape[0] != n.nv or tau.shape[0] != n.nv or a.shape[0] != n.nv or imposed.shape[0] != n.nv:
        return SHAPE
    room = scratch_of(Articulated, n)
    forward_dynamics(topology, constants, n.nq, q, v, tau, wrenches, imposed, room, a)
    return max(input_status(topology, q), values_status(v, a, tau, n.nv))


@kernel
def mass_matrix_one(topology, constants, q, M):
    n = sizes(topology)
    if q.shape[0] != n.nq:
        return SHAPE
    room = scratch_of(Composite, n)
    mass_matrix(topology, constants, n.nq, q, room, M)
    return max(input_status(topology, q), diagonal_status(M))


@kernel
def coriolis_matrix_one(topology, constants, q, v, C):
    n = sizes(topology)
    if q.shape[0] != n.nq or v.shape[0] != n.nv:
        return SHAPE
    room = scratch_of(Sloping, n)
    zero = scratch(n.nv)
    zero[:] = 0.0
    coriolis_matrix(topology, constants, n.nq, q, v, zero, room, C)
    return max(input_status(topology, q), max(value_status(v, n.nv), value_status(C.reshape(-1), n.nv * n.nv)))


@kernel
def inverse_dynamics_derivatives_one(topology, constants, q, v, a, wrenches, dq, dv, M):
    n = sizes(topology)
    if q.shape[0] != n.nq or v.shape[0] != n.nv or a.shape[0] != n.nv:
        return SHAPE
    room = scratch_of(Sloping, n)
    tau = scratch(n.nv)
    inverse_dynamics_derivatives(topology, constants, n.nq, q, v, a, wrenches, room, M, dq, 0, dv, 0, tau)
    return max(input_status(topology, q), values_status(v, a, tau, n.nv))


@kernel
def forward_dynamics_derivatives_one(topology, constants, q, v, tau, wrenches, dq, dv, inverse):
    n = sizes(topology)
    nq, nv = n.nq, n.nv
    if q.shape[0] != nq or v.shape[0] != nv or tau.shape[0] != nv:
        return SHAPE
    room, (a, force, M, B, X, dofs, rows, block) = scratch_of(Sloping, n), scratch_of(Inverting, n)
    M[:], B[:], rows[:], X[:] = 0.0, 0.0, 0.0, 0.0  # unrelated coordinates, and what vectors take along beyond the last
    articulated = Articulated(room.sine, room.cosine, room.bodies, dofs)
    forward_dynamics(topology, constants, nq, q, v, tau, wrenches, None, articulated, a)
    inverse_dynamics_derivatives(topology, constants, nq, q, v, a, wrenches, room, M, X, 0, X, nv, force)
    apply_inverse(topology, M, B, 0, nv, X, nv + 1, rows, block)
    for j in range(nv):
        copy_row(X, j, 0, nv, dq, j, 0)
        copy_row(X, j, nv, 2 * nv, dv, j, -nv)
        copy_row(B, j, 0, nv, inverse, j, 0)
    return max(input_status(topology, q), values_status(v, tau, a, n.nv))


@kernel
def forward_kinematics_one(topology, constants, carrier, placement, q, poses):
    n = sizes(topology)
    if q.shape[0] != n.nq:
        return SHAPE
    room = scratch_of(Places, n)
    poses_in_world(topology, constants, n.nq, q, room)
    named_poses(carrier, placement, room.bodies, poses)
    return max(input_status(topology, q), place_status(poses))


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


@kernel
def jacobian_one(topology, constants, body, frame, kind, q, J):
    n = sizes(topology)
    if q.shape[0] != n.nq:
        return SHAPE
    room = scratch_of(Screws, n)
    poses_in_world(topology, constants, n.nq, q, room)
    axes_in_world(topology, constants, room.bodies, room.axes)
    jacobian(topology, room.bodies, room.axes, body, frame, kind, J)
    return max(input_status(topology, q), value_status(J.reshape(-1), 6 * n.nv))


@kernel
def jacobian_rate_one(topology, constants, body, frame, kind, q, v, J):
    n = sizes(topology)
    if q.shape[0] != n.nq or v.shape[0] != n.nv:
        return SHAPE
    room = scratch_of(Screws, n)
    poses_in_world(topology, constants, n.nq, q, room)
    axes_in_world(topology, constants, room.bodies, room.axes)
    world_twists(topology, v, room.axes, room.bodies)
    jacobian_rate(topology, room.bodies, room.axes, body, frame, kind, J)
    return max(input_status(topology, q), max(value_status(v, n.nv), value_status(J.reshape(-1), 6 * n.nv)))


@kernel
def momentum_matrix_one(topology, constants, q, A):
    n = sizes(topology)
    if q.shape[0] != n.nq or n.nv == 0:
        return SHAPE
    room = scratch_of(Composite, n)
    momentum_matrix(topology, constants, n.nq, q, room, A)
    return max(input_status(topology, q), value_status(A.reshape(-1), 6 * n.nv))


@kernel
def momentum_rate_one(topology, constants, q, v, a, wrenches, rate):
    """Rate of the momentum about the centre of mass: the wrench on the world, weight taken out."""
    n = sizes(topology)
    world = n.rows - 1
    if q.shape[0] != n.nq or v.shape[0] != n.nv or a.shape[0] != n.nv:
        return SHAPE
    newton, places = scratch_of(Newton, n), scratch_of(Places, n)
    inverse_dynamics(topology, constants, n.nq, q, v, a, wrenches, newton, scratch(n.nv))
    poses_in_world(topology, constants, n.nq, q, places)
    center, mass = center_of_mass(topology, constants, places.bodies)
    F = wrench_on_world(topology, constants, q, newton)
    force = add(linear(F), scale(mass, load(constants, world, GRAVITY)))
    turn = subtract(angular(F), cross(center, linear(F)))
    if wrenches is not None:
        turn = subtract(turn, added_swing(topology, constants, q, v, places, mass))
    rate[0], rate[1], rate[2], rate[3], rate[4], rate[5] = force[0], force[1], force[2], turn[0], turn[1], turn[2]
    return max(input_status(topology, q), max(value_status(a, n.nv), max(value_status(v, n.nv), value_status(rate, 6))))


@kernel
def center_of_mass_one(topology, constants, q, center):
    n = sizes(topology)
    if q.shape[0] != n.nq:
        return SHAPE
    room = scratch_of(Places, n)
    poses_in_world(topology, constants, n.nq, q, room)
    place, mass = center_of_mass(topology, constants, room.bodies)
    center[0], center[1], center[2] = place
    return max(input_status(topology, q), value_status(center, 3))


@kernel
def kinetic_energy_one(topology, constants, q, v, energy):
    n = sizes(topology)
    if q.shape[0] != n.nq or v.shape[0] != n.nv:
        return SHAPE
    room = scratch_of(Places, n)
    energy[0] = kinetic_energy(topology, constants, n.nq, q, v, room)
    return max(input_status(topology, q), max(value_status(v, n.nv), value_status(energy, 1)))


@kernel
def potential_energy_one(topology, constants, q, energy):
    n = sizes(topology)
    if q.shape[0] != n.nq:
        return SHAPE
    room = scratch_of(Places, n)
    poses_in_world(topology, constants, n.nq, q, room)
    energy[0] = potential_energy(topology, constants, room.bodies)
    return max(input_status(topology, q), value_status(energy, 1))
