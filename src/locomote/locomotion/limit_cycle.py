"""Motions that repeat themselves: a step, or any part of a motion, that ends in the state it began in.

A return map P takes a state x (q and v) to the next one on a section: a run until the section is met, and what then happens to
the state (an impact, another foot that becomes the first). A limit cycle is x = P(x); how disturbances of it grow from one
return to the next is said by the eigenvalues of its derivative:

    (1 - P') dx = P(x) - x        Newton's method;   |eigenvalue| < 1 : stable                                       (1)

x is written as velocities that lead from the start to it, and velocities; runs start on the constraints, so that directions
which they forbid have eigenvalue zero. Feet that stand may stand elsewhere: all together, where the ground is the same, that is
no disturbance, and its eigenvalue of one is left out. Coordinates are measured by how large they get in a period. P' is exact,
through impacts and sections (`return_map`); where exact derivatives of accelerations are not known it is by central differences
of runs with tight tolerances.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from locomote.brief import brief
from locomote.evaluation.computed_torque import computes_torques
from locomote.locomotion.closed import plan_with_closed
from locomote.locomotion.return_map import NoLimitCycle as NoLimitCycle
from locomote.locomotion.return_map import directions, paired, return_derivative, sizes_of
from locomote.locomotion.sticking import as_unilateral, slides
from locomote.methods.entries import assemble_one
from locomote.methods.events.ignored import without
from locomote.methods.events.unilateral import Contacts
from locomote.methods.events.when import When, as_when
from locomote.model import columns as col
from locomote.model.joints import PLACES

if TYPE_CHECKING:
    from locomote.locomotion.problem import Locomotion

SMALL = 1e-8  # eigenvalues below are those of directions that the section and constraints take away
SHIFTED = 1e-6  # m of a metre, by which a shift may come back otherwise
NEUTRAL = 1e-8  # from one, that multipliers may be and count as one
ROUNDS = 20
SAMPLES = 201  # of a cycle, at which friction is looked at


@brief
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
        """Whether small disturbances die out; those of a multiplier of one stay."""
        return bool((abs(self.multipliers) < 1.0 - NEUTRAL).all())

    def __str__(self) -> str:
        said = ", ".join(f"{x:.6g}" for x in self.multipliers)
        kind = "stable" if self.stable else "neutral" if (abs(self.multipliers) < 1.0 + NEUTRAL).all() else "unstable"
        return f"{kind} limit cycle of period {self.period:.6g} s; multipliers {said}"


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
    tolerance : of q and v, as a share of how large they get
    exact : derivatives along the motion; if False, and where torques are computed from accelerations, they are by differences
        of runs ; difference : of q and v, of these, as such a share

    Points of lo.Touch on planes stick where they are closed, as unilateral contacts do, and the motion is followed exactly; if
    friction does not suffice for that the cycle is refused, with the contact that would slide. Other shapes, and exact=False,
    take time steps over contacts and differences of these, which are as exact as the steps.

    The derivative is exact if section and then are made of arithmetic and functions of NumPy; of others (`problem.impact`,
    `math.sin`) differences are taken.
    """
    sticking = as_unilateral(problem) if problem.contacts and exact else None
    if sticking is not None:
        away = [name for name in problem.contact_names if name in ignore or name.rpartition(".")[0] in ignore]
        away += [name for name in ignore if name in {title for title, *_ in problem.constraint_labels}]
        found = limit_cycle(
            sticking, section, q, v, then=then, ignore=away, longest=longest, tolerance=tolerance, difference=difference
        )
        refuse_sliding(problem, sticking, found, away)
        return found
    when = as_when(section)
    event = When(when.function, when.direction, True, when.name or "section", None, when.after)
    back = ReturnMap(problem, event, problem.initial(q, v, ignore=ignore), then, ignore, longest, difference, exact)
    back.measure()
    size, x = back.size, np.zeros(2 * problem.model.nv)
    after, period = back.returned(x)
    J, before = back.derivative(x), np.inf
    for _ in range(ROUNDS):
        miss = float(np.abs((after - x) / size).max())
        if miss < tolerance or (miss < 1e-8 and miss > 0.3 * before):
            break
        if not np.isfinite(miss):
            raise NoLimitCycle(f"the return map of {problem.name!r} is not finite")
        if miss > 0.1 * before:
            J = back.derivative(x)
        before = miss
        x = x + size * np.linalg.lstsq(np.eye(len(x)) - J * size / size[:, None], (after - x) / size, rcond=1e-10)[0]
        after, period = back.returned(x)
    else:
        raise NoLimitCycle(f"{problem.name!r} does not settle on a limit cycle; a state is off by {miss:.2g} after a period")
    J = back.derivative(x)
    q, v = back.start_at(x)
    return LimitCycle(q, v, period, multipliers(back, J, q, v), J, float(np.abs(after - x).max()))


def multipliers(back: "ReturnMap", J: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Eigenvalues, largest first, without those of all standing elsewhere on a ground that is the same there."""
    values: Any = np.linalg.eigvals(J * back.size / back.size[:, None])
    values = values[np.argsort(-abs(values))]
    if back.exact and back.closed:
        standing = directions(back.problem, back.closed, q, v, 0.0)
        for shift in shifts(back.problem.model, q):
            moves_feet = abs(standing @ (standing.T @ shift) - shift).max() > SHIFTED
            if moves_feet and abs(J @ shift - shift).max() < SHIFTED:
                values = np.delete(values, np.argmin(abs(values - 1.0)))
    return values[abs(values) > SMALL]


def shifts(model, q: np.ndarray) -> list[np.ndarray]:
    """(2 nv,) departures in which all goes a metre along an axis of the world, if all trees can."""
    roots, found = [row for row in model.topology[:-1] if row[col.PARENT] == len(model.topology) - 1], []
    for axis in range(3):
        if all(axis < PLACES.get(row[col.KIND], 0) for row in roots):
            moved = np.array(q)
            moved[[row[col.Q] + axis for row in roots]] += 1.0
            found.append(np.concatenate([model.difference(q, moved), np.zeros(model.nv)]))
    return found


class ReturnMap:
    """P about a state; x is written as velocities that lead from there to it, and velocities."""

    def __init__(self, problem, event: When, about, then, ignore, longest: float, difference: float, exact: bool):
        self.problem, self.event, self.then, self.ignore, self.longest = problem, event, then, ignore, longest
        self.q, self.v = about
        self.closed = closed_at(problem, self.q, self.v, ignore)
        self.exact = exact and problem.inertia and not problem.contacts and not computes_torques(problem.plan)
        self.difference, self.fine, self.size = difference, 1e-14, np.ones(2 * problem.model.nv)

    def measure(self) -> None:
        """How large coordinates get in a period: what they are measured by, and how tight tolerances are."""
        x = np.zeros_like(self.size)
        times = np.linspace(0.0, float(self.run_from(self.start_at(x)).t[-1]), 9)[1:-1]
        self.size = sizes_of(self.problem.model, self.run_from(self.start_at(x), times))[1:]
        self.fine *= min(1.0, float(self.size.min()))

    def start_at(self, x):
        """The state at x, on the constraints."""
        nv = self.problem.model.nv
        return held(self.problem, self.closed, self.problem.model.integrate(self.q, x[:nv]), self.v + x[nv:])

    def run_from(self, start, times=None):
        """A run until the section."""
        samples = [self.longest] if times is None else [*times, self.longest]
        run = self.problem.simulate(
            self.longest, q=start[0], v=start[1], events=[self.event], ignore=self.ignore, samples=samples,
            rtol=1e-13, atol=self.fine, progress=False,
        )  # fmt: skip
        if run.info["status"] != "stopped":
            raise NoLimitCycle(f"{self.problem.name!r} does not come back to the section within {self.longest:g} s")
        return run

    def returned(self, x):
        """P at x, and the time that it took."""
        model, name, run = self.problem.model, self.problem.name, self.run_from(self.start_at(x))
        end, time = (np.array(run.q[-1]), np.array(run.v[-1])), float(run.t[-1])
        if self.then is not None:
            end = tuple(np.asarray(part, dtype=float) for part in paired(self.then, model)(time, *end))
            if not np.isfinite(np.concatenate(end)).all():
                raise NoLimitCycle(f"what happens then (`then`) is not finite for {name!r} at t = {time:g} s: {end}")
        return np.concatenate([model.difference(self.q, end[0]), end[1] - self.v]), time

    def derivative(self, x) -> np.ndarray:
        """P' at x, also of departures in which feet stand elsewhere."""
        if self.exact:
            start = self.start_at(x)
            run = lambda times: self.run_from(start, times)  # noqa: E731
            return return_derivative(self.problem, run, start, self.event.function, self.then, elsewhere=True)
        columns = []
        for k in range(len(x)):
            d = np.zeros(len(x))
            d[k] = self.difference * self.size[k]
            one, two = ((self.returned(x + s * d)[0] - self.returned(x - s * d)[0]) / (2 * s * d[k]) for s in (1, 2))
            columns.append((4 * one - two) / 3)  # of fourth order
        return np.array(columns).T


def refuse_sliding(problem, sticking, cycle: LimitCycle, ignore: Sequence[str]) -> None:
    """A NoLimitCycle if friction of a contact does not hold it all along the cycle."""
    times = np.linspace(0.0, cycle.period, SAMPLES)[1:]
    run = sticking.simulate(
        cycle.period, q=cycle.q, v=cycle.v, ignore=ignore, samples=times, rtol=1e-9, atol=1e-11, progress=False
    )
    if (where := slides(problem, run)) is not None:
        raise NoLimitCycle(
            f"the limit cycle of {problem.name!r} on contacts that stick asks more friction of {where[0]!r} than it has, at "
            f"t = {where[1]:.4g} s of {cycle.period:.4g} s: it slides there; exact=False takes time steps, in which it does"
        )


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
        if closed and problem.plan.unilateral:  # along grounds they are held where they are
            Contacts(problem, plan, work).hold(closed, 0.0, q, v)
        for _ in range(3):
            assemble_one(plan, work, 0.0, q, v, np.zeros(model.nv), np.empty(model.nq), np.empty(model.nv))
    return q, v
