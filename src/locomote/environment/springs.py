"""Springs and dampers between points of bodies."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Spring:
    """A spring with a damper between a point of a body and a point of another (the world if None).

    stiffness : N/m ; length : at rest, m ; damping : N s/m
    """

    body: str
    other: str | None = None
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    other_point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    stiffness: float = 0.0
    length: float = 0.0
    damping: float = 0.0
    name: str = ""
