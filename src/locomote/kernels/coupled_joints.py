"""Joints that move together, v_k = c_k w, in recursions over articulated bodies: eliminated as one, where they all hang.

The bodies between the common parent p of a group and its joints are moved by its joints only. They hand on their inertia as if
their joints were held, and beside it what one unit of w does. P_b is the wrench on body b by joints of the group below it:

    U_k = I_b S_k ,   P_parent += X^T (P_b + c_k U_k)                                                            (1)
    d = sum c_k (2 S_k . P_b + c_k (S_k . U_k + D_k)) ,   u = sum c_k (tau_k - S_k . F_b)                         (2)
    at p:   I -= P P^T / d ,   F += P u / d ;   outward:   w' = (u - P . A_p) / d ,   a_k = c_k w'                (3)

What couples them has to push joint k by

    g_k = S_k . (I_b A_b + F_b + P_b w') + D_k a_k - tau_k                                                       (4)

Tested by tests/laws/methods/timestep/test_coupled_sweep.py.
"""

from typing import Annotated, NamedTuple

import numpy as np

from locomote.compiler.scratch_layout import Size
from locomote.compiler.source import helper
from locomote.kernels import articulated as ai
from locomote.model import columns as col
from locomote.model.joints import along_axis, wrench_on_parent
from locomote.spatial.algebra import pair, plus, times
from locomote.spatial.rows import load6, store6

COUPLED, GROUPS = Size("coupled"), Size("groups")  # bodies, or 0 where nothing is coupled; groups of joints
GROUP, HANGS = 0, 1  # columns of `member`: group of its joint, the first group that hangs on a body; -1 where there is none
PARENT, NEXT = 0, 1  # columns of `group`: body that it hangs on, the next group that hangs there
SINGLE = 8  # wrenches whose responses are kept
# columns of `body`: c, P, and S . F by a single wrench, of each of SINGLE; of `total`: P, d, u, 1/d, w', u by a single wrench
RATIO, PULL, PUSHES = 0, 1, 7
INERTIA, REST, INVERSE, RATE, PUSH = 6, 7, 8, 9, 10
AXIS, OWN, FREE = 0, 6, 7  # columns of `dofs` of joints of groups: U, S . P, tau - S . F


class Coupled(NamedTuple):
    """Groups of coupled joints, and scratch."""

    member: Annotated[np.ndarray, COUPLED, 2, "where bodies are in groups"]
    group: Annotated[np.ndarray, GROUPS, 2, "where groups are"]
    body: Annotated[np.ndarray, COUPLED, PUSHES + SINGLE, "ratios, and sums of (1)"]
    total: Annotated[np.ndarray, GROUPS, PUSH + 1, "sums of (2) and what follows"]


@helper
def in_group(coupled, i):
    """Whether the joint of body i moves together with others."""
    if coupled is None:
        return False
    else:
        return coupled.group.shape[0] > 0 and coupled.member[i, GROUP] >= 0


@helper
def begin_groups(coupled):
    """No inertia yet."""
    if coupled is not None:
        for g in range(coupled.group.shape[0]):
            for k in range(PUSH + 1):
                coupled.total[g, k] = 0.0
        for i in range(coupled.member.shape[0]):
            if coupled.member[i, GROUP] >= 0:
                store6(coupled.body, i, PULL, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))


@helper
def hold_joint(topology, constants, q, sine, cosine, coupled, i, D, tau, dofs, L, H, J, F):
    """(1) and (2) for the joint of body i."""
    if coupled is not None:
        k, p, g, c = topology[i, col.V], topology[i, col.PARENT], coupled.member[i, GROUP], coupled.body[i, RATIO]
        U, P = ai.axis_column(topology, constants, i, 0, L, H, J), load6(coupled.body, i, PULL)
        own, u = along_axis(topology, constants, i, 0, P), tau[k] - along_axis(topology, constants, i, 0, F)
        inertia = along_axis(topology, constants, i, 0, U) + constants[i, col.ARMATURE] + D[k]
        store6(dofs, k, AXIS, U)
        dofs[k, OWN], dofs[k, FREE] = own, u
        coupled.total[g, INERTIA] += c * (2.0 * own + c * inertia)
        coupled.total[g, REST] += c * u
        P = wrench_on_parent(topology, constants, i, q, sine, cosine, plus(P, times(c, U)))
        if coupled.group[g, PARENT] == p:
            store6(coupled.total, g, 0, plus(P, load6(coupled.total, g, 0)))
        else:
            store6(coupled.body, p, PULL, plus(P, load6(coupled.body, p, PULL)))


@helper
def eliminate_groups(coupled, i, L, H, J, F):
    """(3), inward: the groups that hang on body i."""
    if coupled is not None:
        if coupled.group.shape[0] > 0:
            g = coupled.member[i, HANGS]
            while g >= 0:
                P, d, u = load6(coupled.total, g, 0), 1.0 / coupled.total[g, INERTIA], coupled.total[g, REST]
                coupled.total[g, INVERSE] = d
                L, H, J = ai.blocks_downdate(L, H, J, P, d)
                F = plus(F, times(u * d, P))
                g = coupled.group[g, NEXT]
    return L, H, J, F


@helper
def move_groups(coupled, i, A, rest):
    """(3), outward: w' of the groups that hang on body i; `rest` : the column of u"""
    if coupled is not None:
        if coupled.group.shape[0] > 0:
            g = coupled.member[i, HANGS]
            while g >= 0:
                P, u, d = load6(coupled.total, g, 0), coupled.total[g, rest], coupled.total[g, INERTIA]
                coupled.total[g, RATE] = (u - pair(P, A)) / d
                g = coupled.group[g, NEXT]


@helper
def coupled_rate(coupled, i):
    """a of the joint of body i."""
    if coupled is None:
        return 0.0
    else:
        return coupled.body[i, RATIO] * coupled.total[coupled.member[i, GROUP], RATE]


@helper
def begin_pushes(coupled, which):
    """No single wrench yet."""
    if coupled is not None:
        for g in range(coupled.group.shape[0]):
            coupled.total[g, PUSH] = 0.0
        for i in range(coupled.member.shape[0]):
            coupled.body[i, PUSHES + which] = 0.0


@helper
def push_group(topology, constants, coupled, i, which, F):
    """u of (2) by a single wrench, which is -F on body i."""
    if coupled is not None:
        f = along_axis(topology, constants, i, 0, F)
        coupled.body[i, PUSHES + which] = f
        coupled.total[coupled.member[i, GROUP], PUSH] -= coupled.body[i, RATIO] * f


@helper
def push_over(coupled, i, F):
    """What the single wrench does over the groups that hang on body i."""
    if coupled is not None:
        if coupled.group.shape[0] > 0:
            g = coupled.member[i, HANGS]
            while g >= 0:
                u = coupled.total[g, PUSH] * coupled.total[g, INVERSE]
                F = plus(F, times(u, load6(coupled.total, g, 0)))
                g = coupled.group[g, NEXT]
    return F


@helper
def add_pushes(topology, coupled, dofs, which, by):
    """`by` of a single wrench counts among what acts."""
    for i in range(coupled.member.shape[0]):
        if coupled.member[i, GROUP] >= 0:
            dofs[topology[i, col.V], FREE] -= by * coupled.body[i, PUSHES + which]


@helper
def push_of_coupling(topology, constants, coupled, i, D, rows, at, dofs, a):
    """(4) for the joint of body i; its acceleration stands in `rows` from column `at` on."""
    k = topology[i, col.V]
    w = a[k] / coupled.body[i, RATIO]
    g = pair(load6(dofs, k, AXIS), load6(rows, i, at)) + dofs[k, OWN] * w - dofs[k, FREE]
    return g + (constants[i, col.ARMATURE] + D[k]) * a[k]
