"""Kernels of a problem with flexible bodies, called by address where a rigid one has kernels of its own.

A plan has the arrays of `kernels.flexible.columns` under their names, so it is the `tree` of those routines.
"""

from locomote.compiler.source import kernel, routine
from locomote.kernels.flexible.forward import forward_dynamics
from locomote.kernels.flexible.mass import mass_matrix
from locomote.kernels.flexible.motion import inverse_dynamics, kinetic_energy, pull_world, world_motion
from locomote.kernels.flexible.scratch import Carried, Gathered, Placed
from locomote.kernels.flexible.states import armature_energy
from locomote.kernels.momentum import potential_energy
from locomote.spatial.rows import six


@routine
def place(plan, work, q, v, a):
    """Poses and world twists of all rows (work.bodies), and their rates (work.rates)."""
    room = Placed(work.sine, work.cosine, work.soft_steps, work.soft_rows, work.bodies, work.rates)
    world_motion(plan, plan.strain, q.shape[0], q, v, a, room)


@kernel
def place_one(plan, work, q, v, a):
    """See `place`; returns how many rows there are."""
    place(plan, work, q, v, a)
    return plan.topology.shape[0]


@kernel
def pull_one(plan, work, out, i, end, sign, r):
    """Add the power of the world wrench work.place on row i to row r of `out`, as far as its ancestor `end`; places must be
    there."""
    pull_world(plan, work.soft_steps, work.bodies, i, end, six(work.place, 0), sign, out, r)
    return plan.topology.shape[0]


@kernel
def bias_one(plan, work, q, v, a):
    """Inverse dynamics into work.bias, with the wrenches of work."""
    room = Carried(work.sine, work.cosine, work.soft_steps, work.soft_rows)
    inverse_dynamics(plan, plan.strain, q.shape[0], q, v, a, work.wrenches, room, work.bias)
    return plan.topology.shape[0]


@kernel
def mass_one(plan, work, q):
    """The mass matrix into work.M."""
    room = Gathered(
        work.sine, work.cosine, work.soft_steps, work.soft_rows, work.soft_table, work.soft_mass, work.soft_dofs,
        work.soft_force, work.soft_free,
    )  # fmt: skip
    mass_matrix(plan, plan.strain, q.shape[0], q, room, work.M)
    return plan.topology.shape[0]


@kernel
def hybrid_one(plan, work, q, v, a):
    """Hybrid dynamics with the forces work.tau, which receives those of held coordinates."""
    room = Gathered(
        work.sine, work.cosine, work.soft_steps, work.soft_rows, work.soft_table, work.soft_mass, work.soft_dofs,
        work.soft_force, work.soft_free,
    )  # fmt: skip
    forward_dynamics(plan, plan.strain, q.shape[0], q, v, work.tau, work.wrenches, plan.imposed, room, a)
    return plan.topology.shape[0]


@kernel
def energies_one(plan, work, q, v, energy):
    """Kinetic and potential energy."""
    place(plan, work, q, v, v)
    energy[0] = kinetic_energy(plan, v, work.soft_rows) + armature_energy(plan, v)
    energy[1] = potential_energy(plan.topology, plan.constants, work.bodies)
    return plan.topology.shape[0]
