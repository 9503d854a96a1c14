"""An inchworm: it draws its rear up to its front by arching its back, and stretches out again.

x from the rear foot to the front foot, z up. The curvature of the back is imposed, A (1 - cos w t) / 2 times cos(2 pi X / L),
so that both feet stay flat on the ground; feet slide forwards more easily than backwards.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Visual
from locomote.model.flexible.bases import Harmonics
from locomote.model.flexible.rods import Material, Rod, Section
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import not_negative, positive

SOURCE = (
    "two-anchor crawling after R.McN. Alexander: Principles of Animal Locomotion (2003), and B.A. Trimmer, H. Lin: Bone-free: "
    "soft mechanics for adaptive locomotion (2014); numbers chosen"
)
SEE = "while the back rises the rear foot slides up, while it falls the front foot slides ahead: a step in each period"
PARAMETERS = {
    "length": positive(0.12, "m", "length of the back"),
    "radius": positive(0.005, "m", "radius of the body"),
    "density": positive(1000.0, "kg/m^3", "density"),
    "foot_mass": positive(0.003, "kg", "mass of each foot"),
    "arch": positive(5.5, "1/length", "greatest curvature, times the length"),
    "period": positive(1.5, "s", "time of a step"),
    "forwards": not_negative(0.2, "-", "coefficient of friction of feet forwards"),
    "backwards": not_negative(1.0, "-", "coefficient of friction backwards"),
    "slow": positive(0.005, "m/s", "speed below which friction fades"),
}


def build(p) -> Model:
    """A back between two feet, on a base that moves along x."""
    rod = Rod(
        p.length,
        Section.circle(p.radius),
        Material(p.density, 1e5),
        strains="bending_y",
        basis=Harmonics(p.length),
        nodes=12,
    )
    foot = Visual("box", (3 * p.radius, 3 * p.radius, 2 * p.radius), color=(0.25, 0.25, 0.3, 1.0))
    builder = Builder("inchworm", base="x").body("rear", inertia=Inertia(p.foot_mass), visuals=[foot])
    builder.body("back", parent="rear", flex=rod)
    return builder.body("front", parent="back", inertia=Inertia(p.foot_mass), visuals=[foot]).build()


def setting(p) -> dict:
    """The arch, and the ground under both feet, which carry half the weight each."""
    from locomote.drives.kinds.constant import Constant
    from locomote.drives.kinds.sine import Sine
    from locomote.forces.granular import Scales

    weight = (2 * p.foot_mass + p.density * np.pi * p.radius**2 * p.length) * 9.81
    half = -0.5 * p.arch / p.length
    arch = [Sine(half, 2 * np.pi / p.period, phase=-np.pi / 2, offset=half), Constant(0.0)]
    ground = [
        Scales(foot, weight / 2, p.forwards, p.backwards, 0.5, slow=p.slow, name=f"ground under {foot}")
        for foot in ("rear", "front")
    ]
    return {"drives": {"back": arch}, "environment": ground}


def duration(p) -> float:
    """s"""
    return 5 * p.period
