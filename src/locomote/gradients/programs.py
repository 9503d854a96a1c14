"""The step of a rollout as a program in a loop over time (`compiled.scan`): forwards, backwards, and along a direction.

x = (q, v, integrals) is the state, u controls, s what all runs share (signals, imposed motion, time), p parameters:

    forwards      x_n+1 = step(x_n, u_n, s_n, p)                                                                  (1)
    backwards     xbar_n = step_x^T xbar_n+1 + seed_n ,   ubar_n = step_u^T xbar_n+1 ,   pbar += step_p^T xbar_n+1        (2)
    a direction   dx_n+1 = step_x dx_n + step_u du_n + step_s ds_n + step_p dp                                             (3)

q are plain numbers here (seven of a free body); tangents are taken at the ends of a run only.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from locomote.compiled.library import kept, key_of
from locomote.compiled.program import Program
from locomote.compiled.rollout import Controls, acting
from locomote.compiled.scan import Scan, scan_code
from locomote.compiled.vectors import Lanes
from locomote.compiler.fingerprint import source_stamp
from locomote.compiler.lanes import WIDTH
from locomote.gradients.channels import Channel, Instant
from locomote.symbolic.adjoint import adjoint, tangent
from locomote.symbolic.plain import boxed
from locomote.symbolic.problem import STEPS, WEIGHTS, Equations
from locomote.symbolic.trace import Trace

MOST = 32
LOADED: dict[str, Scan | None] = {}  # the last ones in this process: loading code takes some milliseconds


@dataclass(frozen=True)
class Step:
    """A step: the equations, who follows what, its length and method, and the channels that are integrated."""

    equations: Equations
    controls: Controls
    length: float
    method: str
    integrands: tuple[Channel, ...] = ()

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
        """Columns of what a step takes; `shared` are three signals of each drive, what it imposes after the step, and time."""
        plan = self.controls
        state = {"q": self.model.nq, "v": self.model.nv, "integrals": len(self.integrands)}
        return state | {"controls": len(plan.given), "shared": 3 * len(plan.timed) + 2 * len(self.held) + 1}

    @property
    def size(self) -> int:
        """Numbers of a state."""
        return self.model.nq + self.model.nv + len(self.integrands)

    def of(self, x, u, s) -> list:
        """(1) on numbers of any kind."""
        nq, nv, plan = self.model.nq, self.model.nv, self.controls
        signals, held, t = s[: 3 * len(plan.timed)], s[3 * len(plan.timed) : -1], s[-1]
        rates = []

        def watch(*stage) -> None:
            instant = Instant(self.equations, *stage)
            rates.append([channel.of(instant) for channel in self.integrands])

        q, v = STEPS[self.method](
            self.equations, x[:nq], x[nq : nq + nv], self.length, *acting(self.equations, plan, u, signals), t,
            watch if self.integrands else None,
        )  # fmt: skip
        q, v, integrals = q.copy(), v.copy(), list(x[nq + nv :])
        for n, (place, k) in enumerate(self.held):
            q[place], v[k] = held[2 * n], held[2 * n + 1]
        for weight, stage in zip(WEIGHTS[self.method], rates, strict=False):
            integrals = [total + (self.length * weight) * rate for total, rate in zip(integrals, stage, strict=True)]
        return [*q, *v, *integrals]

    def forwards(self) -> Program:
        """(1), which also gives the state and the controls that a step starts from, as (2) takes them."""
        trace, sizes = Trace(), self.sizes
        x, u, s = (boxed(trace.input(n)) for n in (self.size, sizes["controls"], sizes["shared"]))
        after = self.of(x, u, s)
        start = places(trace, [*x[: self.model.nq + self.model.nv], *u])
        return Program(trace, (self.size, len(u), len(s)), (places(trace, after), start))

    def backwards(self, signals: bool) -> Program:
        """(2) without seeds. signals : whether slopes by what is shared are wanted"""
        trace, sizes, two = Trace(), self.sizes, self.model.nq + self.model.nv
        bars = boxed(trace.input(self.size))
        x, u, s = (boxed(trace.input(n)) for n in (two, sizes["controls"], sizes["shared"]))
        after = self.of(boxed([*x, *[0.0] * len(self.integrands)]), u, s)
        slopes = adjoint(trace, gathered(trace, after, bars), [k.place for k in (*x, *u, *(s if signals else ()))])
        results = places(trace, [*slopes[:two], *bars[two:]]), places(trace, slopes[two:])
        return Program(trace, (self.size, two + len(u), len(s)), results)

    def along(self) -> Program:
        """(3), of one direction: carried are a state and its rate, x are controls and theirs."""
        trace, sizes, n = Trace(), self.sizes, self.size
        x, dx = boxed(trace.input(n)), boxed(trace.input(n))
        u, du = boxed(trace.input(sizes["controls"])), boxed(trace.input(sizes["controls"]))
        s = boxed(trace.input(sizes["shared"]))
        after = places(trace, self.of(x, u, s))
        seeds = {a.place: da for a, da in zip((*x, *u), (*dx, *du), strict=True)}
        rates = places(trace, tangent(trace, seeds, after))
        return Program(trace, (2 * n, 2 * len(u), len(s)), ((*after, *rates), ()))

    def scan(self, kind: str, program: Callable[[], Program]) -> Scan | None:
        """The compiled loop over one of these; None if a step takes more operations than make sense as one formula."""
        lanes, back = Lanes(WIDTH), kind.startswith("back")
        plan, names = self.controls, tuple(channel.key for channel in self.integrands)
        parts = repr((plan.given, plan.timed, self.length, names))
        key = key_of(lanes, "scan", kind, self.equations.digest, self.method, parts, source_stamp("gradients"))
        if key not in LOADED:
            code, _ = kept(key, lambda: scan_code(program(), lanes, back=back))
            while len(LOADED) >= MOST:
                LOADED.pop(next(iter(LOADED)))
            LOADED[key] = Scan(lanes, code, back=back) if code.binary else None
        return LOADED[key]


def places(trace: Trace, numbers: Sequence) -> tuple[int, ...]:
    """Places of numbers in a trace."""
    return tuple(trace.place(x) for x in numbers)


def gathered(trace: Trace, numbers: Sequence, seeds: Sequence) -> dict:
    """Seeds by place; a number that stands in several results has the sum."""
    found = {}
    for place, seed in zip(places(trace, numbers), seeds, strict=True):
        found[place] = found[place] + seed if place in found else seed
    return found
