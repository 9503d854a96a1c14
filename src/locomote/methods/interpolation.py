"""The state between the ends of a step just attempted.

A method may have a continuous extension: explicit ones that choose their steps do, and so has collocation where nothing
constrains the motion. For all others chart coordinates follow the cubic through places and velocities at both ends, and
velocities a straight line: good enough to see what happens in between, not to keep.
"""

from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import routine
from locomote.evaluation.chart import chart_rate, moved
from locomote.evaluation.plan import WITHIN
from locomote.methods.explicit import interpolate
from locomote.methods.state import DENSE


@routine
def state_within(plan, work, state, s, h):
    """Fill y_try, q_try and v_try at the fraction s of the step; q_end, v_end and y_end must be there."""
    nv = state.v.shape[0]
    if plan.calls[WITHIN] != 0:
        call_compiled(plan.calls[WITHIN], (plan, work, state, s, h))
    elif state.traits[DENSE] != 0:
        interpolate(state, s, h, state.y_try)
    else:
        chart_rate(plan.topology, state.q_end, state.y_end, state.v_end, work.dx)
        rise, start, end = s * s * (3.0 - 2.0 * s), h * s * (1.0 - s) * (1.0 - s), -h * s * s * (1.0 - s)
        for k in range(nv):
            state.y_try[k] = rise * state.y_end[k] + start * state.k[0, k] + end * work.dx[k]
        for n in range(nv, state.y.shape[0]):
            state.y_try[n] = state.y[n] + s * (state.y_end[n] - state.y[n])
    moved(plan.topology, state.q, state.y_try, state.q_try)
    for k in range(nv):
        state.v_try[k] = state.y_try[nv + k]
