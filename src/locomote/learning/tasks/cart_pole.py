"""A pole on a cart that pushes to and fro; the pole shall stay upright and the cart near its place.

Masses and lengths of A.G. Barto, R.S. Sutton, C.W. Anderson: Neuronlike adaptive elements (1983): cart 1 kg, pole 0.1 kg, 1 m.
"""

import numpy as np

from locomote.compiled.copies import Copies
from locomote.learning.task import Task
from locomote.locomotion.problem import Locomotion
from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.spatial.inertia import Inertia
from locomote.systems.parts import at

FORCE, FAR, FALLEN = 10.0, 2.4, 0.35  # N, m, rad


def task(*, duration: float = 10.0, force: float = FORCE) -> Task:
    """force : N of an action of 1."""
    builder = Builder("cart_pole", base="fixed")
    builder.body(
        "cart", inertia=Inertia.box(1.0, (0.3, 0.2, 0.2)), joint=Joint("slide", "prismatic", axis="x"),
        visuals=[Visual("box", (0.3, 0.2, 0.2))],
    )  # fmt: skip
    builder.body(
        "pole", parent="cart", inertia=Inertia.box(0.1, (0.02, 0.02, 1.0)).moved(at(0.0, 0.0, 0.5)),
        joint=Joint("hinge", "revolute", axis="y"), visuals=[Visual("box", (0.02, 0.02, 1.0), at(0.0, 0.0, 0.5))],
    )  # fmt: skip
    problem = Locomotion(builder.build(), name="cart_pole")
    return Task(
        name="cart_pole", problem=problem, joints=["slide"], scale=force, observe=observe, reward=reward, ended=ended,
        begin=begin, step=0.01, substeps=2, duration=duration, compiled=True,
    )  # fmt: skip


def observe(copies: Copies) -> np.ndarray:
    """Place and angle, and their rates."""
    return np.concatenate([copies.q, copies.v], axis=1)


def reward(copies: Copies, actions: np.ndarray) -> np.ndarray:
    """1 a tick, less for distance and effort."""
    return 1.0 - 0.1 * copies.q[:, 0] ** 2 - 0.01 * actions[:, 0] ** 2


def ended(copies: Copies) -> np.ndarray:
    """Fallen, or at the end of the rail."""
    return (np.abs(copies.q[:, 0]) > FAR) | (np.abs(copies.q[:, 1]) > FALLEN)


def begin(random: np.random.Generator, count: int):
    """Near upright."""
    return random.uniform(-0.05, 0.05, (count, 2)), random.uniform(-0.05, 0.05, (count, 2))
