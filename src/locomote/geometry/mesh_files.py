"""Corners of the meshes in files, for convex hulls: STL and OBJ by this file, others by trimesh.

Only where corners are matters here; `view.mesh_files` reads what is to be seen.
"""

import importlib
import math
import os

import numpy as np

LARGEST = 200e6  # bytes of a file that is still read
STL_HEAD, STL_TRIANGLE = 84, 50  # bytes


def mesh_corners(path: str) -> np.ndarray:
    """(n, 3) corners of all triangles of a file, in its own frame and unit; a ValueError says why it cannot be read."""
    try:
        regular, size = os.path.isfile(path), os.path.getsize(path)
    except (OSError, ValueError):
        regular, size = False, 0
    if not regular:
        raise ValueError(f"mesh {path}: there is no such file")
    if size > LARGEST:
        raise ValueError(f"mesh {path}: {size / 1e6:.0f} MB are too much to read")
    ending = os.path.splitext(path)[1].lower()
    if ending in (".stl", ".obj"):
        try:
            with open(path, "rb") as stream:
                data = stream.read()
        except OSError as error:
            raise ValueError(f"mesh {path} cannot be read: {error.strerror}") from None
        points = from_stl(data, path) if ending == ".stl" else from_obj(data, path)
    else:
        points = by_trimesh(path)
    if not len(points):
        raise ValueError(f"mesh {path}: it has no corners")
    if not np.isfinite(points).all():
        raise ValueError(f"mesh {path}: some corners are not finite")
    return points


def from_stl(data: bytes, path: str) -> np.ndarray:
    """Corners in an STL file, binary or text."""
    count = int.from_bytes(data[80:84], "little") if len(data) >= STL_HEAD else -1
    if count >= 0 and len(data) == STL_HEAD + STL_TRIANGLE * count:
        layout = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
        return np.frombuffer(data, layout, count, STL_HEAD)["corners"].reshape(-1, 3).astype(float)
    if not data.lstrip()[:5].lower() == b"solid":
        raise ValueError(f"mesh {path}: this is not an STL file: {len(data)} bytes are not those of {max(count, 0)} triangles")
    return from_lines(data, b"vertex", path)


def from_obj(data: bytes, path: str) -> np.ndarray:
    """Corners in an OBJ file."""
    return from_lines(data, b"v", path)


def from_lines(data: bytes, word: bytes, path: str) -> np.ndarray:
    """Three numbers from each line that begins with a word."""
    found = []
    for number, line in enumerate(data.splitlines(), 1):
        parts = line.split()
        if not parts or parts[0] != word:
            continue
        try:
            point = [float(x) for x in parts[1:4]]
        except ValueError:
            point = []
        if len(point) != 3 or not all(map(math.isfinite, point)):
            raise ValueError(f"mesh {path}: line {number} should have three finite numbers after {word.decode()!r}")
        found.append(point)
    return np.array(found, float).reshape(-1, 3)


def by_trimesh(path: str) -> np.ndarray:
    """Corners in a file of another kind."""
    try:
        trimesh = importlib.import_module("trimesh")
        if path.lower().endswith(".dae"):
            importlib.import_module("collada")
    except ImportError:
        raise ValueError(f"mesh {path}: reading it needs trimesh and pycollada: pip install 'locomote[view]'") from None
    try:
        scene = trimesh.load_scene(path, process=False)
        parts = [np.asarray(part.vertices, float)[np.unique(part.faces)] for part in scene.dump() if hasattr(part, "faces")]
    except Exception as error:  # readers of files fail in many ways
        raise ValueError(f"mesh {path} cannot be read: {type(error).__name__}: {error}") from None
    return np.concatenate(parts) if parts else np.zeros((0, 3))
