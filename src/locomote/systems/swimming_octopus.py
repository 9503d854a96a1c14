"""An octopus that swims by sculling: eight arms behind a mantle that open slowly and close quickly, without links.

x ahead. Each arm is a rod that trails behind the mantle, whose curvature is imposed; water drags all along it, and sections
carry the added mass of their stretch.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Visual
from locomote.model.flexible.rods import Cone, Material, Rod
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import number, positive, whole

SOURCE = (
    "sculling after M. Sfakiotakis, A. Kazakidi, D.P. Tsakiris: Octopus-inspired multi-arm robotic swimming. Bioinspiration "
    "and Biomimetics 10 (2015); sizes after F. Boyer, M. Porez (2015), chosen"
)
SEE = "the arms open slowly and close quickly, and the mantle goes ahead in jumps, by half its length each"
PARAMETERS = {
    "arm_length": positive(0.3, "m", "length of an arm"),
    "root_radius": positive(0.010, "m", "radius of an arm at its root"),
    "tip_radius": positive(0.002, "m", "radius at its tip"),
    "density": positive(1050.0, "kg/m^3", "density of arms"),
    "mantle_mass": positive(0.42, "kg", "mass of the mantle"),
    "mantle": positive(0.06, "m", "half length of the mantle, which is two thirds as wide"),
    "splay": number(15.0, "deg", "angle of the arms at their roots to the way back"),
    "bend": number(40.0, "deg", "mean bend of an arm outwards, root to tip"),
    "stroke": number(50.0, "deg", "amplitude of the bend"),
    "skew": number(0.25, "1", "how much quicker they close than they open: second harmonic over first"),
    "frequency": positive(0.8, "Hz", "of the strokes"),
    "stations": whole(4, "sections of an arm that carry added mass; twice as many are dragged", lowest=1, highest=20),
    "drag": positive(1.1, "1", "drag coefficient across"),
    "friction": positive(0.02, "1", "coefficient of skin friction"),
    "water": positive(1000.0, "kg/m^3", "density of water"),
}
ARMS = 8


def build(p) -> Model:
    """A mantle and eight arms."""
    rod = Rod(
        p.arm_length, Cone(p.root_radius, p.tip_radius, p.arm_length), Material(p.density, 1e5), strains="bending_y",
        order=0,
    )  # fmt: skip
    axes = (p.mantle, 2 / 3 * p.mantle, 2 / 3 * p.mantle)
    builder = Builder("swimming_octopus", base="free", gravity=(0.0, 0.0, 0.0))
    builder.body("mantle", inertia=Inertia.ellipsoid(p.mantle_mass, axes), visuals=(Visual("ellipsoid", axes),))
    tilt = np.radians(p.splay)
    for k in range(ARMS):
        angle = 2 * np.pi * (k + 0.5) / ARMS
        out = np.array([0.0, np.cos(angle), np.sin(angle)])
        place = np.eye(4)
        place[:3, 0] = [-np.cos(tilt), *(np.sin(tilt) * out[1:])]  # along the arm
        place[:3, 2] = [np.sin(tilt), *(np.cos(tilt) * out[1:])]  # outwards
        place[:3, 1] = np.cross(place[:3, 2], place[:3, 0])
        place[:3, 3] = [-0.8 * p.mantle, *(0.5 * p.mantle * out[1:])]
        builder.body(f"arm_{k + 1}", parent="mantle", at=place, flex=rod)
    return builder.build()


def setting(p) -> dict:
    """Curvature of all arms imposed; added mass and drag on mantle and arms."""
    from locomote.drives.kinds.constant import Constant
    from locomote.drives.kinds.sine import Sine
    from locomote.forces.water.added import AddedMass
    from locomote.forces.water.added_mass import EllipticCylinder
    from locomote.forces.water.drag import Drag, SlenderDrag
    from locomote.forces.water.fluid import Fluid
    from locomote.geometry.shapes.ellipsoid import Ellipsoid
    from locomote.model.flexible.along import Along

    water, a, b = Fluid(p.water, 1e-3), p.mantle, 2 / 3 * p.mantle
    forces = [
        AddedMass("mantle", water, Ellipsoid((a, b, b))),
        Drag("mantle", water, (0.2 * np.pi * b * b, 0.8 * np.pi * a * b, 0.8 * np.pi * a * b), (0.1 * a**5, a**5, a**5)),
    ]
    drives, h, w = {}, p.arm_length / p.stations, 2 * np.pi * p.frequency
    cone = Cone(p.root_radius, p.tip_radius, p.arm_length)
    # bending about y of an arm turns it inwards where positive: opening is negative
    mean, wave = -np.radians(p.bend) / p.arm_length, np.radians(p.stroke) / p.arm_length
    for k in range(ARMS):
        arm = f"arm_{k + 1}"
        drives[arm] = Constant(mean) + Sine(wave, w) + Sine(p.skew * wave, 2 * w)
        for x in ((np.arange(p.stations) + 0.5) * h).tolist():
            forces.append(AddedMass(Along(arm, x), water, EllipticCylinder(h, cone(x).size)))
        width, many = lambda x: 2 * cone(x * p.arm_length).size[0], 2 * p.stations
        forces.append(SlenderDrag(arm, water, 0.0, p.arm_length, width, None, p.drag, p.friction, elements=many))
    return {"drives": drives, "environment": forces}


def duration(p) -> float:
    """s"""
    return 5 / p.frequency
