"""A rod as rigid links with springs between them: the second way, of order two in the length of the links.

A joint stands for half of the links on either side of it, the one at the root for half a link only:

    stiffness H / h between links, 2 H / h at the root       h the length of a link, H that of the rod per curvature
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint
from locomote.model.model import Model
from locomote.model.rods import STRAINS, Rod
from locomote.spatial.inertia import Inertia

AXES = {"bending_z": "z", "bending_y": "y", "torsion": "x"}


def segments(rod: Rod, count: int, *, base: str = "fixed", gravity=(0.0, 0.0, -9.81), name: str = "segments") -> Model:
    """A model of so many rigid links for a rod that bends and twists, named "link 1", ..., with a frame "tip" at the end.

    Each joint turns about z, y and x in turn, as far as the rod has these strains, against a spring and a damper.
    """
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ValueError(f"count of segments must be a whole number from 1, not {count!r:.40}")
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
        damping = float(rod.material_at(k * h).damping)
        joints = []
        for strain, axis in AXES.items():
            if strain in rod.active:
                c = STRAINS.index(strain)
                spring = {"stiffness": H[c] / cell, "rest": rest[c] * cell, "damping": damping * H[c] / cell}
                joints.append(Joint(f"joint {k + 1} {axis}", axis=axis, **spring))
        s, density = rod.section_at(x), float(rod.material_at(x).density)
        m, long = density * s.area * h, density * s.area * h**3 / 12
        moment = np.diag(
            [density * (s.about_y + s.about_z) * h, density * s.about_y * h + long, density * s.about_z * h + long]
        )
        parent, at = (f"link {k}", (h, 0.0, 0.0)) if k else ("root" if base != "fixed" else None, (0.0, 0.0, 0.0))
        inertia = Inertia(m, com=(0.5 * h, 0.0, 0.0), moment=moment)
        builder.body(f"link {k + 1}", parent=parent, at=at, joint=joints, inertia=inertia)
    return builder.body("tip", parent=f"link {count}", at=(h, 0.0, 0.0)).build()
