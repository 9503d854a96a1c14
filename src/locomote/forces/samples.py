"""Functions along a body, as numbers: a force asks its sections at some places only, and a file has to keep no more."""

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np

from locomote.forces.added_inertia import AddsInertia
from locomote.forces.terms import ForceTerm
from locomote.model.model import Model


@dataclass(frozen=True)
class Samples:
    """A function of 0..1 by its values at some x, straight lines between them."""

    x: tuple[float, ...]
    values: tuple[float, ...]

    def __call__(self, x: float) -> float:
        return float(np.interp(x, self.x, self.values))


class Asked:
    """A function that remembers where it was asked, and what it said."""

    def __init__(self, function: Callable[[float], Any]):
        self.function, self.seen = function, {}

    def __call__(self, x: float):
        answer = self.function(x)
        self.seen[float(x)] = answer
        return answer

    def samples(self) -> Samples:
        """All answers; a ValueError if there were none."""
        if not self.seen:
            raise ValueError(f"{self.function!r:.60} cannot be stored, since it is a Python function")
        places = sorted(self.seen)
        return Samples(tuple(places), tuple(float(self.seen[x]) for x in places))


def tabulated(element: Any, model: Model) -> Any:
    """A force whose functions along the body are Samples, with the same term and the same added inertia; others as they are."""
    if not is_dataclass(element) or not isinstance(element, ForceTerm):
        return element
    asked = changed(element, lambda f: f if isinstance(f, Samples) else Asked(f))
    if asked is element:
        return element
    asked.term(model)
    if isinstance(asked, AddsInertia):
        asked.added_inertia(model)
    return changed(asked, lambda f: f.samples() if isinstance(f, Asked) else f)


def changed(value: Any, change: Callable[[Any], Any]) -> Any:
    """The same with every function in its fields changed; itself if there is none."""
    if isinstance(value, (tuple, list)):
        parts = [changed(x, change) for x in value]
        return value if all(a is b for a, b in zip(parts, value, strict=True)) else tuple(parts)
    if is_dataclass(value) and not isinstance(value, type) and not callable(value):
        new = {f.name: changed(getattr(value, f.name), change) for f in fields(value) if f.init}
        new = {name: x for name, x in new.items() if x is not getattr(value, name)}
        return replace(value, **new) if new else value
    return change(value) if callable(value) and not isinstance(value, type) else value
