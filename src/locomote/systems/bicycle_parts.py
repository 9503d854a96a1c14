"""What bicycles are made of: a frame with a rear wheel, a fork with a front wheel.

x forward, y to the left, z up. The origin of the frame is on the ground when the bicycle stands upright. A positive lean is
to the right (about x), a positive steer angle to the left, wheels turn forward with positive angles.
"""

from dataclasses import dataclass

import numpy as np

from locomote.model.builder import Builder
from locomote.model.description import Joint, Visual
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.parts import wheel


@dataclass(frozen=True)
class Wheel:
    """A wheel: place of its centre on the frame, radius (m), mass (kg), moments about and across its axle (kg m^2)."""

    x: float
    radius: float
    mass: float
    axial: float
    across: float

    def part(self) -> dict:
        """Arguments of Builder.body."""
        return wheel(self.mass, self.axial, self.across, self.radius)


def bicycle(name: str, frame: Inertia, fork: Inertia | None, rear: Wheel, front: Wheel, pivot, tilt: float, gravity: float):
    """The model. pivot : a point of the steering axis on the frame, m; tilt : of that axis, backwards, rad; the inertia of the
    fork is in axes of the frame, seen from the pivot."""
    pivot = np.asarray(pivot, dtype=float)
    axis = (-np.sin(tilt), 0.0, np.cos(tilt))
    to_wheel = np.array([front.x, 0.0, front.radius]) - pivot
    saddle = Visual("box", (front.x - rear.x, 0.05, 0.05), _between((rear.x, 0, rear.radius), (front.x, 0, front.radius)))
    builder = Builder(name, base="free", gravity=(0.0, 0.0, -gravity))
    builder.body("frame", inertia=frame, visuals=(saddle,))
    builder.body("fork", parent="frame", at=pivot, joint=Joint("steer", axis=axis), inertia=fork)
    builder.body("front_wheel", parent="fork", at=to_wheel, joint=Joint("front", axis="y"), **front.part())
    builder.body("rear_wheel", parent="frame", at=(rear.x, 0.0, rear.radius), joint=Joint("rear", axis="y"), **rear.part())
    return builder.build()


def _between(a, b) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = (np.asarray(a, dtype=float) + b) / 2
    return pose


def rolling(rear: Wheel, front: Wheel) -> list:
    """Both wheels roll on the ground as thin discs."""
    from locomote.constraints.kinds import Rolling

    wheels = {"rear": rear, "front": front}
    return [Rolling(f"{side}_wheel", wheel.radius, axle=(0, 1, 0), name=side) for side, wheel in wheels.items()]


def riding(model: Model, rear: Wheel, front: Wheel, speed: float, lean: float, lean_rate: float):
    """Straight ahead at a speed, leaning as a whole about the line of the contacts."""
    q, v = model.neutral(), np.zeros(model.nv)
    q[3:7] = np.sin(lean / 2), 0.0, 0.0, np.cos(lean / 2)
    v[0], v[3] = speed, lean_rate
    v[model.joint("rear").v], v[model.joint("front").v] = speed / rear.radius, speed / front.radius
    return q, v
