"""The net motion of a gait: exact, its logarithm, what the area rule says of it, and its dependence on where it starts.

g = path-ordered exp of -A(r) dr                                                                                 (1)
z = log g ,   g_c = h^-1 g h  from another starting point, h the motion up to there                              (2)
area estimate: exp of -int_S F over a surface S that the path bounds, here the cone from its middle                (3)
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.errors import LocomoteError
from locomote.gaits.gait import Gait
from locomote.gaits.local_form import SINGULAR, Local, LocalForm, NoConnection, local_form
from locomote.gaits.path_ordered import Ordered, Panels, structure
from locomote.locomotion.net_displacement import forces_beside
from locomote.locomotion.problem import Locomotion
from locomote.spatial.groups_arrays import Group

TOLERANCE = 1e-12  # m or rad, of the net motion
LEAST = 1e-14  # of a tolerance: what rounding leaves
MOST = 12  # how often panels are cut in two
AXES = ("x", "y", "z", "turn about x", "turn about y", "turn about z")


@brief
@dataclass(frozen=True, eq=False)
class Displacement:
    """The net motion of one period.

    pose : (4, 4) of the base after the period, seen from its start ; error : m or rad, how far a coarser integration is off
    log : (n,) twist of the group whose exponential it is, m and rad a period, angle at most pi ; axes : names of its entries
    area : (n,) what the area rule says instead, in the frame of the base ; area_error : norm of area - log
    length : of the path in the metric of the problem ; cost : power or energy integral over the period (see `metric`)
    angle : rad, all turns counted, of motions in a plane; else that of log
    """

    gait: Gait
    group: Group
    pose: np.ndarray
    log: np.ndarray
    error: float
    area: np.ndarray
    length: float
    cost: float
    angle: float
    ordered: Ordered
    kind: str

    @property
    def axes(self) -> tuple[str, ...]:
        """Names of the entries of `log` and `area`."""
        return tuple(AXES[a] for a in self.group.axes)

    @property
    def position(self) -> np.ndarray:
        """(3,) m, where the base is after a period, seen from its start."""
        return self.pose[:3, 3]

    @property
    def area_error(self) -> float:
        """How far the area rule is off."""
        return float(np.linalg.norm(self.area - self.log))

    @property
    def distance(self) -> float:
        """m, from start to end; without net rotation the same from every starting point."""
        return float(np.linalg.norm(self.position))

    def repeated(self, periods: int) -> np.ndarray:
        """(4, 4) pose after many periods; of a negative number the way back."""
        if isinstance(periods, bool) or not isinstance(periods, int | np.integer):
            raise ValueError(f"periods is {periods!r:.40}, expected an integer")
        return np.linalg.matrix_power(self.pose, int(periods))

    def phases(self) -> tuple[np.ndarray, np.ndarray]:
        """Parts of the period (N,), and poses (N, 4, 4) after a period that starts there (2)."""
        h = self.ordered.poses[:-1]
        return self.ordered.panels.edges[:-1] / self.gait.period, np.linalg.inv(h) @ self.pose @ h

    def screw(self) -> tuple[np.ndarray, np.ndarray, float, float]:
        """Axis of the net motion: a point (3,) m, a direction (3,), angle (rad) and advance (m) a period."""
        full = np.zeros(6)
        full[list(self.group.axes)] = self.log
        shift, turn = full[:3], full[3:]
        angle = float(np.linalg.norm(turn))
        if angle < 1e-12:
            size = float(np.linalg.norm(shift))
            return np.zeros(3), shift / size if size else np.array([0.0, 0.0, 1.0]), 0.0, size
        axis = turn / angle
        return np.cross(axis, shift) / angle, axis, angle, float(shift @ axis)

    def __str__(self) -> str:
        parts = ", ".join(f"{axis} {value:.6g}" for axis, value in zip(self.axes, self.log, strict=True))
        return (
            f"net motion a period: {parts} (log); length of the path {self.length:.6g}, area rule off by {self.area_error:.2g}"
        )


def displacement(
    problem: Locomotion, gait: Gait, *, metric: Any = None, at: Any = None, tolerance: float = TOLERANCE
) -> Displacement:
    """The exact net motion of one period of a gait, for problems whose shape alone decides it.

    metric : of length and cost, as of `lo.gaits.optimize`; that of the problem if None
    at : (nq,) configuration, or {joint: value}, where joints stay that the gait does not move; the start if None
    tolerance : m or rad, to which the net motion is integrated
    """
    if not isinstance(gait, Gait):
        kind = type(gait).__name__
        raise TypeError(f"gait is a {kind}, expected a lo.gaits.Gait; what lo.gaits.optimize gives has it as .gait")
    if not LEAST <= tolerance < np.inf:
        raise ValueError(f"tolerance is {tolerance!r:.40}, expected a number from {LEAST:g} on, m or rad")
    form = connected(problem, gait, at)
    panels, before = gait.panels(), None
    for _ in range(MOST):
        found, local, rates = along(form, gait, panels)
        if before is not None:
            error = float(abs(found.pose - before.pose).max())
            if error <= 64.0 * tolerance:  # of order six: the finer one is better by that much
                break
        before, panels = found, panels.finer()
    else:
        raise LocomoteError(
            f"the net motion of {problem.name!r} does not settle: it still changes by {error:.2g} with {len(panels.edges)} "
            f"panels; the path is not smooth (say where, by corners=), or comes close to a singular shape"
        )
    return summed(form, gait, found, local, rates, error / 64.0, metric)


def along(form: LocalForm, gait: Gait, panels: Panels) -> tuple[Ordered, Local, np.ndarray]:
    """The product over panels, the local form at all nodes, and rates (N, 3, k) of the coordinates."""
    x, rates, _ = gait.shapes(panels.nodes)
    local = form(x.reshape(-1, form.size))
    refuse_singular(form, gait, panels, local)
    xi = -np.einsum("pnk,pk->pn", local.A, rates.reshape(-1, form.size))
    return Ordered(form.group, panels, xi.reshape(*panels.nodes.shape, -1)), local, rates


def refuse_singular(form: LocalForm, gait: Gait, panels: Panels, local: Local) -> None:
    """Say where a path meets shapes at which the connection has no value."""
    bad = np.flatnonzero(~(local.sound > SINGULAR))
    crossed = np.flatnonzero(np.diff(local.side, append=local.side[:1]))
    if not len(bad) and not len(crossed):
        return
    place = int(bad[0] if len(bad) else crossed[0])
    t = panels.nodes.ravel()[place]
    shape = ", ".join(f"{name} = {x:.3g}" for name, x in zip(gait.names, gait.shapes(t)[0], strict=True))
    raise LocomoteError(
        f"the path of this gait meets a singular shape of {form.problem.name!r} near t = {t:.3g} s ({shape}): there the "
        f"constraints do not decide the net motion; keep the path to one side of such shapes, which `connection_field` shows"
    )


def summed(form: LocalForm, gait: Gait, found: Ordered, local: Local, rates, error: float, metric) -> Displacement:
    """All that is said of a gait, from the finest integration."""
    from locomote.gaits.metric import metric_of

    k, panels = form.size, found.panels
    speed = metric_of(form, metric)(gait.shapes(panels.nodes)[0].reshape(-1, k), local).squared(rates.reshape(-1, k))
    shares = panels.shares.ravel()
    turns = [j for j, a in enumerate(form.group.axes) if a > 2]
    log = form.group.log(found.pose)
    planar = len(turns) == 1
    angle = float(found.steps[:, turns[0]].sum()) if planar else float(np.linalg.norm(log[turns])) if turns else 0.0
    length, cost = float(shares @ np.sqrt(speed)), float(shares @ speed)
    return Displacement(gait, form.group, found.pose, log, error, area(form, gait), length, cost, angle, found, form.kind)


def area(form: LocalForm, gait: Gait, *, rings: int = 12) -> np.ndarray:
    """(n,) minus the integral of the curvature over the cone of a path from its middle (3), by Gauss rules."""
    panels = gait.panels(24)
    t, shares = panels.nodes.ravel(), panels.shares.ravel()
    x, rates, _ = gait.shapes(t)
    middle = shares @ x / gait.period
    s, w = np.polynomial.legendre.leggauss(rings)
    s, w = (s + 1) / 2, w / 2
    total = np.zeros(form.group.size)
    for u, weight in zip(s, w, strict=True):
        F = curvature(form, form(middle + u * (x - middle)))
        total -= weight * u * np.einsum("p,pjkn,pj,pk->n", shares, F, x - middle, rates)
    return total


def curvature(form: LocalForm, local: Local) -> np.ndarray:
    """(N, k, k, n) F_jk = dA_k/dx_j - dA_j/dx_k - [A_j, A_k]."""
    d = local.dA.transpose(0, 1, 3, 2)  # (N, j, k, n)
    return d - d.transpose(0, 2, 1, 3) - brackets(form.group, local.A)


def brackets(group: Group, A: np.ndarray) -> np.ndarray:
    """(N, k, k, n) [A_j, A_k]."""
    return np.einsum("cab,paj,pbk->pjkc", structure(group), A, A, optimize=True)


def connected(problem: Locomotion, gait: Gait, at: Any = None) -> LocalForm:
    """The local form over the coordinates of a gait, or the sentence that says why the shape alone does not decide."""
    form = local_form(problem, gait.coordinates, at)
    refuse_other_forces(form)
    return form


def refuse_other_forces(form: LocalForm, *, momentum: bool = False) -> None:
    """Say what else than the shape moves the base; a momentum that constraints leave is one, unless the caller knows it."""
    problem = form.problem
    hint = "lo.gaits.optimize(..., way='runs') finds gaits by runs, and simulate runs one"
    if form.kind == "mixed" and not momentum:
        raise NoConnection(
            f"the shape of {problem.name!r} does not decide its net motion alone: constraints leave it a momentum; {hint}"
        )
    if beside := forces_beside(problem, form.kind):
        raise NoConnection(f"{beside}; {hint}, or leave these forces out")
    if problem.contacts:
        raise NoConnection(f"the shape of {problem.name!r} does not decide its net motion alone: it has contacts; {hint}")
