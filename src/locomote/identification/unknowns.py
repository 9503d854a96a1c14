"""What is unknown: numbers of parameters, by name, and the coordinates in which they are searched.

Masses are searched by their logarithm and inertias by log-Cholesky coordinates (`physical`), so that they stay those of
bodies; all else as it is.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.errors import LocomoteError, UnknownName
from locomote.gradients.sampled import Number
from locomote.identification.physical import coordinates, has_extent, inertia_of
from locomote.locomotion.problem import Locomotion

STARTS = ("q", "v")
FARTHEST = 7.0  # a factor of 1,100 for masses, of a million for second moments
ENTRY = re.compile(r"^(.*)\[(\d+(?:\s*,\s*\d+)*)\]$")  # one number of a parameter: "board.inertia[5]"


@brief
@dataclass(frozen=True)
class Unknowns:
    """Numbers of parameters that are unknown, and which of "q" and "v" of the start are.

    numbers : places of each, several if they are tied
    """

    problem: Locomotion
    numbers: tuple[Number, ...]
    starts: tuple[str, ...] = ()

    @classmethod
    def of(cls, problem: Locomotion, by: str | Sequence[Any]) -> "Unknowns":
        """From names, patterns, single numbers ("board.inertia[5]") and ties (tuples of names)."""
        numbers: list[Number] = []
        starts = [name for name in ([by] if isinstance(by, str) else by) if name in STARTS]
        for key in [by] if isinstance(by, str) else by:
            if isinstance(key, (tuple, list)):
                numbers += tied(problem, key)
            elif key not in STARTS:
                numbers += [((place),) for place in places_of(problem, key)]
        places = [place for number in numbers for place in number]
        twice = sorted({label(problem, (x,)) for x in places if places.count(x) > 1})
        if twice or len({*starts}) < len(starts):
            raise ValueError(f"by names {twice[0] if twice else starts[0]!r} twice")
        if not numbers and not starts:
            raise ValueError("by is empty: name the parameters that are unknown, such as '*.mass', as in problem.parameters")
        return cls(problem, tuple(numbers), tuple(name for name in STARTS if name in starts))

    @cached_property
    def names(self) -> list[str]:
        """Of the numbers."""
        return [label(self.problem, number) for number in self.numbers]

    @cached_property
    def units(self) -> list[str]:
        """Of the numbers."""
        return [self.problem.parameters.unit(number[0][0]) for number in self.numbers]

    @cached_property
    def values(self) -> np.ndarray:
        """(P,) their values in the problem."""
        return np.array([np.asarray(self.problem.parameters[name])[index] for ((name, index), *_) in self.numbers], dtype=float)

    @cached_property
    def inertias(self) -> list[list[int]]:
        """Numbers, six each, that are whole inertias of bodies with an extent."""
        found: dict[str, list[int]] = {}
        for k, number in enumerate(self.numbers):
            if number[0][0].endswith(".inertia") and len(number[0][1]) == 1:
                found.setdefault("|".join(name for name, _ in number), []).append(k)
        return [own for own in found.values() if len(own) == 6 and has_extent(self.values[own])]

    @cached_property
    def masses(self) -> list[int]:
        """Numbers that are masses."""
        return [k for k, number in enumerate(self.numbers) if number[0][0].endswith(".mass") and self.values[k] > 0]

    @cached_property
    def first(self) -> np.ndarray:
        """(P,) coordinates of the values of the problem."""
        x = self.values.copy()
        x[self.masses] = np.log(x[self.masses])
        for own in self.inertias:
            x[own] = coordinates(self.values[own])
        return x

    def natural(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values (P,) of numbers from coordinates, and their slopes (P, P)."""
        values, slopes = x.copy(), np.eye(len(x))
        values[self.masses] = np.exp(x[self.masses])
        slopes[self.masses, self.masses] = values[self.masses]
        for own in self.inertias:
            values[own], slopes[np.ix_(own, own)] = inertia_of(x[own])
        return values, slopes

    @cached_property
    def positive(self) -> list[int]:
        """Numbers, as they are searched, that a problem refuses below zero."""
        found = []
        for k, value in enumerate(self.values):
            if k in self.masses or any(k in own for own in self.inertias) or value < 0:
                continue
            other = self.values.copy()
            other[k] = -value or -1e-3
            try:
                self.problem_of(other)
            except (ValueError, LocomoteError):
                found.append(k)
        return found

    def limited(self, x: np.ndarray, step: np.ndarray) -> np.ndarray:
        """A step that goes nine tenths of the way to zero, at most, where less than zero is refused, and leaves logarithms
        within FARTHEST of where they began."""
        step = step.copy()
        logs = [*self.masses, *(k for own in self.inertias for k in own[:3])]
        step[logs] = np.clip(x[logs] + step[logs], self.first[logs] - FARTHEST, self.first[logs] + FARTHEST) - x[logs]
        for k in self.positive:
            if x[k] + step[k] <= 0.0:
                step[k] = -0.9 * x[k]
        return step

    def at_edge(self, x: np.ndarray) -> list[str]:
        """Parameters that went as far as they may: bodies without extent or mass."""
        logs = [*self.masses, *(k for own in self.inertias for k in own[:3])]
        far = [k for k in logs if abs(x[k] - self.first[k]) > FARTHEST - 0.5]
        return list(dict.fromkeys(self.numbers[k][0][0] for k in far))

    def parameters(self, values: np.ndarray) -> dict[str, Any]:
        """Whole parameters by name, with some numbers of theirs replaced."""
        found: dict[str, np.ndarray] = {}
        for number, value in zip(self.numbers, values, strict=True):
            for name, index in number:
                found.setdefault(name, np.array(self.problem.parameters[name], dtype=float))[index] = value
        return {name: x if x.ndim else float(x) for name, x in found.items()}

    def problem_of(self, values: np.ndarray) -> Locomotion:
        """The problem with these values."""
        return self.problem.with_parameters(self.parameters(values)) if len(values) else self.problem


def places_of(problem: Locomotion, key: Any) -> list[tuple[str, tuple[int, ...]]]:
    """Numbers that a name, a pattern, or a name with an index means."""
    entry = ENTRY.match(key) if isinstance(key, str) and key not in problem.parameters else None
    if entry:
        names, index = matching(problem, entry[1]), tuple(int(k) for k in entry[2].split(","))
        for name in names:
            shape = problem.parameters.shape(name)
            if len(index) != len(shape) or any(k >= n for k, n in zip(index, shape, strict=True)):
                raise ValueError(f"{key!r} of {problem.name!r}: {name!r} has the shape {shape}")
        return [(name, index) for name in names]
    return [(name, index) for name in matching(problem, key) for index in np.ndindex(problem.parameters.shape(name))]


def matching(problem: Locomotion, key: Any) -> list[str]:
    """Names of parameters that a name or pattern means."""
    try:
        return problem.parameters.matching(key)
    except UnknownName:
        raise UnknownName("parameter", key, (*STARTS, *problem.parameters), f"problem {problem.name!r}") from None


def tied(problem: Locomotion, keys: Sequence[Any]) -> list[Number]:
    """Numbers that stay equal: the first of all, the second of all, and so on."""
    each = [places_of(problem, key) for key in keys]
    if not each or len({len(places) for places in each}) > 1:
        raise ValueError(f"{keys!r:.80} are tied, but have {', '.join(str(len(places)) for places in each)} numbers")
    return [tuple(places) for places in zip(*each, strict=True)]


def label(problem: Locomotion, number: Number) -> str:
    """A name of a number: that of the parameter, with an index if it has several."""
    return " = ".join(f"{name}[{','.join(map(str, index))}]" if index else name for name, index in number)
