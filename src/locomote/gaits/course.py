"""A shape motion that must reach its targets, as a program over numbers: effort, rows and clearances with exact slopes.

Paths are splines through values at knots, which are the unknowns. `inverse_locomotion` says what is minimised.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from locomote.gaits.local_form import SINGULAR, LocalForm
from locomote.gaits.obstacles import Obstacle, Wall
from locomote.gaits.path_ordered import Ordered, Panels
from locomote.gaits.targets import Rows

PIECES, WATCHED = 2, 6  # panels between two knots, and where obstacles are watched
MET = 1e-6  # m or rad, to which a search meets its target before it is corrected
COARSE = 1e-3  # m or rad, by which finer panels may tell otherwise; beyond it the search goes on with them
REFINED, FINEST = 3, 7  # how often panels are cut in two for a search, and for what is corrected
NEWTON, HALVED = 20, 8  # steps on the same panels, and how often one is halved
SHARP = 400.0  # of the smooth smallest distance to obstacles, over their size (0.1 m of a wall)
TOUCH = 1e-3  # of that size, by which a corrected path may come too near


def size_of(obstacle: Obstacle | Wall) -> float:
    """m, over which a way goes around an obstacle."""
    return max(getattr(obstacle, "radius", 0.1), 1e-9)


class Basis:
    """Splines of order 5 through values at knots in 0..1: matrices of values and rates at the nodes of panels."""

    def __init__(self, knots: np.ndarray, rest: bool, pieces: int = PIECES):
        self.knots, self.rest, self.pieces = knots, rest, pieces
        self.panels = Panels(np.linspace(0.0, 1.0, (len(knots) - 1) * pieces + 1))

    @cached_property
    def matrices(self) -> tuple[np.ndarray, np.ndarray]:
        """(N, K) values and rates at all nodes."""
        return self.at(self.panels.nodes.ravel())

    def at(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(N, K) values and rates at times (N,)."""
        from scipy.interpolate import make_interp_spline

        ends = [(1, np.zeros(len(self.knots))), (2, np.zeros(len(self.knots)))] if self.rest else None
        other = [(3, np.zeros(len(self.knots))), (4, np.zeros(len(self.knots)))]
        curves = make_interp_spline(self.knots, np.eye(len(self.knots)), k=5, bc_type=(ends or other, ends or other))
        return curves(t), curves(t, 1)

    def finer(self) -> "Basis":
        """The same splines on panels cut in two."""
        return Basis(self.knots, self.rest, 2 * self.pieces)


@dataclass(frozen=True)
class Found:
    """A path: its effort with slopes, rows with slopes, clearance with slopes."""

    ordered: Ordered
    effort: float
    length: float
    by_effort: np.ndarray
    rows: np.ndarray
    by_rows: np.ndarray
    clear: np.ndarray
    by_clear: np.ndarray
    sound: bool


@dataclass
class Course:
    """The problem (1) over numbers: values at inner knots, and at the last if the end is free."""

    form: LocalForm
    basis: Basis
    metric: Any
    first: np.ndarray
    last: np.ndarray | None
    wanted: list[tuple[float, Rows]]
    avoid: tuple[Obstacle | Wall, ...]
    box: tuple = (None, None)
    iterations: int = 400
    accuracy: float = 1e-12
    exact: float = 1e-10  # m or rad, to which a corrected path meets its target

    @property
    def inner(self) -> slice:
        """Knots that are unknown."""
        return slice(1, None if self.last is None else -1)

    def values(self, numbers: np.ndarray) -> np.ndarray:
        """(K, k) values at all knots."""
        x = np.tile(self.first, (len(self.basis.knots), 1))
        if self.last is not None:
            x[-1] = self.last
        x[self.inner] = numbers.reshape(-1, self.form.size)
        return x

    def numbers(self, values: np.ndarray) -> np.ndarray:
        """The unknowns of values at all knots."""
        return values[self.inner].ravel()

    def at(self, numbers: np.ndarray) -> Found:
        """Everything at a path."""
        form, n = self.form, self.form.group.size
        B, D = self.basis.matrices
        knots = self.values(numbers)
        x, rates = B @ knots, D @ knots
        local = form(x)
        xi = -np.einsum("pnk,pk->pn", local.A, rates)
        ordered = Ordered(form.group, self.basis.panels, xi.reshape(-1, 3, n))
        G = self.metric(x, local)
        shares, squared = self.basis.panels.shares.ravel(), G.squared(rates)
        by_x = shares[:, None] * np.einsum("pj,pijk,pk->pi", rates, G.dG, rates)
        by_rate = 2.0 * shares[:, None] * np.einsum("pjk,pk->pj", G.G, rates)
        rows, by_rows = [], []
        for part, own in self.wanted:
            place = min(int(round(part * len(ordered.steps))), len(ordered.steps))
            found, slopes = own(ordered.poses[place])
            rows.append(found)
            by_rows += [self._pulled(ordered, local, rates, place, row) for row in slopes]
        clear, by_clear = self._clear(ordered, local, rates)
        sound = bool((local.sound > SINGULAR).all() and len(set(local.side)) == 1 and np.isfinite(ordered.pose).all())
        return Found(
            ordered, float(shares @ squared), float(shares @ np.sqrt(squared)), self._unknown(B.T @ by_x + D.T @ by_rate),
            np.concatenate(rows), np.array(by_rows), clear, by_clear, sound,
        )  # fmt: skip

    def _unknown(self, by_knots: np.ndarray) -> np.ndarray:
        return by_knots[self.inner].ravel()

    def _pulled(
        self, ordered: Ordered, local, rates, place: int, row: np.ndarray, many: np.ndarray | None = None
    ) -> np.ndarray:
        """Slopes by the unknowns of a number with slope `row` (n,) by the motion at an edge, or `many` (N, n) by all."""
        covectors = np.zeros_like(ordered.steps) if many is None else many
        if many is None:
            covectors[place - 1] = row
        s = ordered.slopes(covectors).reshape(-1, self.form.group.size)
        B, D = self.basis.matrices
        by_x = -np.einsum("pn,pink,pk->pi", s, local.dA, rates)
        by_rate = -np.einsum("pn,pnk->pk", s, local.A)
        return self._unknown(B.T @ by_x + D.T @ by_rate)

    def _clear(self, ordered: Ordered, local, rates) -> tuple[np.ndarray, np.ndarray]:
        """A smooth lower bound of the clearance to each obstacle over the way, m, and its slopes."""
        if not self.avoid:
            return np.zeros(0), np.zeros((0, 0))
        p = ordered.poses[1:, :3, 3]
        values, slopes = [], []
        for obstacle in self.avoid:
            gap, by_p = obstacle.clearance(p)
            sharp = SHARP / size_of(obstacle)
            weights = np.exp(-sharp * (gap - gap.min()))
            values.append(gap.min() - np.log(weights.sum()) / sharp)
            weights = weights / weights.sum()
            full = np.concatenate([by_p, np.cross(p, by_p)], axis=1)[:, list(self.form.group.axes)]
            slopes.append(self._pulled(ordered, local, rates, 0, full[0], weights[:, None] * full))
        return np.array(values), np.array(slopes)

    def prepared(self, begin: np.ndarray) -> np.ndarray | None:
        """Where a search begins, made from random numbers; None if nowhere."""
        return begin

    def still(self) -> tuple[float, np.ndarray] | None:
        """No motion at all, if that is what is wanted."""
        if self.last is None or not np.array_equal(self.first, self.last):
            return None
        numbers = self.numbers(np.tile(self.first, (len(self.basis.knots), 1)))
        found = self.at(numbers)
        return (0.0, numbers) if abs(found.rows).max() < self.exact and (found.clear > 0).all() else None

    def searched(self, rng: np.random.Generator, amplitude: float) -> tuple[float, np.ndarray] | None:
        """Effort and unknowns of a search from a random loop; None if it does not reach the target."""
        t, k = self.basis.knots, self.form.size
        waves = sum(rng.normal(size=k)[None] * np.sin(np.pi * m * t)[:, None] / m for m in (1, 2, 3))
        ends = self.first if self.last is None else self.first + t[:, None] * (self.last - self.first)
        numbers = self.prepared(self.numbers(ends + amplitude * waves))
        for _ in range(REFINED + 1):
            if numbers is None or (top := self._least(numbers)) is None:
                return None
            coarse, self.basis = self.basis, self.basis.finer()
            finer = self.at(top[1])
            if abs(finer.rows).max() < COARSE and self._apart(finer, MET):
                self.basis = coarse
                return top
            numbers = top[1]  # it reached the target, or got past an obstacle, by errors of the panels: on finer ones then
        return None

    def _least(self, begin: np.ndarray) -> tuple[float, np.ndarray] | None:
        """Effort and unknowns of the program from `begin` on; None if the target is not met."""
        from scipy.optimize import minimize

        if not self.at(begin).sound:
            return None
        kept: dict[bytes, Found] = {}

        def at(c):
            key = c.tobytes()
            if key not in kept:
                kept.clear()
                kept[key] = self.at(c)
            return kept[key]

        scale = max(at(begin).effort, 1e-12)
        conditions = [{"type": "eq", "fun": lambda c: at(c).rows, "jac": lambda c: at(c).by_rows}]
        if self.avoid:
            conditions.append({"type": "ineq", "fun": lambda c: at(c).clear, "jac": lambda c: at(c).by_clear})
        found = minimize(
            lambda c: at(c).effort / scale, begin, jac=lambda c: at(c).by_effort / scale, method="SLSQP", bounds=self._bounds(),
            constraints=conditions, options={"maxiter": self.iterations, "ftol": self.accuracy},
        )  # fmt: skip
        top = self.at(found.x)
        good = top.sound and abs(top.rows).max() < MET and (top.clear > -MET).all()
        return (top.effort, found.x) if good else None

    def _bounds(self) -> list | None:
        low, high = self.box
        if low is None or high is None:
            return None
        count = len(self.numbers(self.values(np.zeros(len(self.basis.knots[self.inner]) * self.form.size)))) // self.form.size
        return [(float(a), float(b)) for _ in range(count) for a, b in zip(low, high, strict=True)]

    def corrected(self, numbers: np.ndarray) -> tuple[np.ndarray, Found] | None:
        """The path moved as little as possible, so that it meets its target on panels so fine that twice as many say the same;
        None if none near by does."""
        for _ in range(FINEST):
            numbers, found = self._met(numbers)
            if not abs(found.rows).max() < self.exact:
                return None
            pose, self.basis = found.ordered.pose, self.basis.finer()
            found = self.at(numbers)
            if max(abs(found.rows).max(), abs(found.ordered.pose - pose).max()) < self.exact:
                return (numbers, found) if found.sound and self._apart(found, TOUCH) else None
        return None

    def _apart(self, found: Found, share: float) -> bool:
        """Whether a path stays clear of all obstacles, but for a share of their size."""
        places = found.ordered.poses[:, :3, 3]
        return all(obstacle.clearance(places)[0].min() > -share * size_of(obstacle) for obstacle in self.avoid)

    def _met(self, numbers: np.ndarray) -> tuple[np.ndarray, Found]:
        """Newton's method to the target on the panels as they are, by steps that come nearer and stay within bounds."""
        box = self._bounds()
        low, high = np.array(box).T if box is not None else (-np.inf, np.inf)
        found = self.at(numbers)
        for _ in range(NEWTON):
            step = np.linalg.lstsq(found.by_rows, found.rows, rcond=1e-10)[0]
            free = ~(((numbers <= low) & (step > 0)) | ((numbers >= high) & (step < 0)))
            if not free.all():
                step[free], step[~free] = np.linalg.lstsq(found.by_rows[:, free], found.rows, rcond=1e-10)[0], 0.0
            for k in range(HALVED):
                trial = np.clip(numbers - 0.5**k * step, low, high)
                if np.linalg.norm((other := self.at(trial)).rows) < np.linalg.norm(found.rows):
                    break
            else:
                break
            numbers, found = trial, other
            if abs(found.rows).max() < 1e-3 * self.exact:
                break
        return numbers, found
