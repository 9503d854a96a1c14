"""Controls that are targets: springs and dampers at the joints, whose rest is where the targets are."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from locomote.compiled.who import Controls
from locomote.evaluation.plan import UNLIMITED
from locomote.locomotion.inputs import slots_of
from locomote.locomotion.problem import Locomotion
from locomote.spatial.numbers import as_numbers


def sprung(
    problem: Locomotion, controls: np.ndarray | None, joints: Sequence[Any] | None, stiffness: Any, damping: Any
) -> tuple[Locomotion, np.ndarray | None]:
    """The problem with springs at the joints that follow targets, and the targets (..., joints) as torques:

    tau = stiffness (target - q) - damping v ,    the first term is given, the others are those of the spring
    """
    if stiffness is None:
        if as_numbers(damping, "damping", "() or (joints,)").any():
            raise ValueError("damping is that of springs which pull joints to targets; give their stiffness, too")
        return problem, controls
    if controls is None:
        raise ValueError("stiffness is that of springs which pull joints to targets; give these as controls")
    keys, slots = followers(problem, joints)
    k, d = (checked(x, label, len(keys)) for x, label in ((stiffness, "stiffness"), (damping, "damping")))
    if not (k > 0).all() or not (d >= 0).all():
        raise ValueError("stiffness must be above 0, and damping not below 0")
    refuse_limited(problem, np.array(slots), "targets")
    taken = {slot for key in problem.springs for slot in slots_of(problem.model, key)}.intersection(slots)
    if taken:
        name = keys[slots.index(min(taken))]
        raise ValueError(f"{problem.name!r} has a spring at joint {name!r} already, which cannot follow targets besides")
    if controls.shape[-1] != len(keys):
        raise ValueError(f"controls have {controls.shape[-1]} columns of targets, expected {len(keys)}: one for each joint")
    own = {key: (float(a), 0.0, float(b)) for key, a, b in zip(keys, k, d, strict=True)}
    return problem.replaced(springs={**problem.springs, **own}), controls * k


def followers(problem: Locomotion, joints: Sequence[Any] | None) -> tuple[list[Any], list[int]]:
    """Keys of springs and coordinates of v that follow targets, in the order of columns: plain numbers without a drive."""
    model, slots = problem.model, list(Controls.of(problem, joints, True).given)
    keys = []
    for slot in slots:
        name = next(name for name in model.joint_names if slot in range(*slot_of(problem, name)))
        if problem.q_of_v[slot] < 0:
            raise ValueError(f"joint {name!r} moves on a group, where no spring pulls; name other joints as joints=[...]")
        if problem.imposed[slot]:
            raise ValueError(f"joint {name!r} is moved by its drive, and follows no targets")
        first, last = slot_of(problem, name)
        keys.append(name if last - first == 1 else (name, slot - first))
    return keys, slots


def checked(value: Any, label: str, count: int) -> np.ndarray:
    """One number, or one a joint, as (count,)."""
    found = as_numbers(value, label, f"() or ({count},)")
    if found.shape not in ((), (count,)) or not np.isfinite(found).all():
        raise ValueError(f"{label} is {value!r:.60}, expected one number, or one for each of {count} joints")
    return np.broadcast_to(found, (count,))


def refuse_limited(problem: Locomotion, slots: np.ndarray, what: str) -> None:
    """Raise if a coordinate has a motor with a limit, which would count what is not given by the motor."""
    limited = [int(k) for k in slots if problem.plan.effort[k] < UNLIMITED]
    if limited:
        names = [name for name in problem.model.joint_names if limited[0] in range(*slot_of(problem, name))]
        raise ValueError(
            f"joint {names[0]!r} has a largest effort of {problem.plan.effort[limited[0]]:g}, which {what} do not know; "
            f"give the problem limits=False, or torques as controls"
        )


def slot_of(problem: Locomotion, name: str) -> tuple[int, int]:
    """First coordinate of v and the one after the last of a joint."""
    joint = problem.model.joint(name)
    return joint.v.start, joint.v.stop
