"""Motors that pull on joints, several on one or one on several: force = clip(gain u + bias), torque = arms^T force."""

from typing import Any

import numpy as np

from locomote.model.model import Model
from locomote.model.scene import Motor


class MotorLaw:
    """Torques of motors as a function of t, q, v and their activations, for lo.Sampled.

    told : a drive for each motor ; every : s, for which torques are held
    """

    def __init__(self, model: Model, motors: tuple[Motor, ...], told: tuple[Any, ...], every: float):
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

        self.clock, self.lag = every, np.array([motor.lag for motor in motors])
        self.kinds = np.array([motor.dynamics for motor in motors])
        self.activations = np.array([motor.activation_range for motor in motors]).T

    def __call__(self, t, q, v, activation):
        told = np.clip([drive(t)[0] for drive in self.told], *self.controls)
        acting = np.where(self.kinds == "none", told, activation)
        return self.torques(acting, q, v), self.next(told, activation)

    def next(self, told: np.ndarray, activation: np.ndarray) -> np.ndarray:
        """(motors,) activations one period later."""
        away, h = told - activation, self.clock
        grown = np.select(
            [self.kinds == "integrator", self.kinds == "filter", self.kinds == "filterexact"],
            [activation + h * told, activation + h * away / self.lag, activation - away * np.expm1(-h / self.lag)],
            activation,
        )
        return np.clip(grown, *self.activations)

    def torques(self, acting, q, v) -> np.ndarray:
        """(nv,) N or N m; acting : what the motors are told, or their activations."""
        state = np.stack([np.ones(len(self.arms)), self.places @ q, self.arms @ v])
        force = (self.gain.T * state).sum(0) * np.asarray(acting, dtype=float) + (self.bias.T * state).sum(0)
        return self.arms.T @ np.clip(force, *self.forces)
