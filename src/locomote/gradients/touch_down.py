"""What a contact that closes does to slopes: it closes earlier or later, which no derivative of a step of fixed length sees.

A departure that changes the gap makes the hit come at another time, and until then the motion before it goes on:

    dt = -gap_q dq / u_n ,   dq += (v - v+) dt ,   dv += (R_x f - f+) dt ,   dz += (c - c+) dt                    (1)
    backwards   s = qbar (v - v+) + vbar (R_x f - f+) + zbar (c - c+) ,   slope by the gap  -s / u_n              (2)

v, f, c are velocity, rate of the state and what is integrated before the hit, v+, f+, c+ after it, R_x the slopes of the step
that hits (`hits`). Without (1) slopes do not converge as steps become shorter.

Steps spread a hit over two of them, the more over the second the larger the gap in the middle of the first. Slopes take it as
done in the first, and the second from there: else what (1) moves would be hit once more. So do they with contacts that the hit
pulls away from the ground, which open in the first step or in the second.
"""

from functools import cached_property

import numpy as np

from locomote.contact.sweep_columns import OPEN
from locomote.gradients.hits import Hits

APART = 1e-6  # of what a hit does, by which it differs where two hit at once, if that is a corner


class TouchDowns:
    """First touches of runs over contacts (`contact_runs`)."""

    def __init__(self, runs):
        self.runs, ways = runs, runs.ways
        before = np.concatenate([np.full_like(ways[:1], OPEN), ways[:-1]])
        self.first = (ways != OPEN) & (before == OPEN)  # (T, N, S)
        self.first[0] = False  # what is closed at the start stays so
        self.hits = self.first.any(axis=2)  # (T, N)
        self.left = ways.copy()  # as hits leave them
        self.equations = Hits(runs)
        self.place = np.full(self.hits.shape, -1)  # of steps of runs in the arrays of what is settled: v, v+, p, ways
        self.settled = [np.zeros((0, n)) for n in (runs.step.model.nv, runs.step.model.nv, runs.p.shape[2], ways.shape[2])]
        row = np.zeros(self.hits.shape[1], dtype=int)
        after = np.zeros(self.hits.shape, dtype=int)  # how many steps with hits come right before
        for n, hit in enumerate(self.hits):
            after[n] = row
            row = np.where(hit, row + 1, 0)
        for k in range(int(after[self.hits].max(initial=-1)) + 1):
            self.settle(*np.nonzero(self.hits & (after == k)))

    def settle(self, steps: np.ndarray, rows: np.ndarray) -> None:
        """Take hits of steps as done in them, and the next steps from there."""
        runs, model = self.runs, self.runs.step.model
        nq, two = model.nq, model.nq + model.nv
        start = self.start(steps, rows)
        ways, hit = self.let_go(steps, rows, start)
        self.left[steps, rows] = ways
        self.put(steps, rows, start[:, nq:], hit[1], hit[2], ways)
        inner = steps + 1 < runs.steps
        steps, rows, v = steps[inner], rows[inner], hit[0][inner, nq:two]
        touched = np.where(self.first[steps, rows], 2.0, runs.touched[steps + 1, rows])
        steps = steps + 1
        start, then = np.hstack([runs.states[steps, rows, :nq], v]), runs.ways[steps, rows]
        after = self.equations.solved(steps, rows, start, then, touched, runs.p[steps, rows])
        self.put(steps, rows, v, after[1], after[2], then)

    def put(self, steps: np.ndarray, rows: np.ndarray, *values: np.ndarray) -> None:
        """Keep what slopes of steps are taken of."""
        self.place[steps, rows] = len(self.settled[0]) + np.arange(len(rows))
        self.settled = [np.concatenate(pair) for pair in zip(self.settled, values, strict=True)]

    def let_go(self, steps: np.ndarray, rows: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
        """(rows, S) ways of contacts as hits of steps leave them, and these hits: what opens one step later is open already if
        the hit would have to pull at it."""
        runs, ways = self.runs, self.runs.ways[steps, rows]
        then = runs.ways[np.minimum(steps + 1, runs.steps - 1), rows]
        ways = np.where(self.first[steps, rows] & (then != OPEN), then, ways)
        no_gaps, p = np.full_like(ways, 2.0), runs.p[steps, rows]
        hit = self.equations.solved(steps, rows, start, ways, no_gaps, p)
        while (pulls := (hit[2][:, 2::3] < 0.0) & (ways != OPEN) & (then == OPEN)).any():
            ways[pulls] = OPEN
            own = np.flatnonzero(pulls.any(axis=1))
            again = self.equations.solved(steps[own], rows[own], start[own], ways[own], no_gaps[own], p[own])
            for target, x in zip(hit, again, strict=True):
                target[own] = x
        return ways, hit

    def start(self, steps: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """(rows, q and v) where steps start, after hits of the steps before."""
        nq, two = self.runs.step.model.nq, self.runs.step.model.nq + self.runs.step.model.nv
        state, place = self.runs.states[steps, rows, :two].copy(), self.place[steps, rows]
        state[place >= 0, nq:] = self.settled[0][place[place >= 0]]
        return state

    @cached_property
    def rates(self) -> dict[int, tuple[np.ndarray, ...]]:
        """For each step in which contacts close: numbers of the runs and of the contacts, what an earlier hit does to the end
        of the step (hits, size), per s, and how much earlier it is by the gap (hits,), s/m. Contacts that close one after the
        other have what the later do to it in it; those that do at once stand there twice, by half in either order."""
        steps, rows = np.nonzero(self.hits)
        if not len(steps):
            return {}
        first, before = self.first[steps, rows], self.runs.ways[steps - 1, rows]
        left, start = self.left[steps, rows], self.start(steps, rows)
        steps, *found = self.equations.rates(steps, rows, np.where(first, OPEN, before), left, first, start)
        order = np.argsort(steps, kind="stable")
        ends = np.searchsorted(steps[order], [*(numbers := np.unique(steps)), steps.max() + 1])
        parts = zip(numbers, ends[:-1], ends[1:], strict=True)
        return {int(n): tuple(x[order[a:b]] for x in found) for n, a, b in parts}

    @cached_property
    def grazes(self) -> np.ndarray:
        """(T, N, S) whether a first touch is too slow to have a time with a slope."""
        result = np.zeros_like(self.first)
        for n, (rows, c, _, weights) in self.rates.items():
            result[n, rows[weights == 0.0], c[weights == 0.0]] = True
        return result

    @cached_property
    def together(self) -> np.ndarray:
        """(T, N, S) whether a first touch comes at once with another, and which of them is first matters."""
        result = np.zeros_like(self.first)
        for n, (rows, contacts, rates, weights) in self.rates.items():
            known: dict[tuple[int, int], np.ndarray] = {}
            for row, c, own in zip(rows.tolist(), contacts.tolist(), rates * weights[:, None], strict=True):
                other = known.setdefault((row, c), own)
                result[n, row, c] |= abs(own - other).max() > APART * abs(own).max()
        return result

    def pulled(self, n: int, bars: np.ndarray) -> np.ndarray:
        """(2): slopes (N, S) by gaps in step n."""
        result = np.zeros((len(bars), self.runs.step.spots))
        if n in self.rates:
            rows, c, rates, weights = self.rates[n]
            np.add.at(result, (rows, c), (bars[rows] * rates).sum(axis=1) * weights)
        return result

    def pushed(self, n: int, by_gaps: np.ndarray) -> np.ndarray:
        """(1): what is added to rates (N, size) of the end of step n, from those (N, S) of gaps."""
        result = np.zeros((len(by_gaps), self.runs.step.size))
        if n in self.rates:
            rows, c, rates, weights = self.rates[n]
            np.add.at(result, rows, rates * (by_gaps[rows, c] * weights)[:, None])
        return result
