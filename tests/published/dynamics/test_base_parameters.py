"""How many base parameters known arms have.

H. Mayeda, K. Yoshida, K. Osuka: Base parameters of manipulator dynamic models. IEEE Trans. Robotics and Automation 6
(1990): the PUMA 560 has 36. The rule of M. Gautier, W. Khalil: Direct calculation of minimum set of inertial parameters of
serial robots (same volume), for successive axes that are not parallel: 7 for each joint that turns, 4 for each that slides,
4 less if the first one turns, and 2 less if its axis is vertical.
"""

import numpy as np
import pytest
from cases import modified_dh, standard_dh, standard_joint

import locomote as lo

# modified table (Craig): alpha, a, d ; lengths of Armstrong, Khatib and Burdick (1986), m
PUMA = [
    (0.0, 0.0, 0.0), (-np.pi / 2, 0.0, 0.2435), (0.0, 0.4318, -0.0934), (np.pi / 2, -0.0203, 0.4331),
    (-np.pi / 2, 0.0, 0.0), (np.pi / 2, 0.0, 0.0),
]  # fmt: skip


def chain(rows, gravity=(0.0, 0.0, -9.81), sliding=()):
    """Links that are all alike: what can be identified depends on joints, not on inertias."""
    link = lo.Inertia(1.0, (0.1, 0.2, 0.3), (0.1, 0.2, 0.25))
    builder, parent = lo.Builder("chain", gravity=gravity), None
    for k, row in enumerate(rows):
        joint = lo.Joint(f"q{k}", "prismatic" if k in sliding else "revolute")
        builder.body(f"link {k}", parent=parent, at=modified_dh(*row), joint=joint, inertia=link)
        parent = f"link {k}"
    return builder.build()


def test_puma_560():
    assert lo.base_parameters(chain(PUMA)).rank == 36


def test_puma_560_on_a_wall():
    """With its first axis level, two more parameters of the first link show."""
    assert lo.base_parameters(chain(PUMA, gravity=(0.0, -9.81, 0.0))).rank == 38


def test_stanford_arm():
    table = [(0.0, 0.412, 0.0, -np.pi / 2), (0.0, 0.154, 0.0, np.pi / 2), (-np.pi / 2, 0.0, 0.0, 0.0),
             (0.0, 0.0, 0.0, -np.pi / 2), (0.0, 0.0, 0.0, np.pi / 2), (0.0, 0.263, 0.0, 0.0)]  # fmt: skip
    builder, parent = lo.Builder("stanford"), None
    for k, row in enumerate(table):
        pose = standard_dh(*row)
        joint = standard_joint(f"q{k}", "prismatic" if k == 2 else "revolute", pose)
        inertia = lo.Inertia(1.0, (0.1, 0.2, 0.3), (0.1, 0.2, 0.25))
        builder.body(f"link {k}", parent=parent, at=pose, joint=joint, inertia=inertia)
        parent = f"link {k}"
    assert lo.base_parameters(builder.build()).rank == 7 * 5 + 4 * 1 - 4 - 2


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_rule_for_axes_that_are_not_parallel(count):
    rows = [(0.0, 0.0, 0.0), *[(0.4 + 0.2 * k, 0.3, 0.2) for k in range(1, count)]]
    assert lo.base_parameters(chain(rows)).rank == (7 * count - 4 - 2)
    assert lo.base_parameters(chain(rows, gravity=(1.0, 2.0, -9.0))).rank == 7 * count - 4
