"""A humanoid that shall stay standing: actions are torques of its waist and legs, beside springs that alone let it fall."""

import numpy as np

from locomote.compiled.copies import Copies
from locomote.contact.touch import Ground, Touch
from locomote.dynamics.kinematics import forward_kinematics
from locomote.learning.task import Task
from locomote.locomotion.problem import Locomotion
from locomote.systems import catalogue

SOLE = tuple((x, y, 0.0) for x in (-0.06, 0.2) for y in (-0.04, 0.04))  # m, of a humanoid of 1.75 m
LEGS = ("waist", "hip", "knee", "ankle")


def task(
    *, stiffness: float = 300.0, damping: float = 15.0, torque: float = 60.0, friction: float = 0.9, duration: float = 10.0,
    push: tuple[float, float] | None = (0.2, 2.0),
) -> Task:  # fmt: skip
    """stiffness (N m/rad), damping (N m s/rad) : of the hips, others in proportion ; torque : N m of an action of 1
    push : see Task"""
    model = catalogue.load("humanoid", stiffness=stiffness, damping=damping, throw=0.0, spin=0.0).model
    ground, rest = Ground(friction=friction), model.neutral()
    contacts = [Touch(f"{side}_sole", ground, points=SOLE, name=side) for side in ("left", "right")]
    rest[2] -= float(forward_kinematics(model, rest)[model.body_index("left_sole")][2, 3])
    problem = Locomotion(model, contacts=contacts, start=(rest, np.zeros(model.nv)), name="humanoid", limits=False)
    joints = [name for name in model.joint_names if any(word in name for word in LEGS)]
    return Task(
        name="humanoid", problem=problem, joints=joints, scale=torque, observe=Seen(rest), reward=Worth(rest),
        ended=Fallen(rest), begin=Begin(rest, model.nv), step=4e-3, substeps=5, duration=duration, push=push, compiled=True,
    )  # fmt: skip


class Seen:
    """Height, attitude, velocities of the pelvis, joints and their rates, which corners of the soles touch."""

    def __init__(self, rest: np.ndarray):
        self.rest = rest

    def __call__(self, copies: Copies) -> np.ndarray:
        touch = (np.abs(copies.contact_forces).sum(axis=2) > 0).astype(float)
        return np.concatenate([(copies.q - self.rest)[:, 2:], copies.v[:, :6], 0.1 * copies.v[:, 6:], touch], axis=1)


class Worth:
    """1 for standing; less for leaning, moving, and effort."""

    def __init__(self, rest: np.ndarray):
        self.rest = rest

    def __call__(self, copies: Copies, actions: np.ndarray) -> np.ndarray:
        lean = (copies.q[:, 3:5] ** 2).sum(axis=1)
        way = ((copies.q - self.rest)[:, :2] ** 2).sum(axis=1)
        speed = (copies.v[:, :6] ** 2).sum(axis=1)
        return 1.0 - 4.0 * lean - way - 0.05 * speed - 0.005 * (actions**2).sum(axis=1)


class Fallen:
    """The pelvis is low, or leans by more than 45 degrees."""

    def __init__(self, rest: np.ndarray):
        self.rest = rest

    def __call__(self, copies: Copies) -> np.ndarray:
        x, y = copies.q[:, 3], copies.q[:, 4]
        return (copies.q[:, 2] < 0.75 * self.rest[2]) | (1 - 2 * (x * x + y * y) < 0.7)


class Begin:
    """Standing, joints a little off."""

    def __init__(self, rest: np.ndarray, nv: int):
        self.rest, self.nv = rest, nv

    def __call__(self, random: np.random.Generator, count: int):
        q = np.tile(self.rest, (count, 1))
        q[:, 7:] += random.uniform(-0.02, 0.02, (count, len(self.rest) - 7))
        q[:, 2] += 0.01
        return q, np.zeros((count, self.nv))
