"""Quasi-steady wing aerodynamics by blade elements.

At a section of chord c, with x along the chord towards the leading edge, y along the span, z normal to the wing, let W be the
velocity of the air relative to the section, at the middle of the chord, in the plane of the section, and al its angle to the
chord, 0 to 90 deg:

    lift  = 1/2 rho c C_L(al) |W|^2  normal to W, to the side that the wing is pushed to                              (1)
    drag  = 1/2 rho c C_D(al) |W|^2  along W                                                                         (2)
    rotation = rho c^2 C_R w_y |W|   normal to W ,   C_R = pi (3/4 - x_0)                                             (3)

per span, x_0 being the place of the axis of pitch in chords behind the leading edge. (1) and (2) act at a quarter to half of
the chord, as far back as al says. C_L = 0.225 + 1.58 sin(2.13 al - 7.2 deg), C_D = 1.92 - 1.55 cos(2.04 al - 9.82 deg)
(Dickinson, Lehmann, Sane, Science 284 (1999)); (3) after Sane and Dickinson, J. Exp. Biol. 205 (2002). The added mass of the
sections, rho pi c^2/4 normal to the wing per span, joins the inertia of the body.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.engine.scalars import atan2, cos, sin, sqrt
from locomote.environment.drag import section_value
from locomote.environment.fluid import Fluid
from locomote.environment.kinds import Kind
from locomote.environment.numbers import Vector, a_number, a_vector, frame_along, pose_of, whole_number
from locomote.environment.terms import Place, Term
from locomote.model.model import Model
from locomote.model.packing import moved_matrix
from locomote.spatial.algebra import subtract, unrotate


def blade(t, R, o, u, w, U, G, D, lift, drag, density, rotation, chord, span):
    """(1) to (3) on an element. lift : a, b, k, phase of a + b sin(k al + phase); drag : the same with a cosine."""
    W = subtract(unrotate(R, U), u)  # the air, as the wing feels it
    x, z = W[0], W[2]
    speed2 = x * x + z * z
    speed, soft = sqrt(speed2 + 1e-8), 2.5e-3 * speed2 + 1e-8
    flat, steep = sqrt(x * x + soft), sqrt(z * z + soft)  # sizes of x and z, smooth where they change sign
    side, up, angle = x / flat, z / steep, atan2(steep, flat)
    C_L, C_D = lift[0] + lift[1] * sin(lift[2] * angle + lift[3]), drag[0] + drag[1] * cos(drag[2] * angle + drag[3])
    area = 0.5 * density * chord * span
    across = area * C_L * speed * up * side + density * chord * chord * span * rotation * w[1]  # of (-z, x), normal to W
    along = area * C_D * speed
    f_x, f_z = along * x - across * z, along * z + across * x
    arm = -side * chord * (0.25 - 0.15915494309189535 * angle)  # ahead of the middle, on the side that the air comes from
    return (f_x, 0.0, f_z), (0.0, -arm * f_z, 0.0)


@dataclass(frozen=True)
class Wing:
    """A wing on a rigid body, from `root` to `tip` of the body frame, m: the line along the middle of its chords if axis is
    1/2.

    chord : m, a number or a function of 0..1 from root to tip ; forward : direction of the leading edge in the body frame
    axis : where the line from root to tip lies, in chords behind the leading edge; wings pitch about it
    lift, drag : (a, b, k, phase) of a + b sin(k al + phase) and of a + b cos(k al + phase), angles in rad
    rotation : C_R; pi (3/4 - axis) if None ; elements : at Gauss points
    """

    body: str
    fluid: Fluid
    root: Vector
    tip: Vector
    chord: Any
    forward: Vector = (1.0, 0.0, 0.0)
    axis: float = 0.25
    lift: tuple[float, float, float, float] = (0.225, 1.58, 2.13, math.radians(-7.2))
    drag: tuple[float, float, float, float] = (1.92, -1.55, 2.04, math.radians(-9.82))
    rotation: float | None = None
    elements: int = 10
    added: bool = True
    name: str = ""

    def sections(self) -> tuple[np.ndarray, list[tuple[np.ndarray, float, float]]]:
        """(3, 3) axes of the sections, and of each element its place (middle of the chord), chord and span."""
        a, b = np.array(a_vector("root", self.root)), np.array(a_vector("tip", self.tip))
        frame = frame_along(b - a, a_vector("forward", self.forward))  # x along the span, z forward
        R = np.column_stack([frame[:, 2], frame[:, 0], np.cross(frame[:, 2], frame[:, 0])])  # x forward, y along the span
        s, share = np.polynomial.legendre.leggauss(whole_number("elements", self.elements))
        axis, result = a_number("axis", self.axis), []
        for x, length in zip((s + 1) / 2, share / 2 * np.linalg.norm(b - a), strict=True):
            c = section_value("chord", self.chord, x)
            result.append((a + x * (b - a) + (axis - 0.5) * c * R[:, 0], c, float(length)))
        return R, result

    def added_inertia(self, model: Model) -> dict[str, np.ndarray]:
        """(6, 6) of the air that the wing sets in motion."""
        if not self.added:
            return {}
        R, sections = self.sections()
        total, k = np.zeros((6, 6)), math.pi / 4 * self.fluid.density
        for point, c, length in sections:
            mass = k * c * c * length
            total += moved_matrix(np.diag([0.0, 0.0, mass, 0.0, mass * c * c / 32, 0.0]), pose_of(R, point))
        return {self.body: total}

    def term(self, model: Model) -> Term:
        """Lift, drag and rotation as a force term."""
        R, sections = self.sections()
        turn = math.pi * (0.75 - self.axis) if self.rotation is None else a_number("rotation", self.rotation)
        numbers = [*a_vector("lift", self.lift, 4), *a_vector("drag", self.drag, 4), self.fluid.density, turn]
        for _, c, length in sections:
            numbers += [c, length]
        places = tuple(Place(self.body, pose_of(R, point)) for point, _, _ in sections)
        kind = Kind("wing", blade, (4, 4, 0, 0), own=(0, 0), flow=self.fluid.law)
        return Term(self.name or f"wing {self.body}", kind, places, (*self.fluid.numbers, *numbers))
