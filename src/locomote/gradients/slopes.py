"""What `lo.gradient` gives beside the value: slopes by name, and how they were found."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.brief import short
from locomote.tables import lines_of

HEAD = ("by", "slope", "unit")


@dataclass(frozen=True)
class Switch:
    """Something that switched in a run: when (s), what, and whether slopes of one side and of the other differ there."""

    t: float
    what: str
    corner: bool


class Slopes(dict[str, Any]):
    """Slopes of a goal by name, arrays as the inputs are; by "q" (nv,) along the tangent, as `model.integrate` moves.

    units : by name, of the goal and of each column, such as "m per N m"
    way : "reverse" (backwards over the steps) or "forward" (along each input)
    memory : bytes for states that were kept ; checkpoints : whether steps were taken twice to need no more
    switches : what switched when, of Switch ; corners among them have two slopes, of which this is one
    said : what was differentiated by differences, such as a controller in Python, in sentences
    check : relative error against differences along a random direction, if it was asked for
    """

    def __init__(
        self,
        slopes: dict[str, np.ndarray],
        *,
        units: dict[str, Any],
        way: str,
        memory: float = 0.0,
        checkpoints: bool = False,
        switches: tuple[Switch, ...] = (),
        said: tuple[str, ...] = (),
    ):
        super().__init__(slopes)
        self.units, self.way, self.memory, self.checkpoints, self.switches = units, way, memory, checkpoints, switches
        self.said = said
        self.check: float | None = None

    def __str__(self) -> str:
        """A table of what was differentiated: numbers, or sizes of arrays, with units."""
        rows = []
        for name, value in self.items():
            unit = self.units.get(name, "")
            number = f"{float(value):.6g}" if np.ndim(value) == 0 else short(np.round(value, 12))
            rows.append((name, number, unit if isinstance(unit, str) else ", ".join(dict.fromkeys(map(str, unit)))))
        return "\n".join(lines_of(rows, HEAD))

    def __repr__(self):
        parts = ", ".join(f"{name} {np.shape(value)}" for name, value in self.items())
        return f"<Slopes by {parts}; {self.way}>"
