"""A rope in space: short cylinders on ball joints, held at one end, level at the start, with a push to the side at the other.

Each link is along x of its body. A rope without stiffness has ball joints. One with stiffness or damping has joints of three
axes (z, y, x of the links: bending, bending, torsion) with springs and dampers: each has the bending stiffness (N m^2) over the
length of a link. No joint may then bend by a right angle about y.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import not_negative, number, positive, whole

SOURCE = "a long chain of spherical joints, as in S.K. Saha, S.V. Shah, P.V. Nandihal (2013), section on ropes; numbers chosen"
SEE = "a wave runs from the free end to the support and back, in all three directions; with damping it comes to hang still"
PARAMETERS = {
    "links": whole(20, "number of links", lowest=1, highest=10_000),
    "length": positive(1.0, "m", "of the whole rope"),
    "mass": positive(0.2, "kg", "of the whole rope"),
    "radius": positive(0.01, "m", "of the rope"),
    "bending": not_negative(0.0, "N m^2", "bending stiffness"),
    "damping": not_negative(0.0, "N m^2 s", "its damping"),
    "sag": number(0.3, "rad", "angle of the rope below level at the start"),
    "push": number(1.0, "rad/s", "angular velocity of the whole rope about the upright axis at the start"),
    "gravity": number(9.81, "m/s^2", "gravity"),
}


def build(p) -> Model:
    """The links, one on the other."""
    size = p.length / p.links
    along = np.array([[0.0, 0, 1, size / 2], [0, 1.0, 0, 0], [-1.0, 0, 0, 0], [0, 0, 0, 1]])  # z of the cylinder along x
    inertia = Inertia.cylinder(p.mass / p.links, p.radius, size).moved(along)
    looks = (Visual("cylinder", (p.radius, size), along),)
    kind, elastic = ("euler", (p.bending / size, p.damping / size)) if p.bending or p.damping else ("spherical", (0.0, 0.0))
    builder = Builder("rope", gravity=(0.0, 0.0, -p.gravity))
    for k in range(1, p.links + 1):
        parent, place = (None, 0.0) if k == 1 else (f"link{k - 1}", size)
        joint = Joint(f"ball{k}", "spherical")
        if k > 1:
            joint = Joint(f"ball{k}", kind, sequence="zyx", stiffness=elastic[0], damping=elastic[1])
        builder.body(f"link{k}", parent=parent, at=(place, 0, 0), joint=joint, inertia=inertia, visuals=looks)
    return builder.build()


def initial(p, model: Model):
    """Straight, turning about the upright axis through its support."""
    q, v = model.neutral(), np.zeros(model.nv)
    q[:4] = 0.0, np.sin(p.sag / 2), 0.0, np.cos(p.sag / 2)
    v[:3] = -p.push * np.sin(p.sag), 0.0, p.push * np.cos(p.sag)
    return q, v


def duration(p) -> float:
    """s"""
    return 2.0
