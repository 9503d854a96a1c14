"""Where a run is (State) and what it leaves behind (Samples), as records for compiled code.

A State has what all methods share. A method that keeps more declares it beside its kernels, as a class of its own with these
arrays first (`integrators/`): its kernels take that class, and all others, which know nothing of the rest, take `common`.
"""

from functools import lru_cache
from types import SimpleNamespace
from typing import Annotated

import numpy as np
from numba import config

from locomote.compiler.records import Floats, Ints, Layout, Matrix, Record
from locomote.compiler.scratch_layout import NQ, NV, Size, declared, shape_of
from locomote.evaluation.plan import Plan
from locomote.methods.recorded import widths

# entries of `clock`
TIME, STEP, ERROR = range(3)  # now; length of the next step; size of the last accepted error
END, SIZE, NEAREST = range(3, 6)  # last attempt: its end, its error if the method knows it, smallest remainder it met
LIMIT, TYPICAL, PASSED = range(6, 9)  # longest next step; largest remainder of the run; time of the last singular configuration
# long steps: how many must still end exactly at samples, after interpolation failed; the error by what the end misses
DOUBT, SIZE_AT_END = 9, 10
CLOCK = 11
# entries of `counts`; NEXT : which of the scheduled times comes next, FILLED : how many samples there are
STEPS, REJECTED, EVALUATIONS, RANK, NEXT, FRESH, FILLED = range(7)
COUNTS = 7
# entries of `settings`; SPACING : least distance of samples that follow the motion, s; REACH : part of the step that errors
# allow which a long step with samples within may have
RTOL, ATOL, LARGEST, SMALLEST, SPACING, REACH = range(6)
SETTINGS = 6
# entries of `choices`
PROJECT, BUDGET, STOP_SINGULAR = range(3)
CHOICES = 3
# entries of `traits` and `control`: those of the method (`method.Method`)
CHOOSES, DENSE, LONG, GROWS, IMPULSIVE = range(5)
POWER, MEASURE, RETREAT = range(3)
TRAITS, CONTROL = 5, 3
STAGES = 8
# rows of `peaks`: the largest value of each column of q, v, a, tau and reactions, when, the smallest, and when
MOST, MOST_AT, LEAST, LEAST_AT = range(4)
UNSEEN = np.array([[-np.inf], [np.nan], [np.inf], [np.nan]])  # before there is any
PEAKED = ("q", "v", "a", "tau", "reactions")
# columns of energy and residual
KINETIC_ENERGY, POTENTIAL_ENERGY, ELASTIC_ENERGY = range(3)
VELOCITY_RESIDUAL, POSITION_RESIDUAL = range(2)
# columns of `touch`: force on the body and point that it acts at, in the world; speed along the normal before the step
# STUCK : how it was, open, sticking or sliding (`contact.sweep_columns`) ; STRETCH : of a spring along the ground, in the world
# PAIR : which shapes of bodies have this slot (`contact.meeting`), their number and one
# MOMENT : that resists rolling and spinning, in the world
FORCE, FORCE_POINT, SPEED_OF_ARRIVAL, STUCK, STRETCH, PAIR, MOMENT = 0, 3, 6, 7, 8, 11, 12
TOUCH = 15
# entries of `solver`: residual of the contact law in the last attempt, m/s; number of steps with more than MET; largest of all
LEFT_OVER, UNSOLVED, WORST = range(3)
LIFTED = 3  # energy that the last attempt gave what it lifted
# force of all contacts together in the last step, its change, steps since one opened or closed; of the steps beyond STEADY
# since then: how much forces swung from step to step, and all forces together
TOGETHER, CHANGE, QUIET, SWUNG, LOADED = 4, 7, 10, 11, 12
BACK = 13  # how much of the last change went back in it, if it did
ABSORBED = 14  # energy that contacts took in the last attempt
RAISED = 15  # whether the last attempt lifted anything
BOUNCED = 16  # whether something hit and bounced in the last attempt
SOLVER, STEADY = 17, 4
MET = 1e-8  # m/s
FEW_ROWS = 36  # rows of contacts for which the Delassus matrix is formed at once
MOST_ROWS = 240  # rows of contacts up to which the Delassus matrix is formed
HELD_ROWS = Size("held_rows")  # rows of constraints
INTEGRALS, EVENTS, CLOCKS = Size("integrals"), Size("events"), Size("clocks")  # entries of `done`; event functions; controllers
TOUCHING = Size("touching")  # contacts of methods that step over them, none of others
TABLE, TABLE_WIDTH = Size("table"), Size("table_width")  # sizes of the tableau of an explicit method; zero for other methods
Y = 2 * NV + INTEGRALS


class State(Record):
    """State at the start of a step (q, v, done), the attempt from there, and counters."""

    clock: Annotated[Floats, CLOCK, "times and errors, by the entries above"]
    counts: Annotated[Ints, COUNTS, "what happened so far, by the entries above"]
    settings: Annotated[Floats, SETTINGS, "tolerances and lengths, by the caller"]
    choices: Annotated[Ints, CHOICES, "options, and how many steps may still be taken, by the caller"]
    traits: Annotated[Ints, TRAITS, "how the method steps, by `Method.state_for`"]
    control: Annotated[Floats, CONTROL, "how its steps follow errors, by `Method.state_for`"]
    # the start of a step
    q: Annotated[Floats, NQ, "configuration, by `commit`"]
    v: Annotated[Floats, NV, "velocity, by `commit`"]
    done: Annotated[Floats, INTEGRALS, "work by source since the start, length of the path of the base, work by term"]
    y: Annotated[Floats, Y, "chart coordinates about q, then v, then `done`, by `begin`"]
    # the attempt
    k: Annotated[Matrix, STAGES, Y, "rates of y: at the start in row 0 by `begin`, at stages by the attempt"]
    y_end: Annotated[Floats, Y, "y at the end, by the attempt"]
    q_end: Annotated[Floats, NQ, "configuration at the end, by `land`, or by a method that is impulsive"]
    v_end: Annotated[Floats, NV, "velocity at the end, by `land`"]
    touch_end: Annotated[Matrix, TOUCHING, TOUCH, "what touches at the end, by a method that steps over contacts"]
    y_try: Annotated[Floats, Y, "y of a stage or within the step"]
    q_try: Annotated[Floats, NQ, "configuration of a stage or within the step"]
    v_try: Annotated[Floats, NV, "velocity there"]
    a: Annotated[Floats, NV, "accelerations, by the last evaluation"]
    lam: Annotated[Floats, HELD_ROWS, "reactions, by the last evaluation"]
    tableau: Annotated[Matrix, TABLE, TABLE_WIDTH, "of an explicit method (`explicit.table`), by `Method.state_for`"]
    scratch_q: Annotated[Floats, NQ, "scratch, free between calls"]
    scratch_v: Annotated[Floats, NV, "likewise"]
    scratch_work: Annotated[Floats, INTEGRALS, "likewise"]
    energy: Annotated[Floats, 2, "scratch of kernels that give energies"]
    # events
    g: Annotated[Floats, EVENTS, "values of event functions at the start, by `commit`"]
    g_end: Annotated[Floats, EVENTS, "at the end, by `events`"]
    g_middle: Annotated[Floats, EVENTS, "in the middle, by `dip`"]
    g_try: Annotated[Floats, EVENTS, "elsewhere in the step, by `look_within`"]
    directions: Annotated[Ints, EVENTS, "in which they count, 0 for both, by the caller"]
    met: Annotated[Ints, EVENTS, "which crossed zero, by `shorten`"]
    # what is followed through all steps
    peaks: Annotated[Matrix, 4, NQ + 3 * NV + HELD_ROWS, "extreme values at ends of steps and in samples, by `track`"]
    ticks: Annotated[Ints, CLOCKS, "how often controllers were called, by `clocks`"]
    given: Annotated[Matrix, CLOCKS, NV, "what they gave last, by `clocks`"]
    given_before: Annotated[Matrix, CLOCKS, NV, "and before that, by `clocks`"]

    @property
    def common(self) -> "State":
        """The same state, without what its method adds: for kernels that all methods share."""
        if type(self) is State or config.DISABLE_JIT:  # type: ignore[attr-defined]
            return self
        if "_common" not in self.__dict__:
            shared = object.__new__(State)
            shared.__dict__.update(self.__dict__)
            self.__dict__["_common"] = shared
        return self.__dict__["_common"]


# arrays that the next step of any method starts from
KEPT = ("clock", "counts", "q", "v", "done", "g", "peaks", "ticks", "given", "given_before", "touch_end")


class Samples(Record):
    """Room for samples: one row each. schedule : times at which there must be one; there may be others.

    term_work, term_energy : of each force term ; loads : wrenches of terms at their places, force and moment in world axes
    """

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
    term_work: Matrix
    term_energy: Matrix
    loads: Matrix
    pairs: Matrix
    rank: Ints
    contacts: Matrix


@lru_cache(maxsize=256)
def layout_of(kind: type[State], sizes: tuple[tuple[str, int], ...]) -> Layout:
    """Where the arrays of a kind of state lie, for its sizes by name."""
    known = SimpleNamespace(**dict(sizes))
    return Layout(kind, {field.name: shape_of(field, known) for field in declared(kind)})


@lru_cache(maxsize=64)
def layout_of_samples(sizes: tuple[tuple[str, int], ...], scheduled: int, count: int) -> Layout:
    """Where the arrays of `count` samples lie, for these sizes."""
    matrices = {name: (count, size) for name, size in sizes}
    return Layout(Samples, {"schedule": scheduled, "t": count, "rank": count} | matrices)


def samples_of(plan: Plan, schedule: np.ndarray, count: int, earlier: Samples | None = None) -> Samples:
    """Room for a number of samples; earlier samples are copied."""
    sizes = widths(plan)
    samples = Samples.filled(layout_of_samples(sizes, len(schedule), count), np.nan)
    samples.schedule[:], samples.rank[:] = schedule, 0
    if earlier is not None:
        for name in (*dict(sizes), "t", "rank"):
            kept = getattr(earlier, name)
            getattr(samples, name)[: len(kept)] = kept
    return samples
