"""Drag on the box that has the inertia of a body, as MuJoCo has it: each axis by itself.

With half edges r of the box, velocity u of its center against the medium and angular velocity w, in principal axes:

    force_i    -2 rho r_j r_k |u_i| u_i        -  6 pi mu r u_i                                                     (1)
    moment_i   -rho / 2 r_i (r_j^4 + r_k^4) |w_i| w_i  -  8 pi mu r^3 w_i          r : mean of the half edges          (2)
"""

import math
from dataclasses import dataclass

import numpy as np

from locomote.compiler.scalars import select
from locomote.forces.kinds import Kind
from locomote.forces.terms import Place, Term
from locomote.model.model import Model
from locomote.spatial.algebra import subtract, unrotate
from locomote.spatial.inertia import Inertia


def squared(x):
    """|x| x"""
    return select(x < 0.0, -x * x, x * x)


def drag(t, R, o, u, w, quadratic, spin, linear, slow_spin, wind):
    """(1) and (2), with coefficients."""
    a, b, c = subtract(u, unrotate(R, wind))
    p, q, r = w
    force = (
        -quadratic[0] * squared(a) - linear * a,
        -quadratic[1] * squared(b) - linear * b,
        -quadratic[2] * squared(c) - linear * c,
    )
    moment = (
        -spin[0] * squared(p) - slow_spin * p,
        -spin[1] * squared(q) - slow_spin * q,
        -spin[2] * squared(r) - slow_spin * r,
    )
    return force, moment


BOX_DRAG = Kind("box drag", drag, (3, 3, 0, 0, 3))


@dataclass(frozen=True, eq=False)
class BoxDrag:
    """Drag of a medium on the box that has the inertia of a body.

    inertia : of the body ; density : kg/m^3 ; viscosity : Pa s ; wind : velocity of the medium in the world, m/s
    axes : (3, 3) principal axes; those of the moment if None, which are not unique where two moments are the same
    """

    body: str
    inertia: Inertia
    density: float
    viscosity: float = 0.0
    wind: tuple[float, float, float] = (0.0, 0.0, 0.0)
    axes: np.ndarray | None = None
    name: str = ""

    def term(self, model: Model) -> Term:
        """The drag as a force term."""
        moments, axes = np.linalg.eigh(self.inertia.moment)
        if self.axes is not None:
            axes = np.array(self.axes, dtype=float)
            moments = np.diag(axes.T @ self.inertia.moment @ axes)
        axes = axes * np.sign(np.linalg.det(axes))
        r = np.sqrt(np.maximum(1.5 / self.inertia.mass * (moments.sum() - 2.0 * moments), 0.0))
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = axes, self.inertia.com
        mean, others = r.mean(), [(r[1], r[2]), (r[2], r[0]), (r[0], r[1])]
        quadratic = [2.0 * self.density * j * k for j, k in others]
        spin = [0.5 * self.density * r[i] * (j**4 + k**4) for i, (j, k) in enumerate(others)]
        slow = 6.0 * math.pi * self.viscosity * mean, 8.0 * math.pi * self.viscosity * mean**3
        numbers = tuple(map(float, (*quadratic, *spin, *slow, *self.wind)))
        return Term(self.name or f"medium {self.body}", BOX_DRAG, (Place(self.body, pose),), numbers)
