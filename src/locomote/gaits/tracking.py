"""Along a path by feedback: at the end of each period the member of a gait family is chosen that keeps nearest to the path.

Members are blended over a period, x = (1 - w) x_before + w x_next with w = s^3 (10 - 15 s + 6 s^2), s = t / period, so that
shapes and their two rates are continuous. Net motions of all blends are known beforehand; what a push or an error of the model
add to them is measured at the end of the period, and answered by the next choice:

    min over two turns of  sum over the periods ahead of |p - path|^2 ,   p by the member of the first turn, then of the
    second, half of these periods each; the first is gone through once, then it is chosen anew                            (1)
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.drives.drive import Drive
from locomote.drives.kinds.spline import Spline
from locomote.gaits.families import Family
from locomote.gaits.gait import Gait
from locomote.gaits.local_form import LocalForm, local_form
from locomote.gaits.optimisation import count_of
from locomote.gaits.path_ordered import Ordered, Panels
from locomote.gaits.targets import as_pose
from locomote.locomotion.problem import Locomotion
from locomote.spatial.numbers import as_numbers

CHOICES = 13  # turns that are looked at
PANELS = 24  # of a period
KNOTS = 48  # of the drives, a period


@brief
@dataclass(frozen=True, eq=False)
class Tracked:
    """A path that was followed.

    poses : (N + 1, 4, 4) of the base at the ends of periods ; turns : (N,) rad a period that were chosen
    error : (N + 1,) m, from the path ; times, shapes : (M,) s, (M, k) of the whole shape motion
    """

    problem: Locomotion
    names: tuple[str, ...]
    modes: dict
    poses: np.ndarray
    turns: np.ndarray
    error: np.ndarray
    times: np.ndarray
    shapes: np.ndarray

    def drives(self) -> dict[str, Drive]:
        """Drives of joints, as `drives` of a problem."""
        paths = {name: Spline(self.times, self.shapes[:, j], order=5) for j, name in enumerate(self.names)}
        found: dict[str, Drive] = {}
        for name, drive in paths.items():
            for joint, weight in self.modes.get(name, {name: 1.0}).items():
                own = drive if weight == 1.0 else float(weight) * drive
                found[joint] = found[joint] + own if joint in found else own
        return found


def track(
    problem: Locomotion, family: Family, path: Any, *, periods: int, pose: Any = None, ahead: int = 8,
    pushed: Callable[[int, np.ndarray], Any] | None = None,
) -> Tracked:  # fmt: skip
    """Follow a path in the plane by modulating a family of gaits, period by period.

    family : of `lo.gaits.family`, over turns to both sides ; path : (M, 2) places, m, in the order of the way
    periods : how many ; pose : (4, 4) where it starts, the identity if None ; ahead : periods that a choice looks ahead
    pushed : function of the number of a period and the pose at its end, that gives the pose from which it goes on: pushes,
        or what a real robot was measured to do
    """
    if not isinstance(family, Family):
        raise TypeError(f"family is {family!r:.60}, expected what lo.gaits.family gives")
    way = as_numbers(path, "path", "(M, 2)")
    if way.ndim != 2 or way.shape[1] != 2 or len(way) < 2 or not np.isfinite(way).all():
        raise ValueError(f"path has shape {way.shape}, expected places (M, 2), m, at least two")
    if len(family.turns) < 2 or not family.turns.min() < 0.0 < family.turns.max():
        raise ValueError(f"the family turns by {family.turns.tolist()} rad; to steer it needs members to both sides of 0")
    periods, ahead = count_of("periods", periods), count_of("ahead", ahead)
    order = np.argsort(family.turns)
    turns, gaits = family.turns[order], [family.members[k].gait for k in order]
    form, period = local_form(problem, gaits[0].coordinates), gaits[0].period
    here = np.eye(4) if pose is None else as_pose(form.group, pose, "pose")
    choices = np.linspace(turns[0], turns[-1], CHOICES)

    def blend(i: int, j: int) -> Blend:
        return Blend(gaits, turns, float(choices[i]), float(choices[j]), period)

    moves = np.array([[blend(i, j).moved(form) for j in range(CHOICES)] for i in range(CHOICES)])
    poses, chosen, shapes = [here], [], []
    before, place = None, 0
    for n in range(periods):
        now, place = nearest(here, moves, before, way, place, ahead)
        last = blend(now if before is None else before, now)
        here = here @ moves[now if before is None else before, now]
        shapes.append(last.shapes(period * np.arange(KNOTS) / KNOTS)[0])
        if pushed is not None:
            here = as_pose(form.group, pushed(n, here.copy()), "what `pushed` gives")
        before = now
        poses.append(here)
        chosen.append(choices[now])
    shapes.append(last.shapes(np.array([period]))[0])
    places = np.array(poses)[:, :2, 3]
    return Tracked(
        problem, form.coordinates.names, dict(gaits[0].modes), np.array(poses), np.array(chosen), from_path(places, way)[0],
        period / KNOTS * np.arange(KNOTS * periods + 1), np.concatenate(shapes),
    )  # fmt: skip


def nearest(
    here: np.ndarray, moves: np.ndarray, before: int | None, way: np.ndarray, place: int, ahead: int
) -> tuple[int, int]:
    """The first choice of (1), and the piece of the path that the base has come to.

    moves : (choices, choices, 4, 4) net motions of periods from one member to another
    """
    place = from_path(here[None, :2, 3], way, place)[1]
    count, left = len(moves), way[max(place - 1, 0) :]
    same = moves[np.arange(count), np.arange(count)]
    begun = here @ (same if before is None else moves[before])
    now, cost = np.repeat(begun, count, axis=0), np.zeros(count * count)
    steps = {
        "first": np.repeat(same, count, axis=0),
        "between": moves.reshape(-1, 4, 4),
        "second": np.tile(same, (count, 1, 1)),
    }
    for n in range(1, ahead + 1):
        cost += from_path(now[:, :2, 3], left)[0] ** 2
        now = now @ steps["first" if 2 * n < ahead else "between" if 2 * n < ahead + 2 else "second"]
    return int(np.argmin(cost)) // count, place


def from_path(p: np.ndarray, way: np.ndarray, first: int = 0) -> tuple[np.ndarray, int]:
    """(N,) m, distances of places (N, 2) from the pieces of a path from the first on, and the nearest piece to the last."""
    a, b = way[first:-1], way[first + 1 :]
    along = b - a
    part = np.einsum("nmk,mk->nm", p[:, None] - a, along) / np.maximum(np.square(along).sum(axis=1), 1e-300)
    foot = a + np.clip(part, 0.0, 1.0)[..., None] * along
    away = np.linalg.norm(p[:, None] - foot, axis=2)
    return away.min(axis=1), first + int(np.argmin(away[-1]))


@dataclass(frozen=True)
class Blend:
    """A period from one member of a family to another, both between the gaits of given turns."""

    gaits: list[Gait]
    turns: np.ndarray
    before: float
    after: float
    period: float

    def shapes(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values and rates (N, k)."""
        (x, dx), (y, dy) = self._member(self.before, t), self._member(self.after, t)
        s = (t / self.period)[:, None]
        w, dw = s**3 * (10 - 15 * s + 6 * s**2), 30 * s**2 * (1 - s) ** 2 / self.period
        return (1 - w) * x + w * y, (1 - w) * dx + w * dy + dw * (y - x)

    def _member(self, turn: float, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        k = int(np.clip(np.searchsorted(self.turns, turn) - 1, 0, len(self.turns) - 2))
        part = (turn - self.turns[k]) / (self.turns[k + 1] - self.turns[k])
        (x, dx, _), (y, dy, _) = self.gaits[k].shapes(t), self.gaits[k + 1].shapes(t)
        return (1 - part) * x + part * y, (1 - part) * dx + part * dy

    def moved(self, form: LocalForm) -> np.ndarray:
        """(4, 4) exact net motion of the period."""
        panels = Panels(np.linspace(0.0, self.period, PANELS + 1))
        x, dx = self.shapes(panels.nodes.ravel())
        xi = -np.einsum("pnk,pk->pn", form(x).A, dx).reshape(-1, 3, form.group.size)
        return Ordered(form.group, panels, xi).pose
