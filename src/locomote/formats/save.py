"""A model into a file, in the format that its name says."""

import os
from pathlib import Path

from locomote.errors import ModelError
from locomote.formats import registry
from locomote.model.model import Model


def save(model: Model, path: str | os.PathLike, *, unsupported: str = "error", visuals: bool = True) -> None:
    """Write a model to a file, by its suffix: {suffixes}; `load` reads it back.

    unsupported, visuals : see write_urdf and write_mjcf, which also say what the formats cannot hold

    The file is there as a whole or not at all; one that is there already is replaced. Raises ModelError with everything of the
    model that the format cannot say, FileError if the file cannot be written.
    """
    suffix = Path(path).suffix.lower()
    form = registry.of_suffix(suffix, written=True)
    if form is None or form.writer is None:
        known = ", ".join(registry.suffixes(written=True))
        raise ModelError(str(path), f"unknown kind of file {suffix!r}; expected one of {known}")
    form.writer()(model, path, unsupported=unsupported, visuals=visuals)


save.__doc__ = (save.__doc__ or "").replace("{suffixes}", ", ".join(registry.suffixes(written=True)))
