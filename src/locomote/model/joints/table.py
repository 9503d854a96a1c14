"""All kinds of joints: the elementary ones, which compiled code knows, and the words that a Joint may have for its kind."""

import numpy as np

from locomote.model.joints import free, helical, other, planar, prismatic, revolute, spherical
from locomote.model.joints.cylindrical import KIND as CYLINDRICAL
from locomote.model.joints.euler import KIND as EULER
from locomote.model.joints.fixed import KIND as FIXED
from locomote.model.joints.kind import Kind
from locomote.model.joints.numbers import KINDS
from locomote.model.joints.paste import by_kind
from locomote.model.joints.pin_in_slot import KIND as PIN_IN_SLOT
from locomote.model.joints.slides import XY, XYZ, X
from locomote.model.joints.universal import KIND as UNIVERSAL

ELEMENTARY = (revolute, prismatic, free, spherical, planar, helical)  # those first that most bodies hang by
ALONE = FIXED, revolute.KIND, prismatic.KIND, helical.KIND
COMPOSED = CYLINDRICAL, PIN_IN_SLOT, UNIVERSAL, EULER
ON_BASES = free.KIND, planar.KIND, X, XY, XYZ, spherical.KIND
WORDS: dict[str, Kind] = {kind.name: kind for kind in (*ALONE, *COMPOSED, *ON_BASES)}
BASES: dict[str, Kind] = {kind.base: kind for kind in WORDS.values() if kind.base}
_BY_NUMBER = {kind.NUMBER: kind for kind in ELEMENTARY}
NAMES = {number: kind.KIND.name for number, kind in _BY_NUMBER.items()}  # words of elementary kinds
SCREWS = tuple(number for number in KINDS if getattr(_BY_NUMBER.get(number), "SCREW", False))
GROUPS = tuple(number for number in KINDS if getattr(_BY_NUMBER.get(number), "GROUP", False))
# by number: coordinates in q, and unit twists that those of v move along; numbers of q of a group that are a place
Q_SIZE = tuple(_BY_NUMBER[number].Q_COUNT for number in sorted(_BY_NUMBER))
V_SIZE = tuple(len(_BY_NUMBER[number].AXES) for number in sorted(_BY_NUMBER))
AXES_OF_V = tuple(_BY_NUMBER[number].AXES if number in _BY_NUMBER else () for number in KINDS)
PLACES = {number: _BY_NUMBER[number].PLACES for number in GROUPS}

for_all_kinds = by_kind(ELEMENTARY, other)


def elementary(joint) -> list[tuple[int, np.ndarray]]:
    """The elementary joints that make a joint: their kinds and the turns of their frames in the body frame."""
    if joint.kind not in WORDS:
        raise ValueError(f"joint {joint.name!r} is of the kind {joint.kind!r}, which no packed model knows")
    return WORDS[joint.kind].parts(joint)


def motion(kind: int, joint, q) -> np.ndarray:
    """(4, 4) motion of an elementary joint in its own frame."""
    return _BY_NUMBER[kind].motion(joint, q)


def has_rates(word: str) -> bool:
    """Whether the velocities of a kind of joint, or of a deformation, are the rates of its coordinates."""
    return word not in WORDS or not WORDS[word].on_group


def quaternion_of(word: str) -> int | None:
    """Where in its coordinates a kind of joint, or a deformation, has a quaternion; None if it has none."""
    return WORDS[word].quaternion if word in WORDS else None


def is_floating(word: str) -> bool:
    """Whether a body on such a joint goes and turns, with velocities in its own axes: a base that no motor drives."""
    return word in WORDS and WORDS[word].on_group and WORDS[word].roams
