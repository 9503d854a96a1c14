"""A quadruped of nine links: a trunk on four legs of two links, with universal hips and revolute knees; 18 coordinates.

x forward, y to the left, z up. With all joints at zero the legs hang straight down. A hip turns about x (sideways), then
about y; a positive angle about y takes the foot backwards. Links of the legs are slender if leg_radius is zero.
"""

import math

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parts import at, check_parameters

SOURCE = (
    "S.V. Shah, S.K. Saha, J.K. Dutt: Modular framework for dynamic modeling and analyses of legged robots. "
    "Mechanism and Machine Theory 49 (2012). Trunk of the authors' published input: a plate with the hips at its corners"
)
PARAMETERS = {
    "trunk_length": ("m", "distance of front and rear hips"),
    "trunk_width": ("m", "distance of left and right hips"),
    "trunk_mass": ("kg", "mass of the trunk"),
    "thigh_length": ("m", "from hip to knee"),
    "thigh_mass": ("kg", "mass of each thigh"),
    "shank_length": ("m", "from knee to foot"),
    "shank_mass": ("kg", "mass of each shank"),
    "leg_radius": ("m", "radius of thighs and shanks; 0 for slender rods"),
    "base": ("", "how the trunk moves in the world: free, planar, fixed, ..."),
}
LEGS = {"front_left": (1, 1), "front_right": (1, -1), "rear_left": (-1, 1), "rear_right": (-1, -1)}
THICKNESS = 0.04  # m, of slender links and the trunk when they are looked at


def build(
    *,
    trunk_length: float = 1.0,
    trunk_width: float = 0.5,
    trunk_mass: float = 4.0,
    thigh_length: float = 0.3,
    thigh_mass: float = 1.0,
    shank_length: float = 0.3,
    shank_mass: float = 1.0,
    leg_radius: float = 0.0,
    base: str = "free",
) -> Model:
    """The quadruped; see PARAMETERS for units."""
    positive = {"trunk_length": trunk_length, "trunk_width": trunk_width, "trunk_mass": trunk_mass}
    positive |= {"thigh_length": thigh_length, "thigh_mass": thigh_mass, "shank_length": shank_length, "shank_mass": shank_mass}
    check_parameters("quadruped", positive, {"leg_radius": leg_radius})

    plate = Inertia.box(trunk_mass, (trunk_length, trunk_width, 0.0))
    builder = Builder("quadruped", base=base)
    builder.body("trunk", inertia=plate, visuals=[Visual("box", (trunk_length, trunk_width, THICKNESS))])
    for leg, (front, left) in LEGS.items():
        builder.body(
            f"{leg}_thigh",
            parent="trunk",
            at=(front * trunk_length / 2, left * trunk_width / 2, 0.0),
            joint=Joint(f"{leg}_hip", "universal", axis="x", axis2="y", lower=-math.pi, upper=math.pi),
            **_rod(thigh_mass, thigh_length, leg_radius),
        )
        builder.body(
            f"{leg}_shank",
            parent=f"{leg}_thigh",
            at=(0.0, 0.0, -thigh_length),
            joint=Joint(f"{leg}_knee", "revolute", axis="y", lower=-math.pi, upper=math.pi),
            **_rod(shank_mass, shank_length, leg_radius),
        )
        builder.body(f"{leg}_foot", parent=f"{leg}_shank", at=(0.0, 0.0, -shank_length))
    return builder.build()


def _rod(mass: float, length: float, radius: float) -> dict:
    middle = at(0.0, 0.0, -length / 2)
    looks = Visual("cylinder", (radius or THICKNESS / 2, length), middle)
    return {"inertia": Inertia.cylinder(mass, radius, length).moved(middle), "visuals": [looks]}
