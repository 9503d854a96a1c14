"""Parameters as inputs: how the packed numbers of a problem, and the signals of its drives, follow from those that were said.

    p  ->  entries e of the plan, which a traced step takes as inputs, and columns s that all runs share               (1)
    slope by p  =  (de/dp)^T ebar + (ds/dp)^T sbar + (dx_0/dp)^T xbar_0 , x_0 where drives begin                      (2)

Slopes by e and s are those of the trace. (1) is algebra without dynamics, most of it linear: its derivative is a central
difference of eighth order, taken with ever shorter steps until two of them agree to rounding. If none do, the parameter is
refused.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from locomote.dynamics.differences import derivative
from locomote.evaluation.plan import Plan
from locomote.locomotion.problem import Locomotion

UNREAD = ("drive_numbers", "torque_numbers", "breaks", "stop_laws")  # by traced steps: signals are shared columns
FIRST, SHORTER, TRIES = 0.02, 4.0, 14  # of the parameter, or of 1 if that is more; share of the next; how many
SAME = 1e-10  # of the largest slope, by which two may differ
ONE_SIDED = (4.0, -3.0, 4 / 3, -1 / 4)  # of f(k step) - f(0), k = 1 to 4
Tables = dict[str, np.ndarray]


@dataclass(frozen=True)
class Entries:
    """Numbers of a plan that follow from parameters: field and place in it, flat."""

    places: tuple[tuple[str, int], ...] = ()

    def of(self, plan: Plan) -> np.ndarray:
        """Their values."""
        return np.array([getattr(plan, field).ravel()[k] for field, k in self.places])

    def put(self, plan: Plan, numbers: Sequence) -> Tables:
        """Arrays of a plan with numbers of any kind in their places."""
        arrays: Tables = {}
        for (field, k), number in zip(self.places, numbers, strict=True):
            if field not in arrays:
                arrays[field] = getattr(plan, field).astype(object)
            arrays[field].ravel()[k] = number
        return arrays

    def masked(self, plan: Plan) -> Tables:
        """Arrays with zeros in their places, for a name that does not depend on values."""
        return {field: array.astype(float) for field, array in self.put(plan, [0.0] * len(self.places)).items()}


@dataclass(frozen=True)
class Direction:
    """One number of a parameter, and how tables change with it: of the plan, shared columns, and where drives begin."""

    name: str
    index: tuple[int, ...]
    slopes: Tables


def plan_tables(problem: Locomotion) -> Tables:
    """Numbers of a plan that traced steps read."""
    arrays = {name: getattr(problem.plan, name) for name in Plan.FIELDS if name not in UNREAD}
    return {name: np.array(array) for name, array in arrays.items() if array.dtype == float and array.size}


def directions_of(
    problem: Locomotion, name: str, tables: Callable[[Locomotion], Tables], rounding: float = 0.0
) -> list[Direction]:
    """All numbers of a parameter. tables, rounding : see `slopes`"""
    value = np.array(problem.parameters[name], dtype=float)
    return [Direction(name, index, slopes(problem, name, value, index, tables, rounding)) for index in np.ndindex(value.shape)]


def slopes(
    problem: Locomotion, name: str, value: np.ndarray, index: tuple[int, ...], tables: Callable, rounding: float = 0.0
) -> Tables:
    """Slopes of all tables by one number of a parameter. tables : of a problem ; rounding : of the largest number of each"""
    known = tables(problem)
    shapes = {key: array.shape for key, array in known.items()}
    noise = np.concatenate([np.zeros(0), *(np.full(x.size, rounding * abs(x).max(initial=0.0)) for x in known.values())])

    def flat(change: float) -> np.ndarray:
        moved = value.copy()
        moved[index] += change
        found = tables(problem.with_parameters({name: moved if moved.ndim else float(moved)}))
        return np.concatenate([np.zeros(0), *(found[key].ravel() for key in shapes)])

    first, before, fault = FIRST * max(1.0, abs(float(value[index]))), None, ""
    for k in range(2 * TRIES):
        if k == TRIES and before is not None:
            break
        try:
            now = (derivative if k < TRIES else one_sided)(flat, first / SHORTER ** (k % TRIES))
        except (ValueError, ArithmeticError) as error:
            fault = str(error)
            continue
        now = np.where(abs(now) < 1e-13 * abs(now).max(initial=0.0), 0.0, now)
        allowed = SAME * abs(now).max(initial=0.0) + noise / (first / SHORTER ** (k % TRIES))
        if before is not None and (abs(now - before) <= allowed).all():
            return split(before, shapes)
        before = now
    reason = f"it cannot be moved: {fault}" if before is None else "numbers do not follow from it smoothly"
    raise ValueError(f"slopes of {problem.name!r} by {name!r} are not known: {reason}")


def one_sided(function: Callable[[float], np.ndarray], step: float) -> np.ndarray:
    """d/ds of function(s) at s = 0 from values at s >= 0: of what has to stay positive and is zero."""
    start = function(0.0)
    return np.sum([weight * (function(k * step) - start) for k, weight in enumerate(ONE_SIDED, 1)], axis=0) / step


def split(flat: np.ndarray, shapes: dict[str, tuple[int, ...]]) -> Tables:
    """Tables from one row of numbers."""
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes.values()])
    parts = np.split(flat, ends[:-1]) if len(ends) else []
    return {key: part.reshape(shape) for (key, shape), part in zip(shapes.items(), parts, strict=True)}


def entries_of(directions: Sequence[Direction]) -> Entries:
    """Numbers of the plan that change with any of them."""
    found: dict[tuple[str, int], None] = {}
    for direction in directions:
        for field, slope in direction.slopes.items():
            if field in Plan.FIELDS:
                found |= dict.fromkeys((field, int(k)) for k in np.flatnonzero(slope))
    return Entries(tuple(found))
