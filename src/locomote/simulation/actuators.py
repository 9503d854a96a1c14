"""Actuators inside rods: tendons along any path, and chambers under pressure.

At the points where a rod is integrated, with lengths w that they stand for, offset d(X) of the path in the section, strain
(nu, kappa) and the direction of the path tau = nu + kappa x d + d', e = tau / |tau|:

    tendon    Q = -tension sum of w B^T (e, d x e)        it pulls along its path, whose length is the sum of w |tau|      (1)
    chamber   Q = pressure area sum of w B^T (x, d x x)   it pushes along the normal x of the sections                     (2)
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.engine.islands import call_compiled
from locomote.engine.scalars import sqrt
from locomote.engine.source import kernel
from locomote.kernels.flexible.actuate import add_forces
from locomote.kernels.flexible.columns import FIRST_Q, STATION, STATIONS, STRAIN, X1, Z1
from locomote.kernels.flexible.shape import strains_at
from locomote.simulation.drives import as_drive
from locomote.simulation.plan import SIGNALS, SURROUNDINGS
from locomote.spatial.algebra import add, cross, dot, scale

TENDON, CHAMBER = 0, 1
# columns of `actuator_points`: length that a point stands for (times the area of a chamber), y, z and their derivatives
WEIGHT, OFFSET, SLOPE = 0, 1, 3
POINT = 5


@dataclass(frozen=True)
class Tendon:
    """A cable inside a rod, fixed at the end of its path, that is pulled at its start.

    body : name of the rod ; path : ((X, y, z), ...) m, joined by straight lines, or a function X -> (y, z) from 0 to the tip
    tension : N, a number, drive or function of t
    """

    body: str
    path: Any
    tension: Any
    name: str = ""


@dataclass(frozen=True)
class Chamber:
    """A pneumatic chamber along a rod.

    body : name of the rod ; area : m^2 ; pressure : Pa, a number, drive or function of t
    offset : (y, z) of its centre in the section, m ; start, stop : X of its ends, m, the whole rod if None
    """

    body: str
    area: float
    pressure: Any
    offset: tuple[float, float] = (0.0, 0.0)
    start: float = 0.0
    stop: float | None = None
    name: str = ""


def offsets(path: Any, length: float, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n, 4) y, z, y', z' of a path at X, and (n,) whether there is any."""
    if isinstance(path, Callable):
        step = 1e-5 * length
        ends = [np.array([path(float(np.clip(v + s, 0.0, length))) for v in x], dtype=float) for s in (-step, 0.0, step)]
        wide = np.clip(x + step, 0, length) - np.clip(x - step, 0, length)
        return np.hstack([ends[1], (ends[2] - ends[0]) / wide[:, None]]), np.ones(len(x), bool)
    knots = np.asarray(path, dtype=float)
    if knots.ndim != 2 or knots.shape[1] != 3 or len(knots) < 2 or not np.isfinite(knots).all():
        raise ValueError(f"the path of a tendon must be at least two places (X, y, z), m, or a function of X, not {path!r:.60}")
    if (np.diff(knots[:, 0]) <= 0).any() or knots[0, 0] < 0 or knots[-1, 0] > length * (1 + 1e-12):
        raise ValueError(f"the path of a tendon must go along X, from 0 to at most {length:g} m, not {knots[:, 0].tolist()}")
    inside = (x >= knots[0, 0]) & (x <= knots[-1, 0])
    piece = np.clip(np.searchsorted(knots[:, 0], x) - 1, 0, len(knots) - 2)
    slope = np.diff(knots[:, 1:], axis=0) / np.diff(knots[:, 0])[:, None]
    return np.hstack([knots[piece, 1:] + slope[piece] * (x - knots[piece, 0])[:, None], slope[piece]]), inside


def points_of(model, actuator) -> np.ndarray:
    """(2 stations, POINT) numbers of an actuator at the points of its rod."""
    rods = model.flexible.rods if model.flexible else {}
    if actuator.body not in rods:
        raise ValueError(
            f"{type(actuator).__name__} on {actuator.body!r}: there is no such rod; there are: {', '.join(rods) or 'none'}"
        )
    rod = rods[actuator.body]
    x, weight = rod.points.ravel(), np.repeat(0.5 * np.diff(rod.places, prepend=0.0), 2)
    length = float(rod.places[-1])
    result = np.zeros((len(x), POINT))
    if isinstance(actuator, Tendon):
        result[:, OFFSET:], inside = offsets(actuator.path, length, x)
        result[:, WEIGHT] = np.where(inside, weight, 0.0)
    else:
        stop = length if actuator.stop is None else actuator.stop
        if not 0.0 <= actuator.start < stop <= length * (1 + 1e-12) or not actuator.area > 0:
            raise ValueError(
                f"a chamber on {actuator.body!r} needs a positive area (m^2) and ends on the rod, from 0 to {length:g} m, not "
                f"area {actuator.area!r:.40} from {actuator.start!r:.40} to {stop!r:.40}"
            )
        result[:, WEIGHT] = np.where((x >= actuator.start) & (x <= stop), weight * actuator.area, 0.0)
        result[:, OFFSET : OFFSET + 2] = actuator.offset
    return result


def pack_actuators(model, actuators) -> tuple[np.ndarray, np.ndarray, dict[int, Any]]:
    """Table (rod, kind, first row of points), points, and the drives of their tensions and pressures."""
    table, points, drives = [], [np.zeros((0, POINT))], {}
    for n, actuator in enumerate(actuators):
        if not isinstance(actuator, (Tendon, Chamber)):
            raise TypeError(f"actuators holds {actuator!r:.60}, expected lo.Tendon or lo.Chamber")
        own = points_of(model, actuator)
        kind = TENDON if isinstance(actuator, Tendon) else CHAMBER
        table.append([model.flexible.order.index(actuator.body), kind, sum(len(p) for p in points)])
        points.append(own)
        drives[n] = as_drive(actuator.tension if kind == TENDON else actuator.pressure)
    return np.array(table, np.int64).reshape(-1, 3), np.concatenate(points), drives


@kernel
def actuate_one(plan, work, t, q, v):
    """Add the forces of all actuators to work.passive, and their power to that of the surroundings."""
    numbers = (plan.tension_rows, plan.tension_numbers, plan.functions, t, work.tension, work.tension_rate, work.tension_rate,
               work.signal)  # fmt: skip
    call_compiled(plan.calls[SIGNALS], numbers)
    steps, power = work.soft_steps, 0.0
    for n in range(plan.actuators.shape[0]):
        rod, kind, at = plan.actuators[n, 0], plan.actuators[n, 1], plan.actuators[n, 2]
        first = plan.rods[rod, STATION]
        for s in range(first, first + plan.rods[rod, STATIONS]):
            strains_at(plan, rod, s, plan.strain, STRAIN, q, plan.rods[rod, FIRST_Q], steps, X1)
            for g in range(2):
                p, c = at + 2 * (s - first) + g, X1 + 6 * g
                d = (0.0, plan.actuator_points[p, OFFSET], plan.actuator_points[p, OFFSET + 1])
                e, push = (1.0, 0.0, 0.0), plan.actuator_points[p, WEIGHT] * work.tension[n]
                if kind == TENDON:
                    nu = (steps[s, c], steps[s, c + 1], steps[s, c + 2])
                    kappa = (steps[s, c + 3], steps[s, c + 4], steps[s, c + 5])
                    slope = (0.0, plan.actuator_points[p, SLOPE], plan.actuator_points[p, SLOPE + 1])
                    e = add(add(nu, cross(kappa, d)), slope)
                    e, push = scale(1.0 / sqrt(dot(e, e)), e), -push
                turn = cross(d, e)
                for k in range(3):
                    steps[s, Z1 + 6 * g + k] = push * e[k]
                    steps[s, Z1 + 6 * g + 3 + k] = push * turn[k]
            power += add_forces(plan, rod, s, steps, v, work.passive)
    work.power[SURROUNDINGS] += power
    return plan.topology.shape[0]
