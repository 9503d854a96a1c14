"""Packages that only some functions need."""

import importlib
from types import ModuleType

from locomote.errors import LocomoteError


class MissingPackage(LocomoteError, ImportError):
    """A function needs a package that is not installed. The message says how to get it."""


def package(name: str, purpose: str, install: str) -> ModuleType:
    """The package, or a MissingPackage that says what it is for and how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        if error.name not in (name, name.split(".")[0]):
            raise  # it is there, but something that it needs is not
        raise MissingPackage(f"{purpose} needs the package {name.split('.')[0]}: pip install {install}") from None
