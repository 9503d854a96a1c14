"""A rod as rigid links with springs between them: the second way, of order two in the length of the links.

A joint stands for half of the links on either side of it, the one at the root for half a link only:

    stiffness H / h between links, 2 H / h at the root       h the length of a link, H that of the rod per curvature

Where the base can turn by itself nothing holds the root, and the first link is fixed to it. Strains at rest that do not change
are turns between links. Finite turns do not commute: that every second joint makes them the other way round makes up for it.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint
from locomote.model.flexible.rods import STRAINS, Rod
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.spatial.rotations_arrays import matrix_from_vector

AXES = {"bending_z": "z", "bending_y": "y", "torsion": "x"}
TURNING = {"free": "xyz", "rotation": "xyz", "planar": "z"}  # axes about which a base turns by itself


def segments(rod: Rod, count: int, *, base: str = "fixed", gravity=(0.0, 0.0, -9.81), name: str = "segments") -> Model:
    """A model of `count` rigid links for a rod that bends and twists, named "link 1", ..., with a frame "tip" at the end.

    Each joint turns about z, y and x in turn, every second one about x, y and z, as far as the rod has these strains, against a
    spring and a damper. On a base that turns, "root" turns with the first link.
    """
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ValueError(f"count of segments must be an integer from 1, not {count!r:.40}")
    if not isinstance(rod, Rod):
        raise ValueError(f"segments are made of a lo.Rod, not {rod!r:.60}")
    if wrong := [strain for strain in rod.active if strain not in AXES]:
        raise ValueError(f"rigid links cannot {wrong[0]}: give the rod strains of bending and torsion only")
    h = float(rod.length) / count
    builder = Builder(name, base=base, gravity=gravity)
    if base != "fixed":
        builder.body("root")
    for k in range(count):
        x, cell = (k + 0.5) * h, h if k else 0.5 * h
        H, rest = rod.stiffness_at(k * h), rod.rest_at(k * h)
        damping = rod.damping_at(k * h)
        joints, turn = [], np.zeros(3)
        for strain, axis in list(AXES.items())[:: -1 if k % 2 else 1]:
            c = STRAINS.index(strain)
            if strain not in rod.active or (k == 0 and axis in TURNING.get(base, "")):
                turn[c - 3] = rest[c] * cell
            else:
                spring = {"stiffness": H[c] / cell, "rest": rest[c] * cell, "damping": damping[c] * H[c] / cell}
                joints.append(Joint(f"joint {k + 1} {axis}", axis=axis, **spring))
        here = rod.at(x)
        m, long, (about_y, about_z) = here.mass * h, here.mass * h**3 / 12, here.inertia
        moment = np.diag([(about_y + about_z) * h, about_y * h + long, about_z * h + long])
        at = np.eye(4)
        at[:3, :3], at[0, 3] = matrix_from_vector(turn), h if k else 0.0
        parent = f"link {k}" if k else "root" if base != "fixed" else None
        inertia = Inertia(m, com=(0.5 * h, 0.0, 0.0), moment=moment)
        builder.body(f"link {k + 1}", parent=parent, at=at, joint=joints, inertia=inertia)
    return builder.body("tip", parent=f"link {count}", at=(h, 0.0, 0.0)).build()
