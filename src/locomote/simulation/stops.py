"""Joints at their limits, in runs whose steps end at events (`timestep` has rows for them).

A stop n of a coordinate k has a side (sign 1 lower, -1 upper) and a place, its gap is sign (q - place). While the joint lies on
it, the coordinate is held there: its velocity is zero, and what it takes beyond all given forces is the push of the stop. Event
functions are the gap of open stops and the push of closed ones. Held coordinates cost steps nothing, and no stop that is open
is in the equations of motion.
"""

from collections import Counter
from collections.abc import Iterable

import numpy as np

from locomote.engine.source import helper, routine
from locomote.model.model import Model
from locomote.simulation.plan import STOPPED, Plan
from locomote.simulation.state import METHOD, TIMESTEP

SIGN, PLACE, CLOSED = range(3)  # columns of `stop_laws`
PAST, PAST_STOP = 1e-9, 100  # rad or m that are clearly beyond; how a step by hand ends that would be there
SUNK = 1e-12  # rad or m, how far beyond a stop a joint is when it hits: more than rounding


@routine
def past_stops(plan, q):
    """Whether a joint is clearly beyond a limit."""
    found = False
    for n in range(plan.stops.shape[0]):
        gap = plan.stop_laws[n, SIGN] * (q[plan.q_of_v[plan.stops[n]]] - plan.stop_laws[n, PLACE])
        found = found or gap < -PAST
    return found


@helper
def stop_count(plan, state):
    """How many stops have event functions, the last of all."""
    return 0 if state.choices[METHOD] == TIMESTEP else plan.stops.shape[0]


@routine
def on_stops(plan, state):
    """Whether some joint lies on a stop."""
    found = False
    for n in range(stop_count(plan, state)):
        found = found or plan.stop_laws[n, CLOSED] != 0.0
    return found


@routine
def stop_events(plan, work, q, g, first):
    """Event functions of all stops into g from `first` on; forces must be those of q where one is closed."""
    for n in range(g.shape[0] - first):
        k, sign = plan.stops[n], plan.stop_laws[n, SIGN]
        if plan.stop_laws[n, CLOSED] != 0.0:
            g[first + n] = sign * work.tau[k]
        else:
            g[first + n] = sign * (q[plan.q_of_v[k]] - plan.stop_laws[n, PLACE]) + SUNK


@routine
def may_have_touched(plan, state, h, first):
    """Whether an open stop, outside of which a step ends, may have been passed within it: tangents at both ends meet beyond it.
    A closed one may have let go."""
    for n in range(state.g.shape[0] - first):
        k, sign = plan.stops[n], plan.stop_laws[n, SIGN]
        if plan.stop_laws[n, CLOSED] != 0.0:
            return True
        down, up = sign * state.v[k], sign * state.v_end[k]
        if down < 0.0 and up > 0.0:
            start, end = state.g[first + n], state.g_end[first + n]
            if start + down * (end - up * h - start) / (down - up) < 0.0:
                return True
    return False


def lying_on(plan: Plan, closed: Iterable[int]) -> Plan:
    """A plan with joints on these of its stops; `plan` is the one in which all are open."""
    laws, imposed, led = plan.stop_laws.copy(), plan.imposed.copy(), plan.led.copy()
    for n in closed:
        laws[n, CLOSED], k = 1.0, plan.stops[n]
        imposed[k], led[k] = STOPPED, 1
    free, held = np.flatnonzero(imposed == 0), np.flatnonzero(imposed)
    return plan.changed(stop_laws=laws, imposed=imposed, led=led, free=free, held=held)


def stop_titles(model: Model, plan: Plan) -> list[str]:
    """What the stops of a plan are called."""
    slots = {slot.index: slot for slot in model.layout().slots if slot.vector == "q"}
    several = Counter(slot.joint for slot in slots.values())
    titles = []
    for k, sign in zip(plan.stops, plan.stop_laws[:, SIGN], strict=True):
        slot = slots[int(plan.q_of_v[k])]
        name = slot.joint if several[slot.joint] == 1 else f"{slot.joint}.{slot.name}"
        titles.append(f"{'lower' if sign > 0 else 'upper'} stop of {name}")
    return titles
