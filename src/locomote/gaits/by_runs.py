"""Searches over runs, for problems whose net motion the shape does not decide alone: momentum, friction, drag, elasticity.

A gait drives the joints for some periods, from rest but for what the gait itself moves; the first ones let the motion settle to
its periodic orbit, the last one counts:

    value = g(t_m) - g(t_m-1) ,   g a coordinate of the base ,   t_m the end of period m                             (1)

Slopes are central differences over runs that go side by side: of mixed systems without other forces by their reduced equations
(`momentum`), of others by `lo.rollout` with parameters.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from locomote.compiled.rollout import rollout
from locomote.drives.kinds.fourier import Fourier
from locomote.errors import LocomoteError, UnknownName
from locomote.gaits.coordinates import Coordinates
from locomote.gaits.curves import Series
from locomote.gaits.local_form import NoConnection, local_form
from locomote.gaits.momentum import Drifting
from locomote.gaits.net_motion import refuse_other_forces
from locomote.gaits.search import Found, Search
from locomote.locomotion.connection import base_axes
from locomote.locomotion.problem import Locomotion
from locomote.spatial.groups_arrays import Group

DIFFERENCE = 1e-4  # rad or m, of slopes
PLACES = {"x": 0, "y": 1, "z": 2, "turn": 5, "yaw": 5}  # goals of runs, by the axis of the base


@dataclass(frozen=True)
class Moving:
    """What a search over runs knows of a problem, in the place of a local form."""

    problem: Locomotion
    coordinates: Coordinates
    kind: str = "runs"

    @property
    def size(self) -> int:
        """Number of coordinates that vary."""
        return self.coordinates.size

    @cached_property
    def group(self) -> Group:
        """Axes of the base."""
        base = np.array(sorted(self.problem.external), dtype=int)
        return Group("its base", tuple(int(np.argmax(row)) for row in base_axes(self.problem, base)))

    def place(self, goal: Any) -> int:
        """Where a goal stands in q."""
        if not isinstance(goal, str) or goal not in PLACES:
            raise UnknownName("goal", goal, PLACES, "gaits by runs")
        if PLACES[goal] not in self.group.axes:
            raise LocomoteError(f"the base of {self.problem.name!r} has no {goal!r}; goals are {', '.join(self.goals)}")
        if any(a in (3, 4) for a in self.group.axes) and goal not in ("x", "y", "z"):
            raise LocomoteError(f"turns of {self.problem.name!r} in space are no coordinate of its base; goals are x, y, z")
        return self.group.axes.index(PLACES[goal]) if not any(a in (3, 4) for a in self.group.axes) else PLACES[goal]

    @cached_property
    def drifting(self) -> Drifting | None:
        """The reduced equations of a mixed system on which nothing else acts; None of others."""
        made = self.coordinates
        modes = {
            name: {made.joints[row]: float(made.directions[row, j]) for row in np.flatnonzero(made.directions[:, j])}
            for j, name in enumerate(made.names)
        }
        try:
            form = local_form(self.problem, modes, dict(zip(made.joints, made.at[made.places], strict=True)))
            refuse_other_forces(form, momentum=True)
        except (NoConnection, ValueError):
            return None
        return Drifting(form) if form.kind == "mixed" and self.group.size == form.group.size else None

    @property
    def goals(self) -> list[str]:
        """Goals that the base has."""
        return [goal for goal, axis in PLACES.items() if axis in self.group.axes]


@dataclass
class RunSearch(Search):
    """A search over runs; numbers as those of a series.

    period : s ; periods : how many, of which the last counts ; step : s
    """

    period: float = 1.0
    periods: int = 1
    steps: int = 100
    named: str = "x"

    def at(self, numbers: np.ndarray) -> Found:
        """Value (1) and slopes at a gait, from one batch of runs."""
        if self._last is not None and np.array_equal(self._last.numbers, numbers):
            return self._last
        size = len(numbers)
        units = DIFFERENCE * np.eye(size)
        trials = np.concatenate([numbers[None], numbers + units, numbers - units])
        values, turns = self.ran(trials)

        def split(x: np.ndarray) -> tuple[float, np.ndarray]:
            return float(x[0]), (x[1 : 1 + size] - x[1 + size :]) / (2 * DIFFERENCE)

        value, uphill = split(values)
        turned = [split(turns)] if self.turn is not None else []
        self._last = Found(
            np.array(numbers), value, value, 1.0, uphill,
            np.array([x - float(self.turn or 0.0) for x, _ in turned]), np.array([s for _, s in turned]).reshape(-1, size),
        )  # fmt: skip
        return self._last

    def ran(self, trials: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(N,) goals and turns of gaits (N, numbers), run side by side."""
        form: Any = self.form
        if form.drifting is not None:
            return self._drifted(trials)
        problem, made = form.problem, form.coordinates
        c = trials.reshape(len(trials), form.size, -1)
        joints = np.einsum("jk,nkb->njb", made.directions, c)
        moved = [j for j in range(len(made.joints)) if made.directions[j].any()]
        rate = 2 * np.pi / self.period
        first = {made.joints[j]: Fourier(x[0], x[1::2], x[2::2], rate) for j, x in zip(moved, joints[0][moved], strict=True)}
        driven = problem.replaced(drives={**problem.drives, **first}, start=None)
        values: dict[str, np.ndarray] = {}
        for j in moved:
            name, own = made.joints[j], joints[:, j]
            values |= {f"{name}.mean": own[:, 0], f"{name}.cosines": own[:, 1::2], f"{name}.sines": own[:, 2::2]}
        step = self.period / self.steps
        runs = rollout(
            driven, parameters=values, duration=self.period * self.periods, step=step, keep=self.steps, progress=False,
            start="project",
        )  # fmt: skip
        q = np.asarray(runs.q)
        turns = form.place("turn") if 5 in form.group.axes and not any(a in (3, 4) for a in form.group.axes) else None
        return (
            q[:, -1, form.place(self.named)] - q[:, -2, form.place(self.named)],
            q[:, -1, turns] - q[:, -2, turns] if turns is not None else np.zeros(len(q)),
        )

    def _drifted(self, trials: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same from rest, by reduced equations; nothing of motions through singular shapes."""
        form: Any = self.form
        half = np.arange(2 * self.steps * self.periods + 1) * self.period / (2 * self.steps)
        n = 2 * np.pi / self.period * np.arange(1, (trials.shape[1] // form.size - 1) // 2 + 1)
        waves = np.ones((len(half), 1 + 2 * len(n)))
        slopes = np.zeros_like(waves)
        waves[:, 1::2], waves[:, 2::2] = np.cos(half[:, None] * n), np.sin(half[:, None] * n)
        slopes[:, 1::2], slopes[:, 2::2] = -n * np.sin(half[:, None] * n), n * np.cos(half[:, None] * n)
        c = trials.reshape(len(trials), form.size, -1)
        x, dx = (np.einsum("qb,tkb->tqk", part, c) for part in (waves, slopes))
        with np.errstate(all="ignore"):
            drift = form.drifting.along(x, dx, self.period / self.steps)
        ends = drift.poses[:, [-1 - self.steps, -1]]
        angle = np.arctan2(ends[:, :, 1, 0], ends[:, :, 0, 0])
        turned = (np.diff(angle, axis=1)[:, 0] + np.pi) % (2 * np.pi) - np.pi
        moved = turned if self.named in ("turn", "yaw") else np.diff(ends[:, :, PLACES[self.named], 3], axis=1)[:, 0]
        return np.where(drift.sound, moved, -1e3), np.where(drift.sound, turned, 0.0)


def run_search(moving: Moving, curves: Series, goal: str, turn: float | None, low, high, *, period: float, periods: int):
    """A search over runs."""
    moving.place(goal)
    form: Any = moving
    nothing: Any = None
    return RunSearch(form, curves, nothing, nothing, "none", turn, low, high, period=period, periods=periods, named=goal)


def exact_run(moving: Moving, gait: Any, periods: int) -> Any:
    """A run of a gait with the usual method and tolerances, sampled at the ends of its periods."""
    problem = moving.problem.replaced(drives={**moving.problem.drives, **gait.drives()}, start=None)
    when: dict[str, Any] = {"samples": np.arange(periods + 1) * gait.period, "progress": False, "start": "project"}
    if moving.drifting is not None:  # no momentum but what the gait itself makes
        made, form = moving.coordinates, moving.drifting.form
        x, dx, _ = gait.shapes(0.0)
        v = np.zeros(problem.model.nv)
        v[form.base], v[made.shape] = -form(x[None]).A[0] @ dx, made.directions @ dx
        when |= {"q": made.configurations(x), "v": v}
    return problem.simulate(gait.period * periods, **when)
