"""Rows of velocity that no position gives: blades and wheels, as further cuts of `closed`.

A blade at the point x of a body, with its side s fixed in the body; a thin wheel about the axle s, of radius r, on a plane with
the normal n, which touches at x = c - r e; a ball has e = n:

    blade    s . v_x = 0 ,          rate  s . v_x' + (w x s) . v_x                                                        (1)
    wheel    v_c - r w x e = 0 ,    rate  v_c' - r (w' x e + w x e') ,   e = p / |p| ,   p = n - (n . s) s                  (2)
             p' = -(n . s') s - (n . s) s' ,   s' = w x s ,   e' = (p' - (e . p') e) / |p|

They are rows J v = 0 of the links between the body and the world: the complement of these, v = T u, is taken inside the element
that those links are, and N T is the complement of joints and rows together. Nothing is shared with `constraints/`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from locomote.brief import brief
from locomote.spatial.inertia import skew

Vector = Sequence[float]


@brief
@dataclass(frozen=True)
class Slide:
    """A blade: a point of a body does not move along a side, both in the body frame (m)."""

    body: str
    point: Vector = (0.0, 0.0, 0.0)
    side: Vector = (0.0, 1.0, 0.0)
    other = None

    @property
    def frame(self) -> Vector:
        """Where its rows are taken."""
        return self.point

    def rows(self, R, J, t, rate) -> tuple[np.ndarray, np.ndarray]:
        """(1): rows over v and their drift, from those of the point, (angular, linear)."""
        s = R @ _unit(self.side)
        return s[None] @ J[3:], np.array([s @ rate[3:] + np.cross(t[:3], s) @ t[3:]])


@brief
@dataclass(frozen=True)
class Roll:
    """A thin wheel or a ball that rolls on a plane of the world, and stays on it.

    radius : m ; center, axle : in the body frame; a ball if there is no axle ; normal : of the plane, world
    """

    body: str
    radius: float
    center: Vector = (0.0, 0.0, 0.0)
    axle: Vector | None = (0.0, 1.0, 0.0)
    normal: Vector = (0.0, 0.0, 1.0)
    other = None

    @property
    def frame(self) -> Vector:
        """Where its rows are taken."""
        return self.center

    def rows(self, R, J, t, rate) -> tuple[np.ndarray, np.ndarray]:
        """(2): rows over v and their drift, from those of the center, (angular, linear)."""
        w, e, turning = t[:3], _unit(self.normal), np.zeros(3)
        if self.axle is not None:
            n, s = e, R @ _unit(self.axle)
            s_rate, p = np.cross(w, s), n - (n @ s) * s
            size, p_rate = np.linalg.norm(p), -(n @ s_rate) * s - (n @ s) * s_rate
            if size < 1e-9:
                raise ValueError(f"the wheel of body {self.body!r} lies flat on its plane")
            e = p / size
            turning = (p_rate - (e @ p_rate) * e) / size
        r = self.radius
        return J[3:] + r * skew(e) @ J[:3], rate[3:] - r * (np.cross(rate[:3], e) + np.cross(w, turning))


def _unit(x: Vector) -> np.ndarray:
    along = np.asarray(x, dtype=float)
    return along / np.linalg.norm(along)
