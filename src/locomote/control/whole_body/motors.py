"""Which coordinates have a motor, and how strong it is."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from locomote.model.base import base_joints
from locomote.model.model import Model


class Motors(NamedTuple):
    """driven : (nv,) booleans ; limits : (nv,) N or N m, infinite where there is no motor or no limit"""

    driven: np.ndarray
    limits: np.ndarray

    def use(self, tau: np.ndarray) -> float:
        """The greatest share of a limit."""
        limited = self.driven & np.isfinite(self.limits)
        return float(np.max(abs(tau[limited]) / self.limits[limited], initial=0.0))


def motors_of(model: Model, *, torque_limits: Any = True, passive: Iterable[str] = (), actuated: Iterable[str] = ()) -> Motors:
    """Motors of all joints but those of the base.

    torque_limits : True for those of the model, an array (nv,) from 0 on, or False ; a limit of 0 is no motor
    passive : names of joints without a motor ; actuated : names of joints that count as the base and have one after all
    """
    passive, actuated = names_of("passive", passive), names_of("actuated", actuated)
    both = [name for name in passive if name in actuated]
    if both:
        raise ValueError(f"joint {both[0]!r} is among both passive and actuated: it has a motor or it has none")
    driven = np.ones(model.nv, dtype=bool)
    for name in [*(joint.name for joint in base_joints(model)), *passive]:
        driven[model.joint(name).v] = False
    for name in actuated:
        driven[model.joint(name).v] = True
    limits = given_limits(model, torque_limits)
    limits = np.where(driven, limits, np.inf)
    return Motors(driven & (limits > 0.0), limits)


def given_limits(model: Model, given: Any) -> np.ndarray:
    """(nv,) limits of torques as a user says them."""
    if given is True:
        return np.array(model.effort_limit)
    if given is False or given is None:
        return np.full(model.nv, np.inf)
    try:
        limits = np.array(given, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(f"torque_limits is {given!r:.60}, expected True, False or numbers ({model.nv},), N or N m") from None
    if limits.shape != (model.nv,):
        raise ValueError(f"torque_limits has shape {limits.shape}, expected ({model.nv},): one for each coordinate of v")
    if not (limits >= 0.0).all():
        k = int(np.flatnonzero(~(limits >= 0.0))[0])
        slot = next(s for s in model.layout().slots if s.vector == "v" and s.index == k)
        raise ValueError(
            f"torque_limits[{k}] of joint {slot.joint!r} is {limits[k]:g}, expected a number from 0 (inf: no limit)"
        )
    return limits


def names_of(label: str, given: Iterable[str]) -> list[str]:
    """Names of joints; a single text is not one name a letter."""
    if isinstance(given, str):
        raise TypeError(f"{label} is {given!r}, expected a list of names of joints, such as [{given!r}]")
    return list(given)
