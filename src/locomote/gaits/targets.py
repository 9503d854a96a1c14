"""Wanted net motions, as rows that a path must bring to zero, with their slopes by the motion.

A motion g is varied from the left, d = dg g^-1, as in `path_ordered`:

    all of it       e = log(target^-1 g) ,   de = T(e)^-1 Ad(g^-1) d                                                  (1)
    a rotation      e = log(wanted^T R) ,        de = T(e)^-1 R^T d_w                                                     (4)
    a place         e = p_i - wanted ,       dp = d_v + d_w x p                                                       (2)
    a turn          e = angle - wanted       in a plane                                                               (3)
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from locomote.errors import UnknownName
from locomote.spatial.groups_arrays import Group
from locomote.spatial.numbers import as_numbers

PLACES = ("x", "y", "z")
Rows = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]  # pose (4, 4) -> values (m,), slopes (m, n)


def target_rows(group: Group, given: Any) -> Rows:
    """Rows of a target.

    given : (4, 4) pose, (3, 3) rotation, its place free, or {"x": m, "y": m, "z": m, "turn": rad} of which any may be left free
    """
    if isinstance(given, Mapping):
        return partial_rows(group, given)
    pose = as_pose(group, given)
    if np.shape(given) == (3, 3):
        return rotation_rows(group, pose[:3, :3])
    inverse = np.linalg.inv(pose)

    def rows(g):
        error = group.log(inverse @ g)
        return error, group.tangent_inverse(error) @ group.adjoint(np.linalg.inv(g))

    return rows


def rotation_rows(group: Group, wanted: np.ndarray) -> Rows:
    """Rows (4): the axes of the base, wherever it is."""
    turning = [j for j, a in enumerate(group.axes) if a > 2]
    own = Group(f"rotations of {group.name}", tuple(group.axes[j] for j in turning))
    still = np.eye(4)

    def rows(g):
        pose = still.copy()
        pose[:3, :3] = wanted.T @ g[:3, :3]
        error = own.log(pose)
        back = still.copy()
        back[:3, :3] = g[:3, :3].T
        slopes = np.zeros((own.size, group.size))
        slopes[:, turning] = own.tangent_inverse(error) @ own.adjoint(back)
        return error, slopes

    return rows


def as_pose(group: Group, given: Any, label: str = "target") -> np.ndarray:
    """A pose of the group."""
    value = as_numbers(given, label, "(4, 4) or (3, 3)")
    if value.shape == (3, 3):
        value = np.block([[value, np.zeros((3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]])
    if value.shape != (4, 4):
        raise ValueError(
            f"{label} has shape {value.shape}, expected a pose (4, 4), a rotation (3, 3), or {{'x': m, 'y': m, 'turn': rad}}"
        )
    R = value[:3, :3]
    if not np.isfinite(value).all() or abs(R @ R.T - np.eye(3)).max() > 1e-9 or np.linalg.det(R) < 0:
        raise ValueError(f"{label} is no pose: its rotation is not orthogonal, or not finite")
    group.log(value)  # a ValueError if it is not in the group
    return value


def partial_rows(group: Group, given: Mapping[str, float]) -> Rows:
    """Rows (2) and (3)."""
    planar = [a for a in group.axes if a > 2]
    known = [name for k, name in enumerate(PLACES) if k in group.axes] + (["turn"] if len(planar) == 1 else [])
    for name, value in given.items():
        if name not in known:
            raise UnknownName("target", name, known, f"motions in {group.name}")
        if not (isinstance(value, int | float | np.number) and np.isfinite(value)):
            raise ValueError(f"target of {name} is {value!r:.40}, expected a finite number")
    if not given:
        raise ValueError(f"the target is empty; give some of {', '.join(known)}")

    def rows(g):
        values, slopes = [], []
        full = np.hstack([np.eye(3), np.cross(np.eye(3), g[:3, 3]).T])  # (2)
        for name, wanted in given.items():
            if name == "turn":
                axis = planar[0] - 3
                j, k = (axis + 1) % 3, (axis + 2) % 3
                angle = np.arctan2(g[k, j], g[j, j]) - wanted
                values.append((angle + np.pi) % (2 * np.pi) - np.pi)
                slopes.append(np.eye(6)[planar[0]])
            else:
                place = PLACES.index(name)
                values.append(g[place, 3] - wanted)
                slopes.append(full[place])
        return np.array(values), np.array(slopes)[:, list(group.axes)]

    return rows
