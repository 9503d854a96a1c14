"""A rod without weight, thrown with a turn: it tumbles, bends and twists.

x along the rod. Nothing acts on it: its momentum and its energy stay what they are.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.flexible.rods import Material, Rod, Section
from locomote.model.model import Model
from locomote.systems.parameters import CLOSING, number, positive

SOURCE = (
    "free flight of a flexible rod after J.C. Simo, L. Vu-Quoc: On the dynamics in space of rods undergoing large motions "
    "(1988); numbers chosen"
)
SEE = "the rod tumbles and swings while its momentum, its turn and its energy stay what they are"
TOLERANCES = CLOSING
PARAMETERS = {
    "length": positive(1.0, "m", "length of the rod"),
    "radius": positive(0.01, "m", "radius of its section"),
    "young": positive(5e6, "Pa", "Young's modulus"),
    "density": positive(1000.0, "kg/m^3", "density"),
    "bend": number(1.5, "1/m", "curvature at the start"),
    "spin": number(6.0, "rad/s", "turn about y at the start"),
    "roll": number(3.0, "rad/s", "turn about its own axis at the start"),
}


def build(p) -> Model:
    """One rod on a free base."""
    rod = Rod(p.length, Section.circle(p.radius), Material(p.density, p.young), strains="bending torsion", order=4)
    return Builder("flying_rod", base="free", gravity=(0.0, 0.0, 0.0)).body("rod", flex=rod).build()


def initial(p, model: Model):
    """Bent to an arc, turning."""
    q, v = model.neutral(), np.zeros(model.nv)
    names = [slot.name for slot in model.layout() if slot.vector == "q"]
    q[names.index("bending_z 0")] = p.bend
    v[3], v[4] = p.roll, p.spin
    return q, v


def duration(p) -> float:
    """s"""
    return 2.0
