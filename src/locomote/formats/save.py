"""A model into a file, in the format that its name says."""

import os
from pathlib import Path

from locomote.errors import ModelError
from locomote.formats.write_mjcf import write_mjcf
from locomote.formats.write_urdf import write_urdf
from locomote.model.model import Model

WRITERS = {".urdf": write_urdf, ".xml": write_mjcf, ".mjcf": write_mjcf}


def save(model: Model, path: str | os.PathLike, *, unsupported: str = "error", visuals: bool = True) -> None:
    """Write a model to a .urdf, or an .xml or .mjcf file; `load` reads it back.

    unsupported, visuals : see write_urdf and write_mjcf, which also say what the formats cannot hold

    The file is there as a whole or not at all; one that is there already is replaced. Raises ModelError with everything of the
    model that the format cannot say, FileError if the file cannot be written.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in WRITERS:
        raise ModelError(str(path), f"unknown kind of file {suffix!r}; expected one of {', '.join(WRITERS)}")
    WRITERS[suffix](model, path, unsupported=unsupported, visuals=visuals)
