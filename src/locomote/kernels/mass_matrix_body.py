"""The mass matrix of a tree of short branches: composite bodies in body frames.

    inward    b_k = I_i S_k for each coordinate k of joint i                                                             (1)
              M_jk = S_j . b_k for j of joint i and k of all that hangs on it, whose b are seen from i by now            (2)
              all these b, and I_i, seen from the parent                                                                 (3)

Inertias are grouped ones (`grouping`): mass m, first moment c, second moment P. `table` holds b, six rows and a column for
each coordinate; coordinates of a subtree stand side by side. Fewer operations than in a common frame as long as the way to
the root is short; more where axes are many joints away.
"""

from numba import types

from locomote.compiler.lanes import WIDTH, first_lanes, load_floats, store_floats
from locomote.compiler.numba_private import overload
from locomote.compiler.scalars import select
from locomote.compiler.source import helper, inlined_routine
from locomote.kernels.articulated import symmetric_about_x, symmetric_about_z, symmetric_turned
from locomote.kernels.bodies import grouped
from locomote.kernels.common_frame import FIRST, MASS_, SECOND, moments_shifted, moments_shifted_in_plane, put_row, take
from locomote.linear.dots import copy_row
from locomote.model import columns as col
from locomote.model import joints
from locomote.spatial.algebra import add, plus, rotate, times, turn_about_x, turn_about_z, wrench_to_parent
from locomote.spatial.rows import load, load6, put, store, store6


@helper
def rigid_column(m, c, P, k):
    """Column k of the inertia of a rigid body: its momentum along unit twist k."""
    if k == 5:
        return (-c[1], c[0], 0.0, -P[2], -P[4], P[0] + P[3])
    elif k == 4:
        return (c[2], 0.0, -c[0], -P[1], P[0] + P[5], -P[4])
    elif k == 3:
        return (0.0, -c[2], c[1], P[3] + P[5], -P[1], -P[2])
    elif k == 2:
        return (0.0, 0.0, m, c[1], -c[0], 0.0)
    elif k == 1:
        return (0.0, m, 0.0, -c[2], 0.0, c[0])
    elif k == 0:
        return (m, 0.0, 0.0, 0.0, c[2], -c[1])
    return (joints.NAN, joints.NAN, joints.NAN, joints.NAN, joints.NAN, joints.NAN)


@helper
def put_momenta(topology, constants, i, m, c, P, table):
    """(1)"""
    kind, first = topology[i, col.KIND], topology[i, col.V]
    if kind == joints.REVOLUTE:
        put(table, 0, first, rigid_column(m, c, P, 5))
    elif kind == joints.FREE:
        put(table, 0, first, rigid_column(m, c, P, 0))
        put(table, 0, first + 1, rigid_column(m, c, P, 1))
        put(table, 0, first + 2, rigid_column(m, c, P, 2))
        put(table, 0, first + 3, rigid_column(m, c, P, 3))
        put(table, 0, first + 4, rigid_column(m, c, P, 4))
        put(table, 0, first + 5, rigid_column(m, c, P, 5))
    else:
        for j in range(topology[i, col.V_COUNT]):
            b = rigid_column(m, c, P, joints.axis_number(kind, j))
            if joints.has_pitch(kind):
                b = plus(b, times(constants[i, col.PITCH], rigid_column(m, c, P, 2)))
            put(table, 0, first + j, b)


@helper
def add_armature(topology, constants, i, M):
    """What turns and slides with the coordinates of joint i only."""
    first = topology[i, col.V]
    for j in range(topology[i, col.V_COUNT]):
        M[first + j, first + j] = M[first + j, first + j] + constants[i, col.ARMATURE + j]


@helper
def put_screw(row, first, armature, table, stop, M):
    """(2) and its mirror image for a joint of one coordinate, along which wrenches have the entry `row`."""
    copy_row(table, row, first, stop, M, first, 0)
    for k in range(first + 1, stop):
        M[k, first] = table[row, k]
    M[first, first] = table[row, first] + armature


@helper
def put_along(topology, constants, i, table, stop, M):
    """(2), and its mirror image."""
    kind, first = topology[i, col.KIND], topology[i, col.V]
    if joints.is_simple_screw(kind):
        put_screw(5 if kind == joints.REVOLUTE else 2, first, constants[i, col.ARMATURE], table, stop, M)
    elif kind == joints.FREE:
        for j in range(6):
            copy_row(table, j, first, stop, M, first + j, 0)
        for k in range(first + 6, stop):
            put_row(M, k, first, take(table, 0, k))
        add_armature(topology, constants, i, M)
    else:
        for j in range(topology[i, col.V_COUNT]):
            for k in range(first, stop):
                value = joints.along_axis(topology, constants, i, j, take(table, 0, k))
                M[first + j, k] = value
                M[k, first + j] = value
        add_armature(topology, constants, i, M)


@helper
def composite_on_parent(topology, constants, i, q, sine, cosine, m, c, P):
    """First and second moment of body i and of what hangs on it, seen from its parent."""
    if joints.is_screw(topology[i, col.KIND]):
        k, x, y, o = (
            topology[i, col.Q],
            constants[i, col.SIN_LEAN],
            constants[i, col.COS_LEAN],
            joints.screw_origin(topology, constants, i, q),
        )
        c = turn_about_x(x, y, turn_about_z(sine[k], cosine[k], c))
        P = symmetric_about_x(x, y, symmetric_about_z(sine[k], cosine[k], P))
        if constants[i, col.SIN_FORK] != 0.0:
            x, y = constants[i, col.SIN_FORK], constants[i, col.COS_FORK]
            c, P = turn_about_z(x, y, c), symmetric_about_z(x, y, P)
    else:
        R, o = joints.joint_pose(topology, constants, i, q, sine, cosine)
        c, P = rotate(R, c), symmetric_turned(R, P)
    return moments_shifted(m, c, P, o)


@helper
def with_others(topology, i, p, bodies, m, c, P):
    """(3) of I, once seen from the parent, plus the sum of earlier children in its row (absent for the first child)."""
    if topology[i, col.YOUNGEST] == 0:
        m, c, P = m + bodies[p, MASS_], add(c, load(bodies, p, FIRST)), plus(P, load6(bodies, p, SECOND))
    return m, c, P


def carry_screw(constants, i, s, c, o, table, start, stop, forked):
    """Columns start..stop-1 of a table, which are wrenches on body i, seen from its parent, for a screw joint."""
    for k in range(start, stop):
        put(table, 0, k, joints.wrench_over_screw(constants, i, s, c, o, take(table, 0, k), forked))


@overload(carry_screw, inlined=True)
def _carry_screw(constants, i, s, c, o, table, start, stop, forked):
    if not isinstance(table, types.Array):
        return carry_screw

    def floats(constants, i, s, c, o, table, start, stop, forked):
        wide = table.shape[1]
        for k in range(start, stop, WIDTH):
            f = (
                load_floats(table, k), load_floats(table, wide + k), load_floats(table, 2 * wide + k),
                load_floats(table, 3 * wide + k), load_floats(table, 4 * wide + k), load_floats(table, 5 * wide + k),
            )  # fmt: skip
            g, ours = (
                joints.wrench_over_screw(constants, i, s, c, o, f, forked),
                first_lanes(stop - k),
            )  # beyond stop, the others are kept
            store_floats(table, k, select(ours, g[0], f[0]))
            store_floats(table, wide + k, select(ours, g[1], f[1]))
            store_floats(table, 2 * wide + k, select(ours, g[2], f[2]))
            store_floats(table, 3 * wide + k, select(ours, g[3], f[3]))
            store_floats(table, 4 * wide + k, select(ours, g[4], f[4]))
            store_floats(table, 5 * wide + k, select(ours, g[5], f[5]))

    return floats


@helper
def carry_columns(topology, constants, i, q, sine, cosine, table, start, stop):
    """(3) of b."""
    if joints.is_screw(topology[i, col.KIND]):
        k, o = topology[i, col.Q], joints.screw_origin(topology, constants, i, q)
        carry_screw(constants, i, sine[k], cosine[k], o, table, start, stop, True)
    else:
        R, o = joints.joint_pose(topology, constants, i, q, sine, cosine)
        for k in range(start, stop):
            put(table, 0, k, wrench_to_parent(R, o, take(table, 0, k)))


def clear_margin(topology, table):
    """Make numbers of what vectors read beyond the last column; arithmetic on NaN and denormals may take long."""


@overload(clear_margin)
def _clear_margin(topology, table):
    if not isinstance(table, types.Array):
        return clear_margin

    def floats(topology, table):
        for k in range(topology[topology.shape[0] - 1, col.V], table.shape[1]):
            for r in range(6):
                table[r, k] = 0.0

    return floats


@inlined_routine
def mass_matrix_body(topology, constants, nq, q, room, M):
    """Fill M, of which the places of unrelated coordinates must be zero already. No body has added inertia."""
    world, (sine, cosine, bodies, table) = topology.shape[0] - 1, room
    joints.joint_sines(topology, constants, nq, q, sine, cosine)
    clear_margin(topology, table)
    m, c, P = bodies[world, MASS_], load(bodies, world, FIRST), load6(bodies, world, SECOND)  # the world: no body
    for i in range(world - 1, -1, -1):
        last, p = topology[i, col.LAST], topology[i, col.PARENT]
        start, stop = topology[i, col.V], topology[last, col.V] + topology[last, col.V_COUNT]
        own, first, second = grouped(constants, i)
        if last > i:
            if not joints.in_line(topology, constants, i + 1):  # else they are at hand
                m, c, P = bodies[i, MASS_], load(bodies, i, FIRST), load6(bodies, i, SECOND)
            m, c, P = m + own, add(c, first), plus(P, second)
        else:
            m, c, P = own, first, second
        if joints.in_line(topology, constants, i):
            put(table, 0, start, rigid_column(m, c, P, 5))
            put_screw(5, start, constants[i, col.ARMATURE], table, stop, M)
            j, o = topology[i, col.Q], load(constants, i, col.DISPLACEMENT)
            carry_screw(constants, i, sine[j], cosine[j], o, table, start, stop, None)
            x, y = constants[i, col.SIN_LEAN], constants[i, col.COS_LEAN]
            c = turn_about_x(x, y, turn_about_z(sine[j], cosine[j], c))
            P = symmetric_about_x(x, y, symmetric_about_z(sine[j], cosine[j], P))
            c, P = moments_shifted_in_plane(m, c, P, o[0], o[2])
            m, c, P = with_others(topology, i, i - 1, bodies, m, c, P)
        else:
            put_momenta(topology, constants, i, m, c, P, table)
            put_along(topology, constants, i, table, stop, M)
            if p < world:
                carry_columns(topology, constants, i, q, sine, cosine, table, start, stop)
                c, P = composite_on_parent(topology, constants, i, q, sine, cosine, m, c, P)
                m, c, P = with_others(topology, i, p, bodies, m, c, P)
                bodies[p, MASS_] = m
                store(bodies, p, FIRST, c)
                store6(bodies, p, SECOND, P)
