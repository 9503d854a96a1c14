"""Entries from Python for many configurations: lanes side by side, block by block.

Each takes the packed model, inputs (N, n) and results (N, ...) as rows, and a range of rows to fill. Rows are packed into
lanes, the same routines run as for one configuration, and results are unpacked. A block beyond the last row repeats it. Each
returns OK, as entries for one configuration do.
"""

from locomote.engine.lanes import WIDTH, exchange, lane_buffer, lane_matrix, lane_vector
from locomote.engine.source import helper, kernel, routine
from locomote.kernels.single import (
    CACHE,
    DD_AXES,
    DD_WORK,
    FD_DOFS,
    FD_WORK,
    ID_WORK,
    MM_AXES,
    MM_WORK,
    OK,
    _apply_inverse,
    _derivatives,
    _forward,
    _inverse,
    _mass,
    sizes,
)


@routine
def pack_rows(source, row, buffer, start):
    """WIDTH rows of a matrix into consecutive Lanes."""
    rows, count = source.shape
    if row + WIDTH <= rows and count >= WIDTH:
        for begin in range(0, count, WIDTH):
            k = min(begin, count - WIDTH)  # the last block may overlap the one before
            exchange(source, row * count + k, count, buffer, start + k * WIDTH, WIDTH)
    else:
        for lane in range(WIDTH):
            for k in range(count):
                buffer[start + k * WIDTH + lane] = source[min(row + lane, rows - 1), k]


@routine
def unpack_rows(buffer, start, target, row, stop):
    """Consecutive Lanes into WIDTH rows of a matrix, as far as they exist."""
    count = target.shape[1]
    if row + WIDTH <= stop and count >= WIDTH:
        for begin in range(0, count, WIDTH):
            k = min(begin, count - WIDTH)
            exchange(buffer, start + k * WIDTH, WIDTH, target, row * count + k, count)
    else:
        for lane in range(min(WIDTH, stop - row)):
            for k in range(count):
                target[row + lane, k] = buffer[start + k * WIDTH + lane]


@routine
def unpack_block(buffer, start, wide, left, count, target, row, stop):
    """A square of Lanes, `count` columns from `left` on of a matrix of `wide` columns, into WIDTH rows of a matrix."""
    size = target.shape[1]
    for r in range(count):
        source = start + (r * wide + left) * WIDTH
        if row + WIDTH <= stop and count >= WIDTH:
            for begin in range(0, count, WIDTH):
                k = min(begin, count - WIDTH)
                exchange(buffer, source + k * WIDTH, WIDTH, target, row * size + r * count + k, size)
        else:
            for lane in range(min(WIDTH, stop - row)):
                for k in range(count):
                    target[row + lane, r * count + k] = buffer[source + k * WIDTH + lane]


@helper
def clear(buffer, start, count):
    """Zeros into Lanes."""
    for k in range(start, start + count * WIDTH):
        buffer[k] = 0.0


@kernel
def inverse_dynamics_batch(topology, constants, q, v, a, wrenches, tau, first, stop):
    nq, nv = sizes(topology)
    rows = topology.shape[0]
    loads = 6 * (rows - 1) if wrenches is not None else 0
    buffer, at_q = lane_buffer(3 * nq + 3 * nv + rows * ID_WORK + loads)
    at_s, at_c = at_q + nq * WIDTH, at_q + 2 * nq * WIDTH
    at_v = at_q + 3 * nq * WIDTH
    at_a, at_tau, at_work = at_v + nv * WIDTH, at_v + 2 * nv * WIDTH, at_v + 3 * nv * WIDTH
    at_f = at_work + rows * ID_WORK * WIDTH
    ql, vl, al = lane_vector(buffer, at_q), lane_vector(buffer, at_v), lane_vector(buffer, at_a)
    sine, cosine, taul = lane_vector(buffer, at_s), lane_vector(buffer, at_c), lane_vector(buffer, at_tau)
    work = lane_matrix(buffer, at_work, ID_WORK)
    for row in range(first, stop, WIDTH):
        pack_rows(q, row, buffer, at_q)
        pack_rows(v, row, buffer, at_v)
        pack_rows(a, row, buffer, at_a)
        if wrenches is not None:
            pack_rows(wrenches, row, buffer, at_f)
            _inverse(topology, constants, nq, ql, vl, al, lane_matrix(buffer, at_f, 6), sine, cosine, work, taul)
        else:
            _inverse(topology, constants, nq, ql, vl, al, None, sine, cosine, work, taul)
        unpack_rows(buffer, at_tau, tau, row, stop)
    return OK


@kernel
def forward_dynamics_batch(topology, constants, q, v, tau, wrenches, a, first, stop):
    nq, nv = sizes(topology)
    rows = topology.shape[0]
    loads = 6 * (rows - 1) if wrenches is not None else 0
    buffer, at_q = lane_buffer(3 * nq + (3 + FD_DOFS) * nv + rows * FD_WORK + loads)
    at_s, at_c = at_q + nq * WIDTH, at_q + 2 * nq * WIDTH
    at_v = at_q + 3 * nq * WIDTH
    at_a, at_tau, at_dofs = at_v + nv * WIDTH, at_v + 2 * nv * WIDTH, at_v + 3 * nv * WIDTH
    at_work = at_dofs + nv * FD_DOFS * WIDTH
    at_f = at_work + rows * FD_WORK * WIDTH
    ql, vl, al = lane_vector(buffer, at_q), lane_vector(buffer, at_v), lane_vector(buffer, at_a)
    sine, cosine, taul = lane_vector(buffer, at_s), lane_vector(buffer, at_c), lane_vector(buffer, at_tau)
    work, dofs = lane_matrix(buffer, at_work, FD_WORK), lane_matrix(buffer, at_dofs, FD_DOFS)
    for row in range(first, stop, WIDTH):
        pack_rows(q, row, buffer, at_q)
        pack_rows(v, row, buffer, at_v)
        pack_rows(tau, row, buffer, at_tau)
        if wrenches is not None:
            pack_rows(wrenches, row, buffer, at_f)
            f = lane_matrix(buffer, at_f, 6)
            _forward(topology, constants, nq, ql, vl, taul, f, None, sine, cosine, work, dofs, al)
        else:
            _forward(topology, constants, nq, ql, vl, taul, None, None, sine, cosine, work, dofs, al)
        unpack_rows(buffer, at_a, a, row, stop)
    return OK


@kernel
def mass_matrix_batch(topology, constants, q, M, first, stop):
    """M is (N, nv * nv)."""
    nq, nv = sizes(topology)
    rows = topology.shape[0]
    buffer, at_q = lane_buffer(3 * nq + MM_AXES * nv + rows * MM_WORK + nv * nv)
    at_s, at_c, at_axes = at_q + nq * WIDTH, at_q + 2 * nq * WIDTH, at_q + 3 * nq * WIDTH
    at_work = at_axes + MM_AXES * nv * WIDTH
    at_m = at_work + rows * MM_WORK * WIDTH
    ql, sine, cosine = lane_vector(buffer, at_q), lane_vector(buffer, at_s), lane_vector(buffer, at_c)
    work, axes, Ml = lane_matrix(buffer, at_work, MM_WORK), lane_matrix(buffer, at_axes, nv), lane_matrix(buffer, at_m, nv)
    clear(buffer, at_m, nv * nv)
    for row in range(first, stop, WIDTH):
        pack_rows(q, row, buffer, at_q)
        _mass(topology, constants, nq, ql, sine, cosine, work, axes, Ml)
        unpack_rows(buffer, at_m, M, row, stop)
    return OK


@kernel
def derivatives_batch(topology, constants, q, v, x, wrenches, dq, dv, M, forward, first, stop):
    """Derivatives of inverse dynamics at acceleration x, or if `forward` those of forward dynamics at force x.

    dq, dv, M (or its inverse) are (N, nv * nv).
    """
    nq, nv = sizes(topology)
    rows = topology.shape[0]
    loads = 6 * (rows - 1) if wrenches is not None else 0
    buffer, at_q = lane_buffer(3 * nq + (4 + FD_DOFS + DD_AXES) * nv + rows * DD_WORK + 4 * nv * nv + loads)
    at_s, at_c, at_v = at_q + nq * WIDTH, at_q + 2 * nq * WIDTH, at_q + 3 * nq * WIDTH
    step = nv * WIDTH
    at_x, at_a, at_t, at_dofs = at_v + step, at_v + 2 * step, at_v + 3 * step, at_v + 4 * step
    at_axes = at_dofs + FD_DOFS * step
    at_work = at_axes + DD_AXES * step
    at_m, square = at_work + rows * DD_WORK * WIDTH, nv * step
    at_b, at_f = at_m + square, at_m + 4 * square
    ql, vl, xl, al = lane_vector(buffer, at_q), lane_vector(buffer, at_v), lane_vector(buffer, at_x), lane_vector(buffer, at_a)
    sine, cosine, tl = lane_vector(buffer, at_s), lane_vector(buffer, at_c), lane_vector(buffer, at_t)
    dofs, axes, work = (
        lane_matrix(buffer, at_dofs, FD_DOFS),
        lane_matrix(buffer, at_axes, nv),
        lane_matrix(buffer, at_work, DD_WORK),
    )
    Ml, B, articulated = lane_matrix(buffer, at_m, nv), lane_matrix(buffer, at_b, 3 * nv), lane_matrix(buffer, at_work, FD_WORK)
    clear(buffer, at_m, 4 * nv * nv)
    for row in range(first, stop, WIDTH):
        pack_rows(q, row, buffer, at_q)
        pack_rows(v, row, buffer, at_v)
        pack_rows(x, row, buffer, at_x)
        if wrenches is not None:
            pack_rows(wrenches, row, buffer, at_f)
            f = lane_matrix(buffer, at_f, 6)
            if forward:
                clear(buffer, at_b, 3 * nv * nv)
                _forward(topology, constants, nq, ql, vl, xl, f, None, sine, cosine, articulated, dofs, al)
            else:
                pack_rows(x, row, buffer, at_a)
            _derivatives(topology, constants, nq, ql, vl, al, f, sine, cosine, work, axes, Ml, B, 0, B, nv, tl)
        else:
            if forward:
                clear(buffer, at_b, 3 * nv * nv)
                _forward(topology, constants, nq, ql, vl, xl, None, None, sine, cosine, articulated, dofs, al)
            else:
                pack_rows(x, row, buffer, at_a)
            _derivatives(topology, constants, nq, ql, vl, al, None, sine, cosine, work, axes, Ml, B, 0, B, nv, tl)
        if forward:
            panel = max(4, CACHE // (WIDTH * nv) // 4 * 4)
            _apply_inverse(topology, Ml, B, 2 * nv, nv, B, panel, B, B)
            unpack_block(buffer, at_b, 3 * nv, 2 * nv, nv, M, row, stop)
        else:
            unpack_rows(buffer, at_m, M, row, stop)
        unpack_block(buffer, at_b, 3 * nv, 0, nv, dq, row, stop)
        unpack_block(buffer, at_b, 3 * nv, nv, nv, dv, row, stop)
    return OK
