"""Where a run is (State) and what it leaves behind (Samples), as records for compiled code."""

import numpy as np

from locomote.constraints import columns as col
from locomote.engine.records import Floats, Ints, Matrix, Record
from locomote.simulation.plan import SOURCES, Plan

# entries of `clock`
TIME, STEP, ERROR = range(3)  # now; length of the next step; size of the last accepted error
END, SIZE, NEAREST = range(3, 6)  # of the last attempt: its end, its error if the method knows it, smallest remainder it met
LIMIT, TYPICAL, PASSED = range(6, 9)  # of the next step; largest remainder of the run; when a singular configuration was
# entries of `counts`
STEPS, REJECTED, EVALUATIONS, RANK, NEXT, FRESH = range(6)
# entries of `settings`
RTOL, ATOL, LARGEST, SMALLEST = range(4)
# entries of `choices`
METHOD, PROJECT, BUDGET, STOP_SINGULAR = range(4)
# methods
FIXED, ADAPTIVE, IMPLICIT, VARIATIONAL = range(4)
STAGES = 8
# columns of energy and residual
KINETIC_ENERGY, POTENTIAL_ENERGY, ELASTIC_ENERGY = range(3)
VELOCITY_RESIDUAL, POSITION_RESIDUAL = range(2)


class State(Record):
    """State at the start of a step (q, v, done), the attempt from there, and counters.

    y : chart coordinates about q, then v, then work done by source; k : their rates at the stages of a step
    q_end, v_end : the end of an attempt
    g, g_end : values of the event functions at start and end; met : which of them crossed zero
    """

    clock: Floats
    counts: Ints
    settings: Floats
    choices: Ints
    q: Floats
    v: Floats
    done: Floats
    y: Floats
    y_end: Floats
    y_try: Floats
    k: Matrix
    q_try: Floats
    v_try: Floats
    q_end: Floats
    v_end: Floats
    a: Floats
    lam: Floats
    scratch_q: Floats
    scratch_v: Floats
    scratch_work: Floats
    energy: Floats
    g: Floats
    g_end: Floats
    directions: Ints
    met: Ints
    jacobian: Matrix
    factors: Matrix
    pivots: Ints
    shift: Floats
    momentum: Floats
    coriolis: Matrix


class Samples(Record):
    """Room for samples: one row each."""

    t: Floats
    q: Matrix
    v: Matrix
    a: Matrix
    tau: Matrix
    reactions: Matrix
    energy: Matrix
    work: Matrix
    residual: Matrix
    rank: Ints


def state_of(plan: Plan, events: int = 0, method: int = ADAPTIVE) -> State:
    """A state for a plan with so many event functions of the user; implicit methods have matrices to keep."""
    nq, nv = (int(n) for n in plan.topology[-1, 2:4])
    rows, size = len(plan.holonomic), 2 * nv + len(SOURCES)
    total = events + int(plan.integers[:, col.UNILATERAL].max(initial=0))
    wide, tall = 2 * nv if method == IMPLICIT else 0, nv if method == VARIATIONAL else 0
    return State(
        clock=np.zeros(9), counts=np.zeros(6, np.int64), settings=np.zeros(4), choices=np.zeros(4, np.int64),
        q=np.zeros(nq), v=np.zeros(nv), done=np.zeros(len(SOURCES)),
        y=np.zeros(size), y_end=np.zeros(size), y_try=np.zeros(size), k=np.zeros((STAGES, size)),
        q_try=np.zeros(nq), v_try=np.zeros(nv), q_end=np.zeros(nq), v_end=np.zeros(nv),
        a=np.zeros(nv), lam=np.zeros(rows), scratch_q=np.zeros(nq), scratch_v=np.zeros(nv),
        scratch_work=np.zeros(len(SOURCES)), energy=np.zeros(1),
        g=np.zeros(total), g_end=np.zeros(total), directions=np.zeros(total, np.int64), met=np.zeros(total, np.int64),
        jacobian=np.zeros((wide, wide)), factors=np.zeros((wide, wide)), pivots=np.zeros(wide, np.int64),
        shift=np.zeros(2 * nv), momentum=np.zeros(nv), coriolis=np.zeros((tall, tall)),
    )  # fmt: skip


def samples_of(plan: Plan, times: np.ndarray) -> Samples:
    """Room for samples at the given times."""
    nq, nv = (int(n) for n in plan.topology[-1, 2:4])
    count, rows = len(times), len(plan.holonomic)
    sizes = {"q": nq, "v": nv, "a": nv, "tau": nv, "reactions": rows, "energy": 3, "work": len(SOURCES), "residual": 2}
    arrays = {name: np.full((count, size), np.nan) for name, size in sizes.items()}
    return Samples(t=np.array(times, dtype=float), rank=np.zeros(count, np.int64), **arrays)
