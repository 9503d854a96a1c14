"""All kinds of joints: the elementary ones, which compiled code knows, and the words that a Joint may have for its kind."""

import importlib
import pkgutil
from pathlib import Path
from types import ModuleType

import numpy as np

from locomote.model.joints import other
from locomote.model.joints.kind import Kind
from locomote.model.joints.numbers import ATTACHED, FLEX
from locomote.model.joints.paste import by_kind

SHARED = {"axes", "coordinates", "kind", "motion", "numbers", "other", "paste", "poses", "screws", "table"}  # no kinds
OFTEN = ("revolute", "prismatic", "free")  # what most bodies hang by: these are compared first


def collected() -> list[ModuleType]:
    """The files of all kinds."""
    package = __name__.rpartition(".")[0]
    names = [file.name for file in pkgutil.iter_modules([str(Path(__file__).parent)])]
    return [importlib.import_module(f"{package}.{name}") for name in names if name not in SHARED]


def place(kind: ModuleType) -> tuple[int, int]:
    """Where an elementary kind stands among the comparisons."""
    word = kind.KIND.name
    return OFTEN.index(word) if word in OFTEN else len(OFTEN), -kind.NUMBER


FILES = collected()
ELEMENTARY = sorted((file for file in FILES if hasattr(file, "NUMBER")), key=place)
WORDS: dict[str, Kind] = {kind.name: kind for file in FILES for kind in vars(file).values() if isinstance(kind, Kind)}
BASES: dict[str, Kind] = {kind.base: kind for kind in WORDS.values() if kind.base}
_BY_NUMBER = {kind.NUMBER: kind for kind in sorted(ELEMENTARY, key=lambda kind: kind.NUMBER)}
assert len(_BY_NUMBER) == len(ELEMENTARY) and not {FLEX, ATTACHED} & _BY_NUMBER.keys(), "two kinds of joints have one number"
KINDS = (*_BY_NUMBER, FLEX, ATTACHED)
NAMES = {number: kind.KIND.name for number, kind in _BY_NUMBER.items()}  # words of elementary kinds
SCREWS = tuple(number for number, kind in _BY_NUMBER.items() if getattr(kind, "SCREW", False))
GROUPS = tuple(number for number, kind in _BY_NUMBER.items() if getattr(kind, "GROUP", False))
# by number: coordinates in q, and unit twists that those of v move along; numbers of q of a group that are a place
Q_SIZE = {number: kind.Q_COUNT for number, kind in _BY_NUMBER.items()}
V_SIZE = {number: len(kind.AXES) for number, kind in _BY_NUMBER.items()}
AXES_OF_V = {number: getattr(_BY_NUMBER.get(number), "AXES", ()) for number in KINDS}
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
