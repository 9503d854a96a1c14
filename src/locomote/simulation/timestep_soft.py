"""What rods lose in a step over contacts: their damping. Elastic forces keep energy, and actuators are accounted for apart."""

from locomote.engine.source import routine
from locomote.kernels.flexible.columns import FIRST_V, SIZE
from locomote.kernels.flexible.elastic import elastic_forces


@routine
def without_elastic(plan, work, state, v, h):
    """What has to be added to the work of all passive forces of a step to leave that of losses, J."""
    total = 0.0
    for k in range(v.shape[0]):
        state.scratch_v[k], state.momentum[k] = 0.5 * (v[k] + state.v_try[k]), 0.0
    for r in range(plan.rods.shape[0]):
        for k in range(plan.rods[r, FIRST_V], plan.rods[r, FIRST_V] + plan.rods[r, SIZE]):
            if plan.imposed[k] == 0:
                total -= work.passive[k] * state.scratch_v[k]
    return h * (total + elastic_forces(plan, state.q_middle, state.scratch_v, state.momentum))
