"""A wheel without a rim that goes down a slope on its spokes: each step ends with an impact, which takes what the slope gives.

It moves in the plane of x and z; gravity leans, the ground does not. Spokes let go and hit as contacts that stick do.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import not_negative, positive, whole

SOURCE = "T. McGeer: Passive dynamic walking. International Journal of Robotics Research 9 (1990), section 2; numbers chosen"
SEE = "whatever it starts with, the wheel comes to the same speed"
PARAMETERS = {
    "spokes": whole(8, "how many spokes", lowest=4, highest=40),
    "length": positive(1.0, "m", "length of a spoke"),
    "mass": positive(1.0, "kg", "mass, in the hub"),
    "inertia": not_negative(0.0, "kg m^2", "moment of inertia about the hub"),
    "slope": positive(0.08, "rad", "slope"),
    "speed": positive(0.5, "rad/s", "angular velocity at the start"),
    "gravity": positive(1.0, "m/s^2", "gravity; times are in units of sqrt(length / gravity) where it is one"),
}
LIGHT = 1e-9  # least moment of inertia over mass and length squared


def build(p) -> Model:
    """The hub with its spokes."""
    moment = max(p.inertia, LIGHT * p.mass * p.length**2)
    joints = [Joint("x", kind="prismatic", axis="x"), Joint("z", kind="prismatic", axis="z"), Joint("turn", axis="y")]
    gravity = (p.gravity * np.sin(p.slope), 0.0, -p.gravity * np.cos(p.slope))
    looks = [Visual("sphere", (0.12 * p.length,)), *(spoke(p, end, k) for k, end in enumerate(ends(p)))]
    builder = Builder("rimless wheel", base="fixed", gravity=gravity)
    return builder.body("wheel", joint=joints, inertia=Inertia(p.mass, moment=(moment, moment, moment)), visuals=looks).build()


def ends(p) -> list[tuple[float, float, float]]:
    """Ends of the spokes, m."""
    angles = 2 * np.pi / p.spokes * np.arange(p.spokes)
    return [(float(-p.length * np.sin(a)), 0.0, float(-p.length * np.cos(a))) for a in angles]


def spoke(p, end, number: int) -> Visual:
    """A thin bar from the hub to an end; the first one, which stands at the start, has another color."""
    pose, (x, _, z) = np.eye(4), np.array(end) / p.length
    pose[:3, 0], pose[:3, 2], pose[:3, 3] = (z, 0.0, -x), (x, 0.0, z), np.array(end) / 2
    color = (0.85, 0.33, 0.1, 1.0) if number == 0 else None
    return Visual("cylinder", (0.03 * p.length, p.length), pose, color=color)


def setting(p) -> dict:
    """Every spoke may stand on the ground, and sticks where it does."""
    from locomote.constraints.kinds import PointContact

    return {
        "constraints": [
            PointContact("wheel", end, (0, 0, 0), "xz", unilateral=True, name=f"spoke{k}") for k, end in enumerate(ends(p))
        ]
    }


def initial(p, model: Model):
    """Just after the first spoke has hit the ground."""
    half, w = np.pi / p.spokes, p.speed
    place = [-p.length * np.sin(half), p.length * np.cos(half), -half]
    return np.array(place), np.array([w * p.length * np.cos(half), w * p.length * np.sin(half), w])


def duration(p) -> float:
    """s"""
    return float(12.0 * np.sqrt(p.length / p.gravity))
