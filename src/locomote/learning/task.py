"""A task: what copies of a problem are told, what is seen of them, what it is worth, and when it ends. All functions take the
copies at once and give arrays with one row a copy."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.compiled.copies import Copies
from locomote.errors import LocomoteError
from locomote.locomotion.inputs import slots_of
from locomote.locomotion.problem import Locomotion
from locomote.model.model import Model
from locomote.spatial.numbers import as_numbers
from locomote.sweeps.axes import range_of

ACTIONS = ("torque", "target", "acceleration", "rate")


class TaskError(LocomoteError, ValueError):
    """A task that cannot be done as it was said."""


@brief
@dataclass(frozen=True, eq=False, kw_only=True)
class Task:
    """What is to be learned.

    problem : what moves ; joints : names of those that actions move, one action a coordinate: joints, and rods, whose
        coordinates are strains; targets are for joints with one
    action : what actions from -1 to 1 are, times `scale` (one number, or one a joint):
        "torque" N or N m ; "acceleration" of driven joints, m/s^2 or rad/s^2
        "rate" of driven joints at the end of a tick, m/s or rad/s, which they reach with an even acceleration
        "target" a place that springs of `stiffness` (N m/rad or N/m) and `damping` pull each joint to, about its place at rest,
        rad or m: the exact law of PD control at every step, not at every tick
    observe(copies) -> (count, size) ; reward(copies, actions) -> (count,) ; ended(copies) -> (count,) booleans
    begin(random, count) -> q (count, nq), v (count, nv): starts, drawn ; the start of the problem if None
    step : s ; substeps : steps of a tick ; duration : s after which a copy is cut off
    gait(copies) -> (count, actions) : actions that those given are added to, such as steps in place that shall become a walk
    noise : standard deviation of what is added to observations, one number or one a column
    delay : ticks by which actions come late; (least, most): each copy has its own, drawn when it begins
    parameters : name of a number of the problem (`problem.parameters`), or a pattern -> (lowest, highest): copies have their
        own, drawn when they are made, such as {"trunk.mass": (7.0, 9.0), "ground.friction": (0.4, 1.0)}
    alike : how many copies have the same numbers; over contacts these are stepped together
    compiled : whether observe, reward, ended and gait are formulas of q, v, t, contact_forces and actions, which are then
        written down once and compiled: arithmetic and NumPy's functions, without draws, memory and decisions by `if`
    push : (m/s, s): a base is given a velocity of this size sideways, drawn, about once in so many seconds
    """

    name: str
    problem: Locomotion
    joints: Sequence[str]
    observe: Callable[[Copies], np.ndarray]
    reward: Callable[[Copies, np.ndarray], np.ndarray]
    ended: Callable[[Copies], np.ndarray] = field(default=lambda copies: np.zeros(copies.count, bool))
    begin: Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]] | None = None
    gait: Callable[[Copies], np.ndarray] | None = None
    action: str = "torque"
    scale: Any = 1.0
    stiffness: float = 0.0
    damping: float = 0.0
    step: float = 2e-3
    substeps: int = 10
    duration: float = 10.0
    noise: Any = 0.0
    delay: int | tuple[int, int] = 0
    push: tuple[float, float] | None = None
    parameters: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    alike: int = 8
    compiled: bool = False

    def __post_init__(self):
        if self.action not in ACTIONS:
            raise TaskError(f"action is {self.action!r:.40}, expected one of {', '.join(map(repr, ACTIONS))}")
        for name, least in (("step", 0.0), ("duration", 0.0)):
            if not (np.isfinite(getattr(self, name)) and getattr(self, name) > least):
                raise TaskError(
                    f"{name} of task {self.name!r} is {getattr(self, name)!r:.40}, expected a number of seconds above 0"
                )
        if not all(whole(x, 0) for x in self.delays) or self.delays[0] > self.longest:
            raise TaskError(f"delay of task {self.name!r} is {self.delay!r:.40}, expected ticks from 0, or (least, most)")
        noise = as_numbers(self.noise, f"noise of task {self.name!r}", "() or (columns,)")
        if not np.isfinite(noise).all() or (noise < 0).any():
            raise TaskError(f"noise of task {self.name!r} is {self.noise!r:.40}, expected a number from 0, or one a column")
        for name, least in (("substeps", 1), ("alike", 1)):
            value = getattr(self, name)
            if not whole(value, least):
                raise TaskError(f"{name} of task {self.name!r} is {value!r:.40}, expected an integer from {least}")
        if self.action == "target" and not self.stiffness > 0:
            raise TaskError(
                f"task {self.name!r} has targets, and no stiffness that pulls joints to them; give stiffness above 0"
            )
        base = self.problem.model.joint(self.problem.model.joint_names[0])
        if self.push is not None and base.v.stop - base.v.start < 2:
            raise TaskError(f"task {self.name!r} has pushes, and {self.problem.model.name!r} has no base that can go sideways")
        if self.action in ("acceleration", "rate") and not self.problem.imposed[self.slots].all():
            raise TaskError(
                f"task {self.name!r} has actions that are {self.action}s, and joints without a drive; take 'torque'"
            )
        for joint in self.joints:
            found = len(slots_of(self.problem.model, joint))
            if self.action == "target" and found != 1:
                raise TaskError(f"joint {joint!r} has {found} coordinates, targets are for joints with one")

    @cached_property
    def slots(self) -> list[int]:
        """Places in v that actions move."""
        return [k for joint in self.joints for k in slots_of(self.problem.model, joint)]

    @cached_property
    def delays(self) -> tuple[Any, Any]:
        """Least and most ticks by which actions come late."""
        if isinstance(self.delay, tuple | list) and len(self.delay) == 2:
            return self.delay[0], self.delay[1]
        return self.delay, self.delay

    @property
    def longest(self) -> int:
        """The most of them."""
        return self.delays[1]

    @property
    def size(self) -> int:
        """How many actions there are."""
        return len(self.slots)

    @property
    def tick(self) -> float:
        """Time from one action to the next, s."""
        return self.step * self.substeps

    def copies(self, count: int, threads: int = 1, seed: int = 0) -> Copies:
        """Copies of the problem, with springs at the joints where actions are targets; seed : of their numbers."""
        return Copies(
            self.acted(), count, step=self.step, substeps=self.substeps, joints=list(self.joints), threads=threads,
            parameters=self.drawn(count, seed),
        )  # fmt: skip

    def drawn(self, count: int, seed: int) -> dict[str, np.ndarray] | None:
        """Numbers of copies, (count,) each; the same for `alike` neighbours."""
        random, found = np.random.default_rng(seed), {}
        for name, ends in self.parameters.items():
            low, high = range_of(name, ends)
            found[name] = np.repeat(random.uniform(low, high, -(-count // self.alike)), self.alike)[:count]
        return found or None

    def acted(self) -> Locomotion:
        """The problem with what actions need."""
        if self.action != "target":
            return self.problem
        rest = self.rest()
        springs = dict(self.problem.springs) | {
            name: (self.stiffness, float(x), self.damping) for name, x in zip(self.joints, rest, strict=True)
        }
        return self.problem.replaced(springs=springs)

    def rest(self) -> np.ndarray:
        """(joints,) where they are at the start of the problem, rad or m."""
        model: Model = self.problem.model
        return np.array([self.problem.initial()[0][model.joint(name).q.start] for name in self.joints])

    def told(self, copies: Copies, actions: np.ndarray) -> np.ndarray:
        """Controls of copies (count, size) for actions, with the gait."""
        if self.gait is not None:
            actions = actions + self.checked("gait", self.gait(copies), actions.shape)
        if self.action == "rate":
            return (self.controls(actions) - copies.v[:, self.slots]) / self.tick
        return self.controls(actions)

    def controls(self, actions: np.ndarray) -> np.ndarray:
        """Actions (count, size) as controls: a target pulls with stiffness times its distance from the place at rest."""
        given = np.clip(actions, -1.0, 1.0) * self.scale
        return self.stiffness * given if self.action == "target" else given

    def starts(self, random: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Starts of some copies, q (count, nq) and v (count, nv)."""
        if self.begin is None:
            q, v = self.problem.initial()
            return np.tile(q, (count, 1)), np.tile(v, (count, 1))
        q, v = (np.asarray(x, float) for x in self.begin(random, count))
        model = self.problem.model
        if q.shape != (count, model.nq) or v.shape != (count, model.nv):
            raise TaskError(
                f"begin of task {self.name!r} gave q {q.shape} and v {v.shape}, expected "
                f"({count}, {model.nq}) and ({count}, {model.nv})"
            )
        return q, v

    def observed(self, copies: Copies) -> np.ndarray:
        """(count, size) what is observed, without noise."""
        values = np.asarray(self.observe(copies), float)
        if values.ndim != 2 or len(values) != copies.count:
            raise TaskError(
                f"observe of task {self.name!r} gave an array of shape {values.shape}, expected ({copies.count}, size)"
            )
        return values

    def checked(self, name: str, values: Any, shape: tuple[int, ...]) -> np.ndarray:
        """What a function of the task gave, in the shape (n,) or (n, m) that it must have."""
        found = np.asarray(values)
        if found.shape != shape:
            raise TaskError(f"{name} of task {self.name!r} gave an array of shape {found.shape}, expected {shape}")
        return found


def whole(value: Any, least: int) -> bool:
    """Whether a value is an integer, and not below the least."""
    return not isinstance(value, bool) and isinstance(value, int | np.integer) and bool(value >= least)
