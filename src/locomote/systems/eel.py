"""An eel of rigid links, or without links, that swims by a wave of bending that runs from head to tail.

The head is at the origin and x runs to the tail, so that it swims towards -x. Water acts by elongated-body theory (reactive),
by cross-flow drag and by skin friction. All bends are imposed. With dive= the eel, then a rod in space, bends down for
a while as it swims; its swim bladder is above its mass, which brings it level again, farther down.
"""

import numpy as np

from locomote.model.model import Model
from locomote.systems.links import chain, turning, water_forces, water_on_rod, wave
from locomote.systems.parameters import choice, not_negative, number, positive, whole

SOURCE = (
    "F. Boyer, M. Porez, A. Leroyer: Poincare-Cosserat equations for the Lighthill three-dimensional large amplitude elongated "
    "body theory. Journal of Nonlinear Science 20 (2010); numbers chosen"
)
SEE = (
    "from rest it comes to a steady speed of about half the speed of its wave; with body='rod', dive=1.0 it goes down "
    "by a third of a metre"
)
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
    "young": positive(1e6, "Pa", "Young's modulus of a rod"),
    "dive": number(0.0, "rad", "bending down, over the whole length, of a rod"),
    "dive_start": positive(5.0, "s", "when it dives"),
    "dive_time": positive(3.0, "s", "how long it bends down"),
    "bladder": not_negative(0.01, "m", "how far the center of its volume is above that of its mass, of a rod in space"),
    "nodes": whole(24, "of a rod", lowest=4, highest=100),
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

    strains, base = ("bending", "free") if p.dive else ("bending_z", "planar")
    rod = Rod(p.length, ellipse, Material(p.density, p.young), strains=strains, basis=Points(), nodes=p.nodes)
    return Builder("eel", base=base).body("eel", flex=rod).build()


def curvatures(p) -> list:
    """The drive of each coordinate of a rod: the wave to the sides, and the dive."""
    from locomote.drives.strains import StrainWave

    side = StrainWave(
        lambda X: -bending(p, X / p.length) / p.length, p.wavelength * p.length, 2 * np.pi * p.frequency, ramp=p.ramp
    )
    down = turning(p.dive / p.length, p.dive_start, p.dive_time, p.ramp)
    flexible = build(p).flexible
    assert flexible is not None
    rod = flexible.rods["eel"]
    along = rod.points.ravel()
    drives = [side.drive_at(x, 0.0) for x in along]
    return [down] * len(along) + drives if p.dive else drives


def setting(p) -> dict:
    """The wave, and the water."""
    from locomote.forces.water.buoyancy import Buoyancy
    from locomote.forces.water.fluid import Fluid

    water = Fluid(p.density, 1e-3)
    if p.body == "links":
        forces = water_forces(p.links, p.length, section(p), water, p.drag, p.friction)
        drives = wave(p.links, lambda X: bending(p, X), p.wavelength, p.frequency, p.ramp)
    else:
        drives = {"eel": curvatures(p)}
        forces = water_on_rod("eel", p.length, section(p), water, p.drag, p.friction)
        forces += [Buoyancy("eel", water, center=(0.0, 0.0, p.bladder))] if p.dive else []
    return {"drives": drives, "environment": forces}


def duration(p) -> float:
    """s"""
    return 12 / p.frequency
