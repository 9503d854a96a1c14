"""Does momentum stay where nothing changes it?

A component of momentum (linear less the impulse of weight, or angular about the center of mass) is taken to be conserved if
the accelerations of all samples say that no force changes it, but for rounding of the forces themselves, whose impulse is
taken off; samples that do not see how most coordinates move (`audit.seen`) cannot say so. Impacts change it by impulses that no
acceleration tells: what it changes between two samples of the same time, or where an impact, a correction or an event of the
user lies between two samples, does not count.
"""

import numpy as np

from locomote.model import columns as col
from locomote.runs.audit.chosen import Chosen, spread
from locomote.runs.trajectory import Trajectory

CONSERVED = 1e-9  # external force, relative to what it is a sum of, that counts as none
LEAST_SPEED = 1e-6  # m/s or rad/s: what moves slower has no momentum of its own
SAMPLES = 500  # more say nothing new
SURELY = 1e3  # a factor of doubt, where few samples may show that nothing is conserved
COMPONENTS = tuple(f"{kind} {axis}" for kind in ("linear", "angular") for axis in "xyz")
JUMPS = ("impact", "correction", "event")  # events that may change velocities at once


def conserved_momentum(run: Trajectory, usable: np.ndarray, few: Chosen) -> tuple[float, tuple[str, ...]]:
    """The largest relative change of the components of momentum that no force changes, and their names.

    usable : numbers of samples whose values are finite ; few : some of them
    """
    model = run.model
    mass = float(model.unfolded.constants[:-1, col.MASS].sum())
    if len(usable) < 2 or mass == 0:
        return 0.0, ()
    weight = np.concatenate([mass * model.gravity, np.zeros(3)])
    if not possibly_conserved(few, weight, SURELY)[0].any():
        return 0.0, ()
    rows = spread(usable, SAMPLES)
    free, value, force, of_momentum = possibly_conserved(Chosen(run, rows), weight, 1.0)
    t = run.t[rows]
    value = value - (t - t[0])[:, None] * weight
    if not free.any():
        return 0.0, ()
    impulse = 0.5 * (force[1:] + force[:-1]) * np.diff(t)[:, None]
    changes = np.where(jumped(run, t)[:, None], 0.0, np.diff(value, axis=0) - impulse)
    change = abs(np.cumsum(changes, axis=0)).max(axis=0)[free] / of_momentum[free]
    return float(change.max()), tuple(name for name, is_free in zip(COMPONENTS, free, strict=True) if is_free)


def possibly_conserved(some: Chosen, weight: np.ndarray, doubt: float):
    """Which components no force changes at some samples, and are there at all; momentum and force (n, 6), and (6,) what
    momentum is a sum of.

    doubt : factor of what counts as no force, and divisor of momentum that is there
    """
    A, v, a = some.momentum, some.v, some.a
    value, force = (A @ v[..., None])[..., 0], some.momentum_rate - weight
    A, fast = abs(A), abs(v)  # what force and momentum are sums of, so that a sum of zero has a size too
    of_force = both_halves((A @ (abs(a) + fast * fast.max())[..., None])[..., 0] + abs(weight))
    unforced = abs(force).max(axis=0) <= CONSERVED * doubt * of_force
    parts = (A @ fast[..., None])[..., 0]
    of_momentum = np.maximum(both_halves(parts), LEAST_SPEED * both_halves(A.sum(axis=2)))
    if not unforced.any():
        return unforced, value, force, of_momentum
    # what moves in a plane has no momentum across it to conserve, and what does not turn has none about its center: that is a
    # difference of moments about the origin, and zero is measured against those
    reach = np.sqrt((some.places**2).sum(axis=2).max(initial=0.0))  # how far bodies are from the origin of the world, m
    moments = np.repeat([0.0, reach * of_momentum[0]], 3)
    there = parts.max(axis=0) > CONSERVED / doubt * np.maximum(of_momentum, moments)
    return unforced & there, value, force, of_momentum


def jumped(run: Trajectory, t: np.ndarray) -> np.ndarray:
    """(n - 1,) whether velocities may jump between one of the times t and the next."""
    times = np.array([event.t for event in run.events if event.kind in JUMPS])
    found = np.searchsorted(times, t[1:], side="right") > np.searchsorted(times, t[:-1], side="left")
    return found | (np.diff(t) == 0)


def both_halves(rows: np.ndarray) -> np.ndarray:
    """(6,) the largest linear component three times, then the largest angular one."""
    return np.repeat([rows[:, :3].max(), rows[:, 3:].max()], 3)
