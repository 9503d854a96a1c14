"""A jellyfish that rows: a bell with lappets around its rim that close quickly and open slowly.

z up, the way it swims. Each lappet is a plate on a hinge along the rim; at zero it stands out level, and it turns down. Water
acts by added mass and by drag, on bell and lappets; the quick way back drives it, since drag grows with the square of speed.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import number, positive, whole
from locomote.systems.parts import at

SOURCE = (
    "rowing of oblate medusae after S.P. Colin, J.H. Costello: Morphology, swimming performance and propulsive mode of six "
    "co-occurring hydromedusae. Journal of Experimental Biology 205 (2002); added mass and drag after T.L. Daniel: Mechanics "
    "and energetics of medusan jet propulsion. Canadian Journal of Zoology 61 (1983); numbers chosen"
)
SEE = "it rises in jumps, one for each stroke, and sinks back a little as the lappets open; with skew=0 it gets nowhere"
PARAMETERS = {
    "lappets": whole(8, "number of lappets", lowest=3, highest=32),
    "radius": positive(0.05, "m", "radius of the bell"),
    "height": positive(0.02, "m", "half height of the bell"),
    "lappet": positive(0.04, "m", "length of a lappet"),
    "mean": number(50.0, "deg", "mean angle of the lappets below level"),
    "stroke": number(28.0, "deg", "amplitude of the lappets"),
    "skew": number(0.25, "1", "how much quicker they close than they open: second harmonic over first"),
    "frequency": positive(1.0, "Hz", "of the strokes"),
    "density": positive(1000.0, "kg/m^3", "density of water and animal"),
    "plate_drag": positive(1.9, "1", "drag coefficient of a lappet"),
    "bell_drag": positive(0.8, "1", "drag coefficient of the bell along its axis"),
}


def build(p) -> Model:
    """A bell with lappets, as dense as water."""
    builder = Builder("jellyfish", base="free", gravity=(0, 0, 0))
    axes = (p.radius, p.radius, p.height)
    mass = p.density * 4 / 3 * np.pi * np.prod(axes)
    builder.body("bell", inertia=Inertia.ellipsoid(mass, axes), visuals=(Visual("ellipsoid", axes),))
    size = (p.lappet, wide(p), 0.1 * p.lappet)
    for k in range(p.lappets):
        angle = 2 * np.pi * k / p.lappets
        c, s = np.cos(angle), np.sin(angle)
        place = np.array([[c, -s, 0, 0.95 * p.radius * c], [s, c, 0, 0.95 * p.radius * s], [0, 0, 1, 0], [0, 0, 0, 1]])
        inertia = Inertia.box(p.density * np.prod(size), size).moved(at(p.lappet / 2, 0, 0))
        look = Visual("box", size, at(p.lappet / 2, 0, 0))
        joint = Joint(f"lappet_{k + 1}", axis="y")
        builder.body(f"lappet_{k + 1}", parent="bell", at=place, joint=joint, inertia=inertia, visuals=(look,))
    return builder.build()


def wide(p) -> float:
    """Breadth of a lappet, m."""
    return 1.7 * np.pi * p.radius / p.lappets


def setting(p) -> dict:
    """Lappets imposed; added mass and drag on all bodies."""
    from locomote.drives.kinds.constant import Constant
    from locomote.drives.kinds.sine import Sine
    from locomote.forces.water.added import AddedMass
    from locomote.forces.water.drag import Drag, SlenderDrag
    from locomote.forces.water.fluid import Fluid
    from locomote.geometry.shapes.ellipsoid import Ellipsoid

    water, w = Fluid(p.density, 1e-3), 2 * np.pi * p.frequency
    side, top = np.pi * p.radius * p.height, p.bell_drag * np.pi * p.radius**2
    spin = p.radius**5
    forces = [
        AddedMass("bell", water, Ellipsoid((p.radius, p.radius, p.height))),
        Drag("bell", water, (side, side, top), (spin, spin, 0.1 * spin)),
    ]
    drives, wave = {}, np.radians(p.stroke)
    for k in range(p.lappets):
        name = f"lappet_{k + 1}"
        plate = Ellipsoid((p.lappet / 2, wide(p) / 2, 0.0))
        forces.append(AddedMass(name, water, plate, (p.lappet / 2, 0, 0)))
        forces.append(SlenderDrag(name, water, (0, 0, 0), (p.lappet, 0, 0), 0.1 * p.lappet, wide(p), p.plate_drag, elements=3))
        drives[name] = Constant(np.radians(p.mean)) + Sine(wave, w) + Sine(p.skew * wave, 2 * w)
    return {"drives": drives, "environment": forces}


def duration(p) -> float:
    """s"""
    return 8 / p.frequency
