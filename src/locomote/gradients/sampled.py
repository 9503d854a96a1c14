"""Channels of rollouts at the start of every step, and their slopes along many directions, in one pass forwards.

    y_n = h(x_n, u_n, s_n, p) ,   dy_n = h_x dx_n + h_u du_n + h_s ds_n + h_p dp ,  x_n, dx_n by (1), (3) of `programs`    (1)

Every direction is a run of its own on a lane, beside the state that it departs from: the Jacobian of all samples of all
channels costs as many passes of eight lanes as there are eights of directions, however many samples there are.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from locomote.compiled.program import Program
from locomote.compiled.rollout import acting
from locomote.compiled.scan import Scan, in_lanes, in_rows
from locomote.errors import LocomoteError
from locomote.gradients.channels import Channel, Instant, channel_of
from locomote.gradients.fixed import Case
from locomote.gradients.goals import Expression
from locomote.gradients.parameters import SAME, Direction, Tables, slopes
from locomote.gradients.programs import Step, places
from locomote.gradients.rollouts import LONGEST, TooLong
from locomote.locomotion.problem import Locomotion
from locomote.symbolic.adjoint import tangent
from locomote.symbolic.plain import boxed
from locomote.symbolic.problem import Equations, moved_by
from locomote.symbolic.trace import Trace, evaluate

NOTHING = Expression((), lambda: (0.0,), "nothing")
WIDE = 0.02  # of a number, by which it is moved where tables are quadratic in it
FOLLOWED = (1e-9, 1e-13)  # of the largest change of a table, and of its largest number, by which known slopes may miss it


Number = tuple[tuple[str, tuple[int, ...]], ...]  # of parameters: names and indices, several if these are tied


@dataclass(frozen=True)
class Departure:
    """How the numbers of starts, q (N, nq) and v (N, nv), depart along a direction."""

    q: np.ndarray
    v: np.ndarray


@dataclass(frozen=True)
class Sampled:
    """Rollouts whose channels are read at the start of every step, and numbers of parameters to differentiate by."""

    case: Case
    channels: tuple[Channel, ...]
    numbers: tuple[Number, ...]
    quadratic: tuple[bool, ...] = ()  # whether tables are quadratic in a number, at most: most are, and then have a short way

    @classmethod
    def of(
        cls, problem: Locomotion, names: Sequence[str], numbers: Sequence[Number], *, controls=None, joints=None, q=None,
        v=None, steps: int, step: float, method: str = "rk4", start: str = "check", threads: int = 1,
    ) -> "Sampled":  # fmt: skip
        """From what a caller gives, as of `lo.rollout`; names : of channels ; steps : how many, and as many samples"""
        channels = tuple(channel_of(problem, name) for name in names)
        duration = None if controls is not None else steps * step
        given = (controls, joints, q, v, duration, step, method, start, threads, np.inf, (None, None), ())
        case = Case.of(problem, NOTHING, *given)
        own = known(case, numbers, [False] * len(numbers))
        short = known(case, numbers, [True] * len(numbers))
        same = tuple(agree(a.slopes, b.slopes) for a, b in zip(own, short, strict=True))
        return cls(replace(case, known=own), channels, tuple(numbers), same)

    @property
    def directions(self) -> list[Direction]:
        """How tables follow from the numbers, in order."""
        return self.case.directions

    @cached_property
    def step(self) -> Step:
        """The step of the rollouts."""
        return self.case.step

    @cached_property
    def scan(self) -> Scan:
        """The compiled loop over (1)."""
        names = tuple(channel.key for channel in self.channels)
        scan = self.step.scan(f"sampled {names}", lambda: sampled_program(self.step, self.channels))
        if scan is None:
            raise TooLong(
                f"a step of {self.case.problem.name!r} takes more operations than make sense as one formula, of which slopes "
                f"of all samples are taken"
            )
        return scan

    def moved(self, problem: Locomotion, starts: tuple[np.ndarray, np.ndarray]) -> "Sampled":
        """The same with other numbers of the parameters and other starts. How tables follow from parameters is kept where
        known slopes foretell the new ones to rounding, as they do wherever they are linear."""
        old = self.case
        signals = {**problem.imposed_motions, **problem.given_torques}
        plan = replace(old.plan, drives=tuple(signals[k] for k in old.plan.timed))
        starts = starts[0].copy(), starts[1].copy()
        plan.impose(0.0, *starts)
        case = replace(old, problem=problem, plan=plan, starts=starts)
        case = case if self.foretold(problem) else replace(case, known=known(case, self.numbers, self.quadratic))
        return Sampled(case, self.channels, self.numbers, self.quadratic)

    def foretold(self, problem: Locomotion) -> bool:
        """Whether tables of a problem with other numbers are those that known slopes foretell."""
        before, after = self.case.tables(self.case.problem), self.case.tables(problem)
        foretold = {name: array.astype(float) for name, array in before.items()}
        for x in self.directions:
            change = np.asarray(problem.parameters[x.name])[x.index] - np.asarray(self.case.problem.parameters[x.name])[x.index]
            for name, slope in x.slopes.items():
                foretold[name] = foretold[name] + slope * change
        for name, array in after.items():
            change, size = (abs(x).max(initial=0.0) for x in (array - before[name], array))
            if abs(foretold[name] - array).max(initial=0.0) > FOLLOWED[0] * change + FOLLOWED[1] * size:
                return False
        return True

    def run(self, departures: Sequence[Departure] = ()) -> tuple[np.ndarray, np.ndarray]:
        """Values (N, steps, channels), and slopes (N, steps, channels, directions): by parameters, then along departures of the
        starts. The first step starts at time 0."""
        case, step, count = self.case, self.step, len(self.case.starts[0])
        nq, own = case.problem.model.nq, self.directions
        ways = max(1, len(own) + len(departures))
        rates, entries = np.zeros((count, ways, step.size)), np.zeros((count, ways, len(step.entries.places)))
        shared = np.zeros((ways, *case.shared.shape))
        for k, x in enumerate(own):
            entries[:, k], shared[k] = case.entry_slopes(x), x.slopes["shared"]
            for n, (place, slot) in enumerate(step.held):
                rates[:, k, [place, nq + slot]] = x.slopes["begins"][2 * n : 2 * n + 2]
        for k, x in enumerate(departures, len(own)):
            rates[:, k] = np.hstack([x.q, x.v])
            for place, slot in step.held:
                rates[:, k, [place, nq + slot]] = 0.0
        lanes, C = self.scan.lanes, len(self.channels)
        states = np.hstack([*case.starts, np.broadcast_to(step.entries.of(case.problem.plan), (count, entries.shape[2]))])
        first = np.concatenate([np.broadcast_to(states[:, None], (count, ways, states.shape[1])), rates, entries], axis=2)
        carry = in_lanes(first.reshape(count * ways, -1), lanes)
        y = np.empty((len(carry), case.steps, 2 * C, lanes.width))
        for begin in range(0, case.steps, LONGEST):
            part = slice(begin, min(begin + LONGEST, case.steps))
            u = case.controls[:, None, part].repeat(ways, 1)
            ds = np.broadcast_to(shared[None, :, part], (count, ways, *case.shared[part].shape))
            x = np.concatenate([u, np.zeros_like(u), ds], axis=3).reshape(count * ways, *u.shape[2:3], -1)
            self.scan.run(carry, in_lanes(x, lanes), case.shared[part], y[:, part], case.threads)
        rows = in_rows(y, count * ways).reshape(count, ways, case.steps, 2 * C)
        return rows[:, 0, :, :C], np.moveaxis(rows[..., C:], 1, -1)[..., : len(own) + len(departures)]


def known(case: Case, numbers: Sequence[Number], quadratic: Sequence[bool]) -> tuple[Direction, ...]:
    """How tables follow from numbers of parameters; numbers that are tied move together."""
    found = []
    for number, simple in zip(numbers, quadratic, strict=True):
        own = []
        for name, index in number:
            value = np.array(case.problem.parameters[name], dtype=float)
            short = of_quadratic(case, name, value, index) if simple else None
            own.append(short or slopes(case.problem, name, value, index, case.tables))
        found.append(Direction(*number[0], {key: sum(x[key] for x in own) for key in own[0]}))
    return tuple(found)


def of_quadratic(case: Case, name: str, value: np.ndarray, index: tuple[int, ...]) -> Tables | None:
    """Slopes of tables that are quadratic in a number, at most: one central difference; None where it cannot move both ways."""
    change, both = WIDE * (abs(float(value[index])) or 1.0), []
    for sign in (1.0, -1.0):
        moved = value.copy()
        moved[index] += sign * change
        try:
            both.append(case.tables(case.problem.with_parameters({name: moved if moved.ndim else float(moved)})))
        except (ValueError, ArithmeticError, LocomoteError):
            return None
    return {key: (array - both[1][key]) / (2.0 * change) for key, array in both[0].items()}


def agree(one: Tables, other: Tables) -> bool:
    """Whether two ways to slopes give the same, all tables together."""
    size = max((abs(array).max(initial=0.0) for array in one.values()), default=0.0)
    return all(abs(array - other[key]).max(initial=0.0) <= SAME * size for key, array in one.items())


def sampled_program(step: Step, channels: Sequence[Channel]) -> Program:
    """(1) as a program: carried are a state with entries, and its rate with theirs; x are controls with their rates, and rates
    of what is shared; results of a step are channels at its start, and their rates."""
    trace, sizes, n = Trace(), step.sizes, step.size + len(step.entries.places)
    x, dx = boxed(trace.input(n)), boxed(trace.input(n))
    u, du = boxed(trace.input(sizes["controls"])), boxed(trace.input(sizes["controls"]))
    ds, s = boxed(trace.input(sizes["shared"])), boxed(trace.input(sizes["shared"]))
    after = [*step.of(x[: step.size], u, s, x[step.size :]), *x[step.size :]]
    found = places(trace, [*after, *values(step, channels, x, u, s)])
    seeds = {a.place: da for a, da in zip((*x, *u, *s), (*dx, *du, *ds), strict=True)}
    rates = places(trace, tangent(trace, seeds, found))
    carried, y = (*found[:n], *rates[:n]), (*found[n:], *rates[n:])
    return Program(trace, (2 * n, 2 * len(u) + len(s), len(s)), (carried, y))


def values(step: Step, channels: Sequence[Channel], x, u, s) -> list:
    """Channels at the start of a step, on numbers of any kind."""
    problem, nq, nv = step.equations.problem, step.model.nq, step.model.nv
    equations, t = step.with_numbers(x[step.size :]), s[-1]
    q, v, a, state = x[:nq], x[nq : nq + nv], None, None
    if any(channel.forces for channel in channels):
        stages = len(step.nodes)
        a, force = (rows[0] for rows in acting(equations, step.controls, u, s[: stages * len(step.controls.timed)], stages))
        state = equations.state(q, v, a, force, t)
        a = state.acceleration()
    now = Instant(problem, equations, t, q, v, a, state)
    return [channel.of(now) for channel in channels]


def moved_along(equations: Equations, q: np.ndarray, u: np.ndarray, du: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Configurations (N, nq) that others are moved to by u (N, nv) along the tangent, and how they change with u along each of
    du (N, nv, k), (N, nq, k)."""
    trace, model, ways = Trace(), equations.problem.model, du.shape[2]
    x, move, rate = (boxed(trace.input(n)) for n in (model.nq, model.nv, model.nv))
    result = places(trace, moved_by(equations, x, move))
    rates = places(trace, tangent(trace, {k.place: dk for k, dk in zip(move, rate, strict=True)}, result))
    du = np.concatenate([np.zeros((*u.shape, 1)), du], axis=2)  # the first for the place itself
    inputs = np.hstack([np.hstack([q, u]).repeat(ways + 1, 0), np.moveaxis(du, 2, 1).reshape(-1, model.nv)])
    found = evaluate(trace, [*result, *rates], inputs.T).reshape(len(q), ways + 1, 2, model.nq)
    return found[:, 0, 0], np.moveaxis(found[:, 1:, 1], 1, 2)
