"""Motors that pull on joints, several on one or one on several: force = clip(gain u + bias), torque = arms^T force."""

from typing import Any

import numpy as np

from locomote.model.model import Model
from locomote.model.scene import Motor


class MotorLaw:
    """Torques of motors as a function of t, q and v, for lo.Sampled. `told` : a drive for each motor."""

    def __init__(self, model: Model, motors: tuple[Motor, ...], told: tuple[Any, ...]):
        self.told, self.arms, places = told, np.zeros((len(motors), model.nv)), np.zeros((len(motors), model.nq))
        for n, motor in enumerate(motors):
            for name, ratio in motor.joints.items():
                joint = model.joint(name)
                self.arms[n, joint.v] = places[n, joint.q] = motor.gear * ratio
        self.places = places
        self.gain, self.bias = (np.array([getattr(motor, what) for motor in motors]) for what in ("gain", "bias"))
        self.controls, self.forces = (
            np.array([getattr(m, what) for m in motors]).T for what in ("control_range", "force_range")
        )

    def __call__(self, t, q, v):
        return self.torques([drive(t)[0] for drive in self.told], q, v)

    def torques(self, controls, q, v) -> np.ndarray:
        """(nv,) N or N m, of what the motors are told."""
        state = np.stack([np.ones(len(self.arms)), self.places @ q, self.arms @ v])
        told = np.clip(np.asarray(controls, dtype=float), *self.controls)
        force = (self.gain.T * state).sum(0) * told + (self.bias.T * state).sum(0)
        return self.arms.T @ np.clip(force, *self.forces)
