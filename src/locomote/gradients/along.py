"""The gradient along a run of `simulate`, through events and impacts: departures from the motion, forwards from the start.

    between events      the linear equations (1) of `locomotion.return_map`, by collocation with ever more panels
    at an impact        its saltation matrix (3) there
    at an event g       d_t = -(g_x d) / (g_x f + g_t) ,   d+ = R_x (d + f d_t) + R_t d_t - f+ d_t ,  R what `then` makes of v
    where a run stops   d + f d_t : an event that is terminal moves the end

It is the derivative of the motion, not of the steps: the run is taken with tolerances that leave no more than rounding, and
panels are doubled until slopes stay the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from locomote.evaluation.computed_torque import computes_torques
from locomote.gradients.channels import Channel, Instant, channel_of
from locomote.gradients.differences import LEAST, checked_by
from locomote.gradients.goals import Goal, Term
from locomote.gradients.slopes import Switch
from locomote.locomotion.carried import by_differences, tangents, with_slopes
from locomote.locomotion.problem import Locomotion
from locomote.locomotion.return_map import GRAZING, NODES, carried, directions, holding, sizes_of, through_impact
from locomote.methods.events.when import When, as_when
from locomote.symbolic.adjoint import adjoint
from locomote.symbolic.plain import boxed
from locomote.symbolic.trace import Trace, evaluate

PANELS, MOST = 4, 512
SAME = 1e-9  # of the largest slope, that twice the panels may change
RTOL, ATOL = 1e-12, 1e-14
JUMPS = ("impact", "rest")


@dataclass(frozen=True)
class Along:
    """A run from a start (q, v), and a goal."""

    problem: Locomotion
    goal: Goal
    start: tuple[np.ndarray, np.ndarray]
    duration: float
    method: str
    events: tuple[When, ...] = ()

    @classmethod
    def of(cls, problem: Locomotion, goal: Goal, q, v, duration: float, method: str, events, start: str) -> "Along":
        """From what a caller gives; a ValueError says what has no derivative here."""
        reason = (
            "it has no inertia" if not problem.inertia
            else "its controllers have a clock, which is not differentiated" if problem.controllers
            else "its torques are computed from accelerations" if computes_torques(problem.plan) else ""
        )  # fmt: skip
        if reason:
            raise ValueError(f"a run of {problem.name!r} has no gradient by method={method!r}: {reason}")
        begun, _ = problem.started(q, v, 0.0, start=start)
        return cls(problem, goal, begun, float(duration), method, tuple(as_when(event) for event in events))

    @cached_property
    def channels(self) -> dict[Term, Channel]:
        """Channels of the terms, which are read at instants."""
        for term in self.goal.terms:
            if term.kind == "integral":
                raise ValueError(
                    f"integrals are differentiated by method='rk4', 'euler', 'adaptive' and 'bs23' of smooth motions; "
                    f"{self.problem.name!r} by method={self.method!r} has goals at instants: lo.at_end, lo.at_time"
                )
        found = {term: channel_of(self.problem, term.what) for term in self.goal.terms}
        for channel in found.values():
            if channel.forces:
                raise ValueError(f"{channel.name!r} may jump at events: take a function of q and v")
        return found

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
        """Times at which something happens or the goal looks, from the start to the end."""
        looks = [term.time for term in self.goal.terms if term.time and term.time < self.end]
        return sorted({0.0, self.end, *looks, *(event.t for event in self.happened if event.t < self.end)})

    @cached_property
    def closed(self) -> list[list[str] | None]:
        """Contacts that hold between limits."""
        pairs = list(zip(self.limits[:-1], self.limits[1:], strict=True))
        known = self.simulate(np.concatenate([a + (b - a) * np.array([0.3, 0.6]) for a, b in pairs]))
        return [holding(known, self.problem, a, b) for a, b in pairs]

    def path(self, times: np.ndarray) -> list[tuple[float, np.ndarray, np.ndarray]]:
        """States at times between limits."""
        sampled = self.simulate(times)
        rows = np.clip(np.searchsorted(sampled.t, times - 1e-12 * self.end), 0, len(sampled.t) - 1)
        return [(float(sampled.t[k]), sampled.q[k], sampled.v[k]) for k in rows]

    def departures(self, panels: int) -> dict[float, np.ndarray]:
        """(2 nv, k) departures at limits after which the goal looks, by those at the start."""
        sizes, pairs = sizes_of(self.problem.model, self.run), list(zip(self.limits[:-1], self.limits[1:], strict=True))
        parts = [(a + (b - a) / panels * (np.arange(panels)[:, None] + NODES)).ravel() for a, b in pairs]
        states = self.path(np.concatenate(parts))  # of all nodes, in one run
        d, found, count = self.basis, {0.0: self.basis}, 3 * panels
        for k, (a, b) in enumerate(pairs):
            own = states[k * count : (k + 1) * count]
            d = carried(self.problem, self.closed[k], lambda _, own=own: own, a, b, panels) @ d
            found[b] = d
            after = self.closed[k + 1] if k + 1 < len(self.closed) else None
            for event in (event for event in self.happened if event.t == b):
                if event.kind in JUMPS and after is not None:
                    d = through_impact(self.problem, event, self.closed[k] or [], after or [], d, sizes)
                elif event.kind == "event":
                    d = self.through_event(event, self.closed[k], after, d, sizes)
                    found[b] = d if after is None else found[b]
        return found

    def through_event(self, event, before, after, d: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Departures after an event of the user; at the end of the run if it is terminal."""
        problem, when, (q, v, t) = self.problem, self.events[event.data["number"]], (event.q, event.v, event.t)
        by_time, *gradient = self.user_slopes(when.function, event, sizes)[0]
        f = np.concatenate([v, problem.derivatives(t, q, v, closed=before).value[0]])
        speed = gradient @ f + by_time
        if not abs(speed) > GRAZING * (abs(np.array(gradient)) @ abs(f) + abs(by_time)):
            raise ValueError(f"{event.description} at t = {t:.6g} s without crossing it: the run has no slope there")
        d_t = -(gradient @ d) / speed
        met = d + np.outer(f, d_t)
        if when.then is None:
            return met if when.terminal else met - np.outer(f, d_t)
        if before or after or not all(getattr(c, "unilateral", False) for c in problem.constraints):
            self._refuse(event)  # velocities would be brought onto constraints, too
        change = self.user_slopes(when.then, event, sizes)
        free, nv = problem.plan.free, problem.model.nv
        met = met.copy()
        met[nv + free] = (change[:, 1:] @ met + np.outer(change[:, 0], d_t))[free]
        if when.terminal:
            return met
        then = v.copy()
        then[free] = np.asarray(when.then(t, q.copy(), v.copy()), dtype=float)[free]
        f_after = np.concatenate([then, problem.derivatives(t, q, then, closed=after).value[0]])
        return met - np.outer(f_after, d_t)

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
        return directions(self.problem, self.closed[0], *self.start, 0.0)

    def read(self, term: Term) -> tuple[float, np.ndarray, float]:
        """The value of a term, its slopes (2 nv,) along departures of the state, and by time."""
        model, t = self.problem.model, self.end if term.time is None else term.time
        if t > self.end or t < 0.0:
            raise ValueError(f"{t:g} s is not within the run of {self.problem.name!r}, which ends at {self.end:g} s")
        k = int(np.searchsorted(self.run.t, t - 1e-12 * self.end)) if term.time is not None else len(self.run.t) - 1
        q, v = self.start if t == 0.0 else (self.run.q[k], self.run.v[k])
        trace = Trace()
        (time,), x, u = trace.input(1), boxed(trace.input(model.nq)), boxed(trace.input(model.nv))
        value = self.channels[term].of(Instant(self.problem, None, time, x, u))
        rates = adjoint(trace, {trace.place(value): 1.0}, [n.place for n in (time, *x, *u)])
        found = evaluate(trace, [trace.place(n) for n in (value, *rates)], np.concatenate([[t], q, v]))
        along = np.concatenate([tangents(model, q).T @ found[2 : 2 + model.nq], found[2 + model.nq :]])
        return float(found[0]), along, float(found[1])

    @cached_property
    def value(self) -> float:
        """That of the goal."""
        return float(self.goal.at({term: np.asarray(self.read(term)[0]) for term in self.goal.terms})[0])

    def slopes(self, wanted: Sequence[str]) -> dict[str, np.ndarray]:
        """Slopes by "q", "v" (nv,) and "duration"."""
        read, nv = {term: self.read(term) for term in self.goal.terms}, self.problem.model.nv
        _, rates = self.goal.at({term: np.asarray(x) for term, (x, *_) in read.items()})
        stopped = self.run.info["status"] == "stopped"

        def by_start(panels: int) -> np.ndarray:
            found, total = self.departures(panels), np.zeros(self.basis.shape[1])
            for term, rate in rates.items():
                d = found[self.end if term.time is None else term.time]
                total += rate * (read[term][1] @ d)
                if term.time is None and stopped and read[term][2] != 0.0:
                    raise ValueError(f"the goal reads the time at which an event ends the run of {self.problem.name!r}")
            return self.basis @ total

        panels, before, now = PANELS, None, by_start(PANELS)
        while before is None or (abs(now - before).max(initial=0.0) > SAME * abs(now).max(initial=0.0) and panels < MOST):
            panels, before = 2 * panels, now
            now = by_start(panels)
        result = {"q": now[:nv], "v": now[nv:], "duration": np.zeros(())}
        if not stopped:
            q, v = self.run.q[-1], self.run.v[-1]
            f = np.concatenate([v, self.problem.derivatives(self.end, q, v, closed=self.closed[-1]).value[0]])
            ends = [(rate, read[term]) for term, rate in rates.items() if term.time is None]
            result["duration"] = np.array(sum(rate * (along @ f + by_time) for rate, (_, along, by_time) in ends))
        return {name: result[name] for name in wanted}

    def check(self, slopes: dict[str, np.ndarray], seed: int = 0) -> float:
        """The relative error of slopes by q and v against differences of runs along a random direction."""
        model, rng = self.problem.model, np.random.default_rng(seed)
        way = self.basis @ rng.normal(size=self.basis.shape[1])
        parts = {"q": way[: model.nv], "v": way[model.nv :]}
        parts = {name: part if name in slopes else 0.0 * part for name, part in parts.items()}
        exact = sum(float(slopes[name] @ parts[name]) for name in parts if name in slopes)
        size = np.sqrt(sum(float(((slopes[name] * parts[name]) ** 2).sum()) for name in parts if name in slopes))

        def value(e: float) -> float:
            q, v = self.start
            return replace(self, start=(model.integrate(q, e * parts["q"]), v + e * parts["v"])).value

        return checked_by(value, exact, max(size, LEAST * max(1.0, abs(self.value))), self.problem.name)

    def switches(self) -> tuple[Switch, ...]:
        """What happened in the run. A contact that comes to rest ends bounces that would go on for ever: it is a corner."""
        return tuple(Switch(event.t, event.description, event.kind == "rest") for event in self.run.events)
