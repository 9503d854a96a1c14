"""A fish of many links with a caudal fin, that cruises by a wave of bending and turns by bending to one side.

The head is at the origin and x runs to the tail. Water acts by elongated-body theory (reactive), by cross-flow drag and by skin
friction. All bends are imposed.
"""

import numpy as np

from locomote.model.model import Model
from locomote.systems.links import chain, water_forces, wave
from locomote.systems.parameters import number, positive, whole

SOURCE = (
    "F. Boyer, M. Porez: Multibody system dynamics for bio-inspired locomotion: from geometric structures to computational "
    "aspects. "
    "Bioinspiration and Biomimetics 10 (2015), after M.J. Lighthill: Large-amplitude elongated-body theory of fish locomotion. "
    "Proceedings of the Royal Society B 179 (1971); numbers chosen"
)
SEE = "from rest it comes to a steady speed at a Strouhal number near 0.3; with turn=1.2 it swims in a circle"
PARAMETERS = {
    "links": whole(24, "number of links", lowest=3, highest=200),
    "length": positive(0.5, "m", "length"),
    "density": positive(1000.0, "kg/m^3", "density of body and water"),
    "bend": number(1.0, "1", "factor of the bending wave"),
    "turn": number(0.0, "rad", "bending to one side, over the whole length"),
    "wavelength": positive(0.9, "1", "wavelength over length"),
    "frequency": positive(1.5, "Hz", "frequency of the wave"),
    "drag": positive(1.0, "1", "drag coefficient across"),
    "friction": positive(0.01, "1", "coefficient of skin friction"),
    "ramp": positive(1.0, "s", "how long the wave takes to grow"),
}


def section(p):
    """Height and width, m, over 0..1: a body and a caudal fin."""

    def at(X):
        round_ = np.sin(np.pi * X**0.6)
        return 2 * p.length * (0.09 * round_ + 0.07 * X**8), 2 * p.length * max(0.05 * round_, 1e-3)

    return at


def build(p) -> Model:
    """A chain in the plane, as dense as water."""
    return chain("fish", p.links, p.length, section(p), p.density).build()


def setting(p) -> dict:
    """The wave, and the water."""
    from locomote.drives.drives import Constant
    from locomote.environment.fluid import Fluid

    water = Fluid(p.density, 1e-3)
    drives = wave(p.links, lambda X: p.bend * (0.3 + 0.2 * X + 1.8 * X * X), p.wavelength, p.frequency, p.ramp)
    if p.turn:
        drives = {name: drive + Constant(p.turn / p.links, ramp=p.ramp) for name, drive in drives.items()}
    return {"drives": drives, "environment": water_forces(p.links, p.length, section(p), water, p.drag, p.friction)}


def initial(p, model: Model):
    """At rest, stretched out."""
    return model.neutral(), np.zeros(model.nv)


def duration(p) -> float:
    """s"""
    return 18 / p.frequency
