"""Whether a Joint can be part of a Model; every fault in a sentence."""

import math
from dataclasses import fields

import numpy as np

from locomote.errors import UnknownName
from locomote.model.description import PER_COORDINATE, Joint
from locomote.model.joints import WORDS
from locomote.model.joints.axes import AXES
from locomote.model.joints.kind import NONE, SAME, nothing

NUMBERS_OF_JOINT = {"pitch": (), "anchor": (3,), "reference": ()}
LIMITS = ("lower", "upper")
DEFAULTS = {field.name: field.default for field in fields(Joint)}
FINITE = ("stiffness", "damping", "friction", "armature", "rest")
NOT_NEGATIVE = ("damping", "friction", "armature", "velocity_limit", "effort_limit")


def numbers(value, shape: tuple[int, ...]) -> bool:
    """Whether a value is finite numbers of a shape."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return False
    return array.shape == shape and bool(np.isfinite(array).all())


def said(joint: Joint) -> list[str]:
    """What of a joint is other than the default, which needs no check."""
    return [label for label, default in DEFAULTS.items() if getattr(joint, label) is not default]


def joint_faults(joint: Joint) -> list[str]:
    """Faults of one joint."""
    if not isinstance(joint.kind, str) or joint.kind not in WORDS:
        return [str(UnknownName("kind of joint", joint.kind, WORDS, "the library"))]
    faults = axis_faults(joint)
    labels = said(joint)
    for label, shape in NUMBERS_OF_JOINT.items():
        if label in labels and not numbers(getattr(joint, label), shape):
            expected = "three finite numbers" if shape else "a finite number"
            faults.append(f"{label} must be {expected}, not {getattr(joint, label)!r:.60}")
    if not faults and joint.reference and joint.sizes[0] != 1:
        faults.append(f"only a joint with one coordinate has a reference, not a {joint.kind} one")
    if not faults and not WORDS[joint.kind].anchored and any(joint.anchor):
        faults.append(f"a {joint.kind} joint has no anchor; use the placement of the body")
    return faults + coordinate_faults(joint, labels)


def axis_faults(joint: Joint) -> list[str]:
    """Faults of the axes of a joint."""
    faults = []
    kind = WORDS[joint.kind]
    axes = {"axis": joint.axis} | ({"axis2": joint.axis2} if "axis2" in kind.axes else {})
    for label, axis in axes.items():
        if isinstance(axis, str):
            if axis not in AXES:
                faults.append(f"{label} must be 'x', 'y', 'z' or three numbers, not {axis!r:.60}")
        elif not numbers(axis, (3,)) or not any(axis):
            faults.append(f"{label} must be three finite numbers that are not all zero, not {axis!r:.60}")
    if kind.faults is not nothing and (not faults or "axis" not in kind.axes):
        faults += kind.faults(joint)
    return faults


def coordinate_faults(joint: Joint, labels: list[str]) -> list[str]:
    """Faults of what a joint says about each of its coordinates."""
    faults = []
    for label in labels:
        if label in LIMITS or label in PER_COORDINATE:
            faults += value_faults(label, getattr(joint, label), joint.sizes[0 if label in LIMITS else 1])
    if not faults and any(label in labels for label in LIMITS):
        if np.any(np.asarray(joint.lower, dtype=float) > np.asarray(joint.upper, dtype=float)):
            faults.append(f"lower limit {joint.lower!r} is above upper limit {joint.upper!r}")
    if not faults and "armature" in labels:
        faults += armature_faults(joint)
    return faults


def value_faults(label: str, value, count: int) -> list[str]:
    """Faults of one such value: a number, or `count` of them."""
    try:
        array = np.asarray("none" if value is None else value, dtype=float)  # NumPy takes None as NaN
    except (TypeError, ValueError, OverflowError):
        return [f"{label} must be a number, not {value!r:.60}"]
    if array.ndim > 1 or (array.ndim == 1 and array.shape != (count,)):
        return [f"{label} must be one number or {count}, not shape {array.shape}"]
    each = array.ravel().tolist()
    if any(map(math.isnan, each)):
        return [f"{label} is NaN"]
    if label in FINITE and any(map(math.isinf, each)):
        return [f"{label} is not finite"]
    if label in NOT_NEGATIVE and min(each, default=0.0) < 0:
        return [f"{label} must not be negative, but is {value!r}"]
    return []


def armature_faults(joint: Joint) -> list[str]:
    """Armature is inertia along coordinates, armature * a its force.

    On a group, whose frame turns, a term such as Omega x (armature * Omega) belongs to it, which vanishes only for a ball with
    the same about all axes.
    """
    each = set(np.ravel(joint.armature).tolist())
    advice = "give the body more inertia instead"
    allowed = WORDS[joint.kind].armature
    if allowed == NONE and each != {0.0}:
        return [f"a {joint.kind} joint has no armature, but {joint.armature!r} is given; {advice}"]
    if allowed == SAME and len(each) > 1:
        return [f"armature of a {joint.kind} joint must be the same about all axes, not {joint.armature!r}; {advice}"]
    return []
