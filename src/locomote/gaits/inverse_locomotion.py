"""Inverse locomotion: the shape motion that brings the base where it is wanted, with least effort.

    minimise  int x'^T G x' dt   over paths x(t) of the shape from a start to an end
    so that   the path-ordered product of -A(x) x' is the target, on the way also others, clear of obstacles            (1)

Paths are splines through values at knots, which are the unknowns; the product is that of `path_ordered` with its exact slopes,
and (1) is solved by sequential quadratic programs (SciPy's SLSQP) from several starts, on finer panels where coarse ones
mislead. The best is corrected by Newton's method on panels that are halved until nothing changes; one that cannot be is left
out. What is found is best among its neighbours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.drives.drive import Drive
from locomote.drives.kinds.constant import Constant
from locomote.drives.kinds.spline import Spline
from locomote.errors import LocomoteError
from locomote.gaits.coordinates import coordinates_of, joined, shape_of
from locomote.gaits.course import PIECES, WATCHED, Basis, Course
from locomote.gaits.drifting_course import STEPS, DriftCourse, Halves
from locomote.gaits.holonomy import Holonomy
from locomote.gaits.local_form import LocalForm, local_form
from locomote.gaits.metric import metric_of
from locomote.gaits.net_motion import refuse_other_forces
from locomote.gaits.obstacles import Obstacle, Wall
from locomote.gaits.optimisation import count_of, limits
from locomote.gaits.reachability import RestToRest, reachable_from
from locomote.gaits.targets import Rows, as_pose, target_rows
from locomote.locomotion.problem import Locomotion
from locomote.spatial.groups_arrays import Group

OUT = 1e-4  # m or rad, beyond which a motion is said to be out of the holonomy


class OutOfReach(LocomoteError, ValueError):
    """No shape motion gives the wanted net motion, or none was found."""


@brief
@dataclass(frozen=True, eq=False)
class Plan:
    """A shape motion that reaches its target.

    times : (K,) s, of the knots ; values : (K, k) of the coordinates there ; names : of the coordinates
    pose : (4, 4) of the base at the end, seen from its start ; error : m or rad, by which it misses the target
    effort : integral of x'^T G x' over the motion ; length : of the path in the metric ; poses : (N, 4, 4) on the way
    holonomy : what closed paths can reach; of systems with momentum from rest to rest
    others : efforts of other solutions that were found ; starts : how many searches there were
    at : where other joints stay
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
    at: Any = None

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

    def fastest(self, torques: Any) -> "Plan":
        """The same path as fast as limits of joint forces let it, N m or N, {coordinate: limit} or one for all: from rest to
        rest, with the same net motion."""
        from locomote.gaits.timing import fastest

        return fastest(self, torques)

    def run(self, **options):
        """The motion as a run, with torques; other joints are held where they are; options as of `simulate`."""
        made = coordinates_of(self.problem, {name: dict(self.modes[name]) for name in self.names}, self.at)
        held = {
            joint: Constant(float(made.at[place]))
            for joint, place, row in zip(made.joints, made.places, made.directions, strict=True) if not row.any()
        }  # fmt: skip
        problem = self.problem.replaced(drives={**held, **self.drives()}, torques=None, start=None)
        q, v = (np.array(x) for x in problem.initial())
        if self.problem.inertia and not self.rest:  # with no momentum but what the shape itself makes
            x, dx = (np.array([drive(0.0)[k] for drive in self.paths().values()]) for k in (0, 1))
            form = LocalForm(self.problem, made)
            v[form.base] = -form(x[None]).A[0] @ dx
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

    target : (4, 4) pose of the base at the end, seen from its start, (3, 3) rotation, wherever it then is, or
        {"x": m, "y": m, "z": m, "turn": rad}
        of which any may be left free
    duration : s ; coordinates : joints, or modes as of `lo.gaits.Gait`; all of the shape if None
    start, end : (k,) values of the coordinates; zero, and as at the start, if None; end may be "free"
    at : where other joints stay ; knots : of the splines ; metric : as of `lo.gaits.optimize` ; bounds : as there
    through : part of the duration (0 to 1) -> target to go through
    avoid : lo.gaits.Obstacle and lo.gaits.Wall that the origin of the base stays clear of, to 1e-3 of their radius
    rest : whether the shape is at rest at both ends; always of mixed systems (boards), whose base stands still there too
    starts : how many searches, each from a random loop of some `amplitude` (rad or m)

    Raises lo.gaits.OutOfReach if the holonomy of the connection does not have the motion, saying what it has, or if no search
    finds it.
    """
    form = local_form(problem, coordinates, at)
    refuse_other_forces(form, momentum=True)
    if not (np.isfinite(duration) and duration > 0.0):
        raise ValueError(f"duration is {duration!r:.40}, expected a positive time, s")
    if count_of("knots", knots) < 6:
        raise ValueError(f"knots is {knots}, expected at least 6")
    first = shape_of("start", start, form.coordinates, np.zeros(form.size))
    free = isinstance(end, str) and end == "free"
    last = None if free else shape_of("end", end, form.coordinates, first)
    said = metric_of(form, metric), first, last, wanted(form.group, target, through), tuple(avoid)
    if form.kind == "mixed":  # it stands still before and after, or momentum would be left
        rest = True
        course = DriftCourse(form, Halves(np.linspace(0.0, 1.0, knots), rest, STEPS), *said)
    else:
        course = Course(form, Basis(np.linspace(0.0, 1.0, knots), rest, WATCHED if avoid else PIECES), *said)
    course.box = limits(form, bounds)
    for obstacle in avoid:
        if not isinstance(obstacle, Obstacle | Wall):
            raise TypeError(f"avoid holds {obstacle!r:.60}, expected lo.gaits.Obstacle or lo.gaits.Wall")
        if (inside := float(obstacle.clearance(np.zeros((1, 3)))[0][0])) < 0.0:
            raise ValueError(f"the base starts inside {obstacle!r}, by {-inside:.3g} m; places are seen from where it starts")
    held = reachable_from(form, first)
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
            f"no search of {starts} found a shape motion of {problem.name!r} that reaches the target; "
            f"{held}; give more knots, more starts, another "
            f"amplitude, a longer way, or wider bounds"
        )
    tops.sort(key=lambda top: top[0])
    efforts = [top[0] / duration for top in tops]
    met = next((met for top in tops if (met := course.corrected(top[1])) is not None), None)
    if met is None:
        raise OutOfReach(
            f"{len(tops)} of {starts} searches found a shape motion of {problem.name!r} near the target, but none could be "
            f"made to meet it within {course.exact:g} (m or rad) on fine panels, through sound shapes, clear of obstacles; "
            f"give more knots, more starts, a smaller amplitude, or bounds"
        )
    values, found = met
    x = course.values(values)
    others = tuple(e for k, e in enumerate(efforts) if k and all(abs(e - f) > 1e-3 * e for f in efforts[:k]))
    modes = {
        name: {form.coordinates.joints[row]: float(form.coordinates.directions[row, j]) for row in np.flatnonzero(column)}
        for j, (name, column) in enumerate(zip(form.coordinates.names, form.coordinates.directions.T, strict=True))
    }
    return Plan(
        problem, form.coordinates.names, modes, course.basis.knots * duration, x, rest, found.ordered.pose, found.ordered.poses,
        float(abs(found.rows).max()), found.effort / duration, found.length, held, others, starts, at,
    )  # fmt: skip


def wanted(group: Group, target: Any, through: Mapping[float, Any] | None) -> list[tuple[float, Rows]]:
    """Rows at parts of the duration."""
    found = [(1.0, target_rows(group, target))]
    for part, own in (through or {}).items():
        if not 0.0 < part < 1.0:
            raise ValueError(f"through has a target at {part!r:.40}, expected a part of the duration between 0 and 1")
        found.append((float(part), target_rows(group, own)))
    return found


def refuse_unreachable(course: Course, held: Holonomy, target: Any) -> None:
    """Say that a motion is not among those that closed paths give, if it is not."""
    if held.all or course.last is None or isinstance(target, Mapping):
        return
    if isinstance(held, RestToRest) and not (held.stops and np.array_equal(course.first, course.last)):
        return  # what it has been seen to do says nothing of other shapes at the end
    straight = course.at(course.numbers(np.linspace(course.first, course.last, len(course.basis.knots)))).ordered.pose
    pose = as_pose(course.form.group, target)
    away = np.linalg.inv(straight) @ pose
    missing = held.lacking_turn(away) if np.shape(target) == (3, 3) else held.lacking(away)
    if missing > OUT:
        raise OutOfReach(
            f"{course.form.problem.name!r} cannot make this motion, whatever its shape does: {missing:.3g} (m or rad) are out "
            f"of reach; {held}; take more coordinates, or a target among these"
        )
