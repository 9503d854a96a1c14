"""The compass gait: two stiff legs with mass, hinged at a heavy hip, walk down a slope by themselves.

It moves in the plane of x and z; gravity leans, the ground does not. The angle of a leg counts from the normal of the slope,
against the clock seen from -y. The left foot stands; the right one swings through the ground without touching it until
both legs lean alike. Then it hits, the left one leaves, and the feet exchange their names (`gait`).
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems import simplest_walker
from locomote.systems.parameters import number, positive
from locomote.systems.parts import at

SOURCE = (
    "A. Goswami, B. Thuilot, B. Espiau: A study of the passive gait of a compass-like biped robot: symmetry and chaos. "
    "International Journal of Robotics Research 17 (1998), robot and slope of 3 degrees"
)
SEE = "one step of the walker; `compass_walker.gait` has the whole limit cycle and its multipliers"
PARAMETERS = {
    "slope": positive(np.radians(3.0), "rad", "slope"),
    "length": positive(1.0, "m", "length of a leg"),
    "below": positive(0.5, "m", "mass of a leg from its foot"),
    "mass": positive(10.0, "kg", "mass of the hip"),
    "leg": positive(5.0, "kg", "mass of a leg"),
    "angle": number(0.271, "rad", "angle of the standing leg from the normal of the slope at the start"),
    "speed": number(-1.0918, "rad/s", "its rate"),
    "swing": number(-0.3772, "rad/s", "rate of the other leg"),
    "gravity": positive(9.8, "m/s^2", "gravity"),
}


def build(p) -> Model:
    """The hip on two slides, two legs."""
    slides = [Joint("x", kind="prismatic", axis="x"), Joint("z", kind="prismatic", axis="z")]
    gravity = (p.gravity * np.sin(p.slope), 0.0, -p.gravity * np.cos(p.slope))
    builder = Builder("compass walker", base="fixed", gravity=gravity)
    builder.body("hip", joint=slides, inertia=Inertia(p.mass), visuals=[Visual("sphere", (0.08 * p.length,))])
    place = (0.0, 0.0, p.below - p.length)
    looks = [
        Visual("cylinder", (0.015 * p.length, p.length), at(0.0, 0.0, -p.length / 2)),
        Visual("sphere", (0.045 * p.length,), at(*place)),
    ]
    for side in ("left", "right"):
        joint = Joint(f"{side}_leg", axis=(0, -1, 0))
        builder.body(side, parent="hip", joint=joint, inertia=Inertia(p.leg, place), visuals=looks)
    return builder.build()


def setting(p) -> dict:
    """The left foot stands."""
    return simplest_walker.setting(p)


def initial(p, model: Model):
    """Just after a step, near the limit cycle of the defaults."""
    return simplest_walker.state(p, p.angle, p.speed, -p.angle, p.swing)


def duration(p) -> float:
    """s"""
    return float(2.2 * np.sqrt(p.length / p.gravity))


def gait(**given):
    """The limit cycle of the walker with these parameters: a `LimitCycle`."""
    from locomote.systems.parameters import values

    p = values("compass_walker", PARAMETERS, given)
    return simplest_walker.cycle_of(p, build(p), 1.2)
