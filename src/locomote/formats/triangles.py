"""The triangles of mesh files: STL, OBJ and MuJoCo's MSH. What cannot be read is a ValueError with the reason."""

import os

import numpy as np

LARGEST = 200 * 2**20  # bytes of a file that is still read
STL_HEAD, STL_TRIANGLE, MSH_HEAD = 84, 50, 16  # bytes


def read_triangles(path: str) -> np.ndarray:
    """(n, 3, 3) corners of the triangles of a file, in its own frame and unit."""
    ending = os.path.splitext(path)[1].lower()
    if ending not in READERS:
        raise ValueError(f"mesh {path}: {ending or 'this'} is not read; expected {', '.join(READERS)}")
    try:
        with open(path, "rb") as stream:
            data = stream.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        raise ValueError(f"mesh {path}: it cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > LARGEST:
        raise ValueError(f"mesh {path}: more than {LARGEST // 2**20} MiB are too much to read")
    try:
        triangles = READERS[ending](data)
    except (IndexError, OverflowError) as error:
        raise ValueError(f"mesh {path}: a face names a corner that is not there ({error})") from None
    except ValueError as error:
        raise ValueError(f"mesh {path}: {error}") from None
    if not len(triangles) or not np.isfinite(triangles).all():
        raise ValueError(f"mesh {path}: " + ("it has no triangles" if not len(triangles) else "some corners are not finite"))
    return triangles


def from_stl(data: bytes) -> np.ndarray:
    """Of an STL file, binary or text."""
    count = int.from_bytes(data[80:84], "little") if len(data) >= STL_HEAD else -1
    if count >= 0 and len(data) >= STL_HEAD + STL_TRIANGLE * count and data[:5].lower() != b"solid":
        layout = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
        return np.frombuffer(data, layout, count, STL_HEAD)["corners"].astype(float)
    if count >= 0 and len(data) == STL_HEAD + STL_TRIANGLE * count:  # binary, though its name says solid
        return from_stl(b"\0" + data[1:])
    if data.lstrip()[:5].lower() != b"solid":
        raise ValueError("this is not an STL file")
    lines = [line.split()[1:4] for line in data.splitlines() if line.split()[:1] == [b"vertex"]]
    corners = np.array([[float(x) for x in line] for line in lines if len(line) == 3]).reshape(-1, 3)
    return corners[: len(corners) // 3 * 3].reshape(-1, 3, 3)


def from_obj(data: bytes) -> np.ndarray:
    """Of an OBJ file; faces with more corners become fans."""
    corners: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    for line in data.splitlines():
        word, *parts = line.split() or [b""]
        if word == b"v":
            if len(parts) < 3:
                raise ValueError(f"a corner has {len(parts)} coordinates")
            corners.append([float(x) for x in parts[:3]])
        elif word == b"f":
            own = [int(part.split(b"/")[0]) for part in parts]
            own = [index - 1 if index > 0 else len(corners) + index for index in own]
            if any(not 0 <= index for index in own):
                raise IndexError("below the first")
            faces += [(own[0], b, c) for b, c in zip(own[1:], own[2:], strict=False)]
    return np.array(corners, float).reshape(-1, 3)[np.array(faces, np.int64).reshape(-1, 3)]


def from_msh(data: bytes) -> np.ndarray:
    """Of a file of MuJoCo's own format: counts, then corners, normals, texture and faces."""
    if len(data) < MSH_HEAD:
        raise ValueError("it is cut off")
    corners, normals, textures, faces = (int(n) for n in np.frombuffer(data, "<i4", 4))
    if min(corners, normals, textures, faces) < 0 or len(data) != MSH_HEAD + 4 * (
        3 * (corners + normals + faces) + 2 * textures
    ):
        raise ValueError(f"{len(data)} bytes are not those of {corners} corners and {faces} faces")
    points = np.frombuffer(data, "<f4", 3 * corners, MSH_HEAD).reshape(-1, 3).astype(float)
    start = MSH_HEAD + 4 * (3 * (corners + normals) + 2 * textures)
    indices = np.frombuffer(data, "<i4", 3 * faces, start).reshape(-1, 3)
    if len(indices) and indices.min() < 0:
        raise IndexError("below the first")
    return points[indices]


READERS = {".stl": from_stl, ".obj": from_obj, ".msh": from_msh}
