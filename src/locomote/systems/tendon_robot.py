"""A soft arm with three tendons, pulled one after the other.

x along the arm, which hangs down. The tendons run along it at equal angles; their tensions follow a sine each, a third of a
period apart, so that the tip goes round.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.flexible.rods import Material, Rod, Section
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import CLOSING, positive

SOURCE = (
    "tendons in Cosserat rods after D.C. Rucker, R.J. Webster: Statics and dynamics of continuum robots with general "
    "tendon routing and external loading (2011); numbers chosen"
)
SEE = "the tip goes round in a circle while the arm bends towards the tendon that is pulled"
TOLERANCES = CLOSING
PARAMETERS = {
    "length": positive(0.3, "m", "length of the arm"),
    "radius": positive(0.01, "m", "radius of its section"),
    "young": positive(1e6, "Pa", "Young's modulus"),
    "density": positive(1100.0, "kg/m^3", "density"),
    "damping": positive(0.02, "s", "Kelvin-Voigt time"),
    "offset": positive(0.008, "m", "distance of the tendons from the middle"),
    "tension": positive(1.0, "N", "mean tension of a tendon, and how much it goes up and down"),
    "rate": positive(3.0, "rad/s", "angular frequency of the tensions"),
    "tip_mass": positive(0.02, "kg", "mass at the tip"),
}


def build(p) -> Model:
    """A rod that hangs down, with a mass at its tip."""
    material = Material(p.density, p.young, damping=p.damping)
    rod = Rod(
        p.length, Section.circle(p.radius), material, strains="bending torsion stretch", order={"bending": 3, "stretch": 0}
    )
    down = np.eye(4)
    down[:3, :3] = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    builder = Builder("tendon_robot").body("arm", at=down, flex=rod)
    return builder.body("tip", parent="arm", inertia=Inertia(p.tip_mass)).build()


def setting(p) -> dict:
    """Three tendons, pulled in turn."""
    from locomote.actuation.actuators import Tendon
    from locomote.drives.kinds.sine import Sine

    actuators = []
    for k in range(3):
        y, z = p.offset * np.cos(2 * np.pi * k / 3), p.offset * np.sin(2 * np.pi * k / 3)
        pull = Sine(p.tension, p.rate, phase=-2 * np.pi * k / 3, offset=p.tension, ramp=0.5)
        actuators.append(Tendon("arm", ((0.0, y, z), (p.length, y, z)), pull, name=f"tendon {k + 1}"))
    return {"actuators": actuators}


def duration(p) -> float:
    """s"""
    return 2 * 2 * np.pi / p.rate
