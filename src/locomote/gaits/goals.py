"""Numbers of a net motion that a gait may have much or little of, with their slopes.

g_n are poses along a period, g = g_N its net motion, z = log g. Changes are written as dg_n g_n^-1 (see `path_ordered`).

    x, y, z     p . u_a ,   p the position of g ,   u_a the mean over the period of axis a of the base, made a unit         (1)
    distance    mean over starting points n of |v(z_n)| ,   z_n = Ad(g_n^-1) z the same motion seen from there              (2)
    turn        angle of g, with all turns counted in a plane
    roll, pitch, yaw   angular entries of z

(1) and (2) do not depend on where a gait starts: (1) if it does not turn, (2) always.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from locomote.errors import LocomoteError, UnknownName
from locomote.gaits.local_form import LocalForm
from locomote.gaits.path_ordered import Ordered
from locomote.spatial.groups_arrays import Group

Value = tuple[float, np.ndarray]  # a number, and its covectors (N, n)
Goal = Callable[[Ordered], Value]

SHIFTS = {"x": 0, "y": 1, "z": 2}
TURNS = {"roll": 3, "pitch": 4, "yaw": 5}
NAMES = (*SHIFTS, "distance", "turn", *TURNS)
STEP = 1e-4  # of differences of a user's goal


def goal_of(form: LocalForm, goal: Any) -> Goal:
    """The goal of that name, a weighted sum of several, {"x": 1.0, "turn": 0.2}, or a function of the pose (4, 4)."""
    if isinstance(goal, Mapping):
        parts = [(float(weight), goal_of(form, name)) for name, weight in goal.items()]
        return lambda ordered: added([(weight, part(ordered)) for weight, part in parts])
    if callable(goal):
        return lambda ordered: of_pose(goal, ordered)
    if not isinstance(goal, str) or goal not in NAMES:
        raise UnknownName("goal", goal, NAMES, "goals of gaits")
    refuse_forbidden(form, goal)
    if goal in SHIFTS:
        axis = SHIFTS[goal]
        return lambda ordered: shift(ordered, axis)
    if goal == "distance":
        return distance
    return turn if goal == "turn" else lambda ordered: log_entry(ordered, form.group.axes.index(TURNS[goal]))


def refuse_forbidden(form: LocalForm, goal: str) -> None:
    """Say which net motion symmetry forbids, and why."""
    name, group, axes = form.problem.name, form.group, form.group.axes
    if form.size == 1:
        raise LocomoteError(
            f"{name!r} cannot go anywhere by {form.coordinates.names[0]!r} alone: a closed path of one coordinate goes back as "
            f"it came, and so does the net motion (scallop theorem); take two coordinates or more"
        )
    wanted = SHIFTS.get(goal, TURNS.get(goal))
    lost = goal == "turn" and not any(a > 2 for a in axes) or goal == "distance" and not any(a < 3 for a in axes)
    if lost or wanted is not None and wanted not in axes:
        raise LocomoteError(
            f"the base of {name!r} moves in {group.name}, which has no {goal!r}; goals are {', '.join(possible(group))}"
        )
    if form.kind == "mechanical" and not form.rows and (goal in SHIFTS or goal == "distance"):
        raise LocomoteError(
            f"{name!r} cannot get away by changing its shape: no outer force acts on it, so that its mass centre stays where "
            f"it is; goals that it can reach are turns"
        )


def possible(group: Group) -> list[str]:
    """Goals that a group has."""
    shifts = [name for name, a in SHIFTS.items() if a in group.axes]
    turns = [name for name, a in TURNS.items() if a in group.axes]
    return [*shifts, *(["distance"] if shifts else []), *(["turn"] if turns else []), *turns]


def added(parts: list[tuple[float, Value]]) -> Value:
    """A weighted sum."""
    total = sum(weight * value for weight, (value, _) in parts)
    return total, np.sum([weight * covectors for weight, (_, covectors) in parts], axis=0)


def full(group: Group, covectors: np.ndarray) -> np.ndarray:
    """Covectors (N, 6) cut to what the group has."""
    return covectors[:, list(group.axes)]


def shift(ordered: Ordered, axis: int) -> Value:
    """(1)"""
    poses = ordered.poses[1:]
    count, p, arms = len(poses), poses[-1, :3, 3], poses[:, :3, axis]
    share = ordered.panels.lengths / ordered.panels.edges[-1]
    mean = share @ arms
    size = float(np.linalg.norm(mean))
    u = mean / size
    v = (p - u * (u @ p)) / size
    found = np.zeros((count, 6))
    found[:, 3:] = share[:, None] * np.cross(arms, v)
    found[-1, :3] += u
    found[-1, 3:] += np.cross(p, u)
    return float(p @ u), full(ordered.group, found)


def distance(ordered: Ordered) -> Value:
    """(2)"""
    group, poses = ordered.group, ordered.poses[1:]
    z = group.log(ordered.pose)
    share = ordered.panels.lengths / ordered.panels.edges[-1]
    back = group.adjoint(inverse(poses))
    seen = back @ z
    linear = np.array([a < 3 for a in group.axes])
    size = np.linalg.norm(seen[:, linear], axis=1)
    units = np.where(linear, seen, 0.0) / np.maximum(size, 1e-300)[:, None]
    carried = share[:, None] * np.einsum("nij,ni->nj", back, units)
    found = carried @ group.bracket(z)
    found[-1] += through_log(ordered, z, carried.sum(axis=0))
    return float(share @ size), found


def turn(ordered: Ordered) -> Value:
    """Angle of the net motion."""
    group = ordered.group
    turns = [j for j, a in enumerate(group.axes) if a > 2]
    found = np.zeros((len(ordered.steps), group.size))
    if len(turns) == 1:
        found[-1, turns[0]] = 1.0
        return float(ordered.steps[:, turns[0]].sum()), found
    w = group.log(ordered.pose)[turns]
    angle = float(np.linalg.norm(w))
    found[-1, turns] = w / max(angle, 1e-300)  # the axis is the same in both frames
    return angle, found


def log_entry(ordered: Ordered, k: int) -> Value:
    """An entry of z."""
    z = ordered.group.log(ordered.pose)
    found = np.zeros((len(ordered.steps), len(z)))
    found[-1] = through_log(ordered, z, np.eye(len(z))[k])
    return float(z[k]), found


def rotation(ordered: Ordered) -> list[Value]:
    """What must vanish where a gait shall not turn: the angle in a plane, else the angular entries of z."""
    turns = [j for j, a in enumerate(ordered.group.axes) if a > 2]
    return [turn(ordered)] if len(turns) == 1 else [log_entry(ordered, j) for j in turns]


def through_log(ordered: Ordered, z: np.ndarray, covector: np.ndarray) -> np.ndarray:
    """The covector of dg g^-1 that one of dz comes from: g^-1 dg = T(z) dz."""
    group = ordered.group
    body = np.linalg.solve(group.tangent(z).T, covector)
    return group.adjoint(inverse(ordered.pose)).T @ body


def of_pose(goal: Callable, ordered: Ordered) -> Value:
    """A function of the pose, with slopes by differences of fourth order."""
    group, pose = ordered.group, ordered.pose
    found = np.zeros((len(ordered.steps), group.size))
    for k, unit in enumerate(np.eye(group.size)):
        one, two = ([float(goal(group.exp(sign * scale * STEP * unit) @ pose)) for sign in (1.0, -1.0)] for scale in (1.0, 2.0))
        found[-1, k] = (8 * (one[0] - one[1]) - (two[0] - two[1])) / (12 * STEP)
    value = goal(pose)
    if not np.isscalar(value) or not np.isfinite(value):
        raise ValueError(f"goal gave {value!r:.60}, expected a number for a pose (4, 4)")
    return float(value), found


def inverse(poses: np.ndarray) -> np.ndarray:
    """Inverses of poses (..., 4, 4)."""
    found = np.zeros_like(poses)
    turned = np.swapaxes(poses[..., :3, :3], -1, -2)
    found[..., :3, :3], found[..., 3, 3] = turned, 1.0
    found[..., :3, 3] = -(turned @ poses[..., :3, 3:])[..., 0]
    return found
