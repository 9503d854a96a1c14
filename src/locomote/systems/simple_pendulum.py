"""A point mass on a massless rod, let go from the side. The angle counts from straight down, towards -x."""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import number, positive
from locomote.systems.parts import at

SOURCE = "IFToMM library of computational benchmark problems, A01; closed form with Jacobi's elliptic functions"
SEE = "a swing of 2.3678 s that never loses height: what an integrator loses is seen at once"
PARAMETERS = {
    "mass": positive(1.0, "kg", "mass of the bob"),
    "length": positive(1.0, "m", "length of the rod"),
    "angle": number(np.pi / 2, "rad", "angle at the start, at rest"),
    "gravity": number(9.81, "m/s^2", "gravity"),
}


def build(p) -> Model:
    """One body on one joint."""
    looks = [Visual("sphere", (0.08,), at(0, 0, -p.length)), Visual("box", (0.02, 0.02, p.length), at(0, 0, -p.length / 2))]
    builder = Builder("simple pendulum", gravity=(0.0, 0.0, -p.gravity))
    bob = Inertia(p.mass, (0.0, 0.0, -p.length))
    return builder.body("bob", joint=Joint("swing", axis="y"), inertia=bob, visuals=looks).build()


def initial(p, model: Model):
    """At its angle, at rest."""
    return np.array([p.angle]), np.zeros(1)


def duration(p) -> float:
    """s"""
    return 10.0
