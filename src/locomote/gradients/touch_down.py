"""What a contact that closes does to slopes: it closes earlier or later, which no derivative of a step of fixed length sees.

A departure that changes the gap makes the hit come at another time, and until then the motion before it goes on:

    dt = -gap_q dq / u_n ,   dq += (v - v+) dt ,   dv += (R_x f - f+) dt                                          (1)
    backwards   s = qbar (v - v+) + vbar (R_x f - f+) ,   slope by the gap  -s / u_n                              (2)

v, f are velocity and rate of the state before the hit, v+, f+ after it, R_x the slopes of the step that hits, with its contact
as one that is closed. They come from the equations of a step, without the contact that hits and with it, each taken twice: the
first has what jumps and what accelerates in it, the second only the latter. Where several contacts close in one step, each is
taken as the last. Without (1) slopes do not converge as steps become shorter.
"""

from functools import cached_property

import numpy as np

from locomote.contact.sweep_columns import OPEN

SLOWEST = 1e-3  # m/s, below which a hit grazes: its time has no slope


class TouchDowns:
    """First touches of runs over contacts (`contact_runs`)."""

    def __init__(self, runs):
        self.runs, ways = runs, runs.ways
        before = np.concatenate([np.full_like(ways[:1], OPEN), ways[:-1]])
        self.first = (ways != OPEN) & (before == OPEN)  # (T, N, S)
        self.first[0] = False  # what is closed at the start stays so
        self.hits = self.first.any(axis=2)  # (T, N)
        self._rates: dict[int, tuple] = {}

    @cached_property
    def grazes(self) -> np.ndarray:
        """(T, N, S) whether a first touch is too slow to have a time with a slope."""
        result = np.zeros_like(self.first)
        for n in np.flatnonzero(self.hits.any(axis=1)):
            for c, rows, _, weights in self.rates(int(n)):
                result[n, rows, c] = weights == 0.0
        return result

    def rates(self, n: int) -> list[tuple[int, np.ndarray, np.ndarray, np.ndarray]]:
        """For each contact that closes in step n: its number, those of the runs, what an earlier hit does to the end of the
        step (rows, size), per s, and how much earlier it is by the gap (rows,), s/m."""
        if n not in self._rates:
            self._rates[n] = [self._rates_of(n, int(c)) for c in np.flatnonzero(self.first[n].any(axis=0))]
        return self._rates[n]

    def _rates_of(self, n: int, c: int) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
        runs, step, h = self.runs, self.runs.step, self.runs.h
        rows, nq, two = np.flatnonzero(self.first[n][:, c]), step.model.nq, step.model.nq + step.model.nv
        start, end = runs.states[n][rows, :two], runs.states[n + 1][rows, :two]
        then = runs.ways[min(n + 1, runs.steps - 1)][rows]
        ways = np.where(self.first[n][rows] & (then != OPEN), then, runs.ways[n][rows])  # as hits leave them
        without = ways.copy()
        without[:, c] = OPEN
        before, after = (Instants(*self.stepped(n, rows, start, own), h, two) for own in (without, ways))
        u, faster = before.speeds[:, c], before.rates[:, c]
        gap = runs.gaps[n][rows, c] - 0.5 * h * runs.closing[n][rows, c]
        speed = -np.sqrt(np.maximum(u * u - 2.0 * faster * gap, 0.0))
        later = np.clip(-2.0 * gap / np.minimum(u + speed, -1e-12), 0.0, h)
        v = before.v + before.f * later[:, None]
        motion = np.hstack([self.along_path(start[:, :nq], v), before.f])
        result = np.zeros((len(rows), step.size))
        result[:, :nq] = self.along_path(end[:, :nq], v - after.v)
        result[:, nq:two] = self.moved(n, rows, ways, after, motion) - after.f
        good = speed < -SLOWEST
        return c, rows, result, np.where(good, -1.0 / np.where(good, speed, 1.0), 0.0)

    def stepped(self, n: int, rows: np.ndarray, states: np.ndarray, ways: np.ndarray) -> tuple[list, list]:
        """Results of the equations of a step like step n from some states, with given ways and no gaps; and once more, with
        velocities of its end."""
        runs, nq, two = self.runs, self.runs.step.model.nq, self.runs.step.model.nq + self.runs.step.model.nv
        kernel, inputs = runs.step.kernel("polish", runs.step.polished), runs.inputs(n, rows)
        p = np.where(np.repeat(ways != OPEN, 3, axis=1), runs.p[n][rows], 0.0)
        none, found = np.full_like(ways, 2.0), []
        for _ in range(2):
            inputs[0], inputs[1] = states[:, :nq], states[:, nq:]
            found.append(kernel.run([*inputs, states[:, :nq], states[:, nq:], runs.forces(p), ways, none]))
            states = np.hstack([states[:, :nq], found[-1][0][:, nq:two]])
        return found[0], found[1]

    def moved(self, n: int, rows: np.ndarray, ways: np.ndarray, after: "Instants", motion: np.ndarray) -> np.ndarray:
        """(rows, nv) R_x f: how v at the end of the step goes along with a state that moves."""
        runs, step = self.runs, self.runs.step
        nq, two = step.model.nq, step.model.nq + step.model.nv
        kernel = step.kernel("along False", lambda: step.along_over(False))
        others = runs.entries.shape[1] + runs.controls.shape[2] + runs.shared.shape[1]
        direction, touched = np.hstack([motion, np.zeros((len(rows), others))]), runs.touched[n][rows]
        return kernel.run([*runs.inputs(n, rows), after.middle, after.p, ways, touched, direction])[0][:, nq:two]

    def along_path(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(rows, nq) how configurations change with velocities."""
        return self.runs.step.kernel("path", self.runs.step.path).run([q, np.zeros_like(v), v])[0]

    def pulled(self, n: int, bars: np.ndarray) -> np.ndarray:
        """(2): slopes (N, S) by gaps in step n."""
        result = np.zeros((len(bars), self.runs.step.spots))
        if self.hits[n].any():
            for c, rows, rates, weights in self.rates(n):
                result[rows, c] = (bars[rows] * rates).sum(axis=1) * weights
        return result

    def pushed(self, n: int, by_gaps: np.ndarray) -> np.ndarray:
        """(1): what is added to rates (N, size) of the end of step n, from those (N, S) of gaps."""
        result = np.zeros((len(by_gaps), self.runs.step.size))
        if self.hits[n].any():
            for c, rows, rates, weights in self.rates(n):
                result[rows] += rates * (by_gaps[rows, c] * weights)[:, None]
        return result


class Instants:
    """Velocity and rate before or after a hit, from a step and the one after it, which go on from the same place."""

    def __init__(self, first: list, second: list, h: float, two: int):
        nv = first[1].shape[1]
        once, twice = (found[0][:, two - nv : two] for found in (first, second))
        self.f = (twice - once) / h
        self.v = once - h * self.f
        self.rates = (second[6] - first[6]) / h  # of normal speeds
        self.speeds = first[6] - h * self.rates
        self.middle, self.p = first[1], first[2]
