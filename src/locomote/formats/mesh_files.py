"""Triangles and corners of mesh files: STL, OBJ and MuJoCo's MSH by this file, corners of others by trimesh.

What cannot be read is a ValueError with the reason. `view.mesh_files` reads what is to be seen, with colours.
"""

import importlib
import os

import numpy as np

LARGEST = 200e6  # bytes of a file that is still read
STL_HEAD, STL_TRIANGLE, MSH_HEAD = 84, 50, 16  # bytes
Parts = tuple[np.ndarray, np.ndarray]  # corners (n, 3), and indices of the corners of triangles (m, 3)


def mesh_triangles(path: str) -> np.ndarray:
    """(m, 3, 3) corners of the triangles of a file, in its own frame and unit."""
    corners, faces = parts_of(path)
    if len(faces) and not (faces.min() >= 0 and faces.max() < len(corners)):
        raise ValueError(f"mesh {path}: a face names a corner that is not there")
    if not len(faces):
        raise ValueError(f"mesh {path}: it has no triangles")
    return corners[faces]


def mesh_corners(path: str) -> np.ndarray:
    """(n, 3) corners of a file, in its own frame and unit."""
    if not os.path.exists(path) or os.path.splitext(path)[1].lower() in READERS:
        return parts_of(path)[0]
    return checked(by_trimesh(path), path)


def parts_of(path: str) -> Parts:
    """Corners, all of them finite, and faces of a file of a kind that is read here."""
    ending = os.path.splitext(path)[1].lower()
    try:
        size = os.stat(path).st_size
        if size > LARGEST:
            raise ValueError(f"mesh {path}: {size / 1e6:.0f} MB are too much to read")
        if ending not in READERS:
            raise ValueError(f"mesh {path}: {ending or 'this'} is not read; expected {', '.join(READERS)}")
        with open(path, "rb") as stream:
            data = stream.read(int(LARGEST) + 1)
    except FileNotFoundError:
        raise ValueError(f"mesh {path}: there is no such file") from None
    except OSError as error:
        raise ValueError(f"mesh {path}: it cannot be read: {error.strerror}") from None
    try:
        corners, faces = READERS[ending](data)
    except ValueError as error:
        raise ValueError(f"mesh {path}: {error}") from None
    return checked(corners, path), faces


def checked(corners: np.ndarray, path: str) -> np.ndarray:
    """Corners, if there are some and all are finite."""
    if not len(corners):
        raise ValueError(f"mesh {path}: it has no corners")
    if not np.isfinite(corners).all():
        raise ValueError(f"mesh {path}: some corners are not finite")
    return corners


def from_stl(data: bytes) -> Parts:
    """Of an STL file, binary or text; every triangle has corners of its own."""
    count = int.from_bytes(data[80:84], "little") if len(data) >= STL_HEAD else -1
    if count >= 0 and len(data) == STL_HEAD + STL_TRIANGLE * count:
        layout = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
        corners = np.frombuffer(data, layout, count, STL_HEAD)["corners"].reshape(-1, 3).astype(float)
    elif data.lstrip()[:5].lower() == b"solid":
        corners = from_lines(data, b"vertex")
    else:
        raise ValueError(f"this is not an STL file: {len(data)} bytes are not those of {max(count, 0)} triangles")
    return corners, np.arange(len(corners) // 3 * 3).reshape(-1, 3)


def from_obj(data: bytes) -> Parts:
    """Of an OBJ file; faces with more corners become fans, and negative numbers count back from the last corner."""
    corners, faces, known = from_lines(data, b"v"), [], 0
    for line in data.splitlines():
        word, *parts = line.split() or [b""]
        known += word == b"v"
        if word == b"f":
            try:
                own = [int(part.split(b"/")[0]) for part in parts]
            except ValueError:
                raise ValueError(f"a face is {line[:40].decode(errors='replace')!r}, expected numbers of corners") from None
            own = [index - 1 if index > 0 else known + index for index in own]
            faces += [(own[0], b, c) for b, c in zip(own[1:], own[2:], strict=False)]
    return corners, np.array(faces, np.int64).reshape(-1, 3)


def from_lines(data: bytes, word: bytes) -> np.ndarray:
    """(n, 3) numbers from each line that begins with a word."""
    found = []
    for number, line in enumerate(data.splitlines(), 1):
        parts = line.split()
        if not parts or parts[0] != word:
            continue
        try:
            point = [float(x) for x in parts[1:4]]
        except ValueError:
            point = []
        if len(point) != 3:
            raise ValueError(f"line {number} should have three numbers after {word.decode()!r}")
        found.append(point)
    return np.array(found, float).reshape(-1, 3)


def from_msh(data: bytes) -> Parts:
    """Of a file of MuJoCo's own format: counts, then corners, normals, texture and faces."""
    if len(data) < MSH_HEAD:
        raise ValueError("it is cut off")
    corners, normals, textures, faces = (int(n) for n in np.frombuffer(data, "<i4", 4))
    start = MSH_HEAD + 4 * (3 * (corners + normals) + 2 * textures)
    if min(corners, normals, textures, faces) < 0 or len(data) != start + 12 * faces:
        raise ValueError(f"{len(data)} bytes are not those of {corners} corners and {faces} faces")
    points = np.frombuffer(data, "<f4", 3 * corners, MSH_HEAD).reshape(-1, 3).astype(float)
    return points, np.frombuffer(data, "<i4", 3 * faces, start).reshape(-1, 3).astype(np.int64)


def by_trimesh(path: str) -> np.ndarray:
    """Corners in a file of another kind."""
    ending = os.path.splitext(path)[1].lower()
    if ending not in OTHERS:
        raise ValueError(
            f"mesh {path}: {ending or 'a file without an ending'} is not read; expected {', '.join([*READERS, *OTHERS])}"
        )
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


OTHERS = (".dae", ".ply", ".glb", ".gltf", ".off", ".3mf", ".xaml")  # by trimesh
READERS = {".stl": from_stl, ".obj": from_obj, ".msh": from_msh}
