"""What forces are given, checked; every fault in a sentence."""

import math
import sys
from typing import Any

import numpy as np

from locomote.model.description import Body
from locomote.model.model import Model

LARGEST = sys.float_info.max
Vector = tuple[float, float, float]


def a_number(label: str, value: Any, *, least: float = -math.inf, above: float = -math.inf) -> float:
    """A finite number, not less than `least`, more than `above`."""
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.complexfloating))
    good = number and -LARGEST <= value <= LARGEST  # nan is not, nor is an integer beyond float64
    if not good or value < least or value <= above:
        limit = f" of at least {least:g}" if least > -math.inf else f" above {above:g}" if above > -math.inf else ""
        raise ValueError(f"{label} is {value!r:.40}, expected a finite number{limit}")
    return float(value)


def a_vector(label: str, value: Any, count: int = 3) -> tuple[float, ...]:
    """`count` finite numbers."""
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        array = np.zeros(0)
    if array.shape != (count,) or not np.isfinite(array).all():
        raise ValueError(f"{label} is {value!r:.60}, expected {count} finite numbers")
    return tuple(array.tolist())


def whole_number(label: str, value: Any, least: int = 1, most: int | None = None) -> int:
    """An integer, not less than `least` nor more than `most`."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
        raise ValueError(f"{label} is {value!r:.40}, expected an integer of at least {least}")
    if most is not None and value > most:
        raise ValueError(f"{label} is {value!r:.40}, expected {most} at most")
    return int(value)


def frame_along(direction: Any, towards: Any = None) -> np.ndarray:
    """(3, 3) rotation whose x is along a direction and whose z is as near as it can be to another (z of the body if None)."""
    x = np.array(direction, dtype=float)
    length = np.linalg.norm(x)
    if not length > 0:
        raise ValueError(f"a direction is {tuple(x.tolist())}, expected one that is not zero")
    x = x / length
    if towards is None:
        towards = (0.0, 0.0, 1.0) if abs(x[2]) < 0.9 else (1.0, 0.0, 0.0)
    z = np.array(towards, dtype=float) - x * (x @ np.array(towards, dtype=float))
    if not np.linalg.norm(z) > 1e-9:
        raise ValueError(f"the direction {tuple(towards)} lies along the axis {tuple(x.tolist())}; give one across it")
    z = z / np.linalg.norm(z)
    return np.column_stack([x, np.cross(z, x), z])


def pose_of(rotation: np.ndarray, point: Any) -> np.ndarray:
    """(4, 4) pose from a rotation and a displacement."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation, point
    return pose


def body_of(model: Model, name: str) -> Body:
    """A body as it was described."""
    model.body_index(name)  # says what names there are
    return next(body for body in model.description.bodies if body.name == name)
