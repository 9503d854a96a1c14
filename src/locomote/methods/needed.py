"""Kernels that runs need, with the argument types that they are compiled for, in the order of need; `needed` has all."""

from collections.abc import Iterable

from numba import float64, int64

from locomote.compiler.background import Need, need
from locomote.dynamics import forces, kinematics, momentum
from locomote.evaluation.plan import TURN, Plan
from locomote.methods import entries
from locomote.methods.advance import ADVANCE
from locomote.methods.registry import METHODS
from locomote.model import moves

MATRIX, INTS = float64[:, ::1], int64[:, ::1]
ROWS = (
    (moves.integrate_rows, (INTS, MATRIX, MATRIX, MATRIX)),
    (moves.difference_rows, (INTS, MATRIX, MATRIX, MATRIX)),
)


def of_problem(plan: Plan) -> list[Need]:
    """What an evaluation of a problem needs, as far as it is not a force."""
    return [need(kernel, types) for kernel, types in entries.calls_of(plan).values()]


def of_method(method: str, *, fed: bool = False, without: Iterable[int] = ()) -> list[Need]:
    """What steps by a method need, with feed-forward or without; without : entries of its kernels that are not needed"""
    record = METHODS[method]
    with_mass = entries.MATRICES.values() if record.with_mass else ()
    kernels = (call for slot, call in (record.fed_kernels if fed else record.kernels).items() if slot not in without)
    return [need(kernel, types) for kernel, types in (*with_mass, *kernels, ADVANCE)]


def of_audit() -> list[Need]:
    """What the summary and the audit of a run need: functions of the library, and moves of configurations."""
    moved = (moves.INTEGRATE.need, ROWS[0], moves.DIFFERENCE.need, ROWS[1])
    rows = (kinematics.FORWARD, kinematics.VELOCITY, momentum.RATE, momentum.MATRIX, momentum.KINETIC, momentum.POTENTIAL)
    calls = (moves.NORMALIZE.need, *(function.batch.need for function in rows), *moved, forces.INVERSE.one.need)
    return [need(kernel, types) for kernel, types in calls]


def of_run(plan: Plan, method: str) -> list[Need]:
    """What a run needs. The steps, the largest of all, stand last: a second process begins with them, and both end together."""
    steps = of_method(method, fed=len(plan.fed) > 0, without=METHODS[method].idle(plan))
    return once([*of_problem(plan), *of_audit(), *steps])


def of_rollouts(plan: Plan, together: bool) -> list[Need]:
    """What many runs over contacts need, on lanes or one after the other."""
    from locomote.methods.timestep import runs as timestep_runs

    steps = timestep_runs.LANES if together else timestep_runs.ROWS
    kernels = (x for x in of_method("timestep", without=(TURN,)) if x != need(*ADVANCE))
    return once([*of_problem(plan), *kernels, need(*steps)])


def once(needs: Iterable[Need]) -> list[Need]:
    """Each one once, where it is first needed."""
    return list(dict.fromkeys(needs))
