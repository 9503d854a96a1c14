"""Controllers without a clock: joints that follow targets at every instant.

With e = target - q of the followed coordinates:

    servo             tau = given(t) + K_p e + K_d e'                                                                (1)
    computed torque   al = target'' + K_p e + K_d e' ;   tau so that q'' = al, whatever else acts                      (2)
    feed-forward      tau = what the targets cost a copy of the robot + K_p e + K_d e'                                 (3)

`evaluation.computed_torque` has (1) and (2), `evaluation.feed_forward` the copy of (3).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from locomote.brief import brief
from locomote.drives.drive_inputs import number


@brief
@dataclass(frozen=True, eq=False)
class Servo:
    """Joints pulled to their targets at every instant (1): PD, with torques over time in addition (feed-forward).

    targets : joint name -> drive or number; joints with several coordinates take a list
    stiffness, damping : N m/rad and N m s/rad (N/m, N s/m), one for all or joint name -> number
    torques : joint name -> drive, N m or N
    """

    targets: Mapping[Any, Any]
    stiffness: Any
    damping: Any
    torques: Mapping[Any, Any] = field(default_factory=dict, kw_only=True)
    name: str = field(default="servo", kw_only=True)

    def __post_init__(self) -> None:
        check_targets(self)
        if unknown := [key for key in self.torques if key not in self.targets]:
            raise ValueError(f"{self.name} has torques for {unknown[0]!r}, which has no target")


@brief
@dataclass(frozen=True, eq=False)
class ComputedTorque:
    """Torques that give joints the accelerations target'' + stiffness e + damping e' at every instant (2).

    targets : joint name -> drive or number; joints with several coordinates take a list
    stiffness, damping : 1/s^2 and 1/s, one for all or joint name -> number
    """

    targets: Mapping[Any, Any]
    stiffness: Any
    damping: Any
    name: str = field(default="computed torque", kw_only=True)

    def __post_init__(self) -> None:
        check_targets(self)


@brief
@dataclass(frozen=True, eq=False)
class FeedForward:
    """Torques that the motion of the targets costs a copy of the robot, plus PD (3).

    Joints of the copy move as told, its base as the equations of motion say, from where the robot starts. Forces of the
    environment act on it as on the robot.

    targets : joint name -> drive or number; joints with several coordinates take a list
    stiffness, damping : N m/rad and N m s/rad (N/m, N s/m), one for all or joint name -> number
    """

    targets: Mapping[Any, Any]
    stiffness: Any
    damping: Any
    name: str = field(default="feed-forward", kw_only=True)

    def __post_init__(self) -> None:
        check_targets(self)


Following = Servo | ComputedTorque | FeedForward


def check_targets(controller: Following) -> None:
    """A TypeError unless there is something to follow."""
    if not isinstance(controller.targets, Mapping) or not controller.targets:
        raise TypeError(f"targets of {controller.name} are {controller.targets!r:.60}, expected joint name -> drive or number")


def gain(controller: Following, label: str, key: Any) -> float:
    """Stiffness or damping of one joint."""
    given = getattr(controller, label)
    if isinstance(given, Mapping):
        if key not in given:
            raise ValueError(f"{controller.name} has no {label} for joint {key!r}")
        given = given[key]
    return number(label, given, controller.name)
