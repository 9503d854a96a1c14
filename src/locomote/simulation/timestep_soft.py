"""Elasticity of flexible bodies in a step over contacts: with K and V their stiffness and damping,

    force = -K (r + r_end) / 2 - V (v + w (v_end - v))                                                               (1)
    S = h^2/4 K + h w V    joins M + D of (2) of `timestep`, whose forces are those of the middle and of v            (2)

so that elastic energy changes by just the work of these forces. w is 1/2, and goes to 1 where damping is faster than the step.
"""

from math import sqrt

from locomote.engine.source import helper, routine
from locomote.kernels.flexible.columns import BAND, FIRST_V, MATRIX, SIZE


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


@routine
def without_elastic(plan, work, state, v, h):
    """What has to be added to the work of all passive forces on flexible bodies to leave what (1) loses, J: actuators are among
    them, and are accounted for apart."""
    total = 0.0
    for n in range(plan.rods.shape[0]):
        size, first, at = plan.rods[n, SIZE], plan.rods[n, FIRST_V], plan.rods[n, MATRIX]
        for i in range(size):
            if plan.imposed[first + i] == 0:
                w, force = weight(plan, state, at, size, first, i, h), -work.passive[first + i]
                for j in range(max(0, i - plan.rods[n, BAND]), min(size, i + plan.rods[n, BAND] + 1)):
                    part = v[first + j]
                    if plan.imposed[first + j] == 0:
                        by = sqrt(w * weight(plan, state, at, size, first, j, h))
                        part += by * (state.v_try[first + j] - v[first + j])
                    force -= plan.viscous[at + i * size + j] * part
                total += 0.5 * force * (v[first + i] + state.v_try[first + i])
    return h * total
