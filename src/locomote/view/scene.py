"""A scene: what there is to draw, as plain data that films, reports and the viewer share.

    Piece   a mesh that moves with a body (or stands in the world)
    Strut   a thin bar between two points of bodies: rods without mass, springs, telescopes
    Tube    a shape that bends: sections along a center line, each with a radius and a value that gives its colour

Layers name what can be switched on and off. A Frames has the poses of all bodies over time, and what comes with them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from locomote.geometry.meshes import Mesh

if TYPE_CHECKING:
    from locomote.forces.flows.fields import Flow

Color = tuple[float, float, float, float]
LAYERS = {  # layer -> (what it is, whether it is shown at first)
    "shapes": ("bodies", True),
    "joints": ("joints and links drawn from them", True),
    "wheels": ("wheels and blades", True),
    "surfaces": ("surfaces", True),
    "ground": ("ground", True),
    "water": ("surface of the water, specks in it", True),
    "flow": ("vorticity of the flow", True),
    "stream": ("arrows of the flow", False),
    "path": ("net path", True),
    "tracks": ("wheel tracks and footprints", False),
    "forces": ("forces", False),
    "cones": ("friction cones", False),
    "pressure": ("loads of contacts", False),
    "center": ("center of mass", False),
    "ghosts": ("ghost poses", False),
    "frames": ("frames and names", False),
}
LOADS = frozenset({"forces", "cones", "pressure"})  # layers for which forces are computed
WORLD = -1


@dataclass(frozen=True, eq=False)
class Piece:
    """A mesh on a body.

    body : place of the body in `model.body_names`, WORLD for what does not move
    placement : (4, 4) of the mesh in the body frame
    """

    name: str
    mesh: Mesh
    color: Color
    body: int
    placement: np.ndarray = field(default_factory=lambda: np.eye(4))
    layer: str = "shapes"


@dataclass(frozen=True, eq=False)
class Strut:
    """A thin bar between a point of a body and a point of another, m."""

    name: str
    color: Color
    radius: float
    bodies: tuple[int, int]
    points: tuple[np.ndarray, np.ndarray]
    layer: str = "joints"


@dataclass(frozen=True, eq=False)
class Tube:
    """A shape that bends, with k sections.

    shape : q (n, nq) -> poses of the sections in the world (n, k, 4, 4), their x axis along the center line, and a value for
        each (n, k), which gives the colour, or None
    radius : (k,) or (k, 2) radii of the sections, along their y and z axes, m
    title, unit : what the value is, such as "curvature" and "1/m"
    limits : values of the ends of the colour scale; None: the smallest and largest that are drawn, of all with the same title
    profile : (bent.AROUND, 2) corners of every section over its radii, from y to z; None: those of a circle
    """

    name: str
    shape: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray | None]]
    radius: np.ndarray
    color: Color = (0.85, 0.55, 0.25, 1.0)
    title: str = ""
    unit: str = ""
    limits: tuple[float, float] | None = None
    layer: str = "shapes"
    profile: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Stream:
    """A fluid that flows by itself, on a level grid: its law, x (columns,) and y (rows,) of the grid and its height, m."""

    flow: "Flow"
    x: np.ndarray
    y: np.ndarray
    level: float


@dataclass(frozen=True, eq=False)
class Flowing:
    """A Stream over time.

    t : (n,) s ; vorticity : (n, rows, columns) about z, 1/s ; velocity : (n, rows, columns, 2) along x and y, m/s
    """

    t: np.ndarray
    vorticity: np.ndarray
    velocity: np.ndarray


@dataclass(frozen=True, eq=False)
class Scene:
    """Everything that can be drawn of a model.

    size : length by which joints, arrows and the like are measured, m
    ground : height of the ground, m; None if there is none
    missing : what could not be drawn, in sentences
    up : (3,) unit vector that pictures have upwards: z, but where gravity points along another axis
    water : whether it is in water, whose bottom the ground is ; surface : height of the surface of the water, m
    specks : (k, 3) places of specks that stand still in it, m ; stream : how it flows by itself
    """

    name: str
    bodies: tuple[str, ...]
    pieces: tuple[Piece, ...]
    struts: tuple[Strut, ...] = ()
    tubes: tuple[Tube, ...] = ()
    size: float = 1.0
    ground: float | None = None
    missing: tuple[str, ...] = ()
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)
    water: bool = False
    surface: float | None = None
    specks: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    stream: Stream | None = None


@dataclass(frozen=True, eq=False)
class Arrows:
    """A force (or moment) over time.

    kind : reaction, drive or environment ; unit : N or N m
    at, vector : (n, 3) where it acts and what it is, in the world, m and its unit
    """

    name: str
    kind: str
    unit: str
    at: np.ndarray
    vector: np.ndarray


@dataclass(frozen=True, eq=False)
class Press:
    """A place that presses on a surface, over time.

    at : (n, 3) m ; axes : (n, 3, 3) whose third column is the outward normal of the surface
    load : (n,) along the normal, N ; friction : how far the force may lean along the first axis and along the second
    """

    name: str
    at: np.ndarray
    axes: np.ndarray
    load: np.ndarray
    friction: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Frames:
    """A scene over time, or at one time.

    t : (n,) s ; poses : (n, bodies, 4, 4) in the world
    tubes : for each Tube of the scene, poses (n, k, 4, 4) and values (n, k) or None
    arrows : forces ; scales : unit -> how much of it an arrow of 1 m is ; presses : places with friction that touch
    center : (n, 3) center of mass, m
    flow : the stream of the scene over time
    path : (m, 3) the whole way of the base, m, and path_t (m,) when it was where, s; None if the base is fixed
    """

    t: np.ndarray
    poses: np.ndarray
    tubes: tuple[tuple[np.ndarray, np.ndarray | None], ...] = ()
    arrows: tuple[Arrows, ...] = ()
    scales: dict[str, float] = field(default_factory=dict)
    presses: tuple[Press, ...] = ()
    flow: Flowing | None = None
    center: np.ndarray | None = None
    path: np.ndarray | None = None
    path_t: np.ndarray | None = None


def tube_limits(tubes: tuple[Tube, ...], moved) -> dict[tuple[str, str], tuple[float, float]]:
    """Title and unit -> values of the ends of the colour scale, which all tubes of one kind share.

    moved : poses and values of each tube, as in Frames
    """
    found: dict[tuple[str, str], tuple[float, float]] = {}
    for tube, (_, values) in zip(tubes, moved, strict=True):
        if values is None or np.isnan(values).all():
            continue
        low, high = tube.limits or (float(np.nanmin(values)), float(np.nanmax(values)))
        before = found.get((tube.title, tube.unit), (low, high))
        found[tube.title, tube.unit] = min(low, before[0]), max(high, before[1])
    return found


def world_pose(poses: np.ndarray, body: int) -> np.ndarray:
    """(..., 4, 4) of a body among poses (..., bodies, 4, 4); the identity for the world."""
    return poses[..., body, :, :] if body >= 0 else np.broadcast_to(np.eye(4), (*poses.shape[:-3], 4, 4))


def world_point(poses: np.ndarray, body: int, point) -> np.ndarray:
    """(..., 3) a point of a body in the world."""
    pose = world_pose(poses, body)
    return pose[..., :3, :3] @ np.asarray(point, dtype=float) + pose[..., :3, 3]


def piece_corners(scene: Scene, poses: np.ndarray, layers=("shapes", "joints", "wheels")) -> np.ndarray:
    """(n, k, 3) corners of a box around every piece that moves with a body, in the world."""
    corners = []
    for piece in scene.pieces:
        if piece.layer in layers and piece.body >= 0 and len(piece.mesh.vertices):
            low, high = piece.mesh.vertices.min(axis=0), piece.mesh.vertices.max(axis=0)
            own = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
            pose = world_pose(poses, piece.body) @ piece.placement
            corners.append(np.einsum("nij,kj->nki", pose[:, :3, :3], own) + pose[:, None, :3, 3])
    for strut in scene.struts:
        if strut.layer in layers:
            corners.append(
                np.stack([world_point(poses, b, x) for b, x in zip(strut.bodies, strut.points, strict=True)], axis=1)
            )
    return np.concatenate(corners, axis=1) if corners else poses[:, :, :3, 3]
