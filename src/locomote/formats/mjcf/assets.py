"""The mesh files and colours that the geoms of an MJCF file name."""

from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np

from locomote.formats import poses
from locomote.formats.faults import Faults
from locomote.formats.meshes import MeshFinder
from locomote.formats.mjcf.defaults import Defaults
from locomote.formats.mjcf.elements import choice
from locomote.formats.mjcf.mesh_inertia import KINDS
from locomote.formats.mjcf.settings import Settings
from locomote.formats.numbers import numbers
from locomote.formats.xml import Node


@dataclass(frozen=True)
class Mesh:
    """A mesh asset: its file, the pose `reference` of the file's frame before it is scaled, and how its inertia is found."""

    file: str
    scale: tuple[float, ...]
    reference: np.ndarray
    inertia: str = "legacy"
    open: bool = False  # whether the file may be read

    @property
    def placement(self) -> np.ndarray:
        """The pose of the scaled mesh in the frame of the geom; exact unless it is turned and stretched."""
        return poses.pose(self.reference[:3, :3], self.reference[:3, 3] * self.scale)


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
    turn = numbers(element, "refquat", 4, faults, (1.0, 0.0, 0.0, 0.0))
    turn = np.eye(3) if not any(turn) else poses.from_quaternion(*turn[1:], turn[0])
    reference = poses.pose(turn, numbers(element, "refpos", 3, faults, (0.0, 0.0, 0.0)))
    scale, kind = numbers(element, "scale", 3, faults, (1.0, 1.0, 1.0)), choice(element, "inertia", KINDS, "legacy", faults)
    file = finder.find(path)
    return Mesh(file, scale, poses.inverse(reference), kind, finder.may_open(file))
