"""Many configurations in lanes: rows are packed side by side, block by block, and results unpacked.

`kernels.entries` makes the entries of recursions from that. Derivatives have one of their own, since those of inverse and of
forward dynamics share what they compile.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numba import types

from locomote.compiler.lanes import WIDTH, exchange, load_float, store_float
from locomote.compiler.numba_private import overload
from locomote.compiler.scratch_lanes import hold, lane_scratch
from locomote.compiler.scratch_layout import NQ, NV, ROWS, Sizes
from locomote.compiler.source import helper, kernel, routine
from locomote.kernels.derivatives import Sloping, inverse_dynamics_derivatives
from locomote.kernels.factor import apply_inverse
from locomote.kernels.forward_dynamics import DOFS, Articulated, forward_dynamics
from locomote.model.columns import Q, V
from locomote.model.status import OK

CACHE = 3000  # how many numbers of a matrix stay in the first-level cache beside all else


class States(NamedTuple):
    """States of a block, as lanes."""

    q: Annotated[np.ndarray, NQ, "coordinates, packed"]
    v: Annotated[np.ndarray, NV, "velocities, packed"]
    a: Annotated[np.ndarray, NV, "accelerations, packed or filled"]
    tau: Annotated[np.ndarray, NV, "forces, packed or filled"]
    wrenches: Annotated[np.ndarray, ROWS, 6, "external wrenches, packed if there are any"]


class Squares(NamedTuple):
    """Matrices of each state of a block."""

    x: Annotated[np.ndarray, NV, "forces of derivatives of forward dynamics, packed"]
    M: Annotated[np.ndarray, NV, NV, "mass matrix, or its factors"]
    dofs: Annotated[np.ndarray, NV, DOFS, "those of forward dynamics, whose bodies stand where derivatives have theirs later"]
    B: Annotated[np.ndarray, NV, 3 * NV, "derivatives by q and by v side by side, then the inverse of the mass matrix"]


@helper
def sizes(topology):
    """Sizes of a model."""
    world = topology.shape[0] - 1
    return Sizes(topology[world, Q], topology[world, V], world + 1)


@routine
def pack_rows(source, row, lanes):
    """WIDTH rows of a matrix into Lanes."""
    rows, count = source.shape
    if row + WIDTH <= rows and count >= WIDTH:
        for begin in range(0, count, WIDTH):
            k = min(begin, count - WIDTH)  # the last block may overlap the one before
            exchange(source, row * count + k, count, lanes, k * WIDTH, WIDTH)
    else:
        for lane in range(WIDTH):
            for k in range(count):
                store_float(lanes, k * WIDTH + lane, source[min(row + lane, rows - 1), k])


@routine
def unpack_rows(lanes, target, row, stop):
    """Lanes into WIDTH rows of a matrix, as far as they exist."""
    unpack_from(lanes, 0, target.shape[1], target, 0, row, stop)


@routine
def unpack_block(lanes, top, height, wide, left, count, target, row, stop):
    """Block of Lanes, `height` rows from `top`, `count` columns from `left` of a matrix of `wide` columns, into WIDTH rows."""
    for r in range(height):
        unpack_from(lanes, (top + r) * wide + left, count, target, r * count, row, stop)


@helper
def unpack_from(lanes, start, count, target, column, row, stop):
    """`count` Lanes from the one at `start` on into WIDTH rows of a matrix, from a column on."""
    size = target.shape[1]
    if row + WIDTH <= stop and count >= WIDTH:
        for begin in range(0, count, WIDTH):
            k = min(begin, count - WIDTH)
            exchange(lanes, (start + k) * WIDTH, WIDTH, target, row * size + column + k, size)
    else:
        for lane in range(min(WIDTH, stop - row)):
            for k in range(count):
                target[row + lane, column + k] = load_float(lanes, (start + k) * WIDTH + lane)


@helper
def clear(lanes, count):
    """Zeros into the first Lanes."""
    for k in range(count * WIDTH):
        store_float(lanes, k, 0.0)


def if_any(wrenches, lanes):
    """The lanes, or None if there are no wrenches: which it is, a kernel knows when it is compiled."""
    return None if wrenches is None else lanes


@overload(if_any, inlined=True)
def _if_any(wrenches, lanes):
    if isinstance(wrenches, types.NoneType):
        return lambda wrenches, lanes: None
    return lambda wrenches, lanes: lanes


@kernel
def derivatives_batch(topology, constants, q, v, x, wrenches, dq, dv, M, forward, first, stop):
    """Derivatives of inverse dynamics at acceleration x, or if `forward` those of forward dynamics at force x.

    dq, dv, M (or its inverse) are (N, nv * nv).
    """
    n = sizes(topology)
    nq, nv = n.nq, n.nv
    memory, s, squares, room = lane_scratch((States, Squares, Sloping), n)
    articulated = Articulated(room.sine, room.cosine, room.bodies, squares.dofs)
    loads, B = if_any(wrenches, s.wrenches), squares.B
    clear(squares.M, nv * nv)
    clear(B, 3 * nv * nv)
    for row in range(first, stop, WIDTH):
        pack_rows(q, row, s.q)
        pack_rows(v, row, s.v)
        if wrenches is not None:
            pack_rows(wrenches, row, s.wrenches)
        if forward:
            pack_rows(x, row, squares.x)
            clear(B, 3 * nv * nv)
            forward_dynamics(topology, constants, nq, s.q, s.v, squares.x, loads, None, articulated, s.a)
        else:
            pack_rows(x, row, s.a)
        inverse_dynamics_derivatives(topology, constants, nq, s.q, s.v, s.a, loads, room, squares.M, B, 0, B, nv, s.tau)
        if forward:
            panel = max(4, CACHE // (WIDTH * nv) // 4 * 4)
            apply_inverse(topology, squares.M, B, 2 * nv, nv, B, panel, B, B)
            unpack_block(B, 0, nv, 3 * nv, 2 * nv, nv, M, row, stop)
        else:
            unpack_rows(squares.M, M, row, stop)
        unpack_block(B, 0, nv, 3 * nv, 0, nv, dq, row, stop)
        unpack_block(B, 0, nv, 3 * nv, nv, nv, dv, row, stop)
    hold(memory)
    return OK
