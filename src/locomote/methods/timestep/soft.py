"""Elasticity of flexible bodies in a step over contacts: with K and V their stiffness and damping,

    force = -K (r + r_end) / 2 - V (v + w (v_end - v))                                                               (1)
    S = h^2/4 K + h w V    joins M + D of (2) of `timestep`, whose forces are those of the middle and of v            (2)

so that elastic energy changes by just the work of these forces. w is 1/2, and goes to 1 where damping is faster than the step.
"""

from math import sqrt

from locomote.compiler.source import helper, routine
from locomote.evaluation.plan import DAMPING, FRICTION, FRICTION_SPEED, REST, STIFFNESS
from locomote.kernels.flexible.columns import BAND, FIRST_V, MATRIX, SIZE
from locomote.kernels.flexible.elastic import elastic_forces


@helper
def weight(plan, state, at, size, first, i, h):
    """w of coordinate i of a body; matrices take the root of those of both coordinates."""
    damping = plan.viscous[at + i * (size + 1)]
    return max(0.5, 1.0 - 0.5 * state.typical[first + i] / (h * damping)) if damping > 0.0 else 0.5


@routine
def stiffen(plan, work, state, h):
    """(2), on coordinates that are free."""
    for n in range(plan.rods.shape[0]):
        size, first, at = plan.rods[n, SIZE], plan.rods[n, FIRST_V], plan.rods[n, MATRIX]
        for i in range(size):
            w = weight(plan, state, at, size, first, i, h)
            for j in range(max(0, i - plan.rods[n, BAND]), min(size, i + plan.rods[n, BAND] + 1)):
                if plan.imposed[first + i] == 0 and plan.imposed[first + j] == 0:
                    damping = sqrt(w * weight(plan, state, at, size, first, j, h)) * plan.viscous[at + i * size + j]
                    work.M[first + i, first + j] += h * (0.25 * h * plan.elastic[at + i * size + j] + damping)


@helper
def of_joint(plan, state, v, k):
    """The part of work.passive that springs, dampers and friction of coordinate k have, as joints do."""
    soft, friction = plan.options[FRICTION_SPEED], plan.passive[FRICTION, k]
    away = state.q_middle[plan.q_of_v[k]] - plan.passive[REST, k]
    dry = friction * v[k] / sqrt(v[k] * v[k] + soft * soft) if friction > 0.0 else 0.0
    return -plan.passive[STIFFNESS, k] * away - plan.passive[DAMPING, k] * v[k] - dry


@routine
def without_elastic(plan, work, state, v, h):
    """What has to be added to the work of forces of the middle on coordinates of flexible bodies, to leave what (1) loses, J:
    actuators are accounted for apart."""
    total = 0.0
    for n in range(plan.rods.shape[0]):
        size, first, at = plan.rods[n, SIZE], plan.rods[n, FIRST_V], plan.rods[n, MATRIX]
        for i in range(size):
            w, force = weight(plan, state, at, size, first, i, h), of_joint(plan, state, v, first + i)
            force -= work.passive[first + i]
            for j in range(max(0, i - plan.rods[n, BAND]), min(size, i + plan.rods[n, BAND] + 1)):
                part = v[first + j]
                if plan.imposed[first + i] == 0 and plan.imposed[first + j] == 0:
                    by = sqrt(w * weight(plan, state, at, size, first, j, h))
                    part += by * (state.v_try[first + j] - v[first + j])
                force -= plan.viscous[at + i * size + j] * part
            total += 0.5 * force * (v[first + i] + state.v_try[first + i])
    return h * total


@routine
def more_of_actuators(plan, work, state, v, h):
    """What actuators do in a step more than their power at v says: they move with the mean velocity, J."""
    total = 0.0
    for k in range(v.shape[0]):
        state.momentum[k] = 0.0
    elastic_forces(plan, state.q_middle, v, state.momentum)
    for n in range(plan.rods.shape[0]):
        for k in range(plan.rods[n, FIRST_V], plan.rods[n, FIRST_V] + plan.rods[n, SIZE]):
            own = work.passive[k] - state.momentum[k] - of_joint(plan, state, v, k)
            total += 0.5 * own * (state.v_try[k] - v[k])
    return h * total
