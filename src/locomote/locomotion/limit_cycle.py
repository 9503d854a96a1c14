"""Motions that repeat themselves: a step, or any part of a motion, that ends in the state it began in.

A return map P takes a state x (q and v) to the next one on a section: a run until the section is met, and what then happens to
the state (an impact, another foot that becomes the first). A limit cycle is x = P(x); how disturbances of it grow from one
return to the next is said by the eigenvalues of its derivative:

    (1 - P') dx = P(x) - x        Newton's method;   |eigenvalue| < 1 : stable                                       (1)

x is written as velocities that lead from the start to it, and velocities; runs start on the constraints, so that directions
which they forbid have eigenvalue zero. P' is exact, through impacts and sections (`return_map`); where exact derivatives of
accelerations are not known it is by central differences of runs with tight tolerances.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from locomote.errors import LocomoteError
from locomote.locomotion.closed import plan_with_closed
from locomote.locomotion.return_map import return_derivative
from locomote.simulation.contacts import Contacts
from locomote.simulation.entries import assemble_one
from locomote.simulation.following import computes_torques
from locomote.simulation.ignored import without
from locomote.simulation.when import When, as_when

if TYPE_CHECKING:
    from locomote.locomotion.problem import Locomotion

SMALL = 1e-8  # eigenvalues below are those of directions that the section and constraints take away
ROUNDS = 20


class NoLimitCycle(LocomoteError, RuntimeError):
    """No motion that repeats itself was found near the given one."""


@dataclass(frozen=True)
class LimitCycle:
    """A motion that ends as it began.

    q, v : the state, just after the section ; period : s
    multipliers : eigenvalues of the return map, largest first, without those that vanish
    jacobian : (2 nv, 2 nv) its derivative
    residual : how far the state is from itself after one period
    """

    q: np.ndarray
    v: np.ndarray
    period: float
    multipliers: np.ndarray
    jacobian: np.ndarray
    residual: float

    @property
    def stable(self) -> bool:
        """Whether small disturbances die out."""
        return bool((abs(self.multipliers) < 1.0).all())

    def __str__(self):
        said = ", ".join(f"{x:.6g}" for x in self.multipliers)
        return f"{'stable' if self.stable else 'unstable'} limit cycle of period {self.period:.6g} s; multipliers {said}"


def limit_cycle(
    problem: "Locomotion",
    section: When | Callable[..., Any],
    q=None,
    v=None,
    *,
    then: Callable[..., Any] | None = None,
    ignore: Sequence[str] = (),
    longest: float = 20.0,
    tolerance: float = 1e-11,
    difference: float = 1e-5,
    exact: bool = True,
) -> LimitCycle:
    """The limit cycle of a problem near the state q, v.

    section : event (t, q, v) -> number, or lo.When, whose zero ends a period
    then : (t, q, v) -> (q, v), what happens there: an impact, names of feet exchanged, the place set back; nothing if None
    ignore : contacts that stay open meanwhile, whatever their gap ; longest : s, that a period may take
    tolerance : of q and v ; exact : derivatives along the motion; if False, and where torques are computed from accelerations,
        they are by differences of runs ; difference : of q and v, of these
    """
    model, when = problem.model, as_when(section)
    event = When(when.function, when.direction, True, when.name or "section", None, when.after)
    q0, v0 = problem.initial(q, v, ignore=ignore)
    closed = closed_at(problem, q0, v0, ignore)

    def start_at(x):
        """The state at x, on the constraints."""
        return held(problem, closed, model.integrate(q0, x[: model.nv]), v0 + x[model.nv :])

    def run_from(start, times=None):
        """A run until the section."""
        samples = [longest] if times is None else [*times, longest]
        run = problem.simulate(
            longest, q=start[0], v=start[1], events=[event], ignore=ignore, samples=samples, rtol=1e-13, atol=1e-14,
            progress=False,
        )  # fmt: skip
        if run.info["status"] != "stopped":
            raise NoLimitCycle(f"{problem.name!r} does not come back to the section within {longest:g} s")
        return run

    def returned(x):
        """P about (q0, v0), and the time that it took."""
        run = run_from(start_at(x))
        end = np.array(run.q[-1]), np.array(run.v[-1])
        if then is not None:
            end = then(float(run.t[-1]), *end)
        return np.concatenate([model.difference(q0, np.asarray(end[0], float)), np.asarray(end[1], float) - v0]), float(
            run.t[-1]
        )

    def derivative(x):
        """P' at x."""
        if exact and problem.inertia and not computes_torques(problem.plan):
            start = start_at(x)
            return return_derivative(problem, lambda times: run_from(start, times), start, when.function, then)
        columns = []
        for k in range(len(x)):
            d = np.zeros(len(x))
            d[k] = difference
            one, two = ((returned(x + s * d)[0] - returned(x - s * d)[0]) / (2 * s * difference) for s in (1, 2))
            columns.append((4 * one - two) / 3)  # of fourth order
        return np.array(columns).T

    x = np.zeros(2 * model.nv)
    after, period = returned(x)
    J, before = derivative(x), np.inf
    for _ in range(ROUNDS):
        miss = float(np.abs(after - x).max())
        if miss < tolerance or (miss < 1e-8 and miss > 0.3 * before):
            break
        if not np.isfinite(miss):
            raise NoLimitCycle(f"the return map of {problem.name!r} is not finite")
        if miss > 0.1 * before:
            J = derivative(x)
        before = miss
        x = x + np.linalg.lstsq(np.eye(len(x)) - J, after - x, rcond=1e-10)[0]
        after, period = returned(x)
    else:
        raise NoLimitCycle(f"{problem.name!r} does not settle on a limit cycle; a state is off by {miss:.2g} after a period")
    J = derivative(x)
    values = np.linalg.eigvals(J)
    values = values[np.argsort(-abs(values))]
    return LimitCycle(*start_at(x), period, values[abs(values) > SMALL], J, miss)


def closed_at(problem, q: np.ndarray, v: np.ndarray, ignore: Sequence[str]) -> list[str]:
    """Names of the contacts that hold in a state."""
    plan = without(problem, problem.plan_at(q).own(), ignore)
    with problem.scratch(plan) as work:
        contacts = Contacts(problem, plan, work)
        contacts.touch(0.0, q, v)
        return contacts.closed()


def held(problem, closed: Sequence[str], q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The state nearest to q, v that meets all constraints and these contacts."""
    model, plan = problem.model, plan_with_closed(problem, closed if problem.plan.unilateral else None)[0]
    q, v = np.array(q), np.array(v)
    with problem.scratch(plan) as work:
        for _ in range(3):
            assemble_one(plan, work, 0.0, q, v, np.zeros(model.nv), np.empty(model.nq), np.empty(model.nv))
    return q, v
