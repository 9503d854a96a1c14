"""A row of four-bar linkages: upright links of equal length side by side, joined at their tops by level links.

Angles count clockwise; those of the level links are relative to the upright link on their left, on whose top they are hinged.
When all links lie level, twice a turn, the mechanism could go on in more than one way, and the constraints lose rank. Links
are slender rods. The motion on the parallelogram branch is that of one angle, I theta'' = G g sin theta.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint
from locomote.model.model import Model
from locomote.systems.parameters import number, positive, whole
from locomote.systems.parts import UPRIGHT, rod, turned

SOURCE = (
    "E. Bayo, A. Avello: Singularity-free augmented Lagrangian algorithms for constrained multibody dynamics. Nonlinear "
    "Dynamics 5 (1994); IFToMM library of computational benchmark problems, A02"
)
SEE = "the mechanism passes through singular positions and stays a parallelogram; energy is conserved"
PARAMETERS = {
    "cells": whole(2, "number of four-bar linkages", lowest=1, highest=200),
    "length": positive(1.0, "m", "length of each link"),
    "mass": positive(1.0, "kg", "mass of each link"),
    "speed": number(1.0, "m/s", "speed of the tops at the start, along x"),
    "gravity": number(9.81, "m/s^2", "gravity"),
}


def build(p) -> Model:
    """Upright links, each followed by the level link on its top."""
    builder = Builder("n four-bar", gravity=(0.0, 0.0, -p.gravity)).body("ground", at=UPRIGHT)
    link = rod(p.mass, p.length)
    for k in range(p.cells + 1):
        joint = Joint(f"upright{k}", axis=(0, 0, -1))
        builder.body(f"upright{k}", parent="ground", at=turned(np.pi / 2, k * p.length), joint=joint, **link)
        if k < p.cells:
            joint, place = Joint(f"level{k}", axis=(0, 0, -1)), turned(-np.pi / 2, p.length)
            builder.body(f"level{k}", parent=f"upright{k}", at=place, joint=joint, **link)
    return builder.build()


def setting(p) -> dict:
    """Each level link ends on the top of the next upright link."""
    from locomote.constraints.kinds import PointContact

    end = (p.length, 0.0, 0.0)
    loops = [
        PointContact(f"level{k}", end, other=f"upright{k + 1}", target=end, directions="xy", name=f"loop{k}")
        for k in range(p.cells)
    ]
    return {"constraints": loops}


def initial(p, model: Model):
    """Upright, moving to the right."""
    v, rate = np.zeros(model.nv), p.speed / p.length
    for k in range(p.cells + 1):
        v[model.joint(f"upright{k}").v] = rate
    for k in range(p.cells):
        v[model.joint(f"level{k}").v] = -rate
    return model.neutral(), v


def duration(p) -> float:
    """s"""
    return 10.0
