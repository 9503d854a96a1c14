"""A hanging chain of rods on hinges, all in one upright plane, let go from level.

Each rod is along x of its body; angles are relative and grow from x towards up. Springs of the hinges make it a planar rope.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.systems.parameters import not_negative, number, positive, whole
from locomote.systems.parts import UPRIGHT, rod

SOURCE = (
    "S.V. Shah, P.V. Nandihal, S.K. Saha: Recursive dynamics simulator (ReDySim). Theoretical & Applied Mechanics Letters 2 "
    "(2012), chain of 20 links of its demonstration"
)
SEE = "the free end stays behind, then whips down faster than it would fall"
PARAMETERS = {
    "links": whole(20, "number of links", lowest=1, highest=10_000),
    "link_length": positive(0.03, "m", "length of each link"),
    "link_mass": positive(0.05, "kg", "mass of each link"),
    "stiffness": not_negative(0.0, "N m/rad", "spring of each hinge, at rest when straight"),
    "damping": not_negative(0.0, "N m s/rad", "damper of each hinge"),
    "angle": number(0.0, "rad", "of the whole chain at the start; 0 is level, -pi/2 hangs straight"),
    "gravity": number(9.81, "m/s^2", "gravity"),
}


def build(p) -> Model:
    """The links, one on the other."""
    builder = Builder("chain", gravity=(0.0, 0.0, -p.gravity)).body("ground", at=UPRIGHT, visuals=ceiling(p))
    link, parent = rod(p.link_mass, p.link_length, thickness=0.4 * p.link_length), "ground"
    for k in range(1, p.links + 1):
        elastic = {"stiffness": p.stiffness, "damping": p.damping} if k > 1 else {}
        place = (0.0 if k == 1 else p.link_length, 0.0, 0.0)
        builder.body(f"link{k}", parent=parent, at=place, joint=Joint(f"hinge{k}", **elastic), **link)
        parent = f"link{k}"
    return builder.build()


def ceiling(p) -> list[Visual]:
    """What the chain hangs on."""
    size, pose = p.links * p.link_length, np.eye(4)
    pose[1, 3] = 0.04 * size
    return [Visual("box", (0.3 * size, 0.04 * size, 0.3 * size), pose, color=(0.62, 0.64, 0.67, 1.0))]


def initial(p, model: Model):
    """Straight, at rest."""
    q = model.neutral()
    q[0] = p.angle
    return q, np.zeros(model.nv)


def duration(p) -> float:
    """s"""
    return 1.0
