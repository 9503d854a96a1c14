"""The gradient along a run of `simulate`, through events, impacts and ticks: departures from the motion, from the start on.

    between events      the linear equations of `flow`, by collocation with ever more panels
    at an impact        its saltation matrix (3) of `locomotion.return_map`, with what parameters do to gap and impact
    at an event g       d_t = -(g_x d) / (g_x f + g_t) ,   d+ = R_x (d + f d_t) + R_t d_t - f+ d_t ,  R what `then` makes of v
    where a run stops   d + f d_t : an event that is terminal moves the end
    integrals           z+ = z + (c - c+) d_t ,  c and c+ what is integrated, before and after

It is the derivative of the motion, not of the steps: the run is taken with tolerances that leave no more than rounding, and
panels are doubled until slopes stay the same.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from locomote.actuation.controllers import clocked
from locomote.evaluation.computed_torque import computes_torques
from locomote.gradients.channels import Channel, channel_of
from locomote.gradients.check import moves, scale
from locomote.gradients.differences import LEAST, checked_by
from locomote.gradients.flow import Flow
from locomote.gradients.goals import Goal, Term
from locomote.gradients.readings import Readings, State
from locomote.gradients.slopes import Switch
from locomote.gradients.ticks import Departing, Ticks, ticks_of
from locomote.locomotion.carried import by_differences, with_slopes
from locomote.locomotion.problem import Locomotion
from locomote.locomotion.return_map import GRAZING, directions, holding, sizes_of, through_impact
from locomote.methods.events.when import When, as_when

PANELS, MOST = 4, 512
SAME = 1e-9  # of the largest slope, that twice the panels may change
RTOL, ATOL = 1e-12, 1e-14
JUMPS = ("impact", "rest")
CLOSE = 1e-10  # of the run, below which two times are one
OF_NUMBERS = ("energy.kinetic", "net.x", "net.y", "net.z")  # channels that parameters change where the state stays


@dataclass(frozen=True)
class Along:
    """A run from a start (q, v), a goal, and parameters."""

    problem: Locomotion
    goal: Goal
    start: tuple[np.ndarray, np.ndarray]
    duration: float
    method: str
    events: tuple[When, ...] = ()
    parameters: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, problem: Locomotion, goal: Goal, q, v, duration: float, method: str, events, start: str, parameters=()
    ) -> "Along":
        """From what a caller gives; a ValueError says what has no derivative here."""
        reason = (
            "it has no inertia" if not problem.inertia
            else "its torques are computed from accelerations" if computes_torques(problem.plan)
            else "its feed-forward has a state of its own, a copy of the robot" if len(problem.plan.fed) else ""
        )  # fmt: skip
        if reason:
            raise ValueError(f"a run of {problem.name!r} has no gradient by method={method!r}: {reason}")
        begun, _ = problem.started(q, v, 0.0, start=start)
        given = tuple(as_when(event) for event in events), tuple(parameters)
        return cls(problem, goal, begun, float(duration), method, *given)

    @cached_property
    def bare(self) -> Locomotion:
        """The problem without controllers that have a clock: what they give is known at each instant."""
        if not clocked(self.problem.controllers):
            return self.problem
        return self.problem.replaced(torques=[c for c in self.problem.controllers if c not in clocked([c])] or None)

    @cached_property
    def channels(self) -> dict[Term, Channel]:
        """Channels of the terms; what may jump has no value at an instant."""
        found = {term: channel_of(self.problem, term.what) for term in self.goal.terms}
        for term, channel in found.items():
            if channel.forces and term.kind != "integral":
                raise ValueError(
                    f"{channel.name!r} may jump at events: take a function of q and v, or lo.integral({channel.name!r})"
                )
        return found

    @property
    def integrals(self) -> list[Term]:
        """Terms that are integrated."""
        return [term for term in self.goal.terms if term.kind == "integral"]

    @property
    def integrands(self) -> tuple[Channel, ...]:
        """Their channels."""
        return tuple(self.channels[term] for term in self.integrals)

    def channel_in(self, problem: Locomotion, channel: Channel) -> Channel:
        """The same channel of a problem with other numbers."""
        if channel.mix is not None:
            parts = tuple(self.channel_in(problem, part) for part in channel.parts)
            return channel if parts == channel.parts else replace(channel, parts=parts)
        return channel if channel.name not in OF_NUMBERS else channel_of(problem, channel.name)

    @property
    def held(self) -> np.ndarray:
        """Coordinates that drives move."""
        return np.flatnonzero(self.problem.imposed)

    def simulate(self, times: Sequence[float] | np.ndarray | None = None):
        """The run, sampled at some times."""
        q, v = self.start
        return self.problem.simulate(
            self.duration, q=q, v=v, method=self.method, rtol=RTOL, atol=ATOL, events=self.events, progress=False,
            samples=[self.duration] if times is None else sorted({*map(float, times), self.duration}), start="project",
        )  # fmt: skip

    @cached_property
    def run(self) -> Any:
        """The run, sampled where the goal looks."""
        return self.simulate([term.time for term in self.goal.terms if term.time])

    @cached_property
    def end(self) -> float:
        """s"""
        return float(self.run.t[-1])

    @property
    def stopped(self) -> bool:
        """Whether an event ended it."""
        return self.run.info["status"] == "stopped"

    @cached_property
    def happened(self) -> list[Any]:
        """Events at which departures jump, and those that end the run."""
        found = []
        for event in self.run.events:
            if event.kind == "event" and not (event.data["velocity"] or self.events[event.data["number"]].terminal):
                when = self.events[event.data["number"]]
                if when.open or when.close:
                    self._refuse(event)
                continue
            if event.kind in ("correction", "rank", "open", "close"):
                self._refuse(event)
            if event.kind in JUMPS and not set(event.data["constraints"]) <= {x[0] for x in self.problem.constraint_labels}:
                self._refuse(event)
            if event.t > 0.0:
                found.append(event)
        return found

    def _refuse(self, event) -> None:
        raise ValueError(
            f"the gradient of {self.problem.name!r} does not go through what happens at t = {event.t:.6g} s: "
            f"{event.description}"
        )

    @cached_property
    def limits(self) -> list[float]:
        """Times at which something happens, a controller is called, a drive is not smooth or the goal looks, in order."""
        looks = [term.time for term in self.goal.terms if term.time]
        ticks = [t for c in clocked(self.problem.controllers) for t in ticks_of(c, self.end)]
        events = [event.t for event in self.happened]
        others = [*looks, *ticks, *map(float, self.problem.plan.breaks)]
        found = [0.0, self.end, *(t for t in events if t < self.end)]
        near = CLOSE * self.end
        for t in sorted(others):
            if near < t < self.end - near and min(abs(t - x) for x in found) > near:
                found.append(t)
        return sorted(set(found))

    @property
    def panels(self) -> int:
        """How many there are between limits at first: one between ticks."""
        return 1 if clocked(self.problem.controllers) else PANELS

    @cached_property
    def pairs(self) -> list[tuple[float, float]]:
        """Starts and ends of the intervals between limits."""
        return list(zip(self.limits[:-1], self.limits[1:], strict=True))

    @cached_property
    def known(self) -> Any:
        """The run, sampled twice between limits."""
        return self.simulate(np.concatenate([[0.0], *(a + (b - a) * np.array([0.3, 0.6]) for a, b in self.pairs)]))

    @cached_property
    def closed(self) -> list[list[str] | None]:
        """Contacts that hold between limits."""
        return [holding(self.known, self.problem, a, b) for a, b in self.pairs]

    @cached_property
    def hits(self) -> list[tuple[Any, list[str]]]:
        """Impacts after which the run goes on, and the contacts that hold before."""
        jumps = [event for event in self.happened if event.kind in JUMPS and event.t < self.end]
        return [(event, self.closed[self.limits.index(event.t) - 1] or []) for event in jumps]

    @cached_property
    def ticks(self) -> Ticks:
        """Calls of controllers."""
        return Ticks(self.problem, self.end, self.path)

    def path(self, times: np.ndarray) -> list[State]:
        """States at times between limits."""
        sampled = self.simulate(times)
        rows = np.clip(np.searchsorted(sampled.t, times - 1e-12 * self.end), 0, len(sampled.t) - 1)
        return [
            (float(sampled.t[k]), sampled.q[k], sampled.v[k]) if t > 0.0 else (0.0, *self.start)
            for t, k in zip(times, rows, strict=True)
        ]

    def departures(self, panels: int) -> tuple[dict[float, np.ndarray], np.ndarray, list]:
        """(2 nv, k) departures at limits after which the goal looks, by those at the start and by parameters, integrals (m, k)
        of channels, and the directions of parameters."""
        flow, sizes = Flow(self, panels), sizes_of(self.problem.model, self.known)
        by = flow.directions()
        d = flow.starts(self.basis, by)
        found, z, before = {0.0: d}, np.zeros((len(self.integrals), d.shape[1])), self.basis.shape[1]

        def all_of(name: str, count: int) -> np.ndarray:
            """(count, k) a table of the parameters, nothing along departures of the start."""
            own = [x.slopes[name].reshape(count, 1) for x in by if name in x.slopes]
            return np.hstack([np.zeros((count, d.shape[1] if not own else before)), *own])

        nv = self.problem.model.nv
        given = Departing(self.ticks, sizes, d.shape[1], lambda call: all_of(f"call {call.n} {call.j}", nv))
        given.tick(0.0, d)
        for k, (_, b) in enumerate(self.pairs):
            d, z = flow.over(k, d, z, given, by)
            found[b] = d
            after = self.closed[k + 1] if k + 1 < len(self.closed) else None
            last = k + 1 == len(self.pairs)
            for event in (event for event in self.happened if event.t == b):
                later, then = np.zeros(d.shape[1]), event.v
                if event.kind in JUMPS and not last:
                    n = next(n for n, (own, _) in enumerate(self.hits) if own is event)
                    more = all_of(f"gap {n}", 1)[0], all_of(f"hit {n}", nv), self.ticks.push(b)
                    d, later, then = through_impact(self.bare, event, self.closed[k] or [], after or [], d, sizes, *more)
                elif event.kind == "event":
                    d, later, then = self.through_event(event, self.closed[k], after, d, sizes)
                    found[b] = d if last else found[b]
                here = [(self.closed[k], event.v), *([] if last else [(after, then)])]
                rates = [self.integrated(event.t, event.q, v, closed) for closed, v in here]
                z = z + np.outer(rates[0] - (rates[1] if len(rates) > 1 else 0.0), later)
            if not last:
                given.tick(b, d)
        return found, z, by

    def integrated(self, t: float, q: np.ndarray, v: np.ndarray, closed) -> np.ndarray:
        """(m,) channels that are integrated, at an instant."""
        state, readings = (t, q, v), Readings(self.problem, self.integrands)
        forces = Flow.forces(self.problem, closed, [state], [self.ticks.push(t)]) if readings.needed else []
        return readings.values([state], forces)[0]

    def through_event(self, event, before, after, d: np.ndarray, sizes: np.ndarray):
        """Departures after an event of the user, at the end of the run if it is terminal; how much later each of them meets
        it; and v after it."""
        problem, when, (q, v, t) = self.bare, self.events[event.data["number"]], (event.q, event.v, event.t)
        by_time, *gradient = self.user_slopes(when.function, event, sizes)[0]
        f = np.concatenate([v, self.accelerations(t, q, v, before)])
        speed = gradient @ f + by_time
        if not abs(speed) > GRAZING * (abs(np.array(gradient)) @ abs(f) + abs(by_time)):
            raise ValueError(f"{event.description} at t = {t:.6g} s without crossing it: the run has no slope there")
        d_t = -(gradient @ d) / speed
        met = d + np.outer(f, d_t)
        if when.then is None:
            return (met, d_t, v) if when.terminal else (d, 0.0 * d_t, v)
        if before or after or not all(getattr(c, "unilateral", False) for c in problem.constraints):
            self._refuse(event)  # velocities would be brought onto constraints, too
        change = self.user_slopes(when.then, event, sizes)
        free, nv = problem.plan.free, problem.model.nv
        met = met.copy()
        met[nv + free] = (change[:, 1:] @ met + np.outer(change[:, 0], d_t))[free]
        if when.terminal:
            return met, d_t, v
        then = v.copy()
        then[free] = np.asarray(when.then(t, q.copy(), v.copy()), dtype=float)[free]
        f_after = np.concatenate([then, self.accelerations(t, q, then, after)])
        return met - np.outer(f_after, d_t), d_t, then

    def accelerations(self, t: float, q: np.ndarray, v: np.ndarray, closed) -> np.ndarray:
        """(nv,) with torques of controllers."""
        return Flow.forces(self.problem, closed, [(t, q, v)], [self.ticks.push(t)])[0][0]

    def user_slopes(self, function: Callable, event, sizes: np.ndarray) -> np.ndarray:
        """Slopes of what a function of the user gives at an event: exact where it takes numbers with slopes."""
        found = with_slopes(self.problem.model, function, event.t, event.q, event.v)
        found = by_differences(self.problem.model, function, event.t, event.q, event.v, sizes) if found is None else found
        if not np.isfinite(found).all():
            raise ValueError(f"{event.description} at t = {event.t:.6g} s, where its function has no finite slopes")
        return found

    @cached_property
    def basis(self) -> np.ndarray:
        """(2 nv, k) departures of the start that meet all constraints."""
        return directions(self.bare, self.closed[0], *self.start, 0.0)

    def seen(self, term: Term) -> State:
        """The state that a term is read from."""
        t = self.end if term.time is None else term.time
        if t > self.end or t < 0.0:
            raise ValueError(f"{t:g} s is not within the run of {self.problem.name!r}, which ends at {self.end:g} s")
        k = int(np.searchsorted(self.run.t, t - 1e-12 * self.end)) if term.time is not None else len(self.run.t) - 1
        return (0.0, *self.start) if t == 0.0 else (t, self.run.q[k], self.run.v[k])

    @cached_property
    def looks(self) -> list[tuple[Channel, State]]:
        """Channels that are read at instants, and the states there."""
        return [(self.channels[term], self.seen(term)) for term in self.goal.terms if term.kind != "integral"]

    def read(self, term: Term) -> tuple[float, np.ndarray, float]:
        """The value of a term, its slopes (2 nv,) along departures of the state, and by time."""
        if term.kind == "integral":
            return float(self.areas[self.integrals.index(term)]), np.zeros(2 * self.problem.model.nv), 0.0
        found = Readings(self.problem, (self.channels[term],)).read([self.seen(term)], [])
        return float(found.values[0, 0]), found.by_state[0, 0], float(found.by_time[0, 0])

    @cached_property
    def areas(self) -> np.ndarray:
        """(m,) integrals over the run."""
        if not self.integrals:
            return np.zeros(0)
        panels, before, now = self.panels, None, Flow(self, self.panels).integrals()
        while before is None or (abs(now - before) > SAME * abs(now)).any() and panels < MOST:
            panels, before = 2 * panels, now
            now = Flow(self, panels).integrals()
        return now

    @cached_property
    def value(self) -> float:
        """That of the goal."""
        return float(self.goal.at({term: np.asarray(self.read(term)[0]) for term in self.goal.terms})[0])

    def slopes(self, wanted: Sequence[str]) -> dict[str, np.ndarray]:
        """Slopes by "q", "v" (nv,), "duration" and parameters."""
        read, nv = {term: self.read(term) for term in self.goal.terms}, self.problem.model.nv
        _, rates = self.goal.at({term: np.asarray(x) for term, (x, *_) in read.items()})
        looks = [term for term in self.goal.terms if term.kind != "integral"]

        def by_inputs(panels: int) -> tuple[np.ndarray, list]:
            found, z, by = self.departures(panels)
            total, first = np.zeros(z.shape[1]), self.basis.shape[1]
            for term, rate in rates.items():
                if term.kind == "integral":
                    total += rate * z[self.integrals.index(term)]
                    continue
                when = self.end if term.time is None else nearest(found, term.time)
                total += rate * (read[term][1] @ found[when])
                total[first:] += rate * np.array([x.slopes["ends"][looks.index(term)] for x in by])
                if term.time is None and self.stopped and read[term][2] != 0.0:
                    raise ValueError(f"the goal reads the time at which an event ends the run of {self.problem.name!r}")
            return np.concatenate([self.basis @ total[:first], total[first:]]), by

        panels, before, (now, by) = self.panels, None, by_inputs(self.panels)
        while before is None or (abs(now - before).max(initial=0.0) > SAME * abs(now).max(initial=0.0) and panels < MOST):
            panels, before = 2 * panels, now
            now, by = by_inputs(panels)
        result = {"q": now[:nv], "v": now[nv : 2 * nv], "duration": np.zeros(())}
        for name in self.parameters:
            result[name] = np.zeros(np.shape(self.problem.parameters[name]))
        for x, slope in zip(by, now[2 * nv :], strict=True):
            result[x.name][x.index] = slope
        if "duration" in wanted and not self.stopped:
            result["duration"] = np.array(self.by_duration(read, rates))
        return {name: result[name] for name in wanted}

    def by_duration(self, read: dict, rates: dict) -> float:
        """The slope of the goal when the run goes on for a moment."""
        q, v, total = self.run.q[-1], self.run.v[-1], 0.0
        f = np.concatenate([v, self.accelerations(self.end, q, v, self.closed[-1])])
        for term, rate in rates.items():
            if term.kind == "integral":
                total += rate * self.integrated(self.end, q, v, self.closed[-1])[self.integrals.index(term)]
            elif term.time is None:
                total += rate * (read[term][1] @ f + read[term][2])
        return float(total)

    def check(self, slopes: dict[str, np.ndarray], seed: int = 0) -> float:
        """The relative error of slopes by q, v and parameters against differences of runs along a random direction."""
        model, rng = self.problem.model, np.random.default_rng(seed)
        way = self.basis @ rng.normal(size=self.basis.shape[1])
        parts = {"q": way[: model.nv], "v": way[model.nv :]}
        parts = {name: part if name in slopes else 0.0 * part for name, part in parts.items()}
        for name in self.parameters:
            parts[name] = scale(self, name) * rng.normal(size=np.shape(self.problem.parameters[name]))
            parts[name] = parts[name] if moves(self, name, parts[name]) else 0.0 * parts[name]
        moving = [np.asarray(slopes[name]) * part for name, part in parts.items() if name in slopes]
        exact, size = sum(float(x.sum()) for x in moving), np.sqrt(sum(float((x**2).sum()) for x in moving))

        def value(e: float) -> float:
            q, v = self.start
            other = {name: self.problem.parameters[name] + e * parts[name] for name in self.parameters}
            problem = self.problem.with_parameters(other) if other else self.problem
            return replace(self, problem=problem, start=(model.integrate(q, e * parts["q"]), v + e * parts["v"])).value

        return checked_by(value, exact, max(size, LEAST * max(1.0, abs(self.value))), self.problem.name)

    def switches(self) -> tuple[Switch, ...]:
        """What happened in the run. A contact that comes to rest ends bounces that would go on for ever: it is a corner."""
        return tuple(Switch(event.t, event.description, event.kind == "rest") for event in self.run.events)


def nearest(times: Iterable[float], t: float) -> float:
    """That of some times which is next to t."""
    return min(times, key=lambda x: abs(x - t))
