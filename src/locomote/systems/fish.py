"""A fish with a caudal fin, that cruises by a wave of bending and turns by bending to one side.

The head is at the origin and x runs to the tail. Water acts by elongated-body theory (reactive), by cross-flow drag and by skin
friction. As many links all bends are imposed. With body="rod" it is a Cosserat beam whose curvature is imposed at every point;
its moment along the body is what muscles must give. With body="muscles" the fish is an elastic rod with pairs of muscles on
both sides of its trunk, which pull one after the other from head to tail; the last quarter has none, and how far it bends is up
to the water. A turn that has a time ends after it, and the fish goes straight on.
"""

import numpy as np

from locomote.model.model import Model
from locomote.systems.links import chain, turning, water_forces, water_on_rod
from locomote.systems.parameters import choice, not_negative, number, positive, whole

SOURCE = (
    "F. Boyer, M. Porez: Multibody system dynamics for bio-inspired locomotion: from geometric structures to computational "
    "aspects. "
    "Bioinspiration and Biomimetics 10 (2015), after M.J. Lighthill: Large-amplitude elongated-body theory of fish locomotion. "
    "Proceedings of the Royal Society B 179 (1971); numbers chosen"
)
SEE = "from rest it comes to a steady speed at a Strouhal number near 0.3; turn=1.2 makes a circle, body='muscles' pulls"
PARAMETERS = {
    "body": choice("links", ("links", "rod", "muscles"), "links or a rod whose bends are imposed, or a rod with muscles"),
    "links": whole(24, "number of links", lowest=3, highest=200),
    "length": positive(0.5, "m", "length"),
    "fin": positive(0.14, "1", "height of the caudal fin over length"),
    "density": positive(1000.0, "kg/m^3", "density of body and water"),
    "bend": number(1.0, "1", "factor of the bending wave"),
    "turn": number(0.0, "rad", "bending to one side, over the whole length"),
    "turn_start": not_negative(0.0, "s", "when it bends to one side, if its bends are imposed"),
    "turn_time": not_negative(0.0, "s", "how long it does; for ever if zero"),
    "wavelength": positive(0.9, "1", "wavelength over length"),
    "frequency": positive(1.5, "Hz", "frequency of the wave"),
    "drag": positive(1.0, "1", "drag coefficient across"),
    "friction": positive(0.01, "1", "coefficient of skin friction"),
    "ramp": positive(1.0, "s", "how long the wave takes to grow"),
    "nodes": whole(16, "of a rod", lowest=4, highest=100),
    "pairs": whole(4, "pairs of muscles of a rod", lowest=1, highest=12),
    "force": positive(15.0, "N", "that a muscle can pull with"),
    "young": positive(5e5, "Pa", "Young's modulus of a rod"),
    "loss": not_negative(1e-3, "s", "damping of a rod, a time"),
}
MUSCLED = 0.1, 0.75  # where muscles begin and end, in lengths


def section(p):
    """Height and width, m, over 0..1: a body and a caudal fin."""

    def at(X):
        round_ = np.sin(np.pi * X**0.6)
        return 2 * p.length * (0.09 * round_ + 0.5 * p.fin * X**8), 2 * p.length * max(0.05 * round_, 1e-3)

    return at


def build(p) -> Model:
    """A chain in the plane, as dense as water; or a rod."""
    if p.body == "links":
        return chain("fish", p.links, p.length, section(p), p.density).build()
    from locomote.model.builder import Builder
    from locomote.model.flexible.bases import Points
    from locomote.model.flexible.rods import Material, Rod, Section

    def ellipse(X: float) -> Section:
        height, width = section(p)(max(X / p.length, 1e-3))
        return Section.ellipse(max(width, 0.016 * p.length) / 2, max(height, 0.02 * p.length) / 2)  # fins have rays

    flesh = Material(p.density, p.young, damping=p.loss)
    if p.body == "muscles":
        rod = Rod(p.length, ellipse, flesh, strains="bending_z", order=5, nodes=p.nodes)
    else:
        rod = Rod(p.length, ellipse, flesh, strains="bending_z", basis=Points(), nodes=p.nodes)
    return Builder("fish", base="planar").body("fish", flex=rod).build()


def muscles(p) -> list:
    """Pairs along the trunk; each is active while the wave passes its middle, on the side that it bends to."""
    from locomote.actuation.actuators import Muscle
    from locomote.drives.kinds.sine import Sine

    found, (first, last) = [], MUSCLED
    for k in range(p.pairs):
        ends = [p.length * (first + (last - first) * (k + e) / p.pairs) for e in (0.0, 1.0)]
        middle = sum(ends) / 2 / p.length
        arm = 0.35 * section(p)(middle)[1]
        late = -2 * np.pi * middle / p.wavelength
        for name, side in (("left", 1.0), ("right", -1.0)):
            on = Sine(0.5 * side * p.bend, 2 * np.pi * p.frequency, late, offset=0.5 + 0.25 * side * p.turn, ramp=p.ramp)
            path = ((ends[0], side * arm, 0.0), (ends[1], side * arm, 0.0))
            found.append(Muscle("fish", path, p.force, on, name=f"{name}_{k + 1}"))
    return found


def bending(p, X: float):
    """The drive of the bending at X in 0..1, rad over the whole length: the wave, and the turn."""
    from locomote.drives.kinds.sine import Sine

    size = -p.bend * (0.3 + 0.2 * X + 1.8 * X * X)
    drive = Sine(size, 2 * np.pi * p.frequency, -2 * np.pi * X / p.wavelength, ramp=p.ramp)
    return drive + turning(p.turn, p.turn_start, p.turn_time, p.ramp) if p.turn else drive


def setting(p) -> dict:
    """The wave, and the water."""
    from locomote.forces.water.fluid import Fluid

    water = Fluid(p.density, 1e-3)
    if p.body == "links":
        drives = {f"bend_{k}": bending(p, k / p.links) * (1 / p.links) for k in range(1, p.links)}
        return {"drives": drives, "environment": water_forces(p.links, p.length, section(p), water, p.drag, p.friction)}
    forces = water_on_rod("fish", p.length, section(p), water, p.drag, p.friction)
    if p.body == "muscles":
        return {"actuators": muscles(p), "environment": forces}
    flexible = build(p).flexible
    assert flexible is not None
    along = flexible.rods["fish"].points.ravel()
    return {"drives": {"fish": [bending(p, x / p.length) * (1 / p.length) for x in along]}, "environment": forces}


def duration(p) -> float:
    """s"""
    return (9 if p.body == "muscles" else 18) / p.frequency
