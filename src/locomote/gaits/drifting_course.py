"""Shape motions of mixed systems that must reach their targets, from rest to rest: the program of `course`, with momentum.

Numbers of many motions come from one batch (`momentum`), so that slopes are central differences of order two over motions that
go side by side. Rows at the end say where the base shall be, and that it stands still: s of `momentum` is zero.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from locomote.gaits.course import SHARP, Basis, Course, Found, size_of
from locomote.gaits.momentum import Drifting

DIFFERENCE = 1e-5  # rad or m, of slopes
NEAR = 1e-2  # half the sum of squares of rows, from which the program is begun
STEPS = 4  # of order four between two knots, at first


class Halves(Basis):
    """Splines through values at knots: matrices of values and rates at all half steps."""

    @cached_property
    def times(self) -> np.ndarray:
        """(2 S + 1,) from 0 to 1."""
        return np.linspace(0.0, 1.0, 2 * (len(self.knots) - 1) * self.pieces + 1)

    @cached_property
    def matrices(self) -> tuple[np.ndarray, np.ndarray]:
        """(2 S + 1, K) values and rates."""
        return self.at(self.times)

    def finer(self) -> "Halves":
        """The same splines with steps cut in two."""
        return Halves(self.knots, self.rest, 2 * self.pieces)


@dataclass(frozen=True)
class Way:
    """Where the base has been."""

    poses: np.ndarray

    @property
    def pose(self) -> np.ndarray:
        """(4, 4) at the end."""
        return self.poses[-1]


@dataclass
class DriftCourse(Course):
    """The program over numbers, with momentum. stops : whether the base stands still at the end."""

    iterations: int = 150
    accuracy: float = 1e-8
    exact: float = 1e-9
    stops: bool = True
    drifting: Drifting = field(default=None)  # type: ignore[assignment]
    _kept: list = field(default_factory=list)

    def __post_init__(self) -> None:
        self.drifting = Drifting(self.form)

    def at(self, numbers: np.ndarray) -> Found:
        size = len(numbers)
        units = DIFFERENCE * np.eye(size)
        trials = np.concatenate([numbers[None], numbers + units, numbers - units])
        effort, length, rows, clear, poses, sound = self.several(trials)

        def slopes(a: np.ndarray) -> np.ndarray:
            return ((a[1 : 1 + size] - a[1 + size :]) / (2 * DIFFERENCE)).T

        way: Any = Way(poses[0])
        return Found(
            way, float(effort[0]), float(length[0]), slopes(effort), rows[0], slopes(rows).reshape(-1, size), clear[0],
            slopes(clear).reshape(-1, size), bool(sound[0]),
        )  # fmt: skip

    def prepared(self, begin: np.ndarray) -> np.ndarray | None:
        """A motion near `begin` that reaches the target, by Levenberg and Marquardt."""
        from scipy.optimize import least_squares

        def at(c):
            if not self._kept or not np.array_equal(self._kept[0], c):
                self._kept[:] = [np.array(c), self.at(c)]
            return self._kept[1]

        slopes: Any = lambda c: np.nan_to_num(at(c).by_rows)  # noqa: E731  SciPy's stubs know words only
        box = self._bounds()
        low, high = np.array(box).T if box is not None else (-np.inf, np.inf)
        begin = np.clip(begin, low, high)
        if not self.at(begin).sound:
            return None
        with np.errstate(all="ignore"):
            found = least_squares(
                lambda c: np.nan_to_num(at(c).rows, nan=1e3, posinf=1e3, neginf=-1e3), begin, bounds=(low, high),
                jac=slopes, max_nfev=40, xtol=1e-4, ftol=1e-6, gtol=1e-10,
            )  # fmt: skip
        return found.x if found.cost < NEAR else None

    def several(self, trials: np.ndarray):
        """Effort, length, rows, clearances, poses of motions (N, numbers), and whether they are sound."""
        B, D = self.basis.matrices
        knots = np.array([self.values(own) for own in trials])
        x, rates = np.einsum("qk,tkj->tqj", B, knots), np.einsum("qk,tkj->tqj", D, knots)
        steps = (len(B) - 1) // 2
        drift = self.drifting.along(x, rates, 1.0 / steps)
        G = self.metric(x.reshape(-1, self.form.size), drift.local)
        squared = np.maximum(G.squared(rates.reshape(-1, self.form.size)).reshape(len(trials), -1), 0.0)
        shares = np.tile([2.0, 4.0], steps) / (6.0 * steps)
        shares = np.append(shares, 1.0 / (6.0 * steps))
        shares[0] = 1.0 / (6.0 * steps)
        rows = [self._rows(poses, speed) for poses, speed in zip(drift.poses, drift.speed, strict=True)]
        clear = np.array([self._gaps(poses[1:, :3, 3]) for poses in drift.poses]).reshape(len(trials), -1)
        return squared @ shares, np.sqrt(squared) @ shares, np.array(rows), clear, drift.poses, drift.sound

    def _rows(self, poses: np.ndarray, speed: np.ndarray) -> np.ndarray:
        found = [own(poses[min(int(round(part * (len(poses) - 1))), len(poses) - 1)])[0] for part, own in self.wanted]
        return np.concatenate([*found, *([speed[-1]] if self.stops else [])])

    def _gaps(self, places: np.ndarray) -> list[float]:
        """Smooth lower bounds of clearances, m."""
        found = []
        for obstacle in self.avoid:
            gap = obstacle.clearance(places)[0]
            sharp = SHARP / size_of(obstacle)
            found.append(gap.min() - np.log(np.exp(-sharp * (gap - gap.min())).sum()) / sharp)
        return found
