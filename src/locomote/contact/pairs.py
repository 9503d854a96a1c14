"""Which collision shapes of a model may touch each other, and which are kept apart, each with the reason.

Kept apart are shapes on bodies that do not move relative to each other, or of which one hangs on the other; those whose groups
and masks say so; those that a file keeps apart (`Description.apart`); and those that overlap in the reference posture, which
would lock joints. What floats and lies on something, or a little in it, locks no joint and stays.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.contact.bodies import BodyContacts, Solid
from locomote.contact.collisions import parts_of, reach_of
from locomote.contact.self_collisions import NearPair, Off, filtered_pairs, near_pairs, solids_among
from locomote.errors import UnknownName
from locomote.model.description import Collision
from locomote.model.model import Model, checked_model

FRICTION = 0.7  # of shapes whose file says none
SUNK = 0.05  # of the size of the smaller shape, to which what floats may overlap others
OVERLAP, SAID = "overlap at the start", "as said"


@brief
@dataclass(frozen=True)
class CollisionPairs:
    """Pairs of collision shapes of a model that may touch each other; those that are off, with the reason of each.

    pairs : ((shape, shape), ...) ; off : ((shape, shape, reason), ...), neighbours in the tree left out
    """

    model: Model
    pairs: tuple[tuple[Collision, Collision], ...]
    off: tuple[Off, ...] = ()

    def __len__(self) -> int:
        return len(self.pairs)

    def without(self, first: str, second: str) -> "CollisionPairs":
        """The pairs without those of two bodies."""
        for name in (first, second):
            if name not in self.model.body_names:
                raise UnknownName("body", name, self.model.body_names, f"model {self.model.name!r}")
        gone = [pair for pair in self.pairs if {pair[0].body, pair[1].body} == {first, second}]
        kept = tuple(pair for pair in self.pairs if not any(pair is x for x in gone))
        return replace(self, pairs=kept, off=(*self.off, *((a, b, SAID) for a, b in gone)))

    def only(self, bodies: Collection[str]) -> "CollisionPairs":
        """The pairs of which both shapes are on these bodies."""
        for name in bodies:
            if name not in self.model.body_names:
                raise UnknownName("body", name, self.model.body_names, f"model {self.model.name!r}")
        kept = tuple(pair for pair in self.pairs if {pair[0].body, pair[1].body} <= set(bodies))
        gone = [pair for pair in self.pairs if not any(pair is x for x in kept)]
        return replace(self, pairs=kept, off=(*self.off, *((a, b, SAID) for a, b in gone)))

    def contacts(
        self, *, friction: float | None = None, restitution: float = 0.0, tolerance: float = 0.0, room: int = 0,
        slippery: bool = False,
    ) -> list[BodyContacts]:  # fmt: skip
        """Contacts of a problem, one for each friction.

        friction : of all pairs; if None the larger of what the file says of both, the smaller if slippery, 0.7 where it says
            nothing
        tolerance : error of convex hulls of meshes, m ; room : how many pairs can touch at a time; enough if 0
        """
        solids: dict[int, Solid] = {}
        for shape in (shape for pair in self.pairs for shape in pair):
            if id(shape) not in solids:
                solids[id(shape)] = solid_of(shape, tolerance)
        by_friction: dict[float, list[tuple[Solid, Solid]]] = {}
        for a, b in self.pairs:
            said = [x.friction for x in (a, b) if x.friction is not None]
            mu = float(friction) if friction is not None else float((min if slippery else max)(said, default=FRICTION))
            by_friction.setdefault(mu, []).append((solids[id(a)], solids[id(b)]))
        found = []
        for k, (mu, pairs) in enumerate(by_friction.items()):
            own = list({id(x): x for pair in pairs for x in pair}.values())
            place = {id(x): n for n, x in enumerate(own)}
            name = "bodies" if k == 0 else f"bodies_{k + 1}"
            numbers = tuple((place[id(a)], place[id(b)]) for a, b in pairs)
            found.append(BodyContacts(tuple(own), numbers, mu, restitution, room, name))
        return found


def solid_of(shape: Collision, tolerance: float = 0.0) -> Solid:
    """A collision shape as a solid: of a mesh its hull."""
    if shape.shape in ("cylinder", "ellipsoid"):
        return Solid(shape.body or None, replace(shape, placement=np.eye(4)), np.array(shape.placement), shape.title)
    (part,) = parts_of(shape, tolerance=tolerance)
    return Solid(shape.body or None, part.shape, part.pose, shape.title)


def collision_pairs(
    model: Model, q: Any = None, *, bodies: Collection[str] | None = None, walls: Sequence[Collision] = ()
) -> CollisionPairs:
    """Pairs of collision shapes of a model that may touch each other.

    q : (nq,) reference posture; pairs that overlap there are off. If None, nothing is known of a posture and none is off for it
    bodies : those whose shapes may touch; all if None ; walls : shapes of the world
    """
    checked_model(model)
    for name in () if bodies is None else bodies:
        if name not in model.body_names:
            raise UnknownName("body", name, model.body_names, f"model {model.name!r}")
    shapes = [x for x in solids_among(model.collisions) if bodies is None or x.body in bodies]
    shapes += solids_among(replace(wall, body="") for wall in walls)
    pairs, off = filtered_pairs(model, shapes)
    if q is not None:
        pairs, more = without_overlaps(model, model.checked_q(q, "q"), pairs)
        off += more
    return CollisionPairs(model, tuple(pairs), tuple(off))


def without_overlaps(model: Model, q: np.ndarray, pairs: Sequence[tuple[Collision, Collision]]):
    """Pairs that do not overlap at q, and those that do, with the reason."""
    trees = floating_trees(model)

    def locks(near: NearPair) -> bool:
        one, other = (trees.get(x.body, "") for x in (near.first, near.second))
        return one == other or -near.gap > SUNK * min(reach_of(x)[1] for x in (near.first, near.second))

    deep = {(id(near.first), id(near.second)) for near in near_pairs(model, q, pairs, 0.0) if locks(near)}
    kept = [pair for pair in pairs if (id(pair[0]), id(pair[1])) not in deep]
    return kept, [(a, b, OVERLAP) for a, b in pairs if (id(a), id(b)) in deep]


def floating_trees(model: Model) -> dict[str, str]:
    """Body -> root of its tree, of those whose root floats."""
    found: dict[str, str] = {}
    for name in model.body_names:
        above = model.body(name).parent
        if above is not None:
            found |= {name: found[above]} if above in found else {}
        elif [model.joint(joint).kind for joint in model.body(name).joints] == ["free"]:
            found[name] = name
    return found
