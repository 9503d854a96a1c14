"""The gradient of a rollout: values of the terms of a goal, their slopes by states, and these by starts and controls."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from locomote.compiled.beginning import Controls, checked_controls, checked_starts, closed_at_starts
from locomote.compiled.rollout import acting, step_count
from locomote.evaluation.plan import UNLIMITED
from locomote.gradients.channels import Channel, Instant, channel_of
from locomote.gradients.forwards import Way, rates_along, ways_of
from locomote.gradients.goals import Goal, Term
from locomote.gradients.parameters import Direction, directions_of, entries_of, plan_tables
from locomote.gradients.programs import Step, gathered, nodes_of, places
from locomote.gradients.rollouts import Rolled
from locomote.gradients.slopes import Switch
from locomote.gradients.steps import accepted_steps
from locomote.locomotion.problem import Locomotion
from locomote.locomotion.start import started_together
from locomote.methods.events.stops import BEYOND, refuse_beyond
from locomote.runs.channels import columns_of_v
from locomote.symbolic.adjoint import adjoint, tangent
from locomote.symbolic.plain import boxed
from locomote.symbolic.problem import STEPS, Equations, moved_by
from locomote.symbolic.trace import Trace, evaluate

BETWEEN = 1e-9  # of a step, by which a time may miss the end of one


@dataclass(frozen=True)
class Case:
    """A problem to roll out, and a goal."""

    problem: Locomotion
    goal: Goal
    plan: Controls
    starts: tuple[np.ndarray, np.ndarray]
    controls: np.ndarray
    times: np.ndarray  # (steps + 1,) s, the ends of steps
    length: float | None  # s; None if each step has its own
    method: str
    threads: int
    memory: float
    parameters: tuple[str, ...] = ()
    known: tuple[Direction, ...] | None = None  # their numbers, if those of another case will do

    @classmethod
    def of(
        cls, problem, goal, controls, joints, q, v, duration, step, method, start, threads, memory, tolerances, parameters
    ) -> "Case":
        """From what a caller gives, checked as by `rollout`; of methods that choose their steps, those of a run."""
        chooses = method not in (*STEPS, "timestep")
        plan = Controls.of(problem, joints, controls is not None)
        steps = 0 if chooses else step_count(controls, duration, step)
        starts, count = checked_starts(problem, q, v, None, controls)
        values = checked_controls(controls, count, steps, plan)
        refuse_beyond(problem, starts[0])
        if q is not None and problem.start is None and len(problem.plan.holonomic):
            problem = problem.replaced(start=(starts[0][0], starts[1][0]))  # where its rows are told apart
        problem = closed_at_starts(problem, starts[0])
        plan.impose(0.0, *starts)
        own = np.array(sorted(plan.held & set(plan.given)), dtype=int)
        started_together(problem, starts[0], starts[1], (q is not None, v is not None), start, own)
        if chooses:
            stops = [float(duration), *(term.time for term in goal.terms if term.time is not None)]
            times = accepted_steps(problem, starts[0][0], starts[1][0], stops, method, *tolerances)
            steps = len(times) - 1
        else:
            times = float(step) * np.arange(steps + 1)
        values = np.zeros((count, steps, 0)) if values is None else values
        length = None if chooses else float(step)
        started = starts[0], starts[1]
        return cls(problem, goal, plan, started, values, times, length, method, threads, memory, tuple(parameters))

    @property
    def steps(self) -> int:
        """How many there are."""
        return len(self.times) - 1

    @cached_property
    def channels(self) -> dict[Term, Channel]:
        """Channels of the terms."""
        found = {term: channel_of(self.problem, term.what) for term in self.goal.terms}
        for term, channel in found.items():
            if channel.forces and term.kind != "integral":
                raise ValueError(
                    f"{channel.name!r} jumps with the controls and has no value at an instant of a rollout: "
                    f"take lo.integral({channel.name!r}), or a function of q and v"
                )
        return found

    @cached_property
    def integrals(self) -> list[Term]:
        """Terms that are integrated."""
        return [term for term in self.goal.terms if term.kind == "integral"]

    @cached_property
    def step(self) -> Step:
        """The step with its integrals."""
        channels = tuple(self.channels[term] for term in self.integrals)
        entries = entries_of(self.directions)
        return Step(Equations.of(self.problem), self.plan, self.length, self.method, channels, entries)

    @cached_property
    def directions(self) -> list[Direction]:
        """Numbers of the parameters."""
        if self.known is not None:
            return list(self.known)
        return [x for name in self.parameters for x in directions_of(self.problem, name, self.tables)]

    def tables(self, problem: Locomotion) -> dict[str, np.ndarray]:
        """What a problem that has other numbers gives to traced steps."""
        signals = {**problem.imposed_motions, **problem.given_torques}
        drives = [signals[k] for k in self.plan.timed]
        held = [drive for k, drive in zip(self.plan.timed, drives, strict=True) if k in self.plan.held]
        begins = np.array([drive(0.0)[:2] for drive in held]).reshape(-1)
        return plan_tables(problem) | {"shared": self.shared_by(drives), "begins": begins}

    def by_parameters(self, bars: np.ndarray, by_shared: np.ndarray) -> dict[str, np.ndarray]:
        """(2) of `parameters`, (N, shape of the parameter), from slopes by starts and entries, and by what is shared."""
        found, nq = {}, self.problem.model.nq
        for name in self.parameters:
            found[name] = np.zeros((len(bars), *np.shape(self.problem.parameters[name])))
        for x in self.directions:
            slope = bars[:, self.step.size :] @ self.entry_slopes(x)
            slope = slope + np.tensordot(by_shared, x.slopes["shared"], 2)
            for n, (place, k) in enumerate(self.step.held):
                slope = slope + bars[:, [place, nq + k]] @ x.slopes["begins"][2 * n : 2 * n + 2]
            found[x.name][:, *x.index] = slope
        return found

    def entry_slopes(self, direction: Direction) -> np.ndarray:
        """(entries,) how entries of the plan change."""
        return np.array([direction.slopes[field].ravel()[k] for field, k in self.step.entries.places])

    def place(self, term: Term) -> int:
        """The number of steps after which a term is read."""
        if term.kind != "time" or term.time is None:
            return self.steps
        n = int(abs(self.times - term.time).argmin())
        if abs(self.times[n] - term.time) > BETWEEN * self.times[1] * max(1.0, n):
            raise ValueError(
                f"{term.time:g} s is not the end of a step of {self.length:g} s within {self.times[-1]:g} s, where "
                f"rollouts have their states; choose such a time, or a method that chooses its steps"
            )
        return n

    @cached_property
    def shared(self) -> np.ndarray:
        """(steps, columns) what all runs share, as `Step.sizes` says."""
        return self.shared_by(self.plan.drives)

    def shared_by(self, drives: Sequence[Any]) -> np.ndarray:
        """The same with other drives."""
        plan, t, h = self.plan, self.times[:-1], np.diff(self.times)
        stages = [t + c * h for c in nodes_of(self.method, bool(self.length))]
        ends = [self.times[1:], *(() if self.length else stages)]
        when = np.concatenate([*stages, *ends])  # one call a drive
        motions = [(k, np.reshape(drive(when), (3, -1, len(t)))) for k, drive in zip(plan.timed, drives, strict=True)]
        columns = [x[2 if k in plan.held else 0, i] for i in range(len(stages)) for k, x in motions]
        for i in range(len(stages), len(stages) + len(ends)):
            columns += [x[row, i] for k, x in motions if k in plan.held for row in (0, 1)]
        return np.ascontiguousarray(np.stack([*columns, *(() if self.length else (h,)), t], axis=1))

    @cached_property
    def rolled(self) -> Rolled:
        """The runs."""
        return Rolled(self.step, np.hstack(self.starts), self.controls, self.shared, self.threads, self.memory)

    @cached_property
    def places(self) -> list[int]:
        """Numbers of steps after which the goal looks at states."""
        return sorted({self.place(term) for term in self.goal.terms} | {self.steps})

    @cached_property
    def states(self) -> dict[int, np.ndarray]:
        """(N, numbers) there."""
        states = self.rolled.go(self.places)
        broken = np.flatnonzero(~np.isfinite(states[self.steps]).all(axis=1))
        if len(broken):
            raise ValueError(
                f"run {broken[0]} of {self.problem.name!r} left what numbers can hold: steps of {self.times[1]:g} s are too "
                f"long for its speeds, or its constraints became singular"
            )
        return states

    def read(self, term: Term) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values (N,) of a term, its slopes (N, numbers) by the state that it is read from, and (N,) by the time there."""
        n = self.place(term)
        x, two = self.states[n], self.problem.model.nq + self.problem.model.nv
        values = self.step.entries.of(self.problem.plan)
        slopes = np.zeros((len(x), self.step.size + len(values)))
        if term.kind == "integral":
            column = two + self.integrals.index(term)
            slopes[:, column] = 1.0
            return x[:, column], slopes, np.zeros(len(x))
        trace = Trace()
        (t,), state, e = trace.input(1), boxed(trace.input(two)), boxed(trace.input(len(values)))
        q, v = state[: self.problem.model.nq], state[self.problem.model.nq :]
        value = self.channels[term].of(Instant(self.problem, self.step.with_numbers(e), t, q, v))
        rates = adjoint(trace, {trace.place(value): 1.0}, [k.place for k in (t, *state, *e)])
        inputs = np.vstack([np.full((1, len(x)), self.times[n]), x[:, :two].T, np.tile(values[:, None], len(x))])
        found = evaluate(trace, [trace.place(value), *places(trace, rates)], inputs)
        slopes[:, :two], slopes[:, self.step.size :] = found[:, 2 : 2 + two], found[:, 2 + two :]
        return found[:, 0], slopes, found[:, 1]

    @cached_property
    def found(self) -> tuple[np.ndarray, dict[int, np.ndarray]]:
        """The value (N,) of the goal, and its slopes by states after so many steps."""
        numbers = self.step.size + len(self.step.entries.places)
        seeds = {n: np.zeros((len(self.starts[0]), numbers)) for n in self.places}
        value, rates = self.goal.at({term: x for term, (x, *_) in self.all_read.items()})
        for term, rate in rates.items():
            seeds[self.place(term)] += np.reshape(rate, (-1, 1)) * self.all_read[term][1]
        return np.broadcast_to(value, (len(self.starts[0]),)).astype(float), seeds

    @cached_property
    def all_read(self) -> dict[Term, tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """All terms, read."""
        return {term: self.read(term) for term in self.goal.terms}

    @property
    def end_slopes(self) -> tuple[np.ndarray, np.ndarray]:
        """Slopes of the goal by the last state (N, numbers) and time (N,), of terms that move with the end."""
        _, rates = self.goal.at({term: x for term, (x, *_) in self.all_read.items()})
        by_state, by_time = np.zeros((len(self.starts[0]), self.step.size)), np.zeros(len(self.starts[0]))
        for term, rate in rates.items():
            if term.kind != "time":
                by_state += np.reshape(rate, (-1, 1)) * self.all_read[term][1][:, : self.step.size]
                by_time += rate * self.all_read[term][2]
        return by_state, by_time

    def by_duration(self) -> np.ndarray:
        """(N,) slope of the goal when runs go on for a moment with their last controls: xbar f(T)."""
        step, model, trace, x = self.step, self.problem.model, Trace(), self.states[self.steps]
        if not self.problem.inertia:
            raise ValueError(f"{self.problem.name!r} has no inertia: slopes by its duration are not known")
        q, v = boxed(trace.input(model.nq)), boxed(trace.input(model.nv))
        u, signals = boxed(trace.input(len(self.plan.given))), boxed(trace.input(len(self.plan.timed)))
        (t,) = trace.input(1)
        a, force = (rows[0] for rows in acting(step.equations, self.plan, u, [*signals, *signals, *signals]))
        state = step.equations.state(q, v, a, force, t)
        a = state.acceleration()
        now = Instant(self.problem, step.equations, t, q, v, a, state)
        rates = places(trace, [*a, *(channel.of(now) for channel in step.integrands)])
        ways = zip(self.plan.timed, self.plan.drives, strict=True)
        last = [drive(float(self.times[-1]))[2 if k in self.plan.held else 0] for k, drive in ways]
        end = np.broadcast_to(np.reshape([*last, self.times[-1]], (-1, 1)), (len(last) + 1, len(x)))
        found = evaluate(trace, rates, np.vstack([x[:, : model.nq + model.nv].T, self.controls[:, -1].T, end]))
        moving = pushed(step.equations, x[:, : model.nq], x[:, model.nq : model.nq + model.nv])
        seeds, by_time = self.end_slopes
        return (seeds * np.hstack([moving, found])).sum(axis=1) + by_time

    def reverse(self, wanted: Sequence[str], seeds: dict[int, np.ndarray] | None = None) -> dict[str, np.ndarray]:
        """Slopes by "q" and "v" (N, nv), "controls" (N, steps, columns), "duration" (N,) and parameters, backwards over all
        steps. seeds : slopes by states, of something else than the goal"""
        seeds = self.found[1] if seeds is None else seeds
        result: dict[str, np.ndarray] = {}
        if {*wanted} - {"duration"}:
            signals = any(x.slopes["shared"].any() for x in self.directions)
            bars, by_inputs = self.rolled.back(seeds, signals)
            width = self.controls.shape[2]
            by_shared = by_inputs[:, :, width:] if signals else np.zeros((len(bars), *self.shared.shape))
            result = self.at_start(bars) | {"controls": by_inputs[:, :, :width]} | self.by_parameters(bars, by_shared)
        if "duration" in wanted:
            result["duration"] = self.by_duration()
        return {name: result[name] for name in wanted}

    def at_start(self, bars: np.ndarray) -> dict[str, np.ndarray]:
        """Slopes by q and v along the tangent, of starts; a drive sets its coordinate itself."""
        nq, nv = self.problem.model.nq, self.problem.model.nv
        by_q, by_v = pulled(self.step.equations, self.starts[0], bars[:, :nq]), bars[:, nq : nq + nv].copy()
        for _, k in self.step.held:
            by_q[:, k] = by_v[:, k] = 0.0
        return {"q": by_q, "v": by_v}

    def forwards(self, wanted: Sequence[str]) -> dict[str, np.ndarray]:
        """The same along each input, all of them side by side."""
        shapes = {"q": (self.problem.model.nv,), "v": (self.problem.model.nv,), "controls": self.controls.shape[1:]}
        shapes |= {name: np.shape(self.problem.parameters[name]) for name in self.parameters}
        inputs, count = [name for name in wanted if name != "duration"], len(self.starts[0])
        result = {name: np.zeros((count, *shapes[name])) for name in inputs}
        ways = [way for name in inputs for way in ways_of(self, name)]
        if ways:
            rates = self.rates_along(ways)
            for k, way in enumerate(ways):  # what a goal itself has of entries is in the seeds, and counts at each of them
                slope = sum((seed * rates[n][k]).sum(axis=1) for n, seed in self.found[1].items())
                result[way.name][(slice(None), *way.index)] = slope
        if "duration" in wanted:
            result["duration"] = self.by_duration()
        return {name: result[name] for name in wanted}

    def rates_along(self, ways: Sequence[Way]) -> dict[int, np.ndarray]:
        """(ways, N, numbers) rates of states, after as many steps as the goal looks; the states are found on the way."""
        states, rates = rates_along(self.rolled, ways, self.places)
        vars(self).setdefault("states", {n: states[n] for n in self.places})
        return {n: rates[n] for n in self.places}

    def pushed(self, d: np.ndarray) -> np.ndarray:
        """(N, nq) how configurations of starts change along departures (N, nv)."""
        return pushed(self.step.equations, self.starts[0], d)

    def switches(self) -> tuple[Switch, ...]:
        """What switched in the runs: controls that reach the limit of a motor."""
        found = []
        for column, k in enumerate(self.plan.given):
            most = float(self.problem.plan.effort[k])
            if k in self.plan.held or most >= UNLIMITED:
                continue
            name = columns_of_v(self.problem.model, "tau")[k].name
            beyond = np.any(abs(self.controls[:, :, column]) >= most, axis=0)
            for n in np.flatnonzero(np.diff(beyond, prepend=False)):
                at_limit = bool((abs(self.controls[:, n, column]) == most).any())
                words = "reaches" if beyond[n] else "leaves"
                found.append(Switch(float(self.times[n]), f"{name} {words} its limit of {most:g}", at_limit))
        names = columns_of_v(self.problem.model, "tau")
        for k, over in self.rolled.beyond.items():
            if over > BEYOND:
                joint = names[k].name.rpartition(".")[0]
                text = f"{joint} passes its limit by {over:.3g} rad or m, which method={self.method!r} has no stop for"
                found.append(Switch(float(self.times[-1]), text, True))
        return tuple(sorted(found, key=lambda switch: switch.t))


def pushed(equations: Equations, q: np.ndarray, d: np.ndarray) -> np.ndarray:
    """(N, nq) how configurations (N, nq) change along departures (N, nv)."""
    trace, model = Trace(), equations.problem.model
    x, u, du = (boxed(trace.input(n)) for n in (model.nq, model.nv, model.nv))
    result = places(trace, moved_by(equations, x, u))
    rates = tangent(trace, {k.place: dk for k, dk in zip(u, du, strict=True)}, result)
    return evaluate(trace, places(trace, rates), np.vstack([q.T, np.zeros((model.nv, len(q))), d.T]))


def pulled(equations: Equations, q: np.ndarray, bars: np.ndarray) -> np.ndarray:
    """(N, nv) slopes along departures, from slopes (N, nq) by the numbers of configurations."""
    trace, model = Trace(), equations.problem.model
    x, u, g = (boxed(trace.input(n)) for n in (model.nq, model.nv, model.nq))
    slopes = adjoint(trace, gathered(trace, moved_by(equations, x, u), g), [k.place for k in u])
    return evaluate(trace, places(trace, slopes), np.vstack([q.T, np.zeros((model.nv, len(q))), bars.T]))
