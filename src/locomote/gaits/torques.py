"""Gaits within limits of joint forces: the forces along a closed curve, and searches for the fastest gait they allow.

Forces follow from the shape and its rates (`timing`). With tau those at a period of 1 s, a period of T s needs tau / T^2 with
inertia and tau / T without, so that the shortest period of a curve is known, and

    value   goal / T   with   |tau_j| <= limit_j T^p   at points along the curve,   p = 2 or 1                       (1)

has log T as one number more. The timing of the curve is that of its Fourier series: with more harmonics it is freer.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from locomote.errors import UnknownName
from locomote.gaits.curves import Series
from locomote.gaits.local_form import LocalForm
from locomote.gaits.net_motion import curvature
from locomote.gaits.search import CHECKED, NOTHING, Found, Search

FINE = 720  # times at which limits are kept in the end
STEP = 1e-5  # rad or m, of slopes of forces by the shape
OVER, ALLOWED = 1e-8, 1e-3  # of a limit, in a search and in the end
TIGHTER = 6  # searches with tighter limits, at most
NARROW, WIDE = -25.0, 25.0  # log s, of periods


def torque_limits(names: tuple[str, ...], given: Any) -> np.ndarray:
    """(k,) limits of joint forces, N m or N; infinite where there are none."""
    limits: Mapping[str, Any] = given if isinstance(given, Mapping) else dict.fromkeys(names, given)
    for name, value in limits.items():
        if name not in names:
            raise UnknownName("coordinate", name, names, "limits of forces")
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not value > 0.0:
            raise ValueError(f"limit of {name!r} is {value!r:.40}, expected a number above 0, N m or N")
    return np.array([limits.get(name, np.inf) for name in names], dtype=float)


def pushed(form: LocalForm, x: np.ndarray, dx: np.ndarray, ddx: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(N, k) a and b of (1) of `timing`; b is zero without inertia."""
    local, n = form(x), form.group.size
    a = np.einsum("pjk,pk->pj", local.G, dx)
    if not form.problem.inertia:
        return a, np.zeros_like(a)
    b = np.einsum("pjk,pk->pj", local.G, ddx) + np.einsum("pijk,pi,pk->pj", local.dG, dx, dx)
    b = b - 0.5 * np.einsum("pijk,pj,pk->pi", local.dG, dx, dx)
    eta = -np.einsum("pnk,pk->pn", local.A, dx)
    momentum = np.einsum("pab,pb->pa", local.W[:, :n, :n], eta) + np.einsum("pak,pk->pa", local.W[:, :n, n:], dx)
    return a, b - np.einsum("pn,pjkn,pk->pj", momentum, curvature(form, local), dx)


@dataclass(frozen=True)
class Timed:
    """A series whose last number is the log of its period, s; shortest : the period (s) that the numbers of a series need"""

    inner: Series
    shortest: Callable[[np.ndarray], float]

    @property
    def basis(self):
        """Of the series."""
        return self.inner.basis

    def curve(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """x and x' at the nodes, at a period of 1 s."""
        return self.inner.curve(numbers[:-1])

    def pull(self, numbers: np.ndarray, by_x: np.ndarray, by_rate: np.ndarray) -> np.ndarray:
        """Slopes by the numbers."""
        return np.append(self.inner.pull(numbers[:-1], by_x, by_rate), 0.0)

    def points(self, numbers: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """x at times, and their Jacobian."""
        x, jacobian = self.inner.points(numbers[:-1], t)
        return x, np.concatenate([jacobian, np.zeros((*jacobian.shape[:2], 1))], axis=2)

    def backwards(self, numbers: np.ndarray) -> "tuple[Timed, np.ndarray]":
        """The same curve gone through the other way."""
        inner, found = self.inner.backwards(numbers[:-1])
        return Timed(inner, self.shortest), np.append(found, numbers[-1])

    def finer(self) -> "Timed":
        """The same numbers over more nodes."""
        return Timed(self.inner.finer(), self.shortest)

    def box(self, size: float) -> list[tuple[float, float]]:
        """Ranges of the numbers."""
        return [*self.inner.box(size), (NARROW, WIDE)]

    def paths(self, numbers: np.ndarray) -> list:
        """As drives with a period of 1 s."""
        return self.inner.paths(numbers[:-1])

    def nearest(self, coefficients: np.ndarray) -> np.ndarray:
        """Numbers of a series, at the shortest period that they allow."""
        found = self.inner.nearest(coefficients)
        return np.append(found, np.log(self.shortest(found)))


@dataclass(frozen=True)
class Forces:
    """Forces of the coordinates along a series at a period of 1 s."""

    form: LocalForm
    inner: Series
    limits: np.ndarray

    @property
    def power(self) -> int:
        """p of (1)."""
        return 2 if self.form.problem.inertia else 1

    def along(self, c: np.ndarray, t: np.ndarray) -> np.ndarray:
        """(T, k) at times t, as parts of their limits."""
        return self._of(*self._motion(c, t)) / self.limits

    def shortest(self, c: np.ndarray) -> float:
        """The shortest period, s."""
        used = abs(self.along(c, np.arange(FINE) / FINE))
        most = float(np.max(used)) if np.isfinite(used).all() else 1.0
        return max(most, np.exp(NARROW)) ** (1.0 / self.power)

    def slopes(self, c: np.ndarray, t: np.ndarray) -> np.ndarray:
        """(T, k, numbers) of `along`. Forces are quadratic in rates and linear in second rates, so that differences by these
        are exact."""
        parts, k = self._motion(c, t), self.form.size
        B = [self._basis(t, order) for order in range(3)]
        total = np.zeros((len(t), k, k, B[0].shape[1]))
        for order, step in enumerate((STEP, 1.0, 1.0)):
            ahead, behind = (
                [[x + sign * step * unit if n == order else x for n, x in enumerate(parts)] for unit in np.eye(k)]
                for sign in (1.0, -1.0)
            )
            moved = [np.concatenate(each) for each in zip(*(*ahead, *behind), strict=True)]
            found = self._of(*moved).reshape(2, k, len(t), k)
            by = (found[0] - found[1]) / (2 * step)  # (which, T, force)
            total += np.einsum("wtf,tb->tfwb", by, B[order])
        return (total / self.limits[:, None, None]).reshape(len(t), k, -1)

    def _of(self, x: np.ndarray, dx: np.ndarray, ddx: np.ndarray) -> np.ndarray:
        a, b = pushed(self.form, x, dx, ddx)
        return b if self.form.problem.inertia else a

    def _motion(self, c: np.ndarray, t: np.ndarray) -> list[np.ndarray]:
        return [self._basis(t, order) @ c.reshape(self.form.size, -1).T for order in range(3)]

    def _basis(self, t: np.ndarray, order: int) -> np.ndarray:
        """(T, 1 + 2 H) 1, cos s, sin s, ... or their derivatives by time."""
        n = np.arange(1, self.inner.basis.harmonics + 1)
        s, found = 2 * np.pi * np.asarray(t)[:, None] * n, np.zeros((len(t), 1 + 2 * len(n)))
        scale, turned = (2 * np.pi * n) ** order, 0.5 * np.pi * order
        found[:, 0] = float(order == 0)
        found[:, 1::2], found[:, 2::2] = scale * np.cos(s + turned), scale * np.sin(s + turned)
        return found


@dataclass
class LimitedSearch(Search):
    """A search within limits of forces.

    forces : along the curves ; period : s, None if it is a number of the search and the value is the goal a second
    """

    forces: Forces = None  # type: ignore[assignment]
    period: float | None = None

    def at(self, numbers: np.ndarray) -> Found:
        """Value and slopes (1)."""
        found = super().at(numbers)
        if self.period is not None or found.value == NOTHING:
            return found
        T = float(np.exp(numbers[-1]))
        slopes = found.slopes / T
        slopes[-1] -= found.goal / T
        return replace(found, value=found.goal / T, cost=T, slopes=slopes)

    def best(self, start: np.ndarray) -> tuple[Search, Found]:
        """As of any search, with limits kept at all times: by the period, or by tighter limits at the points of the search."""
        here, top = super().best(start)
        if not isinstance(here, LimitedSearch) or top.value == NOTHING:
            return here, top
        if self.period is None:
            numbers = top.numbers.copy()
            numbers[-1] = np.log(self.forces.shortest(numbers[:-1]))
            return here, here.at(numbers)
        tight = 1.0
        for _ in range(TIGHTER):
            used = here.used(top.numbers)
            if used <= 1.0 + OVER:
                break
            tight *= used * (1.0 + OVER)
            forces = replace(here.forces, limits=here.forces.limits / tight)
            top = replace(here, forces=forces, _last=None).climbed(top.numbers)
        return here, (top if here.used(top.numbers) < 1.0 + ALLOWED else here._nothing(top.numbers))

    def used(self, numbers: np.ndarray) -> float:
        """The largest force as a part of its limit."""
        c, room = self._own(numbers)
        return float(abs(self.forces.along(c, np.arange(FINE) / FINE)).max()) / room

    def _own(self, numbers: np.ndarray) -> tuple[np.ndarray, float]:
        """Numbers of the series, and T^p."""
        p = self.forces.power
        return (numbers[:-1], float(np.exp(p * numbers[-1]))) if self.period is None else (numbers, self.period**p)

    def _outside(self, numbers: np.ndarray, times: np.ndarray, every: int = 0) -> set[tuple[int, int, int]]:
        """Points beyond bounds, and beyond limits of forces: the columns after those of the coordinates."""
        found, k = super()._outside(numbers, times, every), self.form.size
        c, room = self._own(numbers)
        limited = np.flatnonzero(np.isfinite(self.forces.limits))
        if every:
            found |= {(t, k + int(j), side) for t in range(0, CHECKED, every) for j in limited for side in (1, -1)}
        used = self.forces.along(c, times) / room
        for side in (1, -1):
            for t, j in np.argwhere(side * used > 1.0 + OVER):
                found |= {((int(t) + step) % CHECKED, k + int(j), side) for step in (-1, 0, 1)}
        return found

    def _conditions(self, times: np.ndarray, held: Any, turning: bool = True) -> list[dict[str, Any]]:
        k = self.form.size
        found = super()._conditions(times, [point for point in held if point[1] < k], turning)
        pushed_back = [point for point in held if point[1] >= k]
        if not pushed_back:
            return found
        rows, columns, sides = (np.array(part) for part in zip(*pushed_back, strict=True))
        own, which = np.unique(rows, return_inverse=True)
        columns, p = columns - k, self.forces.power

        def used(n: np.ndarray) -> np.ndarray:
            c, room = self._own(n)
            return sides * self.forces.along(c, times[own])[which, columns] / room

        def slopes(n: np.ndarray) -> np.ndarray:
            c, room = self._own(n)
            by = sides[:, None] * self.forces.slopes(c, times[own])[which, columns] / room
            return -by if self.period is not None else np.column_stack([-by, p * used(n)])

        return [*found, {"type": "ineq", "fun": lambda n: 1.0 - used(n), "jac": slopes}]
