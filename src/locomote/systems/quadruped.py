"""A quadruped of nine links: a trunk on four legs of two links, with universal hips and revolute knees; 18 coordinates.

x forward, y to the left, z up. With all joints at zero the legs hang straight down. A hip turns about x (sideways), then
about y; a positive angle about y takes the foot backwards. Links of the legs are slender if leg_radius is zero.
"""

import math

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.joints import BASES
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import choice, not_negative, number, positive
from locomote.systems.parts import at

SOURCE = (
    "S.V. Shah, S.K. Saha, J.K. Dutt: Modular framework for dynamic modeling and analyses of legged robots. "
    "Mechanism and Machine Theory 49 (2012). Trunk of the authors' published input: a plate with the hips at its corners"
)
SEE = "the trunk tumbles and the legs swing freely; the mass center flies on a parabola, momentum and energy stay"
PARAMETERS = {
    "trunk_length": positive(1.0, "m", "distance of front and rear hips"),
    "trunk_width": positive(0.5, "m", "distance of left and right hips"),
    "trunk_mass": positive(4.0, "kg", "mass of the trunk"),
    "thigh_length": positive(0.3, "m", "from hip to knee"),
    "thigh_mass": positive(1.0, "kg", "mass of each thigh"),
    "shank_length": positive(0.3, "m", "from knee to foot"),
    "shank_mass": positive(1.0, "kg", "mass of each shank"),
    "leg_radius": not_negative(0.0, "m", "radius of thighs and shanks; 0 for slender rods"),
    "base": choice("free", tuple(BASES), "how the trunk moves in the world"),
    "throw": number(5.0, "m/s", "speed upwards at the start (free base)"),
    "spin": number(3.0, "rad/s", "speed of the roll at the start (free base)"),
}
LEGS = {"front_left": (1, 1), "front_right": (1, -1), "rear_left": (-1, 1), "rear_right": (-1, -1)}
THICKNESS = 0.04  # m, of slender links and the trunk when they are looked at


def build(p) -> Model:
    """The quadruped; see PARAMETERS for units."""
    plate = Inertia.box(p.trunk_mass, (p.trunk_length, p.trunk_width, 0.0))
    builder = Builder("quadruped", base=p.base)
    builder.body("trunk", inertia=plate, visuals=[Visual("box", (p.trunk_length, p.trunk_width, THICKNESS))])
    for leg, (front, left) in LEGS.items():
        builder.body(
            f"{leg}_thigh",
            parent="trunk",
            at=(front * p.trunk_length / 2, left * p.trunk_width / 2, 0.0),
            joint=Joint(f"{leg}_hip", "universal", axis="x", axis2="y", lower=-math.pi, upper=math.pi),
            **_rod(p.thigh_mass, p.thigh_length, p.leg_radius),
        )
        builder.body(
            f"{leg}_shank",
            parent=f"{leg}_thigh",
            at=(0.0, 0.0, -p.thigh_length),
            joint=Joint(f"{leg}_knee", "revolute", axis="y", lower=-math.pi, upper=math.pi),
            **_rod(p.shank_mass, p.shank_length, p.leg_radius),
        )
        builder.body(f"{leg}_foot", parent=f"{leg}_shank", at=(0.0, 0.0, -p.shank_length))
    return builder.build()


def initial(p, model: Model):
    """Legs straight down, thrown with a roll and a little twist."""
    v = np.zeros(model.nv)
    if p.base == "free":
        v[:6] = 0.0, 0.0, p.throw, p.spin, 0.02 * p.spin, 0.05 * p.spin
    return model.neutral(), v


def duration(p) -> float:
    """s"""
    return 1.0


def _rod(mass: float, length: float, radius: float) -> dict:
    middle = at(0.0, 0.0, -length / 2)
    looks = Visual("cylinder", (radius or THICKNESS / 2, length), middle)
    return {"inertia": Inertia.cylinder(mass, radius, length).moved(middle), "visuals": [looks]}
