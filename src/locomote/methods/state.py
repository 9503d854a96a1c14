"""Where a run is (State) and what it leaves behind (Samples), as records for compiled code."""

from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from locomote.compiler.lanes import WIDTH
from locomote.compiler.records import Floats, Ints, Layout, Matrix, Record, Table
from locomote.compiler.source import helper
from locomote.compiler.trigonometry import padded
from locomote.contact.spots import OTHER, PLACED, ROLLING, SHEAR, STIFFNESS, TORSION
from locomote.contact.sweep_columns import NEAR
from locomote.evaluation.plan import CREEPING, Plan
from locomote.forces.kinds import PLACE
from locomote.kernels.contact_sweep import DOFS, EXTRA, ROWS
from locomote.methods.collocation.rules import FACTOR, FIRST_FACTOR, PACES, POWERS, between_of, gauss, radau
from locomote.methods.recorded import widths

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
FIXED, ADAPTIVE, IMPLICIT, VARIATIONAL, TIMESTEP, GAUSS, ROSENBROCK, RADAU, GAUSS4, GAUSS8 = range(10)
RULES = {
    GAUSS: (gauss, 3),
    GAUSS4: (gauss, 2),
    GAUSS8: (gauss, 4),
    RADAU: (radau, 3),
}  # of collocation: which points, and how many
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
FORCE, FORCE_POINT, SPEED_OF_ARRIVAL, STUCK, STRETCH = 0, 3, 6, 7, 8
TOUCH = 11
# entries of `solver`: what the last attempt left of the law, m/s; how many steps left more than MET, and the most of all
LEFT_OVER, UNSOLVED, WORST = range(3)
LIFTED = 3  # energy that the last attempt gave what it lifted
# force of all contacts together in the last step, its change, steps since one opened or closed; of the steps beyond STEADY
# since then: how much forces swung from step to step, and all forces together
TOGETHER, CHANGE, QUIET, SWUNG, LOADED = 4, 7, 10, 11, 12
BACK = 13  # how much of the last change went back in it, if it did
SOLVER, STEADY = 14, 4
MET = 1e-8  # m/s
MOST_ROWS = 240  # of contacts, up to which the matrix of all with all is made


class State(Record):
    """State at the start of a step (q, v, done), the attempt from there, and counters.

    done : work done by source since the start, the length of the path of the base, work done by term
    y : chart coordinates about q, then v, then `done`; k : their rates at the stages of a step
    peaks : extreme values at the ends of all steps and in all samples
    q_end, v_end : the end of an attempt
    ticks, given, given_before : of controllers: how often they were called, what they gave last and before that
    copy_* : of feed-forward (`fed_steps`): the copy at the start of a step, its rates at the stages, where it is told to be
    stored : of `timestep_work`
    near, sweep, extra, loaded, dofs, gain : of `timestep_sweep`; typical : (nv,) inertia of each coordinate
    stages, pace : of collocation: accelerations at the stages of the last step, its length, how iterations went
    rule, between : (see `collocation_rules`) ; ends : (see `collocation_between`)
    start_mass, order, reflections, turned, left : what it keeps of the start of a step
    real_factors : of its real matrix, if it has one ; residuals, changes : of accelerations at its stages
    bias, acting : forces there ; stage_* : the stages themselves, as rows for lanes
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
    chosen: Ints
    place_blocks: Matrix
    place_loads: Matrix
    place_kept: Matrix
    place_rows: Matrix
    place_column: Floats
    pattern: Ints
    pattern_seen: Ints
    stiff_M: Matrix
    stiff_D: Matrix
    stiff_K: Matrix
    forcing: Floats
    chart: Matrix
    moved: Floats
    linear: Floats
    copy_q: Floats
    copy_v: Floats
    copy_a: Floats
    copy_u: Floats
    copy_k: Matrix
    copy_told: Matrix
    copy_factors: Matrix
    copy_pivots: Ints
    copy_chosen: Ints
    momentum: Floats
    coriolis: Matrix
    peaks: Matrix
    ticks: Ints
    given: Matrix
    given_before: Matrix
    touch: Matrix
    touch_end: Matrix
    solver: Floats
    placed: Matrix
    row_of: Ints
    blocks: Table
    bounds: Floats
    gaps: Floats
    raw: Matrix
    rows: Matrix
    taken: Matrix
    delassus: Matrix
    dense: Matrix
    hits: Floats
    plain: Ints
    groups: Ints
    rebounds: Matrix
    room: Matrix
    vectors: Matrix
    tangent: Matrix
    before: Floats
    offset: Floats
    impulse: Floats
    free_speed: Floats
    spare: Floats
    kept: Floats
    basis: Matrix
    triangle: Matrix
    independent: Ints
    held: Floats
    held_rows: Matrix
    held_a: Floats
    v_held: Floats
    v_middle: Floats
    v_star: Floats
    q_middle: Floats
    diagonal: Floats
    step_a: Floats
    step_a_before: Floats
    fast: Floats
    step_lam: Floats
    step_tau: Floats
    stored: Matrix
    near: Matrix
    sweep: Matrix
    extra: Matrix
    loaded: Ints
    dofs: Matrix
    gain: Floats
    typical: Floats
    modes: Ints
    diagonals: Floats
    good: Floats
    shifted: Floats
    guess: Floats
    trial: Floats
    soft: Floats
    sweeping: Ints
    stages: Matrix
    pace: Floats
    start_mass: Matrix
    order: Ints
    left: Floats
    rule: Matrix
    between: Matrix
    ends: Matrix
    calm: Floats
    real_factors: Matrix
    residuals: Matrix
    changes: Matrix
    bias: Matrix
    acting: Matrix
    stage_q: Matrix
    stage_v: Matrix
    stage_a: Matrix
    stage_wrenches: Matrix
    reflections: Matrix
    turned: Matrix


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
    rank: Ints
    contacts: Matrix


@cache
def rule_of(method: int) -> tuple[np.ndarray, np.ndarray, int]:
    """The tables of a method that collocates, and how many stages it has; nothing, and none, of others."""
    if method not in RULES:
        return np.zeros((0, 0)), np.zeros((0, POWERS)), 0
    make, stages = RULES[method]
    return (rule := make(stages)), between_of(rule, stages), stages


@helper
def collocates(state):
    """Whether steps are by collocation."""
    return state.stages.shape[0] > 0


class StateSizes(NamedTuple):
    """What the shapes of a state follow from: sizes of a plan, and the method."""

    nq: int
    nv: int
    bodies: int
    rods: int
    rows: int
    held: int
    free: int
    integrals: int
    events: int
    clocks: int
    followed: int
    fed: int
    places: int
    spots: int
    stops: int
    moments: bool
    inertia: bool
    method: int


def sizes_of(plan: Plan, events: int, method: int) -> StateSizes:
    """Sizes of a plan with so many event functions of the user."""
    return StateSizes(
        nq=int(plan.topology[-1, 2]), nv=int(plan.topology[-1, 3]), bodies=len(plan.topology), rods=len(plan.rods),
        rows=len(plan.holonomic), held=len(plan.held), free=len(plan.free), integrals=plan.integrals,
        events=events + plan.unilateral + (0 if method == TIMESTEP else len(plan.stops)),
        clocks=len(plan.clocks), followed=len(plan.follow_rows), fed=int(len(plan.fed) > 0),
        places=len(plan.place_bodies), spots=len(plan.spots), stops=len(plan.stops),
        moments=bool((plan.spot_laws[:, [ROLLING, TORSION]] > 0).any()), inertia=plan.options[CREEPING] == 0.0, method=method,
    )  # fmt: skip


@cache
def layout_of(s: StateSizes) -> Layout:
    """Where the arrays of a state lie; methods have what they keep, and nothing of others."""
    nq, nv, rows, total, size, method = s.nq, s.nv, s.rows, s.events, 2 * s.nv + s.integrals, s.method
    unknown = 2 * nv if s.inertia else nv  # velocities follow where there is no inertia
    rule, between, stages = rule_of(method)
    wide, tall = {IMPLICIT: unknown, ROSENBROCK: nv}.get(method, nv if stages else 0), nv if method == VARIATIONAL else 0
    steps, places, fed = method == TIMESTEP, s.places if method == ROSENBROCK else 0, s.fed
    stiff, own = nv if method == ROSENBROCK else 0, int(stages > 0)
    bodies = s.bodies if steps else 0
    free, columns = s.free * own, padded(wide) if own else wide
    lanes, pairs = -(-stages // WIDTH) * WIDTH if s.rods else 0, max(stages // 2, 1)
    touching, n = s.spots if steps else 0, nv if steps else 0
    most = (6 if s.moments else 3) * touching + 3 + (s.stops if steps else 0)
    square = min(most, MOST_ROWS)
    return Layout(State, dict(
        clock=9, counts=COUNTS, settings=5, choices=4, q=nq, v=nv, done=s.integrals,
        y=size, y_end=size, y_try=size, k=(STAGES, size), q_try=nq, v_try=nv, q_end=nq, v_end=nv,
        a=nv, lam=rows, scratch_q=nq, scratch_v=nv, scratch_work=s.integrals, energy=2,
        g=total, g_end=total, g_middle=total, g_try=total, directions=total, met=total,
        jacobian=(wide * pairs, columns), factors=(wide * pairs, columns), pivots=wide,
        chosen=nv, place_blocks=(places, 36), place_loads=(places, 6), place_kept=(places, PLACE),
        place_rows=(6 * places, nv), place_column=6, pattern=places, pattern_seen=places,
        stiff_M=(stiff, stiff), stiff_D=(stiff, stiff), stiff_K=(stiff, stiff),
        forcing=nv, chart=(stiff, stiff), moved=nv, linear=3,
        copy_q=nq * fed, copy_v=nv * fed, copy_a=nv * fed, copy_u=2 * nv * fed,
        copy_k=(3 * fed, 2 * nv), copy_told=(2 * fed, s.followed),
        copy_factors=(nv * fed, nv), copy_pivots=nv * fed, copy_chosen=nv * fed,
        shift=2 * nv, momentum=nv, coriolis=(tall, tall), peaks=(4, nq + 3 * nv + rows),
        ticks=s.clocks, given=(s.clocks, nv), given_before=(s.clocks, nv),
        touch=(touching, TOUCH), touch_end=(touching, TOUCH), solver=SOLVER if steps else 0,
        placed=(touching, PLACED), row_of=touching, blocks=(most, 3),
        bounds=most, gaps=most, raw=(most, n), rows=(most, n), taken=(most, rows),
        delassus=(square, square), dense=(square, square),
        hits=most, plain=most, groups=n, rebounds=(8, n),
        room=(8 if steps else 0, most), vectors=(4 if steps else 0, n), tangent=(n, n),
        before=most, offset=most, impulse=most, free_speed=most,
        spare=most, kept=most, basis=(rows + 1, n), triangle=(rows, rows + 1),
        independent=rows, held=rows + 1, held_rows=(s.held, n),
        held_a=n, v_held=n, v_middle=n, v_star=n, q_middle=nq if steps else 0, diagonal=n, step_a=n, step_a_before=n, fast=1,
        step_lam=rows, step_tau=n, stored=(2 if steps else 0, 1 + s.integrals),
        near=(touching, NEAR), sweep=(bodies, ROWS), extra=(bodies, EXTRA), loaded=bodies, dofs=(n, DOFS), gain=n, typical=n,
        modes=most, diagonals=most, good=most, shifted=most, guess=most, trial=most, soft=most, sweeping=1,
        stages=(stages, nv), pace=PACES * own, start_mass=(nv * own, columns * own), order=nv, left=nv * own,
        rule=rule.shape, between=between.shape, ends=(4 * own, size), calm=columns * own,
        real_factors=(nv * (stages % 2), columns),
        residuals=(stages, nv), changes=(stages, nv), bias=(stages, nv), acting=(stages, nv),
        stage_q=(lanes, nq), stage_v=(lanes, nv), stage_a=(lanes, nv), stage_wrenches=(lanes, 6 * s.bodies),
        reflections=(min(rows, free), free), turned=(free if rows else 0, free),
    ))  # fmt: skip


def state_of(plan: Plan, events: int = 0, method: int = ADAPTIVE) -> State:
    """A state for a plan with so many event functions of the user; implicit methods have matrices to keep."""
    state = State.zeros(layout_of(sizes_of(plan, events, method)))
    state.peaks[:] = UNSEEN
    state.linear[:] = -1.0
    state.order[:] = np.arange(len(state.order))
    if method in RULES:
        state.rule[:], state.between[:], _ = rule_of(method)
        state.pace[FACTOR] = FIRST_FACTOR
    if method == TIMESTEP:
        state.sweeping[0], state.stored[:, 0] = can_sweep(plan), -1e300
    return state


def can_sweep(plan: Plan) -> int:
    """Whether `timestep_sweep` can step over contacts of a plan: on the hard world, without moments of friction, and nothing
    but a tree of rigid bodies moves, by forces alone."""
    laws, world = plan.spot_laws, len(plan.topology) - 1
    plain = not (laws[:, [ROLLING, TORSION, STIFFNESS, SHEAR]] > 0).any() and (plan.spots[:, OTHER] == world).all()
    return int(plain and not (len(plan.holonomic) or len(plan.held) or len(plan.rods)))


@lru_cache(maxsize=64)
def layout_of_samples(sizes: tuple[tuple[str, int], ...], scheduled: int, count: int) -> Layout:
    """Where the arrays of so many samples lie, with so many numbers in each."""
    matrices = {name: (count, size) for name, size in sizes}
    return Layout(Samples, {"schedule": scheduled, "t": count, "rank": count} | matrices)


def samples_of(plan: Plan, schedule: np.ndarray, count: int, earlier: Samples | None = None) -> Samples:
    """Room for so many samples; those that were there already are copied."""
    sizes = widths(plan)
    samples = Samples.filled(layout_of_samples(sizes, len(schedule), count), np.nan)
    samples.schedule[:], samples.rank[:] = schedule, 0
    if earlier is not None:
        for name in (*dict(sizes), "t", "rank"):
            kept = getattr(earlier, name)
            getattr(samples, name)[: len(kept)] = kept
    return samples
