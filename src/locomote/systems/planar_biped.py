"""A planar biped of seven links that walks on soft ground, under computed torque, or feed-forward with PD.

The robot is that of `walker_cases`: trunk, thighs, shanks and feet in the plane of x and z. Its trunk moves as an inverted
pendulum over the standing foot, the other foot swings and lands at rest, and the legs exchange their parts after every step.
Under this gait the load moves from 1 cm to 13 cm before the ankle, so the ankle is near the heel, and the ground
must be stiff: sinking in by a millimetre tilts the robot by half a degree, and the foot that swings touches too early.
PD with the published gains cannot hold the ankle by itself (49 N m/rad against some 66 N m/rad of the weight): with
feed-forward every error doubles in a second, and after 12 s what was 1e-5 rad at the first landing has become a degree.
"""

import numpy as np

from locomote.control.pendulum import PendulumWalk
from locomote.control.references import biped_reference
from locomote.model.model import Model
from locomote.systems import walker_cases
from locomote.systems.parameters import not_negative
from locomote.systems.walking import control_parameters, controlled, ground_of, ground_parameters, periodic

SOURCE = (
    "S.V. Shah, S.K. Saha, J.K. Dutt: Modular framework for dynamic modeling and analyses of legged robots. Mechanism and "
    "Machine Theory 49 (2012), biped, gait and gains; place of the ankle and ground chosen"
)
SEE = "it walks 0.3 m with every step; with control='forced' the same torques let it fall within a second"
OWN = ("phase", "foot")  # parameters of `walker_cases` that this system has no use for
PARAMETERS = (
    {name: parameter for name, parameter in walker_cases.PARAMETERS.items() if name not in OWN}
    | {"heel": not_negative(0.012, "m", "ankle from the rear end of the foot")}
    | control_parameters()
    | ground_parameters(1e6, 1.0, 1e3)
)


def build(p) -> Model:
    """Trunk and two legs."""
    return walker_cases.biped(p, p.heel)


def gait(p) -> dict:
    """Drives of all joints."""
    walk = PendulumWalk(p.time, p.step, p.lift, p.height, p.gravity)
    reference = biped_reference(walk, thigh=p.thigh, shank=p.shank, hip_height=p.height - p.trunk / 2)
    return dict(zip(walker_cases.JOINTS, periodic(reference, 2 * p.time), strict=True))


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
