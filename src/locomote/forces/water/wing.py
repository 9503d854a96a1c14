"""Quasi-steady wing aerodynamics by blade elements.

At a section of chord c, with x along the chord towards the leading edge, y along the span, z normal to the wing, let W be the
velocity of the air relative to the section, at its axis of pitch, in the plane of the section, and al its angle to the chord, 0
to 90 deg:

    lift  = 1/2 rho c C_L(al) |W|^2  normal to W, to the side that the wing is pushed to                              (1)
    drag  = 1/2 rho c C_D(al) |W|^2  along W                                                                         (2)
    rotation = rho c^2 C_R w_y |W|   normal to W ,   C_R = pi (3/4 - x_0)                                             (3)
    damping  = -1/2 rho C_d w_y |w_y| (x_0^4 + (1 - x_0)^4) c^4 / 4       a moment about the axis                      (4)

per span, x_0 being the place of the axis of pitch in chords behind the leading edge; (3) is what turning about that axis adds
to the flow at three quarters of the chord, so that W has to be that of the axis. All act at a quarter to half of the chord, as
far back as al says. C_L = 0.225 + 1.58 sin(2.13 al - 7.2 deg), C_D = 1.92 - 1.55 cos(2.04 al - 9.82 deg)
(Dickinson, Lehmann, Sane, Science 284 (1999)); (3) after Sane and Dickinson, J. Exp. Biol. 205 (2002), (4) the
drag of a plate that turns, after Whitney and Wood, J. Fluid Mech. 660 (2010), C_d = 5. The added mass of the
sections, m = rho pi c^2/4 per span normal to the wing at the middle of the chord, joins the inertia of the body. Of all that
comes with it only -m u_z' is kept: the moment that turns a plate across the stream is in the place where (1) acts already (for
a thin wing, lift at a quarter of the chord is that very moment), so that this force takes it back,

    force  w x M u ,   moment  u x M u         at the middle of the chord, M = (0, 0, m)                             (5)

which together give no power; and of -m u_z' the part that comes from turning in a stream, m W_x w_y, acts a quarter of the
chord further back, as on a thin wing (Theodorsen, NACA Report 496 (1935)):

    moment  -m |W_x| w_y c / 4                                                                                      (6)

With C_R = pi (3/4 - x_0), (3) and (6) leave a wing that pitches about its middle in a stream alone, as they should.

C_L is not zero at 0 and 90 deg, where lift changes sides, so that (1) jumps there. With c, s the parts of W/|W| along the chord
and normal to it and a small b, signs and sizes are

    sgn s = y (15 - 10 y^2 + 3 y^4) / 8 ,   y = s / (s^2 + b^2)^(1/2) ,   |s| = s sgn s                              (7)

and so for c: smooth within b of a change, off by (5/16) (b/s)^6 beyond. For b -> 0 the forces are (1) to (6).
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from locomote.brief import brief
from locomote.compiler.scalars import atan2, cos, sin, sqrt
from locomote.compiler.source import helper
from locomote.forces.along import Line
from locomote.forces.kinds import Kind
from locomote.forces.numbers import Vector, a_number, a_vector
from locomote.forces.terms import Place, Term
from locomote.forces.water.drag import section_value
from locomote.forces.water.fluid import Fluid
from locomote.model.model import Model
from locomote.model.packing import moved_matrix
from locomote.spatial.algebra import subtract, unrotate


@helper
def sign(s, b):
    """(7)"""
    y = s / sqrt(s * s + b * b)
    return 0.125 * y * (15.0 - y * y * (10.0 - 3.0 * y * y))


def blade(t, R, o, u, w, U, G, D, lift, drag, density, rotation, axis, damping, added, smoothing, chord, span):
    """(1) to (7) on an element. lift : a, b, k, phase of a + b sin(k al + phase); drag : the same with a cosine."""
    W = subtract(unrotate(R, U), u)  # the air, as the wing feels it
    x, z = W[0], W[2]
    speed = sqrt(x * x + z * z + 1e-8)
    side, up = sign(x / speed, smoothing), sign(z / speed, smoothing)
    flat, steep = x * side, z * up  # sizes of x and z
    angle = atan2(steep + 1e-12, flat + 1e-12)  # which has derivatives at rest too
    C_L, C_D = lift[0] + lift[1] * sin(lift[2] * angle + lift[3]), drag[0] + drag[1] * cos(drag[2] * angle + drag[3])
    area = 0.5 * density * chord * span
    across = area * C_L * speed * up * side + density * chord * chord * span * rotation * w[1]  # along (-z, x), normal to W
    along = area * C_D * speed
    f_x, f_z = along * x - across * z, along * z + across * x
    # ahead of the axis: of the middle of the chord, then to the side that the air comes from
    arm = chord * (axis - 0.5 - side * (0.25 - 0.15915494309189535 * angle))
    square = chord * chord
    slowed = density * damping * span * square * square * w[1] * sqrt(w[1] * w[1] + 1e-8)
    back = (axis - 0.5) * chord  # from the axis back to the middle of the chord
    slowed = slowed + 0.25 * added * square * chord * span * flat * w[1]  # (6)
    m = added * square * span * (u[2] - w[1] * back)  # momentum of (5)
    f_y = -w[0] * m
    turn = (m * (u[1] + w[2] * back), -arm * f_z - slowed - m * u[0], back * f_y)
    return (f_x + w[1] * m, f_y, f_z), turn


@brief
@dataclass(frozen=True)
class Wing:
    """A wing on a body, from `root` to `tip` of the body frame, m: the line along the middle of its chords if axis is 1/2. A
    wing that bends and twists is a rod along its span: root and tip are then X of two of its sections, m.

    chord : m, a number or a function of 0..1 from root to tip ; forward : direction of the leading edge in the body frame
    axis : where the line from root to tip lies, in chords behind the leading edge; wings pitch about it
    lift, drag : (a, b, k, phase) of a + b sin(k al + phase) and of a + b cos(k al + phase), angles in rad
    rotation : C_R; pi (3/4 - axis) if None ; damping : C_d of (4)
    smoothing : b of (7), rad; lift is then within 1 % of (1) from 2 to 88 deg, and within 1e-4 from 5 to 85 deg
    elements : at Gauss points, how many; 10 if None, on a rod its mass nodes
    """

    body: str
    fluid: Fluid
    root: Vector | float
    tip: Vector | float
    chord: Any
    forward: Vector = (1.0, 0.0, 0.0)
    axis: float = 0.25
    lift: tuple[float, float, float, float] = (0.225, 1.58, 2.13, math.radians(-7.2))
    drag: tuple[float, float, float, float] = (1.92, -1.55, 2.04, math.radians(-9.82))
    rotation: float | None = None
    damping: float = 5.0
    elements: int | None = None
    added: bool = True
    name: str = ""
    smoothing: float = 0.02

    sheet: ClassVar[bool] = True  # drawn as a sheet

    def sections(self, model: Model) -> list[tuple[Place, float, float]]:
        """For each element: place on the axis (x forward, y along the span), chord and span."""
        line = Line(self.body, self.root, self.tip, a_vector("forward", self.forward), ("root", "tip"))
        along = line.rotation  # x along the span, z forward
        R = np.column_stack([along[:, 2], along[:, 0], np.cross(along[:, 2], along[:, 0])])
        return [
            (line.place(x, R), section_value("chord", self.chord, x), float(length))
            for x, length in zip(*line.nodes(model, self.elements, 10), strict=True)
        ]

    def added_inertia(self, model: Model) -> dict[Any, np.ndarray]:
        """(6, 6) of the air that the wing sets in motion, by body, or section of a rod."""
        if not self.added:
            return {}
        total: dict[Any, np.ndarray] = {}
        k, ahead = math.pi / 4 * self.fluid.density, a_number("axis", self.axis) - 0.5
        for (body, pose), c, length in self.sections(model):
            mass, middle = k * c * c * length, pose.copy()
            middle[:3, 3] += ahead * c * pose[:3, 0]
            matrix = moved_matrix(np.diag([0.0, 0.0, mass, 0.0, mass * c * c / 32, 0.0]), middle)
            total[body] = total.get(body, 0.0) + matrix
        return total

    def term(self, model: Model) -> Term:
        """Lift, drag and rotation as a force term."""
        sections = self.sections(model)
        turn = math.pi * (0.75 - self.axis) if self.rotation is None else a_number("rotation", self.rotation)
        numbers = [*a_vector("lift", self.lift, 4), *a_vector("drag", self.drag, 4), self.fluid.density, turn]
        axis = a_number("axis", self.axis)
        numbers += [axis, a_number("damping", self.damping, least=0.0) * (axis**4 + (1 - axis) ** 4) / 8]
        numbers += [math.pi / 4 * self.fluid.density if self.added else 0.0, a_number("smoothing", self.smoothing, above=0.0)]
        for _, c, length in sections:
            numbers += [c, length]
        places = tuple(place for place, _, _ in sections)
        kind = Kind("wing", blade, (4, 4, 0, 0, 0, 0, 0, 0), own=(0, 0), flow=self.fluid.law)
        return Term(self.name or f"wing {self.body}", kind, places, (*self.fluid.numbers, *numbers))
