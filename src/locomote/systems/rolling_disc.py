"""A thin disc that rolls on the ground without slipping.

The frame is at its center, the axle is y, x forward. Free, it leans as it likes; held upright, it can only roll and turn.
A positive lean is to the right.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint
from locomote.model.model import Model
from locomote.systems.parameters import choice, number, positive
from locomote.systems.parts import wheel

SOURCE = "E.J. Routh: Dynamics of a System of Rigid Bodies, advanced part (1905); A.M. Bloch (2003); numbers chosen"
SEE = "it leans into its curve and nods around it; held upright it runs on a circle of radius R roll / yaw"
PARAMETERS = {
    "upright": choice("free", ("free", "held"), "whether it may lean"),
    "mass": positive(1.0, "kg", "mass, even over the disc"),
    "radius": positive(0.2, "m", "radius"),
    "lean": number(0.3, "rad", "lean at the start (free)"),
    "lean_rate": number(0.0, "rad/s", "its rate at the start (free)"),
    "roll_rate": number(8.0, "rad/s", "spin about the axle at the start"),
    "yaw_rate": number(-1.5, "rad/s", "turning about the vertical at the start"),
    "gravity": number(9.81, "m/s^2", "gravity"),
}


def build(p) -> Model:
    """The disc, or a carrier that keeps it upright and the disc."""
    disc, gravity = wheel(p.mass, p.mass * p.radius**2 / 2, p.mass * p.radius**2 / 4, p.radius), (0.0, 0.0, -p.gravity)
    if p.upright == "free":
        return Builder("rolling disc", base="free", gravity=gravity).body("disc", **disc).build()
    builder = Builder("rolling disc", base="planar", gravity=gravity).body("carrier", at=(0.0, 0.0, p.radius))
    return builder.body("disc", parent="carrier", joint=Joint("spin", axis="y"), **disc).build()


def setting(p) -> dict:
    """It rolls."""
    from locomote.constraints.kinds import Rolling

    held = "fln" if p.upright == "free" else "fl"
    return {"constraints": [Rolling("disc", p.radius, axle=(0, 1, 0), directions=held, name="contact")]}


def initial(p, model: Model):
    """Rolling along x."""
    q, v, s, c = model.neutral(), np.zeros(model.nv), np.sin(p.lean), np.cos(p.lean)
    if p.upright == "held":
        return q, np.array([p.radius * p.roll_rate, 0.0, p.yaw_rate, p.roll_rate])
    q[2], q[3], q[6] = p.radius * c, np.sin(p.lean / 2), np.cos(p.lean / 2)
    v[3:] = p.lean_rate, p.roll_rate + p.yaw_rate * s, p.yaw_rate * c
    v[:3] = np.cross(v[3:], (0.0, 0.0, p.radius))
    return q, v


def duration(p) -> float:
    """s"""
    return 10.0
