"""Collocation at Gauss points and at Radau's, for bodies that are stiff: room and records (`collocation/` has the steps)."""

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any

import numpy as np
from numba import config, int64

from locomote.compiler.lanes import WIDTH
from locomote.compiler.records import Floats, Ints, Matrix
from locomote.compiler.scratch_layout import NQ, NV, Size
from locomote.compiler.trigonometry import padded
from locomote.dynamics import flexible
from locomote.evaluation.plan import ATTEMPT, STAGES, TANGENTS, TURN, WITHIN, Plan
from locomote.methods.collocation import rules
from locomote.methods.collocation.attempt import collocation_attempt
from locomote.methods.collocation.begin import turn_collocation
from locomote.methods.collocation.between import within_collocation
from locomote.methods.collocation.tangent_choice import NEVER, wants_tangents
from locomote.methods.entries import MATRIX, PLAN
from locomote.methods.method import BALANCE_ALLOWED, Method, Situation, attempt_types, turn_types
from locomote.methods.state import State, Y

MOST_ALLOWED = 1e-2  # most error of the power balance at any tolerance, over the energy that a run moves about
STAGE_COUNT, PAIRS, ODD = Size("stage_count"), Size("pairs"), Size("odd")  # stages; pairs of them, and what is left over
LANES = Size("lanes")  # rows of stages that are evaluated at once, none without flexible bodies
FREE, TURNED, BODIES = Size("free"), Size("turned"), Size("bodies")  # free coordinates; as many rows of them with constraints
REFLECTED = Size("reflected")  # rows of constraints, as many as there can be independent ones
COLUMNS = padded(NV)


class CollocationState(State):
    """A state with the stages of the last step, what is kept of the start of this one, and the matrices of (2) and (3)."""

    rule: Annotated[Matrix, rules.ROWS, rules.WIDEST, "table of the points (`collocation.rules`)"]
    between: Annotated[Matrix, rules.BETWEEN, rules.POWERS, "polynomials of a step (`collocation.rules`)"]
    pace: Annotated[Floats, rules.PACES, "how iterations went, by entries of `collocation.rules`"]
    stages: Annotated[Matrix, STAGE_COUNT, NV, "accelerations at the stages of the last step, by `turn_collocation`"]
    ends: Annotated[Matrix, 4, Y, "what the polynomial misses at the ends, and rates there (`collocation.between`)"]
    # the start of a step
    start_mass: Annotated[Matrix, NV, COLUMNS, "M in the order of rows, by `take_mass`"]
    order: Annotated[Ints, NV, "coordinates by rows of the matrices, by `set_order`"]
    left: Annotated[Floats, NV, "residual of the polynomial of the step before, by `start_left`"]
    reflections: Annotated[Matrix, REFLECTED, FREE, "the turned basis of (3), by `turn_collocation`"]
    turned: Annotated[Matrix, TURNED, FREE, "M in that basis, by `stiff_matrices`"]
    # matrices
    jacobian: Annotated[Matrix, PAIRS * NV, COLUMNS, "real parts of the complex factors, by `stiff_matrices`"]
    factors: Annotated[Matrix, PAIRS * NV, COLUMNS, "imaginary parts of these"]
    real_factors: Annotated[Matrix, ODD * NV, COLUMNS, "the real factors, by `stiff_matrices`"]
    # iterations
    residuals: Annotated[Matrix, STAGE_COUNT, NV, "R of (1) at the stages, by `iterate`"]
    changes: Annotated[Matrix, STAGE_COUNT, NV, "of accelerations there, by `improve`"]
    bias: Annotated[Matrix, STAGE_COUNT, NV, "inertial forces there, by the kernel at STAGES"]
    acting: Annotated[Matrix, STAGE_COUNT, NV, "other forces there, by `residuals_at_once`"]
    stage_q: Annotated[Matrix, LANES, NQ, "configurations there, by `put_stage`"]
    stage_v: Annotated[Matrix, LANES, NV, "velocities there, by `put_stage`"]
    stage_a: Annotated[Matrix, LANES, NV, "accelerations there, by `put_stage`"]
    stage_wrenches: Annotated[Matrix, LANES, 6 * BODIES, "wrenches on bodies there, by `put_stage`"]
    calm: Annotated[Floats, COLUMNS, "accelerations without what is fast and stiff, by `nearly` and `calmed`"]
    shift: Annotated[Floats, 2 * NV, "scratch, free between calls"]


@cache
def tables(make: Callable[[int], np.ndarray], stages: int) -> tuple[np.ndarray, np.ndarray]:
    """The table of some points, and the polynomials of a step."""
    return (rule := make(stages)), rules.between_of(rule, stages)


def at_once(plan: Plan) -> bool:
    """Whether stages are evaluated all at once: with flexible bodies, whose kernels know lanes."""
    return len(plan.rods) > 0 and not config.DISABLE_JIT  # type: ignore[attr-defined]


def idle(plan: Plan) -> tuple[int, ...]:
    """A state within the step is that of its polynomial only where nothing constrains it."""
    return (*(() if at_once(plan) else (STAGES,)), *((WITHIN,) if len(plan.holonomic) else ()))


def sizes(plan: Plan, stages: int) -> dict[str, int]:
    """Sizes of a plan, and of a number of stages."""
    free, rows = len(plan.free), len(plan.holonomic)
    return {
        "stage_count": stages, "pairs": max(stages // 2, 1), "odd": stages % 2, "bodies": len(plan.topology), "free": free,
        "lanes": -(-stages // WIDTH) * WIDTH if len(plan.rods) else 0, "turned": free if rows else 0,
        "reflected": min(rows, free),
    }  # fmt: skip


def changed(state: CollocationState) -> None:
    """The matrix is that of other coordinates."""
    state.pace[rules.MADE_FOR] = 0.0


def resumed(state: CollocationState) -> None:
    """What was made of the mass matrix is to be made again."""
    state.pace[rules.MADE_FOR] = -abs(state.pace[rules.MADE_FOR])


def wanted(plan: Plan, work: Any, state: CollocationState, terms: Any, stuck: bool = False) -> Any:
    """Compile, or load, exact tangents if they are wanted, or see to it that they are not any more; gives what must live as
    long as the plan."""
    given = None
    if wants_tangents(plan, state, stuck):
        from locomote.methods.dual_plans import fill_tangents

        given = fill_tangents(plan, work, state, terms)
        if given is None:
            state.pace[rules.WANTED] = NEVER
    return given


def set_up(plan: Plan, work: Any, state: CollocationState, terms: Any) -> Any:
    """The same at the start of a run, or where other coordinates are held than before: tangents of those are no more."""
    plan.calls[TANGENTS] = 0
    return wanted(plan, work, state, terms)


def collocation(name: str, title: str, make: Callable[[int], np.ndarray], stages: int, **more: Any) -> Method:
    """The method of some points, with its power balance and whatever else is special about it."""
    rule, between = tables(make, stages)

    def fill(state: CollocationState, plan: Plan) -> None:
        state.rule[:], state.between[:], state.order[:] = rule, between, np.arange(len(state.order))
        state.pace[rules.FACTOR] = rules.FIRST_FACTOR

    return Method(
        name, title, chooses=True, power=float(rule[rules.CONTROL, 0]), retreat=0.4, first_step=1e-3, long=True, grows=True,
        measure=float(rule[rules.MEASURE, 0]), reach=lambda rtol: float(rules.reach(rule, stages, rtol)),
        by_mass=True, state=CollocationState, sizes=lambda plan: sizes(plan, stages), fill=fill,
        kept=("stages", "pace", "start_mass", "ends"), changed=changed, resumed=resumed, kernels=KERNELS, idle=idle,
        with_mass=True, set_up=set_up, help=wanted, **more,
    )  # fmt: skip


KERNELS = {
    ATTEMPT: (collocation_attempt, attempt_types(CollocationState)),
    STAGES: (flexible.INVERSE.batch, (PLAN, *[MATRIX] * 6, int64, int64)),
    TURN: (turn_collocation, turn_types(CollocationState)),
    WITHIN: (within_collocation, attempt_types(CollocationState)),
}


def undamped(situation: Situation) -> str | None:
    """Flexible bodies that are hardly damped."""
    s = situation
    return "flexible bodies are stiff and hardly damped" if s.stiff_rods and not (s.damped or s.gives_way) else None


def damped(situation: Situation) -> str | None:
    """Flexible bodies that are damped, or hit ground that is."""
    s = situation
    if not s.stiff_rods or not (s.damped or s.gives_way):
        return None
    return "flexible bodies are stiff and damped" if s.damped else "flexible bodies are stiff, and hit ground that takes energy"


def balance(allowed: float, takes: float = 0.0) -> Callable[[Any], float]:
    """The power balance as steps, which are as long as rtol lets them, make it; takes : of rtol, energy that each step takes"""

    def of(info) -> float:
        most = allowed + takes * float(info.get("steps") or 0)
        return max(BALANCE_ALLOWED, min(most * float(info.get("rtol", 0.0)), MOST_ALLOWED))

    return of


GAUSS = collocation(
    "gauss", "collocation of order 6, for flexible bodies and stiff springs with little damping", rules.gauss, 3, order=6,
    tolerances=(1e-3, 1e-10), suits=undamped, balance=balance(3.0),
)  # fmt: skip
GAUSS4 = collocation("gauss4", "the same of order 4", rules.gauss, 2, order=4, tolerances=(1e-3, 1e-10), balance=balance(3.0))
GAUSS8 = collocation("gauss8", "the same of order 8", rules.gauss, 4, order=8, tolerances=(1e-3, 1e-10), balance=balance(3.0))
RADAU = collocation(
    "radau", "collocation of order 5, for flexible bodies and stiff springs that are damped", rules.radau, 3, order=5,
    tolerances=(1e-5, 1e-10), suits=damped, balance=balance(6.0, 0.06),
)  # fmt: skip
