"""Columns of the crossings: what users do with a problem or a run, each with a check of its own.

A function with `@verb(title)` takes a Case. It returns if all is right, raises Wrong if a number is not, NotApplicable if the
question makes no sense there, and lets through what the library raises.
"""

import tempfile
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
from crossing_cases import Case, scaled

import locomote as lo

ARRAYS = ("t", "q", "v", "a", "tau", "reactions", "kinetic", "potential", "elastic")


class Wrong(AssertionError):
    """A number, or an array, that is not what it should be."""


class NotApplicable(Exception):
    """Why a verb has no meaning for a kind."""


class Verb(NamedTuple):
    """What is done; slow : seconds, so that pairs do it in the whole table only."""

    do: Callable[[Case], None]
    slow: bool


VERBS: dict[str, Verb] = {}


def verb(title: str, *, slow: bool = False):
    """Put a function into the list under a title."""

    def put(do):
        assert title not in VERBS
        VERBS[title] = Verb(do, slow)
        return do

    return put


def same(one: lo.Trajectory, two: lo.Trajectory, what: str = "runs") -> None:
    """Two runs bit for bit."""
    for name in ARRAYS:
        a, b = getattr(one, name), getattr(two, name)
        if not np.array_equal(a, b):
            far = "shapes" if a.shape != b.shape else f"{np.nanmax(abs(a - b)):.2g}"
            raise Wrong(f"{name} of {what} differ by {far}")
    for name in ("work", "energies", "loads"):
        tables = getattr(one, name), getattr(two, name)
        if list(tables[0]) != list(tables[1]) or any(not np.array_equal(tables[0][key], tables[1][key]) for key in tables[0]):
            raise Wrong(f"{name} of {what} differ")
    for name in ("contact_forces", "contact_points"):
        if not np.array_equal(getattr(one, name), getattr(two, name)):
            raise Wrong(f"{name} of {what} differ")
    if [channel.name for channel in one.channels] != [channel.name for channel in two.channels]:
        raise Wrong(f"channels of {what} differ")
    if [(e.t, e.kind) for e in one.events] != [(e.t, e.kind) for e in two.events]:
        raise Wrong(f"events of {what} differ")


def near(found, expected, tolerance: float, what: str) -> None:
    """Two arrays of about the same numbers."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    if found.shape != expected.shape:
        raise Wrong(f"{what} has shape {found.shape}, expected {expected.shape}")
    if not np.isfinite(found).all():
        raise Wrong(f"{what} is not finite")
    error = float(abs(found - expected).max(initial=0.0)) / scaled(expected)
    if error > tolerance:
        raise Wrong(f"{what} is off by {error:.2g}, allowed {tolerance:.2g}")


@contextmanager
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def folder():
    with tempfile.TemporaryDirectory() as path:
        yield Path(path)
