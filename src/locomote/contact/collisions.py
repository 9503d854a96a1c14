"""Collision shapes of a model as shapes of contacts: what its file says of bodies, in the words of `geometry.shapes`."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from locomote.brief import brief
from locomote.contact.touch import Ground, Touch
from locomote.errors import UnknownName
from locomote.geometry.shape import Shape, framed
from locomote.geometry.shapes.box import Box
from locomote.geometry.shapes.capsule import Capsule
from locomote.geometry.shapes.disc import Disc
from locomote.geometry.shapes.hull import Hull
from locomote.geometry.shapes.sphere import Sphere
from locomote.model.description import Collision
from locomote.model.model import Model
from locomote.spatial.numbers import as_numbers

ROUND = 600  # corners of the hull that stands for an ellipsoid: 0.3 % of its size
COUNTS = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2, "ellipsoid": 3, "mesh": 3}


@brief
@dataclass(frozen=True)
class Part:
    """A shape that touches for a collision, and its pose (4, 4) in the body: a cylinder has its two ends as discs."""

    collision: Collision
    shape: Shape
    pose: np.ndarray


def parts_of(collision: Collision, *, tolerance: float = 0.0) -> list[Part]:
    """The shapes of a collision; a ValueError says what is wrong with it. tolerance : of hulls, m"""
    kind, pose = collision.shape, np.asarray(collision.placement, float)
    if kind == "hull":
        return [Part(collision, said_hull(collision.size), pose)]
    if kind not in COUNTS:
        raise ValueError(f"a {kind} of a body touches nothing; known: {', '.join(COUNTS)}, hull")
    size = as_numbers(collision.size, "its size", f"({COUNTS[kind]},)")
    if size.shape != (COUNTS[kind],) or not np.isfinite(size).all() or (kind != "mesh" and not size.min() > 0):
        raise ValueError(f"its size is {collision.size!r:.60}, expected {COUNTS[kind]} positive number(s), m")
    if kind == "cylinder":
        ends = [framed(at=(0.0, 0.0, s * size[1] / 2)) for s in (-1, 1)]
        return [Part(collision, Disc(float(size[0])), pose @ end) for end in ends]
    if kind == "box":
        return [Part(collision, Box((float(size[0] / 2), float(size[1] / 2), float(size[2] / 2))), pose)]
    if kind == "sphere":
        return [Part(collision, Sphere(radius=float(size[0])), pose)]
    if kind == "capsule":
        return [Part(collision, Capsule(float(size[0]), float(size[1] / 2)), pose)]
    if kind == "ellipsoid":
        return [Part(collision, Hull(tuple(map(tuple, ball_points() * size))), pose)]
    if not collision.file:
        raise ValueError("it is a mesh without a file")
    return [Part(collision, hull_of(str(collision.file), tuple(map(float, size)), tolerance), pose)]


@lru_cache(maxsize=512)
def said_hull(size: tuple[float, ...]) -> Hull:
    """The hull of corners whose coordinates follow each other."""
    if not size or len(size) % 3:
        raise ValueError(f"its size has {len(size)} numbers, expected x, y, z of each corner")
    return Hull(np.reshape(size, (-1, 3)))  # type: ignore[arg-type]


@lru_cache(maxsize=512)
def hull_of(file: str, scale: tuple[float, float, float], tolerance: float) -> Hull:
    """The hull of a mesh file; a process reads each once."""
    return Hull.of_mesh(file, scale, tolerance=tolerance)


def ball_points() -> np.ndarray:
    """Points all over a ball of radius 1, each other about as far (a spiral)."""
    k = np.arange(ROUND) + 0.5
    z, angle = 1 - 2 * k / ROUND, np.pi * (1 + np.sqrt(5)) * k
    return np.column_stack([np.sqrt(1 - z * z) * np.cos(angle), np.sqrt(1 - z * z) * np.sin(angle), z])


def touching_parts(model: Model, bodies: Collection[str] | None = None, *, tolerance: float = 0.0) -> Iterator[Part]:
    """Shapes of all collisions of bodies that move, or of those named; a ValueError names the collision it is about."""
    for name in () if bodies is None else bodies:
        if name not in model.body_names:
            raise UnknownName("body", name, model.body_names, f"model {model.name!r}")
    world = len(model.topology) - 1
    for collision in model.collisions:
        if model.carrier[model.body_index(collision.body)] == world or (bodies is not None and collision.body not in bodies):
            continue
        try:
            yield from parts_of(collision, tolerance=tolerance)
        except ValueError as error:
            package = (collision.file or "").partition("package://")[2].partition("/")[0]
            which = f"folder that holds the package {package!r}" if package else "folders of its meshes"
            remedy = f"; give the {which} by package_dirs=[...] of lo.load" if "no such file" in str(error) else ""
            raise ValueError(
                f"collision {collision.title!r} of body {collision.body!r} of {model.name!r}: {error}{remedy}"
            ) from None


def touch_of(part: Part, ground: Ground) -> Touch:
    """A shape that touches a ground."""
    shape, own = part.shape, part.collision
    return Touch(own.body, ground, shape=shape, at=part.pose, name=own.title)


def lowest(part: Part, pose: np.ndarray, up: np.ndarray) -> float:
    """How far up the lowest point of a shape is; pose : (4, 4) of its body, up : (3,) unit vector"""
    frame = pose @ part.pose
    middle, n, shape = up @ frame[:3, 3], up @ frame[:3, :3], part.shape
    if isinstance(shape, Sphere):
        return float(middle - shape.radius)
    if isinstance(shape, Box):
        return float(middle - np.array(shape.half) @ abs(n))
    if isinstance(shape, Capsule):
        return float(middle - shape.radius - shape.half * abs(n[2]))
    if isinstance(shape, Disc):
        return float(middle - shape.radius * np.sqrt(max(0.0, 1 - n[2] ** 2)))
    assert isinstance(shape, Hull)
    return float(middle + (shape.corners @ n).min())


def reach_of(collision: Collision) -> tuple[np.ndarray, float]:
    """A ball about a collision: its center (4,), homogeneous, in the body, and its radius, m."""
    pose, kind = np.asarray(collision.placement, float), collision.shape
    if kind in ("mesh", "hull"):
        (part,) = parts_of(collision)
        assert isinstance(part.shape, Hull)
        return pose @ [*part.shape.middle, 1.0], float(np.linalg.norm(part.shape.corners - part.shape.middle, axis=1).max())
    size = np.array(collision.size, float)
    radius = {"box": np.linalg.norm(size) / 2, "sphere": size[0], "ellipsoid": size.max()}.get(kind)
    long = np.hypot(size[0], size[-1] / 2) if kind == "cylinder" else size[0] + size[-1] / 2
    return pose[:, 3], float(long if radius is None else radius)
