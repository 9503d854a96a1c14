"""A stiff body with a driven tail whose fin hangs on a spring.

The nose is at the origin and x runs to the tail. One joint is imposed, the next is passive; the fin turns by what the water
does to it.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.links import link_inertia
from locomote.systems.parameters import not_negative, number, positive

SOURCE = (
    "after K.A. McIsaac, J.P. Ostrowski and others on carangiform robots, and M.J. Lighthill: Large-amplitude elongated-body "
    "theory of "
    "fish locomotion (1971); numbers chosen"
)
SEE = "the fin lags behind the tail and pushes; with a spring that is much too soft or too stiff the robot is slower"
PARAMETERS = {
    "body": positive(0.35, "m", "length of the body"),
    "tail": positive(0.12, "m", "length of the tail"),
    "fin": positive(0.06, "m", "length of the fin"),
    "height": positive(0.12, "m", "height of the body"),
    "fin_height": positive(0.16, "m", "height of the fin"),
    "amplitude": number(0.35, "rad", "amplitude of the tail"),
    "frequency": positive(2.0, "Hz", "frequency of the tail"),
    "stiffness": not_negative(0.3, "N m/rad", "of the spring of the fin"),
    "damping": not_negative(0.002, "N m s/rad", "of the hinge of the fin"),
    "density": positive(1000.0, "kg/m^3", "density of robot and water"),
}


def pieces(p):
    """Name, length, height and width over 0..1."""

    def swell(x: float) -> float:
        return p.height * np.sin(np.pi * (0.02 + 0.78 * x))

    root = 0.238 * p.height
    return (
        ("body", p.body, swell, lambda x: 0.6 * swell(x)),
        ("tail", p.tail, lambda x: p.height * (0.588 - 0.35 * x), lambda x: 0.6 * p.height * (0.588 - 0.45 * x)),
        ("fin", p.fin, lambda x: root + (p.fin_height - root) * x, lambda x: 0.05 * p.height),
    )


def build(p) -> Model:
    """Three bodies in the plane, as dense as water."""
    builder, nodes, before = Builder("tuna_robot", base="planar"), (np.polynomial.legendre.leggauss(6)[0] + 1) / 2, ""
    at = 0.0
    for name, length, height, width in pieces(p):
        inertia: Inertia = link_inertia(length, [(height(x), width(x)) for x in nodes], p.density)
        place = np.eye(4)
        place[0, 3] = length / 2
        look = Visual("ellipsoid", (length / 2, width(0.4) / 2, height(0.5) / 2), place)
        if not before:
            builder.body(name, inertia=inertia, visuals=(look,))
        else:
            spring = {"stiffness": p.stiffness, "damping": p.damping} if name == "fin" else {}
            builder.body(name, parent=before, at=(at, 0, 0), joint=Joint(name, **spring), inertia=inertia, visuals=(look,))
        before, at = name, length
    return builder.build()


def setting(p) -> dict:
    """The tail swings; water acts on all three."""
    from locomote.drives.kinds.sine import Sine
    from locomote.forces.water.fluid import Fluid
    from locomote.forces.water.lighthill import Lighthill, Segment
    from locomote.forces.water.section_drag import SectionDrag

    water = Fluid(p.density, 1e-3)
    segments = [Segment(name, (0, 0, 0), (length, 0, 0), height, width) for name, length, height, width in pieces(p)]
    drives = {"tail": Sine(p.amplitude, 2 * np.pi * p.frequency, ramp=1.0)}
    return {"drives": drives, "environment": [Lighthill(water, segments), SectionDrag(water, segments, elements=6)]}


def duration(p) -> float:
    """s"""
    return 8.0
