"""Entries from Python for one configuration.

Each takes the packed model, inputs, and results to be filled, and returns a status: OK, or why the caller should look
closer (SHAPE: an input of the wrong length; QUATERNION: one that is not unit; VALUE: a result that is not finite).
`wrenches` is None when there are none and no body has added inertia.
"""

from locomote.engine.scratch import scratch
from locomote.engine.source import helper, kernel, routine
from locomote.engine.trigonometry import padded
from locomote.kernels import (
    common_frame,
    coriolis,
    derivatives,
    factor,
    forward_dynamics,
    inverse_dynamics,
    kinematics,
    mass_matrix,
    momentum,
)
from locomote.kernels.dots import copy_row
from locomote.kernels.products import GROUP, grouped
from locomote.model.columns import GRAVITY, Q, V
from locomote.model.status import OK, SHAPE, VALUE, input_status, value_status
from locomote.spatial.algebra import add, angular, cross, linear, scale, subtract
from locomote.spatial.rows import load

AXES_WORK, ID_WORK, FD_WORK, FD_DOFS = common_frame.AXES, inverse_dynamics.WORK, forward_dynamics.WORK, forward_dynamics.DOFS
MM_WORK, MM_AXES, DD_WORK, DD_AXES = mass_matrix.WORK, mass_matrix.AXES, derivatives.WORK, derivatives.AXES
KIN_WORK = kinematics.BODIES
CACHE = 3000  # how many numbers of a matrix stay in the first-level cache beside all else
_inverse, _forward = inverse_dynamics.inverse_dynamics, forward_dynamics.forward_dynamics
wrench_on_world = inverse_dynamics.wrench_on_world
_mass = mass_matrix.mass_matrix
_derivatives, _coriolis = derivatives.inverse_dynamics_derivatives, coriolis.coriolis_matrix
_apply_inverse = factor.apply_inverse
_poses, _axes, _twists = kinematics.poses_in_world, kinematics.axes_in_world, kinematics.world_twists
_frame_pose, _jacobian, _jacobian_rate = kinematics.frame_pose, kinematics.jacobian, kinematics.jacobian_rate
_momentum, _center = momentum.momentum_matrix, momentum.center_of_mass
_added_swing = momentum.added_swing
_kinetic, _potential = momentum.kinetic_energy, momentum.potential_energy


@helper
def sizes(topology):
    """nq and nv."""
    world = topology.shape[0] - 1
    return topology[world, Q], topology[world, V]


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
    nq, nv = sizes(topology)
    if q.shape[0] != nq or v.shape[0] != nv or a.shape[0] != nv:
        return SHAPE
    sine, cosine, work = scratch(nq), scratch(nq), scratch((topology.shape[0], ID_WORK))
    _inverse(topology, constants, nq, q, v, a, wrenches, sine, cosine, work, tau)
    return max(input_status(topology, q), values_status(v, a, tau, nv))


@kernel
def forward_dynamics_one(topology, constants, q, v, tau, wrenches, a):
    nq, nv = sizes(topology)
    if q.shape[0] != nq or v.shape[0] != nv or tau.shape[0] != nv:
        return SHAPE
    sine, cosine, work = scratch(nq), scratch(nq), scratch((topology.shape[0], FD_WORK))
    _forward(topology, constants, nq, q, v, tau, wrenches, None, sine, cosine, work, scratch((nv, FD_DOFS)), a)
    return max(input_status(topology, q), values_status(v, tau, a, nv))


@kernel
def hybrid_dynamics_one(topology, constants, q, v, imposed, wrenches, tau, a):
    nq, nv = sizes(topology)
    if q.shape[0] != nq or v.shape[0] != nv or tau.shape[0] != nv or a.shape[0] != nv or imposed.shape[0] != nv:
        return SHAPE
    sine, cosine, work = scratch(nq), scratch(nq), scratch((topology.shape[0], FD_WORK))
    _forward(topology, constants, nq, q, v, tau, wrenches, imposed, sine, cosine, work, scratch((nv, FD_DOFS)), a)
    return max(input_status(topology, q), values_status(v, a, tau, nv))


@kernel
def mass_matrix_one(topology, constants, q, M):
    nq, nv = sizes(topology)
    if q.shape[0] != nq:
        return SHAPE
    sine, cosine, work = scratch(nq), scratch(nq), scratch((topology.shape[0], MM_WORK))
    _mass(topology, constants, nq, q, sine, cosine, work, scratch((MM_AXES, padded(nv))), M)
    return max(input_status(topology, q), diagonal_status(M))


@kernel
def coriolis_matrix_one(topology, constants, q, v, C):
    nq, nv = sizes(topology)
    if q.shape[0] != nq or v.shape[0] != nv:
        return SHAPE
    sine, cosine, work = scratch(nq), scratch(nq), scratch((topology.shape[0], DD_WORK))
    a = scratch(nv)
    a[:] = 0.0
    _coriolis(topology, constants, nq, q, v, a, sine, cosine, work, scratch((DD_AXES, nv)), C)
    return max(input_status(topology, q), max(value_status(v, nv), value_status(C.reshape(-1), nv * nv)))


@kernel
def inverse_dynamics_derivatives_one(topology, constants, q, v, a, wrenches, dq, dv, M):
    nq, nv = sizes(topology)
    if q.shape[0] != nq or v.shape[0] != nv or a.shape[0] != nv:
        return SHAPE
    sine, cosine, work = scratch(nq), scratch(nq), scratch((topology.shape[0], DD_WORK))
    axes, tau = scratch((DD_AXES, nv)), scratch(nv)
    _derivatives(topology, constants, nq, q, v, a, wrenches, sine, cosine, work, axes, M, dq, 0, dv, 0, tau)
    return max(input_status(topology, q), values_status(v, a, tau, nv))


@kernel
def forward_dynamics_derivatives_one(topology, constants, q, v, tau, wrenches, dq, dv, inverse):
    nq, nv = sizes(topology)
    if q.shape[0] != nq or v.shape[0] != nv or tau.shape[0] != nv:
        return SHAPE
    sine, cosine, work = scratch(nq), scratch(nq), scratch((topology.shape[0], DD_WORK))
    axes, a, force, M = scratch((DD_AXES, nv)), scratch(nv), scratch(nv), scratch((nv, nv))
    B, rows, room, X = scratch((nv, grouped(nv))), scratch((4, grouped(nv))), scratch((nv, GROUP)), scratch((nv, 2 * nv))
    M[:], B[:], rows[:], X[:] = 0.0, 0.0, 0.0, 0.0  # unrelated coordinates, and what vectors take along beyond the last
    _forward(topology, constants, nq, q, v, tau, wrenches, None, sine, cosine, work, scratch((nv, FD_DOFS)), a)
    _derivatives(topology, constants, nq, q, v, a, wrenches, sine, cosine, work, axes, M, X, 0, X, nv, force)
    _apply_inverse(topology, M, B, 0, nv, X, nv + 1, rows, room)
    for j in range(nv):
        copy_row(X, j, 0, nv, dq, j, 0)
        copy_row(X, j, nv, 2 * nv, dv, j, -nv)
        copy_row(B, j, 0, nv, inverse, j, 0)
    return max(input_status(topology, q), values_status(v, tau, a, nv))


@kernel
def forward_kinematics_one(topology, constants, carrier, placement, q, poses):
    nq, nv = sizes(topology)
    if q.shape[0] != nq:
        return SHAPE
    sine, cosine, bodies = scratch(nq), scratch(nq), scratch((topology.shape[0], KIN_WORK))
    _poses(topology, constants, nq, q, sine, cosine, bodies)
    named_poses(carrier, placement, bodies, poses)
    return max(input_status(topology, q), place_status(poses))


@routine
def named_poses(carrier, placement, bodies, poses):
    """Poses (named bodies, 4, 4) in the world; placement is (named bodies, 12)."""
    for n in range(carrier.shape[0]):
        R, o = _frame_pose(bodies, carrier[n], placement[n])
        for r in range(3):
            poses[n, 3, r] = 0.0
            poses[n, r, 3] = o[r]
            for c in range(3):
                poses[n, r, c] = R[3 * r + c]
        poses[n, 3, 3] = 1.0


@kernel
def jacobian_one(topology, constants, body, frame, kind, q, J):
    nq, nv = sizes(topology)
    if q.shape[0] != nq:
        return SHAPE
    sine, cosine, bodies = scratch(nq), scratch(nq), scratch((topology.shape[0], KIN_WORK))
    axes = scratch((AXES_WORK, nv))
    _poses(topology, constants, nq, q, sine, cosine, bodies)
    _axes(topology, constants, bodies, axes)
    _jacobian(topology, bodies, axes, body, frame, kind, J)
    return max(input_status(topology, q), value_status(J.reshape(-1), 6 * nv))


@kernel
def jacobian_rate_one(topology, constants, body, frame, kind, q, v, J):
    nq, nv = sizes(topology)
    if q.shape[0] != nq or v.shape[0] != nv:
        return SHAPE
    sine, cosine, bodies = scratch(nq), scratch(nq), scratch((topology.shape[0], KIN_WORK))
    axes = scratch((AXES_WORK, nv))
    _poses(topology, constants, nq, q, sine, cosine, bodies)
    _axes(topology, constants, bodies, axes)
    _twists(topology, v, axes, bodies)
    _jacobian_rate(topology, bodies, axes, body, frame, kind, J)
    return max(input_status(topology, q), max(value_status(v, nv), value_status(J.reshape(-1), 6 * nv)))


@kernel
def momentum_matrix_one(topology, constants, q, A):
    nq, nv = sizes(topology)
    if q.shape[0] != nq or nv == 0:
        return SHAPE
    sine, cosine, work = scratch(nq), scratch(nq), scratch((topology.shape[0], MM_WORK))
    _momentum(topology, constants, nq, q, sine, cosine, work, scratch((AXES_WORK, nv)), A)
    return max(input_status(topology, q), value_status(A.reshape(-1), 6 * nv))


@kernel
def momentum_rate_one(topology, constants, q, v, a, wrenches, rate):
    """Rate of the momentum about the centre of mass: the wrench on the world, weight taken out."""
    nq, nv = sizes(topology)
    world = topology.shape[0] - 1
    if q.shape[0] != nq or v.shape[0] != nv or a.shape[0] != nv:
        return SHAPE
    sine, cosine, work = scratch(nq), scratch(nq), scratch((world + 1, ID_WORK))
    bodies = scratch((world + 1, KIN_WORK))
    _inverse(topology, constants, nq, q, v, a, wrenches, sine, cosine, work, scratch(nv))
    _poses(topology, constants, nq, q, sine, cosine, bodies)
    center, mass = _center(topology, constants, bodies)
    F = wrench_on_world(topology, constants, q, sine, cosine, work)
    force = add(linear(F), scale(mass, load(constants, world, GRAVITY)))
    turn = subtract(angular(F), cross(center, linear(F)))
    if wrenches is not None:
        turn = subtract(turn, _added_swing(topology, constants, q, v, sine, cosine, bodies, mass))
    rate[0], rate[1], rate[2], rate[3], rate[4], rate[5] = force[0], force[1], force[2], turn[0], turn[1], turn[2]
    return max(input_status(topology, q), max(value_status(a, nv), max(value_status(v, nv), value_status(rate, 6))))


@kernel
def center_of_mass_one(topology, constants, q, center):
    nq, nv = sizes(topology)
    if q.shape[0] != nq:
        return SHAPE
    sine, cosine, bodies = scratch(nq), scratch(nq), scratch((topology.shape[0], KIN_WORK))
    _poses(topology, constants, nq, q, sine, cosine, bodies)
    place, mass = _center(topology, constants, bodies)
    center[0], center[1], center[2] = place
    return max(input_status(topology, q), value_status(center, 3))


@kernel
def kinetic_energy_one(topology, constants, q, v, energy):
    nq, nv = sizes(topology)
    if q.shape[0] != nq or v.shape[0] != nv:
        return SHAPE
    sine, cosine, bodies = scratch(nq), scratch(nq), scratch((topology.shape[0], KIN_WORK))
    energy[0] = _kinetic(topology, constants, nq, q, v, sine, cosine, bodies)
    return max(input_status(topology, q), max(value_status(v, nv), value_status(energy, 1)))


@kernel
def potential_energy_one(topology, constants, q, energy):
    nq, nv = sizes(topology)
    if q.shape[0] != nq:
        return SHAPE
    sine, cosine, bodies = scratch(nq), scratch(nq), scratch((topology.shape[0], KIN_WORK))
    _poses(topology, constants, nq, q, sine, cosine, bodies)
    energy[0] = _potential(topology, constants, bodies)
    return max(input_status(topology, q), value_status(energy, 1))
