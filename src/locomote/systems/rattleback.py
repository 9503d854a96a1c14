"""A stone with the shape of half an ellipsoid, whose principal axes of inertia are turned against those of its shape.

The frame is at the center of the ellipsoid, axes along its semi-axes; the mass center is below it. With the default
numbers it likes to spin counter-clockwise: spun the other way it begins to rattle, stops, and turns back.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import number, positive

SOURCE = "T.R. Kane, D.A. Levinson: Realistic mathematical modeling of the rattleback. Int. J. Non-Linear Mechanics 17 (1982)"
SEE = "spun clockwise it rattles, stops after six seconds and spins back; the other way it spins on for long"
PARAMETERS = {
    "spin": number(-5.0, "rad/s", "spin about the vertical at the start"),
    "tilt": number(np.radians(0.5), "rad", "tilt about the long axis at the start"),
    "length": positive(0.2, "m", "longest semi-axis, along x"),
    "width": positive(0.03, "m", "semi-axis along y"),
    "depth": positive(0.02, "m", "shortest semi-axis, along z"),
    "below": number(0.01, "m", "mass center below the center of the ellipsoid"),
    "mass": positive(1.0, "kg", "mass"),
    "inertia_xx": positive(2e-4, "kg m^2", "moment of inertia about the mass center, along x"),
    "inertia_yy": positive(1.6e-3, "kg m^2", "along y"),
    "inertia_zz": positive(1.7e-3, "kg m^2", "along z"),
    "inertia_xy": number(-2e-5, "kg m^2", "product of inertia: its sign decides which sense is preferred"),
    "gravity": positive(9.81, "m/s^2", "gravity"),
}


def build(p) -> Model:
    """One body."""
    moment = (p.inertia_xx, p.inertia_xy, 0.0, p.inertia_yy, 0.0, p.inertia_zz)
    stone = Inertia(p.mass, (0.0, 0.0, -p.below), moment)
    looks = [Visual("ellipsoid", (p.length, p.width, p.depth))]
    return Builder("rattleback", base="free", gravity=(0, 0, -p.gravity)).body("stone", inertia=stone, visuals=looks).build()


def setting(p) -> dict:
    """It rolls on the ground."""
    from locomote.constraints.kinds import Rolling
    from locomote.geometry.shapes.ellipsoid import Ellipsoid

    return {"constraints": [Rolling("stone", shape=Ellipsoid((p.length, p.width, p.depth)), name="contact")]}


def initial(p, model: Model):
    """On the ground, tilted a little, spinning."""
    q, v = model.neutral(), np.zeros(model.nv)
    up = np.array([0.0, np.sin(p.tilt), np.cos(p.tilt)])  # in the frame
    squares = np.array([p.length, p.width, p.depth]) ** 2
    height = np.sqrt(squares @ up**2)
    q[2], q[3], q[6] = height, np.sin(p.tilt / 2), np.cos(p.tilt / 2)
    v[3:] = p.spin * up
    v[:3] = np.cross(v[3:], squares * up / height)
    return q, v


def duration(p) -> float:
    """s"""
    return 12.0
