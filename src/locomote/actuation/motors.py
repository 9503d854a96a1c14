"""Motors and muscles that pull on joints, several on one or one on several, or along paths: torque = arms^T force.

The force of a motor is clip(gain u + bias); that of a muscle is minus the pull of its fibres (`forces.muscle_curves`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from locomote.actuation.sites import Sites
from locomote.brief import brief
from locomote.forces.muscle_curves import activation_rate, pull_of_fibres
from locomote.forces.paths import Strings
from locomote.forces.skeletal_muscles import fibre_numbers
from locomote.formats.record import description_from_record
from locomote.model.model import Model
from locomote.model.scene import Motor


class Packed(NamedTuple):
    """Numbers of motors, one column or row each."""

    arms: np.ndarray
    places: np.ndarray
    gear: np.ndarray
    gain: np.ndarray
    bias: np.ndarray
    controls: np.ndarray
    forces: np.ndarray
    lag: np.ndarray
    kinds: np.ndarray
    activations: np.ndarray
    times: np.ndarray
    along: list[int]
    strings: Strings | None
    on_sites: list[int]
    sites: Sites
    muscles: list[int]
    fibres: np.ndarray
    stretched: np.ndarray
    early: np.ndarray
    together: list[tuple[list[int], tuple[float, float]]]


@brief
@dataclass(frozen=True, eq=False)
class MotorLaw:
    """Torques of motors as a function of t, q, v and their activations, for lo.Sampled.

    mechanism : the record of the description of the whole model ; told : a drive for each motor
    every : s, for which torques are held
    """

    mechanism: Mapping[str, Any]
    motors: tuple[Motor, ...]
    told: tuple[Any, ...]
    every: float

    @cached_property
    def packed(self) -> Packed:
        """The motors as arrays."""
        model = Model(description_from_record(self.mechanism)).unfolded
        motors = self.motors
        arms, places = np.zeros((len(motors), model.nv)), np.zeros((len(motors), model.nq))
        for n, motor in enumerate(motors):
            for name, ratio in motor.joints.items():
                joint = model.joint(name)
                arms[n, joint.v] = places[n, joint.q] = motor.gear * ratio
        pulling = [(m.name, (m.fibres, m.stretched or m.fibres)) for m in motors if m.fibres is not None]
        fibres, stretched = (
            np.array([fibre_numbers(both[of], name) for name, both in pulling]).reshape(-1, 10).T for of in range(2)
        )
        fibres[8] = 0.0  # passive force is that of the others
        limited = {motor.tendon: motor.tendon_range for motor in motors if np.isfinite(motor.tendon_range).any()}
        paths = [motor.path for motor in motors if motor.path is not None]

        def column(what):
            return np.array([getattr(motor, what) for motor in motors])

        return Packed(
            arms, places, column("gear"), column("gain"), column("bias"), column("control_range").T, column("force_range").T,
            column("lag"), column("dynamics"), column("activation_range").T, column("times").T,
            [n for n, motor in enumerate(motors) if motor.path is not None], Strings(model, paths) if paths else None,
            [n for n, motor in enumerate(motors) if motor.site is not None],
            Sites(model, [motor.site for motor in motors if motor.site is not None]),
            [n for n, motor in enumerate(motors) if motor.fibres is not None], fibres, stretched, column("early"),
            [([n for n, motor in enumerate(motors) if motor.tendon == name], limits) for name, limits in limited.items()],
        )  # fmt: skip

    def __call__(self, t, q, v, activation):
        told = np.clip([drive(t)[0] for drive in self.told], *self.packed.controls)
        after = self.next(told, activation)
        acting = np.where(self.packed.kinds == "none", told, np.where(self.packed.early, after, activation))
        return self.torques(acting, q, v), after

    def next(self, told: np.ndarray, activation: np.ndarray) -> np.ndarray:
        """(motors,) activations one period later."""
        away, h = told - activation, self.every
        grown = np.select(
            [self.packed.kinds == kind for kind in ("integrator", "filter", "filterexact", "muscle")],
            [activation + h * told, activation + h * away / self.packed.lag, activation - away * np.expm1(-h / self.packed.lag),
             activation + h * activation_rate(np.clip(told, 0.0, 1.0), activation, *self.packed.times)],
            activation,
        )  # fmt: skip
        return np.clip(grown, *self.packed.activations)

    def lengths_and_arms(self, q) -> tuple[np.ndarray, np.ndarray]:
        """(motors,) lengths times gear, and (motors, nv) their derivatives by q."""
        lengths, arms = self.packed.places @ q, self.packed.arms.copy()
        if self.packed.strings is not None:
            found, slopes = self.packed.strings(np.asarray(q, dtype=float))
            lengths[self.packed.along] = self.packed.gear[self.packed.along] * found
            arms[self.packed.along] = self.packed.gear[self.packed.along, None] * slopes
        if self.packed.on_sites:
            lengths[self.packed.on_sites], arms[self.packed.on_sites] = self.packed.sites(q)
        return lengths, arms

    def torques(self, acting, q, v) -> np.ndarray:
        """(nv,) N or N m; acting : what the motors are told, or their activations."""
        force, _, _, arms = self.forces(acting, q, v)
        return arms.T @ force

    def forces(self, acting, q, v) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(motors,) forces, N or N m; lengths times gear, and their rates; (motors, nv) arms."""
        lengths, arms = self.lengths_and_arms(q)
        acting, rates = np.asarray(acting, dtype=float), arms @ v
        state = np.stack([np.ones(len(lengths)), lengths, rates])
        force = (self.packed.gain.T * state).sum(0) * acting + (self.packed.bias.T * state).sum(0)
        if self.packed.muscles:
            own = self.packed.muscles
            force[own] = -pull_of_fibres(lengths[own], rates[own], acting[own], *self.packed.fibres)
            force[own] -= pull_of_fibres(lengths[own], rates[own], 0.0, *self.packed.stretched)
        force = np.clip(force, *self.packed.forces)
        for own, limits in self.packed.together:
            if (total := force[own].sum()) != 0.0:
                force[own] *= np.clip(total, *limits) / total
        return force, lengths, rates, arms
