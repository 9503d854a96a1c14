"""The mesh files and colours that the geoms of an MJCF file name."""

from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np

from locomote.formats import poses
from locomote.formats.faults import Faults
from locomote.formats.mesh_files import mesh_triangles
from locomote.formats.meshes import MeshFinder
from locomote.formats.mjcf.defaults import Defaults
from locomote.formats.mjcf.elements import choice
from locomote.formats.mjcf.mesh_inertia import KINDS, hull_of
from locomote.formats.mjcf.settings import Settings
from locomote.formats.numbers import numbers
from locomote.formats.xml import Node

MOST = 3_000_000  # numbers of corners, and of faces


@dataclass(frozen=True)
class Mesh:
    """A mesh asset: its file, the pose `reference` of the file's frame before it is scaled, and how its inertia is found."""

    file: str
    scale: tuple[float, ...]
    reference: np.ndarray
    inertia: str = "legacy"
    open: bool = False  # whether the file may be read, or the corners are said
    said: tuple[np.ndarray, np.ndarray] | None = None  # corners (n, 3) and faces (m, 3) of a mesh without a file

    @property
    def triangles(self) -> np.ndarray:
        """(n, 3, 3) as scaled, in the frame of the geom; a ValueError says what is wrong with the file."""
        if self.said is None:
            known = mesh_triangles(self.file).astype(np.float32).astype(float)  # as MuJoCo reads it
        else:
            known = said_triangles(*self.said)
        scaled = (known @ self.reference[:3, :3].T + self.reference[:3, 3]) * np.array(self.scale)
        return scaled[:, ::-1] if np.prod(self.scale) < 0 else scaled

    @property
    def corners(self) -> np.ndarray:
        """(n, 3) of a mesh without a file, as scaled, in the frame of the geom."""
        known = np.zeros((0, 3)) if self.said is None else self.said[0]
        return (known @ self.reference[:3, :3].T + self.reference[:3, 3]) * np.array(self.scale)

    @property
    def placement(self) -> np.ndarray:
        """The pose of the scaled mesh in the frame of the geom; exact unless it is turned and stretched."""
        return poses.pose(self.reference[:3, :3], self.reference[:3, 3] * self.scale)


def said_triangles(corners: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """(n, 3, 3) triangles of a mesh that the file itself says: its faces, or those of its hull."""
    return corners[faces] if len(faces) else hull_of(corners)


@dataclass(frozen=True)
class Assets:
    """Meshes with a file, and colours of materials, by name."""

    meshes: dict[str, Mesh]
    colors: dict[str, tuple[float, float, float, float]]


def read_assets(root: Node, defaults: Defaults, settings: Settings, finder: MeshFinder, faults: Faults) -> Assets:
    """The assets of a file. They are only looked at, so what is wrong with one is a warning and leaves it out."""
    own = Faults(faults.source)
    assets = Assets({}, {})
    for node in (asset for section in root.all("asset") for asset in section.children):
        if node.tag == "mesh" and (file := node.get("file")):
            name = node.get("name") or PurePosixPath(file).stem
            assets.meshes.setdefault(name, _mesh(defaults.fill(node, None), settings, finder, own))
        elif node.tag == "mesh" and node.get("vertex") is not None and (name := node.get("name")):
            if (said := _said(node, own)) is not None:
                form = _form(defaults.fill(node, None), own)
                assets.meshes.setdefault(name, Mesh("", *form, open=True, said=said))
        elif node.tag == "material" and (name := node.get("name")):
            color = numbers(defaults.fill(node, None), "rgba", 4, own, (1.0, 1.0, 1.0, 1.0))
            assets.colors.setdefault(name, color)
    for sentence in own.faults:
        faults.warn(None, sentence)
    return assets


def _mesh(element, settings: Settings, finder: MeshFinder, faults: Faults) -> Mesh:
    path = element.get("file")
    if settings.strippath:
        path = PurePosixPath(path.replace("\\", "/")).name
    if settings.meshdir:
        path = str(PurePosixPath(settings.meshdir) / path)
    file, form = finder.find(path), _form(element, faults)
    return Mesh(file, *form, finder.may_open(file))


def _said(node: Node, faults: Faults) -> tuple[np.ndarray, np.ndarray] | None:
    """Corners and faces that an element says itself; None after a fault."""
    corners = np.array(numbers(node, "vertex", (12, MOST), faults, ()), np.float32).astype(float)  # as MuJoCo keeps them
    faces = np.array(numbers(node, "face", (0, MOST), faults, ()))
    if not len(corners) or len(corners) % 3 or len(faces) % 3:
        faults.add(node, f"has {len(corners)} numbers of corners and {len(faces)} of faces, expected three of each")
        return None
    corners, faces = corners.reshape(-1, 3), faces.reshape(-1, 3)
    if not ((faces >= 0) & (faces < len(corners)) & (faces % 1 == 0)).all():
        faults.add(node, "a face names a corner that is not there")
        return None
    return corners, faces.astype(np.int64)


def _form(element, faults: Faults) -> tuple[tuple[float, ...], np.ndarray, str]:
    """Scale, reference and kind of inertia of a mesh."""
    turn = numbers(element, "refquat", 4, faults, (1.0, 0.0, 0.0, 0.0))
    turn = np.eye(3) if not any(turn) else poses.from_quaternion(*turn[1:], turn[0])
    reference = poses.pose(turn, numbers(element, "refpos", 3, faults, (0.0, 0.0, 0.0)))
    scale, kind = numbers(element, "scale", 3, faults, (1.0, 1.0, 1.0)), choice(element, "inertia", KINDS, "legacy", faults)
    return scale, poses.inverse(reference), kind
