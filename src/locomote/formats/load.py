"""A model out of a file, whatever its format."""

import os
from pathlib import Path

from locomote.errors import ModelError
from locomote.formats.dh import read_dh
from locomote.formats.inertias import check_policy
from locomote.formats.mjcf.reader import describe as describe_mjcf
from locomote.formats.source import read_file
from locomote.formats.urdf.reader import XACRO
from locomote.formats.urdf.reader import describe as describe_urdf
from locomote.formats.xml import parse
from locomote.model.description import Description

XML = (".urdf", ".xml", ".mjcf")
TABLES = (".csv", ".yaml", ".yml")
HINTS = {
    ".xacro": XACRO,
    ".sdf": "SDF is not supported; convert it to URDF or MJCF",
    ".usd": "USD is not supported; export it as URDF or MJCF",
    ".h5": "this is a run, not a model; open it with lo.open_run",
    ".mjb": "this is a compiled MuJoCo model; save it as XML with MuJoCo and load that",
}


def load(path, *, base: str | None = None, mimic: bool = True, package_dirs=(), inertia: str = "warn", unsupported="error"):
    """The Model of a .urdf, .xml, .mjcf, .csv or .yaml file.

    base : how the root body moves: "fixed", "free", "planar", "x", "xy", "xyz" or "rotation". Without it the base is as the
        file has it, which for URDF and tables is fixed. A root that moves by a joint of the file keeps that joint
    mimic, package_dirs, inertia : see read_urdf
    unsupported : see read_mjcf

    Raises ModelError with all faults of the file. What the user should know of a file that loads is in `description.warnings`.
    """
    from locomote.model.model import Model  # here, so that reading a file does not import the compiler

    description = read(path, mimic=mimic, package_dirs=package_dirs, inertia=inertia, unsupported=unsupported)
    return Model(description.with_base(base or "fixed"))


def read(path, *, mimic: bool = True, package_dirs=(), inertia: str = "warn", unsupported: str = "error") -> Description:
    """The Description of a file of any format; arguments as in `load`."""
    check_policy(inertia)
    if isinstance(path, str) and path.lstrip().startswith("<"):
        raise ModelError("text", "load takes the path of a file; give text to read_urdf or read_mjcf")
    if not isinstance(path, str | os.PathLike):
        raise ModelError("model", f"expected the path of a file, got {type(path).__name__}")
    suffix = Path(path).suffix.lower()
    if suffix not in XML + TABLES and os.path.isfile(path):
        known = ", ".join(XML + TABLES)
        raise ModelError(str(path), HINTS.get(suffix, f"unknown kind of file {suffix!r}; expected one of {known}"))
    if suffix in TABLES:
        return read_dh(Path(path), inertia=inertia)
    source = read_file(path)
    root = parse(source)
    if root.tag == "mujoco":
        return describe_mjcf(source, root, package_dirs=package_dirs, inertia=inertia, unsupported=unsupported)
    return describe_urdf(source, root, mimic=mimic, package_dirs=package_dirs, inertia=inertia)
