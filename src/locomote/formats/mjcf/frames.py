"""Places of MJCF elements: a position and one of five ways to say an orientation."""

import numpy as np

from locomote.formats import poses
from locomote.formats.faults import Faults
from locomote.formats.mjcf.elements import ORIENTATIONS
from locomote.formats.mjcf.settings import Settings
from locomote.formats.numbers import numbers

COUNTS = {"quat": 4, "axisangle": 4, "euler": 3, "xyaxes": 6, "zaxis": 3}


def read_placement(element, settings: Settings, faults: Faults) -> np.ndarray:
    """The pose of an element in the frame around it."""
    return poses.pose(read_rotation(element, settings, faults), numbers(element, "pos", 3, faults, (0.0, 0.0, 0.0)))


def read_rotation(element, settings: Settings, faults: Faults) -> np.ndarray:
    """The (3, 3) rotation of an element in the frame around it."""
    given = [name for name in ORIENTATIONS if element.get(name) is not None]
    if len(given) > 1:
        faults.add(element, f"has {' and '.join(given)}; one orientation is allowed")
    if not given:
        return np.eye(3)
    form = given[0]
    values = numbers(element, form, COUNTS[form], faults, ())
    if not values:
        return np.eye(3)
    rotation = _rotation(form, values, settings)
    if rotation is None:
        faults.add(element, f"{form} gives no direction: {' '.join(f'{value:g}' for value in values)}")
        return np.eye(3)
    return rotation


def _rotation(form: str, values: tuple[float, ...], settings: Settings) -> np.ndarray | None:
    if form == "euler":
        return poses.from_euler(settings.eulerseq, [settings.angle(value) for value in values])
    if not any(values[:3] if form != "quat" else values):
        return None
    if form == "quat":
        w, x, y, z = values
        return poses.from_quaternion(x, y, z, w)
    if form == "axisangle":
        return poses.turn(values[:3], settings.angle(values[3]))
    if form == "zaxis":
        return poses.from_z_axis(values)
    return poses.from_xy_axes(values[:3], values[3:]) if any(values[3:]) else None
