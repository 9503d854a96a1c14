"""Entries from Python for one configuration: forces that come from outside or from the joints themselves.

As in `single`, each returns a status. `springs` (4, nv) holds stiffness, rest, damping and dry friction of the joints.
"""

from locomote.compiler.scratch import scratch, scratch_of
from locomote.compiler.source import kernel, routine
from locomote.kernels.forward_dynamics import Articulated, forward_dynamics
from locomote.kernels.single import input_status, sizes, value_status, values_status
from locomote.model.columns import KIND
from locomote.model.joints import has_quaternion, quaternion_start
from locomote.model.moves import differed, pulled_back
from locomote.model.status import OK, SHAPE
from locomote.spatial.algebra import plus, wrench_to_parent
from locomote.spatial.rows import load, load6, load9, store6

STIFFNESS, REST, DAMPING, FRICTION = range(4)  # rows of `springs`


@kernel
def gather_one(topology, constants, carrier, placement, wrenches, loads):
    """Wrenches on named bodies (named, 6), each in the frame of its body, as wrenches on the moving bodies that kernels know
    (moving + 1, 6), in packed frames; the last row is that of the world, which needs no help."""
    if wrenches.shape[0] != carrier.shape[0] or wrenches.shape[1] != 6:
        return SHAPE
    loads[:] = 0.0
    for n in range(carrier.shape[0]):
        f = wrench_to_parent(load9(placement, n, 0), load(placement, n, 9), load6(wrenches, n, 0))
        store6(loads, carrier[n], 0, plus(load6(loads, carrier[n], 0), f))
    return max(value_status(wrenches.reshape(-1), wrenches.size), value_status(loads.reshape(-1), loads.size))


@kernel
def hybrid_one(topology, constants, q, v, given_tau, given_a, imposed, wrenches, a, tau):
    """Hybrid dynamics that leaves what it was given as it is."""
    n = sizes(topology)
    if q.shape[0] != n.nq or v.shape[0] != n.nv or imposed.shape[0] != n.nv:
        return SHAPE
    if given_tau.shape[0] != n.nv or given_a.shape[0] != n.nv:
        return SHAPE
    for k in range(n.nv):
        a[k], tau[k] = given_a[k], given_tau[k]
    forward_dynamics(topology, constants, n.nq, q, v, tau, wrenches, imposed, scratch_of(Articulated, n), a)
    status = max(values_status(v, a, tau, n.nv), values_status(given_a, given_tau, v, n.nv))
    return max(input_status(topology, q), status)


@routine
def departure(topology, springs, q, neutral, away):
    """Fill `away` with how far joints are from the rest of their springs; `neutral` is scratch for a configuration."""
    for k in range(neutral.shape[0]):
        neutral[k] = 0.0
    for i in range(topology.shape[0] - 1):
        if has_quaternion(topology[i, KIND]):
            neutral[quaternion_start(topology, i) + 3] = 1.0
    differed(topology, neutral, q, away)
    for k in range(away.shape[0]):
        away[k] = away[k] - springs[REST, k]


@routine
def spring_forces(topology, springs, q, v, neutral, away, force):
    """Fill `force` with -k (q - rest) - d v - friction sign(v)."""
    departure(topology, springs, q, neutral, away)
    for k in range(away.shape[0]):
        force[k] = -springs[STIFFNESS, k] * away[k]
    pulled_back(topology, away, force)
    for k in range(away.shape[0]):
        sign = (1.0 if v[k] > 0.0 else 0.0) - (1.0 if v[k] < 0.0 else 0.0)
        force[k] = force[k] - springs[DAMPING, k] * v[k] - springs[FRICTION, k] * sign


@routine
def spring_energy(topology, springs, q, neutral, away):
    """Half of k (q - rest)^2, summed."""
    departure(topology, springs, q, neutral, away)
    total = 0.0
    for k in range(away.shape[0]):
        total += 0.5 * springs[STIFFNESS, k] * away[k] * away[k]
    return total


@kernel
def passive_force_one(topology, constants, springs, q, v, force):
    n = sizes(topology)
    if q.shape[0] != n.nq or v.shape[0] != n.nv:
        return SHAPE
    spring_forces(topology, springs, q, v, scratch(n.nq), scratch(n.nv), force)
    return max(input_status(topology, q), values_status(v, force, v, n.nv))


@kernel
def passive_force_rows(topology, constants, springs, q, v, force):
    n = sizes(topology)
    neutral, away = scratch(n.nq), scratch(n.nv)
    for k in range(force.shape[0]):
        spring_forces(topology, springs, q[k], v[k], neutral, away, force[k])
    return OK


@kernel
def spring_energy_one(topology, constants, springs, q, energy):
    n = sizes(topology)
    if q.shape[0] != n.nq:
        return SHAPE
    energy[0] = spring_energy(topology, springs, q, scratch(n.nq), scratch(n.nv))
    return max(input_status(topology, q), value_status(energy, 1))


@kernel
def spring_energy_rows(topology, constants, springs, q, energy):
    n = sizes(topology)
    neutral, away = scratch(n.nq), scratch(n.nv)
    for k in range(energy.shape[0]):
        energy[k] = spring_energy(topology, springs, q[k], neutral, away)
    return OK
