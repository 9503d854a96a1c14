"""A planar biped of seven links that walks on soft ground, under computed torque, or feed-forward with PD.

The robot is that of `walker_cases`: trunk, thighs, shanks and feet in the plane of x and z. Its trunk moves as an inverted
pendulum over the standing foot, the other foot swings and lands at rest, and the legs exchange their parts after every step.
Ground, gains and gait are published; the place of the ankle is not. Knees are bent forwards, so that under this gait the load
runs from 1 cm to 13 cm before the ankle: here the ankle is where this is the middle of the sole. In the middle of the foot, as
in the published files, the load leaves the foot, and the robot tips over its toes. Under control it settles on a cycle of two
steps, as with any ankle from 4 mm to 20 mm before the heel, with the trunk leaning back by 2 to 4 degrees.
"""

import numpy as np

from locomote.control.pendulum import PendulumWalk
from locomote.control.references import biped_reference
from locomote.model.model import Model
from locomote.systems import walker_cases
from locomote.systems.parameters import not_negative
from locomote.systems.walking import control_parameters, controlled, ground_of, ground_parameters, once, periodic

SOURCE = (
    "S.V. Shah, S.K. Saha, J.K. Dutt: Modular framework for dynamic modeling and analyses of legged robots. Mechanism and "
    "Machine Theory 49 (2012), biped, gait and gains; ground of a public copy of the authors' input files; ankle chosen"
)
SEE = "it walks some 0.29 m with every step; with control='forced' the same torques let it fall within a second or two"
OWN = ("phase", "foot")  # parameters of `walker_cases` that this system has no use for
PARAMETERS = (
    {name: parameter for name, parameter in walker_cases.PARAMETERS.items() if name not in OWN}
    | {"heel": not_negative(0.005, "m", "ankle from the rear end of the foot")}
    | control_parameters()
    | ground_parameters(2000.0, 10.0, 1000.0)
)


def build(p) -> Model:
    """Trunk and two legs."""
    return walker_cases.biped(p, p.heel)


@once
def drives(p) -> list:
    """Of all joints, in their order."""
    walk = PendulumWalk(p.time, p.step, p.lift, p.height, p.gravity)
    reference = biped_reference(walk, thigh=p.thigh, shank=p.shank, hip_height=p.height - p.trunk / 2)
    return periodic(reference, 2 * p.time)


def gait(p) -> dict:
    """Drives of all joints."""
    return dict(zip(walker_cases.JOINTS, drives(p), strict=True))


def ground(p, model: Model):
    """Springs below heels and toes."""
    ends = [(-p.heel, 0.0, 0.0), (p.sole - p.heel, 0.0, 0.0)]
    return ground_of(p, model, {f"{side}_foot": ends for side in ("left", "right")})


def setting(p) -> dict:
    """Joints follow the gait on the ground."""
    model = build(p)
    return controlled(p, model, gait(p), ground(p, model), initial(p, model), p.time)


def initial(p, model: Model):
    """The beginning of a step, sunk in by the weight."""
    q, v = model.neutral(), np.zeros(model.nv)
    for k, drive in enumerate(gait(p).values()):
        q[3 + k], v[3 + k], _ = drive(0.0)
    place, speed = walker_cases.hip(p, 0.0)
    q[:3] = place, p.height - model.mass * p.gravity / (4 * p.stiffness), np.pi / 2
    v[1] = -speed  # y of the upright trunk points back
    return q, v


def duration(p) -> float:
    """s"""
    return p.duration
