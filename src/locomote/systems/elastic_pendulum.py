"""A soft rod that hangs on a hinge with a weight at its tip: a pendulum that bends and stretches.

x along the rod, downward at rest; the hinge turns about y.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint
from locomote.model.flexible.rods import Material, Rod, Section
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import CLOSING, number, positive

SOURCE = "an elastic pendulum as in tests of geometrically exact beams; numbers chosen"
SEE = "the rod whips through its lowest place; energy goes between height, motion and deformation, and slowly into the rod"
TOLERANCES = CLOSING
PARAMETERS = {
    "length": positive(1.0, "m", "length of the rod"),
    "radius": positive(0.01, "m", "radius of its section"),
    "young": positive(5e6, "Pa", "Young's modulus"),
    "density": positive(1100.0, "kg/m^3", "density"),
    "damping": positive(2e-3, "s", "Kelvin-Voigt time"),
    "tip_mass": positive(0.1, "kg", "mass at the tip"),
    "angle": number(1.3, "rad", "angle at which it is let go"),
}


def build(p) -> Model:
    """A rod on a hinge, and its weight."""
    rod = Rod(
        p.length, Section.circle(p.radius), Material(p.density, p.young, damping=p.damping), strains="planar",
        order={"bending_z": 4, "stretch": 1, "shear": 0},
    )  # fmt: skip
    place = np.eye(4)
    place[:3, :3] = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]) @ np.diag([-1.0, 1.0, -1.0])
    builder = Builder("elastic_pendulum").body("rod", at=place, joint=Joint("hinge"), flex=rod)
    return builder.body("weight", parent="rod", inertia=Inertia(p.tip_mass)).build()


def initial(p, model: Model):
    """Straight, turned aside, at rest."""
    q = model.neutral()
    q[0] = p.angle
    return q, np.zeros(model.nv)


def duration(p) -> float:
    """s"""
    return 2.0
