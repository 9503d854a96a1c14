"""Three links in a perfect fluid at rest, that swims by the inertia of the water alone.

x along the middle link, towards the front. Momentum of links and water is zero and stays so; what moves is decided by the path
of shapes, whatever its speed.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.gaits import gait_choice
from locomote.systems.parameters import number, positive

SOURCE = (
    "E. Kanso, J.E. Marsden, C.W. Rowley, J.B. Melli-Huber: Locomotion of articulated bodies in a perfect fluid. Journal of "
    "Nonlinear Science "
    "15 (2005), without interaction between links; numbers of F. Boyer, M. Porez (2015) chosen"
)
SEE = "every period moves it by 0.19 m, whether in a second or in a minute; it stops when its joints stop"
PARAMETERS = {
    "half_length": positive(0.5, "m", "of an elliptic link"),
    "half_width": positive(0.1, "m", "of an elliptic link"),
    "joint": positive(0.6, "m", "from the middle of a link to its joint"),
    "density": positive(1.0, "kg/m^3", "of links and fluid, per metre across the plane"),
    "amplitude": number(0.5, "rad", "of both joints"),
    "rate": positive(1.0, "rad/s", "angular frequency"),
    "phase": number(np.pi / 2, "rad", "by which the rear joint is ahead"),
    "gait": gait_choice("fast", "efficient", "turn"),
}


def build(p) -> Model:
    """Three ellipses, as dense as the fluid."""
    a, b, d = p.half_length, p.half_width, p.joint
    mass = p.density * np.pi * a * b
    moment = (mass, mass, mass * (a * a + b * b) / 4)
    builder = Builder("perfect_fluid_swimmer", base="planar", gravity=(0, 0, 0))
    for name, x, where in (("middle", 0.0, None), ("front", d, d), ("rear", -d, -d)):
        place = np.eye(4)
        place[0, 3] = x
        link = {"inertia": Inertia(mass, (x, 0, 0), moment), "visuals": (Visual("ellipsoid", (a, b, b), place),)}
        if where is None:
            builder.body(name, **link)
        else:
            builder.body(name, parent="middle", at=(where, 0, 0), joint=Joint(name), **link)
    return builder.build()


def setting(p) -> dict:
    """Joints imposed; added mass on each link."""
    from locomote.drives.kinds.sine import Sine
    from locomote.forces.water.added import AddedMass
    from locomote.forces.water.added_mass import EllipticCylinder
    from locomote.forces.water.fluid import Fluid

    section, across = EllipticCylinder(1.0, (p.half_length, p.half_width)), [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    places = {"middle": 0.0, "front": p.joint, "rear": -p.joint}
    water = [AddedMass(name, Fluid(p.density), section, (x, 0, 0), across) for name, x in places.items()]
    late = np.pi / 2
    drives = {"front": Sine(p.amplitude, p.rate, late), "rear": Sine(p.amplitude, p.rate, late + p.phase)}
    return {"drives": drives, "environment": water}


def initial(p, model: Model):
    """With no momentum of links and water together."""
    from locomote.locomotion.problem import Locomotion

    problem = Locomotion(model, **setting(p))
    q, v = problem.initial(model.neutral(), np.zeros(model.nv))
    connection = problem.connection(q)
    v[connection.base] = -connection.A @ v[connection.shape]
    return q, v


def duration(p) -> float:
    """s"""
    return 3 * 2 * np.pi / p.rate
