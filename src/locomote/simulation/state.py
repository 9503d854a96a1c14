"""Where a run is (State) and what it leaves behind (Samples), as records for compiled code."""

from functools import cache

import numpy as np

from locomote.engine.lanes import WIDTH
from locomote.engine.records import Floats, Ints, Matrix, Record, Table
from locomote.engine.source import helper
from locomote.engine.trigonometry import padded
from locomote.environment.kinds import PLACE
from locomote.ground.near import NEAR
from locomote.ground.spots import OTHER, PLACED, ROLLING, SHEAR, STIFFNESS, TORSION
from locomote.kernels.contact_sweep import DOFS, EXTRA, ROWS
from locomote.simulation.collocation_rules import gauss, radau
from locomote.simulation.plan import CREEPING, SOURCES, Plan

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
FIXED, ADAPTIVE, IMPLICIT, VARIATIONAL, TIMESTEP, GAUSS, ROSENBROCK, RADAU, GAUSS4 = range(9)
RULES = {GAUSS: (gauss, 3), GAUSS4: (gauss, 2), RADAU: (radau, 3)}  # of collocation: which points, and how many
STAGES = 8
# rows of `peaks`: the largest value of each column of q, v, a, tau and reactions, when, the smallest, and when
MOST, MOST_AT, LEAST, LEAST_AT = range(4)
PEAKED = ("q", "v", "a", "tau", "reactions")
# columns of energy and residual
KINETIC_ENERGY, POTENTIAL_ENERGY, ELASTIC_ENERGY = range(3)
VELOCITY_RESIDUAL, POSITION_RESIDUAL = range(2)
# columns of `touch`: force on the body and point that it acts at, in the world; speed along the normal before the step
# STUCK : how it was, open, sticking or sliding (`ground.near`) ; STRETCH : of a spring along the ground, in the world
FORCE, FORCE_POINT, SPEED_OF_ARRIVAL, STUCK, STRETCH = 0, 3, 6, 7, 8
TOUCH = 11
# entries of `solver`: what the last attempt left of the law, m/s; how many steps left more than MET, and the most of all
LEFT_OVER, UNSOLVED, WORST = range(3)
MET = 1e-8  # m/s


class State(Record):
    """State at the start of a step (q, v, done), the attempt from there, and counters.

    done : work done by source since the start, the length of the path of the base, work done by term
    y : chart coordinates about q, then v, then `done`; k : their rates at the stages of a step
    peaks : extreme values at the ends of all steps and in all samples
    q_end, v_end : the end of an attempt
    ticks, given, given_before : of controllers: how often they were called, what they gave last and before that
    copy_* : of feed-forward (`fed_steps`): the copy at the start of a step, its rates at the stages, where it is told to be
    near, sweep, extra, loaded, dofs, gain : of `timestep_sweep`; typical : (nv,) inertia of each coordinate
    stages, pace : of collocation: accelerations at the stages of the last step, its length, how iterations went
    rule : (see `collocation_rules`) ; start_mass, order, reflections, turned, left : what it keeps of the start of a step
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
    step_lam: Floats
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
def rule_of(method: int) -> tuple[np.ndarray, int]:
    """The table of a method that collocates, and how many stages it has; nothing, and none, of others."""
    if method not in RULES:
        return np.zeros((0, 0)), 0
    make, stages = RULES[method]
    return make(stages), stages


@helper
def collocates(state):
    """Whether steps are by collocation."""
    return state.stages.shape[0] > 0


def state_of(plan: Plan, events: int = 0, method: int = ADAPTIVE) -> State:
    """A state for a plan with so many event functions of the user; implicit methods have matrices to keep."""
    nq, nv = (int(n) for n in plan.topology[-1, 2:4])
    rows, size = len(plan.holonomic), 2 * nv + plan.integrals
    total, clocks = events + plan.unilateral, len(plan.clocks)
    unknown = nv if plan.options[CREEPING] != 0.0 else 2 * nv  # velocities follow where there is no inertia
    rule, stages = rule_of(method)
    wide, tall = {IMPLICIT: unknown, ROSENBROCK: nv}.get(method, nv if stages else 0), nv if method == VARIATIONAL else 0
    steps, places = method == TIMESTEP, len(plan.place_bodies) if method == ROSENBROCK else 0
    fed = int(len(plan.fed) > 0)
    stiff, own = nv if method == ROSENBROCK else 0, int(stages > 0)
    bodies = len(plan.topology) if steps else 0
    free, columns = len(plan.free) * own, padded(wide) if own else wide
    lanes = WIDTH if own and len(plan.rods) else 0
    touching, n = len(plan.spots) if steps else 0, nv if steps else 0
    moments = bool((plan.spot_laws[:, [ROLLING, TORSION]] > 0).any())
    most = (6 if moments else 3) * touching + 3 + (len(plan.stops) if steps else 0)
    return State(
        clock=np.zeros(9), counts=np.zeros(COUNTS, np.int64), settings=np.zeros(5), choices=np.zeros(4, np.int64),
        q=np.zeros(nq), v=np.zeros(nv), done=np.zeros(plan.integrals),
        y=np.zeros(size), y_end=np.zeros(size), y_try=np.zeros(size), k=np.zeros((STAGES, size)),
        q_try=np.zeros(nq), v_try=np.zeros(nv), q_end=np.zeros(nq), v_end=np.zeros(nv),
        a=np.zeros(nv), lam=np.zeros(rows), scratch_q=np.zeros(nq), scratch_v=np.zeros(nv),
        scratch_work=np.zeros(plan.integrals), energy=np.zeros(2),
        g=np.zeros(total), g_end=np.zeros(total), g_middle=np.zeros(total), g_try=np.zeros(total),
        directions=np.zeros(total, np.int64), met=np.zeros(total, np.int64),
        jacobian=np.zeros((wide, columns)), factors=np.zeros((wide, columns)), pivots=np.zeros(wide, np.int64),
        chosen=np.zeros(nv, np.int64), place_blocks=np.zeros((places, 36)), place_loads=np.zeros((places, 6)),
        place_kept=np.zeros((places, PLACE)), place_rows=np.zeros((6 * places, nv)), place_column=np.zeros(6),
        pattern=np.zeros(places, np.int64), pattern_seen=np.zeros(places, np.int64),
        stiff_M=np.zeros((stiff, stiff)), stiff_D=np.zeros((stiff, stiff)), stiff_K=np.zeros((stiff, stiff)),
        forcing=np.zeros(nv), chart=np.zeros((stiff, stiff)), moved=np.zeros(nv), linear=np.full(3, -1.0),
        copy_q=np.zeros(nq * fed), copy_v=np.zeros(nv * fed), copy_a=np.zeros(nv * fed), copy_u=np.zeros(2 * nv * fed),
        copy_k=np.zeros((3 * fed, 2 * nv)), copy_told=np.zeros((2 * fed, len(plan.follow_rows))),
        copy_factors=np.zeros((nv * fed, nv)), copy_pivots=np.zeros(nv * fed, np.int64),
        copy_chosen=np.zeros(nv * fed, np.int64),
        shift=np.zeros(2 * nv), momentum=np.zeros(nv), coriolis=np.zeros((tall, tall)),
        ticks=np.zeros(clocks, np.int64), given=np.zeros((clocks, nv)), given_before=np.zeros((clocks, nv)),
        peaks=np.tile([[-np.inf], [np.nan], [np.inf], [np.nan]], nq + 3 * nv + rows),
        touch=np.zeros((touching, TOUCH)), touch_end=np.zeros((touching, TOUCH)), solver=np.zeros(3 if steps else 0),
        placed=np.zeros((touching, PLACED)), row_of=np.zeros(touching, np.int64), blocks=np.zeros((most, 3), np.int64),
        bounds=np.zeros(most), gaps=np.zeros(most), raw=np.zeros((most, n)), rows=np.zeros((most, n)),
        taken=np.zeros((most, rows)),
        delassus=np.zeros((most, most)), dense=np.zeros((most, most)),
        before=np.zeros(most), offset=np.zeros(most), impulse=np.zeros(most), free_speed=np.zeros(most),
        spare=np.zeros(most), kept=np.zeros(most), basis=np.zeros((rows + 1, n)), triangle=np.zeros((rows, rows + 1)),
        independent=np.zeros(rows, np.int64), held=np.zeros(rows + 1), held_rows=np.zeros((len(plan.held), n)),
        held_a=np.zeros(n), v_held=np.zeros(n), v_middle=np.zeros(n), v_star=np.zeros(n), q_middle=np.zeros(nq if steps else 0),
        diagonal=np.zeros(n), step_a=np.zeros(n), step_lam=np.zeros(rows),
        near=np.zeros((touching, NEAR)), sweep=np.zeros((bodies, ROWS)), extra=np.zeros((bodies, EXTRA)),
        loaded=np.zeros(bodies, np.int64), dofs=np.zeros((n, DOFS)), gain=np.zeros(n), typical=np.zeros(n),
        modes=np.zeros(most, np.int64), diagonals=np.zeros(most), good=np.zeros(most),
        shifted=np.zeros(most), guess=np.zeros(most), trial=np.zeros(most), soft=np.zeros(most),
        sweeping=np.array([can_sweep(plan) if steps else 0], np.int64),
        stages=np.zeros((stages, nv)), pace=np.array([0.0, 0.0, 0.5, 0.0, 0.0, 0.0])[: 6 * own],
        start_mass=np.zeros((nv * own, columns * own)),
        order=np.arange(nv), left=np.zeros(nv * own), rule=rule, real_factors=np.zeros((nv * (stages % 2), columns)),
        residuals=np.zeros((stages, nv)), changes=np.zeros((stages, nv)), bias=np.zeros((stages, nv)),
        acting=np.zeros((stages, nv)), stage_q=np.zeros((lanes, nq)), stage_v=np.zeros((lanes, nv)),
        stage_a=np.zeros((lanes, nv)), stage_wrenches=np.zeros((lanes, 6 * len(plan.topology))),
        reflections=np.zeros((min(rows, free), free)), turned=np.zeros((free if rows else 0, free)),
    )  # fmt: skip


def can_sweep(plan: Plan) -> int:
    """Whether `timestep_sweep` can step over contacts of a plan: on the hard world, without moments of friction, and nothing
    but a tree of rigid bodies moves, by forces alone."""
    laws, world = plan.spot_laws, len(plan.topology) - 1
    plain = not (laws[:, [ROLLING, TORSION, STIFFNESS, SHEAR]] > 0).any() and (plan.spots[:, OTHER] == world).all()
    return int(plain and not (len(plan.holonomic) or len(plan.held) or len(plan.rods)))


def samples_of(plan: Plan, schedule: np.ndarray, count: int, earlier: Samples | None = None) -> Samples:
    """Room for so many samples; those that were there already are copied."""
    nq, nv = (int(n) for n in plan.topology[-1, 2:4])
    rows = len(plan.holonomic)
    terms, places = len(plan.terms), len(plan.place_bodies)
    sizes = {
        "q": nq, "v": nv, "a": nv, "tau": nv, "reactions": rows, "energy": 3, "work": len(SOURCES), "residual": 2,
        "term_work": terms, "term_energy": terms, "loads": 6 * places, "contacts": 6 * len(plan.spots),
    }  # fmt: skip
    arrays = {name: np.full((count, size), np.nan) for name, size in sizes.items()}
    samples = Samples(schedule=schedule, t=np.full(count, np.nan), rank=np.zeros(count, np.int64), **arrays)
    if earlier is not None:
        for name in (*sizes, "t", "rank"):
            kept = getattr(earlier, name)
            getattr(samples, name)[: len(kept)] = kept
    return samples
