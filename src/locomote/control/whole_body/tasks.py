"""What a controller is asked to do: tasks, each with a reference that may move, a weight, and a priority.

A reference is a value, a function of time t that gives (value, velocity, acceleration), or a row of numbers and drives.
Feedback is a = a_ref + damping (v_ref - v) + stiffness (x_ref - x), with damping = 2 sqrt(stiffness) unless given.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from locomote.brief import brief

AXES = {"x": 0, "y": 1, "z": 2}


def axis_numbers(task: Any) -> list[int]:
    """Numbers of the axes that a task names by letters."""
    if not isinstance(task.axes, str) or not task.axes or not set(task.axes) <= set(AXES):
        raise ValueError(f"axes of task {task.name!r} are {task.axes!r:.40}, expected some of the letters x, y and z")
    return [AXES[letter] for letter in task.axes]


@dataclass(kw_only=True)
class Task:
    """What all tasks have.

    name : by which it is found in `WholeBody.tasks` ; weight : of its squared error, 1/(m/s^2)^2 or 1/(rad/s^2)^2
    stiffness : 1/s^2 ; damping : 1/s, 2 sqrt(stiffness) if None
    priority : 1 first; tasks of a later priority never disturb those before it
    """

    name: str = ""
    weight: float = 1.0
    stiffness: float = 100.0
    damping: float | None = None
    priority: int = 1

    @property
    def gains(self) -> tuple[float, float]:
        """(stiffness, damping)"""
        return float(self.stiffness), float(2.0 * np.sqrt(self.stiffness) if self.damping is None else self.damping)


@brief
@dataclass
class CenterOfMass(Task):
    """The center of mass follows a reference (3,), m, world axes; the present place if None. axes : such as "xy"."""

    reference: Any = None
    axes: str = "xyz"


@brief
@dataclass
class AngularMomentum(Task):
    """The angular momentum about the center of mass (3,), kg m^2/s, world axes, is drawn to a reference, zero if None."""

    reference: Any = None
    axes: str = "xyz"


@brief
@dataclass
class Frame(Task):
    """A frame of a body follows a pose; what is None stays as it is at the start.

    body : name ; point : in the body frame, m
    position : (3,) world, m, or False: it is free ; rotation : (3, 3) or quaternion (4,), world, or False: it is free
    axes : of the position, such as "z"
    """

    body: str = field(kw_only=False)
    point: Sequence[float] = (0.0, 0.0, 0.0)
    position: Any = None
    rotation: Any = None
    axes: str = "xyz"


@brief
@dataclass
class LookAt(Task):
    """An axis of a body points to a place; turns about the axis are free.

    body : name ; axis : (3,) in the body frame ; target : (3,) world, m ; point : of the body, where the axis begins, m
    """

    body: str = field(kw_only=False)
    target: Any = field(kw_only=False)
    axis: Sequence[float] = (1.0, 0.0, 0.0)
    point: Sequence[float] = (0.0, 0.0, 0.0)


@brief
@dataclass
class Posture(Task):
    """Joints follow a configuration q (nq,), or a function of t giving (q, v) or (q, v, a); the present one if None.

    reference : may also map names of joints to drives; other joints then stay

    joints : names of those that count; all that torques drive if None
    """

    reference: Any = None
    joints: Sequence[str] | None = None
    weight: float = field(default=1e-4, kw_only=True)
    stiffness: float = field(default=40.0, kw_only=True)
