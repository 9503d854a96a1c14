"""Elastic cables along paths over bodies.

With length l, its rate l', natural lengths from a to b and limits from c to d, the tension is

    T = T_0 + k s(l; a, b) + D l' + (k_e e + D_e l' where e is not zero) ,   e = s(l; c, d)                              (1)

where s(l; a, b) is l - b above b, l - a below a, and zero between. A cable that can be slack has a = 0.
"""

from dataclasses import dataclass
from typing import ClassVar

from locomote.brief import brief
from locomote.compiler.scalars import select
from locomote.compiler.source import helper
from locomote.forces.kinds import ENERGY, LOSS, Kind
from locomote.forces.numbers import a_number, a_vector
from locomote.forces.paths import numbers_of, places_of, put_unit_pull
from locomote.forces.terms import Term
from locomote.model.model import Model
from locomote.model.paths import Path

TENSION, STIFFNESS, SHORTEST, LONGEST, DAMPING, LOWER, UPPER, STOP, STOP_DAMPING = range(9)
NUMBERS = 9


@helper
def stretch(length, shortest, longest):
    """s of (1)."""
    return select(length > longest, length - longest, select(length < shortest, length - shortest, 0.0 * length))


def pull_along(t, places, first, count, numbers, start, wrenches, results, row):
    """The rule of a cable: its numbers, then its path."""
    length, rate = put_unit_pull(places, first, count, numbers, start + NUMBERS, wrenches)
    tension, stiffness, damping = numbers[start + TENSION], numbers[start + STIFFNESS], numbers[start + DAMPING]
    away = stretch(length, numbers[start + SHORTEST], numbers[start + LONGEST])
    beyond = stretch(length, numbers[start + LOWER], numbers[start + UPPER])
    stop = numbers[start + STOP]
    damping = damping + select(beyond * beyond > 0.0, numbers[start + STOP_DAMPING], 0.0)
    force = tension + stiffness * away + damping * rate + stop * beyond  # (1)
    for n in range(first, first + count):
        for k in range(6):
            wrenches[n, k] = force * wrenches[n, k]
    results[row, ENERGY] = tension * length + 0.5 * stiffness * away * away + 0.5 * stop * beyond * beyond
    results[row, LOSS] = damping * rate * rate


def has_stops(numbers) -> bool:
    """Whether a cable with these numbers has limits at which a force sets in."""
    limited = numbers[LOWER] > -FAR or numbers[UPPER] < FAR
    return bool(limited and (numbers[STOP] or numbers[STOP_DAMPING]))


CABLE = Kind("cable", pull_along, (), energy=True, whole=True)
FAR = 1e9  # m, where limits are that do not exist


@brief
@dataclass(frozen=True)
class Cable:
    """A cable or elastic band along a path over bodies.

    tension : N, that is always there ; stiffness : N/m ; length : at rest, m, or (shortest, longest) between which it has no
        force: (0, l) hangs slack below l ; damping : N s/m
    limits : (shortest, longest), m, beyond which it is as stiff as stop_stiffness, N/m, and damped by stop_damping, N s/m
    """

    cable: ClassVar[bool] = True  # drawn along its path

    path: Path
    stiffness: float = 0.0
    length: float | tuple[float, float] = 0.0
    damping: float = 0.0
    tension: float = 0.0
    limits: tuple[float, float] | None = None
    stop_stiffness: float = 0.0
    stop_damping: float = 0.0
    name: str = "cable"

    def term(self, model: Model) -> Term:
        """The cable as a force term."""
        shortest, longest = _between("length", self.length, self.name)
        lower, upper = (-FAR, FAR) if self.limits is None else _between("limits", self.limits, self.name)
        amounts = [
            a_number(f"{what} of {self.name!r}", getattr(self, what), least=0.0)
            for what in ("stiffness", "damping", "stop_stiffness", "stop_damping")
        ]
        tension = a_number(f"tension of {self.name!r}", self.tension)
        stiffness, damping, stop, stop_damping = amounts
        numbers = (tension, stiffness, shortest, longest, damping, lower, upper, stop, stop_damping)
        return Term(self.name, CABLE, places_of(self.path), (*numbers, *numbers_of(self.path)), elastic=True)


def _between(what: str, given, name: str) -> tuple[float, float]:
    """Two rising numbers."""
    if isinstance(given, (int, float)):
        one = a_number(f"{what} of {name!r}", given)
        return one, one
    lower, upper = a_vector(f"{what} of {name!r}", given, 2)
    if lower > upper:
        raise ValueError(f"{what} of {name!r} is {lower:g} to {upper:g} m, expected the shorter one first")
    return lower, upper
