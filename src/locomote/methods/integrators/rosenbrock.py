"""Linearly implicit steps of order 2 for stiff forces: the room and the record of the method (`rosenbrock/` has its steps)."""

from typing import Annotated

from locomote.compiler.records import Floats, Ints, Matrix
from locomote.compiler.scratch_layout import NQ, NV, Size
from locomote.evaluation.plan import ATTEMPT, TURN, Plan
from locomote.forces.kinds import PLACE
from locomote.methods.method import COMPUTED, FEED, SUDDEN, Method, Situation, attempt_types, turn_types
from locomote.methods.rosenbrock.attempt import FACTORED, rosenbrock_attempt
from locomote.methods.rosenbrock.feed_forward import fed_attempt, turn_fed
from locomote.methods.state import State

PLACES = Size("places")  # places of force terms
FED, FOLLOWED = Size("fed"), Size("followed")  # 1 with feed-forward, else 0; coordinates that follow targets
BALANCE_ALLOWED = 5e-2  # steps are longer than hits on soft ground


class RosenbrockState(State):
    """A state with what is stiff, the matrices of (3), and the copy of feed-forward."""

    # what is stiff
    stiff_M: Annotated[Matrix, NV, NV, "M, by `look`"]
    stiff_D: Annotated[Matrix, NV, NV, "D, by `look`"]
    stiff_K: Annotated[Matrix, NV, NV, "K, by `look`"]
    linear: Annotated[Floats, 3, "AGE, SEEN and FACTORED, by `prepare_linear`; negative if there is nothing yet"]
    forcing: Annotated[Floats, NV, "M f' of (3), by `find_forcing` or `copy_forcing`"]
    chart: Annotated[Matrix, NV, NV, "E of (3), by `find_chart`"]
    moved: Annotated[Floats, NV, "a move out of the chart, by `move_by`"]
    # force terms at their places
    place_blocks: Annotated[Matrix, PLACES, 36, "how loads fall, by `differences`"]
    place_loads: Annotated[Matrix, PLACES, 6, "loads, by `look`"]
    place_kept: Annotated[Matrix, PLACES, PLACE, "places as they were, by `look`"]
    place_rows: Annotated[Matrix, 6 * PLACES, NV, "their velocities by those of coordinates, by `place_rows`"]
    place_column: Annotated[Floats, 6, "a column of a product, by `gather`"]
    pattern: Annotated[Ints, PLACES, "which have a force now, 1, or after the step, 2, by `look_ahead`"]
    pattern_seen: Annotated[Ints, PLACES, "the same when it was last looked at, by `look`"]
    # the matrix
    jacobian: Annotated[Matrix, NV, NV, "M + g D + g^2 K, by `factor`"]
    factors: Annotated[Matrix, NV, NV, "its LU factors on chosen coordinates, by `factor`"]
    pivots: Annotated[Ints, NV, "rows of them, by `factor`"]
    chosen: Annotated[Ints, NV, "coordinates whose accelerations follow from forces, by `factor`"]
    shift: Annotated[Floats, 2 * NV, "right side and answer of (3), by `solve_stage` and `solve_copy`"]
    # the copy of feed-forward
    copy_q: Annotated[Floats, FED * NQ, "configuration at the start, by `begin_copy`"]
    copy_v: Annotated[Floats, FED * NV, "velocity at the start, by `begin_copy`"]
    copy_a: Annotated[Floats, FED * NV, "acceleration at the start, by `begin_copy`"]
    copy_u: Annotated[Floats, 2 * FED * NV, "what the step adds, by `place_both`"]
    copy_k: Annotated[Matrix, 3 * FED, 2 * NV, "rates, by `copy_rates`, and increments, by `solve_copy`"]
    copy_told: Annotated[Matrix, 2 * FED, FOLLOWED, "targets at the start, and their rates, by `take_stages`"]
    copy_factors: Annotated[Matrix, FED * NV, NV, "LU factors of (2) of feed-forward, by `factor_copy`"]
    copy_pivots: Annotated[Ints, FED * NV, "rows of them, by `factor_copy`"]
    copy_chosen: Annotated[Ints, FED * NV, "coordinates that are not told, by `factor_copy`"]


def sizes(plan: Plan) -> dict[str, int]:
    """Sizes of a plan."""
    return {"places": len(plan.place_bodies), "fed": int(len(plan.fed) > 0), "followed": len(plan.follow_rows)}


def forget(state: RosenbrockState, *given) -> None:
    """Refresh the stiff forces."""
    state.linear[:] = -1.0


def resumed(state: RosenbrockState) -> None:
    """Factors are not in files."""
    state.linear[FACTORED] = -1.0


def suits(situation: Situation) -> str | None:
    """Feed-forward, and ground that gives way."""
    s = situation
    if s.fed and not s.contacts:
        return "the copy of the robot that feed-forward looks at is integrated beside it"
    return "ground that gives way is stiff" if s.stiff_ground else None


ROSENBROCK = Method(
    "rosenbrock", "linearly implicit of order 2, for stiff forces such as soft ground, without constraints", order=2,
    chooses=True, power=0.5, grows=True, tolerances=(1e-3, 3e-4), takes=frozenset((COMPUTED, FEED, SUDDEN)), suits=suits,
    state=RosenbrockState, sizes=sizes, fill=forget, kept=("linear", "stiff_M", "stiff_D", "stiff_K", "pattern_seen"),
    changed=forget, resumed=resumed, with_mass=True,
    kernels={ATTEMPT: (rosenbrock_attempt, attempt_types(RosenbrockState))},
    fed_kernels={ATTEMPT: (fed_attempt, attempt_types(RosenbrockState)), TURN: (turn_fed, turn_types(RosenbrockState))},
    rough=True, balance=lambda info: BALANCE_ALLOWED,
)  # fmt: skip
