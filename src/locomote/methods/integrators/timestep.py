"""Steps over hard contact with Coulomb friction: the room and the record of the method, and what it does from step to step.

`timestep/` has the steps (equations in `timestep.attempt`). They evaluate nothing before they start, and their results are
means over a step: so are accelerations, reactions and torques of drives in samples.
"""

from math import sqrt
from typing import Annotated, Any

import numpy as np
from numba import float64, int64

from locomote.compiler.indirect import call_compiled
from locomote.compiler.records import Floats, Ints, Matrix, Table, record_type
from locomote.compiler.scratch_layout import NQ, NV, Size
from locomote.compiler.source import helper, kernel, routine
from locomote.contact import islands, proximal
from locomote.contact import spots as col
from locomote.contact.sweep_columns import NEAR
from locomote.evaluation import flexible_calls
from locomote.evaluation.evaluate import find_rows
from locomote.evaluation.plan import ASSEMBLE, ATTEMPT, DAMPING, LEFT, REMAINDER, REST_SPEED, SETTLE, SWEEP, TURN, Plan
from locomote.kernels.common_frame import AXES
from locomote.kernels.contact_sweep import DOFS, EXTRA, ROWS
from locomote.kernels.coupled_joints import COUPLED, GROUPS, PUSH, PUSHES, RATIO, SINGLE
from locomote.linear.six_blocks import EIGHT
from locomote.methods import state as at
from locomote.methods import stepping as ends
from locomote.methods.entries import PLAN, WORK, mass_one
from locomote.methods.method import (
    COMPUTED,
    CONSTRAINTS,
    CONTACTS,
    FLEXIBLE,
    SUDDEN,
    Method,
    Situation,
    attempt_types,
    turn_types,
)
from locomote.methods.state import HELD_ROWS, INTEGRALS, TOUCH, TOUCHING, State
from locomote.methods.stepping import INCOMPATIBLE_SPEED, residuals
from locomote.methods.timestep.attempt import timestep_attempt
from locomote.methods.timestep.coupled import couplings_off, groups_of
from locomote.methods.timestep.live import COUNT, KNOWN, LIVE, WHOLE, forget_live
from locomote.methods.timestep.pace import fast_for, keep_guess, take_guess
from locomote.methods.timestep.settle import settle_contacts
from locomote.methods.timestep.sweep import sweep_one
from locomote.model.columns import PARENT, V_COUNT, V

MOST = Size("most")  # rows of contacts, moments of friction and stops; and three spare ones
SQUARE = Size("square")  # as many of them as the matrix of all with all is made for
TREES, PILED = Size("trees"), Size("piled")  # trees of bodies; rows of an island, where there may be several
WIDE = Size("wide")  # coordinates of an island, with room between free bodies
FULL = Size("full")  # coordinates, and what makes rows of one tree vectors (`linear.six_blocks`)
ALONE = Size("alone")  # coordinates of one tree of rigid bodies
AHEAD = Size("ahead")  # rows of where a step ends: as many as of contacts, or none
BODIES, HELD = Size("bodies"), Size("held")  # rows of the packed model; coordinates that are held
PAIRS = Size("pairs")  # couplings of two joints
BALANCE_ALLOWED, BALANCE_RATE = 1e-2, 3.0  # power balance, of the energy that a run moves about: at most; times the step, 1/s


class TimestepState(State):
    """A state with the loads of contacts, and what the solver of contacts works in."""

    # from step to step
    touch: Annotated[Matrix, TOUCHING, TOUCH, "what touches at the start of a step, by `keep_loads`"]
    solver: Annotated[Floats, at.SOLVER, "residuals of the contact law, by entries of `state`"]
    stored: Annotated[Matrix, 2, 1 + INTEGRALS, "times, and energies of force terms then (`timestep.work`)"]
    step_a: Annotated[Floats, NV, "mean accelerations of the last step, by the attempt"]
    step_a_before: Annotated[Floats, NV, "those of the step before, by `keep_guess`"]
    step_lam: Annotated[Floats, HELD_ROWS, "mean reactions, by the attempt"]
    step_tau: Annotated[Floats, NV, "mean torques of drives, by the attempt"]
    typical: Annotated[Floats, NV, "inertia of each coordinate with all others at zero, by `set_up_timestep`"]
    fast: Annotated[Floats, 1, "what counts as fast (`timestep.pace`), by `set_up_timestep`"]
    sweeping: Annotated[Ints, 1, "whether sweeps are tried first"]
    # the middle of a step
    q_middle: Annotated[Floats, NQ, "configuration of (1), by the attempt"]
    v_middle: Annotated[Floats, NV, "velocity there, by the attempt"]
    v_star: Annotated[Floats, NV, "mean velocity of (2), by the attempt"]
    known: Annotated[Ints, NV, "whether the velocity at the end is known: of drives and computed torques, by `ask_rates`"]
    v_held: Annotated[Floats, NV, "these velocities, by the attempt"]
    held_a: Annotated[Floats, NV, "their mean accelerations, by the attempt"]
    held_rows: Annotated[Matrix, HELD, NV, "rows of M of coordinates that are held, by `damp`"]
    diagonal: Annotated[Floats, NV, "D of (2), by `resist`"]
    momentum: Annotated[Floats, NV, "scratch, free between calls"]
    shift: Annotated[Floats, 2 * NV, "scratch, free between calls"]
    # rows of constraints
    basis: Annotated[Matrix, HELD_ROWS + 1, NV, "orthonormal rows, by `hold_constraints`"]
    triangle: Annotated[Matrix, HELD_ROWS, HELD_ROWS + 1, "rows in that basis, by `hold_constraints`"]
    independent: Annotated[Ints, HELD_ROWS, "place of a row in the basis, -1 if it depends on others"]
    held: Annotated[Floats, HELD_ROWS + 1, "what constraints take, by `free_velocity`"]
    # rows of contacts
    placed: Annotated[Matrix, TOUCHING, col.PLACED, "where what may touch is (`contact.spots`), by `gather` and `sweep_one`"]
    row_of: Annotated[Ints, TOUCHING, "first row of a contact, -1 if it is far, by `gather`"]
    blocks: Annotated[Table, MOST, 3, "kind, first row and owner of each block (`contact.delassus`), by `gather`"]
    spans: Annotated[Table, MOST, 4, "coordinates that each block moves, by `set_spans`"]
    bounds: Annotated[Floats, MOST, "coefficient of friction of each block, by `gather`"]
    gaps: Annotated[Floats, MOST, "gap of each block, by `gather`; without what it opens by, by `lift`"]
    spot_of: Annotated[Ints, MOST, "the spot of a block of friction, by `add_point`"]
    slips: Annotated[Ints, MOST, "whether it has begun to slide in this step, by `rub_as_they_slide`"]
    drift: Annotated[Floats, MOST, "less the speed of a surface that moves along itself, by `rub`"]
    follows: Annotated[Ints, MOST, "whether a block has rows of its own at the end, by `add_point`"]
    turned: Annotated[Floats, MOST, "how much faster each row becomes in the half step to its end, by `add_point`"]
    pull: Annotated[Floats, MOST, "impulse by which each row can pull, by `add_point`"]
    hits: Annotated[Floats, MOST, "speed that a block rebounds with, by `gather`"]
    plain: Annotated[Ints, MOST, "whether that is by Newton's law, by `gather`"]
    whole_spans: Annotated[Table, MOST, 4, "the same where there is one tree: all of `rows`"]
    raw: Annotated[Matrix, MOST, NV, "rows J, by `gather`"]
    spanned: Annotated[Table, PILED, 8, "coordinates that these and those of `rows` may have, by `start_row` and `add_row`"]
    rows: Annotated[Matrix, MOST, FULL, "the same times L^-1, without what constraints take, by `add_row`"]
    taken: Annotated[Matrix, MOST, HELD_ROWS, "what these take, by `add_row`"]
    seen: Annotated[Matrix, AHEAD, NV, "rows J where the step ends, by `put_end_rows`"]
    felt: Annotated[Matrix, AHEAD, FULL, "the same times L^-1"]
    over: Annotated[Matrix, ALONE, FULL, "d^-1/2 L^-T of each coordinate, by `lean`"]
    end_axes: Annotated[Matrix, AXES, NV, "motion axes of joints there, by `turn_on`"]
    end_twists: Annotated[Matrix, BODIES, 6, "twists of bodies at the origin of the world, by `turn_on`"]
    v_ahead: Annotated[Floats, NV, "velocity at the end that these are for, by the attempt"]
    before: Annotated[Floats, MOST, "speed along each row at the start, by `gather`"]
    offset: Annotated[Floats, MOST, "e of (4), by `gather`"]
    soft: Annotated[Floats, MOST, "compliance of each row, by `give_way`"]
    free_speed: Annotated[Floats, MOST, "speed without impulses, by `impulses_for`"]
    impulse: Annotated[Floats, MOST, "impulses, by the kernel at SETTLE"]
    groups: Annotated[Ints, NV, "which coordinates hits couple, by `ask_hits`"]
    rebounds: Annotated[Matrix, 8, NV, "energy of hits by group (`timestep.hits`)"]
    # the solver of contacts
    delassus: Annotated[Matrix, SQUARE, SQUARE, "Delassus matrix, by `feel_each_other`"]
    dense: Annotated[Matrix, SQUARE, SQUARE, "a matrix of Newton's method"]
    tangent: Annotated[Matrix, WIDE, WIDE, "the same for velocities"]
    room: Annotated[Matrix, proximal.ROOM, MOST, "scratch of `contact.proximal`"]
    vectors: Annotated[Matrix, proximal.VECTORS, WIDE, "likewise"]
    own: Annotated[Matrix, MOST, 6, "W of each block by itself, by `own_blocks`"]
    way: Annotated[Matrix, MOST, 3, "how each block is (`contact.alart_curnier`)"]
    best: Annotated[Floats, 3, "scratch of `contact.proximal`"]
    modes: Annotated[Ints, MOST, "scratch of `contact.softening`"]
    diagonals: Annotated[Floats, MOST, "likewise"]
    good: Annotated[Floats, MOST, "likewise"]
    shifted: Annotated[Floats, MOST, "likewise"]
    guess: Annotated[Floats, MOST, "impulses to begin with, by `settled`"]
    trial: Annotated[Floats, MOST, "scratch of `contact.softening`"]
    spare: Annotated[Floats, MOST, "scratch, free between calls"]
    kept: Annotated[Floats, MOST, "the best impulses so far, by `settled`"]
    # trees of bodies that touch each other (`contact.islands`)
    paths: Annotated[Table, BODIES, 4, "of a body: first and last coordinate that move it, first and last of these bodies"]
    body_of: Annotated[Ints, NV, "the body of a coordinate"]
    tree_at: Annotated[Ints, NV, "the tree of a coordinate"]
    tree_starts: Annotated[Ints, TREES + 1, "first coordinate of a tree"]
    trees: Annotated[Table, islands.TREE_ROWS, TREES, "islands and order of trees, by `arrange`"]
    speeds: Annotated[Floats, TREES, "how fast a tree is, by `find_speeds`"]
    spins: Annotated[Floats, TREES, "likewise"]
    links: Annotated[Table, TREES, TREES, "which of them feel each other, in that order, by `arrange`"]
    island_blocks: Annotated[Table, PILED, 3, "blocks of one island, by `take_island`"]
    island_spans: Annotated[Table, PILED, 4, "likewise"]
    island_rows: Annotated[Matrix, PILED, WIDE, "likewise"]
    island_numbers: Annotated[Matrix, islands.NUMBERS, PILED, "likewise"]
    island_starts: Annotated[Ints, TREES + 1, "likewise"]
    island_links: Annotated[Table, TREES, TREES, "likewise"]
    # sweeps over bodies (`timestep.sweep`)
    near: Annotated[Matrix, TOUCHING, NEAR, "what is known of a contact (`contact.sweep_columns`)"]
    live: Annotated[Ints, TOUCHING + LIVE, "contacts that are looked at (`timestep.live`)"]
    away: Annotated[Ints, TOUCHING, "whether a contact is of a touch that is far, by the sweep"]
    sweep: Annotated[Matrix, BODIES, ROWS, "articulated bodies, by `kernels.contact_sweep`"]
    extra: Annotated[Matrix, BODIES, EXTRA, "what contacts add to them"]
    loaded: Annotated[Ints, BODIES, "whether they add anything"]
    dofs: Annotated[Matrix, NV, DOFS, "coordinates, by `kernels.contact_sweep`"]
    gain: Annotated[Floats, NV, "accelerations, by `kernels.contact_sweep`"]
    # joints that move together (`timestep.coupled`)
    member: Annotated[Table, COUPLED, 2, "of `kernels.coupled_joints`"]
    group: Annotated[Table, GROUPS, 2, "likewise"]
    geared: Annotated[Matrix, COUPLED, PUSHES + SINGLE, "likewise"]
    grouped: Annotated[Matrix, GROUPS, PUSH + 1, "likewise"]
    couplings: Annotated[Table, PAIRS, 3, "follower, leader and row of each coupling"]
    coupling_numbers: Annotated[Matrix, PAIRS, 3, "its two numbers, and their sum"]


@kernel
def turn_timestep(plan, work, state, turn):
    """The turn from step to step; at the start of one the rank."""
    if turn == ends.STARTS:
        keep_guess(state)
        return begin_timestep(plan, work, state)
    if turn == ends.AGAIN:
        take_guess(state)
    elif turn == ends.ENDS:
        keep_loads(state)
    else:
        show_means(plan, work, state)
    return 0


@routine
def begin_timestep(plan, work, state):
    """Start a step that evaluates nothing before it: constraints are met again if they are not."""
    t, q, v, rank = state.clock[at.TIME], state.q, state.v, 0
    work.result[REMAINDER] = state.clock[at.TYPICAL] = 1.0
    for k in range(v.shape[0]):
        state.a[k] = state.step_a[k]
    for r in range(state.lam.shape[0]):
        state.lam[r] = state.step_lam[r]
    off, slow = couplings_off(state, plan, q, v)
    near = state.couplings.shape[0] > 0 and max(off, slow) <= ends.TOLERATED
    if state.lam.shape[0] > 0 and state.choices[at.PROJECT] != 0 and not near:
        find_rows(plan, work, t, q, v, work.zero)
        speed, error = residuals(plan, work, v)
        if max(speed, error) > ends.TOLERATED:
            call_compiled(plan.calls[ASSEMBLE], (plan, work, t, q, v, state.scratch_v, state.scratch_q, state.shift))
            if work.result[REST_SPEED] > INCOMPATIBLE_SPEED or work.result[LEFT] > INCOMPATIBLE_SPEED:
                rank = ends.MISFIT
    return rank


@helper
def few_changed(state):
    """Whether the step was a sweep that left all but its live contacts as they were."""
    return state.live[COUNT] >= 0 and state.live[WHOLE] == 0


@routine
def compare_loads(state):
    """Loads of this step beside those of the three before: how much of them goes forth and back."""
    same, turn, size, before, now = True, 0.0, 0.0, 0.0, 0.0
    few = few_changed(state)
    for n in range(state.live[COUNT] if few else state.touch.shape[0]):
        c = state.live[LIVE + n] if few else n
        same = same and (state.touch[c, at.STUCK] == 0.0) == (state.touch_end[c, at.STUCK] == 0.0)
    for k in range(3):
        total = 0.0
        for n in range(state.live[COUNT] if few else state.touch.shape[0]):
            total += state.touch_end[state.live[LIVE + n] if few else n, at.FORCE + k]
        change = total - state.solver[at.TOGETHER + k]
        turn += change * state.solver[at.CHANGE + k]
        before, now, size = before + state.solver[at.CHANGE + k] ** 2, now + change * change, size + total * total
        state.solver[at.TOGETHER + k], state.solver[at.CHANGE + k] = total, change
    state.solver[at.QUIET] = state.solver[at.QUIET] + 1.0 if same else 0.0
    back = sqrt(min(before, now)) if turn < 0.0 else 0.0
    if state.solver[at.QUIET] > at.STEADY and size > 0.0:
        state.solver[at.LOADED] += sqrt(size)
        state.solver[at.SWUNG] += min(back, state.solver[at.BACK])  # twice in a row: a hit goes back once
    state.solver[at.BACK] = back


@routine
def keep_loads(state):
    """Keep what the next step needs of the one just accepted, and its residual of the contact law."""
    left = state.solver[at.LEFT_OVER]
    state.solver[at.WORST] = max(state.solver[at.WORST], left)
    state.solver[at.UNSOLVED] += 1.0 if not left <= at.MET else 0.0
    compare_loads(state)
    few = few_changed(state)
    for n in range(state.live[COUNT] if few else state.touch.shape[0]):
        c = state.live[LIVE + n] if few else n
        for k in range(state.touch.shape[1]):
            state.touch[c, k] = state.touch_end[c, k]
    state.live[KNOWN] = 1 if state.live[COUNT] >= 0 else -1
    for k in range(state.stored.shape[1]):
        state.stored[0, k] = state.stored[1, k]


@routine
def show_means(plan, work, state):
    """What a sample shows: means of the step, where those of the state alone know nothing of contacts."""
    for k in range(state.v.shape[0]):
        if plan.imposed[k] == 0:
            state.a[k] = state.step_a[k]
            work.active[k] = state.step_tau[k] if plan.led[k] != 0 else work.active[k]
        else:
            work.tau[k] = state.step_tau[k]
    for r in range(state.lam.shape[0]):
        state.lam[r] = state.step_lam[r]


def sizes(plan: Plan) -> dict[str, int]:
    """Sizes of a plan."""
    moments = bool((plan.spot_laws[:, [col.ROLLING, col.TORSION]] > 0).any())
    most = (6 if moments else 3) * len(plan.spots) + 3 + len(plan.stops)
    trees, nv, groups = tree_count(plan), int(plan.topology[-1, V]), groups_of(plan)
    whole = trees <= islands.WHOLE
    full, rigid = -(-nv // EIGHT) * EIGHT if whole else nv, whole and not len(plan.rods)
    return {
        "most": most, "square": min(most, at.MOST_ROWS), "bodies": len(plan.topology), "held": int((plan.led != 0).sum()),
        "ahead": most if rigid else 0, "alone": nv if rigid else 0, "trees": trees, "piled": 0 if whole else most,
        "full": full, "wide": max(full, 0 if whole else EIGHT * trees),
        "coupled": 0 if groups is None else len(plan.topology), "groups": 0 if groups is None else len(groups.group),
        "pairs": 0 if groups is None else len(groups.rows),
    }  # fmt: skip


def tree_count(plan: Plan) -> int:
    """How many trees of bodies hang on the world; one if rows may reach beyond those of their bodies."""
    world = len(plan.topology) - 1
    coupled = len(plan.holonomic) or len(plan.rods)
    return 1 if coupled else max(1, int((plan.topology[:-1, PARENT] == world).sum()))


def fill_paths(state: TimestepState, plan: Plan) -> None:
    """Which coordinates move each body, and which tree they belong to."""
    world, nv = len(plan.topology) - 1, len(state.v)
    whole, tree, root = tree_count(plan) == 1, -1, 0
    for i, row in enumerate(plan.topology[:-1]):
        if row[PARENT] == world:
            root = i
            if tree < 0 or not whole:
                tree += 1
                state.tree_starts[tree] = row[V]
        own = slice(row[V], row[V] + row[V_COUNT])
        state.body_of[own], state.tree_at[own] = i, tree
        state.paths[i] = (0, nv, 0, world - 1) if whole else (plan.topology[root, V], own.stop, root, i)
    state.tree_starts[-1], state.whole_spans[:, 1] = nv, state.rows.shape[1]


def can_sweep(plan: Plan) -> int:
    """Whether `timestep.sweep` can step over contacts of a plan: on the hard world, without moments of friction, and nothing
    but a tree of rigid bodies moves, by forces alone and couplings of two joints."""
    laws, world = plan.spot_laws, len(plan.topology) - 1
    plain = (
        not (laws[:, [col.ROLLING, col.TORSION, col.STIFFNESS, col.SHEAR, col.ADHESION]] > 0).any()
        and (plan.spots[:, col.OTHER] == world).all()
    )
    plain = (
        plain
        and (laws[:, col.STATIC] == laws[:, col.FRICTION]).all()
        and (laws[:, [col.ALONG_PART, col.ACROSS_PART]] == 1).all()
    )
    plain = plain and not (plan.led.any() or len(plan.rods))
    return int(plain and (not len(plan.holonomic) or groups_of(plan) is not None))


def fill(state: TimestepState, plan: Plan) -> None:
    """Whether there are sweeps; energies are not known yet."""
    state.sweeping[0], state.stored[:, 0] = can_sweep(plan), -1e300
    fill_paths(state, plan)
    forget_live(state)
    if (groups := groups_of(plan)) is not None:
        state.member[:], state.group[:], state.geared[:, RATIO] = groups.member, groups.group, groups.ratios
        state.couplings[:], state.coupling_numbers[:] = groups.rows, groups.numbers


def idle(plan: Plan) -> tuple[int, ...]:
    """Some plans have no sweeps."""
    return () if can_sweep(plan) else (SWEEP,)


def set_up(plan: Plan, work: Any, state: TimestepState, terms: Any = ()) -> None:
    """Inertia of each coordinate with all others at zero, and what counts as fast."""
    q = np.zeros(len(state.q))
    q[plan.quaternions + 3] = 1.0
    (flexible_calls.mass_one if len(plan.rods) else mass_one)(plan, work, q)
    state.typical[:] = np.diag(work.M)
    state.fast[0] = fast_for(work.M, plan.passive[DAMPING])


def tracked(state: TimestepState) -> dict[str, np.ndarray]:
    """Residual of the contact law, and how loads swung."""
    return {
        "contact_law": state.solver[[at.UNSOLVED, at.WORST]],
        "contact_loads": state.solver[[at.SWUNG, at.LOADED]],
    }


def balance(info: Any) -> float:
    """The power balance of steps of first order."""
    return min(BALANCE_ALLOWED, BALANCE_RATE * float(info.get("step") or np.inf))


def suits(situation: Situation) -> str | None:
    """Contacts with friction."""
    return "there are contacts with friction" if situation.contacts else None


TIMESTEP = Method(
    "timestep", "velocities that jump, fixed steps, for hard contacts with friction", order=1, impulsive=True,
    takes=frozenset((CONSTRAINTS, FLEXIBLE, CONTACTS, COMPUTED, SUDDEN)), suits=suits, state=TimestepState,
    sizes=sizes, fill=fill,
    kept=("touch", "solver", "step_a", "step_lam", "step_tau", "stored"), tracked=tracked, idle=idle, with_mass=True,
    resumed=forget_live,
    kernels={
        SWEEP: (sweep_one, (PLAN, WORK, record_type(TimestepState), float64, int64)),
        SETTLE: (settle_contacts, (record_type(TimestepState), *[int64] * 3)),
        ATTEMPT: (timestep_attempt, attempt_types(TimestepState)),
        TURN: (turn_timestep, turn_types(TimestepState)),
    },
    set_up=set_up, balance=balance,
)  # fmt: skip
