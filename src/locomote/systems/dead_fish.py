"""A dead fish in the vortex street behind a cylinder: nothing is driven, its bends are springs.

The nose is at the origin and x runs to the tail. The stream runs towards +x, from nose to tail; vortices pass on both sides.
Water acts by elongated-body theory in the moving water, by drag and by skin friction. On a rail the nose can only move along
the stream: with the right stiffness tail and vortices fall in step and the fish goes upstream; a stiff one, or one without
vortices, goes with the stream. With guide="free" nothing holds it. Then it must also keep its heading by itself: as an arrow
does, by a caudal fin whose lift, (L - x_c) m(L), is more than the moment of its slender body, the integral of m, where m is the
mass of water per length that moves sideways with a section and x_c its mass center. With fin=0.13 it does so and goes upstream,
a little faster if it bends (stiffness 6) than if it is rigid; with a small fin, or too soft, it swerves out of the street, and
the stream takes it.
"""

import numpy as np

from locomote.model.model import Model
from locomote.systems.links import chain, water_forces, water_on_rod
from locomote.systems.parameters import choice, not_negative, positive, whole

SOURCE = (
    "D.N. Beal, F.S. Hover, M.S. Triantafyllou, J.C. Liao, G.V. Lauder: Passive propulsion in vortex wakes. Journal of Fluid "
    "Mechanics 549 "
    "(2006); F. Candelier, M. Porez, F. Boyer: Note on the swimming of an elongated body in a non-uniform flow. Journal of "
    "Fluid "
    "Mechanics 716 (2013); numbers chosen"
)
SEE = (
    "it bends in time with the vortices and goes upstream; with flow='uniform', or stiffness=1000, or 0.1, the stream takes it"
)
PARAMETERS = {
    "flow": choice("street", ("street", "uniform"), "vortex street, or the same stream without vortices"),
    "body": choice("links", ("links", "rod"), "rigid links on springs, or an elastic rod"),
    "guide": choice("rail", ("rail", "free"), "the nose can only move along the stream, or nothing holds it"),
    "links": whole(8, "number of links", lowest=1, highest=100),
    "length": positive(0.2, "m", "length"),
    "fin": positive(0.07, "1", "half height of the caudal fin, over the length"),
    "stiffness": not_negative(2.0, "1", "of bending, over that whose first bending in water has the frequency of the street"),
    "damping": not_negative(0.02, "1", "of bending, part of critical at that frequency"),
    "speed": positive(0.3, "m/s", "of the stream"),
    "spacing": positive(0.2, "m", "of vortices in a row"),
    "circulation": positive(0.028, "m^2/s", "of a vortex"),
    "core": positive(0.02, "m", "radius of a vortex"),
    "drag": positive(1.0, "1", "drag coefficient across"),
    "friction": positive(0.005, "1", "coefficient of skin friction"),
    "density": positive(1000.0, "kg/m^3", "density of fish and water"),
}


def section(p):
    """Height and width, m, over 0..1."""

    def at(X):
        round_ = np.sin(np.pi * X**0.6)
        return 2 * p.length * (0.09 * round_ + p.fin * X**8), 2 * p.length * max(0.05 * round_, 2e-3)

    return at


def street(p):
    """The flow."""
    from locomote.forces.flows.fields import Uniform
    from locomote.forces.flows.vortices import KarmanStreet

    if p.flow == "uniform":
        return Uniform((p.speed, 0.0, 0.0))
    return KarmanStreet((p.speed, 0.0, 0.0), p.spacing, p.circulation, p.core)


def rigidity(p) -> float:
    """E I, N m^2, whose first free bending in water, w^2 = (4.73/L)^4 EI / m, is at the frequency of the street."""
    X = np.linspace(0.005, 0.995, 100)
    mass = np.mean([p.density * np.pi / 4 * (h * w + h * h) for h, w in map(section(p), X)])
    return mass * (2 * np.pi * frequency(p)) ** 2 * (p.length / 4.7300) ** 4


def frequency(p) -> float:
    """Of the street, as vortices of a row pass by, Hz."""
    return (p.speed - p.circulation / (2 * np.sqrt(2) * p.spacing)) / p.spacing


def build(p) -> Model:
    """A chain of springs in the plane, or a rod, as dense as water."""
    lag = 2 * p.damping / (2 * np.pi * frequency(p))
    if p.body == "rod":
        return rod_fish(p, lag)
    k, c = p.stiffness * rigidity(p) * p.links / p.length, rigidity(p) * p.links / p.length * lag
    return chain(
        "dead_fish", p.links, p.length, section(p), p.density, stiffness=lambda _: (k, c), rail=p.guide == "rail"
    ).build()


def rod_fish(p, lag: float) -> Model:
    """A rod of the same sections, mass and stiffness; lag : s, damping over the stiffness that resonates."""
    from locomote.model.builder import Builder
    from locomote.model.description import Joint, Visual
    from locomote.model.flexible.cross_sections import SectionConstants
    from locomote.model.flexible.rods import Rod

    def ellipse(X: float) -> SectionConstants:
        height, width = section(p)(max(X / p.length, 1e-3))
        area = np.pi / 4 * height * width
        turning = p.density * area * np.array([height, width]) ** 2 / 16
        loss = lag / p.stiffness if p.stiffness else 0.0
        size, stiffness = (width / 2, height / 2), p.stiffness * rigidity(p)
        return SectionConstants(p.density * area, bending=stiffness, inertia=tuple(turning), damping=loss, area=area, size=size)

    rod = Rod(p.length, ellipse, strains="bending_z", order=4, nodes=12)
    if p.guide == "free":
        return Builder("dead_fish", base="planar").body("fish", flex=rod).build()
    slider = Visual("sphere", (0.02 * p.length,))
    builder = Builder("dead_fish", base="x").body("slider", visuals=(slider,))
    return builder.body("neck", parent="slider", joint=Joint("heading")).body("fish", parent="neck", flex=rod).build()


def setting(p) -> dict:
    """Water alone."""
    from locomote.forces.water.fluid import Fluid

    water = Fluid(p.density, 1e-3, street(p))
    if p.body == "rod":
        return {"environment": water_on_rod("fish", p.length, section(p), water, p.drag, p.friction)}
    return {"environment": water_forces(p.links, p.length, section(p), water, p.drag, p.friction)}


def duration(p) -> float:
    """s"""
    return 10.0
