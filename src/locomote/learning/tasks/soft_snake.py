"""A snake without links that shall creep forward: actions are muscle moments on the strains of its body.

x from the head to the tail. The ground drags ten times as much across the body as along it, as scales and sand do.
"""

import numpy as np

from locomote.compiled.copies import Copies
from locomote.forces.water.fluid import Fluid
from locomote.forces.water.resistive import Resistive
from locomote.learning.task import Task
from locomote.locomotion.problem import Locomotion
from locomote.model.builder import Builder
from locomote.model.flexible.rods import Material, Rod, Section

LENGTH, MOST = 1.0, 8.0  # m; 1/m, of a coordinate of curvature


def task(*, order: int = 3, along: float = 1.0, across: float = 10.0, moment: float = 0.08, duration: float = 8.0) -> Task:
    """order : of the polynomial of curvature ; along, across : drag, N s/m^2 ; moment : N m of an action of 1"""
    material = Material(1000.0, 1e6, damping=0.01)
    rod = Rod(LENGTH, Section.circle(0.02), material, strains="bending_z", order=order)
    model = Builder("soft_snake", base="planar", gravity=(0.0, 0.0, 0.0)).body("snake", flex=rod).build()
    drag = Resistive("snake", Fluid(1000.0, 1.0), 0.0, LENGTH, along=along, across=across)
    return Task(
        name="soft_snake", problem=Locomotion(model, environment=[drag], name="soft_snake"), joints=["snake"], scale=moment,
        observe=observe, reward=reward, ended=ended, begin=begin, step=2.5e-3, substeps=8, duration=duration, compiled=True,
    )  # fmt: skip


def observe(copies: Copies) -> np.ndarray:
    """Heading, curvature, all velocities."""
    heading = copies.q[:, 2]
    return np.concatenate(
        [np.stack([np.cos(heading), np.sin(heading)], axis=1), 0.2 * copies.q[:, 3:], copies.v[:, :3], 0.02 * copies.v[:, 3:]],
        axis=1,
    )


def reward(copies: Copies, actions: np.ndarray) -> np.ndarray:
    """Speed of the head against x of the world, less effort."""
    heading = copies.q[:, 2]
    speed = np.cos(heading) * copies.v[:, 0] - np.sin(heading) * copies.v[:, 1]
    return -speed - 0.02 * (actions**2).sum(axis=1)


def ended(copies: Copies) -> np.ndarray:
    """Bent too far."""
    return np.asarray((np.abs(copies.q[:, 3:]) > MOST).any(axis=1))


def begin(random: np.random.Generator, count: int):
    """At rest, nearly straight."""
    size = 7
    q = np.zeros((count, size))
    q[:, 3:] = random.uniform(-0.2, 0.2, (count, size - 3))
    return q, np.zeros((count, size))
