"""Unilateral contacts of a run: which are closed, when they let go, and what happens when they hit.

A contact has a gap (position error along its normal, z of the other's frame) and a speed u (rate of the gap).

    gap > TOUCHING                   open: no reaction; its rows are not active
    gap <= TOUCHING ,  |u| ~ 0       closed, unless it would have to pull
    gap <= TOUCHING ,  u < 0         hits: velocities jump (impact.py)
    gap <= TOUCHING ,  u > 0         leaves: open

Stops of joints (`stops`) are contacts of runs, too: they take part in the same impacts, and let go as others do. They are
numbered after all constraints, and have a row each after those of constraints.

A contact that sticks holds the place where it closes, wherever its target was. Bouncing and rocking would go on for ever in
smaller and smaller hits: one that is slower than SLOW brings all contacts that take part in it to rest.
"""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

from locomote.constraints import columns as col
from locomote.dynamics.matrices import mass_matrix
from locomote.evaluation import plan as fields
from locomote.evaluation.plan import CLOSED, SIGN, STOP_PLACE, Plan
from locomote.evaluation.protocol import Problem
from locomote.evaluation.work import Work
from locomote.methods.events.event import Event
from locomote.methods.events.ignored import standing_of, title
from locomote.methods.events.impact import Jump, jump
from locomote.methods.events.stops import lying_on, stop_titles

TOUCHING = 1e-9  # m
RESTING = 1e-9  # m/s
SLOW = 1e-3  # m/s, below which nothing bounces or rocks
JAMMED = 1e-6  # share of all velocities that lasting rows may keep after an impact
INWARDS = 1e-6  # share of the terms that the acceleration of a gap is a sum of
FLIGHT = 0.3  # part of a bounce that the first step after it may take
Z = 2


class Contacts:
    """The unilateral contacts of a plan that belongs to one run."""

    def __init__(self, problem: Problem, plan: Plan, work: Work, *, stops: bool = False):
        self.problem, self.plan, self.work = problem, plan, work
        numbers = abs(plan.integers[:, col.UNILATERAL])
        self.numbered = [int(c) for c in np.argsort(numbers, kind="stable") if numbers[c]]
        self.first_stop, self.stops = len(plan.integers), len(plan.stops) if stops else 0
        self.numbered += range(self.first_stop, self.first_stop + self.stops)
        self._open, self._local = plan, 0.0  # with all stops open
        self.jam = ""  # why a run cannot go on after an impact

    def __bool__(self) -> bool:
        return bool(self.all)

    @property
    def all(self) -> list[int]:
        """All but those that are ignored."""
        return [c for c in self.numbered if c >= self.first_stop or self.plan.integers[c, col.UNILATERAL] > 0]

    def restitution_of(self, c: int) -> float:
        """Speed after a hit over speed before it, of a contact."""
        return float(getattr(self.problem.constraints[self.plan.integers[c, col.OWNER]], "restitution", 0.0))

    def is_closed(self, c: int) -> bool:
        """Whether a contact is closed."""
        if c >= self.first_stop:
            return bool(self.plan.stop_laws[c - self.first_stop, CLOSED])
        return bool(self.plan.integers[c, col.ACTIVE])

    def title(self, c: int) -> str:
        """What the user calls it."""
        if c >= self.first_stop:
            return self.stop_titles[c - self.first_stop]
        return title(self.problem, self.plan, c)

    def closed(self) -> list[str]:
        """Names of the constraints that are closed."""
        return [self.title(c) for c in self.all if c < self.first_stop and self.is_closed(c)]

    @cached_property
    def stop_titles(self) -> list[str]:
        """What stops are called."""
        return stop_titles(self.problem.model, self.plan)[: self.stops]

    def lying(self) -> np.ndarray:
        """(stops,) 1 where a joint lies on its stop."""
        return self.plan.stop_laws[:, CLOSED].astype(np.int64)

    def lie(self, stops: Iterable[int]) -> None:
        """Let joints lie on these stops, and on no others."""
        closed, options = set(stops), self.plan.options
        if self.plan is self._open:
            self._local = float(options[fields.LOCAL])
        self.plan = lying_on(self._open, closed) if closed else self._open
        options[fields.LYING] = float(len(closed) > 0)
        options[fields.LOCAL] = 0.0 if closed else self._local  # its parts are those of all free coordinates

    def ignored(self) -> list[str]:
        """Names of all constraints that are ignored, unilateral or not."""
        return list(dict.fromkeys(self.title(int(c)) for c in np.flatnonzero(standing_of(self.plan) < 0)))

    def rows(self, c: int) -> tuple[list[int], int]:
        """Its rows, and which of them is the normal; rows of stops come after those of constraints."""
        if c >= self.first_stop:
            row = len(self.plan.holonomic) + c - self.first_stop
            return [row], row
        first, count = (int(n) for n in self.plan.integers[c, [col.FIRST, col.COUNT]])
        letters = list(self.plan.integers[c, col.ROWS : col.ROWS + count])
        return list(range(first, first + count)), first + letters.index(Z)

    def open(self, c: int) -> None:
        """Let go."""
        if c >= self.first_stop:
            self.lie(set(np.flatnonzero(self.lying()).tolist()) - {c - self.first_stop})
            return
        self.plan.integers[c, col.ACTIVE] = 0

    def gap(self, t: float, q, v, c: int) -> float:
        """How far a contact is from touching, m; negative inside."""
        return float(self._measured(t, q, v)[3][self.rows(c)[1]])

    def _close(self, c: int, error: np.ndarray) -> None:
        """Hold a contact where it is now."""
        if c >= self.first_stop:
            self.lie({*np.flatnonzero(self.lying()).tolist(), c - self.first_stop})
            return
        self.plan.integers[c, col.ACTIVE] = 1
        numbers, axes = self.plan.numbers[c], self.plan.numbers[c, col.FRAME_A : col.FRAME_A + 9].reshape(3, 3)
        for r, axis in zip(self.rows(c)[0], self.plan.integers[c, col.ROWS :], strict=False):
            if axis != Z:
                numbers[col.FRAME_A + 9 : col.FRAME_A + 12] += error[r] * axes[:, axis]

    def hold(self, names: Iterable[str], t: float, q, v) -> None:
        """Close these contacts where they are now, whatever their gaps."""
        error, wanted = self._measured(t, q, v)[3], set(names)
        for c in self.all:
            if self.title(c) in wanted:
                self._close(c, error)

    def _again(self, c: int) -> None:
        """Close a contact that was just opened, where it was."""
        if c >= self.first_stop:
            self._close(c, np.zeros(0))
        else:
            self.plan.integers[c, col.ACTIVE] = 1

    def _measured(self, t: float, q, v):
        """Rows of all constraints as if all contacts were closed, then of stops: A, drift, b, position errors and speeds."""
        counting = [c for c in self.all if c < self.first_stop]
        closed = self.plan.integers[counting, col.ACTIVE].copy()
        self.plan.integers[counting, col.ACTIVE] = 1
        A, drift, b, error = self.problem.rows_of(self.plan, self.work, t, q, v)
        self.plan.integers[counting, col.ACTIVE] = closed
        if self.stops:
            A, b = self.with_stops(A, b)
            signs, places = self.plan.stop_laws[:, [SIGN, STOP_PLACE]].T
            drift = np.append(drift, np.zeros(self.stops))
            error = np.append(error, signs * (q[self.plan.q_of_v[self.plan.stops]] - places))
        return A, drift, b, error, A @ v + b

    def with_stops(self, A: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows of constraints, then those of stops."""
        rows = self.plan.stop_laws[: self.stops, SIGN, None] * np.eye(A.shape[1])[self.plan.stops[: self.stops]]
        return np.vstack([A, rows]), np.append(b, np.zeros(self.stops))

    def _lay(self, c: int, q: np.ndarray) -> None:
        """Put a joint exactly where its stop is."""
        if c >= self.first_stop:
            n = c - self.first_stop
            q[self.plan.q_of_v[self.plan.stops[n]]] = self.plan.stop_laws[n, STOP_PLACE]

    def _pushes(self, t: float, q, v) -> np.ndarray:
        """Reactions of all rows, as `_measured` counts them."""
        lam = self.problem.evaluate_with(self.plan, self.work, t, q.copy(), v.copy())[1]
        if not self.stops:
            return lam
        push = self.plan.stop_laws[:, SIGN] * self.work.tau[self.plan.stops]
        return np.append(lam, np.where(self.lying(), push, 0.0))

    def hold_sunk(self, t: float, q, v) -> bool:
        """Close all contacts that have sunk in, to be brought out again, and open the others; whether there are any."""
        error = self._measured(t, q, v)[3]
        sunk = [c for c in self.all if error[self.rows(c)[1]] < -TOUCHING]
        for c in self.all:
            self.open(c)
        for c in sunk:
            self._close(c, error)
        return bool(sunk)

    def touch(self, t: float, q, v) -> list[int]:
        """Open or close all contacts as gaps and speeds say; returns those that hit."""
        _, _, _, error, speed = self._measured(t, q, v)
        hitting = []
        for c in self.all:
            normal = self.rows(c)[1]
            self.open(c)
            if error[normal] <= TOUCHING and speed[normal] < -RESTING:
                hitting.append(c)
            elif error[normal] <= TOUCHING and speed[normal] <= RESTING:
                self._close(c, error)
                self._lay(c, q)
        return hitting

    def settle(self, t: float, q, v, done) -> list[Event]:
        """The same, with impacts of those that hit (v and done change) and without contacts that would have to pull."""
        return self.meet(t, q, v, done, self.touch(t, q, v))

    def meet(self, t: float, q, v, done, hitting: list[int]) -> list[Event]:
        """What follows a touch: impacts of those that hit, or no contacts that would have to pull."""
        if hitting:
            return self.hit(t, q, v, done, hitting)
        return self._pulling(t, q, v)

    def release(self, t: float, q, v, first: int | None = None) -> list[Event]:
        """Open contacts that would have to pull, one at a time, worst first; `first` is one of them.

        One that would sink in without its reaction stays, whatever that is: where rows depend on each other, or stick, the sign
        of a reaction does not tell.
        """
        opened, kept = [], []
        while True:
            lam = self._pushes(t, q, v)
            pulls = [(lam[self.rows(c)[1]], c) for c in self.all if self.is_closed(c) and c not in kept]
            worst = (-np.inf, first) if first is not None else min(pulls, default=(0.0, -1))
            first = None
            if not worst[0] < 0.0:
                break
            self.open(worst[1])
            if self._sinks(t, q, v, worst[1]):
                self._again(worst[1])
                kept.append(worst[1])
            else:
                opened.append(worst[1])
        state = {"q": q.tolist(), "v": v.tolist()}
        found = [("release", "lets go", c) for c in opened] + [
            ("pull", "pulls: without that it would sink in", c) for c in kept
        ]
        return [Event(t, kind, f"{self.title(c)} {words}", {"constraint": self.title(c)} | state) for kind, words, c in found]

    def _pulling(self, t: float, q, v) -> list[Event]:
        """Release contacts, and say which would have to pull but stay."""
        return [event for event in self.release(t, q, v) if event.kind == "pull"]

    def _sinks(self, t: float, q, v, c: int) -> bool:
        """Whether an open contact that touches accelerates inwards."""
        a = self.problem.evaluate_with(self.plan, self.work, t, q.copy(), v.copy())[0]
        A, drift, *_ = self._measured(t, q, v)
        normal = self.rows(c)[1]
        size = abs(A[normal]) @ abs(a) + abs(drift[normal])
        if c >= self.first_stop:  # one coordinate is no sum: what it is the rest of is what acts, and how others accelerate
            k = self.plan.stops[c - self.first_stop]
            acting, inertia = abs(self.work.active[k]) + abs(self.work.passive[k]), mass_matrix(self.problem.model, q)[k, k]
            size += abs(a).max() + (acting / inertia if inertia > 0.0 else 0.0)
        return bool(A[normal] @ a + drift[normal] < -INWARDS * size)

    def hit(self, t: float, q, v, done, hitting: list[int]) -> list[Event]:
        """Contacts close: v jumps, and `done` counts the energy."""
        A, _, b, error, speed = self._measured(t, q, v)
        taking, restitution, names = [], [], []
        for c in self.all:
            rows, normal = self.rows(c)
            sinking = error[normal] <= 100 * TOUCHING and speed[normal] < -1e-12
            if c in hitting or self.is_closed(c) or sinking:
                bounces = not self.is_closed(c) and speed[normal] < -SLOW
                taking.append(c)
                names += [] if self.is_closed(c) else [self.title(c)]
                bounces = bounces and c < self.first_stop  # joints stop dead, as in steps over contacts
                restitution.append(self.restitution_of(c) if bounces else 0.0)
            else:
                A[rows] = b[rows] = 0.0
        slow = all(speed[self.rows(c)[1]] > -SLOW for c in hitting)
        state = {"q": q.tolist(), "v": v.tolist()}
        jumped = self.strike(t, q, v, done, (A, b), taking, restitution, names, at_rest=slow)
        for place, c in enumerate(taking):
            was_open = not self.is_closed(c)
            self.open(c)
            if place in jumped.closed and restitution[place] == 0.0:
                self._close(c, error if was_open else np.zeros(len(A)))
                self._lay(c, q)
        pulling = self._pulling(t, q, v)
        data = {"constraint": names[0], "constraints": names, "energy": jumped.lost} | self.impulses(jumped)
        if slow:
            verb = "comes" if len(names) == 1 else "come"
            return [Event(t, "rest", f"{' and '.join(names)} {verb} to rest", data | state), *pulling]
        verb = "hits" if len(names) == 1 else "hit"
        return [Event(t, "impact", f"{' and '.join(names)} {verb}, {abs(jumped.lost):.4g} J are lost", data | state), *pulling]

    def strike(self, t: float, q, v, done, rows, taking: list[int], restitution, names, *, at_rest: bool) -> Jump:
        """Velocities jump onto rows (A, b) of lasting constraints and contacts that take part; `done` counts the energy."""
        A, b = rows
        M, free, held = mass_matrix(self.problem.model, q), self._open.free, self._open.held
        jumped = jump(M, A, b, v, free, [self.rows(c) for c in taking], restitution, at_rest=at_rest)
        left = A @ jumped.v + b
        left[[r for c in self.all for r in self.rows(c)[0]]] = 0.0
        left = left[: len(self.plan.holonomic)]
        if abs(left).max(initial=0.0) > JAMMED * (1.0 + abs(v).max(initial=0.0)):
            worst, what = self.problem.worst_rows(left, JAMMED), "hits" if taking else "closes"
            self.jam = f"{' and '.join(names)} {what} at t = {t:.6g} s, and no velocities meet all constraints then: {worst}"
        change = jumped.v[free] - v[free]
        done[fields.LOSSES] += jumped.lost
        done[fields.DRIVES] += v[held] @ (M[np.ix_(held, free)] @ change - A[:, held].T @ jumped.impulses)
        done[fields.MOVING] -= jumped.impulses @ b
        v[:] = jumped.v
        return jumped

    def impulses(self, jumped: Jump) -> dict[str, Any]:
        """Those of an impact, for an event: of the rows of all constraints, and of contacts and stops by their names."""
        rows = len(self.plan.holonomic)
        struck = {title: float(p) for title, p in zip(self.stop_titles, jumped.impulses[rows:], strict=False) if p != 0.0}
        each = {self.title(c): jumped.impulses[self.rows(c)[0]] for c in self.all if c < self.first_stop}
        of_contacts = {"contact_impulses": {title: p.tolist() for title, p in each.items() if p.any()}} if each else {}
        return {"impulses": jumped.impulses[:rows].tolist()} | of_contacts | ({"stops": struck} if struck else {})

    def longest_step(self, t: float, q, v) -> float:
        """The first step from here must not take a whole bounce, whose end it could not see."""
        A, drift, _, error, speed = self._measured(t, q, v)
        a = self.problem.evaluate_with(self.plan, self.work, t, q.copy(), v.copy())[0]
        longest = np.inf
        for c in self.all:
            normal = self.rows(c)[1]
            back = -(A[normal] @ a + drift[normal])
            if not self.is_closed(c) and error[normal] <= 100 * TOUCHING and speed[normal] > 0.0 and back > 0.0:
                longest = min(longest, FLIGHT * 2.0 * speed[normal] / back)
        return longest
