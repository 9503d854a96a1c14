"""An eel of rigid links that shall swim forward: actions are accelerations of its joints."""

import numpy as np

from locomote.compiled.copies import Copies
from locomote.learning.task import Task
from locomote.systems import catalogue

MOST = 1.0  # rad, of a joint


def task(*, duration: float = 8.0, **parameters) -> Task:
    """parameters : of the system eel."""
    problem = catalogue.load("eel", **parameters).problem()
    model = problem.model
    joints = [name for name in model.joint_names if problem.imposed[model.joint(name).v].all()]
    first = model.joint(joints[0]).q.start

    def shape(copies: Copies) -> np.ndarray:
        return copies.q[:, first:]

    def observe(copies: Copies) -> np.ndarray:
        """Shape and all velocities."""
        return np.concatenate([shape(copies), copies.v], axis=1)

    def reward(copies: Copies, actions: np.ndarray) -> np.ndarray:
        """Speed of the head along its own axis, less effort."""
        return -copies.v[:, 0] - 0.005 * (actions**2).sum(axis=1)

    def ended(copies: Copies) -> np.ndarray:
        """Bent too far."""
        return np.asarray((np.abs(shape(copies)) > MOST).any(axis=1))

    def begin(random: np.random.Generator, count: int):
        """Nearly straight, at rest."""
        q, v = problem.initial()
        q = np.tile(q, (count, 1))
        q[:, first:] = random.uniform(-0.05, 0.05, (count, q.shape[1] - first))
        return q, np.zeros((count, len(v)))

    return Task(
        name="eel", problem=problem, joints=joints, action="acceleration", scale=20.0, observe=observe, reward=reward,
        ended=ended, begin=begin, step=5e-3, substeps=8, duration=duration, compiled=True,
    )  # fmt: skip
