"""A sleigh on one blade, its mass center ahead of the blade.

The frame is at the blade, x along it. On the plane the motion has a closed form: with c^2 = (I + m a^2) / m and k = a V / c^2,

    v = V tanh(k t + t0) ,   omega = (V / c) sech(k t + t0)

On a slope (downhill is x) with the mass center above the blade it is the knife edge, which drifts across the slope.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import number, positive
from locomote.systems.parts import at

SOURCE = (
    "S.A. Chaplygin: On the theory of motion of nonholonomic systems (1911); Yu.I. Neimark, N.A. Fufaev: Dynamics of "
    "Nonholonomic Systems (1972); A.M. Bloch: Nonholonomic Mechanics and Control (2003)"
)
SEE = "it turns until it glides straight, mass center first, although energy is conserved: motion with an attractor"
PARAMETERS = {
    "mass": positive(2.0, "kg", "mass"),
    "inertia": positive(0.5, "kg m^2", "moment of inertia about the mass center"),
    "ahead": number(0.3, "m", "mass center ahead of the blade"),
    "speed": number(0.4, "m/s", "speed of the blade at the start"),
    "spin": number(1.0, "rad/s", "spin at the start"),
    "slope": number(0.0, "rad", "slope of the ground, down along x"),
    "gravity": number(9.81, "m/s^2", "gravity"),
}


def build(p) -> Model:
    """One body in the plane."""
    gravity = (p.gravity * np.sin(p.slope), 0.0, -p.gravity * np.cos(p.slope))
    looks = [Visual("box", (0.6, 0.3, 0.05), at(p.ahead / 2, 0, 0.1)), Visual("box", (0.2, 0.01, 0.1), at(0, 0, 0.05))]
    sleigh = Inertia(p.mass, (p.ahead, 0.0, 0.0), [p.inertia] * 3)
    return Builder("chaplygin sleigh", gravity=gravity).body(
        "sleigh", joint=Joint("base", "planar"), inertia=sleigh, visuals=looks
    ).build()  # fmt: skip


def setting(p) -> dict:
    """The blade does not slide sideways."""
    from locomote.constraints.kinds import Blade

    return {"constraints": [Blade("sleigh", name="blade")]}


def initial(p, model: Model):
    """At the origin, heading along x."""
    return model.neutral(), np.array([p.speed, 0.0, p.spin])


def duration(p) -> float:
    """s"""
    return 12.0
