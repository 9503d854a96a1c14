"""Force terms: what acts on bodies from outside or between them, by name, and packed for compiled code.

Everything that can stand in `environment` beside plain functions has a method `term(model)` that gives a `Term`: a kind, the
places where it acts and its numbers. A place is a frame on a body, or in the world.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from locomote.forces.kinds import Kind
from locomote.model.flexible.along import Along
from locomote.model.model import Model

# columns of packed terms: address of the rule; first place, how many, and how many of them are the term's own side; first
# number; whether its energy is elastic, and whether it has any
ADDRESS, FIRST, COUNT, OWN, START, ELASTIC, STORES = range(7)
COLUMNS = 7
PLACEMENT = 12  # numbers of a place: rotation, then displacement, in the packed frame of its body


class Place(NamedTuple):
    """A frame on a body (None: the world), by its pose in the frame of the body."""

    body: str | Along | None
    pose: np.ndarray

    @property
    def named(self) -> "Place":
        """The same on the body that a problem has hung on the section, if it is one."""
        return self._replace(body=str(self.body)) if isinstance(self.body, Along) else self

    @staticmethod
    def at(body: str | Along | None, point=(0.0, 0.0, 0.0)) -> "Place":
        """The frame of a body, moved to a point."""
        pose = np.eye(4)
        pose[:3, 3] = point
        return Place(body, pose)


@dataclass(frozen=True)
class Term:
    """A force ready for packing.

    places : where it acts; of a law between two bodies, pairs in a row
    numbers : of its law, flat
    elastic : whether its energy counts as elastic; it is potential energy otherwise
    scratch : rows after those of its places that its rule may write in, and leaves zero
    """

    name: str
    kind: Kind
    places: tuple[Place, ...]
    numbers: tuple[float, ...]
    elastic: bool = False
    scratch: int = 0


@runtime_checkable
class ForceTerm(Protocol):
    """What may stand in `environment`."""

    def term(self, model: Model) -> Term | None:
        """The force on a model, if there is any; faults of names and numbers show here."""
        ...


class Packed(NamedTuple):
    """Terms as arrays, see Plan."""

    table: np.ndarray  # (terms, COLUMNS)
    bodies: np.ndarray  # (places,) rows of the packed model
    placements: np.ndarray  # (places, PLACEMENT)
    numbers: np.ndarray  # (numbers,)


def terms_of(model: Model, environment: Sequence, taken: Sequence[str]) -> tuple[Term, ...]:
    """The terms of an environment, each with a name of its own; taken : names that mean something else."""
    terms, names = [], set(taken)
    for element in environment:
        if isinstance(element, ForceTerm):
            term = element.term(model)
            if term is None:
                continue
            if not term.name or "/" in term.name:
                raise ValueError(f"a force cannot be called {term.name!r}: a name has letters and no '/'")
            if term.name in names:
                raise ValueError(f"two forces are called {term.name!r} (or a source of work is): give each a name, name=...")
            names.add(term.name)
            terms.append(replace(term, places=tuple(place.named for place in term.places)))
        elif not callable(element):
            raise TypeError(
                f"environment holds {element!r:.60}, expected a force such as lo.Spring, or a function (t, q, v) -> "
                f"{{body: wrench}}"
            )
    return tuple(terms)


def pack_terms(model: Model, terms: Sequence[Term], *, plain: bool = False) -> Packed:
    """Terms for compiled code; plain : for kernels that run as plain Python."""
    table, bodies, placements, numbers = [], [], [], []
    for term in terms:
        own = len(term.places) // term.kind.bodies
        address = term.kind.plain_address if plain else term.kind.address
        table.append([address, len(bodies), len(term.places), own, len(numbers), int(term.elastic), int(term.kind.energy)])
        for place in (*term.places, *[Place.at(None)] * term.scratch):
            row, pose = len(model.topology) - 1, np.array(place.pose, dtype=float)
            if place.body is not None:
                index = model.body_index(str(place.body))
                row, pose = model.carrier[index], model.placement[index] @ pose
            bodies.append(row)
            placements.append([*pose[:3, :3].ravel(), *pose[:3, 3]])
        numbers += term.numbers
    return Packed(
        np.array(table, np.int64).reshape(-1, COLUMNS), np.array(bodies, np.int64),
        np.array(placements, float).reshape(-1, PLACEMENT), np.array(numbers, float),
    )  # fmt: skip
