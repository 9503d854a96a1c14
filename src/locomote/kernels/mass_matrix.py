"""The mass matrix: composite bodies in a common frame, for deep trees and added inertia; in body frames for all others.

    inward    I_p += I_i ;  b = I_i S_k for each coordinate k of joint i ;  M_kj = b . S_j for all j of i and its ancestors

Seen from a free base, its own six S_j are unit twists, so those entries are b itself.
"""

from typing import Annotated, NamedTuple

import numpy as np

from locomote.compiler.scratch_layout import NQ, NV, ROWS
from locomote.compiler.source import inlined_routine, routine
from locomote.compiler.trigonometry import padded
from locomote.kernels.added import added_blocks, has_added
from locomote.kernels.articulated import blocks_shifted, blocks_times, matrix_turned, symmetric_turned
from locomote.kernels.common_frame import (
    BODIES,
    ORIGIN,
    ROTATION,
    add_composite,
    composite_times,
    has_free_base,
    place_bodies,
    put_row,
    take,
)
from locomote.kernels.mass_matrix_body import mass_matrix_body
from locomote.linear.dots import weigh
from locomote.model.columns import ARMATURE, DEPTH, LAST, NEXT, PARENT, RUN, V_COUNT, V
from locomote.spatial.algebra import plus
from locomote.spatial.rows import load, load6, load9, put, store6, store9

ADDED_LINEAR, ADDED_COUPLING, ADDED_ANGULAR = BODIES, BODIES + 6, BODIES + 15
WORK = BODIES + 21
MOMENTA = 6  # rows of `axes` that hold b, after those of S
AXES = 12
LONG = 16
SHALLOW = 12  # joints between the world and the deepest body


class Composite(NamedTuple):
    """Scratch of the mass matrix and of the momentum matrix."""

    sine: Annotated[np.ndarray, NQ, "of what turns by an angle; filled by `joint_sines`"]
    cosine: Annotated[np.ndarray, NQ, "likewise"]
    bodies: Annotated[np.ndarray, ROWS, WORK, "composite inertias, in the common frame or in body frames; poses in the former"]
    axes: Annotated[np.ndarray, AXES, padded(NV), "S and b in the common frame; b alone, first, in body frames"]


@routine
def place_added(constants, i, bodies):
    """The added inertia of body i about the common origin, into its row."""
    L, H, J = added_blocks(constants, i)
    R, o = load9(bodies, i, ROTATION), load(bodies, i, ORIGIN)
    L, H, J = symmetric_turned(R, L), matrix_turned(R, H), symmetric_turned(R, J)
    L, H, J = blocks_shifted(L, H, J, o)
    store6(bodies, i, ADDED_LINEAR, L)
    store9(bodies, i, ADDED_COUPLING, H)
    store6(bodies, i, ADDED_ANGULAR, J)


@routine
def added_composite_times(bodies, i, t):
    """Composite added inertia of body i times a twist."""
    return blocks_times(load6(bodies, i, ADDED_LINEAR), load9(bodies, i, ADDED_COUPLING), load6(bodies, i, ADDED_ANGULAR), t)


@routine
def upper_half(topology, axes, M):
    """Fill the upper half of M; coordinates of a subtree stand in one piece.

    Rows of a free base are rows of the table of b, long rows are computed anew (S_j . b_k), short ones are copied.
    """
    world = topology.shape[0] - 1
    base = 0
    if has_free_base(topology):
        for j in range(6):
            for k in range(6, topology[world, V]):
                M[j, k] = axes[MOMENTA + j, k]
        base = 1
    for i in range(base, world):
        first, last = topology[i, V], topology[i, LAST]
        stop = topology[last, V] + topology[last, V_COUNT]
        for j in range(first, first + topology[i, V_COUNT]):
            if stop - j > LONG:
                weigh(axes, MOMENTA, take(axes, 0, j), j + 1, stop, M, j, 0)
            else:
                for k in range(j + 1, stop):
                    M[j, k] = M[k, j]


@inlined_routine
def mass_matrix(topology, constants, nq, q, room, M):
    """Fill M, of which the places of unrelated coordinates must be zero already."""
    if has_added(constants) or topology[topology.shape[0] - 1, DEPTH] > SHALLOW:
        mass_matrix_common(topology, constants, nq, q, room, M)
    else:
        mass_matrix_body(topology, constants, nq, q, room, M)


@routine
def mass_matrix_common(topology, constants, nq, q, room, M):
    """The same, in the common frame."""
    world, (sine, cosine, bodies, axes) = topology.shape[0] - 1, room
    added, free_base = has_added(constants), has_free_base(topology)
    place_bodies(topology, constants, nq, q, sine, cosine, bodies, axes)
    if added:
        for i in range(world):
            place_added(constants, i, bodies)
    for i in range(world - 1, -1, -1):
        first = topology[i, V]
        for k in range(first, first + topology[i, V_COUNT]):
            S = take(axes, 0, k)
            b = composite_times(bodies, i, S)
            if added:
                b = plus(b, added_composite_times(bodies, i, S))
            put(axes, MOMENTA, k, b)
            j, stop, left = i, k + 1, 0
            if free_base:
                put_row(M, k, 0, b)
                left = 6
            while j < world:
                weigh(axes, 0, b, max(topology[j, RUN], left), stop, M, k, 0)
                j = topology[j, NEXT]
                if j < world:
                    stop = topology[j, V] + topology[j, V_COUNT]
            M[k, k] = M[k, k] + constants[i, ARMATURE + k - first]
        p = topology[i, PARENT]
        if p < world:
            add_composite(bodies, i, p)
            if added:
                for c in range(BODIES, WORK):
                    bodies[p, c] = bodies[p, c] + bodies[i, c]
    upper_half(topology, axes, M)
