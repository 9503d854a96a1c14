"""Where the runs of many lots start, all in one compiled loop: the plan of one problem, into which the numbers of each lot are
written before its state is brought onto drives and constraints, as `initial` does it for one problem."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import kernel, routine
from locomote.constraints.columns import ACTIVE
from locomote.evaluation import plan as fields
from locomote.locomotion.inputs import state_near
from locomote.locomotion.problem import Locomotion

LEFT, REST = 1e-9, 1e-7  # errors of positions and velocities, as of `initial`, above which a lot has no start


@routine
def miss(plan, work, v):
    """By how much rows that hold are missed."""
    worst = 0.0
    for r in range(plan.holonomic.shape[0]):
        if plan.integers[plan.owner[r], ACTIVE] != 0:
            speed = work.speed[r]
            for k in range(v.shape[0]):
                speed += work.A[r, k] * v[k]
            worst = max(worst, abs(speed))
            if plan.holonomic[r] != 0:
                worst = max(worst, abs(work.error[r]))
    return worst


@kernel
def look_each(plan, work, memory, places, values, which, q, v, zero, missed):
    """missed (N,) : how far states (N, ...) are from the constraints of their lots, `which` (N,), at time 0

    memory : that arrays of the plan lie in ; places : in it, of values (lots, entries)
    """
    for n in range(q.shape[0]):
        for k in range(places.shape[0]):
            memory[places[k]] = values[which[n], k]
        call_compiled(plan.calls[fields.ROWS], (plan, work, 0.0, q[n], v[n], zero))
        missed[n] = miss(plan, work, v[n])
    return q.shape[0]


@kernel
def assemble_each(plan, work, memory, places, values, q, v, a, start, u, left):
    """Bring states (lots, ...) onto drives and constraints at time 0 ; left (lots, 2) : what no motion can remove"""
    for n in range(q.shape[0]):
        for k in range(places.shape[0]):
            memory[places[k]] = values[n, k]
        call_compiled(plan.calls[fields.ASSEMBLE], (plan, work, 0.0, q[n], v[n], a, start, u))
        left[n, 0], left[n, 1] = work.result[fields.LEFT], work.result[fields.REST_SPEED]
    return q.shape[0]


class Together:
    """problem : of one lot ; places : name of an array of plans -> flat places in it ; values : (lots, entries) there"""

    def __init__(self, problem: Locomotion, places: Mapping[str, np.ndarray], values: np.ndarray):
        self.problem, self.values = problem, np.ascontiguousarray(values)
        plan = problem.plan.own()
        arrays = [getattr(plan, name) for name in places]
        ends = np.cumsum([0, *(array.size for array in arrays)])
        self.memory = np.concatenate([np.zeros(0), *(array.ravel() for array in arrays)])
        parts = [self.memory[a:b] for a, b in zip(ends, ends[1:], strict=False)]
        views: dict[str, Any] = {
            name: part.reshape(array.shape) for name, part, array in zip(places, parts, arrays, strict=True)
        }
        self.plan = plan.changed(**views)
        self.places = np.concatenate([np.zeros(0, int), *(flat + a for flat, a in zip(places.values(), ends, strict=False))])

    def missed(self, which: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(N,) by how much states of runs, of these lots, miss the constraints, SI."""
        found, zero = np.empty(len(q)), np.zeros(v.shape[1])
        with self.problem.scratch(self.plan) as work:
            look_each(self.plan, work, self.memory, self.places, self.values, which, q, v, zero, found)
        self.plan.raise_faults()
        return found

    def assembled(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(lots, nq) and (lots, nv) states that are nearest to the start of the problem, and which lots have none."""
        problem, count = self.problem, len(self.values)
        given = (None, None) if problem.start is None else problem.start
        q, v = (np.repeat(x[None], count, axis=0) for x in state_near(problem.statement.model, problem.model, *given))
        left = np.empty((count, 2))
        spare = np.zeros(v.shape[1]), np.empty(q.shape[1]), np.empty(v.shape[1])
        with problem.scratch(self.plan) as work:
            assemble_each(self.plan, work, self.memory, self.places, self.values, q, v, *spare, left)
        self.plan.raise_faults()
        finite = np.isfinite(q).all(axis=1) & np.isfinite(v).all(axis=1)
        return q, v, np.flatnonzero(~(finite & (left[:, 0] <= LEFT) & (left[:, 1] <= REST)))
