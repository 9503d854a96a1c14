"""A quadruped on hard ground that shall walk forward at a wanted speed: actions are targets of its joints.

A small robot of our own, or one of a file (URDF, MJCF, SDF): feet are bodies whose name holds "foot", in any case.
"""

import numpy as np

from locomote.compiled.copies import Copies
from locomote.contact.touch import Ground, Touch
from locomote.dynamics.kinematics import forward_kinematics
from locomote.formats.load import load
from locomote.learning.task import Task, TaskError
from locomote.locomotion.problem import Locomotion
from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parts import at

RADIUS, LINK = 0.02, 0.2  # m, of a foot; of thighs and shanks
LEGS = {"front_left": (1, 1), "front_right": (1, -1), "rear_left": (-1, 1), "rear_right": (-1, -1)}


def task(
    *, file=None, posture=None, speed: float = 0.5, friction: float = 0.8, stiffness: float = 60.0, damping: float = 2.0,
    scale: float = 0.4, duration: float = 10.0, noise: float = 0.0, push: tuple[float, float] | None = None,
) -> Task:  # fmt: skip
    """file : of a robot; posture : name of a joint -> its angle at rest, rad, or part of such names
    speed : wanted, m/s ; friction : of the ground ; stiffness (N m/rad), damping (N m s/rad) : of the joints
    scale : rad that an action of 1 moves a target ; push : see Task
    """
    model, rest = from_file(file, posture or {}) if file is not None else own()
    feet = [name for name in model.body_names if "foot" in name.lower()]
    if len(feet) < 3:
        raise TaskError(f"{model.name!r} has {len(feet)} bodies whose name holds 'foot', expected at least three")
    poses = forward_kinematics(model, rest)
    rest[2] += RADIUS - min(float(poses[model.body_index(foot)][2, 3]) for foot in feet)
    ground = Ground(friction=friction)
    contacts = [Touch(foot, ground, sphere=RADIUS, name=foot) for foot in feet]
    problem = Locomotion(model, contacts=contacts, start=(rest, np.zeros(model.nv)), name=model.name, limits=False)
    return Task(
        name="quadruped", problem=problem, joints=single(model), action="target", scale=scale, stiffness=stiffness,
        damping=damping, observe=Seen(rest), reward=Worth(rest, speed), ended=Fallen(rest), begin=Begin(rest, model.nv),
        step=4e-3, substeps=5, duration=duration, noise=noise, push=push,
    )  # fmt: skip


def own() -> tuple[Model, np.ndarray]:
    """A robot of 12 kg on four legs of two links, 0.2 m each, with hips that turn sideways and forward."""
    builder = Builder("quadruped", base="free")
    builder.body("trunk", inertia=Inertia.box(8.0, (0.4, 0.2, 0.1)), visuals=[Visual("box", (0.4, 0.2, 0.1))])
    middle = at(0.0, 0.0, -LINK / 2)
    link: dict = {"inertia": Inertia.box(0.4, (0.03, 0.03, LINK)).moved(middle)}
    link["visuals"] = [Visual("box", (0.03, 0.03, LINK), middle)]
    for leg, (front, left) in LEGS.items():
        builder.body(
            f"{leg}_hip", parent="trunk", at=(0.2 * front, 0.12 * left, 0.0), inertia=Inertia.box(0.2, (0.06, 0.06, 0.06)),
            joint=Joint(f"{leg}_hip_x", axis="x"),
        )  # fmt: skip
        builder.body(f"{leg}_thigh", parent=f"{leg}_hip", joint=Joint(f"{leg}_hip_y", axis="y"), **link)
        builder.body(f"{leg}_shank", parent=f"{leg}_thigh", at=(0, 0, -LINK), joint=Joint(f"{leg}_knee", axis="y"), **link)
        builder.body(f"{leg}_foot", parent=f"{leg}_shank", at=(0, 0, -LINK))
    model = builder.build()
    return model, bent(model, {"hip_y": 0.6, "knee": -1.2})


def from_file(file, posture) -> tuple[Model, np.ndarray]:
    """A robot with a free base, in a posture."""
    model = load(file, base="free")
    return model, bent(model, posture)


def bent(model: Model, posture) -> np.ndarray:
    """(nq,) joints whose name holds a word of the posture at its angle."""
    q = model.neutral()
    for name in single(model):
        for word, angle in posture.items():
            if word in name:
                q[model.joint(name).q] = angle
    return q


def single(model: Model) -> list[str]:
    """Joints with one coordinate."""
    return [name for name in model.joint_names if model.joint(name).v.stop - model.joint(name).v.start == 1]


def tilt(copies: Copies) -> np.ndarray:
    """(count, 3) the direction of gravity in the base: where down is."""
    x, y, z, w = copies.q[:, 3:7].T
    return -np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1)


class Seen:
    """Height, where down is, velocities of the base, joints and their rates, feet that touch."""

    def __init__(self, rest: np.ndarray):
        self.rest = rest

    def __call__(self, copies: Copies) -> np.ndarray:
        touch = (np.abs(copies.contact_forces).sum(axis=2) > 0).astype(float)
        height = copies.q[:, 2:3] - self.rest[2]
        return np.concatenate(
            [height, tilt(copies), copies.v[:, :6], copies.q[:, 7:] - self.rest[7:], 0.1 * copies.v[:, 6:], touch], axis=1
        )


class Worth:
    """Near the wanted speed along x in the world; straight, level, with little effort."""

    def __init__(self, rest: np.ndarray, speed: float):
        self.rest, self.speed = rest, speed

    def __call__(self, copies: Copies, actions: np.ndarray) -> np.ndarray:
        x, y, z, w = copies.q[:, 3:7].T
        forward = (
            (1 - 2 * (y * y + z * z)) * copies.v[:, 0]
            + 2 * (x * y - w * z) * copies.v[:, 1]
            + 2 * (x * z + w * y) * copies.v[:, 2]
        )
        pace = np.exp(-((forward - self.speed) ** 2) / 0.1)
        level = tilt(copies)[:, 2] + 1.0
        drift = copies.q[:, 1] ** 2 + (2 * (w * z + x * y)) ** 2
        return 0.1 + pace - 2.0 * level - 0.1 * drift - 0.02 * (actions**2).sum(axis=1)


class Fallen:
    """The base is low, or tilted by more than 45 degrees."""

    def __init__(self, rest: np.ndarray):
        self.rest = rest

    def __call__(self, copies: Copies) -> np.ndarray:
        return (copies.q[:, 2] < 0.6 * self.rest[2]) | (tilt(copies)[:, 2] > -0.7)


class Begin:
    """In the posture, a little off."""

    def __init__(self, rest: np.ndarray, nv: int):
        self.rest, self.nv = rest, nv

    def __call__(self, random: np.random.Generator, count: int):
        q = np.tile(self.rest, (count, 1))
        q[:, 7:] += random.uniform(-0.03, 0.03, (count, len(self.rest) - 7))
        q[:, 2] += 0.03
        return q, np.zeros((count, self.nv))
