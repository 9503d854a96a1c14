"""How packed numbers follow from parameters: polynomials through a few problems, which then say those of all lots.

Entries of plans (`symbolic.entries`) are linear in masses, gravity, stiffness, amplitudes, and of degree two or three in
placements and centres, where bodies are grouped: m c^2. With the numbers p of a lot, within a box about c of half widths w,

    e(p) = sum_k C_k prod_j x_j^k_j ,   x = (p - c) / w ,   sum of k <= degree                                        (1)

through as many problems as there are terms, at x of 0, 1, -1, 1/2. (1) must give the plans of the lots with the lowest and
highest values, and of some more, to rounding. A form is kept with its problem: within its box, which others within it need
not be built for.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from locomote.locomotion.problem import Locomotion
from locomote.symbolic.entries import differing, gathered

NODES = np.array([0.0, 1.0, -1.0, 0.5])
DEGREES = (1, 2, 3)  # that are tried
FEW, MOST = 24, 100  # numbers, and terms, up to which (1) is tried
TRIED = 3  # lots beside the extreme ones that it must give
ROUNDING = 1e-14  # of the largest value of an entry
KNOWN: "WeakKeyDictionary[Locomotion, dict[Any, Form]]" = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Form:
    """sample : the problem at c ; low, high : (numbers,) of the box
    places : name of an array -> flat places in it that differ ; samples : (some, entries) exact values
    powers : (terms, numbers) k of (1) ; factors : (terms, entries) C
    """

    sample: Locomotion
    low: np.ndarray
    high: np.ndarray
    places: dict[str, np.ndarray]
    samples: np.ndarray
    powers: np.ndarray
    factors: np.ndarray

    def covers(self, table: np.ndarray) -> bool:
        """Whether lots with these numbers lie in the box."""
        return bool((table >= self.low).all() and (table <= self.high).all())

    def values(self, table: np.ndarray) -> np.ndarray:
        """(lots, entries) by (1)."""
        return terms(scaled(table, self.low, self.high), self.powers) @ self.factors

    @cached_property
    def memory(self) -> dict[Any, Any]:
        """What others found out about the box."""
        return {}


def form_of(
    problem: Locomotion, keys: tuple, table: np.ndarray, extreme: Sequence[int], make: Callable[[np.ndarray], Locomotion]
) -> Form | None:
    """The form of lots whose numbers, of parameters with these keys, are in a table; None if plans are no such polynomials.

    extreme : lots with the lowest and highest values ; make : the problem of a row
    """
    known = KNOWN.setdefault(problem, {})
    before = known.get(keys)
    if before is not None and before.covers(table):
        return before
    low, high = table.min(axis=0), table.max(axis=0)
    if before is not None:
        low, high = np.minimum(low, before.low), np.maximum(high, before.high)
    looked = sorted({*extreme, *np.random.default_rng(0).integers(len(table), size=TRIED).tolist()})
    found = fitted(low, high, table[looked], len(table) // 2, make)
    if found is not None:
        known[keys] = found
    return found


def fitted(low: np.ndarray, high: np.ndarray, looked: np.ndarray, most: int, make: Callable) -> Form | None:
    """(1) of the lowest degree that gives the plans of some rows. most : problems that may be built for it"""
    middle, width = (low + high) / 2, (high - low) / 2
    moved, made = np.flatnonzero(width > 0.0), {}
    if not 0 < len(moved) <= FEW:
        return None
    try:
        wanted = [make(row).plan for row in looked]
        for degree in DEGREES:
            powers = powers_up_to(degree, moved, len(low), min(most, MOST))
            if powers is None:
                return None
            for k in map(tuple, powers):
                if k not in made:
                    made[k] = make(middle + width * NODES[list(k)])
            plans = [*(made[tuple(k)].plan for k in powers), *wanted]
            places = differing(plans)
            exact = gathered(plans, places)
            factors = np.linalg.solve(terms(NODES[powers], powers), exact[: len(powers)])
            form = Form(made[(0,) * len(low)], low, high, places, exact, powers, factors)
            if (abs(form.values(looked) - exact[len(powers) :]) <= ROUNDING * abs(exact).max(axis=0, initial=0.0)).all():
                return form
    except ValueError:  # such a mixture may not be there; the lots by themselves say whether they are
        pass
    return None


def powers_up_to(degree: int, moved: np.ndarray, numbers: int, most: int) -> np.ndarray | None:
    """(terms, numbers) powers whose sums are at most the degree, of numbers that move; None if they are too many."""
    count = 1
    for n in range(degree):
        count = count * (len(moved) + n + 1) // (n + 1)
    if count > most:
        return None
    found = np.zeros((1, numbers), int)
    for _ in range(degree):
        steps = np.zeros((len(moved), numbers), int)
        steps[np.arange(len(moved)), moved] = 1
        found = np.unique(np.concatenate([found, *(found + step for step in steps)]), axis=0)
    return found


def scaled(table: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """x of (1); zero for what does not move."""
    width = (high - low) / 2
    return np.divide(table - (low + high) / 2, width, out=np.zeros_like(table), where=width > 0.0)


def terms(x: np.ndarray, powers: np.ndarray) -> np.ndarray:
    """(rows, terms) products of powers of (rows, numbers)."""
    found = np.ones((len(x), len(powers)))
    for n, j in zip(*np.nonzero(powers), strict=True):
        found[:, n] *= x[:, j] ** powers[n, j]
    return found
