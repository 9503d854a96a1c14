"""The benchmark bicycle: knife-edge wheels, rigid rider, free steering, nothing imposed.

The axes of the benchmark are x forward, y right, z down from the rear contact; here y is left and z up.
"""

import numpy as np

from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.systems.bicycle_parts import Wheel, bicycle, riding, rolling
from locomote.systems.parameters import not_negative, number, positive

SOURCE = (
    "J.P. Meijaard, J.M. Papadopoulos, A. Ruina, A.L. Schwab: Linearized dynamics equations for the balance and steer of a "
    "bicycle: a benchmark and review. Proc. R. Soc. A 463 (2007), table 1"
)
SEE = "between 4.3 and 6.0 m/s it steers itself upright after a push; slower it weaves and falls, faster it slowly capsizes"
PARAMETERS = {
    "speed": not_negative(4.6, "m/s", "speed at the start"),
    "push": number(0.5, "rad/s", "roll rate at the start"),
    "wheelbase": positive(1.02, "m", "distance of the contacts"),
    "trail": number(0.08, "m", "front contact behind the steering axis"),
    "tilt": number(np.pi / 10, "rad", "tilt of the steering axis, backwards"),
    "gravity": not_negative(9.81, "m/s^2", "gravity"),
}
REAR = Wheel(0.0, 0.3, 2.0, 0.12, 0.0603)
FRAME = Inertia(85.0, (0.3, 0.0, 0.9), (9.2, 0.0, -2.4, 11.0, 0.0, 2.8))
FORK_MASS, FORK_PLACE = 4.0, np.array([0.9, 0.0, 0.7])  # at the benchmark's wheelbase
FORK_MOMENT = (0.05892, 0.0, 0.00756, 0.06, 0.0, 0.00708)
FRONT = (0.35, 3.0, 0.28, 0.1405)  # radius, mass, moments about and across the axle


def wheels(p) -> tuple[Wheel, Wheel]:
    """Rear and front wheel."""
    return REAR, Wheel(p.wheelbase, *FRONT)


def build(p) -> Model:
    """Frame with rider, fork with handlebar, front and rear wheel."""
    pivot = np.array([p.wheelbase + p.trail, 0.0, 0.0])  # where the steering axis meets the ground
    fork = Inertia(FORK_MASS, FORK_PLACE - pivot, FORK_MOMENT)
    return bicycle("whipple bicycle", FRAME, fork, *wheels(p), pivot, p.tilt, p.gravity)


def setting(p) -> dict:
    """Both wheels roll."""
    return {"constraints": rolling(*wheels(p))}


def initial(p, model: Model):
    """Riding straight and upright, pushed to the side."""
    return riding(model, *wheels(p), p.speed, 0.0, p.push)


def duration(p) -> float:
    """s"""
    return 5.0
