"""What a shape is to the rest of the library, and the small vector algebra that shapes share.

A file of `shapes/` has the class of a shape, those of the functions below that it has, and a `ROW` that names them; `table`
collects the rows. Compiled functions take a shape as a tuple (code, three numbers, ...) in its own frame, and a place y in it:

    gap(surface, y)            outward normal n there, and the distance from the surface (less than zero within)
    normal_rate(surface, y, dy)    K dy , K = dn/dy the curvature
    support(shape, n)          s(n), the point of the shape, from its center, whose own outward normal is -n
    support_rate(shape, n, dn)     ds(n)

A `Spot` is a place of a body shape that may touch a surface, see `contact.spots`. Which spots a pair has, (shape on the body,
surface), is a function of both in `pairs`; it stands in the file of the later of the two.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from locomote.compiler.callbacks import Callback
from locomote.compiler.scalars import select, sqrt
from locomote.compiler.source import helper
from locomote.geometry.meshes import Mesh
from locomote.spatial.algebra import cross, dot, scale, subtract

Vector = tuple[float, float, float]
# places in the tuple of a surface: its code, three numbers, and what a height field needs
KIND, SIZE, RISE, COUNT, FUNCTIONS, FUNCTION, PLACE, RESULT = range(8)
SHAPE_NUMBERS = 3
# in place of the radius of a rim: an edge, cut to a face of a box; where an edge is nearest; a corner of a hull
CUT, CROSSING, LOWEST = -4.0, -5.0, -6.0
PAIRED = -7.0  # a slot for shapes of two bodies that meet (`contact.meeting`)


class Shape:
    """A shape as users say it: plain data, in the frame of the body that carries it."""


class Surface(Shape):
    """A shape that bodies may touch, or roll on."""


class Spot(NamedTuple):
    """A place of a body shape, in its frame: a point, or a ball; of a circle about z; of an edge; or a corner of a hull."""

    place: Any = (0.0, 0.0, 0.0)  # or the middle of the circle or edge, m
    radius: float = 0.0  # radius of the ball
    rim: float = 0.0  # radius of the circle; CUT or CROSSING for an edge, LOWEST for a corner of a hull
    angle: float = 0.0  # on the circle, from its lowest point, rad; number of the slot of a hull
    edge: Any = (0.0, 0.0, 0.0)  # half of it, towards the end that this spot is for
    keeps: bool = False  # a corner that belongs to several edges is the end of only one
    turned: bool = False  # it is a place of the surface, and touches the body shape


class Packed(NamedTuple):
    """A shape as numbers: its code, three numbers, its frame (4, 4), and the function of a height field."""

    kind: int
    numbers: np.ndarray
    frame: np.ndarray
    callback: Callback | None = None


class Row(NamedTuple):
    """A shape in the table; what it has not is None.

    pack : shape -> (its numbers, its frame (4, 4)), or a ValueError
    mesh : shape, corners (low, high) of the motion (None: on a body) -> (Mesh, pose)
    pairs : (class on the body, class of the surface) -> function of both that gives spots
    soft : surface -> gap with its rate, for `forces.soft_ground`; None: by `gap`
    normals : surface, places (n, 3) in its frame -> (n, 3); None: by `gap`
    smooth : whether something can roll on it ; solid : whether a body can be one ; drawn : also on a body that has shapes to
        look at
    """

    shape: type[Shape]
    code: int | None
    pack: Callable[[Any], tuple[Any, np.ndarray]]
    gap: Callable | None = None
    normal_rate: Callable | None = None
    support: Callable | None = None
    support_rate: Callable | None = None
    mesh: Callable[[Any, Any], tuple[Mesh, np.ndarray]] | None = None
    pairs: Mapping[tuple[type, type], Callable[[Any, Any], list[Spot]]] = {}
    soft: Callable | None = None
    normals: Callable | None = None
    smooth: bool = True
    solid: bool = False
    drawn: bool = False


@helper
def apart(r):
    """r, or something short if it is zero, so that it has a direction."""
    return select(dot(r, r) > 0.0, r[0], 1e-12), r[1], r[2]


@helper
def unit(a):
    """The unit vector along a."""
    return scale(1.0 / sqrt(dot(a, a)), a)


@helper
def across(n):
    """A unit vector at right angles to n."""
    if abs(n[0]) < 0.6:
        return unit(cross(n, (1.0, 0.0, 0.0)))
    return unit(cross(n, (0.0, 1.0, 0.0)))


@helper
def unit_rate(a, rate):
    """Rate of the unit vector along a."""
    length = sqrt(dot(a, a))
    u = scale(1.0 / length, a)
    return scale(1.0 / length, subtract(rate, scale(dot(u, rate), u)))


def unit_vector(value, label: str) -> np.ndarray:
    """Three numbers as a vector of unit length."""
    vector = np.array(value, dtype=float)
    length = np.linalg.norm(vector)
    if vector.shape != (3,) or not np.isfinite(length) or length < 1e-12:
        raise ValueError(f"{label} must be three numbers, not all zero; it is {value!r}")
    return vector / length


def framed(turn=None, at=(0.0, 0.0, 0.0)) -> np.ndarray:
    """(4, 4) pose from a rotation and a displacement."""
    pose = np.eye(4)
    pose[:3, 3] = at
    if turn is not None:
        pose[:3, :3] = turn
    return pose


def opened(mesh: Mesh) -> Mesh:
    """The lower half of a closed shape, so that one sees what is inside."""
    middle = mesh.vertices[mesh.faces].mean(axis=1)
    return Mesh(mesh.vertices, mesh.faces[middle[:, 2] <= 0][:, ::-1])
