"""Inertia that may as well be the parent's.

Points on the axis of a revolute joint move with both bodies that it joins, and what hangs on a prismatic joint turns with its
parent. With mass m, first moment c and second moment P = integral of r r^T dm of a body, and the pose (R, o) of its frame
and the direction e of its z axis in its parent, this much of it is handed to the parent, tips first:

    revolute    m, c_z, P_zz: a rod on the axis     m ,  m o + c_z e ,  m o o^T + c_z (o e^T + e o^T) + P_zz e e^T      (1)
    prismatic   P                                   0 ,  0           ,  R P R^T                                         (2)

The body itself keeps seven numbers or four instead of ten. The forces of joints for any motion, momentum and energy of the
whole tree stay what they were; only the wrenches that joints pass on inside are others. The world gets what its joints hand
over.
"""

import numpy as np

from locomote.model import columns as col
from locomote.model.joints import PRISMATIC, REVOLUTE, screw_turn

ROWS, COLUMNS = np.triu_indices(3)
PLACES = np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])  # places of the entries of a symmetric matrix among its six numbers


def group(topology: np.ndarray, constants: np.ndarray) -> None:
    """Fill the columns GROUPED of constants, of numbers of any kind, from the inertias of the bodies."""
    rows = constants[:, col.MASS : col.MASS + col.INERTIA_WIDTH].tolist()  # one by one: arrays this small are slower
    for i in range(len(constants) - 2, -1, -1):
        kind, own, parent = topology[i, col.KIND], rows[i], rows[topology[i, col.PARENT]]
        if kind == REVOLUTE:
            hand_rod(constants[i, : col.GROUPED_MASS].tolist(), own, parent)  # (1)
        elif kind == PRISMATIC:
            R = np.array(screw_turn(constants, i, constants[i, col.SIN_START], constants[i, col.COS_START])).reshape(3, 3)
            turned = R @ np.array(own)[4 + PLACES] @ R.T  # (2)
            parent[4:] = [a + b for a, b in zip(parent[4:], turned[ROWS, COLUMNS].tolist(), strict=True)]
            own[4:] = [0.0] * 6
    constants[:, col.GROUPED_MASS : col.GROUPED_MASS + col.INERTIA_WIDTH] = rows


def hand_rod(pose: list, own: list, parent: list) -> None:
    """(1): mass, first and second moment that a body hands to its parent; pose : the columns of its own."""
    x, y, z = pose[col.DISPLACEMENT : col.DISPLACEMENT + 3]
    lean = pose[col.SIN_LEAN]
    ex, ey, ez = pose[col.SIN_FORK] * lean, -pose[col.COS_FORK] * lean, pose[col.COS_LEAN]
    m, c, P = own[0], own[3], own[9]
    first_x, first_y, first_z = m * x + c * ex, m * y + c * ey, m * z + c * ez
    second_x, second_y, second_z = c * x + P * ex, c * y + P * ey, c * z + P * ez
    handed = (
        m, first_x, first_y, first_z, x * first_x + ex * second_x, x * first_y + ex * second_y, x * first_z + ex * second_z,
        y * first_y + ey * second_y, y * first_z + ey * second_z, z * first_z + ez * second_z,
    )  # fmt: skip
    parent[:] = [a + b for a, b in zip(parent, handed, strict=True)]
    own[0] = own[3] = own[9] = 0.0
