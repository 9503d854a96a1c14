"""Where a number stands in what was said of a problem, and the same with another number there.

A path is a row of steps: the name of a field of a record, a place in a sequence, `Key(k)` of a table, and as its last step
perhaps a part of what a record holds in another form.

    POINT, TURN     displacement (3,) and rotation (3, 3) of a pose (4, 4)
    SIX             xx, xy, xz, yy, yz, zz of a symmetric matrix (3, 3)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from locomote.brief import brief
from locomote.model.description import Body, Description


class Key(NamedTuple):
    """The key of a table, as a step."""

    key: Any


@brief
@dataclass(frozen=True, eq=False)
class Part:
    """A part of an array, as a step: rows and columns that it has."""

    name: str
    rows: Any
    columns: Any


POINT, TURN = Part("point", slice(0, 3), 3), Part("turn", slice(0, 3), slice(0, 3))
SIX = Part("six", [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2])
UNCHECKED = (Description, Body)  # records that check nothing by themselves: the model does
Step = str | int | Key | Part
Path = tuple[Step, ...]


def at(value: Any, path: Path) -> Any:
    """What stands at the end of a path."""
    for step in path:
        if isinstance(step, str):
            value = getattr(value, step)
        elif isinstance(step, Part):
            value = np.asarray(value, float)[step.rows, step.columns]
        else:
            value = value[step.key if isinstance(step, Key) else step]
    return value


def rebuilt(value: Any, changes: Mapping[Any, Any] | np.ndarray) -> Any:
    """A value with changes in it, all at once.

    changes : step -> changes there, down to numbers (arrays), which take the place of what is there
    """
    if isinstance(changes, np.ndarray):
        return like(value, changes)
    first = next(iter(changes))
    if isinstance(first, str):
        new = {step: rebuilt(getattr(value, step), inner) for step, inner in changes.items()}
        return replace(value, **new) if not isinstance(value, UNCHECKED) else with_fields(value, new)
    if isinstance(first, Key):
        return {**value, **{step.key: rebuilt(value[step.key], inner) for step, inner in changes.items()}}
    if isinstance(first, Part):
        whole = like(value, put_parts(np.array(value, float), changes))
        if isinstance(whole, np.ndarray):
            whole.flags.writeable = False
        return whole
    several = list(value)
    for step, inner in changes.items():
        several[step] = rebuilt(several[step], inner)
    return several if isinstance(value, list) else tuple(several)


def with_fields(record: Any, new: Mapping[str, Any]) -> Any:
    """A copy of a record with other fields, which no one checks."""
    made = object.__new__(type(record))
    made.__dict__.update(record.__dict__, **new)
    return made


def put_parts(array: np.ndarray, changes: Mapping[Part, np.ndarray]) -> np.ndarray:
    """An array with some of its parts replaced."""
    for part, numbers in changes.items():
        array[part.rows, part.columns] = numbers
        if part is SIX:
            array[part.columns, part.rows] = numbers
    return array


def like(old: Any, numbers: np.ndarray) -> Any:
    """Numbers in the form that the old ones have: an array, a list, a tuple, one number."""
    if isinstance(old, np.ndarray):
        return numbers.reshape(old.shape).copy()
    if isinstance(old, Sequence):
        kind: Any = type(old)
        return kind(like(x, n) for x, n in zip(old, numbers, strict=True))
    return float(numbers)


def tree_of(changes: Sequence[tuple[Path, np.ndarray]]) -> dict[Any, Any]:
    """Changes by paths as a tree of steps."""
    tree: dict[Any, Any] = {}
    for path, numbers in changes:
        inner = tree
        for step in path[:-1]:
            inner = inner.setdefault(step, {})
        inner[path[-1]] = numbers
    return tree
