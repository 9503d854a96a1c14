"""The step of many runs as one formula, in a compiled loop over time (`scan`).

    carried   q, v, t, how far joints are beyond limits, integrals, numbers that runs have of their own, weights of signals
    x         controls of each run and step, signals of its own drives, wrenches of pushes
    shared    signals of drives that all runs have, and what they impose after each step

Every so many steps q, v and the integrals are kept.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from locomote.compiled.kernel import LIMIT
from locomote.compiled.library import kept, key_of
from locomote.compiled.program import Program
from locomote.compiled.pushed import Pushed
from locomote.compiled.scan import Scan, in_lanes, in_rows, scan_code
from locomote.compiled.timed import Timed
from locomote.compiled.vectors import Lanes
from locomote.compiled.who import Controls
from locomote.compiler.lanes import WIDTH
from locomote.compiler.scalars import select
from locomote.evaluation.plan import UNLIMITED
from locomote.locomotion.problem import Locomotion
from locomote.symbolic.entries import SIGNALS, Entries
from locomote.symbolic.plain import boxed, zeros
from locomote.symbolic.problem import STEPS, WEIGHTS, Equations, served
from locomote.symbolic.trace import Trace

OUTSIDE: dict[str, Any] = {name: np.zeros(0) for name in (*SIGNALS, "breaks")}  # arrays of drives, which steps do not read
LONGEST = 4096  # steps of one call, so that Ctrl-C is heard
ROOM = 2.0**26  # bytes of controls and kept states of one call
MOST = 32
LOADED: dict[str, Scan | None] = {}  # the last ones in this process: loading code takes some milliseconds


@dataclass(frozen=True)
class StepLoop:
    """Steps of a problem.

    entries : numbers that differ between runs ; own_drives : whether drives do ; spread : of each coordinate that follows
        time, if any of them has weights (`timed`)
    pushed : names of bodies that wrenches act on
    integrands : channels that are integrated: each has a `key`, and `of` of an instant (t, q, v, a, state)
    """

    problem: Locomotion
    controls: Controls
    step: float
    method: str
    entries: Entries | None = None
    own_drives: bool = False
    spread: tuple[int, ...] = ()
    pushed: tuple[str, ...] = ()
    integrands: tuple[Any, ...] = ()
    instant: Callable | None = None

    @cached_property
    def equations(self) -> Equations:
        """Those of the problem, without numbers of drives, which come from outside."""
        equations = Equations.of(self.problem)
        return Equations(equations.problem, equations.plan.changed(**OUTSIDE), equations.rows)

    @cached_property
    def timed(self) -> Timed:
        """Drives that all runs have."""
        return Timed(self.controls)

    @cached_property
    def stops(self) -> bool:
        """Whether joints have limits, which are watched."""
        return len(self.problem.plan.stops) > 0

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Numbers of what is carried, in its order."""
        model = self.problem.model
        own = 0 if self.entries is None else self.entries.values.shape[1]
        more = {"own": own, "weights": sum(map(abs, self.spread))}
        return {"q": model.nq, "v": model.nv, "t": 1, "past": int(self.stops), "totals": len(self.integrands)} | more

    @cached_property
    def seen(self) -> int:
        """How many numbers are kept."""
        return self.sizes["q"] + self.sizes["v"] + self.sizes["totals"]

    @cached_property
    def scan(self) -> Scan | None:
        """The compiled loop; None if a step takes more operations than make sense as one formula, or if numbers that differ
        between runs decide branches."""
        lanes, entries = Lanes(WIDTH), self.entries
        same = self.equations if entries is None else entries.without(self.equations)
        said = self.controls.given, self.controls.timed, self.step, self.own_drives, self.spread, self.pushed
        names = [channel.key for channel in self.integrands]
        key = key_of(lanes, "steps", same.digest, self.method, repr((*said, names)), "" if entries is None else entries.key)
        if key not in LOADED:
            try:
                code, _ = kept(key, lambda: scan_code(self.program(), lanes, limit=LIMIT))
            except TypeError:  # a number that differs has no value to decide by
                if entries is None:
                    raise
                return None
            while len(LOADED) >= MOST:
                LOADED.pop(next(iter(LOADED)))
            LOADED[key] = Scan(lanes, code) if code.binary else None
        return LOADED[key]

    def program(self) -> Program:
        """A step on numbers that record what is done with them."""
        trace, plan, sizes, size = Trace(), self.controls, self.sizes, self.timed.size
        entries = self.entries
        q, v, (t,), past, totals = (boxed(trace.input(sizes[name])) for name in ("q", "v", "t", "past", "totals"))
        own = trace.input(sizes["own"], () if entries is None else entries.nonzero)
        weights, given = boxed(trace.input(sizes["weights"])), boxed(trace.input(len(plan.given)))
        signals = boxed(trace.input(size)) if self.own_drives else boxed([])
        wrenches = boxed(trace.input(6 * len(self.pushed)))
        first, weighed = self.timed.alike(self.spread), self.timed.weighed(self.spread)
        shared = boxed([]) if self.own_drives else boxed(trace.input(len(first) + sum(map(len, weighed))))
        signals = signals if self.own_drives else summed(shared, size, first, weights, weighed)
        equations = self.equations if entries is None else entries.put(self.equations, own)
        if self.pushed:
            equations = Pushed.of(equations, self.pushed, wrenches.reshape(-1, 6))
        rates: list[list] = []

        def watch(*stage) -> None:
            assert self.instant is not None
            rates.append([channel.of(self.instant(self.problem, equations, *stage)) for channel in self.integrands])

        forces = acting(equations, plan, given, signals)
        after, speed = STEPS[self.method](equations, q, v, self.step, *forces, t, watch if self.integrands else None)
        after, speed, imposed = after.copy(), speed.copy(), signals[3 * len(plan.timed) :]
        for n, (place, k) in enumerate(self.timed.held):
            after[place], speed[k] = imposed[2 * n], imposed[2 * n + 1]
        for weight, stage in zip(WEIGHTS[self.method], rates, strict=False):
            totals = boxed([total + rate * (weight * self.step) for total, rate in zip(totals, stage, strict=True)])
        beyond = [self._beyond(equations, after, most) for most in past]
        carried = places(trace, [*after, *speed, t + self.step, *beyond, *totals, *own, *weights])
        inputs = len(carried), len(given) + size * self.own_drives + len(wrenches), len(shared)
        return Program(trace, inputs, (carried, places(trace, [*after, *speed, *totals])))

    def _beyond(self, equations: Equations, q, most):
        """How far a joint is beyond a limit, at most."""
        limits = equations.plan
        for k, (sign, end, _) in zip(limits.stops, limits.stop_laws, strict=True):
            over = sign * (end - q[limits.q_of_v[k]])
            most = select(over > most, over, most)
        return most

    def carry(self, q: np.ndarray, v: np.ndarray, *more: np.ndarray) -> np.ndarray:
        """What is carried at the start, (blocks, numbers, WIDTH); more : (runs, ...) own numbers and weights"""
        assert self.scan is not None
        rest = np.zeros((len(q), self.sizes["t"] + self.sizes["past"] + self.sizes["totals"]))
        return in_lanes(np.concatenate([q, v, rest, *more], axis=1), self.scan.lanes)

    def past(self, carry: np.ndarray, count: int) -> np.ndarray:
        """(count,) how far joints were beyond limits."""
        return in_rows(carry[:, self.sizes["q"] + self.sizes["v"] + 1], count)

    def chunks(self, steps: int, keep: int, runs: int) -> list[tuple[int, int]]:
        """Steps of each call: of whole groups of `keep`, or inside of one."""
        bytes_of_step = 8.0 * runs * (self.columns + self.seen / keep)
        most = int(min(LONGEST, max(16, ROOM // max(bytes_of_step, 1.0))))
        length = most // keep * keep if keep <= most else most
        ends = {*range(length, steps, length), steps} | ({*range(keep, steps, keep)} if keep > most else set())
        ordered = [0, *sorted(ends)]
        return list(zip(ordered, ordered[1:], strict=False))

    @property
    def columns(self) -> int:
        """Numbers of x."""
        return len(self.controls.given) + 6 * len(self.pushed) + (self.timed.size if self.own_drives else 0)

    def run(
        self, carry: np.ndarray, steps: tuple[int, int], keep: int, given: Sequence[np.ndarray], timed: Timed
    ) -> np.ndarray:
        """Steps from `steps[0]` to `steps[1]`; given : (runs, steps, columns) of controls and of wrenches, if there are.

        Returns (blocks, kept, numbers, WIDTH)."""
        assert self.scan is not None
        (first, last), lanes = steps, self.scan.lanes
        signals = timed.columns(first, last, self.step)
        parts = [*given[:1], *([signals] if self.own_drives else []), *given[1:]]
        x = in_lanes(parts[0] if len(parts) == 1 else np.concatenate(parts, axis=2), lanes) if parts else empty(carry, steps)
        shared = np.zeros((last - first, 0)) if self.own_drives else np.ascontiguousarray(signals[0])
        found = np.empty((len(carry), -(-(last - first) // keep), self.seen, lanes.width))
        self.scan.run(carry, x, shared, found, keep=keep)
        return found


def summed(shared, size: int, first: Sequence[int], weights, weighed: Sequence[Sequence[int]]) -> np.ndarray:
    """(size,) signals of a run: those of all runs, in the columns `first`, and behind them what each weight adds to its
    columns."""
    total, more = boxed([0.0] * size), iter(shared)
    for column in first:
        total[column] = next(more)
    for weight, columns in zip(weights, weighed, strict=True):
        for column in columns:
            total[column] = next(more) * weight + total[column]
    return total


def empty(carry: np.ndarray, steps: tuple[int, int]) -> np.ndarray:
    """x without columns."""
    return np.zeros((len(carry), steps[1] - steps[0], 0, carry.shape[-1]))


def places(trace: Trace, numbers) -> tuple[int, ...]:
    """Places of numbers in a trace."""
    return tuple(trace.place(x) for x in numbers)


def acting(equations: Equations, plan: Controls, given, timed, stages: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Accelerations and forces (stages, nv) at the start, middle and end of a step, or at its stages, from controls and
    signals; where there are servos, limits of motors are those of both (`symbolic.problem.with_servos`)."""
    nv, own = equations.problem.model.nv, set(served(equations.plan).tolist())
    accelerations, forces = zeros((stages, nv)), zeros((stages, nv))
    for when in range(stages):
        for slots, values in ((plan.given, given), (plan.timed, timed[when * len(plan.timed) :])):
            for k, value in zip(slots, values, strict=False):
                if k in plan.held:
                    accelerations[when, k] = value
                else:
                    most = UNLIMITED if k in own else float(equations.plan.effort[k])
                    limited = select(value > most, most, select(value < -most, -most, value)) if most < UNLIMITED else value
                    forces[when, k] = limited
    return accelerations, forces
