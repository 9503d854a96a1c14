"""Inverse locomotion: the shape motion that brings the base where it is wanted, with least effort.

    minimise  int x'^T G x' dt   over paths x(t) of the shape from a start to an end
    so that   the path-ordered product of -A(x) x' is the target, on the way also others, clear of obstacles            (1)

Paths are splines through values at knots, which are the unknowns; the product is that of `path_ordered` with its exact slopes,
and (1) is solved by sequential quadratic programs (SciPy's SLSQP) from several starts. The best is corrected by Newton's method
on panels that are halved until nothing changes. What is found is best among its neighbours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.drives.drive import Drive
from locomote.drives.kinds.spline import Spline
from locomote.errors import LocomoteError
from locomote.gaits.coordinates import joined
from locomote.gaits.holonomy import Holonomy, holonomy
from locomote.gaits.local_form import SINGULAR, LocalForm, local_form
from locomote.gaits.metric import metric_of
from locomote.gaits.net_motion import refuse_other_forces
from locomote.gaits.optimisation import count_of, limits
from locomote.gaits.path_ordered import Ordered, Panels
from locomote.gaits.targets import Rows, as_pose, target_rows
from locomote.locomotion.problem import Locomotion
from locomote.spatial.groups_arrays import Group

PIECES, WATCHED = 2, 6  # panels between two knots, and where obstacles are watched
MET = 1e-6  # m or rad, to which a search meets its target before it is corrected
OUT = 1e-4  # m or rad, beyond which a motion is said to be out of the holonomy
SHARP = 400.0  # of the smooth smallest distance to obstacles, over their size (0.1 m of a wall)


class OutOfReach(LocomoteError, ValueError):
    """No shape motion gives the wanted net motion, or none was found."""


@brief
@dataclass(frozen=True)
class Obstacle:
    """A ball that the origin of the base stays out of: center (3,) and radius, m, seen from where the base starts."""

    center: tuple[float, float, float]
    radius: float

    def clearance(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(N,) m, and its slopes (N, 3), at places (N, 3)."""
        away = p - np.asarray(self.center, dtype=float)
        distance = np.maximum(np.linalg.norm(away, axis=1), 1e-12)
        return distance - self.radius, away / distance[:, None]


@brief
@dataclass(frozen=True)
class Wall:
    """A plane that the origin of the base stays in front of: a point (3,), m, and the normal (3,) towards the base."""

    point: tuple[float, float, float]
    normal: tuple[float, float, float]

    def clearance(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(N,) m, and its slopes (N, 3), at places (N, 3)."""
        normal = np.asarray(self.normal, dtype=float)
        normal = normal / np.linalg.norm(normal)
        return (p - np.asarray(self.point, dtype=float)) @ normal, np.broadcast_to(normal, p.shape)


@brief
@dataclass(frozen=True, eq=False)
class Plan:
    """A shape motion that reaches its target.

    times : (K,) s, of the knots ; values : (K, k) of the coordinates there ; names : of the coordinates
    pose : (4, 4) of the base at the end, seen from its start ; error : m or rad, by which it misses the target
    effort : integral of x'^T G x' over the motion ; length : of the path in the metric ; poses : (N, 4, 4) on the way
    others : efforts of other solutions that were found ; starts : how many searches there were
    """

    problem: Locomotion
    names: tuple[str, ...]
    modes: Mapping[str, Mapping[Any, float]]
    times: np.ndarray
    values: np.ndarray
    rest: bool
    pose: np.ndarray
    poses: np.ndarray
    error: float
    effort: float
    length: float
    holonomy: Holonomy
    others: tuple[float, ...]
    starts: int

    @property
    def duration(self) -> float:
        """s"""
        return float(self.times[-1])

    def paths(self) -> dict[str, Drive]:
        """Coordinate -> drive."""
        end = "clamped" if self.rest else "natural"
        return {name: Spline(self.times, self.values[:, j], end=end, order=5) for j, name in enumerate(self.names)}

    def drives(self) -> dict[str, Drive]:
        """Drives of joints, as `drives` of a problem."""
        found: dict[str, Drive] = {}
        for name, drive in self.paths().items():
            for joint, weight in self.modes[name].items():
                own = drive if weight == 1.0 else float(weight) * drive
                found[joined(joint)] = found[joined(joint)] + own if joined(joint) in found else own
        return found

    def slower(self, factor: float) -> "Plan":
        """The same path in `factor` times the time: the net motion is the same, the effort less."""
        if not (np.isfinite(factor) and factor > 0.0):
            raise ValueError(f"factor is {factor!r:.40}, expected a positive number")
        return replace(self, times=self.times * factor, effort=self.effort / factor)

    def run(self, **options):
        """The motion as a run, with torques; options as of `simulate`."""
        problem = self.problem.replaced(drives=self.drives(), torques=None, start=None)
        q, v = problem.initial()
        return problem.simulate(self.duration, q=q, v=v, **options)

    def __str__(self) -> str:
        more = f", others need {', '.join(f'{x:.4g}' for x in self.others[:3])}" if self.others else ""
        return (
            f"reached within {self.error:.2g} (m or rad) in {self.duration:g} s: effort {self.effort:.6g}, length "
            f"{self.length:.6g}; least of {self.starts} starts{more}"
        )


def reach(
    problem: Locomotion, target: Any, *, duration: float = 1.0, coordinates: Any = None, start: Any = None, end: Any = None,
    at: Any = None, knots: int = 17, metric: Any = None, bounds: Any = None, through: Mapping[float, Any] | None = None,
    avoid: Sequence[Obstacle | Wall] = (), rest: bool = False, starts: int = 4, amplitude: float = 0.6, seed: int = 0,
) -> Plan:  # fmt: skip
    """The shape motion that gives a wanted net motion with least effort: a local optimum, the best of some starts.

    target : (4, 4) pose of the base at the end, seen from its start, (3, 3) rotation, or {"x": m, "y": m, "z": m, "turn": rad}
        of which any may be left free
    duration : s ; coordinates : joints, or modes as of `lo.gaits.Gait`; all of the shape if None
    start, end : (k,) values of the coordinates; zero, and as at the start, if None; end may be "free"
    at : where other joints stay ; knots : of the splines ; metric : as of `lo.gaits.optimize` ; bounds : as there
    through : part of the duration (0 to 1) -> target to go through
    avoid : lo.gaits.Obstacle and lo.gaits.Wall that the origin of the base stays clear of
    rest : whether the shape is at rest at both ends
    starts : how many searches, each from a random loop of some `amplitude` (rad or m)

    Raises lo.gaits.OutOfReach if the holonomy of the connection does not have the motion, saying what it has, or if no search
    finds it.
    """
    form = local_form(problem, coordinates, at)
    refuse_other_forces(form)
    if not (np.isfinite(duration) and duration > 0.0):
        raise ValueError(f"duration is {duration!r:.40}, expected a positive time, s")
    if count_of("knots", knots) < 6:
        raise ValueError(f"knots is {knots}, expected at least 6")
    first = shape_of("start", start, form, np.zeros(form.size))
    free = isinstance(end, str) and end == "free"
    last = None if free else shape_of("end", end, form, first)
    basis = Basis(np.linspace(0.0, 1.0, knots), rest, WATCHED if avoid else PIECES)
    course = Course(form, basis, metric_of(form, metric), first, last, wanted(form.group, target, through), tuple(avoid))
    course.box = limits(form, bounds)
    for obstacle in avoid:
        if (inside := float(obstacle.clearance(np.zeros((1, 3)))[0][0])) < 0.0:
            raise ValueError(f"the base starts inside {obstacle!r}, by {-inside:.3g} m; places are seen from where it starts")
    held = holonomy(form, first)
    refuse_unreachable(course, held, target)
    rng = np.random.default_rng(seed)
    still = course.still()
    tops = (
        [still]
        if still is not None
        else [top for _ in range(count_of("starts", starts)) if (top := course.searched(rng, amplitude)) is not None]
    )
    if not tops:
        raise OutOfReach(
            f"no search of {starts} found a shape motion of {problem.name!r} that reaches the target; {held}; give more knots, "
            f"more starts, another amplitude, or wider bounds"
        )
    tops.sort(key=lambda top: top[0])
    efforts = [top[0] / duration for top in tops]
    values, found = course.corrected(tops[0][1])
    x = course.values(values)
    others = tuple(e for k, e in enumerate(efforts) if k and all(abs(e - f) > 1e-3 * e for f in efforts[:k]))
    modes = {
        name: {form.coordinates.joints[row]: float(form.coordinates.directions[row, j]) for row in np.flatnonzero(column)}
        for j, (name, column) in enumerate(zip(form.coordinates.names, form.coordinates.directions.T, strict=True))
    }
    return Plan(
        problem, form.coordinates.names, modes, basis.knots * duration, x, rest, found.ordered.pose, found.ordered.poses,
        float(abs(found.rows).max()), found.effort / duration, found.length, held, others, starts,
    )  # fmt: skip


def shape_of(name: str, given: Any, form: LocalForm, otherwise: np.ndarray) -> np.ndarray:
    """(k,) values of the coordinates."""
    if given is None:
        return otherwise
    names = form.coordinates.names
    if isinstance(given, Mapping):
        given = [given.get(own, otherwise[j]) for j, own in enumerate(names)]
    value = np.asarray(given, dtype=float)
    if value.shape != (form.size,) or not np.isfinite(value).all():
        raise ValueError(f"{name} is {given!r:.60}, expected {form.size} numbers: {', '.join(names)}")
    return value


def wanted(group: Group, target: Any, through: Mapping[float, Any] | None) -> list[tuple[float, Rows]]:
    """Rows at parts of the duration."""
    found = [(1.0, target_rows(group, target))]
    for part, own in (through or {}).items():
        if not 0.0 < part < 1.0:
            raise ValueError(f"through has a target at {part!r:.40}, expected a part of the duration between 0 and 1")
        found.append((float(part), target_rows(group, own)))
    return found


def refuse_unreachable(course: "Course", held: Holonomy, target: Any) -> None:
    """Say that a motion is not among those that closed paths give, if it is not."""
    if held.all or course.last is None or isinstance(target, Mapping):
        return
    straight = course.at(course.numbers(np.linspace(course.first, course.last, len(course.basis.knots)))).ordered.pose
    pose = as_pose(course.form.group, target)
    if (missing := held.lacking(np.linalg.inv(straight) @ pose)) > OUT:
        raise OutOfReach(
            f"{course.form.problem.name!r} cannot make this motion, whatever its shape does: {missing:.3g} (m or rad) are out "
            f"of reach; {held}; take more coordinates, or a target among these"
        )


class Basis:
    """Splines of order 5 through values at knots in 0..1: matrices of values and rates at the nodes of panels."""

    def __init__(self, knots: np.ndarray, rest: bool, pieces: int = PIECES):
        self.knots, self.rest, self.pieces = knots, rest, pieces
        self.panels = Panels(np.linspace(0.0, 1.0, (len(knots) - 1) * pieces + 1))

    @cached_property
    def matrices(self) -> tuple[np.ndarray, np.ndarray]:
        """(N, K) values and rates at all nodes."""
        from scipy.interpolate import make_interp_spline

        ends = [(1, np.zeros(len(self.knots))), (2, np.zeros(len(self.knots)))] if self.rest else None
        other = [(3, np.zeros(len(self.knots))), (4, np.zeros(len(self.knots)))]
        curves = make_interp_spline(self.knots, np.eye(len(self.knots)), k=5, bc_type=(ends or other, ends or other))
        t = self.panels.nodes.ravel()
        return curves(t), curves(t, 1)

    def finer(self) -> "Basis":
        """The same splines on panels cut in two."""
        return Basis(self.knots, self.rest, 2 * self.pieces)


@dataclass(frozen=True)
class Found:
    """A path: its effort with slopes, rows with slopes, clearance with slopes."""

    ordered: Ordered
    effort: float
    length: float
    by_effort: np.ndarray
    rows: np.ndarray
    by_rows: np.ndarray
    clear: np.ndarray
    by_clear: np.ndarray
    sound: bool


@dataclass
class Course:
    """The problem (1) over numbers: values at inner knots, and at the last if the end is free."""

    form: LocalForm
    basis: Basis
    metric: Any
    first: np.ndarray
    last: np.ndarray | None
    wanted: list[tuple[float, Rows]]
    avoid: tuple[Obstacle | Wall, ...]
    box: tuple = (None, None)

    @property
    def inner(self) -> slice:
        """Knots that are unknown."""
        return slice(1, None if self.last is None else -1)

    def values(self, numbers: np.ndarray) -> np.ndarray:
        """(K, k) values at all knots."""
        x = np.tile(self.first, (len(self.basis.knots), 1))
        if self.last is not None:
            x[-1] = self.last
        x[self.inner] = numbers.reshape(-1, self.form.size)
        return x

    def numbers(self, values: np.ndarray) -> np.ndarray:
        """The unknowns of values at all knots."""
        return values[self.inner].ravel()

    def at(self, numbers: np.ndarray) -> Found:
        """Everything at a path."""
        form, n = self.form, self.form.group.size
        B, D = self.basis.matrices
        knots = self.values(numbers)
        x, rates = B @ knots, D @ knots
        local = form(x)
        xi = -np.einsum("pnk,pk->pn", local.A, rates)
        ordered = Ordered(form.group, self.basis.panels, xi.reshape(-1, 3, n))
        G = self.metric(x, local)
        shares, squared = self.basis.panels.shares.ravel(), G.squared(rates)
        by_x = shares[:, None] * np.einsum("pj,pijk,pk->pi", rates, G.dG, rates)
        by_rate = 2.0 * shares[:, None] * np.einsum("pjk,pk->pj", G.G, rates)
        rows, by_rows = [], []
        for part, own in self.wanted:
            place = min(int(round(part * len(ordered.steps))), len(ordered.steps))
            found, slopes = own(ordered.poses[place])
            rows.append(found)
            by_rows += [self._pulled(ordered, local, rates, place, row) for row in slopes]
        clear, by_clear = self._clear(ordered, local, rates)
        sound = bool((local.sound > SINGULAR).all() and len(set(local.side)) == 1 and np.isfinite(ordered.pose).all())
        return Found(
            ordered, float(shares @ squared), float(shares @ np.sqrt(squared)), self._unknown(B.T @ by_x + D.T @ by_rate),
            np.concatenate(rows), np.array(by_rows), clear, by_clear, sound,
        )  # fmt: skip

    def _unknown(self, by_knots: np.ndarray) -> np.ndarray:
        return by_knots[self.inner].ravel()

    def _pulled(
        self, ordered: Ordered, local, rates, place: int, row: np.ndarray, many: np.ndarray | None = None
    ) -> np.ndarray:
        """Slopes by the unknowns of a number with slope `row` (n,) by the motion at an edge, or `many` (N, n) by all."""
        covectors = np.zeros_like(ordered.steps) if many is None else many
        if many is None:
            covectors[place - 1] = row
        s = ordered.slopes(covectors).reshape(-1, self.form.group.size)
        B, D = self.basis.matrices
        by_x = -np.einsum("pn,pink,pk->pi", s, local.dA, rates)
        by_rate = -np.einsum("pn,pnk->pk", s, local.A)
        return self._unknown(B.T @ by_x + D.T @ by_rate)

    def _clear(self, ordered: Ordered, local, rates) -> tuple[np.ndarray, np.ndarray]:
        """A smooth lower bound of the clearance to each obstacle over the way, m, and its slopes."""
        if not self.avoid:
            return np.zeros(0), np.zeros((0, 0))
        p = ordered.poses[1:, :3, 3]
        values, slopes = [], []
        for obstacle in self.avoid:
            gap, by_p = obstacle.clearance(p)
            sharp = SHARP / max(getattr(obstacle, "radius", 0.1), 1e-9)
            weights = np.exp(-sharp * (gap - gap.min()))
            values.append(gap.min() - np.log(weights.sum()) / sharp)
            weights = weights / weights.sum()
            full = np.concatenate([by_p, np.cross(p, by_p)], axis=1)[:, list(self.form.group.axes)]
            slopes.append(self._pulled(ordered, local, rates, 0, full[0], weights[:, None] * full))
        return np.array(values), np.array(slopes)

    def still(self) -> tuple[float, np.ndarray] | None:
        """No motion at all, if that is what is wanted."""
        if self.last is None or not np.array_equal(self.first, self.last):
            return None
        numbers = self.numbers(np.tile(self.first, (len(self.basis.knots), 1)))
        found = self.at(numbers)
        return (0.0, numbers) if abs(found.rows).max() < MET and (found.clear > 0).all() else None

    def searched(self, rng: np.random.Generator, amplitude: float) -> tuple[float, np.ndarray] | None:
        """Effort and unknowns of a search from a random loop; None if it does not reach the target."""
        from scipy.optimize import minimize

        t, k = self.basis.knots, self.form.size
        waves = sum(rng.normal(size=k)[None] * np.sin(np.pi * m * t)[:, None] / m for m in (1, 2, 3))
        ends = self.first if self.last is None else self.first + t[:, None] * (self.last - self.first)
        begin = self.numbers(ends + amplitude * waves)
        if not self.at(begin).sound:
            return None
        kept: dict[bytes, Found] = {}

        def at(c):
            key = c.tobytes()
            if key not in kept:
                kept.clear()
                kept[key] = self.at(c)
            return kept[key]

        scale = max(at(begin).effort, 1e-12)
        conditions = [{"type": "eq", "fun": lambda c: at(c).rows, "jac": lambda c: at(c).by_rows}]
        if self.avoid:
            conditions.append({"type": "ineq", "fun": lambda c: at(c).clear, "jac": lambda c: at(c).by_clear})
        found = minimize(
            lambda c: at(c).effort / scale, begin, jac=lambda c: at(c).by_effort / scale, method="SLSQP", bounds=self._bounds(),
            constraints=conditions, options={"maxiter": 400, "ftol": 1e-12},
        )  # fmt: skip
        top = self.at(found.x)
        good = top.sound and abs(top.rows).max() < MET and (top.clear > -MET).all()
        return (top.effort, found.x) if good else None

    def _bounds(self) -> list | None:
        low, high = self.box
        if low is None or high is None:
            return None
        count = len(self.numbers(self.values(np.zeros(len(self.basis.knots[self.inner]) * self.form.size)))) // self.form.size
        return [(float(a), float(b)) for _ in range(count) for a, b in zip(low, high, strict=True)]

    def corrected(self, numbers: np.ndarray) -> tuple[np.ndarray, Found]:
        """The path moved as little as possible so that it meets its target on panels that are fine enough."""
        before = None
        for _ in range(5):
            for _ in range(6):
                found = self.at(numbers)
                if abs(found.rows).max() < 1e-12:
                    break
                numbers = numbers - np.linalg.lstsq(found.by_rows, found.rows, rcond=1e-10)[0]
            pose = self.at(numbers).ordered.pose
            if before is not None and abs(pose - before).max() < 1e-11:
                break
            before, self.basis = pose, self.basis.finer()
            before = self.at(numbers).ordered.pose if abs(self.at(numbers).rows).max() < 1e-10 else before
        return numbers, self.at(numbers)
