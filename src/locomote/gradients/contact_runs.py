"""Runs over contacts, brought to their law step by step, and their slopes: forwards once and backwards once.

Steps are those of rollouts with method="timestep", each then brought to the equations of `contact_step`, so that they are a
function of where they start. What is kept of a step: its start, v+, p, ways, and what was lifted.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from locomote.contact.sweep_columns import OPEN
from locomote.gradients.contact_step import ContactStep
from locomote.gradients.slopes import Switch
from locomote.gradients.touch_down import TouchDowns
from locomote.methods.state import FORCE, STUCK
from locomote.methods.timestep.runs import SteppedRuns
from locomote.runs.channels import columns_of_v

STOP = 1e-6  # rad or m, from a limit on which a joint is on it
DEPTH = 1e-12  # m, that is not lifted
MET, AGAIN = 1e-11, 6  # m/s, change of the last round with which a step is at its law; how often more rounds are tried
LEFT = 1e-7  # m/s, change of the last round above which a step is not at its law
EVERY = slice(None)
WORDS = {0.0: "opens", 1.0: "sticks", 2.0: "slides"}


@dataclass
class Lifted:
    """What of a step was lifted: numbers of runs, dq, z and marks of contacts."""

    rows: np.ndarray
    dq: np.ndarray
    z: np.ndarray
    marks: np.ndarray


@dataclass
class ContactRuns:
    """Runs of a step over contacts: starts (N, q and v), controls (N, steps, columns), shared (steps, columns)."""

    step: ContactStep
    starts: np.ndarray
    controls: np.ndarray
    shared: np.ndarray
    threads: int
    memory: float
    typical: np.ndarray  # (nv,) and (S,), see `ContactStep.inputs`
    small: np.ndarray
    axes: np.ndarray  # (S, 3, 3) of contacts, in the world

    def __post_init__(self):
        self.count, self.steps, self.h = len(self.starts), len(self.shared), float(self.step.length or 0.0)
        nv, spots = self.step.model.nv, self.step.spots
        self.bytes = 8.0 * self.count * (self.steps + 1) * (self.step.size + nv + 4 * spots)
        self.checkpoints, self.beyond = False, {}
        self.lifts: dict[int, Lifted] = {}
        if self.bytes > self.memory:
            raise ValueError(
                f"states of {self.count} runs over {self.steps} contact steps take {self.bytes / 1e6:.0f} MB, more than "
                f"memory={self.memory / 1e6:.0f} MB; give more, or take fewer runs at a time"
            )

    @cached_property
    def alike(self) -> list[np.ndarray]:
        """Length of steps, typical inertias and small numbers, as rows."""
        same = ([self.h], self.typical, self.small)
        return [np.ascontiguousarray(np.broadcast_to(x, (self.count, len(x)))) for x in same]

    @cached_property
    def entries(self) -> np.ndarray:
        """(N, entries) numbers of the plan that are inputs."""
        values = self.step.entries.of(self.step.equations.plan)
        return np.ascontiguousarray(np.broadcast_to(values, (self.count, len(values))))

    def inputs(self, n: int, rows: slice | np.ndarray = EVERY) -> list[np.ndarray]:
        """Of programs, for step n."""
        nq, x = self.step.model.nq, self.states[n][rows]
        shared = np.broadcast_to(self.shared[n], (len(x), self.shared.shape[1]))
        own = [x[:, :nq], x[:, nq : nq + self.step.model.nv], self.entries[rows], self.controls[rows, n], shared]
        return own + [same[rows] for same in self.alike]

    def ends(self, n: int, rows: slice | np.ndarray = EVERY) -> list[np.ndarray]:
        """v+, p and ways of step n, and which contacts were closed before."""
        return [self.v_end[n][rows], self.p[n][rows], self.ways[n][rows], self.touched[n][rows]]

    def go(self, times: list[int]) -> dict[int, np.ndarray]:
        """States (N, numbers) after so many steps each; 0 is the start."""
        step, N, T, S = self.step, self.count, self.steps, self.step.spots
        nq, nv, kernel = step.model.nq, step.model.nv, self.step.kernel("polish", step.polished)
        self.states, self.v_end = np.zeros((T + 1, N, step.size)), np.zeros((T, N, nv))
        self.p, (self.ways, self.touched, self.gaps) = np.zeros((T, N, 3 * S)), np.zeros((3, T, N, S))
        self.closing, self.left = np.zeros((T, N, S)), np.zeros((T, N))
        self.states[0, :, : nq + nv], self.lifts = self.starts, {}
        vars(self).pop("touches", None)
        runs = SteppedRuns(
            step.equations.problem, self.starts[:, :nq], self.starts[:, nq:], self.controls,
            np.array(step.controls.given, np.int64), self.h,
        )  # fmt: skip
        worker, touch = runs.worker(), runs.touch.reshape(N, S, -1)
        for n in range(T):
            self.touched[n] = touch[:, :, STUCK] != OPEN
            runs.go(worker, 0, N, n, n + 1)
            guess = [runs.q, runs.v, touch[:, :, FORCE : FORCE + 3].reshape(N, -1), touch[:, :, STUCK], self.touched[n]]
            found = kernel.run([*self.inputs(n), *guess], threads=self.threads)
            for _ in range(AGAIN):
                rows = np.flatnonzero(found[-1][:, 0] > MET)
                if not len(rows):
                    break
                forces = self.forces(found[2][rows])
                near = [found[0][rows, :nq], found[0][rows, nq : nq + nv], forces, found[3][rows], self.touched[n][rows]]
                for target, x in zip(found, kernel.run([*self.inputs(n, rows), *near]), strict=True):
                    target[rows] = x
            end, self.v_end[n], self.p[n], self.ways[n], self.gaps[n], self.closing[n], _, left = found
            self.left[n] = left[:, 0]
            self.lift(n, end)
            end[:, nq + nv :] += self.states[n][:, nq + nv :]
            self.states[n + 1] = end
            runs.q[:], runs.v[:] = end[:, :nq], end[:, nq : nq + nv]
        self.refuse_stops()
        return {n: self.states[n] for n in {*times, T}}

    def refuse_stops(self) -> None:
        """Raise where a joint is on its limit: what a stop does is not in the equations of `contact_step`."""
        plan, problem = self.step.equations.plan, self.step.equations.problem
        for k, (sign, end, _) in zip(plan.stops, plan.stop_laws, strict=True):
            there = (sign * (self.states[:, :, plan.q_of_v[k]] - end) <= STOP).any(axis=1)
            if there.any():
                name = columns_of_v(problem.model, "tau")[int(k)].name.rpartition(".")[0]
                raise ValueError(
                    f"joint {name!r} of {problem.name!r} is on its limit at t = {self.h * there.argmax():.4g} s, and steps "
                    f"over contacts have no slopes there: change the motion, or give the problem limits=False"
                )

    def forces(self, p: np.ndarray) -> np.ndarray:
        """(rows, 3 S) forces of contacts in the world, from impulses along their axes."""
        return np.einsum("rci,cik->rck", p.reshape(len(p), self.step.spots, 3), self.axes).reshape(p.shape) / self.h

    def lift(self, n: int, end: np.ndarray) -> None:
        """(3) of `contact_step`, of runs in which something is too deep; ends are written."""
        hard = (self.gaps[n] < -DEPTH) & (self.ways[n] != OPEN)
        rows = np.flatnonzero(hard.any(axis=1))
        if not len(rows):
            return
        kernel, marks = self.step.kernel("lift", self.step.lifted), hard[rows].astype(float)
        given = [*self.inputs(n, rows), *self.ends(n, rows)]
        found, dq, z = kernel.run([*given, marks])
        for _ in range(self.step.spots):
            pulls = (z < 0.0) & (marks > 0.0)
            if not pulls.any():
                break
            marks[pulls] = 0.0
            found, dq, z = kernel.run([*given, marks])
        end[rows] = found
        self.lifts[n] = Lifted(rows, dq, z, marks)

    @cached_property
    def touches(self) -> TouchDowns:
        """Contacts that close, and what they do to slopes."""
        return TouchDowns(self)

    def split(self, n: int) -> list[tuple[np.ndarray, Lifted | None]]:
        """Runs of step n, without and with what is lifted."""
        up = self.lifts.get(n)
        if up is None:
            return [(np.arange(self.count), None)]
        marks = up.marks.copy()
        if not self.step.discrete:  # a first touch is in `touch_down`
            marks[self.touches.first[n][up.rows]] = 0.0
        lifted = Lifted(up.rows, up.dq, up.z, marks)
        return [(np.setdiff1d(np.arange(self.count), up.rows), None), (up.rows, lifted)]

    def as_derived(self, n: int, rows: slice | np.ndarray) -> list[np.ndarray]:
        """Inputs and ends of step n, as slopes are taken of it: hits done at once, see `touch_down`."""
        given = [*self.inputs(n, rows), *self.ends(n, rows)]
        if self.step.discrete:
            return given
        place = self.touches.place[n][rows]
        mine, first = place >= 0, len(given) - 4
        for k, x in zip((1, first, first + 1, first + 2), self.touches.settled if mine.any() else (), strict=False):
            given[k] = given[k].copy()
            given[k][mine] = x[place[mine]]
        return given

    def over(self, kind: str, n: int, more: list[np.ndarray], out: list[np.ndarray]) -> None:
        """The program of that kind over step n, of all runs, with further inputs (N, ...), into results."""
        for rows, up in self.split(n):
            if not len(rows):
                continue
            make = self.step.backwards_over if kind == "back" else self.step.along_over
            kernel = self.step.kernel(f"{kind} {up is not None}", lambda make=make, up=up: make(up is not None))
            lifted = [] if up is None else [up.dq, up.z, up.marks]
            every = len(rows) == self.count
            given = self.as_derived(n, slice(None) if every else rows)
            found = kernel.run([*given, *lifted, *(x if every else x[rows] for x in more)], threads=self.threads)
            for target, x in zip(out, found, strict=True):
                target[rows] = x

    def back(self, seeds: dict[int, np.ndarray], signals: bool) -> tuple[np.ndarray, np.ndarray]:
        """As `rollouts.Rolled.back`."""
        step, N, T = self.step, self.count, self.steps
        nq, two, size = step.model.nq, step.model.nq + step.model.nv, step.size
        width, columns, count = self.controls.shape[2], self.shared.shape[1], self.entries.shape[1]
        by_inputs = np.zeros((N, T, width + (columns if signals else 0)))
        bars, sums = seeds[T][:, :size].copy(), seeds[T][:, size:].copy()
        found = [np.zeros((N, n)) for n in (nq, two - nq, count, width, columns)]
        for n in range(T - 1, -1, -1):
            by_gaps = np.zeros((N, step.spots)) if step.discrete else self.touches.pulled(n, bars)
            self.over("back", n, [bars, by_gaps], found)
            bars[:, :nq], bars[:, nq:two] = found[0], found[1]
            sums += found[2]
            by_inputs[:, n, :width] = found[3]
            if signals:
                by_inputs[:, n, width:] = found[4]
            if n in seeds:
                own = seeds[n]
                bars += own[:, :size]
                sums += own[:, size:]
        return np.hstack([bars, sums]), by_inputs

    def along(self, starts, controls, shared, entries, times: list[int]) -> dict[int, np.ndarray]:
        """As `rollouts.Rolled.along`."""
        if not hasattr(self, "states"):
            self.go(times)
        step, N, S = self.step, self.count, self.step.spots
        two = step.model.nq + step.model.nv
        rates, found = np.hstack([starts, np.zeros((N, step.size - two))]), {}
        for n in range(self.steps + 1):
            if n in times or n == self.steps:
                found[n] = np.hstack([rates, entries])
            if n == self.steps:
                break
            after, by_gaps = np.zeros((N, step.size)), np.zeros((N, S))
            direction = np.hstack([rates[:, :two], entries, controls[:, n], shared[:, n]])
            self.over("along", n, [direction], [after, by_gaps])
            after[:, two:] += rates[:, two:]
            if not step.discrete:
                after += self.touches.pushed(n, by_gaps)
            rates = after
        return found

    def switches(self) -> list[Switch]:
        """What switched in the runs; hits have slopes of their own on both sides of another one, others are continuous."""
        found, names, h = [], self.step.equations.problem.contact_names, self.h
        before = np.full((self.count, self.step.spots), OPEN)
        for n in range(self.steps):
            for run, c in np.argwhere(self.ways[n] != before):
                word = WORDS[float(self.ways[n][run, c])]
                hits = before[run, c] == OPEN
                grazes = hits and n > 0 and self.touches.grazes[n][run, c]
                at_once = hits and n > 0 and self.touches.together[n][run, c]
                text = f"{names[c]} {'touches and ' if hits else ''}{word}" + (f" in run {run}" if self.count > 1 else "")
                text += (", grazing" if grazes else "") + (", at once with another" if at_once else "")
                found.append(Switch(n * h, text, bool(grazes or at_once)))
            before = self.ways[n]
        return found
