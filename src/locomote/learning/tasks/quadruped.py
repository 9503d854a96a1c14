"""A quadruped on hard ground that shall walk forward at a wanted speed: actions are targets of its joints.

A small robot of our own, one of a file (URDF, MJCF, SDF), or one that the package `example-robot-data` has: feet are bodies
whose name holds "foot", in any case.
"""

from pathlib import Path
from typing import Any

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
from locomote.runs.optional import MissingPackage
from locomote.spatial.inertia import Inertia
from locomote.systems.parts import at

RADIUS, LINK = 0.02, 0.2  # m, of a foot; of thighs and shanks
LIFT = 0.25  # part by which legs bend more to lift a foot
ROBOTS = {  # of example-robot-data: file, posture, stiffness and damping of joints
    "go2": ("go2_description/urdf/go2.urdf", {"thigh": 0.8, "calf": -1.6}, 40.0, 1.0),
    "anymal": (
        "anymal_b_simple_description/robots/anymal.urdf",
        {"F_HFE": 0.6, "F_KFE": -1.2, "H_HFE": -0.6, "H_KFE": 1.2},
        150.0, 5.0,
    ),
    "solo": ("solo_description/robots/solo12.urdf", {"HFE": 0.8, "KFE": -1.6}, 4.0, 0.1),
}  # fmt: skip
LEGS = {"front_left": (1, 1), "front_right": (1, -1), "rear_left": (-1, 1), "rear_right": (-1, -1)}


def task(
    *, file=None, posture=None, speed: float = 0.5, friction: float = 0.8, stiffness: float | None = None,
    damping: float | None = None, scale: float = 0.4, duration: float = 10.0, period: float | None = None, **more,
) -> Task:  # fmt: skip
    """file : of a robot, or "go2", "anymal", "solo" (pip install example-robot-data)
    posture : name of a joint -> its angle at rest, rad, or part of such names
    speed : wanted, m/s ; friction : of the ground
    stiffness (N m/rad), damping (N m s/rad) : of the joints; 60 and 2, but for robots that are known
    scale : rad that an action of 1 moves a target ; more : noise, push and others of Task
    period : s of steps in place that actions are added to, and whose clock is seen; none if None
    """
    known = ROBOTS.get(str(file), (file, {}, 60.0, 2.0))
    stiffness, damping = (known[2] if stiffness is None else stiffness), (known[3] if damping is None else damping)
    path = robots() / str(known[0]) if file in ROBOTS else file
    model, rest = from_file(path, posture or known[1]) if file is not None else own()
    feet = [name for name in model.body_names if "foot" in name.lower()]
    if len(feet) < 3:
        raise TaskError(f"{model.name!r} has {len(feet)} bodies whose name holds 'foot', expected at least three")
    poses = forward_kinematics(model, rest)
    rest[2] += RADIUS - min(float(poses[model.body_index(foot)][2, 3]) for foot in feet)
    ground = Ground(friction=friction)
    contacts = [Touch(foot, ground, sphere=RADIUS, name=foot) for foot in feet]
    problem = Locomotion(model, contacts=contacts, start=(rest, np.zeros(model.nv)), name=model.name, limits=False)
    joints = single(model)
    clock = None
    if period is not None:
        bent_by = np.array([rest[model.joint(name).q.start] for name in joints])
        clock = Clock(period, [poses[model.body_index(foot)][:2, 3] for foot in feet], bent_by, scale)
    others: dict[str, Any] = {"compiled": True} | more
    return Task(
        name="quadruped", problem=problem, joints=joints, action="target", scale=scale, stiffness=stiffness,
        damping=damping, observe=Seen(rest, clock), reward=Worth(rest, speed), gait=clock, ended=Fallen(rest),
        begin=Begin(rest, model.nv), step=4e-3, substeps=5, duration=duration, **others,
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


def robots() -> Path:
    """The folder of robots of example-robot-data, which is found without importing what its robots need."""
    import importlib.metadata

    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == "go2.urdf":
            return Path(str(file.locate())).parents[2]
    raise MissingPackage(f"{', '.join(ROBOTS)} need the package example-robot-data: pip install example-robot-data")


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


def heading(copies: Copies) -> np.ndarray:
    """(count,) how far bases are turned to the left: y of their x axis."""
    x, y, z, w = copies.q[:, 3:7].T
    return 2 * (w * z + x * y)


class Clock:
    """Steps in place: feet across from each other are lifted together, in turn, by legs that bend a little more.

    feet : (n,) places (x, y), m, of the legs in the order of their joints ; bent : (joints,) at rest, rad
    """

    def __init__(self, period: float, feet: list[np.ndarray], bent: np.ndarray, scale: float):
        middle = np.mean(feet, axis=0)
        sides = np.sign([(x - middle[0]) * (y - middle[1]) for x, y in feet])
        self.rate, self.sides, self.lift = 2 * np.pi / period, np.repeat(sides, len(bent) // len(feet)), LIFT * bent / scale

    def seen(self, copies: Copies) -> np.ndarray:
        """(count, 2)"""
        return np.stack([np.cos(self.rate * copies.t), np.sin(self.rate * copies.t)], axis=1)

    def __call__(self, copies: Copies) -> np.ndarray:
        """(count, joints) actions that lift feet."""
        return np.maximum(0.0, np.sin(self.rate * copies.t)[:, None] * self.sides) * self.lift


def touching(copies: Copies) -> np.ndarray:
    """(count, feet) booleans."""
    return np.asarray(copies.contact_forces.any(axis=2))


class Seen:
    """Height, way off the line, heading, where down is, velocities of the base, joints and their rates, feet that touch, the
    clock."""

    def __init__(self, rest: np.ndarray, clock: Clock | None = None):
        self.rest, self.clock = rest, clock

    def __call__(self, copies: Copies) -> np.ndarray:
        off, angles = copies.q[:, 1:3] - self.rest[1:3], copies.q[:, 7:] - self.rest[7:]
        more = [] if self.clock is None else [self.clock.seen(copies)]
        return np.concatenate(
            [
                off,
                heading(copies)[:, None],
                tilt(copies),
                copies.v[:, :6],
                angles,
                0.1 * copies.v[:, 6:],
                touching(copies),
                *more,
            ],
            axis=1,
        )


class Worth:
    """Near the wanted speed along x in the world; straight, level, with little effort."""

    def __init__(self, rest: np.ndarray, speed: float):
        self.rest, self.speed = rest, speed

    def __call__(self, copies: Copies, actions: np.ndarray) -> np.ndarray:
        x, y, z, w = copies.q[:, 3:7].T
        vx, vy, vz = copies.v[:, :3].T
        across = z * vx + w * vy - x * vz  # v + 2 u x (u x v + w v), of which x
        forward = vx + 2 * (y * (w * vz + x * vy - y * vx) - z * across)
        pace = np.exp(-10.0 * (forward - self.speed) ** 2)
        drift = copies.q[:, 1] ** 2 + heading(copies) ** 2
        effort = np.einsum("ij,ij->i", actions, actions)
        return 0.1 + pace - 4.0 * (x * x + y * y) - 0.1 * drift - 0.02 * effort


class Fallen:
    """The base is low, or tilted by more than 45 degrees."""

    def __init__(self, rest: np.ndarray):
        self.rest = rest

    def __call__(self, copies: Copies) -> np.ndarray:
        x, y = copies.q[:, 3], copies.q[:, 4]
        return (copies.q[:, 2] < 0.6 * self.rest[2]) | (x * x + y * y > 0.15)


class Begin:
    """In the posture, a little off."""

    def __init__(self, rest: np.ndarray, nv: int):
        self.rest, self.nv = rest, nv

    def __call__(self, random: np.random.Generator, count: int):
        q = np.tile(self.rest, (count, 1))
        q[:, 7:] += random.uniform(-0.03, 0.03, (count, len(self.rest) - 7))
        q[:, 2] += 0.03
        return q, np.zeros((count, self.nv))
