"""A snake without links that winds itself forward: its curvature is a wave from head to tail, and no section slides sideways.

x from the head to the tail. The curvature is imposed at every point, and a keel holds the body sideways all along, so that it
follows its own track, at the speed of the wave. A mean curvature makes it turn.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.flexible.bases import Points
from locomote.model.flexible.rods import Material, Rod, Section
from locomote.model.model import Model
from locomote.systems.parameters import number, positive

SOURCE = (
    "lateral undulation of a continuous snake after F. Boyer, S. Ali, M. Porez: Macrocontinuous dynamics for hyperredundant "
    "robots: application to kinematic locomotion bioinspired by elongated body animals (2012); in the plane, numbers chosen"
)
SEE = (
    "every section follows the track of the head; the moments along the body are the forces of its coordinates, and "
    "lo.rods.reaction_field gives what the ground holds it with, per length"
)
PARAMETERS = {
    "length": positive(1.0, "m", "length of the snake"),
    "radius": positive(0.02, "m", "radius of its section"),
    "density": positive(1000.0, "kg/m^3", "density"),
    "amplitude": positive(4.0, "1/m", "curvature of the wave"),
    "wavelength": positive(0.7, "m", "length of the wave along the body"),
    "speed": positive(0.35, "m/s", "speed of the wave along the body"),
    "turn": number(0.3, "1/m", "mean curvature of the track"),
}


def build(p) -> Model:
    """One rod on a planar base."""
    rod = Rod(
        p.length,
        Section.circle(p.radius),
        Material(p.density, 1e5),
        strains="bending_z",
        basis={"bending_z": Points()},
        nodes=24,
    )
    return Builder("continuous_snake", base="planar").body("snake", flex=rod).build()


def setting(p) -> dict:
    """A wave of curvature that stands still in the world as the snake goes along it; no section goes sideways."""
    from locomote.constraints.keel import Keel
    from locomote.drives.strains import StrainWave

    rate = 2 * np.pi * p.speed / p.wavelength
    wave = StrainWave(p.amplitude, p.wavelength, rate, offset=p.turn)
    return {"drives": {"snake": wave}, "constraints": [Keel("snake", name="keel")]}


def initial(p, model: Model):
    """As the wave says, moving along its track."""
    v = np.zeros(model.nv)
    v[0] = -p.speed
    return model.neutral(), v


def duration(p) -> float:
    """s"""
    return 3 * p.length / p.speed
