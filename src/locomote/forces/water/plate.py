"""Quasi-steady forces on a plate that falls, flutters or tumbles in a plane.

In axes of the plate, x along its chord, n normal to it, with v the velocity of its middle relative to the fluid, V = |v|, w the
angular velocity from x to n, and a half the chord, per span:

    circulation   G = 2 a (-C_T v_x v_n / V + C_R a w)                                                                 (1)
    force         rho G (-v_n, v_x) - rho a (A - B (v_x^2 - v_n^2) / V^2) V (v_x, v_n)                                 (2)
    moment        -pi rho a^4 (m_1 u / a + m_2 |w|) w                                                                 (3)

G is of translation and of rotation, and its force does no work. With the added mass of an ellipse (`AddedMass`), whose moment
turns a plate across its way, this is the model of A. Andersen, U. Pesavento, Z.J. Wang, J. Fluid Mech. 541 (2005) 65 and 91,
with C_T = 1.2, C_R = pi, A = 1.4, B = 1.0, m_1 = m_2 = 0.2; u is the speed sqrt((rho_s / rho - 1) g b) of a plate 2 b thick.
"""

import math
from dataclasses import dataclass

import numpy as np

from locomote.brief import brief
from locomote.compiler.scalars import sqrt
from locomote.forces.kinds import Kind
from locomote.forces.numbers import Vector, a_number, a_vector, frame_along, pose_of
from locomote.forces.terms import Place, Term
from locomote.forces.water.fluid import Fluid
from locomote.model.model import Model
from locomote.spatial.algebra import subtract, unrotate


def falling(t, R, o, u, w, U, G, D, lifts, drags, turns):
    """(1) to (3), with density, span and chord in the numbers; z of the place is -n, y along the span."""
    v = subtract(u, unrotate(R, U))
    x, n = v[0], -v[2]
    square = x * x + n * n + 1e-12
    speed = sqrt(square)
    around = lifts[1] * w[1] - lifts[0] * x * n / speed
    along = (drags[0] - drags[1] * (x * x - n * n) / square) * speed
    slowed = (turns[0] + turns[1] * sqrt(w[1] * w[1] + 1e-12)) * w[1]
    return (-around * n - along * x, 0.0, along * n - around * x), (0.0, -slowed, 0.0)


@brief
@dataclass(frozen=True)
class Plate:
    """A flat plate in a fluid, from `root` to `tip` of the body frame, m, along the middle of its chord.

    chord : m ; forward : direction of the chord in the body frame ; lift : C_T and C_R of (1) ; drag : A and B of (2)
    turning : m_1 and m_2 of (3) ; speed : u of (3), m/s
    """

    body: str
    fluid: Fluid
    root: Vector
    tip: Vector
    chord: float
    forward: Vector = (1.0, 0.0, 0.0)
    lift: tuple[float, float] = (1.2, math.pi)
    drag: tuple[float, float] = (1.4, 1.0)
    turning: tuple[float, float] = (0.2, 0.2)
    speed: float = 0.0
    name: str = ""

    def term(self, model: Model) -> Term:
        """All of it as a force term."""
        start, end = np.array(a_vector("root", self.root)), np.array(a_vector("tip", self.tip))
        frame = frame_along(end - start, a_vector("forward", self.forward))  # x along the span, z along the chord
        R = np.column_stack([frame[:, 2], frame[:, 0], np.cross(frame[:, 2], frame[:, 0])])
        a, span = a_number("chord", self.chord, above=0.0) / 2, float(np.linalg.norm(end - start))
        (C_T, C_R), (A, B) = a_vector("lift", self.lift, 2), a_vector("drag", self.drag, 2)
        first, second = a_vector("turning", self.turning, 2)
        mass = self.fluid.density * span
        slow = math.pi * mass * a**4
        numbers = (
            *self.fluid.numbers, 2 * mass * a * C_T, 2 * mass * a * a * C_R, mass * a * A, mass * a * B,
            slow * first * a_number("speed", self.speed, least=0.0) / a, slow * second,
        )  # fmt: skip
        kind = Kind("plate", falling, (2, 2, 2), flow=self.fluid.law)
        return Term(self.name or f"plate {self.body}", kind, (Place(self.body, pose_of(R, (start + end) / 2)),), numbers)
