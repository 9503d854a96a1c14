"""A ball that rolls without slipping on a table that turns at a constant rate.

Its center moves on a circle, at the rate of the table times k / (1 + k), k = I / (m r^2): 2/7 for a full ball.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import number, positive
from locomote.systems.parts import at

SOURCE = "R. Ehrlich, J. Tuszynski: Ball on a rotating turntable: comparison of theory and experiment. Am. J. Phys. 63 (1995)"
SEE = "the ball runs on a circle somewhere on the table, at 2/7 of its rate, and is not thrown off"
PARAMETERS = {
    "rate": number(3.0, "rad/s", "rate of the table"),
    "mass": positive(0.2, "kg", "mass of the ball, full and even"),
    "radius": positive(0.1, "m", "its radius"),
    "place": number(0.3, "m", "where it is put, along x"),
    "speed": number(0.2, "m/s", "its speed at the start, along y"),
}


def build(p) -> Model:
    """The ball, and the table under it."""
    builder = Builder("ball on turntable")
    ball = {"inertia": Inertia.sphere(p.mass, p.radius), "visuals": [Visual("sphere", (p.radius,))]}
    builder.body("ball", joint=Joint("base", "free"), **ball)
    table = {"inertia": Inertia.cylinder(10.0, 0.5, 0.02), "visuals": [Visual("cylinder", (0.5, 0.02), at(0, 0, -0.01))]}
    return builder.body("table", joint=Joint("table"), **table).build()


def setting(p) -> dict:
    """The table turns, the ball rolls on it."""
    from locomote.constraints.kinds import Rolling
    from locomote.drives.kinds.polynomial import Polynomial

    contact = Rolling("ball", tube=p.radius, other="table", name="contact")
    return {"drives": {"table": Polynomial((0.0, p.rate))}, "constraints": [contact]}


def initial(p, model: Model):
    """On the table, with the spin that rolling needs and none about the vertical."""
    q, v = model.neutral(), np.zeros(model.nv)
    q[0], q[2] = p.place, p.radius
    v[1], v[3], v[6] = p.speed, (p.rate * p.place - p.speed) / p.radius, p.rate
    return q, v


def duration(p) -> float:
    """s"""
    return 15.0
