"""A scallop: two shells with one hinge, in fluid so viscous that mass does not matter, or in a perfect fluid.

x along the line of symmetry, towards the hinge. It opens slowly and closes fast, and comes back to where it was all the same.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import choice, positive

SOURCE = "E.M. Purcell: Life at low Reynolds number. American Journal of Physics 45 (1977), the scallop theorem; numbers chosen"
SEE = "with one hinge every path of shapes is back and forth: no net motion, however fast it closes"
PARAMETERS = {
    "water": choice("viscous", ("viscous", "perfect"), "drag without inertia, or added mass without drag"),
    "length": positive(0.1, "m", "of a shell"),
    "open": positive(1.2, "rad", "angle between the shells when open"),
    "period": positive(2.0, "s", "of opening and closing"),
}


def build(p) -> Model:
    """Two plates in the plane."""
    mass, a = 0.05, p.length
    place = np.eye(4)
    place[0, 3] = -a / 2
    look = Visual("box", (a, 0.03 * a, a), place)
    plate = {"inertia": Inertia(mass, (-a / 2, 0, 0), (mass * a * a / 12,) * 3), "visuals": (look,)}
    builder = Builder("scallop", base="planar", gravity=(0, 0, 0)).body("upper", **plate)
    return builder.body("lower", parent="upper", joint=Joint("hinge"), **plate).build()


def setting(p) -> dict:
    """The hinge opens slowly and closes fast."""
    from locomote.drives.kinds.sine import Sine
    from locomote.forces.water.added import AddedMass
    from locomote.forces.water.added_mass import EllipticCylinder
    from locomote.forces.water.fluid import Fluid
    from locomote.forces.water.resistive import Resistive

    w, a = 2 * np.pi / p.period, p.length
    drives = {"hinge": Sine(p.open / 2, w, -np.pi / 2, p.open / 2) + Sine(p.open / 16, 2 * w) + Sine(-p.open / 8, w)}
    if p.water == "viscous":
        drag = [Resistive(name, Fluid(1000.0, 1.0), (-a, 0, 0), (0, 0, 0), radius=a / 30) for name in ("upper", "lower")]
        return {"drives": drives, "environment": drag, "inertia": False}
    plate = EllipticCylinder(a, (a / 2, 0.0))  # strips across, of breadth a
    added = [
        AddedMass(name, Fluid(1000.0), plate, (-a / 2, 0, 0), [[0, 1, 0], [0, 0, 1], [1, 0, 0]]) for name in ("upper", "lower")
    ]
    return {"drives": drives, "environment": added}


def duration(p) -> float:
    """s"""
    return 2 * p.period
