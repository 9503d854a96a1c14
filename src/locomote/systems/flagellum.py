"""A flexible filament in viscous fluid, waved at its root: links with springs, without inertia.

The root is at the origin, held in place and turned to and fro; x runs along the filament. What the waves push along x is the
force that holds it.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import number, positive, whole

SOURCE = (
    "C.H. Wiggins, R.E. Goldstein: Flexive and propulsive dynamics of elastica at low Reynolds number. Physical Review "
    "Letters 80 (1998); "
    "numbers chosen"
)
SEE = "waves run along the filament and die out over the length (EI / (c w))^(1/4); they push along x, which a stiff one cannot"
PARAMETERS = {
    "links": whole(10, "number of links", lowest=2, highest=100),
    "length": positive(1.0, "m", "length"),
    "rigidity": positive(0.002, "N m^2", "E I"),
    "along": positive(1.0, "N s/m^2", "drag along, per length"),
    "across": positive(2.0, "N s/m^2", "drag across, per length"),
    "amplitude": number(0.4, "rad", "of the root"),
    "rate": positive(1.0, "rad/s", "angular frequency of the root"),
}


def build(p) -> Model:
    """A chain of springs on a hinge."""
    builder, h = Builder("flagellum", gravity=(0, 0, 0)), p.length / p.links
    place = np.eye(4)
    place[0, 3] = h / 2
    light = Inertia(1e-3, (h / 2, 0, 0), (1e-6, 1e-6, 1e-6))  # any: only its weight would depend on it, and there is no gravity
    for k in range(p.links):
        parent, where = (None, 0.0) if k == 0 else (f"link_{k - 1}", h)
        joint = Joint("root") if k == 0 else Joint(f"bend_{k}", stiffness=p.rigidity / h)
        look = Visual("box", (h, 0.02 * p.length, 0.02 * p.length), place)
        builder.body(f"link_{k}", parent=parent, at=(where, 0, 0), joint=joint, inertia=light, visuals=(look,))
    return builder.build()


def setting(p) -> dict:
    """The root is turned; drag on all links and no inertia."""
    from locomote.drives.kinds.sine import Sine
    from locomote.forces.water.fluid import Fluid
    from locomote.forces.water.resistive import Resistive

    honey, h = Fluid(1000.0, 1.0), p.length / p.links
    drag = [
        Resistive(f"link_{k}", honey, (0, 0, 0), (h, 0, 0), along=p.along, across=p.across, name=f"drag {k}")
        for k in range(p.links)
    ]
    return {"drives": {"root": Sine(p.amplitude, p.rate)}, "environment": drag, "inertia": False}


def duration(p) -> float:
    """s"""
    return 4 * 2 * np.pi / p.rate
