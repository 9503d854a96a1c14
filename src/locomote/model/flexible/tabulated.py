"""Functions of X along a rod as tables: sections, materials, strains at rest and shapes, which files can hold."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.model.flexible.cross_sections import Material, Section, SectionConstants
from locomote.model.flexible.rod_packing import pack_rod
from locomote.model.flexible.rods import Rod

WORDED = Section | SectionConstants | Material  # values that are not numbers
EVENLY = 400  # pieces that a function is tabulated over, beside the places where its rod asks it


@brief
@dataclass(frozen=True)
class Tabulated:
    """A function of X by its values at some X, m, straight lines between them: a section, material, strain or shape of a rod.

    values : at each x, lo.Section, lo.rods.SectionConstants, lo.Material, a number, or some numbers
    """

    x: tuple[float, ...]
    values: tuple[Any, ...]

    def __post_init__(self) -> None:
        x = np.array(self.x, dtype=float)
        if x.ndim != 1 or len(x) < 2 or len(x) != len(self.values) or not (np.diff(x) > 0).all():
            raise ValueError(f"a table along a rod needs two or more increasing X and a value at each, not {self.x!r:.60}")
        if len({type(value) for value in self.values}) > 1 and any(isinstance(value, WORDED) for value in self.values):
            raise ValueError(
                "a table along a rod has values of one kind: all lo.Section, all lo.rods.SectionConstants, all lo.Material, "
                "or all "
                "numbers"
            )

    def __call__(self, x: Any) -> Any:
        """The value at X, those of the ends beyond them; numbers take arrays of X."""
        first = self.values[0]
        if not isinstance(first, WORDED):
            numbers = np.array(self.values, dtype=float)
            if numbers.ndim == 1:
                return np.interp(x, self.x, numbers)
            return np.array([np.interp(x, self.x, column) for column in numbers.T])
        n = int(np.clip(np.searchsorted(self.x, x, side="right") - 1, 0, len(self.x) - 2))
        share = float(np.clip((x - self.x[n]) / (self.x[n + 1] - self.x[n]), 0.0, 1.0))
        a, b = self.values[n], self.values[n + 1]
        return type(first)(**{f.name: between(getattr(a, f.name), getattr(b, f.name), share) for f in fields(first)})


def between(a: Any, b: Any, share: float) -> Any:
    """Between two values of a field, exact at both ends."""
    if isinstance(a, tuple):
        return tuple(between(p, q, share) for p, q in zip(a, b, strict=True))
    if share in (0.0, 1.0) or a is None or b is None:
        return a if share < 1.0 else b
    return (1.0 - share) * a + share * b


class Asked:
    """A function of X that remembers what it was asked and what it said."""

    def __init__(self, function: Callable[[Any], Any]):
        self.function, self.seen = function, {}

    def __call__(self, x):
        answer = self.function(x)
        if np.ndim(x):
            for one, value in zip(
                np.ravel(x), np.broadcast_to(np.asarray(answer, dtype=float), np.shape(x)).ravel(), strict=True
            ):
                self.seen[float(one)] = float(value)
        else:
            self.seen[float(x)] = answer if isinstance(answer, WORDED) else plain_numbers(answer)
        return answer

    def table(self) -> Tabulated:
        """All answers."""
        places = sorted(self.seen)
        return Tabulated(tuple(places), tuple(self.seen[x] for x in places))


def plain_numbers(value: Any) -> Any:
    """A number, or a tuple of numbers."""
    array = np.asarray(value, dtype=float)
    return float(array) if array.ndim == 0 else tuple(array.tolist())


def with_tables(rod: Rod, name: str, attached: Sequence[float], kept: tuple[type, ...]) -> Rod:
    """The same rod with tables instead of functions, exact wherever its packing asks; kept : functions that files hold."""
    if not any(callable(x) and not isinstance(x, kept) for x in functions_in(rod)):
        return rod
    asked = changed(rod, lambda f: f if isinstance(f, kept) else Asked(f))
    pack_rod(asked, name, list(attached))
    for x in np.linspace(0.0, float(rod.length), EVENLY + 1):
        for f in functions_in(asked):
            if isinstance(f, Asked):
                f(float(x))
    return changed(asked, lambda f: f.table() if isinstance(f, Asked) else f)


def functions_in(rod: Rod) -> list[Callable[[Any], Any]]:
    """What of a rod may be functions of X."""
    found: list[Any] = []
    changed(rod, lambda f: found.append(f) or f)
    return found


def changed(rod: Rod, change: Callable[[Any], Any]) -> Rod:
    """A rod with its functions of X changed."""

    def through(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: through(x) for name, x in value.items()}
        if isinstance(value, list | tuple):
            return [through(x) for x in value]
        return change(value) if callable(value) else value

    return replace(
        rod, section=through(rod.section), material=through(rod.material), rest=through(rod.rest), basis=through(rod.basis)
    )
