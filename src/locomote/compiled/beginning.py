"""How rollouts begin: who follows the controls, where every run starts, and the problem, or the problems, that they are of."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.compiled.lots import Lots
from locomote.compiled.rollout_energy import Again, Agains
from locomote.compiled.starts import Together
from locomote.compiled.timed import Timed, timed_of
from locomote.compiled.who import Controls
from locomote.evaluation.plan import Plan
from locomote.locomotion.inputs import unfolded_q, unfolded_v
from locomote.locomotion.problem import Locomotion
from locomote.locomotion.start import CHANGED, runs_off, started_together
from locomote.locomotion.statics import anchored
from locomote.methods.events.stops import refuse_beyond
from locomote.model import columns as col
from locomote.symbolic.entries import Entries

MEETING = 1e-6  # m or rad, within which runs share what they close
PLACES = ("numbers", "linear", "linear_q", "stop_laws", "strain", "stations", "basis")  # arrays that say where runs may start
ALONE = frozenset(PLACES) - {"numbers"}  # of which each lot finds its own start


@brief
@dataclass(frozen=True)
class Begun:
    """Runs at their start.

    closed : the problem with its targets closed; one for each lot, or none if they are as those say
    plan : what is the same for all ; timed : what follows time
    starts : (N, nq) and (N, nv) ; values : (N, steps, columns) of controls ; change : of starts, as Rollouts have it
    """

    closed: tuple[Locomotion, ...]
    lots: Lots | None
    plan: Controls
    timed: Timed
    starts: tuple[np.ndarray, np.ndarray]
    values: np.ndarray | None
    change: dict[str, np.ndarray] | None

    @property
    def own(self) -> list[np.ndarray]:
        """(N, columns) numbers that runs have of their own."""
        if self.lots is None or self.entries is None:
            return []
        return [np.ascontiguousarray(self.entries.values[self.lots.which])]

    @property
    def entries(self) -> Entries | None:
        """Which numbers these are."""
        return None if self.lots is None else self.lots.entries

    @property
    def sample(self) -> Locomotion:
        """A problem like those of all runs: with numbers of its own where theirs differ."""
        return self.closed[0] if self.closed or self.lots is None else self.lots.sample

    def problem_of(self, lot: int) -> Locomotion:
        """The problem of a lot."""
        return self.closed[lot] if self.closed or self.lots is None else self.lots.problem_of(lot)

    def again(self, states: list[np.ndarray], steps: int, step: float, method: str, pushed: bool) -> Again | Agains:
        """What it takes to do the runs, whose states (N, times, ...) begin with their starts, once more. pushed : if so"""

        def one(problem: Locomotion, rows) -> Again:
            values = None if self.values is None else self.values[rows]
            given = (problem, [x[rows] for x in states], values, self.plan.given, steps, step, method)
            return replace(Again.of(*given), pushed=pushed)

        first = one(self.sample, slice(None))
        return first if self.lots is None else Agains(lambda lot, rows: one(self.problem_of(lot), rows), self.lots, first)


@dataclass(frozen=True)
class Beginning:
    """What was asked of the starts of rollouts; see `rollout`."""

    q: Any
    v: Any
    batch: int | None
    controls: np.ndarray | None
    joints: Sequence[Any] | None
    start: str
    steps: int
    step: float

    def of(self, problem: Locomotion) -> Begun:
        """Runs of one problem."""
        plan = Controls.of(problem, self.joints, self.controls is not None)
        starts, N = checked_starts(problem, self.q, self.v, self.batch, self.controls)
        values = checked_controls(self.controls, N, self.steps, plan)
        refuse_beyond(problem, starts[0])
        problem = closed_at_starts(problem, starts[0])
        plan.impose(0.0, starts[0], starts[1])
        own = np.array(sorted(plan.held & set(plan.given)), dtype=int)
        change = started_together(problem, starts[0], starts[1], (self.q is not None, self.v is not None), self.start, own)
        return Begun((problem,), None, plan, Timed(plan), (starts[0], starts[1]), values, change)

    def of_lots(self, lots: Lots) -> Begun:
        """Runs of several problems, which differ in numbers."""
        lots.refuse_faults()
        first = lots.sample
        begun = self.of(first)
        same = begun.closed[0] is first and begun.change is None and first.inertia
        begun = replace(begun, closed=()) if same else begun
        timed = timed_of(begun.plan, lots).linear(self.steps, self.step)
        timed.impose(0.0, begun.starts[0], begun.starts[1])
        if not same or places_differ(lots.entries, first.plan) or (timed.which is not None and self.is_off(first, begun)):
            begun = (self.all_together(lots, begun) if same else None) or self.lot_by_lot(lots, begun)
        return replace(begun, lots=begun.lots or lots, timed=timed)

    def is_off(self, problem: Locomotion, begun: Begun) -> bool:
        """Whether runs do not start where their constraints are met, with the drives of each."""
        own = begun.plan.held & set(begun.plan.given)
        return bool(problem.constraints) and (
            bool(own) or len(runs_off(problem, begun.starts[0], begun.starts[1], CHANGED)) > 0
        )

    def all_together(self, lots: Lots, first: Begun) -> Begun | None:
        """Starts of all lots in one compiled loop; None if states that are given meet no constraints, or limits differ."""
        places, _, values = lots.differences
        problem, given = lots.sample, (self.q is not None, self.v is not None)
        if not ALONE.isdisjoint(places) or problem.contacts or given[0] != given[1]:
            return None
        together = Together(problem, places, values)
        if all(given):
            return first if (together.missed(lots.which, *first.starts) <= CHANGED).all() else None
        q, v, failed = together.assembled()
        for lot in failed:
            lots.problem_of(int(lot)).initial()  # says why there is none
        refuse_beyond(problem, q)
        return replace(first, starts=(q[lots.which], v[lots.which]))

    def lot_by_lot(self, lots: Lots, first: Begun) -> Begun:
        """Starts of every lot by itself, since numbers say where they are."""
        starts, N = (first.starts[0].copy(), first.starts[1].copy()), len(lots.which)
        change = {"q": np.zeros((N, first.starts[1].shape[1])), "v": np.zeros((N, first.starts[1].shape[1]))}
        closed = []
        for lot, rows in enumerate(lots.rows):
            given: list[Any] = [self.q, self.v, self.controls]
            q, v, controls = (x[rows] if np.ndim(x) == n else x for x, n in zip(given, (2, 2, 3), strict=True))
            begun = replace(self, q=q, v=v, controls=controls, batch=len(rows)).of(lots.problem_of(lot))
            closed.append(begun.closed[0])
            for target, x in zip(starts, begun.starts, strict=True):
                target[rows] = x
            for name, x in (begun.change or {}).items():
                change[name][rows] = x
        changed = change if any(x.any() for x in change.values()) else None
        return replace(first, closed=tuple(closed), lots=lots.of_these(closed), starts=starts, change=changed)


def places_differ(entries: Entries | None, plan: Plan) -> bool:
    """Whether numbers that differ say where runs may start: geometry, constraints, limits."""
    if entries is None:
        return False
    if any(name in entries.places for name in PLACES):
        return True
    flat = entries.places["constants"][0] if "constants" in entries.places else np.zeros(0, int)
    rows, columns = np.unravel_index(flat, plan.constants.shape)
    geometry = (columns < col.GROUPED_MASS) | (columns == col.PITCH)
    return bool((geometry & (rows < len(plan.constants) - 1)).any())  # the last row has gravity


def checked_starts(problem: Locomotion, q, v, batch, controls) -> tuple[list[np.ndarray], int]:
    """Starts (N, nq) and (N, nv), and N."""
    model = problem.model
    q0, v0 = problem.initial() if q is None or v is None else (q, v)
    q = model.checked_q(q0 if q is None else unfolded_q(problem.statement.model, q))
    v = model.checked_v(v0 if v is None else unfolded_v(problem.statement.model, v))
    sizes = [len(x) for x in (q, v) if x.ndim == 2]
    sizes += [np.shape(controls)[0]] if controls is not None and np.ndim(controls) == 3 else []
    sizes += [batch] if batch is not None else []
    if len(set(sizes)) > 1 or q.ndim > 2 or v.ndim > 2:
        given = () if controls is None else np.shape(controls)
        raise ValueError(f"q {q.shape}, v {v.shape}, controls {given} and batch {batch} do not fit together")
    N = int(sizes[0]) if sizes else 1
    if N < 1:
        raise ValueError("a batch must have at least one run")
    return [np.broadcast_to(x, (N, x.shape[-1])).copy() for x in (q, v)], N


def closed_at_starts(problem: Locomotion, q: np.ndarray) -> Locomotion:
    """The problem with targets and lengths that were left open taken where runs start, which must be the same for all."""
    closed = anchored(problem, q[0])
    if closed is not problem:
        for n, other in enumerate(q):
            error = closed.rows(0.0, other)[3]
            if worst := closed.worst_rows(np.where(closed.plan.holonomic != 0, error, 0.0), MEETING, "m or rad"):
                raise ValueError(
                    f"a constraint of {problem.name!r} was left open (a target, frame, length or offset of None), and run {n} "
                    f"does not start where run 0 closes it: {worst}; give its value"
                )
    return closed


def checked_controls(controls, N: int, steps: int, plan: Controls) -> np.ndarray | None:
    """Controls as (N, steps, columns)."""
    if controls is None:
        return None
    values = np.asarray(controls, dtype=float)
    if values.shape[-1] != len(plan.given):
        raise ValueError(
            f"controls has {values.shape[-1]} columns, expected {len(plan.given)}: one for each coordinate of joints"
        )
    if not np.isfinite(values).all():
        raise ValueError("controls has a value that is not finite")
    return np.broadcast_to(values, (N, steps, len(plan.given)))
