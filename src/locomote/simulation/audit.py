"""Every run audits itself: does the energy close, do the constraints hold, does momentum stay where nothing changes it?

With E the energy and W the work of all sources since the start,

    gap      =  E(t) - E(0) - W(t)                                            should be zero                        (1)
    scale    =  largest of kinetic energy, change of potential and of elastic energy, work of one source            (2)
    balance  =  gap / scale                                                                                         (3)

The scale does not see where the zero of height is. Below a millionth of the energy itself it is not taken: there rounding of
potential energy alone would spoil the balance. `relative` is (3) over time, with the scale up to then; `balance` in the table
of checks is its worst, with the scale of the whole run.

A component of momentum (linear less the impulse of weight, or angular about the centre of mass) is taken to be conserved if
the accelerations of all samples say that no force changes it.
"""

from dataclasses import dataclass

import numpy as np

from locomote.dynamics.momentum import momentum, momentum_matrix, momentum_rate
from locomote.model import columns as col
from locomote.simulation.trajectory import Trajectory

BALANCE_ALLOWED = 1e-6  # of the scale (2)
RESIDUAL_ALLOWED = 1e-6  # m/s or rad/s, m or rad
QUATERNION_ALLOWED = 1e-9
MOMENTUM_ALLOWED = 1e-6  # of what momentum is a sum of
LEAST_SCALE = 1e-6  # of the energy itself
CONSERVED = 1e-9  # external force, relative to what it is a sum of, that counts as none
SAMPLES = 2000  # for momentum: more say nothing new
COMPONENTS = tuple(f"{kind} {axis}" for kind in ("linear", "angular") for axis in "xyz")


@dataclass(frozen=True)
class Check:
    """One line of the audit: how far a quantity is off, at most, what is allowed, and a note in words."""

    name: str
    value: float
    allowed: float
    note: str = ""

    @property
    def passed(self) -> bool:
        return bool(self.value <= self.allowed)

    def __str__(self):
        note = f"  ({self.note})" if self.note else ""
        return f"{self.name:<28} {self.value:9.2e}  allowed {self.allowed:.0e}  {'ok' if self.passed else 'TOO LARGE'}{note}"


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
    checks : all of this, line by line, with what is allowed
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
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that did not pass."""
        return tuple(check for check in self.checks if not check.passed)

    def __str__(self):
        head = "audit passed" if self.ok else "audit FAILED: " + ", ".join(check.name for check in self.failed)
        return "\n".join([head, *(f"  {check}" for check in self.checks)])


def audit(run: Trajectory) -> Audit:
    """The audit of a run."""
    gap, scale = run.balance, scale_of_energy(run)
    relative = np.divide(gap, scale, out=np.zeros(len(run)), where=scale > 0)
    worst, last = largest(gap), float(scale[-1]) if len(run) else 0.0
    balance = worst / last if last > 0 else worst
    residual, place = largest(run.residual), largest(run.position_residual)
    unit = quaternion_norm(run)
    change, conserved = conserved_momentum(run)
    checks = [Check("power balance", balance, BALANCE_ALLOWED, f"{worst:.2g} J of {last:.4g} J exchanged")]
    if run.constraint_labels:
        checks.append(Check("constraint velocities", residual, RESIDUAL_ALLOWED, "m/s or rad/s"))
        checks.append(Check("constraint positions", place, RESIDUAL_ALLOWED, "m or rad"))
    if run.model.coordinates.quaternions:
        checks.append(Check("quaternion norms", unit, QUATERNION_ALLOWED))
    if conserved:
        checks.append(Check("conserved momentum", change, MOMENTUM_ALLOWED, ", ".join(conserved)))
    if not_finite := [name for name in ("q", "v", "a", "tau", "reactions") if not np.isfinite(getattr(run, name)).all()]:
        checks.append(Check("values that are not finite", np.inf, 0.0, ", ".join(not_finite)))
    return Audit(balance, worst, last, relative, residual, place, unit, change, conserved, tuple(checks))


def largest(values: np.ndarray) -> float:
    """The largest magnitude; NaN if there is one."""
    return float(np.max(abs(values), initial=0.0))


def scale_of_energy(run: Trajectory) -> np.ndarray:
    """(n,) the scale (2) up to each sample, J."""
    if not len(run):
        return np.zeros(0)
    exchanged = [run.kinetic, run.potential - run.potential[0], run.elastic - run.elastic[0]]
    exchanged += [values - values[0] for values in run.work.values()]
    present = LEAST_SCALE * np.max(np.abs([run.kinetic, run.potential, run.elastic]), axis=0)
    return np.maximum.accumulate(np.maximum(np.max(np.abs(exchanged), axis=0), present))


def quaternion_norm(run: Trajectory) -> float:
    """The largest departure of a quaternion in q from unit length."""
    q, worst = run.model.coupling.expand_q(run.q) if run.model.coupling else run.q, 0.0
    for start in run.model.coordinates.quaternions:
        worst = max(worst, largest(np.linalg.norm(q[:, start : start + 4], axis=1) - 1.0))
    return worst


def conserved_momentum(run: Trajectory) -> tuple[float, tuple[str, ...]]:
    """The largest relative change of the components of momentum that no force changes, and their names."""
    model = run.model
    numbers = (run.q, run.v, run.a)
    mass = float(model.unfolded.constants[:-1, col.MASS].sum())
    impacts = len(run) > 1 and (np.diff(run.t) == 0).any()  # forces of no duration, which no acceleration tells
    if len(run) < 2 or mass == 0 or impacts or not all(np.isfinite(array).all() for array in numbers):
        return 0.0, ()
    rows = np.unique(np.linspace(0, len(run) - 1, min(SAMPLES, len(run))).astype(int))
    t, q, v, a = run.t[rows], model.normalize(run.q[rows]), run.v[rows], run.a[rows]
    if c := model.coupling:
        model, q, v, a = model.unfolded, c.expand_q(q), c.expand_v(v), c.expand_v(a)
    weight = np.concatenate([mass * model.gravity, np.zeros(3)])
    force = momentum_rate(model, q, v, a) - weight
    value = momentum(model, q, v) - (t - t[0])[:, None] * weight
    # what force and momentum are sums of, so that a sum of zero has a size too
    A = abs(momentum_matrix(model, q))
    of_force = both_halves((A @ (abs(a) + abs(v) * abs(v).max())[..., None])[..., 0] + abs(weight))
    parts = (A @ abs(v)[..., None])[..., 0]
    of_momentum = both_halves(parts)
    there = parts.max(axis=0) > CONSERVED * of_momentum  # what moves in a plane has no momentum across it to conserve
    free = (abs(force).max(axis=0) <= CONSERVED * of_force) & there
    if not free.any():
        return 0.0, ()
    change = abs(value - value[0]).max(axis=0)[free] / of_momentum[free]
    return float(change.max()), tuple(name for name, is_free in zip(COMPONENTS, free, strict=True) if is_free)


def both_halves(rows: np.ndarray) -> np.ndarray:
    """(6,) the largest linear component three times, then the largest angular one."""
    return np.repeat([rows[:, :3].max(), rows[:, 3:].max()], 3)
