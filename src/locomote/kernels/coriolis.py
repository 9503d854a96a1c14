"""The Coriolis matrix C with C v + gravity = bias force and dM/dt - 2 C skew, after Echeandia and Wensing (2021).

In the common frame, j an ancestor's coordinate and k one of joint i (f, I, B as in `derivatives`, B half of 2B there):

    C_jk = S_j . (I S_k' + B S_k) ,    C_kj = S_k . (I S_j' + B S_j) ,    S' = V x S, V that of the body the axis is fixed to
"""

from typing import Annotated, NamedTuple

import numpy as np

from locomote.compiler.scratch_layout import NV
from locomote.compiler.source import routine
from locomote.kernels.added import has_added
from locomote.kernels.common_frame import composite_times, place_bodies, take
from locomote.kernels.derivatives import (
    AXIS,
    DRIFT,
    RATE,
    add_to_parent,
    added_coriolis_times,
    coriolis_times,
    motion_in_common_frame,
    wrenches_in_common_frame,
)
from locomote.kernels.mass_matrix import added_composite_times
from locomote.model.columns import PARENT, V_COUNT, V
from locomote.spatial.algebra import minus, pair, plus, times


class Still(NamedTuple):
    """Scratch of the Coriolis matrix, beside that of derivatives."""

    zero: Annotated[np.ndarray, NV, "no acceleration"]


@routine
def coriolis_matrix(topology, constants, nq, q, v, room, C):
    """Fill C, of which the places of unrelated coordinates must be zero already. `room` is a Sloping and a Still."""
    world, (sine, cosine, bodies, axes), zero, up = topology.shape[0] - 1, room[0], room[1].zero, (0.0, 0.0, 0.0)
    for k in range(v.shape[0]):
        zero[k] = 0.0
    place_bodies(topology, constants, nq, q, sine, cosine, bodies, axes)
    motion_in_common_frame(topology, constants, v, zero, up, bodies, axes, True)
    wrenches_in_common_frame(topology, constants, up, None, bodies)
    for i in range(world - 1, -1, -1):
        first = topology[i, V]
        end = first + topology[i, V_COUNT]
        b = i
        while b < world:
            for j in range(topology[b, V], topology[b, V] + topology[b, V_COUNT]):
                right = column(constants, bodies, i, axes, j)
                for k in range(first, end):
                    C[k, j] = pair(take(axes, AXIS, k), right)
            b = topology[b, PARENT]
        for k in range(first, end):
            left = column(constants, bodies, i, axes, k)
            b = topology[i, PARENT]
            while b < world:
                for j in range(topology[b, V], topology[b, V] + topology[b, V_COUNT]):
                    C[j, k] = pair(take(axes, AXIS, j), left)
                b = topology[b, PARENT]
        if topology[i, PARENT] < world:
            add_to_parent(constants, bodies, i, topology[i, PARENT])


@routine
def column(constants, bodies, i, axes, k):
    """I S_k' + B S_k with composites of body i."""
    S = take(axes, AXIS, k)
    rate = minus(take(axes, DRIFT, k), take(axes, RATE, k))
    f = plus(composite_times(bodies, i, rate), times(0.5, coriolis_times(bodies, i, S)))
    if has_added(constants):
        f = plus(f, plus(added_composite_times(bodies, i, rate), times(0.5, added_coriolis_times(bodies, i, S))))
    return f
