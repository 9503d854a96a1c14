"""Purcell's swimmer: three rods with two hinges, in fluid so viscous that mass does not matter.

x along the middle rod, towards the front. Both hinges are imposed; what the swimmer does follows from the balance of drag
alone.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.gaits import gait_choice
from locomote.systems.parameters import choice, number, positive

SOURCE = (
    "E.M. Purcell: Life at low Reynolds number. American Journal of Physics 45 (1977); L.E. Becker, S.A. Koehler, H.A. Stone: "
    "On "
    "self-propulsion of micro-machines at low Reynolds number: Purcell's three-link swimmer. Journal of Fluid Mechanics 490 "
    "(2003)"
)
SEE = "it moves by a little with every stroke, by the same whether fast or slow; with stroke='back and forth' it comes back"
PARAMETERS = {
    "length": positive(1.0, "m", "of each rod"),
    "along": positive(1.0, "N s/m^2", "drag along a rod, per length"),
    "across": positive(2.0, "N s/m^2", "drag across a rod, per length"),
    "amplitude": number(1.0, "rad", "of both hinges"),
    "rate": positive(1.0, "rad/s", "angular frequency of the stroke"),
    "stroke": choice("circle", ("circle", "back and forth"), "hinges a quarter of a period apart, or together"),
    "gait": gait_choice("fast", "efficient", "turn"),
}


def build(p) -> Model:
    """Three rods in the plane."""
    rod = Inertia(1.0, moment=(1, 1, 1))
    builder, a, h = Builder("purcell_swimmer", base="planar", gravity=(0, 0, 0)), p.length, p.length / 2

    def look(x: float) -> tuple[Visual, ...]:
        place = np.eye(4)
        place[0, 3] = x
        return (Visual("box", (a, 0.05 * a, 0.05 * a), place),)

    builder.body("middle", visuals=look(0.0), inertia=rod)
    builder.body("front", parent="middle", at=(h, 0, 0), joint=Joint("front"), visuals=look(h), inertia=rod)
    builder.body("rear", parent="middle", at=(-h, 0, 0), joint=Joint("rear"), visuals=look(-h), inertia=rod)
    return builder.build()


def setting(p) -> dict:
    """Hinges imposed; drag on all rods and no inertia."""
    from locomote.drives.kinds.sine import Sine
    from locomote.forces.water.fluid import Fluid
    from locomote.forces.water.resistive import Resistive

    honey, a, h = Fluid(1000.0, 1.0), p.length, p.length / 2
    rods = {"middle": ((-h, 0, 0), (h, 0, 0)), "front": ((0, 0, 0), (a, 0, 0)), "rear": ((0, 0, 0), (-a, 0, 0))}
    drag = [Resistive(name, honey, *points, along=p.along, across=p.across) for name, points in rods.items()]
    late = np.pi / 2 if p.stroke == "circle" else 0.0
    drives = {"front": Sine(p.amplitude, p.rate), "rear": Sine(p.amplitude, p.rate, late)}
    return {"drives": drives, "environment": drag, "inertia": False}


def duration(p) -> float:
    """s"""
    return 3 * 2 * np.pi / p.rate
