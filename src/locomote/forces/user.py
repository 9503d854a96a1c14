"""Forces that users write: a plain function becomes a law like those of the library.

@lo.force
def wind(t, R, o, u, w, area, speed):
    ...
    return force, moment

environment=[wind("plate", area=0.1, speed=(3.0, 0.0, 0.0))]
"""

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from locomote.errors import LocomoteError
from locomote.forces.kinds import HANDED, Kind
from locomote.forces.terms import Place, Term
from locomote.model.model import Model


class Law:
    """A law of force that a user wrote; calling it with a body and numbers gives a force for `environment`."""

    leg = False  # whether it is drawn as a leg of a `length` from a `foot` to the body

    def __init__(self, function: Callable, *, bodies: int = 1, energy: bool = False):
        if not inspect.isfunction(function):
            raise TypeError(f"@lo.force is for a plain function, not {function!r:.60}")
        if bodies not in (1, 2):
            raise ValueError(f"bodies is {bodies!r}: a force acts on 1 body or between 2")
        handed = HANDED if bodies == 1 else HANDED + tuple(f"{name}2" for name in HANDED[1:])
        names = list(inspect.signature(function).parameters)
        if len(names) < len(handed):
            raise TypeError(
                f"force {function.__name__!r} takes ({', '.join(names)}), expected ({', '.join(handed)}) and then its own "
                f"numbers: time, rotation and place in the world, velocity and angular velocity in body axes"
            )
        self.function, self.bodies, self.energy = function, bodies, energy
        self.name, self.numbers = function.__name__, tuple(names[len(handed) :])
        self.__doc__, self.__name__ = function.__doc__, function.__name__

    def __call__(self, body: str, other: str | None = None, *, point=(0, 0, 0), other_point=(0, 0, 0), name: str = "", **given):
        """The force on a body, at a point of its frame (m); of a law between two, `other` is the second (None: the world)."""
        return Force(self, body, other, tuple(point), tuple(other_point), name, given)

    def __reduce__(self):
        module, name = self.function.__module__, self.function.__qualname__
        return find_made, (module, name, self.function.__name__, "force")

    def __repr__(self) -> str:
        return f"<force {self.name}({', '.join(self.numbers)})>"


def find_made(module: str, qualname: str, name: str, word: str) -> Any:
    """What a decorator made, by the place of its function: the decorator put it there."""
    import importlib

    value: Any = importlib.import_module(module)
    for step in qualname.split("."):
        value = getattr(value, step, None)
    if value is None or inspect.isfunction(value):
        raise LocomoteError(f"{word} {name!r} is not found at {module}.{qualname}: define it at the top of a module")
    return value


class Force:
    """A user's law acting on a body, with its numbers."""

    def __init__(self, law: Law, body: str, other: str | None, point, other_point, name: str, given: dict[str, Any]):
        self.law, self.body, self.other, self.point, self.other_point = law, body, other, point, other_point
        self.name, self.given = name or f"{law.name} {body}", given
        if wrong := sorted(set(given) ^ set(law.numbers)):
            lacks = [x for x in law.numbers if x not in given]
            raise TypeError(
                f"force {law.name!r} takes {law.numbers}; " + (f"missing: {lacks}" if lacks else f"unknown: {wrong}")
            )

    def term(self, model: Model) -> Term:
        """The force as a term; a law that gives something else than forces shows here."""
        sizes, numbers = [], []
        for label in self.law.numbers:
            value = self.given[label]
            each = [value] if np.ndim(value) == 0 else list(np.asarray(value, dtype=float).ravel())
            if not all(isinstance(x, (int, float, np.number)) and math.isfinite(x) for x in each):
                raise ValueError(f"{label} of force {self.name!r} is {value!r:.40}, expected finite numbers")
            sizes.append(0 if np.ndim(value) == 0 else len(each))
            numbers += [float(x) for x in each]
        self._try(sizes, numbers)
        kind = Kind(self.law.name, self.law.function, tuple(sizes), self.law.bodies, self.law.energy)
        places = [Place.at(self.body, self.point)]
        if self.law.bodies == 2:
            places.append(Place.at(self.other, self.other_point))
        return Term(self.name, kind, tuple(places), tuple(numbers))

    def _try(self, sizes: Sequence[int], numbers: Sequence[float]) -> None:
        """Call the law once, as it is."""
        own, place = [], 0
        for size in sizes:
            own.append(tuple(numbers[place : place + size]) if size else numbers[place])
            place += max(size, 1)
        still = ((1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), (0.1, 0.2, 0.3), (0.4, 0.5, 0.6), (0.7, 0.8, 0.9))
        result = self.law.function(0.0, *(still * self.law.bodies), *own)
        expected = "(force, moment" + ", force2, moment2" * (self.law.bodies == 2) + ", energy, loss" * self.law.energy + ")"
        lengths = [3] * (2 * self.law.bodies) + [0, 0] * self.law.energy
        if not isinstance(result, tuple) or [len(x) if isinstance(x, tuple) else 0 for x in result] != lengths:
            raise TypeError(
                f"force {self.law.name!r} gives {result!r:.80}, expected {expected}, forces and moments of three numbers"
            )


def force(function: Callable | None = None, *, bodies: int = 1, energy: bool = False):
    """A law of force from a plain function, compiled, vectorised and traced like those of the library.

    The function takes t (s), R (9,), o (3,) rotation and place of the body in the world, m, u, w (3,) its velocity and angular
    velocity in body axes, m/s and rad/s, then numbers of its own, and gives force and moment in body axes, N and N m, as
    tuples of three. It calls only functions of `locomote.law`, or others that do.

    bodies : 2 for a force between two bodies: R, o, u, w come twice, two forces and moments are given
    energy : whether it also gives its potential energy (J) and the power that it takes (W): (force, moment, energy, loss)
    """
    if function is None:
        return lambda given: Law(given, bodies=bodies, energy=energy)
    return Law(function, bodies=bodies, energy=energy)
