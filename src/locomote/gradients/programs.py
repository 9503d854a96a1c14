"""The step of a rollout as a program in a loop over time (`compiled.scan`): forwards, backwards, and along a direction.

x = (q, v, integrals) is the state, u controls, s what all runs share (signals, imposed motion, time), p parameters:

    forwards      x_n+1 = step(x_n, u_n, s_n, p)                                                                  (1)
    backwards     xbar_n = step_x^T xbar_n+1 + seed_n ,   ubar_n = step_u^T xbar_n+1 ,   pbar += step_p^T xbar_n+1        (2)
    a direction   dx_n+1 = step_x dx_n + step_u du_n + step_s ds_n + step_p dp                                             (3)

q are plain numbers here (seven of a free body); tangents are taken at the ends of a run only.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from locomote.compiled.beginning import Controls
from locomote.compiled.library import kept, key_of
from locomote.compiled.program import Program
from locomote.compiled.rollout import acting
from locomote.compiled.scan import LIMIT, Scan, scan_code
from locomote.compiled.vectors import Lanes
from locomote.compiler.fingerprint import source_stamp
from locomote.compiler.lanes import WIDTH
from locomote.evaluation.plan import Plan
from locomote.gradients.channels import Channel, Instant
from locomote.gradients.parameters import Entries
from locomote.methods.explicit import NODES
from locomote.methods.explicit import WEIGHTS as TABLE_WEIGHTS
from locomote.methods.registry import METHODS
from locomote.symbolic.adjoint import adjoint, tangents
from locomote.symbolic.entries import SIGNALS
from locomote.symbolic.plain import boxed
from locomote.symbolic.problem import STEPS, WEIGHTS, Equations, explicit_step
from locomote.symbolic.trace import Known, Trace

OUTSIDE = (*SIGNALS, "breaks")  # arrays of drives, whose signals are inputs of steps
MOST = 32
LOADED: dict[str, Scan | None] = {}  # the last ones in this process: loading code takes some milliseconds


@dataclass(frozen=True)
class Step:
    """A step: the equations, who follows what, its length and method, and the channels that are integrated."""

    equations: Equations
    controls: Controls
    length: float | None  # s; None if each step has its own
    method: str
    integrands: tuple[Channel, ...] = ()
    entries: Entries = Entries()  # numbers of the plan that are inputs

    @property
    def model(self):
        """That of the problem."""
        return self.equations.problem.model

    @cached_property
    def held(self) -> list[tuple[int, int]]:
        """(place in q, in v) of coordinates that a drive moves."""
        plan = self.controls
        return [(place, k) for k, place in zip(plan.timed, plan.places, strict=True) if k in plan.held]

    @property
    def sizes(self) -> dict[str, int]:
        """Columns of what a step takes; `shared` are signals of drives at its stages, what they impose after it and, if steps
        have their own lengths, at its stages, the length, and time."""
        plan, stages = self.controls, len(self.nodes)
        imposed = 2 * len(self.held) * (1 if self.length else 1 + stages)
        shared = stages * len(plan.timed) + imposed + (1 if self.length else 2)
        return {"controls": len(plan.given), "shared": shared}

    @property
    def tableau(self) -> np.ndarray:
        """That of an explicit method."""
        return tableau_of(self.method)

    @cached_property
    def nodes(self) -> np.ndarray:
        """Where signals are asked for, in parts of a step."""
        return nodes_of(self.method, bool(self.length))

    @property
    def size(self) -> int:
        """Numbers of a state."""
        return self.model.nq + self.model.nv + len(self.integrands)

    def with_numbers(self, numbers) -> Equations:
        """The equations with numbers of any kind in the place of entries."""
        if not self.entries.places:
            return self.equations
        plan, values = self.equations.plan, self.entries.of(self.equations.plan)
        known = [Known(x.trace, x.place, value) for x, value in zip(numbers, values, strict=True)]
        traced = object.__new__(Plan)  # without the table of addresses, which only compiled code reads
        traced.__dict__.update(plan.__dict__, **self.entries.put(plan, known))
        return Equations(self.equations.problem, traced, self.equations.rows)

    def of(self, x, u, s, numbers=()) -> list:
        """(1) on numbers of any kind; numbers : of the entries"""
        equations = self.with_numbers(numbers)
        nq, nv, plan, stages = self.model.nq, self.model.nv, self.controls, len(self.nodes)
        first, own = stages * len(plan.timed), 2 * len(self.held)
        signals, held, t, rates = s[:first], s[first:], s[-1], []
        h = self.length or s[-2]
        weights = WEIGHTS[self.method] if self.length else self.tableau[stages + TABLE_WEIGHTS]

        def watch(*stage) -> None:
            instant = Instant(self.equations.problem, equations, *stage)
            rates.append([channel.of(instant) for channel in self.integrands])

        seen, given = watch if self.integrands else None, acting(equations, plan, u, signals, stages)
        if self.length:
            q, v = STEPS[self.method](equations, x[:nq], x[nq : nq + nv], h, *given, t, seen)
        else:
            imposed = [self.imposed(held[own * (1 + i) :]) for i in range(stages)]
            q, v = explicit_step(equations, x[:nq], x[nq : nq + nv], h, self.tableau, *given, imposed, t, seen)
        q, v, integrals = q.copy(), v.copy(), list(x[nq + nv :])
        for place, k, position, velocity in self.imposed(held):
            q[place], v[k] = position, velocity
        for weight, stage in zip(weights, rates, strict=False):
            integrals = [total + (rate * float(weight)) * h for total, rate in zip(integrals, stage, strict=True)]
        return [*q, *v, *integrals]

    def imposed(self, numbers) -> list[tuple]:
        """(place in q, in v, position, velocity) of what drives hold."""
        return [(place, k, numbers[2 * n], numbers[2 * n + 1]) for n, (place, k) in enumerate(self.held)]

    def forwards(self) -> Program:
        """(1), which also gives the state and the controls that a step starts from, as (2) takes them."""
        trace, sizes, count = Trace(), self.sizes, len(self.entries.places)
        x, e, u, s = (boxed(trace.input(n)) for n in (self.size, count, sizes["controls"], sizes["shared"]))
        after = self.of(x, u, s, e)
        start = places(trace, [*x[: self.model.nq + self.model.nv], *u])
        return Program(trace, (self.size + count, len(u), len(s)), (places(trace, [*after, *e]), start))

    def backwards(self, signals: bool) -> Program:
        """(2) without seeds; carried are slopes by the state and by entries, and entries. signals : whether slopes by what is
        shared are wanted"""
        trace, sizes, two, count = Trace(), self.sizes, self.model.nq + self.model.nv, len(self.entries.places)
        bars, sums, e = (boxed(trace.input(n)) for n in (self.size, count, count))
        x, u, s = (boxed(trace.input(n)) for n in (two, sizes["controls"], sizes["shared"]))
        after = self.of(boxed([*x, *[0.0] * len(self.integrands)]), u, s, e)
        wanted = [k.place for k in (*x, *e, *u, *(s if signals else ()))]
        slopes = adjoint(trace, gathered(trace, after, bars), wanted)
        total = [a + b for a, b in zip(sums, slopes[two : two + count], strict=True)]
        carried = places(trace, [*slopes[:two], *bars[two:], *total, *e])
        results = carried, places(trace, slopes[two + count :])
        return Program(trace, (len(carried), two + len(u), len(s)), results)

    def along(self, count: int, controls: bool, signals: bool) -> Program:
        """(3), of some directions: carried are a state with entries, and its rates with theirs; x are controls, with their
        rates and those of what is shared, if these move. It also gives q at the start of a step, if joints have limits."""
        trace, sizes, n = Trace(), self.sizes, self.size + len(self.entries.places)
        x, *dx = (boxed(trace.input(n)) for _ in range(1 + count))
        u, *du = (boxed(trace.input(sizes["controls"])) for _ in range(1 + (count if controls else 0)))
        *ds, s = (boxed(trace.input(sizes["shared"])) for _ in range((count if signals else 0) + 1))
        after, seeds = places(trace, [*self.of(x[: self.size], u, s, x[self.size :]), *x[self.size :]]), []
        for k in range(count):
            moving = [(x, dx[k]), *([(u, du[k])] if controls else []), *([(s, ds[k])] if signals else [])]
            seeds.append({a.place: da for own, rates in moving for a, da in zip(own, rates, strict=True)})
        beside, carried, rates = tangents(trace, seeds, after)
        carried += [beside.place(rate) for way in rates for rate in way]
        start = tuple(range(self.model.nq)) if len(self.equations.plan.stops) else ()  # the first inputs
        inputs = (1 + count) * n, len(u) * (1 + len(du)) + len(s) * len(ds), len(s)
        return Program(beside, inputs, (tuple(carried), start))

    @cached_property
    def digest(self) -> str:
        """A name for the equations without what steps do not read; of entries only the signs count, by which kernels decide."""
        other: dict[str, Any] = self.entries.masked(self.equations.plan) | {name: np.zeros(0) for name in OUTSIDE}
        masked = self.equations.plan.changed(**other)
        signs = np.sign(self.entries.of(self.equations.plan)).astype(int).tolist()
        return repr((Equations(self.equations.problem, masked, self.equations.rows).digest, self.entries.places, signs))

    def scan(self, kind: str, program: Callable[[], Program], limit: int = LIMIT) -> Scan | None:
        """The compiled loop over one of these; None if a step takes more operations than make sense as one formula."""
        lanes, back = Lanes(WIDTH), kind.startswith("back")
        plan, names = self.controls, tuple(channel.key for channel in self.integrands)
        parts = repr((plan.given, plan.timed, self.length, names))
        key = key_of(lanes, "scan", kind, self.digest, self.method, parts, source_stamp("gradients"))
        if key not in LOADED:
            code, _ = kept(key, lambda: scan_code(program(), lanes, back=back, limit=limit))
            while len(LOADED) >= MOST:
                LOADED.pop(next(iter(LOADED)))
            LOADED[key] = Scan(lanes, code, back=back) if code.binary else None
        return LOADED[key]


def tableau_of(method: str) -> np.ndarray:
    """The table of an explicit method."""
    return np.asarray(METHODS[method].tableau)


def nodes_of(method: str, fixed: bool) -> np.ndarray:
    """Where a step asks for signals, in parts of its length: start, middle and end of fixed ones, else the stages."""
    if fixed:
        return np.array([0.0, 0.5, 1.0])
    table = tableau_of(method)
    return table[table.shape[1] + NODES]


def places(trace: Trace, numbers: Iterable) -> tuple[int, ...]:
    """Places of numbers in a trace."""
    return tuple(trace.place(x) for x in numbers)


def gathered(trace: Trace, numbers: Iterable, seeds: Iterable) -> dict:
    """Seeds by place; a number that stands in several results has the sum."""
    found = {}
    for place, seed in zip(places(trace, numbers), seeds, strict=True):
        found[place] = found[place] + seed if place in found else seed
    return found
