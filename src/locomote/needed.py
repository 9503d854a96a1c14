"""One list of all kernels with the argument types that they are compiled for: by what needs them, in the order of need.

A first run hands its list to a second process (`compiler.background`), `locomote doctor --compile` and the makers of wheels
take them all, and tests compare them with what runs ask for.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from numba import float64, int64

from locomote.compiler import background as ahead
from locomote.compiler.background import Need, Needed, need
from locomote.compiler.records import record_type
from locomote.drives import signals
from locomote.dynamics import flexible, kinematics, momentum, wrenches
from locomote.dynamics.function import FlexibleFunction, all_functions
from locomote.evaluation.overdamped_derivatives import creep_slopes_one
from locomote.forces.kinds import Kind
from locomote.methods import entries
from locomote.methods.integrators.implicit import ImplicitState
from locomote.methods.needed import of_audit, of_method, once
from locomote.methods.registry import METHODS
from locomote.methods.timestep import runs as timestep_runs
from locomote.view.needed import PICTURES, WATER

VECTOR, MATRIX, INTS = float64[::1], float64[:, ::1], int64[:, ::1]


@dataclass(frozen=True)
class Force:
    """The rule of a kind of force, as something to compile."""

    kind: Kind

    def is_missing(self) -> bool:
        kernel, signature = self.kind.entry
        return signature not in kernel.overloads and kernel._cache.is_missing(signature, kernel.targetctx.codegen())

    def make(self) -> None:
        self.kind.address  # noqa: B018


def of_pictures() -> list[Need]:
    """What a film strip or a film needs."""
    return [need(kernel, types) for kernel, types in (momentum.CENTER.batch.need, *PICTURES)]


def of_functions() -> list[Need]:
    """What the functions of the library need, of one state and of batches."""
    found = [entry for function in all_functions().values() if not function.seldom for entry in function.entries]
    return once([need(*entry.need) for entry in (*found, wrenches.GATHER, kinematics.POINT_FRAME)])


def usual() -> list[Need]:
    """What functions and runs of rigid bodies need, with constraints and without, by all methods, and their pictures."""
    shared = (entries.FREE, entries.MATRICES, entries.ALL, entries.INERTIA, entries.NO_INERTIA, entries.RIGID)
    calls = [need(kernel, types) for table in shared for kernel, types in table.values()]
    steps = [x for method in METHODS for x in of_method(method)]
    history = need(signals.compiled_history, (INTS, VECTOR, INTS, VECTOR, MATRIX))
    return once([*calls, *steps, *of_audit(), history, *of_pictures(), *of_functions()])


def of_flexible() -> list[Need]:
    """What functions of models with flexible bodies need, and their steps without inertia."""
    functions = [f for f in vars(flexible).values() if isinstance(f, FlexibleFunction)]
    creeping = (creep_slopes_one, (entries.PLAN, entries.WORK, *[int64] * 3, record_type(ImplicitState), float64))
    return once([need(*x) for f in functions for x in f.needs] + [need(*creeping)])


def of_whole_body() -> list[Need]:
    """What a tick of the whole-body controller needs, and programs that make its plans; other runs do not import them."""
    from locomote.control.whole_body import tick
    from locomote.control.whole_body.tables import Tick
    from locomote.qp.solve import solve_one

    program = (MATRIX, VECTOR, MATRIX, VECTOR, VECTOR, int64, int64[::1], *[VECTOR] * 3, int64[::1])
    return [need(tick.tick_one, (record_type(Tick),)), need(tick.tick_at, (int64, int64)), need(solve_one, program)]


def everything() -> list[Need]:
    """What is usual, and what flexible bodies, actuators, feed-forward, many runs over contacts, reports without inertia and
    the controller of whole bodies need: all that runs of the catalogue ask for, but forces of their own."""
    fed = (method.fed_kernels for method in METHODS.values())
    more = (entries.SOFT, entries.SOFT_MATRICES, entries.ACTUATORS, entries.FEEDING, entries.MEETING, *fed)
    many = (timestep_runs.LANES, timestep_runs.ROWS, *entries.TOUCHING, entries.BALANCE, *WATER)
    calls = [*(call for table in more for call in table.values()), *many]
    return once([*usual(), *(need(kernel, types) for kernel, types in calls), *of_flexible(), *of_whole_body()])


def make(needs: Iterable[Needed]) -> None:
    """Compile all of some needs, or load them from disk, in two processes where there are two cores."""
    needs = list(needs)
    ahead.expect("all", lambda: needs)
    for x in needs:
        x.make()
