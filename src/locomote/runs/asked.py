"""Fields that follow from the others of a run: computed when somebody asks for them, and part of the run from then on.

A row of `recorded.ASKED` names each. The file of this folder with its name has two functions of a run: one of the same name
that computes the field, and `why_not`, which says in words why it cannot, or nothing. Channels of such a field have names
from the start; tables, parts, joined runs and files hold them once they were asked for.
"""

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from locomote.errors import LocomoteError
from locomote.methods.recorded import ASKED, Field


def module_of(name: str) -> Any:
    """The file that computes a field."""
    return importlib.import_module(f"locomote.runs.{name}")


def asked(run: Any, name: str) -> np.ndarray:
    """The numbers of a field, read-only."""
    module = module_of(name)
    if why := module.why_not(run):
        raise LocomoteError(f"{name} of the run of {run.model.name!r} cannot be computed: {why}")
    values = getattr(module, name)(run)
    values.flags.writeable = False
    return values


def fields_of(run: Any) -> list[Field]:
    """The fields that a run has, or can be asked for."""
    return [field for field in ASKED if field.name in vars(run) or not module_of(field.name).why_not(run)]


def is_held(run: Any, name: str) -> bool:
    """Whether a run holds a field: one that it records, or that was asked for."""
    return name in vars(run) or all(name != field.name for field in ASKED)


def apart(run: Any) -> Any:
    """The same run, with all that it has, which may be asked for more without the given one holding it."""
    other = object.__new__(type(run))
    vars(other).update(vars(run))
    return other


def known(run: Any) -> dict[str, np.ndarray]:
    """All fields that were asked for."""
    return {field.name: vars(run)[field.name] for field in ASKED if field.name in vars(run)}


def keep(run: Any, arrays: Mapping[str, np.ndarray]) -> None:
    """Let a run hold fields that somebody asked another one for: that it is a part of, or that a file is of."""
    for field in ASKED:
        if field.name in arrays:
            values = np.asarray(arrays[field.name], dtype=float).view()
            expected = (len(run), *field.shape_for({"bodies": len(run.model.body_names)}))
            if values.shape != expected:
                raise ValueError(f"{field.name} has shape {values.shape}, expected {expected}")
            values.flags.writeable = False
            vars(run)[field.name] = values
