"""Mesh files (STL, OBJ, DAE, PLY, GLB), read by trimesh."""

import contextlib
import io
import logging
import os
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from locomote.geometry.meshes import Mesh
from locomote.runs.optional import MissingPackage, package

LARGEST = 200e6  # bytes of a file that is still read
MOST = 2_000_000  # faces


@dataclass(frozen=True)
class Loaded:
    """What a file shows: meshes with the colours that it gives them, None where it gives none."""

    parts: tuple[tuple[Mesh, tuple[float, float, float, float] | None], ...]


_known: dict[tuple[str, float], Loaded] = {}


def load_mesh(path: str) -> Loaded:
    """The meshes of a file, in its own frame and unit; ValueError says why it cannot be shown."""
    try:
        status = os.stat(path)
    except OSError:
        raise ValueError(f"mesh {path}: there is no such file") from None
    key = (os.path.abspath(path), status.st_mtime)
    if key not in _known:
        if status.st_size > LARGEST:
            raise ValueError(f"mesh {path}: {status.st_size / 1e6:.0f} MB are too much to draw")
        _known[key] = Loaded(tuple(_read(path)))
    return _known[key]


def _read(path: str):
    trimesh = package("trimesh", "showing mesh files", "'locomote[view]'")
    if path.lower().endswith(".dae"):
        package("collada", "showing mesh files of the kind .dae", "'locomote[view]'")
    logging.getLogger("trimesh").setLevel(logging.ERROR)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            scene = trimesh.load_scene(path, process=False)
            parts = [part for part in scene.dump() if isinstance(part, trimesh.Trimesh) and len(part.faces)]
    except MissingPackage:
        raise
    except Exception as error:  # readers of files fail in many ways
        raise ValueError(f"mesh {path} cannot be read: {type(error).__name__}: {error}") from None
    if not parts and path.lower().endswith(".dae"):
        yield from _read_dae(path)
        return
    if not parts:
        raise ValueError(f"mesh {path}: it has no triangles")
    if sum(len(part.faces) for part in parts) > MOST:
        raise ValueError(f"mesh {path}: more than {MOST} triangles are too many to draw")
    for part in parts:
        vertices, faces = np.array(part.vertices, dtype=float), np.array(part.faces, dtype=np.int64)
        if not np.isfinite(vertices).all():
            raise ValueError(f"mesh {path}: some corners are not finite")
        yield Mesh(vertices, faces), _color(part)


def _read_dae(path: str):
    """The triangles of a COLLADA file of which trimesh finds none, such as one whose materials refer to nothing."""
    collada: Any = import_module("collada")

    def placed(nodes, pose: np.ndarray):
        for node in nodes:
            own = pose @ np.asarray(getattr(node, "matrix", np.eye(4)), dtype=float)
            element = getattr(node, "xmlnode", None)
            for part in () if element is None else element:
                if str(part.tag).endswith("}instance_geometry"):
                    yield part.get("url", "#").removeprefix("#"), own
            yield from placed(getattr(node, "children", ()), own)

    try:
        file = collada.Collada(path, ignore=[collada.common.DaeError])
        shapes = {geometry.id: geometry.primitives for geometry in file.geometries}
        found = []
        for name, pose in placed(file.scene.nodes, np.eye(4)):
            for part in shapes.get(name, ()):
                part = part.triangleset() if hasattr(part, "triangleset") else part
                index = getattr(part, "vertex_index", None)
                if index is not None and index.ndim == 2 and index.shape[1] == 3 and len(index):
                    found.append(Mesh(np.array(part.vertex, dtype=float), np.array(index, dtype=np.int64)).moved(pose))
    except Exception as error:  # readers of files fail in many ways
        raise ValueError(f"mesh {path} cannot be read: {type(error).__name__}: {error}") from None
    if not found:
        raise ValueError(f"mesh {path}: it has no triangles")
    yield from ((mesh, None) for mesh in found)


def _color(part) -> tuple[float, float, float, float] | None:
    """The main colour of a mesh, None if it says nothing about it."""
    with contextlib.suppress(Exception):
        material = getattr(part.visual, "material", None)
        if material is not None:
            color = np.asarray(material.main_color, dtype=float)
        elif part.visual.kind in ("face", "vertex"):
            color = np.asarray(part.visual.main_color, dtype=float)
        else:
            return None
        if color.shape == (4,) and np.isfinite(color).all():
            return tuple(float(x) / 255 for x in color)  # type: ignore[return-value]
    return None
