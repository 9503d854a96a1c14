"""Entries from Python for models with flexible bodies, over rows of states: each fills its results for all of them and returns
the worst status, as those of `kernels.single` do for one."""

from locomote.compiler.scratch import scratch, scratch_of
from locomote.compiler.source import kernel, routine
from locomote.kernels.flexible.columns import OMEGA, VELOCITY, WRENCH, X1, X2
from locomote.kernels.flexible.elastic import elastic_energy, elastic_forces
from locomote.kernels.flexible.forward import forward_dynamics
from locomote.kernels.flexible.gather import MOMENTUM
from locomote.kernels.flexible.jacobian import jacobian
from locomote.kernels.flexible.mass import mass_matrix
from locomote.kernels.flexible.motion import inverse_dynamics, kinetic_energy, places_in_world, world_motion, world_wrench
from locomote.kernels.flexible.scratch import Carried, Gathered, Placed, tree_sizes
from locomote.kernels.kinematics import LOCAL, TWIST, WORLD, frame_pose
from locomote.kernels.momentum import center_of_mass, potential_energy, swing
from locomote.kernels.single import named_poses, place_status, values_status
from locomote.model.columns import ARMATURE, GRAVITY, KIND, STATION, V_COUNT, V
from locomote.model.joints import ATTACHED, is_flexible
from locomote.model.status import OK, SHAPE, input_status, value_status
from locomote.spatial.algebra import add, angular, cross, join, linear, scale, subtract, unrotate
from locomote.spatial.rows import load, load6, store6

PI_SQUARED = 9.869604401089358


@routine
def turn_of(steps, count):
    """The square of the largest turn in one step; more than pi is not possible."""
    most = 0.0
    for s in range(count):
        x, y, z = steps[s, OMEGA + 3], steps[s, OMEGA + 4], steps[s, OMEGA + 5]
        most = max(most, x * x + y * y + z * z)
    return most


@kernel
def inverse_dynamics_rows(tree, strain, many_q, many_v, many_a, many_wrenches, many_tau):
    n = tree_sizes(tree)
    if many_q.shape[1] != n.nq or many_v.shape[1] != n.nv or many_a.shape[1] != n.nv:
        return SHAPE
    room = scratch_of(Carried, n)
    status = OK
    for s in range(many_q.shape[0]):
        q, v, a, tau = many_q[s], many_v[s], many_a[s], many_tau[s]
        wrenches = many_wrenches[s].reshape(n.rows, 6)
        inverse_dynamics(tree, strain, n.nq, q, v, a, wrenches, room, tau)
        status = max(status, max(input_status(tree.topology, q), values_status(v, a, tau, n.nv)))
    return status


@kernel
def hybrid_dynamics_rows(tree, strain, many_q, many_v, imposed, many_wrenches, many_tau, many_a):
    n = tree_sizes(tree)
    if (
        many_q.shape[1] != n.nq
        or many_v.shape[1] != n.nv
        or many_tau.shape[1] != n.nv
        or many_a.shape[1] != n.nv
        or imposed.shape[0] != n.nv
    ):
        return SHAPE
    room = scratch_of(Gathered, n)
    status = OK
    for s in range(many_q.shape[0]):
        q, v, tau, a = many_q[s], many_v[s], many_tau[s], many_a[s]
        wrenches = many_wrenches[s].reshape(n.rows, 6)
        forward_dynamics(tree, strain, n.nq, q, v, tau, wrenches, imposed, room, a)
        status = max(status, max(input_status(tree.topology, q), values_status(v, a, tau, n.nv)))
    return status


@kernel
def mass_matrix_rows(tree, strain, many_q, many_M, many_momentum):
    """`momentum` (6, nv): momentum, about the world origin, per unit of each velocity."""
    n = tree_sizes(tree)
    if many_q.shape[1] != n.nq:
        return SHAPE
    room = scratch_of(Gathered, n)
    status = OK
    for s in range(many_q.shape[0]):
        q, M, momentum = many_q[s], many_M[s], many_momentum[s]
        mass_matrix(tree, strain, n.nq, q, room, M)
        for r in range(6):
            for k in range(n.nv):
                momentum[r, k] = room.table[MOMENTUM + r, k]
        status = max(status, max(input_status(tree.topology, q), value_status(M.reshape(-1), n.nv * n.nv)))
    return status


@kernel
def forward_kinematics_rows(tree, strain, carrier, placement, many_q, many_poses, many_turn):
    """`turn` (1,): the largest turn in one step, rad^2."""
    n = tree_sizes(tree)
    if many_q.shape[1] != n.nq:
        return SHAPE
    room = scratch_of(Placed, n)
    status = OK
    for s in range(many_q.shape[0]):
        q, poses, turn = many_q[s], many_poses[s], many_turn[s]
        places_in_world(tree, strain, n.nq, q, room)
        named_poses(carrier, placement, room.bodies, poses)
        turn[0] = turn_of(room.steps, n.stations)
        status = max(status, max(input_status(tree.topology, q), place_status(poses)))
    return status


@kernel
def jacobian_rows(tree, strain, body, frame, kind, many_q, many_J):
    n = tree_sizes(tree)
    if many_q.shape[1] != n.nq:
        return SHAPE
    room = scratch_of(Placed, n)
    status = OK
    for s in range(many_q.shape[0]):
        q, J = many_q[s], many_J[s]
        jacobian(tree, strain, n.nq, q, body, frame, kind, room, J)
        status = max(status, max(input_status(tree.topology, q), value_status(J.reshape(-1), 6 * n.nv)))
    return status


@kernel
def motion_rows(tree, strain, carrier, placement, kind, many_q, many_v, many_a, many_poses, many_twists, many_rates):
    n = tree_sizes(tree)
    if many_q.shape[1] != n.nq or many_v.shape[1] != n.nv or many_a.shape[1] != n.nv:
        return SHAPE
    room = scratch_of(Placed, n)
    status = OK
    for s in range(many_q.shape[0]):
        q, v, a, poses, twists, rates = many_q[s], many_v[s], many_a[s], many_poses[s], many_twists[s], many_rates[s]
        world_motion(tree, strain, n.nq, q, v, a, room)
        named_poses(carrier, placement, room.bodies, poses)
        for b in range(carrier.shape[0]):
            i = carrier[b]
            R, p = frame_pose(room.bodies, i, placement[b])
            t, d = load6(room.bodies, i, TWIST), load6(room.rates, i, 0)
            u, w, acc, alpha = linear(t), angular(t), linear(d), angular(d)
            if kind != WORLD:
                u, acc = add(u, cross(w, p)), add(acc, cross(alpha, p))  # of the point, and the rate of its body twist
                if kind == LOCAL:
                    u, w, acc, alpha = unrotate(R, u), unrotate(R, w), unrotate(R, acc), unrotate(R, alpha)
                else:
                    acc = add(acc, cross(w, u))
            store6(twists, b, 0, join(u, w))
            store6(rates, b, 0, join(acc, alpha))
        status = max(status, max(max(input_status(tree.topology, q), place_status(poses)), values_status(v, a, v, n.nv)))
    return status


@routine
def energies(tree, strain, nq, q, v, room, energy):
    """Kinetic energy, potential energy in gravity, and centre of mass, into `energy` (5,)."""
    world_motion(tree, strain, nq, q, v, v, room)
    energy[0] = kinetic_energy(tree, v, room.work) + armature_energy(tree, v)
    energy[1] = potential_energy(tree.topology, tree.constants, room.bodies)
    center, mass = center_of_mass(tree.topology, tree.constants, room.bodies)
    energy[2], energy[3], energy[4] = center


@kernel
def energies_rows(tree, strain, many_q, many_v, many_energy):
    """Kinetic energy, potential energy in gravity, and centre of mass, into `energy` (5,)."""
    n = tree_sizes(tree)
    if many_q.shape[1] != n.nq or many_v.shape[1] != n.nv:
        return SHAPE
    room = scratch_of(Placed, n)
    status = OK
    for s in range(many_q.shape[0]):
        q, v, energy = many_q[s], many_v[s], many_energy[s]
        energies(tree, strain, n.nq, q, v, room, energy)
        status = max(status, max(input_status(tree.topology, q), value_status(v, n.nv)))
    return status


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


@kernel
def momentum_rate_rows(tree, strain, many_q, many_v, many_a, many_wrenches, many_rate):
    """Rate of the momentum about the centre of mass: the wrench on the world, weight taken out."""
    n = tree_sizes(tree)
    if many_q.shape[1] != n.nq or many_v.shape[1] != n.nv or many_a.shape[1] != n.nv:
        return SHAPE
    room, forces = scratch_of(Placed, n), scratch(n.nv)
    status = OK
    for s in range(many_q.shape[0]):
        q, v, a, rate = many_q[s], many_v[s], many_a[s], many_rate[s]
        wrenches = many_wrenches[s].reshape(n.rows, 6)
        places_in_world(tree, strain, n.nq, q, room)
        center, mass = center_of_mass(tree.topology, tree.constants, room.bodies)
        inverse_dynamics(tree, strain, n.nq, q, v, a, wrenches, room, forces)
        F = world_wrench(tree, room.work)
        force = add(linear(F), scale(mass, load(tree.constants, n.rows - 1, GRAVITY)))
        turn = subtract(angular(F), cross(center, linear(F)))
        turn = subtract(turn, swing(tree.topology, tree.constants, room.bodies, room.work, VELOCITY, mass))
        rate[0], rate[1], rate[2], rate[3], rate[4], rate[5] = force[0], force[1], force[2], turn[0], turn[1], turn[2]
        status = max(status, max(input_status(tree.topology, q), value_status(rate, 6)))
    return status


@kernel
def elastic_rows(tree, many_q, many_v, many_force, many_energy):
    """Forces of elasticity and damping (nv,), and the energy and power of `elastic_forces`."""
    status = OK
    for s in range(many_q.shape[0]):
        q, v, force, energy = many_q[s], many_v[s], many_force[s], many_energy[s]
        force[:] = 0.0
        energy[0], energy[1] = elastic_energy(tree, q), elastic_forces(tree, q, v, force)
        status = max(status, value_status(force, force.shape[0]))
    return status


@kernel
def section_forces_rows(tree, strain, many_q, many_v, many_a, many_wrenches, many_out):
    """`out` (stations, 6): the wrench that each station passes on to what is beyond it, itself included, in its frame."""
    n = tree_sizes(tree)
    if many_q.shape[1] != n.nq or many_v.shape[1] != n.nv or many_a.shape[1] != n.nv:
        return SHAPE
    room, forces = scratch_of(Carried, n), scratch(n.nv)
    status = OK
    for s in range(many_q.shape[0]):
        q, v, a, out = many_q[s], many_v[s], many_a[s], many_out[s]
        wrenches = many_wrenches[s].reshape(n.rows, 6)
        inverse_dynamics(tree, strain, n.nq, q, v, a, wrenches, room, forces)
        for i in range(n.rows - 1):
            if tree.topology[i, KIND] == ATTACHED:
                store6(out, tree.topology[i, STATION], 0, load6(room.work, i, WRENCH))
        status = max(status, input_status(tree.topology, q))
    return status


@kernel
def sections_rows(tree, strain, many_q, many_poses, many_strains):
    """Poses (stations, 12) of all sections in the world, and the strain (stations, 6) in the middle of each step."""
    n = tree_sizes(tree)
    if many_q.shape[1] != n.nq:
        return SHAPE
    room = scratch_of(Placed, n)
    status = OK
    for s in range(many_q.shape[0]):
        q, poses, strains = many_q[s], many_poses[s], many_strains[s]
        places_in_world(tree, strain, n.nq, q, room)
        for i in range(n.rows - 1):
            if tree.topology[i, KIND] == ATTACHED:
                at = tree.topology[i, STATION]
                for c in range(12):
                    poses[at, c] = room.bodies[i, c]
                for c in range(6):
                    strains[at, c] = 0.5 * (room.steps[at, X1 + c] + room.steps[at, X2 + c])
        status = max(status, input_status(tree.topology, q))
    return status
