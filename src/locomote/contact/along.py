"""Touches on sections of rods: where a stretch of a rod may touch, with which balls, and the length that each stands for.

The skin of a rod is what balls with the radii of its sections, about its center line, cover. A stretch has such balls at
Lobatto's points, both ends among them. With as many points as its free bending has ways to leave a plane (one for each of its
coordinates and two of the root), contacts on a plane carry each just the load of their length: the weights of Lobatto's rule
are positive and exact for these ways, so that no load is left to share. With more points, loads are shared in many ways.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.polynomial import legendre

from locomote.contact.touch import Touch
from locomote.model.flexible.along import Along, own_nodes, rod_of
from locomote.model.flexible.rod_packing import shapes_of
from locomote.model.flexible.rods import STRAINS, Rod
from locomote.model.model import Model

ROUND = 1e-9  # relative difference of the half sizes of a round section
SIDEWAYS = ("bending_y", "bending_z", "shear_y", "shear_z")  # what moves sections sideways
PER_LENGTH = ("stiffness", "damping", "shear", "shear_damping")  # properties of ground below a stretch


@dataclass(frozen=True)
class Stretch:
    """A touch along a rod: its name, the rod, X of its sections and the lengths that they stand for, m."""

    title: str
    rod: str
    sections: tuple[float, ...]
    shares: tuple[float, ...]


def lobatto(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Points of Lobatto's rule in 0..1, from two on, and their weights, whose sum is one."""
    last = np.eye(count)[-1]
    x = np.concatenate([[-1.0], np.sort(legendre.legroots(legendre.legder(last)).real), [1.0]])
    weights = 1.0 / (count * (count - 1) * legendre.legval(x, last) ** 2)
    return (x + 1) / 2, weights


def radius_at(rod: Rod, x: float) -> float:
    """Radius of a round section at X, m; a ValueError if it is not round."""
    y, z = rod.at(x).size
    if not (y > 0 and abs(y - z) <= ROUND * y):
        raise ValueError(
            f"the section at X = {x:g} m is not round, half sizes {y:g} and {z:g} m: give sphere=, the radius of balls about "
            f"its center, or points= of its edges"
        )
    return float(y)


def natural_points(rod: Rod, part: float, imposed: Sequence[bool]) -> int:
    """How many points touch on a part (0..1) of a rod if nothing is said; on one that is imposed its mass nodes."""
    free = [STRAINS[c] for (c, _, _), held in zip(shapes_of(rod)[0], imposed, strict=True) if not held]
    most = max(free.count(name) for name in SIDEWAYS)
    return 2 + int(np.ceil(most * part - 1e-9)) if most else own_nodes(rod, part * float(rod.length))


def on_section(model: Model, touch: Touch) -> Touch:
    """A touch on one section of a rod; without a shape it is a ball with the radius of the section."""
    if isinstance(touch.body, Along) and not touch.shaped:
        return replace(touch, sphere=radius_at(rod_of(model, touch.body.rod), touch.body.x))
    return touch


def spread(model: Model, touch: Touch, title: str, imposed: Sequence[bool]) -> tuple[Stretch, list[Touch]]:
    """A touch along a rod as touches of its sections. imposed : whether each coordinate of the rod is"""
    rod = rod_of(model, str(touch.body))
    length, start = float(rod.length), float(touch.start or 0.0)
    end = length if touch.end is None else float(touch.end)
    if not 0.0 <= start < end <= length * (1 + 1e-12):
        raise ValueError(
            f"it goes from X = {start:g} to {end:g} m, expected a stretch of rod {touch.body!r}, which is {length:g} m long"
        )
    count = natural_points(rod, (end - start) / length, imposed) if touch.elements is None else touch.elements
    points, weights = lobatto(count)
    places, shares = start + (end - start) * points, (end - start) * weights
    made = []
    for k, (x, share) in enumerate(zip(places.tolist(), shares.tolist(), strict=True)):
        own = {name: getattr(touch.ground, name) for name in PER_LENGTH}
        ground = replace(touch.ground, **{name: value * share for name, value in own.items() if value})
        ball = touch.sphere or (None if touch.points else radius_at(rod, x))
        made.append(
            Touch(Along(str(touch.body), x), ground, points=touch.points, sphere=ball, at=touch.at, name=f"{title}.{k}")
        )
    return Stretch(title, str(touch.body), tuple(places.tolist()), tuple(shares.tolist())), made
