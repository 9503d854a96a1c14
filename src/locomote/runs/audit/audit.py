"""Every run audits itself: does the energy close, do the constraints hold, does momentum stay where nothing changes it, do
neighbouring samples fit each other, and do their numbers follow from the model?

With E the energy and W the work of all sources since the start,

    gap      =  E(t) - E(0) - W(t)                                            should be zero                        (1)
    scale    =  largest of kinetic energy, change of potential and of elastic energy, work of one source            (2)
    balance  =  gap / scale                                                                                         (3)

The scale does not see where the zero of height is. A system at rest exchanges nothing but rounding; the scale is therefore at
least a millionth of the energy itself and of the work of weight over the size of the system, and what moves slower than the
velocity errors that are allowed has no energy of its own. Coordinates that samples do not see (`audit.seen`) count with the
energy that they had when they were fastest. `relative` is (3) over time, with the scale up to then; `balance`
in the table of checks is its worst, with the scale of the whole run.

Momentum, neighbours and states are in files of their own beside this one; limits of joints are checked in `runs/limits.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from locomote.brief import brief
from locomote.errors import LocomoteError
from locomote.methods.registry import method_of
from locomote.runs.audit.asked import check_asked
from locomote.runs.audit.checks import Check, largest
from locomote.runs.audit.chosen import Chosen, spread
from locomote.runs.audit.contacts import check_contacts
from locomote.runs.audit.momentum import conserved_momentum
from locomote.runs.audit.neighbours import check_neighbours
from locomote.runs.audit.remedies import with_remedy
from locomote.runs.audit.repeat import check_repeats
from locomote.runs.audit.seen import TRACKED, Extremes
from locomote.runs.audit.states import STATES, askable, check_states
from locomote.runs.audit.steps import check_steps
from locomote.runs.audit.times import check_times
from locomote.runs.limits import check_limits
from locomote.runs.trajectory import Trajectory
from locomote.spatial.numbers import all_finite
from locomote.tables import escape, table

RESIDUAL_ALLOWED = 1e-6  # m/s or rad/s, m or rad
QUATERNION_ALLOWED = 1e-9
MOMENTUM_ALLOWED = 1e-6  # share of the terms that momentum is a sum of
EXTREME_ALLOWED = 1e-9  # share of the span of a column by which a sample may lie beyond the tracked extremes
LEAST_SCALE = 1e-6  # share of the energy itself
LEAST_SPEED = 1e-6  # m/s or rad/s
FEW = 3  # samples that show what is small
FAULTS = (LocomoteError, ValueError, ArithmeticError)
NORMS = 0.5, 2.0  # norms of quaternions that can still be normalised


@brief
@dataclass(frozen=True, eq=False)
class Audit:
    """The audit of a run; prints in words.

    balance : largest gap (1) of the power balance relative to the scale (2) of the run
    gap, scale : that gap and that scale, J
    relative : (n,) the balance over time
    residual, position_residual : largest of the constraints, m/s or rad/s, m or rad; zero without constraints
    quaternion : largest departure of a quaternion from unit length
    momentum : largest change of a conserved component, relative to what it is a sum of
    conserved : names of those components
    dense : part of the times between samples over which the motion is known
    checks : all of this and more, line by line, with what is allowed
    unchecked : sentences about what could not be checked
    """

    balance: float
    gap: float
    scale: float
    relative: np.ndarray
    residual: float
    position_residual: float
    quaternion: float
    momentum: float
    conserved: tuple[str, ...]
    dense: float
    checks: tuple[Check, ...]
    unchecked: tuple[str, ...]
    _run: Trajectory = field(repr=False)

    @property
    def ok(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that did not pass."""
        return tuple(check for check in self.checks if not check.passed)

    def deep(self) -> "Audit":
        """The audit with every sample computed anew, and with functions of the user called for it."""
        return audit(self._run, deep=True)

    @property
    def headline(self) -> str:
        """Whether it passed, and if not, what failed."""
        return "audit passed" if self.ok else "audit FAILED: " + ", ".join(check.name for check in self.failed)

    def __str__(self) -> str:
        left = [f"  not checked: {sentence}" for sentence in self.unchecked]
        return "\n".join([self.headline, *(f"  {check}" for check in self.checks), *left])

    def _repr_html_(self) -> str:
        rows = [
            (
                c.name,
                f"{c.value:.2e}",
                f"{c.allowed:.0e}",
                "ok" if c.passed else "TOO LARGE",
                f"{c.note}: {c.remedy}" if c.remedy else c.note,
            )
            for c in self.checks
        ]
        left = "".join(f"<div>not checked: {escape(sentence)}</div>" for sentence in self.unchecked)
        return table(rows, ("check", "found", "allowed", "", ""), title=self.headline) + left


def audit(run: Trajectory, *, deep: bool = False) -> Audit:
    """The audit of a run; deep : of every sample, with functions of the user called."""
    usable = usable_samples(run)
    few, extremes = Chosen(run, spread(usable, FEW)), Extremes(run)
    seen = extremes.seen()
    gap, scale = run.balance, scale_of_energy(run, few, seen)
    with np.errstate(invalid="ignore"):  # an unbounded motion may give NaN
        relative = np.divide(gap, scale, out=np.zeros(len(run)), where=scale > 0)
    worst, last = largest(gap), float(scale[-1]) if len(run) else 0.0
    balance = worst / last if last > 0 else worst
    residual, place = largest(run.residual), largest(run.position_residual)
    unit = quaternion_norm(run)
    allowed = method_of(run.info).balance(run.info)
    checks = [Check("power balance", balance, allowed, f"{worst:.2g} J of {last:.4g} J exchanged")]
    touches = run.tracked.get("contact_law") if run.tracked else None
    if touches is not None:
        checks += check_contacts(run, last, allowed)
    if run.constraint_labels:
        checks.append(Check("constraint velocities", residual, RESIDUAL_ALLOWED, "m/s or rad/s"))
        checks.append(Check("constraint positions", place, RESIDUAL_ALLOWED, "m or rad"))
    checks += check_limits(run)
    if run.model.coordinates.quaternions:
        checks.append(Check("quaternion norms", unit, QUATERNION_ALLOWED))
    unchecked, change, conserved, dense = [], 0.0, (), 0.0
    try:
        if 2 * seen.sum() < len(seen):
            unchecked.append("that momentum is conserved: samples are too far apart")
        elif touches is None:
            change, conserved = conserved_momentum(run, usable, few)
        if conserved:
            checks.append(Check("conserved momentum", change, max(allowed, MOMENTUM_ALLOWED), ", ".join(conserved)))
        neighbours = check_neighbours(run, usable, last, seen, deep=deep)
        states = check_states(run, usable, last, few, deep=deep)
        checks += neighbours.checks + states.checks
        unchecked += neighbours.unchecked + states.unchecked
        for more, why in further(run, usable, last, deep):
            checks, unchecked = checks + more, unchecked + why
        dense = neighbours.dense
    except FAULTS as fault:  # numbers so wrong that nothing can be computed from them
        checks.append(Check("states", np.inf, 0.0, str(fault)))
    if (times := check_times(run)) is not None:
        checks.append(times)
    if run.tracked:
        checks.append(Check("tracked extremes", extremes.beyond(), EXTREME_ALLOWED, "samples beyond what the run tracked"))
    if not_finite := [name for name in TRACKED if not all_finite(getattr(run, name))]:
        checks.append(Check("values that are not finite", np.inf, 0.0, ", ".join(not_finite)))
    checks = [with_remedy(check, run) for check in checks]
    return Audit(
        balance, worst, last, relative, residual, place, unit, change, conserved, dense, tuple(checks), tuple(unchecked), run
    )  # fmt: skip


def further(run: Trajectory, usable: np.ndarray, exchanged: float, deep: bool) -> Iterator[tuple[list[Check], list[str]]]:
    """Checks of steps over contacts, of fields that were asked for, and of all steps again if it is deep. exchanged : J"""
    if method_of(run.info).impulsive and run.problem is not None and not askable(run, deep)[1]:
        yield check_steps(run, spread(usable, len(usable) if deep else STATES), deep)
    yield from check_asked(run, deep)
    if deep:
        yield check_repeats(run, usable, exchanged)


def usable_samples(run: Trajectory) -> np.ndarray:
    """Numbers of the samples that can be computed with: finite, with quaternions that have a direction."""
    good = np.ones(len(run), dtype=bool)
    for array in (run.q, run.v, run.a, run.tau, run.reactions, run.kinetic[:, None], run.potential[:, None]):
        if not all_finite(array):
            good &= np.isfinite(array).all(axis=1)
    for norm in quaternion_norms(run):
        good &= (norm > NORMS[0]) & (norm < NORMS[1])
    return np.flatnonzero(good)


def scale_of_energy(run: Trajectory, few: Chosen, seen: np.ndarray) -> np.ndarray:
    """(n,) the scale (2) up to each sample, J. seen : (nv,) whether samples see how a coordinate moves"""
    if not len(run):
        return np.zeros(0)
    energies, work = np.array([run.kinetic, run.potential, run.elastic]), np.array([*run.work.values()])
    present = LEAST_SCALE * abs(np.concatenate([energies, work.reshape(-1, len(run))])).max(axis=0)  # rounding is of these
    energies[1:] -= energies[1:, :1]  # only the change of potential and elastic energy counts
    exchanged = np.maximum(abs(energies).max(axis=0), present)
    if len(work):
        exchanged = np.maximum(exchanged, abs(work - work[:, :1]).max(axis=0))
    try:
        least = max(least_energy(few), unseen_energy(run, few, seen)) if len(few.rows) else 0.0
    except FAULTS:  # the checks of states will say so
        least = 0.0
    return np.maximum.accumulate(np.maximum(exchanged, least))


def least_energy(few: Chosen) -> float:
    """What energy is measured against if nothing moves, J: see the head of this file."""
    model, places = few.model, few.places[0]
    masses = np.array([model.body(name).mass for name in model.body_names])
    weight = float(np.linalg.norm(model.gravity) * (masses * np.sqrt((places**2).sum(axis=1))).sum())
    return LEAST_SCALE * weight + LEAST_SPEED**2 * 0.5 * float(few.inertia.sum())  # energy of each coordinate at unit speed


def unseen_energy(run: Trajectory, few: Chosen, seen: np.ndarray) -> float:
    """The largest kinetic energy of one coordinate alone, of those whose motion samples do not see, as it was tracked, J."""
    if seen.all() or run.model.coupling or not run.tracked:
        return 0.0
    fastest = np.maximum(abs(run.tracked["v.max"]), abs(run.tracked["v.min"]))
    return float((0.5 * few.inertia * fastest**2)[~seen].max())


def quaternion_norms(run: Trajectory) -> list[np.ndarray]:
    """(n,) lengths of each quaternion in q."""
    q = run.model.coupling.expand_q(run.q) if run.model.coupling else run.q
    return [np.linalg.norm(q[:, start : start + 4], axis=1) for start in run.model.coordinates.quaternions]


def quaternion_norm(run: Trajectory) -> float:
    """The largest departure of a quaternion in q from unit length."""
    return max((largest(norm - 1.0) for norm in quaternion_norms(run)), default=0.0)
