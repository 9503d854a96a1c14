"""The KUKA KR5 arm from its modified Denavit-Hartenberg table.

Two motions: `inverse` turns all joints along a cycloid, and the run shows what torques that costs; `fall` lets the arm go.
"""

import numpy as np

from locomote.model.model import Model
from locomote.systems.arms import arm, modified
from locomote.systems.arms import duration as duration
from locomote.systems.arms import setting as setting
from locomote.systems.parameters import choice, number, positive

SOURCE = (
    "S.V. Shah, P.V. Nandihal, S.K. Saha: Recursive dynamics simulator (ReDySim). Theoretical & Applied Mechanics Letters 2 "
    "(2012), KUKA KR5 of its demonstration"
)
SEE = "the second joint bears most of it, until the arm has turned above its shoulder"
PARAMETERS = {
    "motion": choice("inverse", ("inverse", "fall"), "all joints imposed, or let go"),
    "time": positive(1.0, "s", "of the imposed motion"),
    "turn": number(np.pi / 3, "rad", "of each joint"),
    "gravity": number(9.81, "m/s^2", "gravity"),
}
# alpha (deg), a, d (m), mass (kg), center of mass (m), moments about it (kg m^2)
LINKS = (
    (0, 0.0, 0.4, 16.038, (0.104667, 0.005077, 0.059035), (0.176938765, 0.266532371, 0.262222375)),
    (90, 0.18, 0.0, 7.988, (0.267012, 0.0, 0.0), (0.271640468, 0.276878849, 0.021894253)),
    (0, 0.6, 0.0, 12.973, (0.087677, -0.034263, 0.007779), (0.388988085, 0.376583684, 0.10414629)),
    (90, 0.12, 0.62, 2.051, (-3.3e-5, 0.007634, -0.109372), (0.004767354, 0.010122217, 0.01210886)),
    (-90, 0.0, 0.0, 0.811, (0.0, 0.032618, -0.009789), (0.000760688, 0.001783961, 0.001801078)),
    (90, 0.0, 0.0, 0.008, (0.0, 0.0, 0.111885), (3.113e-6, 1.512e-6, 1.652e-6)),
)


def build(p) -> Model:
    """Six links of a modified table."""
    return arm("KUKA KR5", modified(LINKS), p.gravity, convention="modified")
