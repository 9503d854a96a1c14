"""Shapes of bodies that may touch each other, as a contact of a problem, and packed for `contact.meeting`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.contact import meeting_columns as col
from locomote.contact.separation import convex_numbers
from locomote.errors import UnknownName
from locomote.geometry import convex
from locomote.geometry.shape import Shape
from locomote.geometry.shapes.hull import Hull
from locomote.geometry.shapes.plane import Plane
from locomote.geometry.table import pack_surface
from locomote.model.columns import PARENT
from locomote.model.description import Collision
from locomote.model.model import Model, twelve
from locomote.spatial.numbers import as_numbers
from locomote.spatial.rotations_arrays import split_rotation

FREE, EACH = 12, 6  # pairs of shapes that can touch at a time: some, and some for each tree of bodies but the first
MOST_FRICTION = 1e4


@brief
@dataclass(frozen=True)
class Solid:
    """A convex shape on a body, or on the world if that is None: lo.Box, lo.Sphere, lo.Capsule, lo.Ellipsoid, lo.Hull, or a
    lo.Collision for a cylinder; of the world also a lo.Plane; pose : (4, 4) of the shape in the body."""

    body: str | None
    shape: Shape | Collision
    pose: np.ndarray = field(default_factory=lambda: np.eye(4))
    name: str = ""

    def __post_init__(self) -> None:
        pose = as_numbers(self.pose, "pose of a solid", "(4, 4)")
        if pose.shape != (4, 4) or not np.isfinite(pose).all():
            raise ValueError(f"pose of {self.title!r} has shape {pose.shape}, expected finite numbers (4, 4)")
        split_rotation(pose[:3, :3], f"rotation of {self.title!r}")
        object.__setattr__(self, "pose", pose)

    @property
    def title(self) -> str:
        """The name, or that of the body."""
        return self.name or str(self.body or "world")


@brief
@dataclass(frozen=True)
class BodyContacts:
    """Pairs of convex shapes that may touch each other, with one law.

    pairs : places of both in `solids` ; friction, restitution : as of lo.Ground
    room : how many pairs can touch at a time; a number that should do if 0
    """

    solids: tuple[Solid, ...]
    pairs: tuple[tuple[int, int], ...]
    friction: float = 0.7
    restitution: float = 0.0
    room: int = 0
    name: str = "bodies"

    def __post_init__(self) -> None:
        for name, most in (("friction", MOST_FRICTION), ("restitution", 1.0)):
            value = getattr(self, name)
            if not (isinstance(value, Real) and not value < 0.0 and value <= most):
                raise ValueError(f"{name} of {self.name!r} is {value!r:.40}, expected a number from 0 to {most:g}")
        if not (isinstance(self.room, int) and self.room >= 0):
            raise ValueError(f"room of {self.name!r} is {self.room!r:.40}, expected how many pairs can touch at a time")
        for solid in self.solids:
            if not isinstance(solid, Solid):
                raise TypeError(f"solids of {self.name!r} hold {solid!r:.60}, expected lo.Solid")
        for pair in self.pairs:
            if len(pair) != 2 or not all(0 <= k < len(self.solids) for k in pair) or pair[0] == pair[1]:
                raise ValueError(
                    f"pairs of {self.name!r} hold {pair!r:.40}, expected places of two of {len(self.solids)} solids"
                )

    @property
    def title(self) -> str:
        """The name."""
        return self.name

    def blocks(self, model: Model) -> int:
        """How many pairs can touch at a time."""
        moving = {root_of(model, int(model.carrier[model.body_index(x.body)])) for x in self.solids if x.body is not None}
        return min(len(self.pairs), self.room or FREE + EACH * max(len(moving) - 1, 0))


class PackedBodies:
    """Tables of `contact.meeting`, filled meeting by meeting."""

    def __init__(self, model: Model, hulls: Any):
        self.model, self.hulls = model, hulls
        self.solids: list[np.ndarray] = []
        self.known: dict[int, int] = {}
        self.heads: dict[Hull, int] = {}
        self.pairs: list[tuple[int, int, int]] = []
        self.pools: list[tuple[int, int]] = []

    def add(self, meeting: BodyContacts, first: int) -> None:
        """Take a meeting whose spots begin at `first`."""
        places = []
        for solid in meeting.solids:
            if id(solid) not in self.known:
                self.known[id(solid)] = len(self.solids)
                self.solids.append(self.solid(solid, meeting.title))
            places.append(self.known[id(solid)])
        for i, j in meeting.pairs:
            one, two = (int(self.solids[places[k]][col.BODY]) for k in (i, j))
            if one == two:
                a, b = (meeting.solids[k].title for k in (i, j))
                raise ValueError(f"contact {meeting.title!r}: {a!r} and {b!r} do not move relative to each other")
            below, above = (places[j], places[i]) if self.is_plane(places[j]) else (places[i], places[j])
            if self.is_plane(above):
                raise ValueError(f"contact {meeting.title!r}: two planes do not touch each other")
            self.pairs.append((below, above, len(self.pools)))
        self.pools.append((first, meeting.blocks(self.model)))

    def is_plane(self, place: int) -> bool:
        """Whether a solid is all that is below a plane."""
        return int(self.solids[place][convex.KIND]) == convex.HALF

    def solid(self, solid: Solid, title: str) -> np.ndarray:
        """A row of the table of solids."""
        model, row = self.model, np.zeros(col.SOLID)
        try:
            if isinstance(solid.shape, Plane):
                if solid.body is not None:
                    raise ValueError("a plane that bodies touch belongs to the world: lo.Solid(None, lo.Plane(...))")
                numbers, own, hull = np.zeros(convex.NUMBERS), pack_surface(solid.shape).frame, None
                numbers[convex.KIND] = convex.HALF
            else:
                numbers, own, hull = convex_numbers(solid.shape)
            body, pose = len(model.topology) - 1, solid.pose @ own
            if solid.body is not None:
                index = model.body_index(solid.body)
                body, pose = int(model.carrier[index]), model.placement[index] @ pose
        except UnknownName:
            raise
        except ValueError as error:
            raise ValueError(f"contact {title!r}: {error}") from None
        if hull is not None:
            if hull not in self.heads:
                self.heads[hull] = self.hulls.add_plain(hull)
            numbers[convex.HEAD] = self.heads[hull]
        middle, radius = ball_about(numbers, hull)
        row[: convex.NUMBERS], row[col.BODY] = numbers, body
        row[col.FRAME : col.FRAME + 12] = twelve(pose)
        row[col.CENTER : col.CENTER + 3], row[col.BALL] = (pose @ [*middle, 1.0])[:3], radius
        return row

    def arrays(self) -> dict[str, np.ndarray]:
        """Arrays of a plan."""
        solids = np.array(self.solids).reshape(-1, col.SOLID)
        bodies = sorted({int(row[col.BODY]) for row in solids})
        place = {body: k for k, body in enumerate(bodies)}
        reaches = np.zeros(len(bodies))
        for row in solids:
            k = place[int(row[col.BODY])]
            reaches[k] = max(reaches[k], float(np.linalg.norm(row[col.CENTER : col.CENTER + 3])) + row[col.BALL])
        roots = [root_of(self.model, body) for body in bodies]
        met: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
        for pair in self.pairs:
            one, two = sorted(place[int(solids[pair[k], col.BODY])] for k in range(2))
            met.setdefault((one, two), []).append(pair)
        pairs, meets, world = [], [], len(self.model.topology) - 1
        for (one, two), own in met.items():
            same = roots[one] == roots[two] and roots[one] != world
            meets.append((one, two, len(pairs), len(pairs) + len(own), int(same)))
            pairs += own
        return {
            "solids": solids, "carriers": np.array(list(zip(bodies, roots, strict=True)), np.int64).reshape(-1, 2),
            "reaches": reaches, "meets": np.array(meets, np.int64).reshape(-1, col.MEETS),
            "pairs": np.array(pairs, np.int64).reshape(-1, 3), "pools": np.array(self.pools, np.int64).reshape(-1, 2),
        }  # fmt: skip


def root_of(model: Model, body: int) -> int:
    """The first moving body of the tree of a moving body; the world for itself."""
    world = len(model.topology) - 1
    while body != world and model.topology[body, PARENT] != world:
        body = int(model.topology[body, PARENT])
    return body


def ball_about(numbers: np.ndarray, hull: Hull | None) -> tuple[np.ndarray, float]:
    """A ball about a shape in its frame: center (3,) and radius, m."""
    if hull is not None:
        return hull.middle, float(np.linalg.norm(hull.corners - hull.middle, axis=1).max())
    a, b, c = numbers[convex.SIZE : convex.SIZE + 3]
    kind = int(numbers[convex.KIND])
    size = {
        convex.POINT: 0.0, convex.SEGMENT: a, convex.BLOCK: np.sqrt(a * a + b * b + c * c), convex.ROD: np.hypot(a, b),
        convex.EGG: max(a, b, c), convex.HALF: 0.0,
    }[kind]  # fmt: skip
    return np.zeros(3), float(size + numbers[convex.RADIUS])


def pairs_of(problem: Any) -> list[tuple[Solid, Solid]]:
    """The solids of each pair, in the order of the plan: numbers of `contact_pairs` less one."""
    made, found = [x for x in problem.contacts if isinstance(x, BodyContacts)], []
    solids = list({id(solid): solid for x in made for solid in x.solids}.values())
    for first, second, _ in problem.plan.pairs:
        found.append((solids[first], solids[second]))
    return found


def said_touches(contacts: Sequence[Any]) -> list[Any]:
    """Those of contacts that are said by lo.Touch."""
    return [x for x in contacts if not isinstance(x, BodyContacts)]
