"""Loops over states without Python in between: one configuration at a time, scratch reused."""

import numpy as np
from numba import types
from numba.extending import intrinsic

from locomote.compiler.indirect import call_compiled
from locomote.compiler.numba_private import cgutils, make_array, populate_array
from locomote.compiler.scratch import scratch_of
from locomote.compiler.source import kernel
from locomote.evaluation.plan import EVALUATE
from locomote.kernels import derivatives as slopes
from locomote.kernels import forward_dynamics as articulated
from locomote.kernels import inverse_dynamics as recursion
from locomote.kernels import mass_matrix as composite
from locomote.kernels.derivatives import Sloping
from locomote.kernels.factor import apply_inverse
from locomote.kernels.forward_dynamics import Articulated
from locomote.kernels.inverse_dynamics import Newton
from locomote.kernels.mass_matrix import Composite
from locomote.kernels.single import Inverting, sizes


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
    n = sizes(topology)
    room = scratch_of(Newton, n)
    for i in range(q.shape[0]):
        recursion.inverse_dynamics(topology, constants, n.nq, row(q, i), row(v, i), row(a, i), None, room, row(out, i))


@kernel
def forward_dynamics(topology, constants, q, v, tau, out):
    n = sizes(topology)
    room = scratch_of(Articulated, n)
    for i in range(q.shape[0]):
        articulated.forward_dynamics(
            topology, constants, n.nq, row(q, i), row(v, i), row(tau, i), None, None, room, row(out, i)
        )


@kernel
def mass_matrix(topology, constants, q, nv):
    n = sizes(topology)
    room, M = scratch_of(Composite, n), np.zeros((nv, nv))
    for i in range(q.shape[0]):
        composite.mass_matrix(topology, constants, n.nq, row(q, i), room, M)


@kernel
def inverse_dynamics_derivatives(topology, constants, q, v, a):
    n = sizes(topology)
    nq, nv, room, tau = n.nq, n.nv, scratch_of(Sloping, n), np.empty(n.nv)
    M, dq, dv = np.zeros((nv, nv)), np.zeros((nv, nv)), np.zeros((nv, nv))
    for i in range(q.shape[0]):
        slopes.inverse_dynamics_derivatives(
            topology, constants, nq, row(q, i), row(v, i), row(a, i), None, room, M, dq, 0, dv, 0, tau
        )


@kernel
def forward_dynamics_derivatives(topology, constants, q, v, tau):
    n = sizes(topology)
    nq, nv, room, (a, force, M, B, X, dofs, rows, block) = n.nq, n.nv, scratch_of(Sloping, n), scratch_of(Inverting, n)
    bodies = Articulated(room.sine, room.cosine, room.bodies, dofs)
    M[:], B[:], rows[:] = 0.0, 0.0, 0.0
    for i in range(q.shape[0]):
        X[:] = 0.0
        articulated.forward_dynamics(topology, constants, nq, row(q, i), row(v, i), row(tau, i), None, None, bodies, a)
        slopes.inverse_dynamics_derivatives(topology, constants, nq, row(q, i), row(v, i), a, None, room, M, X, 0, X, nv, force)
        apply_inverse(topology, M, B, 0, nv, X, nv, rows, block)


@kernel
def evaluation_loop(count, plan, work, t, q, v, a, lam):
    """Evaluate a problem `count` times; returns the sum of the ranks, so that nothing is left out."""
    total = 0
    for _ in range(count):
        total += call_compiled(plan.calls[EVALUATE], (plan, work, t, q, v, a, lam))
    return total
