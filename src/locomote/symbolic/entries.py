"""Entries of a plan that differ between problems of one structure, as numbers of any kind in its equations.

Problems that differ by parameters (`with_parameters`) have plans that differ in some entries. These become symbols; entries
that are equal to each other in all problems are one. All others stay the numbers that they are, so that what is zero or one
folds away as ever.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numba import float64

from locomote.brief import brief
from locomote.evaluation.plan import Plan
from locomote.symbolic.problem import Equations

SIGNALS = ("drive_numbers", "torque_numbers")  # of what is handed to a step from outside
NUMBERS = tuple(name for name, kind in Plan.FIELDS.items() if kind.dtype == float64 and name not in ("breaks", "options"))


def differing(plans: Sequence[Plan]) -> dict[str, np.ndarray]:
    """Name of an array -> flat places in it that differ between plans of the same shapes."""
    found = {}
    for name in NUMBERS:
        arrays = {id(array): array for array in (getattr(plan, name) for plan in plans)}
        if len(arrays) > 1:
            first, *others = (array.ravel() for array in arrays.values())
            differ = np.zeros(len(first), dtype=bool)
            for array in others:
                differ |= array != first
            if differ.any():
                found[name] = np.flatnonzero(differ)
    return found


def gathered(plans: Sequence[Plan], places: Mapping[str, np.ndarray]) -> np.ndarray:
    """(plans, entries) what stands at places, one array after the other."""
    rows = [[getattr(plan, name).ravel()[flat] for name, flat in places.items()] for plan in plans]
    return np.array([np.concatenate(row) if row else np.zeros(0) for row in rows])


@brief
@dataclass(frozen=True)
class Entries:
    """Which entries differ, and their values.

    places : name of an array -> (flat places in it, columns that they take) ; values : (problems, columns)
    """

    places: dict[str, tuple[np.ndarray, np.ndarray]]
    values: np.ndarray

    @staticmethod
    def of(places: Mapping[str, np.ndarray], samples: np.ndarray, values: np.ndarray) -> "Entries":
        """places : as `differing` gives them ; samples : (some, entries) exact values, by which equal columns are known
        values : (problems, entries)"""
        if not places:
            return Entries({}, values)
        _, kept, which = np.unique(samples, axis=1, return_index=True, return_inverse=True)
        found, start, columns = {}, 0, which.ravel()
        for name, flat in places.items():
            found[name], start = (flat, columns[start : start + len(flat)]), start + len(flat)
        return Entries(found, np.ascontiguousarray(values[:, kept]))

    @property
    def key(self) -> str:
        """A name for what differs, equal in another process."""
        said = {name: (flat.tolist(), columns.tolist()) for name, (flat, columns) in self.places.items()}
        return repr((said, self.nonzero.tolist()))

    @property
    def nonzero(self) -> np.ndarray:
        """(columns,) whether a column has no zero: such may decide branches."""
        return (self.values != 0.0).all(axis=0)

    def without(self, equations: Equations) -> Equations:
        """Equations with zeros at these places: they are the same for all problems."""
        arrays = {}
        for name, (flat, _) in self.places.items():
            arrays[name] = array = getattr(equations.plan, name).copy()
            array.flat[flat] = 0.0
        return replace(equations, plan=equations.plan.changed(**arrays))

    def put(self, equations: Equations, numbers: Sequence[Any]) -> Equations:
        """Equations with numbers of any kind (columns) at these places."""
        arrays = {}
        for name, (flat, columns) in self.places.items():
            arrays[name] = array = getattr(equations.plan, name).astype(object)
            for place, column in zip(flat, columns, strict=True):
                array.flat[place] = numbers[column]
        return replace(equations, plan=PlanOfAny(equations.plan, arrays))  # type: ignore[arg-type]


class PlanOfAny:
    """A plan some of whose arrays have numbers of any kind."""

    def __init__(self, plan: Plan, arrays: dict[str, np.ndarray]):
        self.__dict__.update(arrays)
        self.plan = plan

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["plan"], name)
