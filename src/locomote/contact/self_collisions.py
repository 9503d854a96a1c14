"""Which collision shapes of a model are near each other: all pairs of bodies that may touch, and their gaps.

Left out are pairs on bodies that do not move relative to each other, or of which one hangs on the other; those whose groups and
masks keep them apart; those that a file keeps apart (`Description.apart`).
"""

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
    poses = forward_kinematics(model, model.checked_q(q, "q"))
    shapes = [shape for shape in model.collisions if shape.shape != "plane"]
    balls = [reach_of(shape) for shape in shapes]
    found = []
    for (i, a), (j, b) in combinations(enumerate(shapes), 2):
        if not may_touch(model, a, b):
            continue
        pose, other = (poses[model.body_index(x.body)] for x in (a, b))
        away = (pose @ balls[i][0])[:3] - (other @ balls[j][0])[:3]
        if np.linalg.norm(away) <= balls[i][1] + balls[j][1] + margin:
            gap = separation(a, pose, b, other)
            if gap.gap <= margin:
                found.append(NearPair(a, b, gap))
    return tuple(sorted(found, key=lambda pair: pair.gap))


def may_touch(model: Model, first: Collision, second: Collision) -> bool:
    """Whether two shapes are not kept apart by the tree, by their groups, or by the file."""
    one, two = (int(model.carrier[model.body_index(shape.body)]) for shape in (first, second))
    if one == two or parent_of(model, one) == two or parent_of(model, two) == one:
        return False
    if not (first.group & second.mask or second.group & first.mask):
        return False
    return not {(first.body, second.body), (second.body, first.body)} & set(model.description.apart)


def parent_of(model: Model, carrier: int) -> int:
    """The moving body that carries the named bodies above a moving body; that of several joints of one body are one."""
    own = [name for name, at in zip(model.body_names, model.carrier, strict=True) if at == carrier]
    above = [model.body(name).parent for name in own]
    outer = {int(model.carrier[model.body_index(name)]) for name in above if name is not None} - {carrier}
    return min(outer) if outer else -1
