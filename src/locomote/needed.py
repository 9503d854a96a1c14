"""One list of all kernels with the argument types that they are compiled for: by what needs them, in the order of need.

A first run hands its list to a second process (`compiler.background`), `locomote doctor --compile` and the makers of wheels
take them all, and tests compare them with what runs ask for.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from numba import float32, float64, int64, uint8

from locomote.compiler import background as ahead
from locomote.compiler.background import Need, Needed, need
from locomote.drives import signals
from locomote.dynamics import forces, kinematics, momentum, wrenches
from locomote.dynamics.function import all_functions
from locomote.evaluation.plan import Plan
from locomote.forces.kinds import Kind
from locomote.methods import attempts, entries
from locomote.methods.options import METHODS
from locomote.methods.timestep import runs as timestep_runs
from locomote.model import moves
from locomote.view import raster

VECTOR, MATRIX, INTS = float64[::1], float64[:, ::1], int64[:, ::1]
_DEPTH, _IMAGE = float32[:, ::1], float32[:, :, ::1]
# a place on the ground, in one piece, is drawn by these
PICTURES = (
    (raster.draw_background, (*[VECTOR] * 4, *[float64] * 3, VECTOR, float64, MATRIX, MATRIX, _DEPTH, _IMAGE)),
    (raster.draw_shadow, (MATRIX, INTS, float64, float64, float64, _DEPTH, uint8[:, ::1], _IMAGE)),
    (raster.draw_faces, (MATRIX, INTS, MATRIX, MATRIX, float64, float64, _DEPTH, _IMAGE, VECTOR)),
    (raster.smaller, (_IMAGE, int64, uint8[:, :, ::1])),
)  # fmt: skip
ROWS = (
    (moves.integrate_rows, (INTS, MATRIX, MATRIX, MATRIX)),
    (moves.difference_rows, (INTS, MATRIX, MATRIX, MATRIX)),
)


@dataclass(frozen=True)
class Force:
    """The rule of a kind of force, as something to compile."""

    kind: Kind

    def is_missing(self) -> bool:
        kernel, signature = self.kind.entry
        return signature not in kernel.overloads and kernel._cache.is_missing(signature, kernel.targetctx.codegen())

    def make(self) -> None:
        self.kind.address  # noqa: B018


def of_problem(plan: Plan) -> list[Need]:
    """What an evaluation of a problem needs, as far as it is not a force."""
    return [need(*call) for call in entries.calls_of(plan).values()]


def of_method(method: str) -> list[Need]:
    """What steps by a method need."""
    number = METHODS[method]
    with_mass = entries.MATRICES.values() if number in attempts.WITH_MASS else ()
    return [need(*call) for call in (*with_mass, *attempts.CALLS.get(number, {}).values(), attempts.ADVANCE)]


def of_audit() -> list[Need]:
    """What the summary and the audit of a run need: functions of the library, and moves of configurations."""
    moved = (moves.INTEGRATE.need, ROWS[0], moves.DIFFERENCE.need, ROWS[1])
    calls = (moves.NORMALIZE.need, kinematics.VELOCITY.one.need, momentum.RATE.one.need, momentum.MATRIX.one.need, *moved)
    return [need(*call) for call in (*calls, forces.INVERSE.one.need)]


def of_run(plan: Plan, method: str) -> list[Need]:
    """What a run needs. The steps, the largest of all, stand last: a second process begins with them, and both end together."""
    fed = [need(*call) for call in attempts.FED.values()] if len(plan.fed) else []
    return _once([*of_problem(plan), *of_audit(), *fed, *of_method(method)])


def of_rollouts(plan: Plan, together: bool) -> list[Need]:
    """What many runs over contacts need, on lanes or one after the other."""
    steps = timestep_runs.LANES if together else timestep_runs.ROWS
    return _once([*of_problem(plan), *(x for x in of_method("timestep") if x != need(*attempts.ADVANCE)), need(*steps)])


def of_pictures() -> list[Need]:
    """What a film strip or a film needs."""
    return [need(*call) for call in (momentum.CENTER.one.need, *PICTURES)]


def of_functions() -> list[Need]:
    """What the functions of the library need, of one state and of batches."""
    found = [entry for function in all_functions().values() if not function.seldom for entry in function.entries]
    return _once([need(*entry.need) for entry in (*found, wrenches.GATHER, kinematics.POINT_FRAME)])


def usual() -> list[Need]:
    """What functions and runs of rigid bodies need, with constraints and without, by all methods, and their pictures."""
    shared = (entries.FREE, entries.MATRICES, entries.ALL, entries.INERTIA, entries.NO_INERTIA, entries.RIGID)
    calls = [need(*call) for table in shared for call in table.values()]
    steps = [x for method in METHODS for x in of_method(method)]
    history = need(signals.compiled_history, (INTS, VECTOR, INTS, VECTOR, MATRIX))
    return _once([*calls, *steps, *of_audit(), history, *of_pictures(), *of_functions()])


def everything() -> list[Need]:
    """What is usual, and what flexible bodies, actuators, feed-forward and many runs over contacts need."""
    more = (entries.SOFT, entries.SOFT_MATRICES, entries.ACTUATORS, entries.FEEDING, attempts.FED)
    many = (timestep_runs.LANES, timestep_runs.ROWS)
    return _once([*usual(), *(need(*call) for table in more for call in table.values()), *(need(*call) for call in many)])


def make(needs: Iterable[Needed]) -> None:
    """Compile all of some needs, or load them from disk, in two processes where there are two cores."""
    needs = list(needs)
    ahead.expect("all", lambda: needs)
    for x in needs:
        x.make()


def _once(needs: Iterable[Need]) -> list[Need]:
    """Each one once, where it is first needed."""
    return list(dict.fromkeys(needs))
