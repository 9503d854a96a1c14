"""Numbers by name: a mapping that prints as a table, knows units and where each number is from, and takes patterns."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.errors import UnknownName
from locomote.tables import lines_of, table

HEAD = ("name", "value", "unit", "of")
SHOWN = 6  # numbers of a vector that are printed


@brief
@dataclass(frozen=True)
class Quantity:
    """A parameter: its name, its value (a number, a read-only array, or a word), its unit and what it is of."""

    name: str
    value: Any
    unit: str
    origin: str


class Parameters(Mapping[str, Any]):
    """Parameters by name: `parameters["board.mass"]` is a value, `parameters["*.mass"]` those whose names fit.

    Patterns are those of file names, with * and ? ; `unit`, `origin` and `quantities` say more than the value.
    """

    def __init__(self, names: Iterable[str], quantity: Callable[[str], Quantity], where: str):
        self._names, self._quantity, self._where = dict.fromkeys(names), quantity, where

    @classmethod
    def of(cls, quantities: Iterable[Quantity], where: str) -> "Parameters":
        """Some parameters; where : what has them, in words."""
        named = {x.name: x for x in quantities}
        return cls(named, named.__getitem__, where)

    def __reduce__(self):
        return Parameters.of, (self.quantities(), self._where)

    def quantity(self, name: str) -> Quantity:
        """A parameter with its unit and origin."""
        if not isinstance(name, str) or name not in self._names:
            raise UnknownName("parameter", name, self._names, self._where)
        return self._quantity(name)

    def unit(self, name: str) -> str:
        """The unit of a parameter, empty for those without."""
        return self.quantity(name).unit

    def origin(self, name: str) -> str:
        """What a parameter is of."""
        return self.quantity(name).origin

    def shape(self, name: str) -> tuple[int, ...]:
        """() for a number, else the shape of the array."""
        return np.shape(self.quantity(name).value)

    def matching(self, key: Any) -> list[str]:
        """Names that a name, a pattern or several of these mean; an UnknownName if there are none."""
        if isinstance(key, (tuple, list)):
            return list(dict.fromkeys(name for one in key for name in self.matching(one)))
        if isinstance(key, str) and key in self._names:
            return [key]
        found = [name for name in self._names if fnmatchcase(name, key)] if is_pattern(key) else []
        if not found:
            raise UnknownName("parameter", key, self._names, self._where)
        return found

    def __getitem__(self, name: Any) -> Any:
        if isinstance(name, str) and name in self._names:
            return self._quantity(name).value
        return Parameters(self.matching(name), self._quantity, self._where)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        return self.keys() == other.keys() and all(np.array_equal(self[name], other[name]) for name in self)

    __hash__ = None  # type: ignore[assignment]

    def quantities(self) -> list[Quantity]:
        """All of them, in order."""
        return [self._quantity(name) for name in self._names]

    def _rows(self) -> list[tuple[str, ...]]:
        return [(x.name, value_words(x.value), x.unit, x.origin) for x in self.quantities()]

    def __str__(self):
        return "\n".join(lines_of(self._rows(), HEAD))

    def __repr__(self):
        return f"<{len(self)} parameters of {self._where}; print them for a table>"

    def _repr_html_(self):
        return table(self._rows(), HEAD)


def is_pattern(key: Any) -> bool:
    """Whether a key is meant to fit several names."""
    return isinstance(key, str) and any(letter in key for letter in "*?[")


def value_words(value: Any) -> str:
    """A value in a table."""
    if isinstance(value, (str, bool, int)):
        return str(value)
    array = np.asarray(value, float)
    if array.ndim == 0:
        return f"{float(array):.6g}"
    if array.size > SHOWN:
        return f"array {array.shape}"
    return "(" + ", ".join(f"{x:.6g}" for x in array.ravel()) + ")"
