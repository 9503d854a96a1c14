"""`locomote run FILE`: a model of a file as something to run, free to move or held where `--drive` says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from locomote.cli.settings import Mistake, number
from locomote.errors import UnknownName
from locomote.formats import registry
from locomote.formats.scenes import read_scene
from locomote.locomotion.on_ground import floats, on_ground
from locomote.locomotion.problem import Locomotion
from locomote.locomotion.scene import problem_of
from locomote.model.model import Model
from locomote.model.scene import Camera

DURATION = 5.0  # s
ALL = "all"  # --drive all
BASE = "base"
SCENES = ("mjcf", "sdf")  # formats whose files may be run as they are, with their world
GROUNDS = ("auto", "floor", "none")


@dataclass(frozen=True)
class Standing:
    """How a robot is put on the ground; posture : name of a keyframe, None if its legs are bent by the library."""

    posture: str | None = None
    drop: float = 0.0


@dataclass(frozen=True)
class OfFile:
    """A model of a file, with the same words as a system of the catalogue; drives : joints and where they are held."""

    name: str
    title: str
    model: Model
    drives: Mapping[str, float]
    standing: Standing | None = None
    duration: float = DURATION
    parameters: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def initial(self) -> tuple[np.ndarray, np.ndarray]:
        """On the ground, or the neutral configuration within limits, at rest."""
        if self.standing is not None and (start := self._stands.start) is not None:
            return start
        return np.clip(self.model.neutral(), self.model.lower, self.model.upper), np.zeros(self.model.nv)

    @cached_property
    def _stands(self) -> Locomotion:
        assert self.standing is not None
        return on_ground(self.model, posture=self.standing.posture, drop=self.standing.drop, name=self.name)

    def problem(self) -> Locomotion:
        """The model with what is held, on the ground if it stands there."""
        if self.standing is not None:
            return self._stands
        return Locomotion(self.model, drives=dict(self.drives), name=self.name, start=self.initial)


@dataclass(frozen=True)
class OfScene:
    """A scene of a file, with its floors, motors and start, with the same words as a system of the catalogue."""

    name: str
    title: str
    scene: Locomotion
    cameras: tuple[Camera, ...] = ()
    duration: float = DURATION
    parameters: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def model(self) -> Model:
        """The mechanism."""
        return self.scene.model

    @property
    def initial(self) -> tuple[np.ndarray, np.ndarray]:
        """Where the file, or a keyframe, puts it."""
        assert self.scene.start is not None
        return self.scene.start

    def problem(self) -> Locomotion:
        """What the file states."""
        return self.scene


def of_scene(target: str, posture: str | None) -> OfScene | None:
    """The scene of a file of a format that has scenes, if it has a floor, walls or motors; posture : name of a keyframe"""
    form = registry.of_suffix(Path(target).suffix.lower())
    if form is None or form.word not in SCENES or not Path(target).exists():
        return None
    scene = read_scene(target)
    if not (scene.floors or scene.walls or scene.motors or scene.thrusters):
        return None
    problem = problem_of(scene, keyframe=posture)
    return OfScene(Path(target).stem, f"the scene of {target}, its motors told what it says", problem, scene.cameras)


def of_file(target: str, model: Model, settings: list[str], ground: str, posture: str | None, drop: float | None) -> OfFile:
    """A model to run, with drives from JOINT=VALUE, or `all`; on a floor where it has a free base and shapes that touch."""
    drives, free = held(model, settings), floats(model)
    if ground not in GROUNDS:
        raise UnknownName("ground", ground, GROUNDS, "locomote run")
    if ground == "floor" or (ground == "auto" and free and model.collisions and not drives):
        if drives:
            raise Mistake("--drive holds joints of a model without ground: leave it out, or say --ground none")
        words = "on a floor, its joints held by springs"
        return OfFile(Path(target).stem, f"the model of {target}, {words}", model, {}, Standing(posture, drop or 0.0))
    if posture is not None or drop is not None:
        raise Mistake("--posture and --drop are for a robot on the ground: it needs --base free and shapes that touch")
    words = "free to move: no torques, no drives" if not drives else f"{len(drives)} of its joints held by drives"
    return OfFile(Path(target).stem, f"the model of {target}, {words}", model, drives)


def held(model: Model, settings: list[str]) -> dict[str, float]:
    """Joints and the values (rad or m) at which drives hold them."""
    single = [name for name in model.joint_names if model.joint(name).joint.sizes == (1, 1) and name != BASE]
    found: dict[str, float] = {}
    for setting in settings:
        key, sign, text = (part.strip() for part in setting.partition("="))
        if key == ALL and not sign:
            found = {name: float(model.neutral()[model.joint(name).q][0]) for name in single} | found
            continue
        value = number(text)
        if not sign or isinstance(value, str):
            raise Mistake(f"--drive {setting!r}: expected JOINT=VALUE with a number (rad or m), or all")
        if key not in single:
            raise UnknownName("joint of one coordinate", key, single, repr(model.name))
        found[key] = float(value)
    return found
