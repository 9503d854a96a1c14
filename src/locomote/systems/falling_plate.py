"""A card that falls through air: it flutters from side to side, tumbles, or does both without order.

In a vertical plane, x to the side and z up; the card is along x of its own frame, with an elliptic section. Circulation of
translation and of rotation, drag, a drag on turning, added mass and buoyancy.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import not_negative, number, positive

SOURCE = (
    "A. Andersen, U. Pesavento, Z.J. Wang: Unsteady aerodynamics of fluttering and tumbling plates. Journal of Fluid "
    "Mechanics 541 (2005) 65; Analysis of transitions between fluttering, tumbling and steady descent of falling cards. "
    "Journal of Fluid Mechanics 541 (2005) 91, law and coefficients; size chosen"
)
SEE = "a card let go at an angle swings from side to side; with inertia=1.4 it tumbles, with 2.2 it does one and the other"
PARAMETERS = {
    "inertia": positive(1.1, "1", "density of the card over that of air, times thickness over chord"),
    "chord": positive(0.04, "m", "breadth of the card"),
    "span": positive(0.08, "m", "length of the card across the plane"),
    "density": positive(800.0, "kg/m^3", "of the card"),
    "air": positive(1.2, "kg/m^3", "density of air"),
    "angle": number(np.pi / 4, "rad", "at which it is let go"),
    "turning": not_negative(0.2, "1", "coefficient of the drag on turning"),
}


def half_thickness(p) -> float:
    """m"""
    return p.inertia * p.air / p.density * p.chord / 2


def speed(p) -> float:
    """Speed at which the pressure of the air carries the weight of a card, m/s."""
    return np.sqrt((p.density / p.air - 1) * 9.81 * half_thickness(p))


def build(p) -> Model:
    """A card in a vertical plane."""
    a, b = p.chord / 2, half_thickness(p)
    mass = p.density * np.pi * a * b * p.span
    spread = p.span**2 / 12
    moment = mass * np.array([b * b / 4 + spread, (a * a + b * b) / 4, a * a / 4 + spread])
    look = Visual("box", (p.chord, p.span, max(2 * b, 0.03 * p.chord)))
    moves = Joint("side", "prismatic", (1, 0, 0)), Joint("height", "prismatic", (0, 0, 1)), Joint("turn", axis=(0, -1, 0))
    builder = Builder("falling_plate")
    return builder.body("plate", joint=moves, inertia=Inertia(mass, moment=tuple(moment)), visuals=(look,)).build()


def setting(p) -> dict:
    """All that the air does."""
    from locomote.forces.water.added import AddedMass
    from locomote.forces.water.added_mass import EllipticCylinder
    from locomote.forces.water.buoyancy import Buoyancy
    from locomote.forces.water.fluid import Fluid
    from locomote.forces.water.plate import Plate

    air, a, b = Fluid(p.air, 1.8e-5), p.chord / 2, half_thickness(p)
    ends = (0, -p.span / 2, 0), (0, p.span / 2, 0)
    shape, across = EllipticCylinder(p.span, (a, b)), [[0, 1, 0], [1, 0, 0], [0, 0, -1]]
    law = Plate("plate", air, *ends, p.chord, turning=(p.turning, p.turning), speed=speed(p))
    displaced = Buoyancy("plate", air, np.pi * a * b * p.span)
    return {"environment": [law, AddedMass("plate", air, shape, rotation=across), displaced]}


def initial(p, model: Model):
    """At rest, at an angle."""
    return np.array([0.0, 0.0, p.angle]), np.zeros(3)


def duration(p) -> float:
    """s, in which it would fall by 80 half chords at its speed."""
    return 80 * p.chord / 2 / speed(p)
