"""An eel of rigid links, or without links, that swims by a wave of bending that runs from head to tail.

The head is at the origin and x runs to the tail, so that it swims towards -x. Water acts by elongated-body theory (reactive),
by cross-flow drag and by skin friction. All bends are imposed.
"""

import numpy as np

from locomote.model.model import Model
from locomote.systems.links import chain, water_forces, water_on_rod, wave
from locomote.systems.parameters import choice, number, positive, whole

SOURCE = (
    "F. Boyer, M. Porez, A. Leroyer: Poincare-Cosserat equations for the Lighthill three-dimensional large amplitude elongated "
    "body theory. Journal of Nonlinear Science 20 (2010); numbers chosen"
)
SEE = "from rest it comes to a steady speed of about two thirds of the speed of its wave"
PARAMETERS = {
    "body": choice("links", ("links", "rod"), "rigid links, or a rod whose curvature is imposed at every point"),
    "links": whole(20, "number of links", lowest=2, highest=200),
    "length": positive(1.0, "m", "length"),
    "height": positive(0.1, "m", "largest height of the body"),
    "width": positive(0.06, "m", "largest width of the body"),
    "density": positive(1000.0, "kg/m^3", "density of body and water"),
    "bend": number(4.0, "rad", "bending of the wave at the tail, times the length"),
    "wavelength": positive(0.7, "1", "wavelength over length"),
    "frequency": positive(1.0, "Hz", "frequency of the wave"),
    "drag": positive(1.0, "1", "drag coefficient across"),
    "friction": positive(0.01, "1", "coefficient of skin friction"),
    "ramp": positive(1.0, "s", "how long the wave takes to grow"),
}


def section(p):
    """Height and width, m, over 0..1: round head, blunt tail."""

    def at(X):
        return p.height * min(1.0, np.sqrt(X / 0.1)) * (1 - 0.4 * X), p.width * min(1.0, np.sqrt(X / 0.1)) * (1 - 0.85 * X)

    return at


def bending(p, X: float) -> float:
    """Amplitude of the wave at X in 0..1, rad over the whole length."""
    return p.bend * (0.3 + 0.7 * X)


def build(p) -> Model:
    """A chain in the plane, or a rod, as dense as water."""
    if p.body == "links":
        return chain("eel", p.links, p.length, section(p), p.density).build()
    from locomote.model.builder import Builder
    from locomote.model.flexible.bases import Points
    from locomote.model.flexible.rods import Material, Rod, Section

    def ellipse(X: float) -> Section:
        height, width = section(p)(max(X / p.length, 1e-3))
        return Section.ellipse(width / 2, height / 2)

    rod = Rod(p.length, ellipse, Material(p.density, 1e6), strains="bending_z", basis={"bending_z": Points()}, nodes=24)
    return Builder("eel", base="planar").body("eel", flex=rod).build()


def setting(p) -> dict:
    """The wave, and the water."""
    from locomote.drives.strains import StrainWave
    from locomote.forces.water.fluid import Fluid

    water = Fluid(p.density, 1e-3)
    if p.body == "links":
        forces = water_forces(p.links, p.length, section(p), water, p.drag, p.friction)
        drives = wave(p.links, lambda X: bending(p, X), p.wavelength, p.frequency, p.ramp)
    else:
        curvature = StrainWave(
            lambda X: -bending(p, X / p.length) / p.length, p.wavelength * p.length, 2 * np.pi * p.frequency, ramp=p.ramp
        )
        drives, forces = {"eel": curvature}, water_on_rod("eel", p.length, section(p), water, p.drag, p.friction)
    return {"drives": drives, "environment": forces}


def duration(p) -> float:
    """s"""
    return 12 / p.frequency
