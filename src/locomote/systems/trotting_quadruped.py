"""A quadruped of nine links that trots on soft ground, under computed torque, or feed-forward with PD.

The robot is `quadruped`: a trunk on four legs with universal hips and knees, on point feet. Diagonal legs step together;
the trunk moves as an inverted pendulum over them. Two published sets: `paper` takes steps of 0.3 m in 1 s at a height of 0.5 m,
`files` of 0.4 m in 0.5 s at 0.55 m.
"""

from types import SimpleNamespace

from locomote.control.pendulum import PendulumWalk
from locomote.control.references import legs_reference
from locomote.model.model import Model
from locomote.systems import quadruped
from locomote.systems.parameters import choice, positive
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
    "S.V. Shah, S.K. Saha, J.K. Dutt: Modular framework for dynamic modeling and analyses of legged robots. Mechanism and "
    "Machine Theory 49 (2012), quadruped, gait and gains; ground and second set of a public copy of the authors' input files"
)
SEE = "two feet at a time carry it; the trunk tips a little about the line between them, and the next two catch it"
SETS = {"paper": (1.0, 0.3, 0.5), "files": (0.5, 0.4, 0.55)}  # time (s) and length (m) of a step, height of the hips (m)
PARAMETERS = (
    {
        "set": choice("paper", SETS, "published set of time, length and height of a step"),
        "lift": positive(0.08, "m", "height of a swinging foot"),
        "gravity": positive(9.81, "m/s^2", "gravity"),
    }
    | control_parameters()
    | ground_parameters(2500.0, 10.0, 1500.0)
)
GROUPS = {"front_left": 0, "front_right": 1, "rear_left": 1, "rear_right": 0}


def build(p) -> Model:
    """The quadruped with its own parameters."""
    own = {name: parameter.default for name, parameter in quadruped.PARAMETERS.items()}
    return quadruped.build(SimpleNamespace(**own))


def walk(p) -> PendulumWalk:
    """The motion of trunk and feet."""
    time, length, height = SETS[p.set]
    return PendulumWalk(time, length, p.lift, height, p.gravity)


@once
def drives(p) -> list:
    """Of all coordinates; joints turn about y, which takes feet backwards."""
    motion = walk(p)
    reference = legs_reference(motion, list(GROUPS.values()), thigh=0.3, shank=0.3, hip_height=motion.height)
    return [x if k % 3 == 0 else -x for k, x in enumerate(periodic(reference, 2 * motion.step_time))]


def gait(p, model: Model) -> dict:
    """Drives of all joints."""
    return by_joint(model, [f"{leg}_{joint}" for leg in GROUPS for joint in ("hip", "knee")], drives(p))


def setting(p) -> dict:
    """Joints follow the gait on the ground."""
    model = build(p)
    ground = ground_of(p, model, {f"{leg}_foot": [(0.0, 0.0, 0.0)] for leg in GROUPS})
    return controlled(p, model, gait(p, model), ground, initial(p, model), walk(p).step_time)


def initial(p, model: Model):
    """The beginning of a step, sunk in by the weight."""
    q, v = standing(model, gait(p, model))
    place, speed, _ = walk(p).trunk(0.0)
    q[0], q[2], v[0] = place, walk(p).height - model.mass * p.gravity / (4 * p.stiffness), speed
    return q, v


def duration(p) -> float:
    """s"""
    return p.duration
