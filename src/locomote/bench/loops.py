"""Loops over states without Python in between: one configuration at a time, scratch reused."""

import numpy as np
from numba import types
from numba.extending import intrinsic

from locomote.engine.islands import call_compiled
from locomote.engine.numba_private import cgutils, make_array, populate_array
from locomote.engine.source import kernel
from locomote.engine.trigonometry import padded
from locomote.kernels import single
from locomote.kernels.products import GROUP, grouped
from locomote.simulation.plan import EVALUATE

ID_WORK, FD_WORK, FD_DOFS, MM_WORK, AXES = single.ID_WORK, single.FD_WORK, single.FD_DOFS, single.MM_WORK, single.MM_AXES
DD_WORK, DD_AXES = single.DD_WORK, single.DD_AXES
_inverse, _forward, _mass = single._inverse, single._forward, single._mass
_derivatives, _apply_inverse = single._derivatives, single._apply_inverse


@intrinsic
def row(typingctx, matrix, i):
    """A row of a matrix without counting references, which would be timed along."""

    def emit(context, builder, sig, args):
        source = make_array(sig.args[0])(context, builder, args[0])
        columns = cgutils.unpack_tuple(builder, source.shape)[1]
        first = builder.mul(context.cast(builder, args[1], sig.args[1], types.intp), columns)
        view = make_array(sig.return_type)(context, builder)
        populate_array(
            view,
            data=builder.gep(source.data, [first]),
            shape=cgutils.pack_array(builder, [columns]),
            strides=cgutils.pack_array(builder, [context.get_constant(types.intp, 8)]),
            itemsize=context.get_constant(types.intp, 8),
            meminfo=None,
        )
        return view._getvalue()

    return types.float64[::1](matrix, i), emit


@kernel
def inverse_dynamics(topology, constants, q, v, a, out):
    nq = q.shape[1]
    sine, cosine, work = np.empty(nq), np.empty(nq), np.empty((topology.shape[0], ID_WORK))
    for i in range(q.shape[0]):
        _inverse(topology, constants, nq, row(q, i), row(v, i), row(a, i), None, sine, cosine, work, row(out, i))


@kernel
def forward_dynamics(topology, constants, q, v, tau, out):
    nq, nv = q.shape[1], v.shape[1]
    sine, cosine, work = np.empty(nq), np.empty(nq), np.empty((topology.shape[0], FD_WORK))
    dofs = np.empty((nv, FD_DOFS))
    for i in range(q.shape[0]):
        _forward(topology, constants, nq, row(q, i), row(v, i), row(tau, i), None, None, sine, cosine, work, dofs, row(out, i))


@kernel
def mass_matrix(topology, constants, q, nv):
    nq = q.shape[1]
    sine, cosine, work = np.empty(nq), np.empty(nq), np.empty((topology.shape[0], MM_WORK))
    axes, M = np.empty((AXES, padded(nv))), np.zeros((nv, nv))
    for i in range(q.shape[0]):
        _mass(topology, constants, nq, row(q, i), sine, cosine, work, axes, M)


@kernel
def inverse_dynamics_derivatives(topology, constants, q, v, a):
    nq, nv = q.shape[1], v.shape[1]
    sine, cosine, work = np.empty(nq), np.empty(nq), np.empty((topology.shape[0], DD_WORK))
    axes, tau, M, dq, dv = np.empty((DD_AXES, nv)), np.empty(nv), np.zeros((nv, nv)), np.zeros((nv, nv)), np.zeros((nv, nv))
    for i in range(q.shape[0]):
        _derivatives(
            topology, constants, nq, row(q, i), row(v, i), row(a, i), None, sine, cosine, work, axes, M, dq, 0, dv, 0, tau
        )


@kernel
def forward_dynamics_derivatives(topology, constants, q, v, tau):
    nq, nv = q.shape[1], v.shape[1]
    sine, cosine, work = np.empty(nq), np.empty(nq), np.empty((topology.shape[0], DD_WORK))
    axes, a, force, dofs = np.empty((DD_AXES, nv)), np.empty(nv), np.empty(nv), np.empty((nv, FD_DOFS))
    M, B, rows, room = np.zeros((nv, nv)), np.zeros((nv, grouped(nv))), np.zeros((4, grouped(nv))), np.empty((nv, GROUP))
    X = np.empty((nv, 2 * nv))
    for i in range(q.shape[0]):
        X[:] = 0.0
        _forward(topology, constants, nq, row(q, i), row(v, i), row(tau, i), None, None, sine, cosine, work, dofs, a)
        _derivatives(topology, constants, nq, row(q, i), row(v, i), a, None, sine, cosine, work, axes, M, X, 0, X, nv, force)
        _apply_inverse(topology, M, B, 0, nv, X, nv, rows, room)


@kernel
def evaluation_loop(count, plan, work, t, q, v, a, lam):
    """Evaluate a problem `count` times; returns the sum of the ranks, so that nothing is left out."""
    total = 0
    for _ in range(count):
        total += call_compiled(plan.calls[EVALUATE], (plan, work, t, q, v, a, lam))
    return total
