"""What acts inside rods: tendons along any path, chambers under pressure, muscles, and laws of strain beyond Hooke's.

At the points where a rod is integrated, with lengths w that they stand for, offset d(X) of the path in the section, strain
(nu, kappa) and the direction of the path tau = nu + kappa x d + d', e = tau / |tau|:

    tendon    Q = -tension sum of w B^T (e, d x e)        it pulls along its path, whose length is the sum of w |tau|      (1)
    chamber   Q = pressure area sum of w B^T (x, d x x)   it pushes along the normal x of the sections                     (2)
    muscle    as a tendon, with  tension = force activation f_l(|tau|) f_v(|tau|')                                         (3)
              f_l = exp(-((|tau| - optimum) / width)^2) ,   f_v = 1 + u / sqrt(1 + u^2) ,   u = |tau|' / speed
    law       Q = -sum of w B^T c ,  c = stress(e) + damping e' of one strain, e from its rest; `stress` as a spline       (4)
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.arguments import Numbers
from locomote.brief import brief
from locomote.drives.drive import as_drive
from locomote.drives.drive_inputs import told
from locomote.model.flexible.rods import STRAINS, positive

TENDON, CHAMBER, MUSCLE, LAW = range(4)
# columns of `actuator_points`: length that a point stands for (times the area of a chamber), y, z and their derivatives; of
# muscles also optimum, 1 / width and 1 / speed
WEIGHT, OFFSET, SLOPE, HILL = 0, 1, 3, 5
POINT = 8
# after the points of a law: a row with its component, its first strain, 1 / distance of knots, their count, damping; then a row
# for each piece of its spline, value and derivatives over 1, 1, 2, 6
COMPONENT, LOWEST, PER_KNOT, PIECES, DAMPING = range(5)
KNOTS = 200


@brief
@dataclass(frozen=True)
class Tendon:
    """A cable inside a rod, fixed at the end of its path, that is pulled at its start.

    body : name of the rod ; path : ((X, y, z), ...) m, joined by straight lines, or a function X -> (y, z) from 0 to the tip
    tension : N, a number, drive or function of t
    """

    body: str
    path: Numbers
    tension: Any
    name: str = ""


@brief
@dataclass(frozen=True)
class Chamber:
    """A pneumatic chamber along a rod.

    body : name of the rod ; area : m^2 ; pressure : Pa, a number, drive or function of t
    offset : (y, z) of its center in the section, m ; start, stop : X of its ends, m, the whole rod if None
    """

    body: str
    area: float
    pressure: Any
    offset: tuple[float, float] = (0.0, 0.0)
    start: float = 0.0
    stop: float | None = None
    name: str = ""


@brief
@dataclass(frozen=True)
class Muscle:
    """Muscle fibres along a path inside a rod, which pull as hard as they are activated (3).

    body : name of the rod ; path : as of a tendon ; force : N, when fully activated, at best length and at rest
    activation : from 0 to 1, a number, drive or function of t
    optimum, width : stretch of the path at which fibres pull best, and by which they differ from it at 1/e of that
    speed : of stretch, 1/s, at which fibres that shorten pull with 0.29 of that; None: they do not feel it
    """

    body: str
    path: Numbers
    force: float
    activation: Any
    optimum: float = 1.0
    width: float = 0.5
    speed: float | None = None
    name: str = ""


@brief
@dataclass(frozen=True)
class StrainLaw:
    """Elasticity and damping of one strain of a rod beyond those of its material, which act besides.

    body : name of the rod ; strain : "bending_z", ... ; stress : function of the strain, from rest, that gives the force or
    moment that it takes, N or N m, or a table ((strain, stress), ...); between knots a spline, beyond `reach` straight
    reach : (lowest, highest) strain of a function ; damping : N s or N m^2 s ; start, stop : X of its ends, m
    """

    body: str
    strain: str
    stress: Callable[[float], float] | Numbers
    reach: tuple[float, float] = (-1.0, 1.0)
    damping: float = 0.0
    start: float = 0.0
    stop: float | None = None
    name: str = ""

    def spline(self) -> tuple[float, float, np.ndarray]:
        """First knot, distance of knots, and (pieces + 2, 4) coefficients of powers; the outer two are straight lines."""
        from scipy.interpolate import CubicSpline

        if callable(self.stress):
            first, last = self.reach
            x = np.linspace(float(first), float(last), KNOTS + 1)
            y = np.array([told(self.stress, self.stress(float(v))) for v in x])
        else:
            table = np.asarray(self.stress, dtype=float)
            if table.ndim != 2 or table.shape[1:] != (2,) or len(table) < 4 or (np.diff(table[:, 0]) <= 0).any():
                raise ValueError(
                    "the stress of a strain law must be a function, or at least four pairs of rising strain and stress"
                )
            x = np.linspace(table[0, 0], table[-1, 0], KNOTS + 1)
            y = CubicSpline(*table.T)(x)
        if not x[-1] > x[0] or not np.isfinite(y).all():
            raise ValueError(f"a strain law needs a reach that rises and finite stresses there, not {self.reach!r:.60}")
        smooth, h = CubicSpline(x, y), float(x[1] - x[0])
        ends = smooth(x[[0, -1]], 1)
        inner = smooth.c[::-1].T
        before, after = [y[0] - ends[0] * h, ends[0], 0.0, 0.0], [y[-1], ends[1], 0.0, 0.0]
        return float(x[0]) - h, h, np.vstack([before, inner, after])


Actuator = Tendon | Chamber | Muscle | StrainLaw
SAID = {Tendon: ("tension", "N"), Chamber: ("pressure", "Pa"), Muscle: ("activation", "-"), StrainLaw: ("", "")}


def command(actuator: Actuator) -> Any:
    """What an actuator is told: tension, pressure or activation; one for laws."""
    word = SAID[type(actuator)][0]
    return getattr(actuator, word) if word else 1.0


def named(actuators) -> dict[str, Actuator]:
    """Actuators by their names, or by kind, body and number."""
    result = {}
    for n, actuator in enumerate(actuators, 1):
        name = actuator.name or f"{type(actuator).__name__.lower()} {n} of {actuator.body}"
        result[name if name not in result else f"{name} ({n})"] = actuator
    return result


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
    rods = {name: rod for name, rod in (model.flexible.rods if model.flexible else {}).items() if not rod.modal}
    if actuator.body not in rods:
        raise ValueError(
            f"{type(actuator).__name__} on {actuator.body!r}: there is no such rod; there are: {', '.join(rods) or 'none'}"
        )
    rod = rods[actuator.body]
    x, weight = rod.points.ravel(), np.repeat(0.5 * rod.steps, 2)
    length = float(rod.places[-1])
    result = np.zeros((len(x), POINT))
    if isinstance(actuator, (Tendon, Muscle)):
        result[:, OFFSET : OFFSET + 4], inside = offsets(actuator.path, length, x)
        result[:, WEIGHT] = np.where(inside, weight, 0.0)
        if isinstance(actuator, Muscle):
            result[:, WEIGHT] *= positive(actuator.force, f"force of a muscle on {actuator.body!r}")
            result[:, HILL] = positive(actuator.optimum, "optimum of a muscle")
            result[:, HILL + 1] = 1.0 / positive(actuator.width, "width of a muscle")
            result[:, HILL + 2] = 0.0 if actuator.speed is None else 1.0 / positive(actuator.speed, "speed of a muscle")
        return result
    stop = length if actuator.stop is None else actuator.stop
    area = positive(actuator.area, "area of a chamber") if isinstance(actuator, Chamber) else 1.0
    if not 0.0 <= actuator.start < stop <= length * (1 + 1e-12):
        raise ValueError(
            f"a {type(actuator).__name__} on {actuator.body!r} needs ends on the rod, from 0 to {length:g} m, not from "
            f"{actuator.start!r:.40} to {stop!r:.40}"
        )
    result[:, WEIGHT] = np.where((x >= actuator.start) & (x <= stop), weight * area, 0.0)
    if isinstance(actuator, Chamber):
        result[:, OFFSET : OFFSET + 2] = actuator.offset
    return result


def law_rows(actuator: StrainLaw) -> np.ndarray:
    """Rows of a law after its points."""
    if actuator.strain not in STRAINS:
        raise ValueError(
            f"a strain law on {actuator.body!r}: a rod has no strain {actuator.strain!r}; known: {', '.join(STRAINS)}"
        )
    first, h, pieces = actuator.spline()
    if not float(actuator.damping) >= 0.0:
        raise ValueError(f"damping of a strain law must be a number from 0, not {actuator.damping!r:.40}")
    rows = np.zeros((1 + len(pieces), POINT))
    rows[0, :5] = STRAINS.index(actuator.strain), first, 1.0 / h, len(pieces), actuator.damping
    rows[1:, :4] = pieces
    return rows


def pack_actuators(model, actuators) -> tuple[np.ndarray, np.ndarray, dict[int, Any]]:
    """Table (rod, kind, first row of points), points, and the drives of what actuators are told."""
    table, points, drives = [], [np.zeros((0, POINT))], {}
    for n, actuator in enumerate(actuators):
        if not isinstance(actuator, Actuator):
            raise TypeError(f"actuators holds {actuator!r:.60}, expected lo.Tendon, lo.Chamber, lo.Muscle or lo.rods.StrainLaw")
        own = points_of(model, actuator)
        kind = {Tendon: TENDON, Chamber: CHAMBER, Muscle: MUSCLE, StrainLaw: LAW}[type(actuator)]
        table.append([model.flexible.order.index(actuator.body), kind, sum(len(p) for p in points)])
        points += [own, law_rows(actuator)] if isinstance(actuator, StrainLaw) else [own]
        drives[n] = as_drive(command(actuator))
    return np.array(table, np.int64).reshape(-1, 3), np.concatenate(points), drives
