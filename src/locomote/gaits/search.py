"""One search for a good gait: value and slopes of a closed curve in one pass, and steps uphill under its conditions.

With x, x' at the nodes of all panels, xi = -A x', s the slopes of the goal by xi (`path_ordered`), w the weights of the nodes:

    goal      by x_j : -s . dA_j x' ,   by x' : -s A                                                                (1)
    length    sum w |x'| ,   by x_j : w x'^T dG_j x' / 2|x'| ,   by x' : w G x' / |x'|                               (2)
    energy    sum w |x'|^2 over a period of one second, likewise
    value     goal / length ,   goal / sqrt(energy) ,   or the goal itself                                          (3)
    lighthill R goal^2 / energy: power to tow the straight body (resistance R) at the mean speed, over the mean power  (4)

Conditions are equations (no turn, or a given one) and bounds on coordinates at points along the curve, of which only those
that were reached are kept in the search.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from locomote.gaits.curves import Curves
from locomote.gaits.goals import Goal, rotation
from locomote.gaits.local_form import LocalForm
from locomote.gaits.metric import Metric
from locomote.gaits.path_ordered import Ordered

SQUARED = ("lighthill", "transport")  # costs that are best at the same gait: (4), and energy for the way at a speed
COSTS = ("length", "energy", *SQUARED, "speed", "work", "none")
CHECKED = 64  # points of a period at which bounds are looked at
ROUNDS = 24  # how often points are added that were out of bounds, or a search goes on from where it was held
STRIDE = 0.2  # how far a number may go in one round where the goal alone counts: larger strokes may lie behind a valley
FINER = 3  # how often nodes are doubled, until the goal is known to
ACCURATE = 1e-6  # of itself
NOTHING = -1e6  # the value of a curve that meets singular shapes
WORST = 10.0  # of the value at the start: what a search takes it for
LARGEST = 4.0  # rad or m, of curves in a search whose bounds are not wider
NUDGE, FLAT = 1e-2, 1e-10  # how far another curve is looked at, and slopes of a turn that is zero for all curves
SOUND = 1e-6  # least reciprocal condition of shapes in a search


@dataclass
class Found:
    """A curve with its values."""

    numbers: np.ndarray
    value: float
    goal: float
    cost: float
    slopes: np.ndarray
    turns: np.ndarray
    turn_slopes: np.ndarray


@dataclass
class Search:
    """What is looked for, and over which curves.

    goal : of `goals` ; metric : of `metric` ; cost : of COSTS ; turn : rad, a condition, or None
    low, high : (k,) bounds of coordinates, or None ; tow : R of (4), N s/m
    stride : (numbers,) how far each may go in one round, STRIDE without cost if None
    """

    form: LocalForm
    curves: Curves
    goal: Goal
    metric: Callable[..., Metric]
    cost: str
    turn: float | None
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    tow: float = 1.0
    stride: np.ndarray | None = None
    _last: Found | None = field(default=None, repr=False)

    def at(self, numbers: np.ndarray) -> Found:
        """Value and slopes at a curve."""
        if self._last is not None and np.array_equal(self._last.numbers, numbers):
            return self._last
        form, panels = self.form, self.curves.basis.panels
        x, rates = self.curves.curve(numbers)
        local = form(x)
        if not (local.sound.min() > SOUND) or (local.side != local.side[0]).any():
            return self._nothing(numbers)
        xi = -np.einsum("pnk,pk->pn", local.A, rates)
        ordered = Ordered(form.group, panels, xi.reshape(*panels.nodes.shape, -1))

        def slopes(covectors: np.ndarray) -> np.ndarray:
            s = ordered.slopes(covectors).reshape(len(x), -1)
            by_x = -np.einsum("pn,pjnk,pk->pj", s, local.dA, rates, optimize=True)
            return self.curves.pull(numbers, by_x, -np.einsum("pn,pnk->pk", s, local.A))  # (1)

        goal, covectors = self.goal(ordered)
        uphill = slopes(covectors)
        turns = [] if self.turn is None else rotation(ordered)
        wanted = np.array([self.turn] if len(turns) == 1 else np.zeros(len(turns)))
        numbers = np.array(numbers)
        of_turns = np.array([slopes(c) for _, c in turns]).reshape(-1, len(numbers))
        value, cost = goal, 1.0
        if self.cost in SQUARED:
            root, by_root = self._spent(numbers, x, rates, local)
            cost, ratio = root * root, goal / root
            value, uphill = self.tow * ratio * abs(ratio), 2 * self.tow * abs(ratio) * (uphill / root - ratio / root * by_root)
        elif self.cost != "none":
            cost, by_cost = self._spent(numbers, x, rates, local)
            value, uphill = goal / cost, uphill / cost - goal / cost**2 * by_cost  # (3)
        found = Found(numbers, value, goal, cost, uphill, np.array([v for v, _ in turns]) - wanted, of_turns)
        self._last = found
        return found

    def _spent(self, numbers, x, rates, local) -> tuple[float, np.ndarray]:
        """(2), or the root of the energy, with slopes."""
        metric, share = self.metric(x, local), self.curves.basis.panels.shares.ravel()
        Gv = np.einsum("pjk,pk->pj", metric.G, rates)
        squared = np.maximum((Gv * rates).sum(axis=1), 1e-300)
        turned = np.einsum("pjkl,pk,pl->pj", metric.dG, rates, rates, optimize=True)
        if self.cost == "length":
            speed = np.sqrt(squared)
            w = (share / speed)[:, None]
            return float(share @ speed), self.curves.pull(numbers, 0.5 * w * turned, w * Gv)
        energy = float(share @ squared)
        w = share[:, None] / (2 * np.sqrt(energy))
        return np.sqrt(energy), self.curves.pull(numbers, w * turned, 2 * w * Gv)

    def _nothing(self, numbers: np.ndarray) -> Found:
        """A curve through singular shapes: worth less than any other, so that steps are made shorter."""
        size, count = len(numbers), 0 if self.turn is None else sum(a > 2 for a in self.form.group.axes)
        return Found(numbers, NOTHING, 0.0, 1.0, np.zeros(size), np.zeros(count), np.zeros((count, size)))

    def best(self, start: np.ndarray) -> "tuple[Search, Found]":
        """The curve at the top of the hill that a start is on, gone through the way that leads up, with as many nodes as its
        integration takes; and the search that has it."""
        here, now = self, start
        if self.at(start).goal < 0.0:
            curves, now = self.curves.backwards(start)
            here = replace(self, curves=curves, _last=None)
        for _ in range(FINER):
            top = here.climbed(now)
            again = replace(here, curves=here.curves.finer(), _last=None)
            if abs(again.at(top.numbers).goal - top.goal) <= ACCURATE * abs(top.goal):
                break
            here, now = again, top.numbers
        return here, top

    def climbed(self, start: np.ndarray, *, iterations: int = 200, accuracy: float = 1e-10) -> Found:
        """The end of steps uphill from a start."""
        from scipy.optimize import minimize

        scale = max(abs(self.at(start).value), 1e-3)
        times = np.arange(CHECKED) / CHECKED
        points = self._outside(start, times, every=4)  # (time, coordinate, side)
        turning = self._turns(start)
        now, box = start, np.array(self.curves.box(self._largest()))
        for _ in range(ROUNDS):
            near = box
            if self.stride is not None or self.cost == "none":
                far = STRIDE if self.stride is None else self.stride[:, None]
                near = np.clip(now[:, None] + far * np.array([-1.0, 1.0]), box[:, :1], box[:, 1:])
            result = minimize(
                lambda c: -max(self.at(c).value / scale, -WORST), now, jac=lambda c: -self.at(c).slopes / scale, method="SLSQP",
                bounds=near, constraints=self._conditions(times, sorted(points), turning),
                options={"maxiter": iterations, "ftol": accuracy},
            )  # fmt: skip
            held = (abs(result.x[:, None] - near) < 1e-9) & (near != box)
            now = result.x
            out = self._outside(now, times)
            if out <= points and not held.any():
                break
            points |= out
        return self.at(now)

    def _largest(self) -> float:
        """How large curves may be: LARGEST, or as bounds say that are wider."""
        ends = [] if self.low is None or self.high is None else [*self.low, *self.high]
        return max(LARGEST, *np.abs(ends)) if len(ends) and np.isfinite(ends).all() else LARGEST

    def _turns(self, start: np.ndarray) -> bool:
        """Whether a turn is a condition: not where no closed path turns it, whose rows have no slopes."""
        if self.turn is None:
            return False
        near = start + np.random.default_rng(0).normal(scale=NUDGE, size=len(start))
        return any(
            abs(found.turn_slopes).max() > FLAT or abs(found.turns).max() > FLAT for found in map(self.at, (start, near))
        )

    def _conditions(
        self, times: np.ndarray, held: Sequence[tuple[int, int, int]], turning: bool = True
    ) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        if turning:
            found.append({"type": "eq", "fun": lambda c: self.at(c).turns, "jac": lambda c: self.at(c).turn_slopes})
        if held:
            rows, columns, sides = (np.array(part) for part in zip(*held, strict=True))
            bounds = np.where(sides > 0, np.asarray(self.high)[columns], np.asarray(self.low)[columns])

            def room(c):
                return sides * (bounds - self.curves.points(c, times)[0][rows, columns])

            found.append(
                {"type": "ineq", "fun": room, "jac": lambda c: -sides[:, None] * self.curves.points(c, times)[1][rows, columns]}
            )
        return found

    def _outside(self, numbers: np.ndarray, times: np.ndarray, every: int = 0) -> set[tuple[int, int, int]]:
        """Points at which a curve is out of bounds with their neighbours; every so many others too."""
        found: set[tuple[int, int, int]] = set()
        if self.low is None or self.high is None:
            return found
        if every:
            bounded = [(j, side) for side, part in ((1, self.high), (-1, self.low)) for j in np.flatnonzero(np.isfinite(part))]
            found |= {(t, int(j), side) for t in range(0, CHECKED, every) for j, side in bounded}
        x = self.curves.points(numbers, times)[0]
        for side, over in ((1, x - self.high), (-1, self.low - x)):
            for t, j in np.argwhere(over > 1e-8):
                found |= {((int(t) + step) % CHECKED, int(j), side) for step in (-1, 0, 1)}
        return found
