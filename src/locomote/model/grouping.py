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
    mass, first = constants[:, col.MASS].copy(), constants[:, col.MOMENT_1 : col.MOMENT_1 + 3].copy()
    second = constants[:, col.MOMENT_2 + PLACES]
    forks, leans = constants[:, [col.SIN_FORK, col.COS_FORK]], constants[:, [col.SIN_LEAN, col.COS_LEAN]]
    axes = np.stack([forks[:, 0] * leans[:, 0], -forks[:, 1] * leans[:, 0], leans[:, 1]], axis=1)
    for i in range(len(constants) - 2, -1, -1):
        kind, p = topology[i, col.KIND], topology[i, col.PARENT]
        if kind == REVOLUTE:
            o, e = constants[i, col.DISPLACEMENT : col.DISPLACEMENT + 3], axes[i]
            m, z, zz = mass[i], first[i, 2], second[i, 2, 2]
            mass[p], first[p] = mass[p] + m, first[p] + (m * o + z * e)  # (1)
            second[p] = second[p] + np.outer(o, m * o + z * e) + np.outer(e, z * o + zz * e)
            mass[i] = first[i, 2] = second[i, 2, 2] = 0.0
        elif kind == PRISMATIC:
            R = np.array(screw_turn(constants, i, constants[i, col.SIN_START], constants[i, col.COS_START])).reshape(3, 3)
            second[p] = second[p] + R @ second[i] @ R.T  # (2)
            second[i] = 0.0
    constants[:, col.GROUPED_MASS] = mass
    constants[:, col.GROUPED_1 : col.GROUPED_1 + 3] = first
    constants[:, col.GROUPED_2 : col.GROUPED_2 + 6] = second[:, ROWS, COLUMNS]
