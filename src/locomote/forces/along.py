"""Forces along bodies: on a straight line of a rigid body, or on sections of a rod.

A rod bends, so a place on it is a section, `Along(rod, X)`. What acts on a stretch of a rod acts on sections at Gauss points of
the stretch, for the length that each stands for; by default these are the mass nodes of the rod, where its motion is known
anyway. Problems hang a body without mass on every such section, in a model of their own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.forces.numbers import Vector, a_number, a_vector, frame_along, pose_of, whole_number
from locomote.forces.terms import ForceTerm, Place
from locomote.model.flexible.along import Along, own_nodes, rod_of, with_bodies_on
from locomote.model.model import Model

MOST = 2000  # points along a line


@dataclass(frozen=True)
class Line:
    """Where a force acts along a body, from `start` to `end`: points of its frame, or X of two sections of a rod, m.

    towards : a direction of the body frame, or of the sections, that z of the places is near to; z if None
    """

    body: str
    start: Vector | float
    end: Vector | float
    towards: Any = None
    labels: tuple[str, str] = ("start", "end")

    @property
    def on_rod(self) -> bool:
        """Whether it lies on a rod."""
        return np.ndim(self.start) == 0 and np.ndim(self.end) == 0

    @property
    def ends(self) -> np.ndarray:
        """(2, 3) points of the body frame, or of a straight rod."""
        given = zip(self.labels, (self.start, self.end), strict=True)
        if self.on_rod:
            return np.array([[a_number(label, x, least=0.0), 0.0, 0.0] for label, x in given])
        return np.array([a_vector(label, x) for label, x in given])

    @property
    def length(self) -> float:
        """m"""
        return float(np.linalg.norm(np.subtract(*self.ends)))

    @property
    def rotation(self) -> np.ndarray:
        """(3, 3) axes of the places: x along the line."""
        return frame_along(self.ends[1] - self.ends[0], self.towards)

    def point(self, x: float) -> np.ndarray:
        """(3,) at x in 0..1 from start to end, in the body frame, or on the section there."""
        return np.zeros(3) if self.on_rod else self.ends[0] + x * (self.ends[1] - self.ends[0])

    def body_at(self, x: float) -> str | Along:
        """The body, or the section of the rod, at x."""
        return Along(self.body, float((self.ends[0] + x * (self.ends[1] - self.ends[0]))[0])) if self.on_rod else self.body

    def place(self, x: float, rotation: np.ndarray | None = None) -> Place:
        """The frame at x; rotation : its axes, if not those of the line."""
        return Place(self.body_at(x), pose_of(self.rotation if rotation is None else rotation, self.point(x)))

    def nodes(self, model: Model, count: int | None, usual: int) -> tuple[np.ndarray, np.ndarray]:
        """Gauss points x in 0..1, and the length that each stands for. count : how many; if None `usual` on a rigid body, on a
        rod its own mass nodes, as far as they lie on the line."""
        if count is None and self.on_rod:
            count = own_nodes(rod_of(model, self.body), self.length)
        s, share = np.polynomial.legendre.leggauss(usual if count is None else whole_number("elements", count, most=MOST))
        return (s + 1) / 2, share / 2 * self.length

    def middles(self, model: Model, count: int | None, usual: int) -> tuple[np.ndarray, np.ndarray]:
        """As `nodes`; on a rigid body middles of equal pieces, for laws that are exact on a straight piece."""
        if self.on_rod:
            return self.nodes(model, count, usual)
        many = usual if count is None else whole_number("elements", count, most=MOST)
        return (np.arange(many) + 0.5) / many, np.full(many, self.length / many)


def with_sections(model: Model, environment: Sequence[Any]) -> Model:
    """The model with a body on every section of a rod that an environment acts on; itself if there is none."""
    sections = (section for element in environment for section in sections_of(model, element))
    return with_bodies_on(model, sections, "a force acts")


def sections_of(model: Model, element: Any) -> Iterable[Along]:
    """Sections of rods that a force acts on, or brings inertia to."""
    term = element.term(model) if isinstance(element, ForceTerm) else None
    places = [place.body for place in term.places] if term is not None else []
    added = getattr(element, "added_inertia", None)
    inertias = {} if added is None else added(model)
    return [body for body in (*places, *inertias) if isinstance(body, Along)]
