"""What shape motions can reach at all, in words: by the holonomy of a connection, or with momentum, from rest to rest.

Of mixed systems (boards, racers) constraints leave the base speeds s, which shape motions build up and take away (`momentum`).
Motions from rest to rest along closed paths of shapes follow one another, and run backwards they are motions again, so that
what they reach is a subgroup. Its Lie algebra has, at every motion x(t) that ends at rest, with changes dx of it,

    dg g^-1     of all dx that leave s(T) = 0                                                                        (1)
    ds(T)       of all dx: speeds that can be given, and taken away                                                  (2)

Motions that end at rest are found by Newton's method from random ones; (1) and (2) are central differences over motions that
go side by side, and along motions with nothing special to them they have all that there is (Sussmann 1976, Coron 1992).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.gaits.coordinates import shape_of
from locomote.gaits.drifting_course import Halves
from locomote.gaits.holonomy import Holonomy, holonomy
from locomote.gaits.local_form import LocalForm, local_form
from locomote.gaits.momentum import Drift, Drifting
from locomote.gaits.net_motion import refuse_other_forces
from locomote.locomotion.problem import Locomotion

KNOTS, STEPS = 9, 24  # of the splines, and steps between two of them
TRIALS, FOUND = 8, 3  # random motions, and how many that end at rest are looked at
ROUNDS = 12  # of Newton's method
DIFFERENCE = 1e-4  # rad or m, of slopes
SMALL = 1e-5  # singular values below this part of the largest count as zero: slopes are differences
NOISE = 1e-8  # m/s or rad/s, of slopes that should be zero
LITTLE = 1e-9  # of all speeds on the way, that is rest
SHRUNK = 0.2  # of its first size: a motion that got so small ends at rest since it no longer moves


@brief
@dataclass(frozen=True, eq=False)
class RestToRest(Holonomy):
    """What shape motions of a mixed system reach from rest to rest, at the shape where they begin and end.

    speeds : how many speeds of the base constraints leave ; given : how many of them shape motions change
    stops : whether motions were found that build up speed and end at rest
    """

    speeds: int
    given: int
    stops: bool

    def __str__(self) -> str:
        if not self.stops:
            return (
                f"shape motions from rest change {self.given} of the {self.speeds} speeds that constraints leave, but none was "
                f"found that takes them away again: it reaches poses on the way, and does not stop there"
            )
        reached = super().__str__().replace("closed paths of shapes", "closed paths of shapes, from rest to rest,")
        change = f"they build up and take away {self.given} of the {self.speeds} speeds that constraints leave"
        return f"{reached}; {change}"


def reachable(problem: Locomotion, *, coordinates: Any = None, start: Any = None, at: Any = None) -> Holonomy:
    """Which net motions closed paths of shapes give at all; `print` says it in words.

    coordinates : joints, or modes as of `lo.gaits.Gait`; all of the shape if None ; at : where the others stay
    start : (k,) values of the coordinates, where paths begin and end; zero if None

    Where the shape alone decides the net motion this is the holonomy of its connection; of systems whose constraints leave a
    momentum what is reached from rest to rest, as `lo.gaits.reach` goes. Other problems (friction, drag with inertia,
    contacts) raise lo.gaits.NoConnection.
    """
    form = local_form(problem, coordinates, at)
    refuse_other_forces(form, momentum=True)
    return reachable_from(form, shape_of("start", start, form.coordinates, np.zeros(form.size)))


def reachable_from(form: LocalForm, at: np.ndarray) -> Holonomy:
    """What closed paths from the shape `at` (k,) reach."""
    return rest_to_rest(Drifting(form), at) if form.kind == "mixed" else holonomy(form, at)


def rest_to_rest(drifting: Drifting, at: np.ndarray, *, spread: float = 0.7, seed: int = 0) -> RestToRest:
    """(1) and (2) at the shape `at` (k,); spread : rad or m, of the motions that are looked at."""
    form, rng = drifting.form, np.random.default_rng(seed)
    n, m = form.group.size, len(drifting.axes)
    paths = Paths(drifting, at)
    rows, changes, stops = [np.zeros((0, n))], [np.zeros((0, m))], False
    for _ in range(TRIALS):
        begin = spread * rng.normal(size=(KNOTS - 2) * form.size)
        if not (slopes := paths.slopes(begin)).sound:
            continue
        changes.append(slopes.by_speed.T * (SMALL / slopes.least))
        if (slopes := paths.stopped(begin)) is None:
            continue
        stops = True
        kept = np.linalg.svd(slopes.by_speed)  # all rows of the last: also changes that do nothing to speeds
        rows.append(kept[2][int((kept[1] > slopes.least).sum()) :] @ slopes.by_pose.T)
        if len(rows) > FOUND:
            break
    _, sizes, axes = np.linalg.svd(np.concatenate([*rows, np.zeros((n, n))]), full_matrices=False)
    basis = axes[sizes > max(SMALL * sizes.max(), NOISE)]
    given = int((np.linalg.svd(np.concatenate([*changes, np.zeros((m, m))]))[1] > SMALL).sum())
    return RestToRest(form.group, basis, sizes, m, given, stops)


@dataclass(frozen=True)
class Slopes:
    """A motion with what changes of its N numbers do.

    speed : (m,) at the end ; fastest : of all speeds on the way ; by_speed : (m, N) ; by_pose : (n, N) dg g^-1
    """

    speed: np.ndarray
    fastest: float
    by_speed: np.ndarray
    by_pose: np.ndarray
    sound: bool

    @property
    def least(self) -> float:
        """Slopes of speeds below that are none."""
        return max(SMALL * float(max(abs(self.by_speed).max(), abs(self.by_pose).max())), NOISE)


class Paths:
    """Closed motions of the shape in one second, from rest to rest of the shape: splines through values at knots."""

    def __init__(self, drifting: Drifting, at: np.ndarray):
        self.drifting, self.at = drifting, at
        self.basis = Halves(np.linspace(0.0, 1.0, KNOTS), True, STEPS)

    def drift(self, trials: np.ndarray) -> Drift:
        """Motions of numbers (T, N) side by side."""
        B, D = self.basis.matrices
        knots = np.tile(self.at, (len(trials), KNOTS, 1))
        knots[:, 1:-1] += trials.reshape(len(trials), KNOTS - 2, -1)
        x, rates = np.einsum("qk,tkj->tqj", B, knots), np.einsum("qk,tkj->tqj", D, knots)
        with np.errstate(all="ignore"):
            return self.drifting.along(x, rates, 1.0 / ((len(B) - 1) // 2))

    def slopes(self, numbers: np.ndarray) -> Slopes:
        """Slopes by all numbers, by central differences."""
        size, group = len(numbers), self.drifting.form.group
        units = DIFFERENCE * np.eye(size)
        drift = self.drift(np.concatenate([numbers[None], numbers + units, numbers - units]))
        pose, speed = drift.poses[:, -1], drift.speed[:, -1]
        if not drift.sound.all():
            return Slopes(speed[0], np.inf, np.zeros((speed.shape[1], size)), np.zeros((group.size, size)), False)
        ahead, behind = slice(1, 1 + size), slice(1 + size, None)
        across = group.log(pose[ahead] @ np.linalg.inv(pose[behind])) / (2 * DIFFERENCE)
        by_speed = (speed[ahead] - speed[behind]) / (2 * DIFFERENCE)
        return Slopes(speed[0], float(abs(drift.speed[0]).max()), by_speed.T, across.T, True)

    def stopped(self, begin: np.ndarray) -> Slopes | None:
        """Slopes at a motion near `begin` that ends at rest, by Newton's method with least changes; None if there is none."""
        now = begin
        for _ in range(ROUNDS):
            found = self.slopes(now)
            if not found.sound or np.linalg.norm(now) < SHRUNK * np.linalg.norm(begin):
                return None
            if abs(found.speed).max() <= LITTLE * found.fastest or abs(found.by_speed).max() <= found.least:
                return found
            step = -np.linalg.lstsq(found.by_speed, found.speed, rcond=SMALL)[0]
            now = now + step * min(1.0, 0.3 * np.linalg.norm(begin) / max(np.linalg.norm(step), 1e-300))
        return None
