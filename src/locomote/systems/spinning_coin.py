"""A coin on its edge, spun about the vertical: it sinks and rolls on its rim, and friction takes its energy."""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import not_negative, number, positive

SOURCE = "H.K. Moffatt: Euler's disk and its finite-time singularity. Nature 404 (2000), the motion; numbers chosen"
SEE = "the coin falls slowly while the place where it touches runs round its rim"
PARAMETERS = {
    "radius": positive(0.1, "m", "radius of the coin, which is thin"),
    "mass": positive(1.0, "kg", "mass"),
    "friction": not_negative(0.6, "1", "Coulomb's coefficient"),
    "torsion": not_negative(1e-3, "m", "arm of the moment that resists spinning"),
    "spin": number(12.0, "rad/s", "spin about the vertical at the start"),
    "lean": number(1.4, "rad", "angle of the coin to the ground at the start"),
    "gravity": positive(9.81, "m/s^2", "gravity"),
}


def build(p) -> Model:
    """One body, z across the coin."""
    moment = (0.25 * p.mass * p.radius**2, 0.25 * p.mass * p.radius**2, 0.5 * p.mass * p.radius**2)
    builder = Builder("spinning coin", base="free", gravity=(0.0, 0.0, -p.gravity))
    disc = Visual("cylinder", (p.radius, 0.02 * p.radius))
    return builder.body("coin", inertia=Inertia(p.mass, moment=moment), visuals=[disc]).build()


def setting(p) -> dict:
    """A disc on the ground."""
    from locomote.contact.touch import Ground, Touch

    return {"contacts": [Touch("coin", Ground(friction=p.friction, torsion=p.torsion), disc=p.radius)]}


def initial(p, model: Model):
    """On its rim, spinning about the vertical."""
    c, s = np.cos(p.lean), np.sin(p.lean)
    spin = np.array([0.0, s * p.spin, c * p.spin])
    q = [0, 0, p.radius * s, np.sin(p.lean / 2), 0, 0, np.cos(p.lean / 2)]
    return np.array(q), np.concatenate([np.zeros(3), spin])


def duration(p) -> float:
    """s"""
    return 4.0
