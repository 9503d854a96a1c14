"""A ball whose mass center is below its middle, spun fast on the ground: friction turns it over."""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import not_negative, number, positive
from locomote.systems.parts import at

SOURCE = "R.J. Cohen: The tippe top revisited. American Journal of Physics 45 (1977), model; numbers chosen"
SEE = "the top turns upside down while it spins, and its mass center rises; spin pays for that"
PARAMETERS = {
    "radius": positive(0.02, "m", "radius of the ball"),
    "offset": positive(0.008, "m", "mass center below the middle"),
    "mass": positive(0.015, "kg", "mass"),
    "ratio": positive(1.05, "1", "moment of inertia about the axis over that across it"),
    "friction": not_negative(0.1, "1", "Coulomb's coefficient"),
    "spin": number(180.0, "rad/s", "spin at the start"),
    "lean": number(0.3, "rad", "how far it leans at the start"),
    "gravity": positive(9.81, "m/s^2", "gravity"),
}


def build(p) -> Model:
    """One body; the frame is at its mass center, z along its axis."""
    across = 0.4 * p.mass * p.radius**2
    ball = Visual("sphere", (p.radius,), at(0, 0, p.offset))
    builder = Builder("tippe top", base="free", gravity=(0.0, 0.0, -p.gravity))
    return builder.body("top", inertia=Inertia(p.mass, moment=(across, across, p.ratio * across)), visuals=[ball]).build()


def setting(p) -> dict:
    """A ball on the ground."""
    from locomote.contact.touch import Ground, Touch

    return {"contacts": [Touch("top", Ground(friction=p.friction), sphere=p.radius, at=(0.0, 0.0, p.offset))]}


def initial(p, model: Model):
    """Leaning, spinning about its axis."""
    height = p.radius - p.offset * np.cos(p.lean)
    return np.array([0, 0, height, np.sin(p.lean / 2), 0, 0, np.cos(p.lean / 2)]), np.array([0, 0, 0, 0, 0, p.spin])


def duration(p) -> float:
    """s"""
    return 5.0
