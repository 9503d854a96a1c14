"""Periodic orbits that driven motions settle to, and how net motions of orbits change with the gait.

A gait with numbers c takes the state y (speeds of the base, joints that nothing drives and their rates; where something is up,
also how high the base is and how it leans, `upright`) over a period to P(y, c) and leaves net motions d(y, c) behind. The place
and heading of the base are no part of y: water and ground are the same all over.

    y = P(y, c)                                   by Newton's method, from where the last one was                    (1)
    dd/dc = d_c + d_y (1 - P_y)^-1 P_c            slopes of what a period of the orbit gives                         (2)

All derivatives are central differences over runs that go side by side, a period long each. Over contacts steps meet hits and
sticking where they fall, so that P is smooth only over longer differences: there the motion is followed until it settles, as
friction makes it do within some periods, and (1) goes on if it does not.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from locomote.brief import brief
from locomote.gaits.upright import Upright
from locomote.locomotion.problem import Locomotion

DIFFERENCE = 1e-4  # of slopes by y
CLOSE = 1e-7  # of the state, or m/s and rad/s, to which an orbit closes
ROUNDS = 8  # of Newton's method
LONGEST = 1e3  # of y, beyond which there is no orbit
OVER_CONTACTS = 1e-3  # of slopes by y, over contacts
WAITED = 24  # periods over contacts, before (1)
NEAR = 1e-4  # to which an orbit over contacts closes, if no better

Runs = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]  # numbers (N, c), y (N, m) -> y after (N, m), d (N, w)


@brief
@dataclass(frozen=True, eq=False)
class Orbit:
    """A motion that ends a period in the state it began in, but for the place and heading of the base.

    q, v : at the start of a period ; miss : how far the state is from itself after one
    multipliers : eigenvalues of P_y, the largest first: how disturbances grow in a period
    """

    q: np.ndarray
    v: np.ndarray
    miss: float
    multipliers: np.ndarray

    @property
    def stable(self) -> bool:
        """Whether runs that begin otherwise settle to it."""
        return bool((abs(self.multipliers) < 1.0).all())


@dataclass(frozen=True)
class Settled:
    """(1) and (2): y (m,), net motions d (w,), P_y (m, m), d_y (w, m)."""

    y: np.ndarray
    net: np.ndarray
    miss: float
    by_state: np.ndarray
    net_by_state: np.ndarray

    def slopes(self, after: np.ndarray, net: np.ndarray) -> np.ndarray:
        """(w, c) of (2), from P_c (m, c) and d_c (w, c)."""
        return net + self.net_by_state @ np.linalg.lstsq(np.eye(len(self.y)) - self.by_state, after, rcond=1e-9)[0]


@dataclass(frozen=True)
class States:
    """States of a problem whose drives are imposed."""

    problem: Locomotion
    upright: Upright | None = None

    @cached_property
    def free(self) -> list[int]:
        """Coordinates of v that nothing drives."""
        return [k for k in range(self.problem.model.nv) if k not in self.problem.imposed_motions]

    @cached_property
    def passive(self) -> list[int]:
        """Those of them that are shape."""
        return [k for k in self.free if k not in self.problem.external]

    @cached_property
    def moving(self) -> list[int]:
        """Those whose velocities are part of the state: none without inertia."""
        return self.free if self.problem.inertia else []

    @cached_property
    def about(self) -> tuple[np.ndarray, np.ndarray]:
        """q, v that y is counted from."""
        q, v = self.problem.initial()
        return np.array(q), np.array(v)

    def rest(self) -> np.ndarray:
        """y of a start at rest."""
        held = np.zeros(0) if self.upright is None else self.upright.values(self.upright.about[None])[0]
        return np.concatenate([held, np.zeros(len(self.passive) + len(self.moving))])

    def starts(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """q (N, nq) and v (N, nv) of states (N, m)."""
        q, v = self.about
        first = 0 if self.upright is None else self.upright.size
        last = first + len(self.passive)
        away, rates = np.zeros((len(y), len(v))), np.tile(v, (len(y), 1))
        away[:, self.passive], rates[:, self.moving] = y[:, first:last], y[:, last:]
        q = self.problem.model.integrate(np.tile(q, (len(y), 1)), away)
        return (q if self.upright is None else self.upright.put(q, y[:, :first])), rates

    def states(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(N, m) of q (N, nq) and v (N, nv)."""
        away = self.problem.model.difference(np.tile(self.about[0], (len(q), 1)), q)
        held = [] if self.upright is None else [self.upright.values(q)]
        return np.concatenate([*held, away[:, self.passive], v[:, self.moving]], axis=1)


def waited(runs: Runs, numbers: np.ndarray, begin: np.ndarray) -> np.ndarray | None:
    """The state after so many periods that it no longer changes, or as many as one waits; None if it goes nowhere."""
    y = np.array(begin)
    for _ in range(WAITED):
        before, y = y, runs(numbers[None], y[None])[0][0]
        if not (np.isfinite(y).all() and abs(y).max(initial=0.0) < LONGEST):
            return None
        if abs(y - before).max(initial=0.0) <= CLOSE * max(1.0, abs(y).max(initial=0.0)):
            break
    return y


def settled(runs: Runs, numbers: np.ndarray, begin: np.ndarray, *, contacts: bool = False) -> Settled | None:
    """The orbit of a gait by Newton's method from a state; None if there is none near. contacts : whether it has some"""
    far = OVER_CONTACTS if contacts else DIFFERENCE
    y, m = np.array(begin), len(begin)
    units, best = far * np.eye(m), None
    for _ in range(ROUNDS):
        trials = np.concatenate([y[None], y + units, y - units])
        after, net = runs(np.tile(numbers, (len(trials), 1)), trials)
        if not (np.isfinite(after).all() and np.isfinite(net).all()):
            return best
        P, d = (((x[1 : 1 + m] - x[1 + m :]) / (2 * far)).T for x in (after, net))
        miss = after[0] - y
        off, size = float(abs(miss).max(initial=0.0)), max(1.0, abs(y).max(initial=0.0))
        if off <= (NEAR if contacts else CLOSE) * size and (best is None or off < best.miss):
            best = Settled(y, net[0], off, P, d)
        if off <= CLOSE * size:
            return best
        y = y + np.linalg.lstsq(np.eye(m) - P, miss, rcond=1e-9)[0]
        if not abs(y).max() < LONGEST:
            return best
    return best
