"""A flat plate that falls through a fluid: it flutters from side to side.

In a vertical plane, x to the side and y up; the plate is along x of its own frame. Blade elements with both edges alike,
rotational lift, added mass, buoyancy, and a drag on turning.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import not_negative, number, positive

SOURCE = (
    "A. Andersen, U. Pesavento, Z.J. Wang: Unsteady aerodynamics of fluttering and tumbling plates. Journal of Fluid "
    "Mechanics 541 (2005), "
    "for the quasi-steady picture; numbers of the law are those of insect wings"
)
SEE = "a plate let go at an angle swings from side to side as it falls; this law does not make it tumble"
PARAMETERS = {
    "chord": positive(0.04, "m", "breadth of the plate"),
    "span": positive(0.2, "m", "length of the plate across the plane"),
    "thickness": positive(0.002, "m", "thickness"),
    "density": positive(2700.0, "kg/m^3", "of the plate"),
    "fluid": positive(1000.0, "kg/m^3", "density of the fluid"),
    "angle": number(0.6, "rad", "at which it is let go"),
    "spin": not_negative(1.0, "1", "coefficient of the drag on turning"),
}


def build(p) -> Model:
    """A plate in a vertical plane."""
    mass = p.density * p.chord * p.span * p.thickness
    builder = Builder("falling_plate", base="planar", gravity=(0, -9.81, 0))
    size = (p.chord, p.thickness, p.span)
    return builder.body("plate", inertia=Inertia.box(mass, size), visuals=(Visual("box", size),)).build()


def setting(p) -> dict:
    """All that the fluid does."""
    from locomote.environment.buoyancy import Buoyancy
    from locomote.environment.drag import Drag
    from locomote.environment.fluid import Fluid
    from locomote.environment.wing import Wing

    water = Fluid(p.fluid, 1e-3)
    ends = (0, 0, -p.span / 2), (0, 0, p.span / 2)
    wing = Wing("plate", water, *ends, p.chord, (1, 0, 0), axis=0.5, damping=0.0, elements=1)
    turning = p.spin * 2 * p.span * (p.chord / 2) ** 4 / 4
    displaced = Buoyancy("plate", water, p.chord * p.span * p.thickness)
    return {"environment": [wing, displaced, Drag("plate", water, 0.0, (0.0, 0.0, turning))]}


def initial(p, model: Model):
    """At rest, at an angle."""
    return np.array([0.0, 0.0, p.angle]), np.zeros(3)


def duration(p) -> float:
    """s"""
    return 2.0
