"""What a contact that closes does to slopes: it closes earlier or later, which no derivative of a step of fixed length sees.

A departure that changes the gap makes the hit come at another time, and until then the motion before it goes on:

    dt = -gap_q dq / u_n ,   dq += (v - v+) dt ,   dv += (R_x f - f+) dt                                          (1)
    backwards   s = qbar (v - v+) + vbar (R_x f - f+) ,   slope by the gap  -s / u_n                              (2)

v, f are velocity and rate of the state before the hit, v+, f+ after it, R_x the slopes of the step that hits, with its contact
as one that is closed. They come from the equations of a step: without what hits (v, f), and twice more with it, since a hit
takes two steps, the first of them to the ground (v+, f+). Without (1) slopes do not converge as steps become shorter.
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
            rows, _, weights = self.rates(n)
            result[n, rows] = self.first[n][rows] & (weights == 0.0)
        return result

    def rates(self, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of runs that hit in step n: their numbers, what an earlier hit does to the end of the step (rows, size), per s, and
        weights of gaps (rows, S) by which it is earlier, s/m."""
        if n not in self._rates:
            self._rates[n] = self._found(n)
        return self._rates[n]

    def _found(self, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        runs, step, h = self.runs, self.runs.step, self.runs.h
        rows, nq, two = np.flatnonzero(self.hits[n]), step.model.nq, step.model.nq + step.model.nv
        first, start, end = self.first[n][rows], runs.states[n][rows, :two], runs.states[n + 1][rows, :two]
        v, then = start[:, nq:], runs.ways[min(n + 1, runs.steps - 1)][rows]
        ways = np.where(first & (then != OPEN), then, runs.ways[n][rows])  # as the hit leaves them
        without, speeds = self.stepped(n, rows, start, np.where(first, OPEN, ways))
        f = (without[:, nq:] - v) / h
        speed, later = self.speed_of_hit(n, rows, (speeds - runs.closing[n][rows]) / h)
        v = v + f * later[:, None]
        after, _ = self.stepped(min(n + 1, runs.steps - 1), rows, end, ways)
        last, _ = self.stepped(min(n + 1, runs.steps - 1), rows, np.hstack([end[:, :nq], after[:, nq:]]), ways)
        f_after = (last[:, nq:] - after[:, nq:]) / h
        moved = self.moved(n, rows, ways, np.hstack([self.along_path(start[:, :nq], v), f]))
        result = np.zeros((len(rows), step.size))
        result[:, :nq] = self.along_path(end[:, :nq], v - (after[:, nq:] - h * f_after))
        result[:, nq:two] = moved - f_after
        work = np.where(first, abs(runs.p[n][rows].reshape(len(rows), -1, 3)[:, :, 2] * speed), 0.0)
        share = work / np.maximum(work.sum(axis=1, keepdims=True), 1e-300)  # where several hit in one step
        good = first & (speed < -SLOWEST)
        return rows, result, np.where(good, -share / np.where(good, speed, 1.0), 0.0)

    def speed_of_hit(self, n: int, rows: np.ndarray, faster: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Normal speeds (rows, S) at which gaps are shut, and how long after the start of the step (rows,) that is, from
        accelerations of gaps."""
        runs, h = self.runs, self.runs.h
        u = runs.closing[n][rows]
        gap = runs.gaps[n][rows] - 0.5 * h * u
        speed = -np.sqrt(np.maximum(u * u - 2.0 * faster * gap, 0.0))
        later = np.clip(-2.0 * gap / np.minimum(u + speed, -1e-12), 0.0, h)
        first = self.first[n][rows]
        return speed, (later * first).sum(axis=1) / np.maximum(first.sum(axis=1), 1)

    def stepped(self, n: int, rows: np.ndarray, states: np.ndarray, ways: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Ends (rows, q and v) of a step like step n from other states, with given ways, and normal speeds then."""
        runs, step = self.runs, self.runs.step
        nq, two, kernel = step.model.nq, step.model.nq + step.model.nv, step.kernel("polish", step.polished)
        inputs = runs.inputs(n, rows)
        inputs[0], inputs[1] = states[:, :nq], states[:, nq:]
        p = np.where(np.repeat(ways != OPEN, 3, axis=1), runs.p[n][rows], 0.0)
        touched = np.ones_like(ways)
        found = kernel.run([*inputs, states[:, :nq], states[:, nq:], runs.forces(p), ways, touched])
        return found[0][:, :two], found[6]

    def moved(self, n: int, rows: np.ndarray, ways: np.ndarray, motion: np.ndarray) -> np.ndarray:
        """(rows, nv) R_x f: how v at the end of the step goes along with a state that moves."""
        runs, step = self.runs, self.runs.step
        nq, two = step.model.nq, step.model.nq + step.model.nv
        kernel = step.kernel("along False", lambda: step.along_over(False))
        others = runs.entries.shape[1] + runs.controls.shape[2] + runs.shared.shape[1]
        direction = np.hstack([motion, np.zeros((len(rows), others))])
        v_end, p, _, touched = runs.ends(n, rows)
        return kernel.run([*runs.inputs(n, rows), v_end, p, ways, touched, direction])[0][:, nq:two]

    def along_path(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(rows, nq) how configurations change with velocities."""
        return self.runs.step.kernel("path", self.runs.step.path).run([q, np.zeros_like(v), v])[0]

    def pulled(self, n: int, bars: np.ndarray) -> np.ndarray:
        """(2): slopes (N, S) by gaps in step n."""
        result = np.zeros((len(bars), self.runs.step.spots))
        if self.hits[n].any():
            rows, rates, weights = self.rates(n)
            result[rows] = (bars[rows] * rates).sum(axis=1)[:, None] * weights
        return result

    def pushed(self, n: int, by_gaps: np.ndarray) -> np.ndarray:
        """(1): what is added to rates (N, size) of the end of step n, from those (N, S) of gaps."""
        result = np.zeros((len(by_gaps), self.runs.step.size))
        if self.hits[n].any():
            rows, rates, weights = self.rates(n)
            result[rows] = rates * (by_gaps[rows] * weights).sum(axis=1)[:, None]
        return result
