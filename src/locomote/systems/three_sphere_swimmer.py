"""Three spheres in a row on two arms that change their length, in fluid so viscous that mass does not matter.

x along the row. Each sphere drags the others along by its wake (Oseen, or Rotne and Prager).
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.gaits import gait_choice
from locomote.systems.parameters import choice, number, positive

SOURCE = (
    "A. Najafi, R. Golestanian: Simple swimmer at low Reynolds number: three linked spheres. Physical Review E 69 (2004); R. "
    "Golestanian, "
    "A. Ajdari: Analytic results for the three-sphere swimmer at low Reynolds number. Physical Review E 77 (2008)"
)
SEE = "its mean speed is 7 a / (24 l^2) times the area that its arms go around, per time"
PARAMETERS = {
    "radius": positive(0.1, "m", "of the spheres"),
    "arm": positive(1.0, "m", "mean length of the arms"),
    "amplitude": positive(0.2, "m", "by which the arms change"),
    "rate": positive(1.0, "rad/s", "angular frequency"),
    "phase": number(np.pi / 2, "rad", "by which the right arm is ahead"),
    "viscosity": positive(1.0, "Pa s", "of the fluid"),
    "interaction": choice("oseen", ("oseen", "rotne-prager"), "what spheres do to each other"),
    "gait": gait_choice("fast", "efficient"),
}


def build(p) -> Model:
    """Spheres on a line; their mass does not matter."""
    ball = {"inertia": Inertia.sphere(1e-3, p.radius), "visuals": (Visual("sphere", (p.radius,)),)}
    builder = Builder("three_sphere_swimmer", base="x", gravity=(0, 0, 0)).body("middle", **ball)
    for name, side in (("left", -1), ("right", 1)):
        builder.body(name, parent="middle", at=(side * p.arm, 0, 0), joint=Joint(name, "prismatic", (side, 0, 0)), **ball)
    return builder.build()


def setting(p) -> dict:
    """Arms imposed."""
    from locomote.drives.kinds.sine import Sine
    from locomote.forces.water.fluid import Fluid
    from locomote.forces.water.spheres import ViscousSpheres

    spheres = ViscousSpheres(Fluid(1000.0, p.viscosity), dict.fromkeys(("left", "middle", "right"), p.radius), p.interaction)
    drives = {"left": Sine(p.amplitude, p.rate), "right": Sine(p.amplitude, p.rate, p.phase)}
    return {"drives": drives, "environment": [spheres], "inertia": False}


def duration(p) -> float:
    """s"""
    return 5 * 2 * np.pi / p.rate
