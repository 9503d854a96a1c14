"""Boxes on top of each other, each a little off the one below: corners and edges touch faces, with friction."""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint
from locomote.model.model import Model
from locomote.systems.parameters import not_negative, positive, whole
from locomote.systems.parts import box

SOURCE = "a common test of contact solvers; numbers chosen"
SEE = "the box on top is pushed, slides for push^2 / (2 friction gravity) and stays there; no other box moves, and none creeps"
PARAMETERS = {
    "count": whole(10, "how many boxes", lowest=1, highest=20),
    "length": positive(0.2, "m", "edges of a box along the ground"),
    "height": positive(0.1, "m", "height of a box"),
    "mass": positive(1.0, "kg", "mass of a box"),
    "offset": not_negative(0.004, "m", "how far boxes are off the middle"),
    "friction": not_negative(0.5, "1", "Coulomb's coefficient everywhere"),
    "push": not_negative(0.8, "m/s", "speed of the box on top at the start"),
    "gravity": positive(9.81, "m/s^2", "gravity"),
}


def build(p) -> Model:
    """As many free bodies."""
    builder = Builder("box stack", gravity=(0.0, 0.0, -p.gravity))
    for k in range(p.count):
        builder.body(f"box{k}", joint=Joint(f"free{k}", kind="free"), **box(p.mass, (p.length, p.length, p.height)))
    return builder.build()


def setting(p) -> dict:
    """The first on the ground, each on the one below."""
    from locomote.contact.touch import Ground, Touch, boxes

    half = (p.length / 2, p.length / 2, p.height / 2)
    contacts = [Touch("box0", Ground(friction=p.friction), box=half)]
    for k in range(1, p.count):
        contacts += boxes(f"box{k - 1}", half, f"box{k}", half, friction=p.friction)
    return {"contacts": contacts}


def initial(p, model: Model):
    """Stacked, at rest but for the one on top."""
    q, v = model.neutral(), np.zeros(model.nv)
    v[model.joint(f"free{p.count - 1}").v][:1] = p.push
    for k in range(p.count):
        q[model.joint(f"free{k}").q] = [p.offset * (-1) ** k, 0.5 * p.offset * (k % 3), (k + 0.5) * p.height, 0, 0, 0, 1]
    return q, v


def duration(p) -> float:
    """s"""
    return 1.0
