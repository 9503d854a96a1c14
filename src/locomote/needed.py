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
from locomote.dynamics import kinematics, momentum, wrenches
from locomote.dynamics.function import all_functions
from locomote.forces.kinds import Kind
from locomote.methods import entries
from locomote.methods.needed import of_audit, of_method, once
from locomote.methods.registry import METHODS
from locomote.methods.timestep import runs as timestep_runs
from locomote.view import raster

VECTOR, MATRIX, INTS = float64[::1], float64[:, ::1], int64[:, ::1]
_DEPTH, _IMAGE = float32[:, ::1], float32[:, :, ::1]
# a place on the ground, in one piece, is drawn by these
PICTURES = (
    (raster.draw_background, (*[VECTOR] * 4, *[float64] * 3, VECTOR, float64, MATRIX, MATRIX, _DEPTH, _IMAGE)),
    (raster.draw_shadow, (MATRIX, INTS, float64, float64, _DEPTH, _DEPTH)),
    (raster.draw_faces, (MATRIX, INTS, MATRIX, MATRIX, float64, float64, _DEPTH, _IMAGE, VECTOR)),
    (raster.smaller, (_IMAGE, int64, uint8[:, :, ::1])),
)  # fmt: skip


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
    return [need(kernel, types) for kernel, types in (momentum.CENTER.one.need, *PICTURES)]


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


def everything() -> list[Need]:
    """What is usual, and what flexible bodies, actuators, feed-forward and many runs over contacts need."""
    fed = (method.fed_kernels for method in METHODS.values())
    more = (entries.SOFT, entries.SOFT_MATRICES, entries.ACTUATORS, entries.FEEDING, *fed)
    many = (timestep_runs.LANES, timestep_runs.ROWS)
    calls = [call for table in more for call in table.values()]
    return once([*usual(), *(need(kernel, types) for kernel, types in (*calls, *many))])


def make(needs: Iterable[Needed]) -> None:
    """Compile all of some needs, or load them from disk, in two processes where there are two cores."""
    needs = list(needs)
    ahead.expect("all", lambda: needs)
    for x in needs:
        x.make()
