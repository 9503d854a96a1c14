"""A climber that goes up a wall hand over hand by swinging its tail: a body with two hands that grip in turn, and one motor.

The plane is the wall, x to the right and z up; lean turns the body, a positive one takes its right hand down. The body swings
on one hand like a pendulum, and the tail, which goes to the side to which the body swings, pumps it. Where the body comes to
rest all its points do, so that the other hand takes hold there without an impact; if it is higher than the first one, the
climber has gained height, and the first hand lets go.

The problem of the catalogue hangs on one hand. `climb` takes both: grips are constraints that events of a run open and close.
"""

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import choice, not_negative, positive
from locomote.systems.parts import at

SOURCE = (
    "after ROCR: S. Jensen-Segal, S. Virost, W.R. Provancher: ROCR, dynamic vertical wall climbing with a pendular two-link "
    "mass-shifting robot. ICRA (2008); W.R. Provancher and others: ROCR, an energy-efficient dynamic wall-climbing robot. "
    "IEEE/ASME Trans. Mechatronics 16 (2011); width, height and mass as reported (31 cm, 46 cm, 0.54 kg), the rest chosen"
)
SEE = "swings on one hand grow; `pendular_climber.climb` goes up, each hand let go where the other one is at rest above it"
GRIPS = ("left", "both")
PARAMETERS = {
    "width": positive(0.31, "m", "from hand to hand"),
    "drop": positive(0.10, "m", "hinge of the tail below the hands"),
    "tail": positive(0.25, "m", "weight of the tail from its hinge"),
    "body_mass": positive(0.30, "kg", "mass of the body, its center 6/10 of the way down to the hinge"),
    "tail_mass": positive(0.24, "kg", "mass of the tail, nearly all at its weight"),
    "swing": positive(2.1, "rad", "how far the tail goes to a side"),
    "quick": positive(0.4, "s", "over this times the speed of the body its tail is nearly there"),
    "stiffness": positive(2.0, "N m/rad", "of the motor"),
    "damping": not_negative(0.06, "N m s/rad", "of the motor"),
    "torque": positive(0.6, "N m", "the motor's most"),
    "higher": positive(0.003, "m", "by which a hand must be higher than the other one to take hold"),
    "grips": choice("left", GRIPS, "hands that may hold: one, or both, for events to open and close"),
    "gravity": positive(9.81, "m/s^2", "gravity"),
}
CLIMB, PICTURED = 22.0, 12.0  # s


def build(p) -> Model:
    """In the plane of the wall."""
    plane = [Joint("x", "prismatic", axis="x"), Joint("z", "prismatic", axis="z"), Joint("lean", axis="y")]
    across, thick = p.body_mass * p.width**2 / 12, 0.04 * p.width
    body = Inertia(p.body_mass, (0, 0, -0.6 * p.drop), (0.8 * across, 1.25 * across, 0.8 * across))
    hands = [Visual("sphere", (0.06 * p.width,), at(x, 0.0, 0.0)) for x in (-p.width / 2, p.width / 2)]
    looks = (*hands, Visual("box", (p.width, thick, thick)), Visual("box", (2 * thick, thick, p.drop), at(0, 0, -p.drop / 2)))
    tail = Inertia(p.tail_mass, (0, 0, -p.tail), (p.tail_mass * p.tail**2 / 30,) * 3)
    stick, bob = Visual("cylinder", (0.02 * p.width, p.tail), at(0, 0, -p.tail / 2)), at(0, 0, -p.tail)
    weight = (stick, Visual("sphere", (0.1 * p.width,), bob))
    builder = Builder("pendular climber", gravity=(0.0, 0.0, -p.gravity)).body("body", joint=plane, inertia=body, visuals=looks)
    hinge = Joint("tail", axis="y")
    return builder.body("tail", parent="body", at=(0, 0, -p.drop), joint=hinge, inertia=tail, visuals=weight).build()


def motor(p):
    """(t, q, v) -> (4,): the tail goes to a side as the body swings to it, N m."""

    def torques(t, q, v):
        wanted = p.stiffness * (p.swing * np.tanh(p.quick * v[2]) - q[3]) - p.damping * v[3]
        return np.array([0.0, 0.0, 0.0, np.clip(wanted, -p.torque, p.torque)])

    return torques


def setting(p) -> dict:
    """The motor, and the grips."""
    from locomote.constraints.kinds import PointContact

    places = {"left": -p.width / 2, "right": p.width / 2}
    if p.grips != "both":
        places = {p.grips: places[p.grips]}
    grips = [PointContact("body", (x, 0, 0), directions="xz", name=name) for name, x in places.items()]
    return {"torques": motor(p), "constraints": grips}


def duration(p) -> float:
    """s"""
    return 4.0


def changes(p) -> list:
    """Events of a run that change hands: the body at rest, the free hand above the other one."""
    from locomote.methods.events.when import When

    steep = np.arcsin(min(p.higher / p.width, 1.0))

    def rests(side):  # of v, beyond a lean; elsewhere of one sign, so that nothing begins
        return lambda t, q, v: side * v[2] if side * q[2] > steep else 1.0

    return [
        When(rests(-1), -1, name="right hand up", open=["left"], close=["right"]),
        When(rests(1), -1, name="left hand up", open=["right"], close=["left"]),
    ]


def climb(duration: float = CLIMB, *, rtol: float = 1e-9, **given):
    """The run of a climb from rest on the left hand: a Trajectory.

    duration : s ; rtol : of its steps ; given : parameters of the system
    """
    from locomote.systems.catalogue import load
    from locomote.systems.parameters import values

    system = load("pendular_climber", **{"grips": "both"} | given)
    events = changes(values("pendular_climber", PARAMETERS, given))
    options = {"every": 0.01, "rtol": rtol, "atol": 1e-2 * rtol, "progress": False}
    return system.problem().simulate(duration, events=events, ignore=["right"], **options)


def shown(p):
    """What pictures show: it climbs."""
    return climb(PICTURED)


def hands(q, width: float = PARAMETERS["width"].default) -> np.ndarray:
    """(..., 2, 2) x and z of the left and the right hand, m; q : (..., 4)."""
    q = np.asarray(q)
    half = width / 2 * np.stack([np.cos(q[..., 2]), -np.sin(q[..., 2])], axis=-1)
    return np.stack([q[..., :2] - half, q[..., :2] + half], axis=-2)
