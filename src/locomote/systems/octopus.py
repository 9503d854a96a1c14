"""An octopus without water: a mantle with eight soft arms, each a rod that bends, twists and stretches.

The arms hang around the mantle and are curled by a tendon each; nothing else acts, so that the momentum stays zero and the
mantle moves only as the arms make it.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.flexible.rods import Cone, Material, Rod
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import CLOSING, positive

SOURCE = (
    "an octopus of rods after F. Renda et al.: Dynamic model of a multibending soft robot arm driven by cables (2014); numbers "
    "chosen"
)
SEE = "the arms curl one after the other and the mantle answers; linear and angular momentum stay zero"
TOLERANCES = CLOSING
PARAMETERS = {
    "arm_length": positive(0.3, "m", "length of an arm"),
    "root_radius": positive(0.012, "m", "radius of an arm at its root"),
    "tip_radius": positive(0.004, "m", "radius at its tip"),
    "young": positive(1e5, "Pa", "Young's modulus of the arms"),
    "density": positive(1050.0, "kg/m^3", "density"),
    "damping": positive(0.03, "s", "Kelvin-Voigt time of the arms"),
    "mantle_mass": positive(0.5, "kg", "mass of the mantle"),
    "mantle_radius": positive(0.05, "m", "radius of the mantle"),
    "tension": positive(0.15, "N", "how hard tendons are pulled"),
    "rate": positive(4.0, "rad/s", "angular frequency of the pulls"),
}
ARMS = 8


def build(p) -> Model:
    """A mantle and eight arms."""
    material = Material(p.density, p.young, damping=p.damping)
    rod = Rod(
        p.arm_length, Cone(p.root_radius, p.tip_radius, p.arm_length), material, strains="bending torsion stretch",
        order={"bending": 3, "torsion": 1, "stretch": 1},
    )  # fmt: skip
    J = 0.4 * p.mantle_mass * p.mantle_radius**2
    builder = Builder("octopus", base="free", gravity=(0.0, 0.0, 0.0))
    builder.body("mantle", inertia=Inertia(p.mantle_mass, moment=(J, J, J)))
    for k in range(ARMS):
        angle = 2 * np.pi * k / ARMS
        c, s = np.cos(angle), np.sin(angle)
        place = np.eye(4)
        place[:3, :3] = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        place[:3, 3] = p.mantle_radius * c, p.mantle_radius * s, 0.0
        builder.body(f"arm_{k + 1}", parent="mantle", at=place, flex=rod)
    return builder.build()


def setting(p) -> dict:
    """A tendon in each arm, pulled one after the other."""
    from locomote.actuation.actuators import Tendon
    from locomote.drives.kinds.sine import Sine

    path = ((0.0, 0.0, -0.7 * p.root_radius), (p.arm_length, 0.0, -0.7 * p.tip_radius))
    pulls = [Sine(p.tension, p.rate, phase=-2 * np.pi * k / ARMS, offset=p.tension, ramp=0.5) for k in range(ARMS)]
    return {"actuators": [Tendon(f"arm_{k + 1}", path, pull, name=f"tendon {k + 1}") for k, pull in enumerate(pulls)]}


def duration(p) -> float:
    """s"""
    return 2 * 2 * np.pi / p.rate
