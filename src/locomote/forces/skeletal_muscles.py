"""Muscles along paths over bodies, activated by a number."""

from dataclasses import astuple, dataclass
from typing import ClassVar

from locomote.brief import brief
from locomote.forces.kinds import ENERGY, LOSS, Kind
from locomote.forces.muscle_curves import pull_of_fibres
from locomote.forces.numbers import a_number, a_vector
from locomote.forces.paths import numbers_of, places_of, put_unit_pull
from locomote.forces.terms import Term
from locomote.model.model import Model
from locomote.model.paths import Fibres, Path

NUMBERS = 11


def contract(t, places, first, count, numbers, start, wrenches, results, row):
    """The rule of a muscle: activation, its fibres, then its path."""
    length, rate = put_unit_pull(places, first, count, numbers, start + NUMBERS, wrenches)
    k = start + 1
    force = pull_of_fibres(
        length, rate, numbers[start], numbers[k], numbers[k + 1], numbers[k + 2], numbers[k + 3], numbers[k + 4],
        numbers[k + 5], numbers[k + 6], numbers[k + 7], numbers[k + 8], numbers[k + 9],
    )  # fmt: skip
    for n in range(first, first + count):
        for i in range(6):
            wrenches[n, i] = force * wrenches[n, i]
    results[row, ENERGY] = 0.0
    results[row, LOSS] = force * rate


MUSCLE = Kind("muscle", contract, (), whole=True)


@brief
@dataclass(frozen=True)
class SkeletalMuscle:
    """A muscle along a path over bodies, which pulls as its fibres do at its length and speed; see lo.Fibres.

    activation : from 0 to 1 (a muscle with a changing activation is one of lo.load_scene, or a lo.Sampled controller)
    """

    cable: ClassVar[bool] = True  # drawn along its path

    path: Path
    fibres: Fibres
    activation: float = 0.0
    name: str = "muscle"

    def term(self, model: Model) -> Term:
        """The muscle as a force term."""
        activation = a_number(f"activation of {self.name!r}", self.activation, least=0.0)
        numbers = (activation, *fibre_numbers(self.fibres, self.name))
        return Term(self.name, MUSCLE, places_of(self.path), (*numbers, *numbers_of(self.path)))


def fibre_numbers(fibres: Fibres, name: str) -> tuple[float, ...]:
    """(10,) numbers of the curves of a muscle, checked."""
    if not isinstance(fibres, Fibres):
        raise TypeError(f"fibres of {name!r} are {fibres!r:.60}, expected lo.Fibres")
    first, last = a_vector(f"lengths of {name!r}", fibres.lengths, 2)
    lower, upper = a_vector(f"fibre lengths of {name!r}", fibres.between, 2)
    if not last > first or not upper > lower:
        raise ValueError(f"lengths of {name!r} must rise: {first:g} to {last:g} m, {lower:g} to {upper:g} of the best one")
    rest = [a_number(f"a number of the fibres of {name!r}", value, least=0.0) for value in astuple(fibres)[3:]]
    return (a_number(f"force of {name!r}", fibres.force, least=0.0), first, last, lower, upper, *rest)
