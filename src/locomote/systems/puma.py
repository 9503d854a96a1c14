"""The PUMA 560 arm from its modified Denavit-Hartenberg table, with the inertia of its motors at the joints.

Joint angles are those of the table: at zero the upper arm points along x and the forearm hangs down. Two motions: `inverse`
turns all joints along a cycloid; `fall` lets the arm go.
"""

import numpy as np

from locomote.model.model import Model
from locomote.systems.arms import arm, modified
from locomote.systems.arms import duration as duration
from locomote.systems.arms import setting as setting
from locomote.systems.parameters import choice, number, positive

SOURCE = (
    "B. Armstrong, O. Khatib, J. Burdick: The explicit dynamic model and inertial parameters of the PUMA 560 arm. IEEE "
    "International Conference on Robotics and Automation (1986); of link 1 only the moment about the upright axis is known, "
    "and the moment of link 3 about y is raised from 0.0125 kg m^2, so that a body can have it"
)
SEE = "the shoulder bears most of it: 37 N m with the arm stretched out; the wrist hardly anything"
PARAMETERS = {
    "motion": choice("inverse", ("inverse", "fall"), "all joints imposed, or let go"),
    "time": positive(2.0, "s", "of the imposed motion"),
    "turn": number(np.pi / 3, "rad", "of each joint"),
    "motors": choice("yes", ("yes", "no"), "whether the inertia of the motors counts"),
    "gravity": number(9.81, "m/s^2", "gravity"),
}
# alpha (deg), a, d (m), mass (kg), center of mass (m), moments about it (kg m^2), inertia of the motor at the joint (kg m^2)
LINKS = (
    (0, 0.0, 0.0, 0.0, (0, 0, 0), (0.35, 0.35, 0.35), 1.14),
    (-90, 0.0, 0.2435, 17.4, (0.068, 0.006, -0.016), (0.130, 0.524, 0.539), 4.71),
    (0, 0.4318, -0.0934, 4.80, (0, -0.070, 0.014), (0.066, 0.0202, 0.086), 0.83),
    (90, -0.0203, 0.4331, 0.82, (0, 0, -0.019), (1.8e-3, 1.8e-3, 1.3e-3), 0.200),
    (-90, 0.0, 0.0, 0.34, (0, 0, 0), (0.3e-3, 0.3e-3, 0.4e-3), 0.179),
    (90, 0.0, 0.0, 0.09, (0, 0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3), 0.193),
)


def build(p) -> Model:
    """Six links of a modified table."""
    return arm("PUMA 560", modified(LINKS, p.motors == "yes"), p.gravity, convention="modified")
