"""Where a run is (State) and what it leaves behind (Samples), as records for compiled code."""

import numpy as np

from locomote.engine.records import Floats, Ints, Matrix, Record
from locomote.simulation.plan import INTEGRALS, SOURCES, Plan

# entries of `clock`
TIME, STEP, ERROR = range(3)  # now; length of the next step; size of the last accepted error
END, SIZE, NEAREST = range(3, 6)  # of the last attempt: its end, its error if the method knows it, smallest remainder it met
LIMIT, TYPICAL, PASSED = range(6, 9)  # of the next step; largest remainder of the run; when a singular configuration was
# entries of `counts`; NEXT : which of the scheduled times comes next, FILLED : how many samples there are
STEPS, REJECTED, EVALUATIONS, RANK, NEXT, FRESH, FILLED = range(7)
COUNTS = 7
# entries of `settings`; SPACING : least distance of samples that follow the motion, s
RTOL, ATOL, LARGEST, SMALLEST, SPACING = range(5)
# entries of `choices`
METHOD, PROJECT, BUDGET, STOP_SINGULAR = range(4)
# methods
FIXED, ADAPTIVE, IMPLICIT, VARIATIONAL, GAUSS = range(5)
STAGES = 8
# rows of `peaks`: the largest value of each column of q, v, a, tau and reactions, when, the smallest, and when
MOST, MOST_AT, LEAST, LEAST_AT = range(4)
PEAKED = ("q", "v", "a", "tau", "reactions")
# columns of energy and residual
KINETIC_ENERGY, POTENTIAL_ENERGY, ELASTIC_ENERGY = range(3)
VELOCITY_RESIDUAL, POSITION_RESIDUAL = range(2)


class State(Record):
    """State at the start of a step (q, v, done), the attempt from there, and counters.

    done : work done by source since the start, and the length of the path of the base
    y : chart coordinates about q, then v, then `done`; k : their rates at the stages of a step
    peaks : extreme values at the ends of all steps and in all samples
    q_end, v_end : the end of an attempt
    g, g_end : values of the event functions at start and end (g_middle, g_try: between them); met : which crossed zero
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
    g_middle: Floats
    g_try: Floats
    directions: Ints
    met: Ints
    jacobian: Matrix
    factors: Matrix
    pivots: Ints
    shift: Floats
    momentum: Floats
    coriolis: Matrix
    peaks: Matrix


class Samples(Record):
    """Room for samples: one row each. schedule : times at which there must be one; there may be others."""

    schedule: Floats
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
    rows, size = len(plan.holonomic), 2 * nv + INTEGRALS
    total = events + plan.unilateral
    wide, tall = {IMPLICIT: 2 * nv, GAUSS: nv}.get(method, 0), nv if method == VARIATIONAL else 0
    return State(
        clock=np.zeros(9), counts=np.zeros(COUNTS, np.int64), settings=np.zeros(5), choices=np.zeros(4, np.int64),
        q=np.zeros(nq), v=np.zeros(nv), done=np.zeros(INTEGRALS),
        y=np.zeros(size), y_end=np.zeros(size), y_try=np.zeros(size), k=np.zeros((STAGES, size)),
        q_try=np.zeros(nq), v_try=np.zeros(nv), q_end=np.zeros(nq), v_end=np.zeros(nv),
        a=np.zeros(nv), lam=np.zeros(rows), scratch_q=np.zeros(nq), scratch_v=np.zeros(nv),
        scratch_work=np.zeros(INTEGRALS), energy=np.zeros(2),
        g=np.zeros(total), g_end=np.zeros(total), g_middle=np.zeros(total), g_try=np.zeros(total),
        directions=np.zeros(total, np.int64), met=np.zeros(total, np.int64),
        jacobian=np.zeros((wide, wide)), factors=np.zeros((wide, wide)), pivots=np.zeros(wide, np.int64),
        shift=np.zeros(2 * nv), momentum=np.zeros(nv), coriolis=np.zeros((tall, tall)),
        peaks=np.tile([[-np.inf], [np.nan], [np.inf], [np.nan]], nq + 3 * nv + rows),
    )  # fmt: skip


def samples_of(plan: Plan, schedule: np.ndarray, count: int, earlier: Samples | None = None) -> Samples:
    """Room for so many samples; those that were there already are copied."""
    nq, nv = (int(n) for n in plan.topology[-1, 2:4])
    rows = len(plan.holonomic)
    sizes = {"q": nq, "v": nv, "a": nv, "tau": nv, "reactions": rows, "energy": 3, "work": len(SOURCES), "residual": 2}
    arrays = {name: np.full((count, size), np.nan) for name, size in sizes.items()}
    samples = Samples(schedule=schedule, t=np.full(count, np.nan), rank=np.zeros(count, np.int64), **arrays)
    if earlier is not None:
        for name in (*sizes, "t", "rank"):
            kept = getattr(earlier, name)
            getattr(samples, name)[: len(kept)] = kept
    return samples
