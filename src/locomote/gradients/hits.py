"""What hits of a step over contacts do when they come earlier or later, in the order in which they come.

Before and after each hit there is a velocity v and a rate f of the state. They come from the equations of a step, with the
contacts that are closed then, each taken twice: the first has what jumps and what accelerates in it, the second only the
latter. Contact k of those that close in one step, by the time when it does, moves the end of the step by

    r_k = (v_k-1 - v_k , R_k f_k-1 - f_k , c_k-1 - c_k)  per s                                                       (1)
    r_k <- M_j r_k - r_j (J_j r_k) / u_j        for each j that hits after it, M_j what its hit makes of a departure   (2)

Two that hit at once may do so in either order; departures to one side and to the other have one of them each, and the mean of
both is what differences across show. It is a corner, if the orders differ.
"""

import numpy as np

from locomote.contact.sweep_columns import OPEN
from locomote.gradients.channels import Instant
from locomote.symbolic.plain import boxed
from locomote.symbolic.trace import Trace, evaluate

MET, ROUNDS = 1e-7, 3  # m/s, change with which a step is at its law; how often it is tried
SLOWEST = 1e-3  # m/s, below which a hit grazes: its time has no slope
AT_ONCE = 0.02  # of a step, within which two hits have no order


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

    def where(self, mine: np.ndarray, other: "Instants") -> "Instants":
        """This one, but for some rows, which are those of the other."""
        found = object.__new__(Instants)
        for name, x in vars(self).items():
            new = x.copy()
            new[mine] = getattr(other, name)
            setattr(found, name, new)
        return found


class Hits:
    """Equations of the steps of some runs (`contact_runs`); steps and rows are arrays: which step of which run."""

    def __init__(self, runs):
        self.runs, self.step, self.h = runs, runs.step, runs.h
        self.nq, self.two = runs.step.model.nq, runs.step.model.nq + runs.step.model.nv

    def rates(self, steps, rows, held, ways, first, start) -> tuple[np.ndarray, ...]:
        """Those of `TouchDowns.rates`, of all hits in some order: steps, runs and contacts of each, what it does to the end of
        the step (hits, size), and how much earlier it is by the gap (hits,).

        held, ways, first : (rows, S) ways of contacts before hits, as these leave them, and which close ; start : states
        """
        apart = self.instants(steps, rows, start, held)
        when = np.where(first, self.moment(steps, rows, apart)[0], np.inf)
        order, count = np.argsort(when, axis=1, kind="stable"), first.sum(axis=1)
        times = np.take_along_axis(np.where(first, when, 0.0), order, axis=1)
        gaps = np.diff(times, axis=1, prepend=-np.inf)
        gaps[np.arange(first.shape[1]) >= count[:, None]] = np.inf
        at_once = (gaps < AT_ONCE * self.h).any(axis=1)
        other = order.copy()  # those that hit at once, the other way round
        for k in np.flatnonzero(at_once):
            other[k, : count[k]] = order[k, : count[k]][::-1]
        twice = np.concatenate([np.arange(len(rows)), np.flatnonzero(at_once)])
        orders, share = np.concatenate([order, other[at_once]]), np.where(at_once, 0.5, 1.0)[twice]
        given = (x[twice] for x in (steps, rows, count, held, ways, start))
        return self.in_order(orders, share, *given)

    def in_order(self, orders, share, steps, rows, count, held, ways, start) -> tuple[np.ndarray, ...]:
        """(1) and (2) of contacts that close in orders, the first of which may let others go; share : of what each counts"""
        number, most = len(rows), int(count.max())
        closed = ways.copy()
        for k in range(most):
            own = np.flatnonzero(count > k)
            closed[own, orders[own, k]] = OPEN
        before, found = self.instants(steps, rows, start, held), []
        rates, weights = np.zeros((most, number, self.step.size)), np.zeros((most, number))
        for k in range(most):
            own = np.flatnonzero(count > k)
            c, now = orders[own, k], (steps[own], rows[own])
            later, fall = (x[np.arange(len(own)), c] for x in self.moment(*now, before, own))
            closed[own, c] = ways[own, c]
            begin = np.hstack([start[own, : self.nq], before.v[own]])
            after = self.instants(*now, begin, closed[own])
            v, f = before.v[own] + before.f[own] * later[:, None], before.f[own]
            motion = np.hstack([self.along_path(start[own, : self.nq], v), f])
            rate = np.zeros((len(own), self.step.size))
            rate[:, : self.nq] = self.along_path(self.runs.states[now[0] + 1, now[1], : self.nq], v - after.v)
            rate[:, self.nq : self.two] = self.moved(*now, begin, closed[own], after, motion)[0] - after.f
            rate[:, self.two :] = self.integrated(now[0], begin, v) - self.integrated(now[0], begin, after.v)
            good = fall < -SLOWEST
            weight = np.where(good, -1.0 / np.where(good, fall, 1.0), 0.0)
            for j in range(k):  # (2)
                moved, by_gaps = self.moved(*now, begin, closed[own], after, rates[j, own, : self.two])
                rates[j, own, self.nq : self.two] = moved
                rates[j, own] += rate * (by_gaps[np.arange(len(own)), c] * weight)[:, None]
            rates[k, own], weights[k, own] = rate, weight
            found.append((k, own, c))
            before = before.where(own, after)
        parts = [(steps[own], rows[own], c, rates[k, own] * share[own, None], weights[k, own]) for k, own, c in found]
        return tuple(np.concatenate(column) for column in zip(*parts, strict=True))

    def moment(self, steps, rows, before: Instants, own: np.ndarray | slice = slice(None)) -> tuple[np.ndarray, np.ndarray]:
        """(rows, S) when in the step gaps close, s, and how fast then, m/s, with speeds as they are before."""
        u, faster = before.speeds[own], before.rates[own]
        gap = self.runs.gaps[steps, rows] - 0.5 * self.h * self.runs.closing[steps, rows]
        speed = -np.sqrt(np.maximum(u * u - 2.0 * faster * gap, 0.0))
        return np.clip(-2.0 * gap / np.minimum(u + speed, -1e-12), 0.0, self.h), speed

    def instants(self, steps, rows, states: np.ndarray, ways: np.ndarray) -> Instants:
        """From the equations of such steps from some states, with given ways and no gaps; and once more, with velocities of
        the end."""
        p, none, found = self.runs.p[steps, rows] * np.repeat(ways != OPEN, 3, axis=1), np.full_like(ways, 2.0), []
        for _ in range(2):
            found.append(self.solved(steps, rows, states, ways, none, p))
            states = np.hstack([states[:, : self.nq], found[-1][0][:, self.nq : self.two]])
        return Instants(found[0], found[1], self.h, self.two)

    def solved(self, steps, rows, states: np.ndarray, ways, touched, p) -> list[np.ndarray]:
        """Results of the equations of such steps from states, with given ways, from a guess p of impulses."""
        runs, nq, kernel = self.runs, self.nq, self.step.kernel("polish", self.step.polished)
        inputs = self.inputs(steps, rows, states)
        found = kernel.run([*inputs, inputs[0], inputs[1], runs.forces(p), ways, touched], threads=runs.threads)
        for _ in range(ROUNDS):
            again = np.flatnonzero(found[-1][:, 0] > MET)
            if not len(again):
                break
            near = [found[0][again, :nq], found[0][again, nq : self.two], runs.forces(found[2][again])]
            near += [ways[again], touched[again]]
            for target, x in zip(found, kernel.run([*(x[again] for x in inputs), *near]), strict=True):
                target[again] = x
        return found

    def inputs(self, steps, rows, states: np.ndarray) -> list[np.ndarray]:
        """Those of programs, from states."""
        runs = self.runs
        own = [states[:, : self.nq], states[:, self.nq : self.two], runs.entries[rows], runs.controls[rows, steps]]
        return [np.ascontiguousarray(x) for x in (*own, runs.shared[steps], *(x[rows] for x in runs.alike))]

    def moved(self, steps, rows, states, ways, after: Instants, motion: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(rows, nv) how v at the end of the step goes along with a state that moves, and (rows, S) how gaps do."""
        runs, step = self.runs, self.step
        kernel = step.kernel("along False", lambda: step.along_over(False))
        others = runs.entries.shape[1] + runs.controls.shape[2] + runs.shared.shape[1]
        direction, touched = np.hstack([motion, np.zeros((len(rows), others))]), runs.touched[steps, rows]
        given = [*self.inputs(steps, rows, states), after.middle, after.p, ways, touched, direction]
        found = kernel.run(given, threads=runs.threads)
        return found[0][:, self.nq : self.two], found[1]

    def along_path(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(rows, nq) how configurations change with velocities."""
        return self.step.kernel("path", self.step.path).run([np.ascontiguousarray(q), np.zeros_like(v), v])[0]

    def integrated(self, steps, states: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(rows, integrals) what is integrated at states, with velocities v."""
        trace, step = Trace(), self.step
        if not step.integrands:
            return np.zeros((len(v), 0))
        (t,), x, u = trace.input(1), boxed(trace.input(self.nq)), boxed(trace.input(self.two - self.nq))
        now = Instant(step.equations.problem, step.equations, t, x, u)
        places = [trace.place(channel.of(now)) for channel in step.integrands]
        return evaluate(trace, places, np.vstack([steps[None] * self.h, states[:, : self.nq].T, v.T]))
