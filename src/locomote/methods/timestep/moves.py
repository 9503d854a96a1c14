"""Moves of a step over contacts, and what resists them; numbers (1) to (6) are those of `timestep`. For floats and lanes."""

from locomote.compiler.scalars import sqrt
from locomote.compiler.source import helper, routine
from locomote.contact.states import larger
from locomote.evaluation.chart import chart_rate, moved
from locomote.evaluation.plan import DAMPING, FRICTION, FRICTION_SPEED, STIFFNESS
from locomote.model.columns import V
from locomote.model.joints import joint_coasting


@helper
def count_v(topology):
    """How many velocities there are."""
    return topology[topology.shape[0] - 1, V]


@routine
def half_move(plan, state, q, v, h, result):
    """result <- q (+) h/2 v"""
    nv = count_v(plan.topology)
    for k in range(nv):
        state.y_try[k] = 0.0
    chart_rate(plan.topology, q, state.y_try, v, state.scratch_v)
    for k in range(nv):
        state.y_try[k] = 0.5 * h * state.scratch_v[k]
    moved(plan.topology, q, state.y_try, result)


@routine
def steady(plan, v, a):
    """Accelerations of coordinates while nothing accelerates in the world: of shifts in turning axes."""
    topology = plan.topology
    for i in range(topology.shape[0] - 1):
        joint_coasting(topology, i, v, a)


@routine
def resist(plan, typical, h, v, diagonal):
    """D, into `diagonal`; typical : inertia of each coordinate."""
    soft = plan.options[FRICTION_SPEED]
    for k in range(count_v(plan.topology)):
        D, m = 0.0, typical[k]
        if plan.imposed[k] == 0:
            damping, stiffness = plan.passive[DAMPING, k], plan.passive[STIFFNESS, k]
            if damping > 0.0:
                D += larger(0.5, 1.0 - 0.5 * m / (h * damping)) * h * damping
            if stiffness > 0.0:
                D += larger(0.0, 0.25 - 0.5 * m / (h * h * stiffness)) * h * h * stiffness
        diagonal[k] = D
        if plan.imposed[k] == 0 and plan.passive[FRICTION, k] > 0.0:
            diagonal[k] = D + h * plan.passive[FRICTION, k] / sqrt(v[k] * v[k] + soft * soft)
