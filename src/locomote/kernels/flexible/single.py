"""Entries from Python for models with flexible bodies, over rows of states: each fills its results for all of them and returns
the worst status, as those of `kernels.single` do for one."""

from locomote.engine.scratch import scratch
from locomote.engine.source import helper, kernel, routine
from locomote.engine.trigonometry import padded
from locomote.kernels.flexible.columns import OMEGA, SIZE, STEPS, WORK, WRENCH, X1, X2
from locomote.kernels.flexible.elastic import elastic_energy, elastic_forces
from locomote.kernels.flexible.forward import forward_dynamics
from locomote.kernels.flexible.gather import MOMENTUM, TABLE
from locomote.kernels.flexible.jacobian import jacobian
from locomote.kernels.flexible.mass import mass_matrix
from locomote.kernels.flexible.motion import (
    inverse_dynamics,
    kinetic_energy,
    places_in_world,
    world_motion,
    world_wrench,
)
from locomote.kernels.forward_dynamics import DOFS
from locomote.kernels.kinematics import LOCAL, TWIST, WORLD, frame_pose
from locomote.kernels.momentum import center_of_mass, potential_energy
from locomote.kernels.single import KIN_WORK, named_poses, place_status, sizes, values_status
from locomote.model.columns import ARMATURE, GRAVITY, KIND, STATION, V_COUNT, V
from locomote.model.joints import ATTACHED, FLEX
from locomote.model.status import OK, SHAPE, input_status, value_status
from locomote.spatial.algebra import add, angular, cross, join, linear, scale, subtract, unrotate
from locomote.spatial.rows import load, load6, store6

PI_SQUARED = 9.869604401089358


@helper
def widest(tree):
    """Most coordinates of one flexible body."""
    most = 1
    for n in range(tree.rods.shape[0]):
        most = max(most, tree.rods[n, SIZE])
    return most


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
    nq, nv = sizes(tree.topology)
    rows, stations = tree.topology.shape[0], tree.stations.shape[0]
    if many_q.shape[1] != nq or many_v.shape[1] != nv or many_a.shape[1] != nv:
        return SHAPE
    steps, work = scratch((stations, STEPS)), scratch((rows, WORK))
    sine, cosine = scratch(nq), scratch(nq)
    status = OK
    for n in range(many_q.shape[0]):
        q, v, a, tau = many_q[n], many_v[n], many_a[n], many_tau[n]
        wrenches = many_wrenches[n].reshape(rows, 6)
        inverse_dynamics(tree, strain, nq, q, v, a, wrenches, sine, cosine, steps, work, tau)
        status = max(status, max(input_status(tree.topology, q), values_status(v, a, tau, nv)))
    return status


@kernel
def hybrid_dynamics_rows(tree, strain, many_q, many_v, imposed, many_wrenches, many_tau, many_a):
    nq, nv = sizes(tree.topology)
    rows, stations = tree.topology.shape[0], tree.stations.shape[0]
    if (
        many_q.shape[1] != nq
        or many_v.shape[1] != nv
        or many_tau.shape[1] != nv
        or many_a.shape[1] != nv
        or imposed.shape[0] != nv
    ):
        return SHAPE
    steps, work, dofs = scratch((stations, STEPS)), scratch((rows, WORK)), scratch((nv, DOFS))
    table, m, force, free_a = scratch((TABLE, padded(nv))), scratch((nv, widest(tree))), scratch(nv), scratch(nv)
    sine, cosine = scratch(nq), scratch(nq)
    status = OK
    for n in range(many_q.shape[0]):
        q, v, tau, a = many_q[n], many_v[n], many_tau[n], many_a[n]
        wrenches = many_wrenches[n].reshape(rows, 6)
        forward_dynamics(
            tree, strain, nq, q, v, tau, wrenches, imposed, sine, cosine, steps, work, dofs, table, m, force, free_a, a
        )
        status = max(status, max(input_status(tree.topology, q), values_status(v, a, tau, nv)))
    return status


@kernel
def mass_matrix_rows(tree, strain, many_q, many_M, many_momentum):
    """`momentum` (6, nv): momentum, about the world origin, per unit of each velocity."""
    nq, nv = sizes(tree.topology)
    rows, stations = tree.topology.shape[0], tree.stations.shape[0]
    if many_q.shape[1] != nq:
        return SHAPE
    steps, work = scratch((stations, STEPS)), scratch((rows, WORK))
    table, m = scratch((TABLE, padded(nv))), scratch((nv, widest(tree)))
    sine, cosine = scratch(nq), scratch(nq)
    status = OK
    for n in range(many_q.shape[0]):
        q, M, momentum = many_q[n], many_M[n], many_momentum[n]
        mass_matrix(tree, strain, nq, q, sine, cosine, steps, work, table, m, M)
        for r in range(6):
            for k in range(nv):
                momentum[r, k] = table[MOMENTUM + r, k]
        status = max(status, max(input_status(tree.topology, q), value_status(M.reshape(-1), nv * nv)))
    return status


@kernel
def forward_kinematics_rows(tree, strain, carrier, placement, many_q, many_poses, many_turn):
    """`turn` (1,): the largest turn in one step, rad^2."""
    nq, nv = sizes(tree.topology)
    rows, stations = tree.topology.shape[0], tree.stations.shape[0]
    if many_q.shape[1] != nq:
        return SHAPE
    steps, work, bodies = scratch((stations, STEPS)), scratch((rows, WORK)), scratch((rows, KIN_WORK))
    sine, cosine = scratch(nq), scratch(nq)
    status = OK
    for n in range(many_q.shape[0]):
        q, poses, turn = many_q[n], many_poses[n], many_turn[n]
        places_in_world(tree, strain, nq, q, sine, cosine, steps, work, bodies)
        named_poses(carrier, placement, bodies, poses)
        turn[0] = turn_of(steps, stations)
        status = max(status, max(input_status(tree.topology, q), place_status(poses)))
    return status


@kernel
def jacobian_rows(tree, strain, body, frame, kind, many_q, many_J):
    nq, nv = sizes(tree.topology)
    rows, stations = tree.topology.shape[0], tree.stations.shape[0]
    if many_q.shape[1] != nq:
        return SHAPE
    steps, work, bodies = scratch((stations, STEPS)), scratch((rows, WORK)), scratch((rows, KIN_WORK))
    sine, cosine = scratch(nq), scratch(nq)
    status = OK
    for n in range(many_q.shape[0]):
        q, J = many_q[n], many_J[n]
        jacobian(tree, strain, nq, q, body, frame, kind, sine, cosine, steps, work, bodies, J)
        status = max(status, max(input_status(tree.topology, q), value_status(J.reshape(-1), 6 * nv)))
    return status


@kernel
def motion_rows(tree, strain, carrier, placement, kind, many_q, many_v, many_a, many_poses, many_twists, many_rates):
    nq, nv = sizes(tree.topology)
    rows, stations = tree.topology.shape[0], tree.stations.shape[0]
    if many_q.shape[1] != nq or many_v.shape[1] != nv or many_a.shape[1] != nv:
        return SHAPE
    steps, work, bodies = scratch((stations, STEPS)), scratch((rows, WORK)), scratch((rows, KIN_WORK))
    accelerations = scratch((rows, 6))
    sine, cosine = scratch(nq), scratch(nq)
    status = OK
    for n in range(many_q.shape[0]):
        q, v, a, poses, twists, rates = many_q[n], many_v[n], many_a[n], many_poses[n], many_twists[n], many_rates[n]
        world_motion(tree, strain, nq, q, v, a, sine, cosine, steps, work, bodies, accelerations)
        named_poses(carrier, placement, bodies, poses)
        for b in range(carrier.shape[0]):
            i = carrier[b]
            R, p = frame_pose(bodies, i, placement[b])
            t, d = load6(bodies, i, TWIST), load6(accelerations, i, 0)
            u, w, acc, alpha = linear(t), angular(t), linear(d), angular(d)
            if kind != WORLD:
                u, acc = add(u, cross(w, p)), add(acc, cross(alpha, p))  # of the point, and the rate of its body twist
                if kind == LOCAL:
                    u, w, acc, alpha = unrotate(R, u), unrotate(R, w), unrotate(R, acc), unrotate(R, alpha)
                else:
                    acc = add(acc, cross(w, u))
            store6(twists, b, 0, join(u, w))
            store6(rates, b, 0, join(acc, alpha))
        status = max(status, max(max(input_status(tree.topology, q), place_status(poses)), values_status(v, a, v, nv)))
    return status


@kernel
def energies_rows(tree, strain, many_q, many_v, many_energy):
    """Kinetic energy, potential energy in gravity, and centre of mass, into `energy` (5,)."""
    nq, nv = sizes(tree.topology)
    rows, stations = tree.topology.shape[0], tree.stations.shape[0]
    if many_q.shape[1] != nq or many_v.shape[1] != nv:
        return SHAPE
    steps, work, bodies = scratch((stations, STEPS)), scratch((rows, WORK)), scratch((rows, KIN_WORK))
    rates = scratch((rows, 6))
    sine, cosine = scratch(nq), scratch(nq)
    status = OK
    for n in range(many_q.shape[0]):
        q, v, energy = many_q[n], many_v[n], many_energy[n]
        world_motion(tree, strain, nq, q, v, v, sine, cosine, steps, work, bodies, rates)
        energy[0] = kinetic_energy(tree, v, work) + armature_energy(tree, v)
        energy[1] = potential_energy(tree.topology, tree.constants, bodies)
        center, mass = center_of_mass(tree.topology, tree.constants, bodies)
        energy[2], energy[3], energy[4] = center
        status = max(status, max(input_status(tree.topology, q), value_status(v, nv)))
    return status


@routine
def armature_energy(tree, v):
    """What armatures of joints hold."""
    energy = 0.0
    for i in range(tree.topology.shape[0] - 1):
        if tree.topology[i, KIND] < FLEX:
            for j in range(tree.topology[i, V_COUNT]):
                rate = v[tree.topology[i, V] + j]
                energy += 0.5 * tree.constants[i, ARMATURE + j] * rate * rate
    return energy


@kernel
def momentum_rate_rows(tree, strain, many_q, many_v, many_a, many_wrenches, many_rate):
    """Rate of the momentum about the centre of mass: the wrench on the world, weight taken out."""
    nq, nv = sizes(tree.topology)
    rows, stations = tree.topology.shape[0], tree.stations.shape[0]
    if many_q.shape[1] != nq or many_v.shape[1] != nv or many_a.shape[1] != nv:
        return SHAPE
    steps, work, bodies = scratch((stations, STEPS)), scratch((rows, WORK)), scratch((rows, KIN_WORK))
    sine, cosine = scratch(nq), scratch(nq)
    forces = scratch(nv)
    status = OK
    for n in range(many_q.shape[0]):
        q, v, a, rate = many_q[n], many_v[n], many_a[n], many_rate[n]
        wrenches = many_wrenches[n].reshape(rows, 6)
        places_in_world(tree, strain, nq, q, sine, cosine, steps, work, bodies)
        center, mass = center_of_mass(tree.topology, tree.constants, bodies)
        inverse_dynamics(tree, strain, nq, q, v, a, wrenches, sine, cosine, steps, work, forces)
        F = world_wrench(tree, work)
        force = add(linear(F), scale(mass, load(tree.constants, rows - 1, GRAVITY)))
        turn = subtract(angular(F), cross(center, linear(F)))
        rate[0], rate[1], rate[2], rate[3], rate[4], rate[5] = force[0], force[1], force[2], turn[0], turn[1], turn[2]
        status = max(status, max(input_status(tree.topology, q), value_status(rate, 6)))
    return status


@kernel
def elastic_rows(tree, many_q, many_v, many_force, many_energy):
    """Forces of elasticity and damping (nv,), and the energy and power of `elastic_forces`."""
    status = OK
    for n in range(many_q.shape[0]):
        q, v, force, energy = many_q[n], many_v[n], many_force[n], many_energy[n]
        force[:] = 0.0
        energy[0], energy[1] = elastic_energy(tree, q), elastic_forces(tree, q, v, force)
        status = max(status, value_status(force, force.shape[0]))
    return status


@kernel
def section_forces_rows(tree, strain, many_q, many_v, many_a, many_wrenches, many_out):
    """`out` (stations, 6): the wrench that each station passes on to what is beyond it, itself included, in its frame."""
    nq, nv = sizes(tree.topology)
    rows, stations = tree.topology.shape[0], tree.stations.shape[0]
    if many_q.shape[1] != nq or many_v.shape[1] != nv or many_a.shape[1] != nv:
        return SHAPE
    steps, work = scratch((stations, STEPS)), scratch((rows, WORK))
    sine, cosine = scratch(nq), scratch(nq)
    forces = scratch(nv)
    status = OK
    for n in range(many_q.shape[0]):
        q, v, a, out = many_q[n], many_v[n], many_a[n], many_out[n]
        wrenches = many_wrenches[n].reshape(rows, 6)
        inverse_dynamics(tree, strain, nq, q, v, a, wrenches, sine, cosine, steps, work, forces)
        for i in range(rows - 1):
            if tree.topology[i, KIND] == ATTACHED:
                store6(out, tree.topology[i, STATION], 0, load6(work, i, WRENCH))
        status = max(status, input_status(tree.topology, q))
    return status


@kernel
def sections_rows(tree, strain, many_q, many_poses, many_strains):
    """Poses (stations, 12) of all sections in the world, and the strain (stations, 6) in the middle of each step."""
    nq, nv = sizes(tree.topology)
    rows, stations = tree.topology.shape[0], tree.stations.shape[0]
    if many_q.shape[1] != nq:
        return SHAPE
    steps, work, bodies = scratch((stations, STEPS)), scratch((rows, WORK)), scratch((rows, KIN_WORK))
    sine, cosine = scratch(nq), scratch(nq)
    status = OK
    for n in range(many_q.shape[0]):
        q, poses, strains = many_q[n], many_poses[n], many_strains[n]
        places_in_world(tree, strain, nq, q, sine, cosine, steps, work, bodies)
        for i in range(rows - 1):
            if tree.topology[i, KIND] == ATTACHED:
                s = tree.topology[i, STATION]
                for c in range(12):
                    poses[s, c] = bodies[i, c]
                for c in range(6):
                    strains[s, c] = 0.5 * (steps[s, X1 + c] + steps[s, X2 + c])
        status = max(status, input_status(tree.topology, q))
    return status
