"""Events that a user asks for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.brief import brief


@brief
@dataclass(frozen=True)
class When:
    """Something to watch for: a function (t, q, v) -> number whose zero is an event.

    direction : 1 rising, -1 falling, 0 both ; terminal : the run ends there, in the state of the event
    after : s, the time from which on it is watched: what it does before, or at a start on zero, counts for nothing
    then : (t, q, v) -> v, a new velocity to go on with, or None
    open, close : names of constraints that do not hold, or hold again, from there on: velocities jump onto those that close,
        which loses energy; unilateral contacts are ignored, or looked at again
    """

    function: Callable[..., Any]
    direction: int = 0
    terminal: bool = False
    name: str = ""
    then: Callable[..., Any] | None = None
    after: float = -np.inf
    open: Sequence[str] = ()
    close: Sequence[str] = ()

    @property
    def switches(self) -> tuple[tuple[str, Sequence[str]], ...]:
        """What it opens and closes."""
        return ("open", self.open), ("close", self.close)

    @property
    def acts(self) -> bool:
        """Whether it changes the motion."""
        return self.then is not None or any(len(names) for _, names in self.switches)

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> float:
        """Its value, zero before it is watched: no crossing begins from there."""
        return float(self.function(t, q, v)) if t >= self.after else 0.0


def as_when(event: Any) -> When:
    """An event as the user gives it: a When, or a function with SciPy's attributes `terminal` and `direction`."""
    if isinstance(event, When):
        return event
    if not callable(event):
        raise TypeError(f"an event is a function (t, q, v) -> number or lo.When, not {event!r:.60}")
    direction, terminal = getattr(event, "direction", 0), bool(getattr(event, "terminal", False))
    return When(event, int(np.sign(direction)), terminal, getattr(event, "__name__", ""))
