"""A snakeboard that shall go forward: actions are accelerations of its rotor and of its two axles."""

import numpy as np

from locomote.compiled.copies import Copies
from locomote.learning.task import Task
from locomote.systems import catalogue

JOINTS = ("rear_steer", "front_steer", "rotor")
MOST = 1.2  # rad, of shape angles


def task(*, duration: float = 10.0, **parameters) -> Task:
    """parameters : of the system snakeboard."""
    problem = catalogue.load("snakeboard", **parameters).problem()
    return Task(
        name="snakeboard", problem=problem, joints=JOINTS, action="acceleration", scale=8.0, observe=observe, reward=reward,
        ended=ended, begin=begin, step=0.01, substeps=5, duration=duration, compiled=True,
    )  # fmt: skip


def observe(copies: Copies) -> np.ndarray:
    """Heading, shape, all velocities."""
    heading = copies.q[:, 2]
    return np.concatenate([np.stack([np.cos(heading), np.sin(heading)], axis=1), copies.q[:, 3:], copies.v], axis=1)


def reward(copies: Copies, actions: np.ndarray) -> np.ndarray:
    """Speed along x, less effort, shape that winds up, and turning away."""
    heading = copies.q[:, 2]
    speed = np.cos(heading) * copies.v[:, 0] - np.sin(heading) * copies.v[:, 1]
    return speed - 0.02 * (actions**2).sum(axis=1) - 0.1 * (copies.q[:, 3:] ** 2).sum(axis=1)


def ended(copies: Copies) -> np.ndarray:
    """An axle or the rotor turned too far."""
    return np.asarray((np.abs(copies.q[:, 3:]) > MOST).any(axis=1))


def begin(random: np.random.Generator, count: int):
    """At rest, nearly straight."""
    q = np.zeros((count, 6))
    q[:, 3:] = random.uniform(-0.1, 0.1, (count, 3))
    return q, np.zeros((count, 6))
