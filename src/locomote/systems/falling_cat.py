"""A cat of two halves that turns over in free fall without a push.

The frame of the front half is at the joint of the halves, x along its spine to the head; the rear half is its mirror image.
The spine bends but does not twist: it bends by an angle about an axis across it, and that axis may go round. Three joints in
a row say this: `turn` by the direction, `bend`, and `untwist` back by the direction:

    rear in front = Rx(direction) Ry(bend) Rx(-direction) = exp of the vector bend (0, cos direction, sin direction)

The cat bends, lets the bend go round once, and unbends. Momentum stays zero, yet it has turned about its spine.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.gaits import gait_choice
from locomote.systems.parameters import number, positive

SOURCE = (
    "T.R. Kane, M.P. Scher: A dynamical explanation of the falling cat phenomenon. Int. J. Solids Structures 5 (1969); "
    "F. Boyer, M. Porez (2015); numbers chosen, the bend such that it turns by 180 degrees"
)
SEE = "it starts on its back and lands on its feet, in the shape in which it began and with no angular momentum at all"
PARAMETERS = {
    "bend": number(1.03718736784, "rad", "how far the spine bends; the default turns the cat over"),
    "bending": positive(0.1, "s", "time to bend, and to unbend"),
    "loop": positive(0.3, "s", "time for the bend to go round"),
    "mass": positive(1.5, "kg", "mass of each half"),
    "inertia": positive(0.004, "kg m^2", "moment of inertia of each half about its spine"),
    "inertia_across": positive(0.016, "kg m^2", "and across it, about its mass center"),
    "distance": positive(0.12, "m", "mass center of each half from the joint"),
    "height": positive(1.3, "m", "height of the start"),
    "gait": gait_choice("turn", "efficient"),
}


def build(p) -> Model:
    """The front half and the rear half."""
    moment = (p.inertia, p.inertia_across, p.inertia_across)
    looks = {}
    for side, x in (("front", p.distance), ("rear", -p.distance)):
        place = np.array([[0.0, 0, 1, x], [0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1]])
        looks[side] = [Visual("capsule", (0.06, 2 * p.distance - 0.12), place)]
        looks[side] += [Visual("box", (0.03, 0.03, 0.16), _leg(1.5 * x, y)) for y in (0.04, -0.04)]
    joints = [Joint("turn", axis="x"), Joint("bend", axis="y"), Joint("untwist", axis="x")]
    builder = Builder("falling cat", base="free")
    builder.body("front", inertia=Inertia(p.mass, (p.distance, 0, 0), moment), visuals=looks["front"])
    rear = Inertia(p.mass, (-p.distance, 0, 0), moment)
    builder.body("rear", parent="front", joint=joints, inertia=rear, visuals=looks["rear"])
    return builder.build()


def _leg(x: float, y: float) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = x, y, -0.1
    return pose


def setting(p) -> dict:
    """Bend, go round once, unbend; each from rest to rest."""
    from locomote.drives.kinds.spline import Spline

    def stage(start: float, end: float, change: float) -> Spline:
        return Spline((start, end), (0.0, change), end="clamped", order=5)

    bent, round_once = p.bending, p.bending + p.loop
    bend = stage(0.0, bent, p.bend) + stage(round_once, round_once + p.bending, -p.bend)
    direction = stage(bent, round_once, 2 * np.pi)
    return {"drives": {"turn": direction, "bend": bend, "untwist": -direction}}


def initial(p, model: Model):
    """On its back, at rest."""
    q = model.neutral()
    q[2], q[3], q[6] = p.height, 1.0, 0.0
    return q, np.zeros(model.nv)


def duration(p) -> float:
    """s"""
    return 2 * p.bending + p.loop
