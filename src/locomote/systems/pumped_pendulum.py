"""A pendulum whose length is imposed, as by a child on a swing who stands up and sits down.

Shortened near the bottom and lengthened near the top, at twice the frequency of the swing, it gains height.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import number, positive

SOURCE = "textbook example of parametric resonance: L.D. Landau, E.M. Lifshitz, Mechanics, section 27; numbers chosen"
SEE = "the swing grows from 0.2 rad to more than one although nothing pushes it: the work is done along the rope"
PARAMETERS = {
    "mass": positive(1.0, "kg", "mass of the bob"),
    "length": positive(1.0, "m", "mean length"),
    "amplitude": number(0.1, "m", "amplitude of the length"),
    "rate": positive(6.3, "rad/s", "its angular frequency"),
    "angle": number(0.2, "rad", "angle at the start"),
    "gravity": number(9.81, "m/s^2", "gravity"),
}


def build(p) -> Model:
    """One body on a hinge and a slide."""
    joints = [Joint("swing", axis=(0, -1, 0)), Joint("rope", "prismatic", axis=(0, 0, -1))]
    builder = Builder("pumped pendulum", gravity=(0.0, 0.0, -p.gravity))
    bob = Visual("sphere", (0.15 * p.length,))
    return builder.body("bob", joint=joints, inertia=Inertia(p.mass), visuals=[bob]).build()


def setting(p) -> dict:
    """The length is imposed."""
    from locomote.drives.kinds.sine import Sine

    return {"drives": {"rope": Sine(p.amplitude, p.rate, offset=p.length)}}


def initial(p, model: Model):
    """At its angle, not swinging."""
    return np.array([p.angle, p.length]), np.array([0.0, p.amplitude * p.rate])


def duration(p) -> float:
    """s"""
    return 15.0
