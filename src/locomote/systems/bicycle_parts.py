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
from locomote.systems.parts import along_y, at, wheel


@dataclass(frozen=True)
class Wheel:
    """A wheel: place of its center on the frame, radius (m), mass (kg), moments about and across its axle (kg m^2)."""

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
    hub, crank, seat = (rear.x, 0, rear.radius), (0.4 * front.x, 0, 0.9 * rear.radius), (0.25 * front.x, 0, 2.6 * rear.radius)
    head = pivot + max(0.0, 2.3 * rear.radius - pivot[2]) * np.array(axis) / axis[2]
    tubes = [(hub, crank), (hub, seat), (crank, seat), (crank, head), (seat, head)]
    saddle = Visual("box", (0.25, 0.12, 0.04), at(*seat))
    bar = head - pivot + 0.1 * np.array(axis)
    steering = [_tube(to_wheel, bar), Visual("cylinder", (0.015, 0.5), at(*bar) @ along_y())]
    builder = Builder(name, base="free", gravity=(0.0, 0.0, -gravity))
    builder.body("frame", inertia=frame, visuals=(saddle, *(_tube(*ends) for ends in tubes)))
    builder.body("fork", parent="frame", at=pivot, joint=Joint("steer", axis=axis), inertia=fork, visuals=steering)
    builder.body("front_wheel", parent="fork", at=to_wheel, joint=Joint("front", axis="y"), **front.part())
    builder.body("rear_wheel", parent="frame", at=(rear.x, 0.0, rear.radius), joint=Joint("rear", axis="y"), **rear.part())
    return builder.build()


def _tube(a, b) -> Visual:
    """A tube between two points."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    along = (b - a) / np.linalg.norm(b - a)
    pose = at(*(a + b) / 2)
    pose[:3, :3] = np.column_stack([np.cross((0.0, 1.0, 0.0), along), (0.0, 1.0, 0.0), along])  # all lie in x and z
    return Visual("cylinder", (0.018, float(np.linalg.norm(b - a))), pose)


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
