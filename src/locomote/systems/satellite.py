"""A satellite with a wheel about each of its axes, turning about its mass center.

Its total moment about each axis is that of everything but the wheels' own spin. Momentum is zero at the start, so that

    (I + J) omega = -J wheel'                                                            for each axis

With all wheels it makes a slew from rest to rest. With one wheel failed, the other two turn through closed loops: they
come back to where they were, and the satellite has turned about the lost axis.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.gaits import gait_choice
from locomote.systems.parameters import choice, number, positive, whole

SOURCE = (
    "P.S. Krishnaprasad: Lie-Poisson structures, dual-spin spacecraft and asymptotic stability (1985); F. Boyer, "
    "M. Porez (2015); numbers chosen"
)
SEE = "a slew from rest to rest; with a failed wheel a turn about the lost axis, although the other wheels end where they began"
CLEAR = (0.3, 0.47, 0.66, 0.3)  # so that the wheels inside are seen
PARAMETERS = {
    "failed": choice("none", ("none", "x", "y", "z"), "the wheel that stands still"),
    "axis": choice("z", ("x", "y", "z"), "axis of the slew, with all wheels"),
    "angle": number(np.pi / 2, "rad", "angle of the slew, with all wheels"),
    "time": positive(20.0, "s", "time of the slew, or of each loop"),
    "amplitude": number(0.3, "rad", "how far the satellite swings in a loop, with a failed wheel"),
    "gait": gait_choice("turn"),
    "loops": whole(5, "number of loops, with a failed wheel", lowest=1),
    "inertia_x": positive(10.0, "kg m^2", "total moment of inertia about x without the spin of wheels"),
    "inertia_y": positive(12.0, "kg m^2", "about y"),
    "inertia_z": positive(8.0, "kg m^2", "about z"),
    "wheel_x": positive(0.05, "kg m^2", "moment of inertia of the x wheel about its axle"),
    "wheel_y": positive(0.05, "kg m^2", "of the y wheel"),
    "wheel_z": positive(0.05, "kg m^2", "of the z wheel"),
}


def moments(p) -> tuple[np.ndarray, np.ndarray]:
    """Total moments without spin, and moments of the wheels."""
    return np.array([p.inertia_x, p.inertia_y, p.inertia_z]), np.array([p.wheel_x, p.wheel_y, p.wheel_z])


def build(p) -> Model:
    """The body and its wheels: thin discs, whose moments across their axles are part of the total."""
    total, spin = moments(p)
    across = spin / 2
    body = Inertia(100.0, moment=total - (across.sum() - across))
    builder = Builder("satellite", base="rotation", gravity=(0.0, 0.0, 0.0))
    builder.body("body", inertia=body, visuals=[Visual("box", (0.8, 0.6, 1.0), color=CLEAR)])
    for k, axis in enumerate("xyz"):
        moment = np.full(3, across[k])
        moment[k] = spin[k]
        place = np.eye(4)
        place[:3, :3] = np.roll(np.eye(3), k + 1, axis=0)  # z of the visual to the axle
        place[k, 3] = 0.22  # apart from each other, on their axles
        looks = [Visual("cylinder", (0.2, 0.05), place)]
        wheel = Inertia(2.0, moment=moment)
        builder.body(f"wheel_{axis}", parent="body", joint=Joint(axis, axis=axis), inertia=wheel, visuals=looks)
    return builder.build()


def setting(p) -> dict:
    """A slew by one wheel, or loops of two wheels."""
    from locomote.drives.kinds.constant import Constant
    from locomote.drives.kinds.cycloid import Cycloid
    from locomote.drives.kinds.sine import Sine

    total, spin = moments(p)
    ratio = dict(zip("xyz", -(total + spin) / spin, strict=True))  # turn of a wheel per turn of the satellite
    if p.failed == "none":
        return {"drives": {axis: Cycloid(0.0, p.angle * ratio[axis] * (axis == p.axis), p.time) for axis in "xyz"}}
    one, two = "xyzxy"["xyz".index(p.failed) + 1 :][:2]
    rate, swing = 2 * np.pi / p.time, {axis: p.amplitude * ratio[axis] for axis in "xyz"}
    drives = {
        p.failed: Constant(0.0),
        one: Constant(swing[one]) + Sine(-swing[one], rate, phase=np.pi / 2),  # 1 - cos
        two: Sine(swing[two], rate),
    }
    return {"drives": drives}


def initial(p, model: Model):
    """Momentum zero: with a failed wheel, the second wheel turns at once and the satellite with it."""
    total, spin = moments(p)
    v = np.zeros(model.nv)
    if p.failed != "none":
        two = ("xyz".index(p.failed) + 2) % 3
        v[two] = p.amplitude * 2 * np.pi / p.time
        v[3 + two] = -v[two] * (total[two] + spin[two]) / spin[two]
    return model.neutral(), v


def duration(p) -> float:
    """s"""
    return p.time * (1 if p.failed == "none" else p.loops)
