"""What a base that stands under gravity or on the ground has as state: how high it is and how it leans.

The ground is level and goes on for ever, so that the place along it and the heading are no state: a gait leaves them behind.
With n the normal, p the place and R the rotation of the base,

    h = n . p ,   u = R^T n    in space, where (e_1 . u, e_2 . u) say how it leans                                   (1)
    h ,   theta                in a plane that n lies in
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.contact.bodies import BodyContacts
from locomote.contact.touch import Touch
from locomote.geometry.shapes.plane import Plane
from locomote.locomotion.problem import Locomotion

LEVEL = (0, 1, 5)  # axes of the base along which gravity does nothing, if it goes along z
ALONG = 1e-9  # how far two directions may differ


@dataclass(frozen=True)
class Upright:
    """The state of a base whose q begins with places along `axes`, or with p and a quaternion if it turns any way.

    normal : (3,) n ; about : (nq,) from which leaning is counted
    """

    axes: tuple[int, ...]
    normal: np.ndarray
    about: np.ndarray

    @property
    def spatial(self) -> bool:
        """Whether it turns any way."""
        return 3 in self.axes or 4 in self.axes

    @property
    def heading(self) -> bool:
        """Whether a turn of the base in its plane is no state."""
        return 5 in self.axes and abs(self.normal[2]) > 1.0 - ALONG

    @property
    def size(self) -> int:
        """Numbers of the state."""
        tall = any(abs(self.normal[a]) > ALONG for a in self.axes if a < 3)
        return int(tall) + (2 if self.spatial else int(5 in self.axes and not self.heading))

    def values(self, q: np.ndarray) -> np.ndarray:
        """(N, size) of q (N, nq)."""
        shifts = [a for a in self.axes if a < 3]
        rise = self.normal[shifts]
        found = [(q[:, : len(shifts)] @ rise)[:, None]] if abs(rise).max(initial=0.0) > ALONG else []
        if self.spatial:
            found.append(np.einsum("nji,j->ni", turned(q[:, 3:7]), self.normal) @ self._across.T)
        elif 5 in self.axes and not self.heading:
            found.append(q[:, [self.axes.index(5)]])
        return np.concatenate(found, axis=1) if found else np.zeros((len(q), 0))

    def put(self, q: np.ndarray, y: np.ndarray) -> np.ndarray:
        """q (N, nq) with the state y (N, size), at the origin."""
        q, shifts = np.array(q), [a for a in self.axes if a < 3]
        rise, column = self.normal[shifts], 0
        q[:, : len(shifts)] = self.about[: len(shifts)]
        if abs(rise).max(initial=0.0) > ALONG:
            missing = y[:, 0] - q[:, : len(shifts)] @ rise
            q[:, : len(shifts)] += missing[:, None] * rise / (rise @ rise)
            column = 1
        if self.spatial:
            q[:, 3:7] = self._leaning(y[:, column:])
        elif 5 in self.axes:
            q[:, self.axes.index(5)] = self.about[self.axes.index(5)] if self.heading else y[:, column]
        return q

    @property
    def _across(self) -> np.ndarray:
        """(2, 3) e_1 and e_2, across n as the base sees it at first."""
        first = turned(self.about[None, 3:7])[0].T @ self.normal
        return np.linalg.svd(first[None])[2][1:]

    def _leaning(self, y: np.ndarray) -> np.ndarray:
        """(N, 4) quaternions of bases that lean by y (N, 2), turned from the first one about no more than that takes."""
        from scipy.spatial.transform import Rotation

        before = turned(self.about[None, 3:7])[0]
        first = before.T @ self.normal
        lean = np.clip(y, -1.0, 1.0)
        up = lean @ self._across + np.sqrt(np.maximum(1.0 - (lean**2).sum(axis=1), 0.0))[:, None] * first
        up /= np.linalg.norm(up, axis=1, keepdims=True)
        axis = np.cross(up, first)
        sine, cosine = np.linalg.norm(axis, axis=1), up @ first
        angle = np.arctan2(sine, cosine) / np.maximum(sine, 1e-300)
        return (Rotation.from_matrix(before) * Rotation.from_rotvec(angle[:, None] * axis)).as_quat()


def turned(quaternions: np.ndarray) -> np.ndarray:
    """(N, 3, 3) of (N, 4)."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_quat(quaternions).as_matrix()


def upright_of(problem: Locomotion, axes: tuple[int, ...]) -> Upright | None:
    """The state of a base under gravity or on the ground; None if neither says which way is up."""
    normals = [*normals_of(problem), *([-gravity] if (gravity := problem.model.gravity).any() else [])]
    if not normals or not problem.contacts and all(a in LEVEL for a in axes) and not gravity[[0, 1]].any():
        return None
    about = np.array(problem.initial()[0])
    return Upright(axes, np.asarray(normals[0], dtype=float) / np.linalg.norm(normals[0]), about)


def no_upright(problem: Locomotion, axes: tuple[int, ...]) -> str:
    """Why height and leaning are not all of the state; empty if they are."""
    if not all(isinstance(touch, Touch | BodyContacts) for touch in problem.contacts):
        return "some of its contacts are of a kind that gaits do not know"
    ground: list[Any] = [touch.ground for touch in problem.contacts if isinstance(touch, Touch)]
    solids = [solid for pairs in problem.contacts if isinstance(pairs, BodyContacts) for solid in pairs.solids]
    fixed = [g.surface for g in ground if g.body is None] + [s.shape for s in solids if s.body is None]
    if not all(isinstance(surface, Plane) for surface in fixed):
        return "it stands on ground that is no plane, so that a period is not like the next"
    ups = [np.asarray(n, dtype=float) / np.linalg.norm(n) for n in normals_of(problem)]
    if any(np.linalg.norm(n - ups[0]) > ALONG for n in ups):
        return "it stands on several planes, so that a period is not like the next"
    gravity = problem.model.gravity
    tilted = ups and gravity.any() and np.linalg.norm(np.cross(ups[0], gravity)) > ALONG * np.linalg.norm(gravity)
    if tilted and any(a in (3, 4) for a in axes):
        return "it stands on a slope, where its heading matters"
    return ""


def normals_of(problem: Locomotion) -> list[Any]:
    """Normals of the planes of the world that it touches."""
    ground: list[Any] = [touch.ground for touch in problem.contacts if isinstance(touch, Touch)]
    surfaces = [g.surface for g in ground if g.body is None]
    solids = [solid for pairs in problem.contacts if isinstance(pairs, BodyContacts) for solid in pairs.solids]
    surfaces += [solid.shape for solid in solids if solid.body is None]
    return [surface.normal for surface in surfaces if isinstance(surface, Plane)]
