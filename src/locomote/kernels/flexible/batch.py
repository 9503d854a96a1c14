"""Entries from Python for many configurations of a model with flexible bodies: lanes side by side, as `kernels.batch` does it.

Each takes the packed model, inputs (N, n) and results (N, ...) as rows, and a range of rows to fill.
"""

from locomote.engine.lanes import WIDTH, lane_buffer, lane_matrix, lane_vector
from locomote.engine.source import kernel
from locomote.kernels.batch import clear, pack_rows, unpack_rows
from locomote.kernels.flexible.columns import STEPS, WORK
from locomote.kernels.flexible.forward import forward_dynamics
from locomote.kernels.flexible.gather import TABLE
from locomote.kernels.flexible.mass import mass_matrix
from locomote.kernels.flexible.motion import inverse_dynamics
from locomote.kernels.flexible.single import widest
from locomote.kernels.forward_dynamics import DOFS
from locomote.kernels.single import OK, sizes


@kernel
def inverse_dynamics_batch(tree, strain, q, v, a, wrenches, tau, first, stop):
    nq, nv = sizes(tree.topology)
    rows, stations = tree.topology.shape[0], tree.stations.shape[0]
    buffer, at_q = lane_buffer(3 * nq + 3 * nv + rows * (WORK + 6) + stations * STEPS)
    at_s, at_c, at_v = at_q + nq * WIDTH, at_q + 2 * nq * WIDTH, at_q + 3 * nq * WIDTH
    at_a, at_tau, at_f = at_v + nv * WIDTH, at_v + 2 * nv * WIDTH, at_v + 3 * nv * WIDTH
    at_work = at_f + 6 * rows * WIDTH
    at_steps = at_work + rows * WORK * WIDTH
    ql, vl, al = lane_vector(buffer, at_q), lane_vector(buffer, at_v), lane_vector(buffer, at_a)
    sine, cosine, taul = lane_vector(buffer, at_s), lane_vector(buffer, at_c), lane_vector(buffer, at_tau)
    f, work, steps = lane_matrix(buffer, at_f, 6), lane_matrix(buffer, at_work, WORK), lane_matrix(buffer, at_steps, STEPS)
    for row in range(first, stop, WIDTH):
        pack_rows(q, row, buffer, at_q)
        pack_rows(v, row, buffer, at_v)
        pack_rows(a, row, buffer, at_a)
        pack_rows(wrenches, row, buffer, at_f)
        inverse_dynamics(tree, strain, nq, ql, vl, al, f, sine, cosine, steps, work, taul)
        unpack_rows(buffer, at_tau, tau, row, stop)
    return OK


@kernel
def hybrid_dynamics_batch(tree, strain, q, v, imposed, wrenches, tau, a, first, stop):
    """`a` has the accelerations of imposed coordinates, `tau` the forces of all others; both are completed."""
    nq, nv = sizes(tree.topology)
    rows, stations, most = tree.topology.shape[0], tree.stations.shape[0], widest(tree)
    buffer, at_q = lane_buffer(3 * nq + (5 + DOFS + TABLE + most) * nv + rows * (WORK + 6) + stations * STEPS)
    at_s, at_c, at_v, step = at_q + nq * WIDTH, at_q + 2 * nq * WIDTH, at_q + 3 * nq * WIDTH, nv * WIDTH
    at_a, at_tau, at_force, at_free = at_v + step, at_v + 2 * step, at_v + 3 * step, at_v + 4 * step
    at_dofs = at_v + 5 * step
    at_table = at_dofs + DOFS * step
    at_m = at_table + TABLE * step
    at_f = at_m + most * step
    at_work = at_f + 6 * rows * WIDTH
    at_steps = at_work + rows * WORK * WIDTH
    ql, vl, al = lane_vector(buffer, at_q), lane_vector(buffer, at_v), lane_vector(buffer, at_a)
    sine, cosine, taul = lane_vector(buffer, at_s), lane_vector(buffer, at_c), lane_vector(buffer, at_tau)
    force, free_a, dofs = lane_vector(buffer, at_force), lane_vector(buffer, at_free), lane_matrix(buffer, at_dofs, DOFS)
    table, m, f = lane_matrix(buffer, at_table, nv), lane_matrix(buffer, at_m, most), lane_matrix(buffer, at_f, 6)
    work, steps = lane_matrix(buffer, at_work, WORK), lane_matrix(buffer, at_steps, STEPS)
    for row in range(first, stop, WIDTH):
        pack_rows(q, row, buffer, at_q)
        pack_rows(v, row, buffer, at_v)
        pack_rows(tau, row, buffer, at_tau)
        pack_rows(a, row, buffer, at_a)
        pack_rows(wrenches, row, buffer, at_f)
        forward_dynamics(
            tree, strain, nq, ql, vl, taul, f, imposed, sine, cosine, steps, work, dofs, table, m, force, free_a, al
        )
        unpack_rows(buffer, at_tau, tau, row, stop)
        unpack_rows(buffer, at_a, a, row, stop)
    return OK


@kernel
def mass_matrix_batch(tree, strain, q, M, momentum, first, stop):
    """M is (N, nv * nv), momentum (N, 6 * nv)."""
    nq, nv = sizes(tree.topology)
    rows, stations, most = tree.topology.shape[0], tree.stations.shape[0], widest(tree)
    buffer, at_q = lane_buffer(3 * nq + (TABLE + most + nv) * nv + rows * WORK + stations * STEPS)
    at_s, at_c, at_table = at_q + nq * WIDTH, at_q + 2 * nq * WIDTH, at_q + 3 * nq * WIDTH
    at_m = at_table + TABLE * nv * WIDTH
    at_M = at_m + most * nv * WIDTH
    at_work = at_M + nv * nv * WIDTH
    at_steps = at_work + rows * WORK * WIDTH
    ql, sine, cosine = lane_vector(buffer, at_q), lane_vector(buffer, at_s), lane_vector(buffer, at_c)
    table, m, Ml = lane_matrix(buffer, at_table, nv), lane_matrix(buffer, at_m, most), lane_matrix(buffer, at_M, nv)
    work, steps = lane_matrix(buffer, at_work, WORK), lane_matrix(buffer, at_steps, STEPS)
    clear(buffer, at_M, nv * nv)
    for row in range(first, stop, WIDTH):
        pack_rows(q, row, buffer, at_q)
        mass_matrix(tree, strain, nq, ql, sine, cosine, steps, work, table, m, Ml)
        unpack_rows(buffer, at_M, M, row, stop)
        unpack_rows(buffer, at_table, momentum, row, stop)  # rows MOMENTUM are the first six
    return OK
