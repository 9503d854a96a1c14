"""The height fields of an MJCF file: elevations in the file, in a PNG, or in MuJoCo's own binary form."""

import struct
from pathlib import Path, PurePosixPath

import numpy as np

from locomote.formats.faults import Faults, shown
from locomote.formats.meshes import MeshFinder
from locomote.formats.mjcf.settings import Settings
from locomote.formats.numbers import number, numbers
from locomote.formats.xml import Node

MOST = 4_000_000  # points


def read_height_fields(
    root: Node, settings: Settings, finder: MeshFinder, faults: Faults
) -> dict[str, tuple[np.ndarray, tuple[float, float]]]:
    """Name -> heights (rows, columns), m, from the least y and x on, and half edges along x and y, m."""
    found = {}
    for node in (child for section in root.all("asset") for child in section.all("hfield")):
        file = node.get("file")
        name = node.get("name") or (PurePosixPath(file).stem if file else "")
        x, y, top, base = numbers(node, "size", 4, faults, (0.0, 0.0, 0.0, 0.0))
        if not (x > 0 and y > 0 and top > 0 and base > 0):
            faults.add(node, "its size must be four positive numbers: half edges, height and depth")
            continue
        shares = _from_file(node, file, settings, finder, faults) if file else _said(node, faults)
        if shares is not None:
            shares = shares - shares.min()
            found[name] = top * (shares / shares.max() if shares.max() > 0 else shares), (x, y)
    return found


def _said(node: Node, faults: Faults) -> np.ndarray | None:
    """The elevations of the element itself, whose first row is the farthest along y."""
    rows, columns = (number(node, which, faults, 0.0) for which in ("nrow", "ncol"))
    if not (rows >= 2 and columns >= 2 and rows * columns <= MOST and rows % 1 == columns % 1 == 0):
        faults.add(
            node, f"nrow and ncol are {rows:g} and {columns:g}, expected whole numbers from 2 on, {MOST:,} points at most"
        )
        return None
    if node.get("elevation") is None:
        return np.zeros((int(rows), int(columns)))
    given = numbers(node, "elevation", int(rows * columns), faults, ())
    return np.array(given).reshape(int(rows), int(columns))[::-1] if given else None


def _from_file(node: Node, file: str, settings: Settings, finder: MeshFinder, faults: Faults) -> np.ndarray | None:
    """The elevations of a file; None after a fault."""
    path = PurePosixPath(file.replace("\\", "/")).name if settings.strippath else file
    path = finder.find(str(PurePosixPath(settings.meshdir) / path) if settings.meshdir else path)
    if not finder.may_open(path):
        faults.add(node, f"there is no file {shown(file)} in the folder of the model, beside it or in package_dirs")
        return None
    try:
        return _picture(path) if path.lower().endswith(".png") else _binary(path)
    except (OSError, ValueError, ImportError) as error:
        faults.add(node, f"height field {shown(file)} cannot be read: {str(error)[:120]}")
        return None


def _picture(path: str) -> np.ndarray:
    try:
        from PIL import Image
    except ImportError:
        raise ImportError("it is a picture; install Pillow for it, pip install pillow") from None
    with Image.open(path, formats=("PNG",)) as image:
        if image.width * image.height > MOST or min(image.size) < 2:
            raise ValueError(f"it has {image.width} by {image.height} points, expected 2 by 2 to {MOST:,}")
        return np.asarray(image.convert("L"), float)[::-1]


def _binary(path: str) -> np.ndarray:
    with Path(path).open("rb") as stream:
        head = stream.read(8)
        rows, columns = struct.unpack("<ii", head) if len(head) == 8 else (0, 0)
        if rows < 2 or columns < 2 or rows * columns > MOST:
            raise ValueError(f"it says {rows} rows and {columns} columns, expected 2 by 2 to {MOST:,} points")
        heights = np.frombuffer(stream.read(4 * rows * columns), "<f4")
    if len(heights) != rows * columns or not np.isfinite(heights).all():
        raise ValueError(f"it has {len(heights)} finite heights at most, and says {rows * columns}")
    return heights.astype(float).reshape(rows, columns)
