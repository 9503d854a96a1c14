"""A hawkmoth-sized flier: two wings that stroke in a horizontal plane and pitch by themselves on a spring, or as told.

x ahead, y to the left, z up. Leading edges are up when the pitch is zero; a wing that moves then pitches by its own inertia and
by the air. Stiff wings pitch on a spring at their root, which is as stiff as it must be for the angle of attack at mid-stroke
to be that of hawkmoths, 30 to 40 degrees. Flexible ones are strips along a spar at the leading edge that twists, whose first
torsion in air has the frequency of the stiff wing on its spring: it is by their inertia that such wings deform (Combes and
Daniel), so that this is what decides when they pitch. A spar with the same compliance from root to tip would be four times as
stiff, as most of the wing hangs on a part of it only, and the wings would pitch too early. Blade elements with the
translational and rotational forces of hovering flight, the drag on pitching and the added mass of the air.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import choice, not_negative, number, positive, whole
from locomote.systems.parts import at

SOURCE = (
    "C.P. Ellington: The aerodynamics of hovering insect flight. Philosophical Transactions of the Royal Society B 305 "
    "(1984); M.H. Dickinson, F.-O. Lehmann, S.P. Sane: Wing rotation and the aerodynamic basis of insect flight. Science 284 "
    "(1999); A.P. Willmott, C.P. Ellington: The mechanics of flight in the hawkmoth Manduca sexta. Journal of Experimental "
    "Biology 200 (1997), angle of attack; S.A. Combes, T.L. Daniel: Into thin air: contributions of aerodynamic and "
    "inertial-elastic forces to wing bending in the hawkmoth Manduca sexta. Journal of Experimental Biology 206 (2003); "
    "numbers of a hawkmoth's size chosen"
)
SEE = "the wings pitch by themselves and carry about the weight; with wings='flexible' they twist and do it for less power"
PARAMETERS = {
    "wings": choice("passive", ("passive", "flexible", "imposed"), "pitch on a spring, twist, or are told to pitch"),
    "strips": whole(6, "of a flexible wing", lowest=1, highest=20),
    "guide": choice("vertical", ("vertical", "held"), "the body moves up and down on a rail, or is held"),
    "mass": positive(1.6e-3, "kg", "mass of the body"),
    "span": positive(0.05, "m", "length of a wing"),
    "chord": positive(0.0183, "m", "mean chord"),
    "axis": not_negative(0.1, "1", "where wings pitch about, in chords behind the leading edge"),
    "wing_mass": positive(4.7e-5, "kg", "mass of a wing"),
    "frequency": positive(26.0, "Hz", "of the strokes"),
    "stroke": positive(57.0, "deg", "amplitude of the stroke"),
    "pitch": number(45.0, "deg", "amplitude of an imposed pitch"),
    "stiffness": not_negative(1.5e-4, "N m/rad", "of the spring of a stiff wing"),
    "damping": not_negative(2e-8, "N m s/rad", "of the hinge of a wing"),
    "air": positive(1.2, "kg/m^3", "density of air"),
}


def outline(p):
    """Chord, m, over 0..1 from root to tip; its second moment has the radius of 0.52 of the span."""

    def chord(x: float) -> float:
        return p.chord * (1.4 - 0.8 * x)

    return chord


def strips(p) -> int:
    """Into how many pieces a wing is cut."""
    return p.strips if p.wings == "flexible" else 1


def name_of(side: str, k: int) -> str:
    """Name of the strip k of a wing; the first is the wing itself if it is stiff."""
    return side if k == 0 else f"{side}_{k}"


def strip_inertia(p, side: float, first: float, last: float) -> Inertia:
    """From first to last along 0..1 of a wing whose mass falls evenly to tip and trailing edge, in the frame at `first`."""
    powers = [(last**k - first**k) * 2 / k for k in (1, 2, 3, 4)]
    share, once, twice = (powers[k] - powers[k + 1] for k in range(3))  # moments of a density 2 (1 - x)
    center, square = once / share, twice / share
    m, along, across = p.wing_mass * share, (square - center**2) * p.span**2, p.chord**2 / 18
    place = (0.0, side * (center - first) * p.span, (p.axis - 1 / 3) * p.chord)
    return Inertia(m, place, (m * (along + across), m * across, m * along))


def pitch_inertia(p, first: float, last: float) -> float:
    """Moment of inertia of a strip and its added mass about the axis of pitch, kg m^2."""
    strip = strip_inertia(p, 1.0, first, last)
    total = strip.moment[1, 1] + strip.mass * strip.com[2] ** 2
    for s, share in zip(*np.polynomial.legendre.leggauss(3), strict=True):
        c = outline(p)(first + (s + 1) / 2 * (last - first))
        total += share / 2 * (last - first) * p.span * np.pi / 4 * p.air * c**4 * ((p.axis - 0.5) ** 2 + 1 / 32)
    return total


def stiffening(p) -> float:
    """By how much a spring between strips is stiffer than that of a stiff wing with the same first frequency of torsion. The
    one at the root is twice as stiff: from there to the middle of the first strip the spar is half as long."""
    n = strips(p)
    inertia = np.array([pitch_inertia(p, k / n, (k + 1) / n) for k in range(n)])
    springs = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    springs[0, 0] += 1.0
    springs[-1, -1] -= 1.0  # nothing beyond the tip
    lowest = np.linalg.eigvalsh(springs / np.sqrt(np.outer(inertia, inertia)))[0]
    return 1 / (inertia.sum() * lowest)


def build(p) -> Model:
    """A body with two wings."""
    builder = Builder("hovering_moth")
    look = Visual("ellipsoid", (0.02, 0.006, 0.006))
    rail = Joint("rise", "prismatic", (0, 0, 1)) if p.guide == "vertical" else ()
    builder.body("body", joint=rail, inertia=Inertia.ellipsoid(p.mass, (0.02, 0.006, 0.006)), visuals=(look,))
    n, more = strips(p), stiffening(p)
    for name, side in (("left", 1.0), ("right", -1.0)):
        for k in range(n):
            width, c = p.span / n, outline(p)((k + 0.5) / n)
            look = Visual("box", (5e-4, width, c), at(0.0, side * width / 2, (p.axis - 1 / 2) * c))
            inertia = strip_inertia(p, side, k / n, (k + 1) / n)
            times = 0.0 if p.wings == "imposed" else more * (2 if k == 0 else 1)
            turn = {"stiffness": times * p.stiffness, "damping": times * p.damping}
            pitch = Joint(f"{name_of(name, k)}_pitch", axis=(0, 1, 0), **turn)
            if k == 0:
                joints = Joint(f"{name}_stroke", axis=(0, 0, side)), pitch
                builder.body(name, parent="body", joint=joints, inertia=inertia, visuals=(look,))
            else:
                before, place = name_of(name, k - 1), (0, side * width, 0)
                builder.body(name_of(name, k), parent=before, at=place, joint=pitch, inertia=inertia, visuals=(look,))
    return builder.build()


def setting(p) -> dict:
    """Strokes imposed, and pitch too if so asked; air on both wings."""
    from locomote.drives.kinds.sine import Sine
    from locomote.forces.water.fluid import Fluid
    from locomote.forces.water.wing import Wing

    air, w, n = Fluid(p.air, 1.8e-5), 2 * np.pi * p.frequency, strips(p)
    drives, wings = {}, []
    for name, side in (("left", 1.0), ("right", -1.0)):
        drives[f"{name}_stroke"] = Sine(np.radians(p.stroke), w, np.pi / 2)
        if p.wings == "imposed":
            drives[f"{name}_pitch"] = Sine(np.radians(p.pitch), w)
        for k in range(n):

            def chord(x, k=k):
                return outline(p)((k + x) / n)

            tip, points = (0, side * p.span / n, 0), 3 if n == 1 else 2
            wings.append(Wing(name_of(name, k), air, (0, 0, 0), tip, chord, (0, 0, 1), axis=p.axis, elements=points))
    return {"drives": drives, "environment": wings}


def duration(p) -> float:
    """s"""
    return 12 / p.frequency
