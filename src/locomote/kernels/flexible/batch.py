"""Entries from Python for many configurations of a model with flexible bodies: lanes side by side, as `kernels.batch` does it.

Each takes the packed model, inputs (N, n) and results (N, ...) as rows, and a range of rows to fill.
"""

from typing import Annotated, NamedTuple

import numpy as np

from locomote.compiler.lanes import WIDTH
from locomote.compiler.scratch_lanes import hold, lane_scratch
from locomote.compiler.source import kernel
from locomote.compiler.trigonometry import padded
from locomote.kernels.batch import Square, States, clear, pack_rows, unpack_block, unpack_rows
from locomote.kernels.flexible.forward import forward_dynamics
from locomote.kernels.flexible.gather import MOMENTUM
from locomote.kernels.flexible.mass import mass_matrix
from locomote.kernels.flexible.motion import inverse_dynamics
from locomote.kernels.flexible.scratch import Carried, Gathered, Placed, tree_sizes
from locomote.kernels.flexible.single import energies
from locomote.model.status import OK


@kernel
def inverse_dynamics_batch(tree, strain, q, v, a, wrenches, tau, first, stop):
    n = tree_sizes(tree)
    memory, s, room = lane_scratch((States, Carried), n)
    for row in range(first, stop, WIDTH):
        pack_rows(q, row, s.q)
        pack_rows(v, row, s.v)
        pack_rows(a, row, s.a)
        pack_rows(wrenches, row, s.wrenches)
        inverse_dynamics(tree, strain, n.nq, s.q, s.v, s.a, s.wrenches, room, s.tau)
        unpack_rows(s.tau, tau, row, stop)
    hold(memory)
    return OK


@kernel
def hybrid_dynamics_batch(tree, strain, q, v, imposed, wrenches, tau, a, first, stop):
    """`a` has the accelerations of imposed coordinates, `tau` the forces of all others; both are completed."""
    n = tree_sizes(tree)
    memory, s, room = lane_scratch((States, Gathered), n)
    for row in range(first, stop, WIDTH):
        pack_rows(q, row, s.q)
        pack_rows(v, row, s.v)
        pack_rows(tau, row, s.tau)
        pack_rows(a, row, s.a)
        pack_rows(wrenches, row, s.wrenches)
        forward_dynamics(tree, strain, n.nq, s.q, s.v, s.tau, s.wrenches, imposed, room, s.a)
        unpack_rows(s.tau, tau, row, stop)
        unpack_rows(s.a, a, row, stop)
    hold(memory)
    return OK


class Summed(NamedTuple):
    """Energies of each state of a block."""

    energy: Annotated[np.ndarray, 5, "kinetic, potential, centre of mass"]


@kernel
def energies_batch(tree, strain, q, v, energy, first, stop):
    """energy is (N, 5), as `single.energies_rows` fills it."""
    n = tree_sizes(tree)
    memory, s, summed, room = lane_scratch((States, Summed, Placed), n)
    for row in range(first, stop, WIDTH):
        pack_rows(q, row, s.q)
        pack_rows(v, row, s.v)
        energies(tree, strain, n.nq, s.q, s.v, room, summed.energy)
        unpack_rows(summed.energy, energy, row, stop)
    hold(memory)
    return OK


@kernel
def mass_matrix_batch(tree, strain, q, M, momentum, first, stop):
    """M is (N, nv * nv), momentum (N, 6 * nv)."""
    n = tree_sizes(tree)
    memory, s, square, room = lane_scratch((States, Square, Gathered), n)
    clear(square.M, n.nv * n.nv)
    for row in range(first, stop, WIDTH):
        pack_rows(q, row, s.q)
        mass_matrix(tree, strain, n.nq, s.q, room, square.M)
        unpack_rows(square.M, M, row, stop)
        unpack_block(room.table, MOMENTUM, 6, padded(n.nv), 0, n.nv, momentum, row, stop)
    hold(memory)
    return OK
