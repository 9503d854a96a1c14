"""Inertia that comes with what is around bodies, such as the fluid that they carry along: it joins that of the model."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from locomote.model.model import Model


@runtime_checkable
class AddsInertia(Protocol):
    """What brings inertia with it."""

    def added_inertia(self, model: Model) -> Mapping[Any, np.ndarray]:
        """(6, 6) added inertia of bodies, by name, and of sections of rods (Along), in their frames."""
        ...


def only_adds_inertia(element: Any, model: Model) -> bool:
    """Whether an element of the environment does nothing but to add inertia: added mass in still water, which keeps momentum;
    not what sheds a wake, lifts or drags."""
    term = getattr(element, "term", None)
    return isinstance(element, AddsInertia) and (term is None or term(model) is None)


def with_added(model: Model, environment: Sequence[Any]) -> Model:
    """The model with the added inertia of an environment; itself if there is none."""
    more: dict[str, np.ndarray] = {}
    for element in environment:
        if isinstance(element, AddsInertia):
            for body, matrix in element.added_inertia(model).items():
                more[str(body)] = more.get(str(body), 0.0) + matrix
    if not more:
        return model
    bodies = tuple(
        body if body.name not in more
        else replace(body, added_inertia=more[body.name] + (0.0 if body.added_inertia is None else body.added_inertia))
        for body in model.description.bodies
    )  # fmt: skip
    return Model(replace(model.description, bodies=bodies))
