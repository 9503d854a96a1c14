"""Joints at their limits, in runs whose steps end at events (`timestep` has rows for them).

A stop n of a coordinate k has a side (sign 1 lower, -1 upper) and a place, its gap is sign (q - place). While the joint lies on
it, the coordinate is held there: its velocity is zero, and what it takes beyond all given forces is the push of the stop. Event
functions are the gap of open stops and the push of closed ones. Held coordinates cost steps nothing, and no stop that is open
is in the equations of motion.
"""

from collections import Counter
from collections.abc import Iterable

import numpy as np

from locomote.compiler.source import routine
from locomote.errors import InconsistentStart
from locomote.evaluation.plan import CLOSED, SIGN, STOP_PLACE, STOPPED, Plan
from locomote.evaluation.protocol import Problem
from locomote.model.model import Model

BEYOND = 1e-9  # rad or m, that a start may be beyond a limit
PAST, PAST_STOP = 1e-9, 100  # rad or m that are clearly beyond; how a step by hand ends that would be there


@routine
def past_stops(plan, q):
    """Whether a joint is clearly beyond a limit."""
    found = False
    for n in range(plan.stops.shape[0]):
        gap = plan.stop_laws[n, SIGN] * (q[plan.q_of_v[plan.stops[n]]] - plan.stop_laws[n, STOP_PLACE])
        found = found or gap < -PAST
    return found


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


def refuse_beyond(problem: Problem, q: np.ndarray) -> None:
    """Raise if a run would start beyond a limit of a joint. q : (nq,), or (N, nq)"""
    plan = problem.plan
    for n, (k, (sign, place, _)) in enumerate(zip(plan.stops, plan.stop_laws, strict=True)):
        gap = sign * (q[..., plan.q_of_v[k]] - place)
        if np.min(gap) < -BEYOND:
            here, title = place + sign * float(np.min(gap)), stop_titles(problem.model, plan)[n]
            raise InconsistentStart(
                f"{problem.name!r} starts at {here:.6g}, beyond the {title} at {place:.6g} (rad or m): start within, or give "
                f"the problem limits=False"
            )
