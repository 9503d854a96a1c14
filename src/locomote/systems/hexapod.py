"""A hexapod of thirteen links that walks by alternating tripods on soft ground.

A long trunk on six legs of two links, universal hips and revolute knees, 24 coordinates: the quadruped of the same source with
one more row of legs. Three feet always stand, so nothing tips.
"""

import math

from locomote.control.gaits import gait as rhythm_of
from locomote.control.references import legs_reference
from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parameters import choice, positive
from locomote.systems.parts import hanging
from locomote.systems.walking import (
    by_joint,
    control_parameters,
    controlled,
    ground_of,
    ground_parameters,
    once,
    periodic,
    standing,
)

SOURCE = (
    "after S.V. Shah, S.K. Saha, J.K. Dutt: Modular framework for dynamic modeling and analyses of legged robots. Mechanism "
    "and Machine Theory 49 (2012), of which a hexapod is a case; numbers chosen"
)
SEE = "three feet stand while three swing, and the trunk goes level at constant speed"
PARAMETERS = (
    {
        "rhythm": choice("tripod", ("tripod", "walk", "pace", "bound"), "order of the legs"),
        "speed": positive(0.4, "m/s", "of the trunk"),
        "period": positive(1.0, "s", "time of a cycle of all legs"),
        "lift": positive(0.08, "m", "height of a swinging foot"),
        "height": positive(0.5, "m", "height of the hips"),
        "leg": positive(0.3, "m", "length of thighs and of shanks"),
        "trunk_length": positive(1.2, "m", "length of the trunk"),
        "trunk_width": positive(0.5, "m", "distance of left and right hips"),
        "trunk_mass": positive(6.0, "kg", "mass of the trunk"),
        "leg_mass": positive(1.0, "kg", "mass of each thigh and of each shank"),
        "gravity": positive(9.81, "m/s^2", "gravity"),
    }
    | control_parameters()
    | ground_parameters(5000.0, 3.0, 1500.0)
)
ROWS, RADIUS = ("rear", "middle", "front"), 0.025
LEGS = [f"{row}_{side}" for row in ROWS for side in ("left", "right")]


def build(p) -> Model:
    """Trunk and six legs, rear to front, left before right, as gaits count them."""
    builder = Builder("hexapod", base="free", gravity=(0.0, 0.0, -p.gravity))
    size = (p.trunk_length, p.trunk_width, 0.06)
    builder.body("trunk", inertia=Inertia.box(p.trunk_mass, size), visuals=[Visual("box", size)])
    for k, leg in enumerate(LEGS):
        place = ((k // 2 - 1) * p.trunk_length / 2, (0.5 - k % 2) * p.trunk_width, 0.0)
        hip = Joint(f"{leg}_hip", "universal", axis="x", axis2="y", lower=-math.pi, upper=math.pi)
        builder.body(f"{leg}_thigh", parent="trunk", at=place, joint=hip, **hanging(p.leg_mass, RADIUS, p.leg))
        knee = Joint(f"{leg}_knee", axis="y", lower=-math.pi, upper=math.pi)
        shank = hanging(p.leg_mass, RADIUS, p.leg)
        builder.body(f"{leg}_shank", parent=f"{leg}_thigh", at=(0, 0, -p.leg), joint=knee, **shank)
        builder.body(f"{leg}_foot", parent=f"{leg}_shank", at=(0, 0, -p.leg))
    return builder.build()


@once
def drives(p) -> list:
    """Of all coordinates; joints turn about y, which takes feet backwards."""
    rhythm = rhythm_of(p.rhythm, 6, period=p.period)
    lengths = {"thigh": p.leg, "shank": p.leg, "hip_height": p.height}
    reference = legs_reference(rhythm, range(6), speed=p.speed, foot_height=p.lift, **lengths)
    return [x if k % 3 == 0 else -x for k, x in enumerate(periodic(reference, p.period))]


def gait(p, model: Model) -> dict:
    """Drives of all joints."""
    return by_joint(model, [f"{leg}_{joint}" for leg in LEGS for joint in ("hip", "knee")], drives(p))


def setting(p) -> dict:
    """Joints follow the gait on the ground."""
    model = build(p)
    ground = ground_of(p, model, {f"{leg}_foot": [(0.0, 0.0, 0.0)] for leg in LEGS})
    return controlled(p, model, gait(p, model), ground, initial(p, model), p.period / 6)


def initial(p, model: Model):
    """On three feet, at speed, sunk in by the weight."""
    q, v = standing(model, gait(p, model))
    q[2], v[0] = p.height - model.mass * p.gravity / (3 * p.stiffness), p.speed
    return q, v


def duration(p) -> float:
    """s"""
    return p.duration
