"""A fast top that turns about a fixed point: the benchmark of integrators on rotations. Its axis is y of its frame."""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import number, positive

SOURCE = (
    "O. Bruls, A. Cardona: On the use of Lie group time integrators in multibody dynamics. J. Comput. Nonlinear Dynamics 5 "
    "(2010); Z. Terze, A. Muller, D. Zlatar (2016)"
)
SEE = "the axis goes round slowly and nods while the top spins 24 times a second"
PARAMETERS = {
    "mass": positive(15.0, "kg", "mass"),
    "distance": positive(1.0, "m", "mass center from the fixed point, along y"),
    "inertia": positive(0.46875, "kg m^2", "moment of inertia about its axis"),
    "inertia_across": positive(0.234375, "kg m^2", "and across it, about the mass center"),
    "spin": number(150.0, "rad/s", "spin about its axis at the start"),
    "precession": number(-4.61538, "rad/s", "angular velocity about z at the start"),
    "gravity": number(9.81, "m/s^2", "gravity"),
}


def build(p) -> Model:
    """One body on a ball joint."""
    moment = (p.inertia_across, p.inertia, p.inertia_across)
    place = np.array([[1.0, 0, 0, 0], [0, 0, 1, p.distance], [0, -1, 0, 0], [0, 0, 0, 1]])
    axis = np.array([[1.0, 0, 0, 0], [0, 0, 1, p.distance / 2], [0, -1, 0, 0], [0, 0, 0, 1]])
    looks = [Visual("cylinder", (0.25, 0.05), place), Visual("cylinder", (0.02, p.distance), axis)]
    top = {"inertia": Inertia(p.mass, (0, p.distance, 0), moment), "visuals": looks}
    return Builder("heavy top", base="rotation", gravity=(0.0, 0.0, -p.gravity)).body("top", **top).build()


def initial(p, model: Model):
    """Lying level, spinning."""
    return model.neutral(), np.array([0.0, p.spin, p.precession])


def duration(p) -> float:
    """s"""
    return 2.0
