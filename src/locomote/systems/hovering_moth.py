"""A hawkmoth-sized flier: two wings that stroke in a horizontal plane and pitch by themselves on a spring, or as told.

x ahead, y to the left, z up. Leading edges are up when the pitch is zero; a wing that moves then pitches by the air until its
angle of attack is about 45 degrees. Blade elements with the translational and rotational forces of hovering flight, and the
added mass of the air.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import choice, not_negative, number, positive
from locomote.systems.parts import at

SOURCE = (
    "C.P. Ellington: The aerodynamics of hovering insect flight. Philosophical Transactions of the Royal Society B 305 "
    "(1984); M.H. Dickinson, "
    "F.-O. Lehmann, S.P. Sane: Wing rotation and the aerodynamic basis of insect flight. Science 284 (1999); numbers of a "
    "hawkmoth's size "
    "chosen"
)
SEE = "the wings pitch by about 45 degrees and carry about the weight, by themselves"
PARAMETERS = {
    "wings": choice("passive", ("passive", "imposed"), "pitch on a spring, or imposed"),
    "guide": choice("vertical", ("vertical", "held"), "the body moves up and down, or is held"),
    "mass": positive(1.6e-3, "kg", "mass of the body"),
    "span": positive(0.05, "m", "length of a wing"),
    "chord": positive(0.0183, "m", "mean chord"),
    "wing_mass": positive(4.7e-5, "kg", "mass of a wing"),
    "frequency": positive(26.0, "Hz", "of the strokes"),
    "stroke": positive(57.0, "deg", "amplitude of the stroke"),
    "pitch": number(45.0, "deg", "amplitude of an imposed pitch"),
    "stiffness": not_negative(2.2e-4, "N m/rad", "of the spring of a wing"),
    "damping": not_negative(2e-8, "N m s/rad", "of the hinge of a wing"),
    "air": positive(1.2, "kg/m^3", "density of air"),
}


def outline(p):
    """Chord, m, over 0..1 from root to tip; its second moment has the radius of 0.52 of the span."""

    def chord(x: float) -> float:
        return p.chord * (1.4 - 0.8 * x)

    return chord


def build(p) -> Model:
    """A body with two wings."""
    base = "xyz" if p.guide == "vertical" else "fixed"
    builder = Builder("hovering_moth", base=base)
    look = Visual("ellipsoid", (0.02, 0.006, 0.006))
    builder.body("body", inertia=Inertia.ellipsoid(p.mass, (0.02, 0.006, 0.006)), visuals=(look,))
    spring = {"stiffness": p.stiffness, "damping": p.damping} if p.wings == "passive" else {}
    b, c, m = p.span, p.chord, p.wing_mass
    moment = m / 12 * np.array([b * b + c * c, c * c, b * b])
    for name, side in (("left", 1.0), ("right", -1.0)):
        joints = Joint(f"{name}_stroke", axis=(0, 0, side)), Joint(f"{name}_pitch", axis=(0, 1, 0), **spring)
        centre = (0.0, side * b / 2, -c / 4)
        inertia = Inertia(m, centre, moment)
        builder.body(name, parent="body", joint=joints, inertia=inertia, visuals=(Visual("box", (5e-4, b, c), at(*centre)),))
    return builder.build()


def setting(p) -> dict:
    """Strokes imposed, and pitch too if so asked; air on both wings."""
    from locomote.environment.fluid import Fluid
    from locomote.environment.wing import Wing
    from locomote.simulation.drives import Sine

    air, w = Fluid(p.air, 1.8e-5), 2 * np.pi * p.frequency
    drives, wings = {}, []
    for name, side in (("left", 1.0), ("right", -1.0)):
        drives[f"{name}_stroke"] = Sine(np.radians(p.stroke), w, np.pi / 2)
        if p.wings == "imposed":
            drives[f"{name}_pitch"] = Sine(np.radians(p.pitch), w)
        wings.append(Wing(name, air, (0, 0, 0), (0, side * p.span, 0), outline(p), forward=(0, 0, 1), axis=0.25, elements=5))
    if p.guide == "vertical":
        drives |= {("base", 0): 0.0, ("base", 1): 0.0}
    return {"drives": drives, "environment": wings}


def initial(p, model: Model):
    """At rest, at the end of a stroke."""
    return model.neutral(), np.zeros(model.nv)


def duration(p) -> float:
    """s"""
    return 12 / p.frequency
