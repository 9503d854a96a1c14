"""Rods in a step over contacts: their elasticity acts at the mean of both ends, so that no step is too long for it, and their
damping there or later, the more so the stiffer it is, as springs and dampers of joints do (`timestep_moves.resist`).

    S = h^2/4 K + s h D ,   1/2 <= s <= 1          joins M of (2) of `timestep`, where forces are those of q_m and v      (1)
    (q + q_end) / 2 = q_m + h/4 (v_end - v)        so the work of -K (q_m + h/4 (v_end - v)) is all of the change of energy  (2)

Actuators are accounted for apart.
"""

from locomote.engine.source import helper, routine
from locomote.kernels.flexible.columns import BAND, FIRST_V, MATRIX, SIZE


@helper
def later_share(plan, typical, h, r):
    """s of (1), of rod r; typical : inertia of each coordinate."""
    size, at, first, most = plan.rods[r, SIZE], plan.rods[r, MATRIX], plan.rods[r, FIRST_V], 0.0
    for i in range(size):
        most = max(most, h * plan.viscous[at + i * (size + 1)] / typical[first + i])
    return max(0.5, 1.0 - 0.5 / most) if most > 0.0 else 0.5


@routine
def stiffen(plan, typical, h, M):
    """Add S of (1) to M, where coordinates are free."""
    for r in range(plan.rods.shape[0]):
        size, first, at, band = plan.rods[r, SIZE], plan.rods[r, FIRST_V], plan.rods[r, MATRIX], plan.rods[r, BAND]
        share = later_share(plan, typical, h, r)
        for i in range(size):
            for j in range(max(0, i - band), min(size, i + band + 1)):
                if plan.imposed[first + i] == 0 and plan.imposed[first + j] == 0:
                    place = at + i * size + j
                    M[first + i, first + j] += 0.25 * h * h * plan.elastic[place] + share * h * plan.viscous[place]


@routine
def without_elastic(plan, work, state, v, h):
    """What has to be added to the work of all passive forces of a step to leave that of losses, J: elastic forces keep energy
    by (2), and damping takes what it takes at v + s (v_end - v)."""
    total = 0.0
    for r in range(plan.rods.shape[0]):
        size, first, at, band = plan.rods[r, SIZE], plan.rods[r, FIRST_V], plan.rods[r, MATRIX], plan.rods[r, BAND]
        share = later_share(plan, state.typical, h, r)
        for i in range(size):
            k, drag = first + i, 0.0
            if plan.imposed[k] == 0:
                for j in range(max(0, i - band), min(size, i + band + 1)):
                    n = first + j
                    drag += plan.viscous[at + i * size + j] * (v[n] + share * (state.v_try[n] - v[n]))
                total -= (work.passive[k] + drag) * 0.5 * (v[k] + state.v_try[k])
    return h * total
