"""Which collision shapes of a model are near each other: all pairs of bodies that may touch, and their gaps.

Left out are pairs on bodies that do not move relative to each other, or of which one hangs on the other; those whose groups and
masks keep them apart; those that a file keeps apart (`Description.apart`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from numbers import Real

import numpy as np

from locomote.brief import brief
from locomote.contact.collisions import reach_of
from locomote.contact.separation import Separation, separation
from locomote.dynamics.kinematics import forward_kinematics
from locomote.model.description import Collision
from locomote.model.model import Model, checked_model

Off = tuple[Collision, Collision, str]  # two shapes and why they are kept apart
GROUPS, FILE = "groups and masks", "its file"
FLAT = ("plane", "hfield")


@brief
@dataclass(frozen=True)
class NearPair:
    """Two collision shapes that are near each other; its normal goes from the first to the second."""

    first: Collision
    second: Collision
    separation: Separation

    @property
    def gap(self) -> float:
        """Their distance, or minus the depth by which they overlap, m."""
        return self.separation.gap


def self_collisions(model: Model, q, *, margin: float = 0.0) -> tuple[NearPair, ...]:
    """Pairs of collision shapes of a model whose gap is at most a margin, the deepest first.

    q : (nq,) ; margin : m; with 0 those that overlap
    """
    checked_model(model)
    if not (isinstance(margin, Real) and np.isfinite(margin)):
        raise ValueError(f"margin is {margin!r:.40}, expected a length in m")
    pairs, _ = filtered_pairs(model, solids_among(model.collisions))
    return near_pairs(model, model.checked_q(q, "q"), pairs, float(margin))


def near_pairs(
    model: Model, q: np.ndarray, pairs: Iterable[tuple[Collision, Collision]], margin: float
) -> tuple[NearPair, ...]:
    """Those of some pairs of shapes whose gap at q is at most a margin, the deepest first."""
    poses, balls, found = forward_kinematics(model, q), {}, []
    for a, b in pairs:
        pose, other = (poses[model.body_index(x.body)] if x.body else np.eye(4) for x in (a, b))
        for x in (a, b):
            if id(x) not in balls:
                balls[id(x)] = reach_of(x)
        away = (pose @ balls[id(a)][0])[:3] - (other @ balls[id(b)][0])[:3]
        if np.linalg.norm(away) <= balls[id(a)][1] + balls[id(b)][1] + margin:
            gap = separation(a, pose, b, other)
            if gap.gap <= margin:
                found.append(NearPair(a, b, gap))
    return tuple(sorted(found, key=lambda pair: pair.gap))


def filtered_pairs(model: Model, shapes: Sequence[Collision]) -> tuple[list[tuple[Collision, Collision]], list[Off]]:
    """Pairs of shapes that neither the tree, nor their groups, nor the file keep apart; those that groups or the file do."""
    world = len(model.topology) - 1
    carriers = [int(model.carrier[model.body_index(x.body)]) if x.body else world for x in shapes]
    parents, apart = parents_of(model), {frozenset(pair) for pair in model.description.apart}
    pairs: list[tuple[Collision, Collision]] = []
    off: list[Off] = []
    for (a, one), (b, two) in combinations(zip(shapes, carriers, strict=True), 2):
        if one == two or parents.get(one, -1) == two or parents.get(two, -1) == one:
            continue
        if not (a.group & b.mask or b.group & a.mask):
            off.append((a, b, GROUPS))
        elif frozenset((a.body, b.body)) in apart:
            off.append((a, b, FILE))
        else:
            pairs.append((a, b))
    return pairs, off


def solids_among(shapes: Iterable[Collision]) -> list[Collision]:
    """Shapes that are solid: neither planes nor height fields."""
    return [shape for shape in shapes if shape.shape not in FLAT]


def parents_of(model: Model) -> dict[int, int]:
    """Moving body -> the moving body that carries the named bodies above it, if any; those of several joints of one body are
    one, and the world is no parent: what stands on it may touch it."""
    found: dict[int, int] = {}
    world = len(model.topology) - 1
    for name, carrier in zip(model.body_names, model.carrier, strict=True):
        above = model.body(name).parent
        if above is not None:
            outer = int(model.carrier[model.body_index(above)])
            if outer not in (int(carrier), world):
                found[int(carrier)] = min(outer, found.get(int(carrier), outer))
    return found
