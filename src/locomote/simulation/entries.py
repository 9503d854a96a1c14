"""Kernels of one evaluation of a packed problem: what Python calls, and what kernels call of each other by address."""

from numba import float64, int64, typeof

from locomote.constraints.columns import PULL
from locomote.constraints.rows import constraint_rows, world_accelerations
from locomote.engine.islands import address_of, call_compiled
from locomote.engine.source import kernel
from locomote.kernels import single
from locomote.kernels.inverse_dynamics import inverse_dynamics
from locomote.kernels.kinematics import axes_in_world, poses_in_world, world_twists
from locomote.kernels.mass_matrix import mass_matrix
from locomote.simulation import soft
from locomote.simulation.actuators import actuate_one
from locomote.simulation.creeping import balance, creep
from locomote.simulation.equations import evaluate, measure_rows
from locomote.simulation.plan import (
    ACTUATE,
    ASSEMBLE,
    CREEPING,
    ENERGIES,
    EVALUATE,
    HYBRID,
    INVERSE,
    KINETIC,
    LEFT,
    MASS,
    PLACE,
    POTENTIAL,
    REST_SPEED,
    ROWS,
    SIGNALS,
    SOFT_HYBRID,
    Plan,
    Work,
)
from locomote.simulation.projection import project_position, project_velocity
from locomote.simulation.sampling import record
from locomote.simulation.signals import signals_one
from locomote.simulation.state import FILLED, TIME


@kernel
def rows_one(plan, work, t, q, v, a):
    """Poses, motion axes and twists of all bodies, and all constraint rows: work.A, .drift, .speed, .error, .lengths.

    Returns how many elementary constraints there are.
    """
    if plan.rods.shape[0] > 0:
        call_compiled(plan.calls[PLACE], (plan, work, q, v, a))
    else:
        poses_in_world(plan.topology, plan.constants, q.shape[0], q, work.sine, work.cosine, work.bodies)
        axes_in_world(plan.topology, plan.constants, work.bodies, work.axes)
        world_twists(plan.topology, v, work.axes, work.bodies)
        if plan.integers.shape[0] > 0:
            world_accelerations(plan, work, v, a)
    if plan.integers.shape[0] > 0:
        constraint_rows(plan, work, t, q, v, a)
        if work.possible.shape[0] > 0:  # symbols have no size
            measure_rows(plan, work)
    return plan.integers.shape[0]


@kernel
def bias_one(plan, work, q, v, a):
    """Inverse dynamics into work.bias, with the wrenches of work; returns how many bodies there are."""
    inverse_dynamics(
        plan.topology, plan.constants, q.shape[0], q, v, a, work.wrenches, work.sine, work.cosine, work.newton, work.bias
    )
    return plan.topology.shape[0]


@kernel
def mass_one(plan, work, q):
    """The mass matrix into work.M; returns how many bodies there are."""
    mass_matrix(
        plan.topology, plan.constants, q.shape[0], q, work.sine, work.cosine, work.composite, work.composite_axes, work.M
    )
    return plan.topology.shape[0]


@kernel
def evaluate_one(plan, work, t, q, v, a, lam):
    """See `equations.evaluate`."""
    return evaluate(plan, work, t, q, v, a, lam)


@kernel
def creep_one(plan, work, t, q, v, a, lam):
    """See `creeping.creep`."""
    return creep(plan, work, t, q, v, a, lam)


@kernel
def balance_one(plan, work, t, q, v):
    """Forces on all coordinates at a state, without inertia, into work.z; returns how many bodies there are."""
    balance(plan, work, t, q, v, work.z)
    return plan.topology.shape[0]


@kernel
def assemble_one(plan, work, t, q, v, a, start, u):
    """Bring q and v onto drives and constraints; what no motion can remove is in work.result.

    Returns how many rows there are.
    """
    work.result[LEFT] = project_position(plan, work, t, q, v, a, start, u)
    work.result[REST_SPEED] = project_velocity(plan, work, t, q, v, a)
    return plan.holonomic.shape[0]


@kernel
def record_one(plan, work, state, samples):
    """A sample of the state as it is; returns how many there are."""
    record(plan, work, state, samples, state.clock[TIME], state.q, state.v, state.done)
    return state.counts[FILLED]


def fill_matrices(plan: Plan, work: Work) -> None:
    """Compile, or load, what needs the mass matrix: constraints, and the variational method."""
    vector, both = typeof(work.bias), (typeof(plan), typeof(work))
    inverse, mass = (soft.bias_one, soft.mass_one) if len(plan.rods) else (bias_one, mass_one)
    plan.calls[INVERSE] = address_of(inverse, (*both, vector, vector, vector))
    plan.calls[MASS] = address_of(mass, (*both, vector))


def fill_soft(plan: Plan, work: Work) -> None:
    """Compile, or load, what only a problem with flexible bodies calls."""
    vector, both = typeof(work.bias), (typeof(plan), typeof(work))
    plan.calls[PLACE] = address_of(soft.place_one, (*both, vector, vector, vector))
    plan.calls[PULL] = address_of(soft.pull_one, (*both, int64, float64, int64))
    plan.calls[SOFT_HYBRID] = address_of(soft.hybrid_one, (*both, vector, vector, vector))
    plan.calls[ENERGIES] = address_of(soft.energies_one, (*both, vector, vector, vector))


def fill_addresses(plan: Plan, work: Work) -> None:
    """Compile, or load, what the kernels of this plan call by address."""
    vector, matrix, ints, whole = typeof(work.bias), typeof(work.M), typeof(plan.topology), typeof(plan.imposed)
    tree, state = (ints, matrix), (typeof(plan), typeof(work), float64, vector, vector, vector)
    if len(plan.rods):
        fill_soft(plan, work)
    creeping = plan.options[CREEPING] != 0.0
    if len(plan.holonomic) or creeping:
        fill_matrices(plan, work)
    elif not len(plan.rods):
        plan.calls[HYBRID] = address_of(single.hybrid_dynamics_one, (*tree, vector, vector, whole, matrix, vector, vector))
    if len(plan.actuators):
        plan.calls[ACTUATE] = address_of(actuate_one, (typeof(plan), typeof(work), float64, vector, vector))
    plan.calls[SIGNALS] = address_of(signals_one, (ints, vector, ints, float64, vector, vector, vector, vector))
    plan.calls[ROWS] = address_of(rows_one, state)
    plan.calls[EVALUATE] = address_of(creep_one if creeping else evaluate_one, (*state, vector))
    plan.calls[ASSEMBLE] = address_of(assemble_one, (*state, vector, vector))
    if len(plan.rods):
        return
    plan.calls[KINETIC] = address_of(single.kinetic_energy_one, (*tree, vector, vector, vector))
    plan.calls[POTENTIAL] = address_of(single.potential_energy_one, (*tree, vector, vector))
