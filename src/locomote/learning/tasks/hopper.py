"""A leg with a trunk and a foot that shall hop forward in a plane, y up: actions are torques of hip, knee and ankle.

Sizes after T. Erez, Y. Tassa, E. Todorov: Infinite-horizon model predictive control for periodic tasks with contacts (2011), in
round numbers.
"""

import numpy as np

from locomote.compiled.copies import Copies
from locomote.contact.touch import Ground, Touch
from locomote.geometry.shapes.plane import Plane
from locomote.learning.task import Task
from locomote.locomotion.problem import Locomotion
from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.spatial.inertia import Inertia
from locomote.systems.parts import at

TRUNK, THIGH, SHANK, FOOT = 0.4, 0.45, 0.5, 0.3  # m
POSTURE = (0.3, -0.6, 0.3)  # hip, knee, ankle, rad
RADIUS = 0.04  # m, of heel and toe
TORQUE = np.array([100.0, 100.0, 50.0])  # N m


def task(*, friction: float = 1.0, speed: float = 1.0, duration: float = 10.0) -> Task:
    """friction : of the ground ; speed : beyond which more is not rewarded, m/s"""
    builder = Builder("hopper", base="planar", gravity=(0.0, -9.81, 0.0))

    def rod(mass: float, place: np.ndarray, *size: float) -> dict:
        return {"inertia": Inertia.box(mass, size).moved(place), "visuals": [Visual("box", size, place)]}

    def joint(name: str) -> Joint:
        return Joint(name, axis="z", armature=0.02, damping=1.0)

    builder.body("trunk", **rod(4.0, at(0.0, TRUNK / 2, 0.0), 0.08, TRUNK, 0.08))
    builder.body("thigh", parent="trunk", joint=joint("hip"), **rod(4.0, at(0.0, -THIGH / 2, 0.0), 0.08, THIGH, 0.08))
    shank = rod(3.0, at(0.0, -SHANK / 2, 0.0), 0.08, SHANK, 0.08)
    builder.body("shank", parent="thigh", at=(0, -THIGH, 0), joint=joint("knee"), **shank)
    sole = rod(2.0, at(0.05, 0.0, 0.0), FOOT, 0.08, 0.08)
    builder.body("foot", parent="shank", at=(0, -SHANK, 0), joint=joint("ankle"), **sole)
    builder.body("heel", parent="foot", at=(0.05 - FOOT / 2, 0, 0)).body("toe", parent="foot", at=(0.05 + FOOT / 2, 0, 0))
    model, ground = builder.build(), Ground(Plane((0, 0, 0), (0, 1, 0)), friction=friction)
    contacts = [Touch(name, ground, sphere=RADIUS, name=name) for name in ("heel", "toe")]
    start = np.array([0.0, RADIUS + THIGH * np.cos(POSTURE[0]) + SHANK * np.cos(POSTURE[0] + POSTURE[1]), 0.0, *POSTURE])
    problem = Locomotion(model, contacts=contacts, start=(start, np.zeros(6)), name="hopper", limits=False)
    return Task(
        name="hopper", problem=problem, joints=["hip", "knee", "ankle"], scale=TORQUE, observe=Seen(start), reward=Worth(speed),
        ended=Fallen(start), begin=Begin(start), step=2.5e-3, substeps=4, duration=duration, compiled=True,
    )  # fmt: skip


class Seen:
    """Height, tilt, joints, velocities, whether heel and toe touch."""

    def __init__(self, start: np.ndarray):
        self.start = start

    def __call__(self, copies: Copies) -> np.ndarray:
        touch = (np.abs(copies.contact_forces).sum(axis=2) > 0).astype(float)
        return np.concatenate([(copies.q - self.start)[:, 1:], 0.3 * copies.v, touch], axis=1)


class Worth:
    """1 for being upright, and speed along x, less effort."""

    def __init__(self, speed: float):
        self.speed = speed

    def __call__(self, copies: Copies, actions: np.ndarray) -> np.ndarray:
        turn = copies.q[:, 2]
        forward = np.cos(turn) * copies.v[:, 0] - np.sin(turn) * copies.v[:, 1]
        return 1.0 + np.minimum(forward, self.speed) - 0.05 * (actions**2).sum(axis=1)


class Fallen:
    """The hip is low, or the trunk tilted by more than 40 degrees."""

    def __init__(self, start: np.ndarray):
        self.start = start

    def __call__(self, copies: Copies) -> np.ndarray:
        return (copies.q[:, 1] < 0.7 * self.start[1]) | (np.abs(copies.q[:, 2]) > 0.7)


class Begin:
    """In the posture, a little off and above the ground."""

    def __init__(self, start: np.ndarray):
        self.start = start

    def __call__(self, random: np.random.Generator, count: int):
        q = np.tile(self.start, (count, 1))
        q[:, 2:] += random.uniform(-0.03, 0.03, (count, 4))
        q[:, 1] += 0.04
        return q, np.zeros((count, 6))
