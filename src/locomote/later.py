"""Functions of later stages that a value offers as its methods: found by name when called, so that imports go one way."""

import importlib
from collections.abc import Callable
from typing import Any


def later(module: str, name: str) -> Callable[..., Any]:
    """The function `name` of `locomote.<module>`."""
    return getattr(importlib.import_module(f"locomote.{module}"), name)
