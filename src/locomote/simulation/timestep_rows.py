"""Rows of contacts and constraints over the factored mass matrix of a step.

With M + D = L^T d L and a row j, y = d^-1/2 L^-T j: the product of two such rows is j (M + D)^-1 j^T.
"""

from math import sqrt

from locomote.engine.islands import call_compiled
from locomote.engine.source import routine
from locomote.model.columns import NEXT, PARENT, RUN, V_COUNT, V
from locomote.simulation.plan import TOUCHED
from locomote.spatial.algebra import cross, dot


@routine
def inner(topology, M, x):
    """x <- d^-1/2 L^-T x"""
    world = topology.shape[0] - 1
    for b in range(world - 1, -1, -1):
        for k in range(topology[b, V] + topology[b, V_COUNT] - 1, topology[b, V] - 1, -1):
            f, body, end = x[k], b, k
            if f != 0.0:
                while body < world:
                    for i in range(topology[body, RUN], end):
                        x[i] -= M[k, i] * f
                    body = topology[body, NEXT]
                    end = topology[body, V] + topology[body, V_COUNT]
                x[k] = f / sqrt(M[k, k])


@routine
def outer(topology, M, x):
    """x <- L^-1 d^-1/2 x"""
    world = topology.shape[0] - 1
    for b in range(world):
        for k in range(topology[b, V], topology[b, V] + topology[b, V_COUNT]):
            s, body, end = x[k] / sqrt(M[k, k]), b, k
            while body < world:
                for i in range(topology[body, RUN], end):
                    s -= M[k, i] * x[i]
                body = topology[body, NEXT]
                end = topology[body, V] + topology[body, V_COUNT]
            x[k] = s


@routine
def put_row(plan, work, rows, r, body, other, x, d, turning):
    """Row r: the velocity of a body along d at the point x, less that of another, or their turns about d."""
    world = plan.topology.shape[0] - 1
    m = cross(x, d)
    for k in range(rows.shape[1]):
        rows[r, k] = 0.0
    for side in range(2):
        i, sign = (body, 1.0) if side == 0 else (other, -1.0)
        if plan.rods.shape[0] > 0:
            if i < world:
                force, moment = ((0.0, 0.0, 0.0), d) if turning else (d, m)
                for c in range(3):
                    work.place[c], work.place[3 + c] = force[c], moment[c]
                call_compiled(plan.calls[TOUCHED], (plan, work, rows, r, i, sign))
            continue
        while i < world:
            for k in range(plan.topology[i, V], plan.topology[i, V] + plan.topology[i, V_COUNT]):
                turn = (work.axes[3, k], work.axes[4, k], work.axes[5, k])
                if turning:
                    rows[r, k] += sign * dot(d, turn)
                else:
                    rows[r, k] += sign * (dot(d, (work.axes[0, k], work.axes[1, k], work.axes[2, k])) + dot(m, turn))
            i = plan.topology[i, PARENT]


@routine
def hold_constraints(plan, work, state, nv):
    """An orthonormal basis of rows of constraints, state.basis, with their triangle; returns how many there are."""
    rank = 0
    for r in range(plan.holonomic.shape[0]):
        y, size = state.basis[rank], 0.0
        for k in range(nv):
            y[k] = 0.0 if plan.imposed[k] != 0 else work.A[r, k]
        inner(plan.topology, work.M, y)
        for k in range(nv):
            size += y[k] * y[k]
        for j in range(plan.holonomic.shape[0]):
            state.triangle[r, j] = 0.0
        for _ in range(2):
            for j in range(rank):
                along = 0.0
                for k in range(nv):
                    along += state.basis[j, k] * y[k]
                state.triangle[r, j] += along
                for k in range(nv):
                    y[k] -= along * state.basis[j, k]
        left = 0.0
        for k in range(nv):
            left += y[k] * y[k]
        state.independent[r] = -1
        if left > 1e-16 * size and size > 0.0:
            left = sqrt(left)
            for k in range(nv):
                y[k] /= left
            state.triangle[r, rank] = left
            state.independent[r] = rank
            rank += 1
    return rank


@routine
def add_row(plan, work, state, r, nv, rank):
    """Row r of state.raw, in state.rows without what constraints take."""
    y = state.rows[r]
    for k in range(nv):
        y[k] = 0.0 if plan.imposed[k] != 0 else state.raw[r, k]
    inner(plan.topology, work.M, y)
    for j in range(rank):
        along = 0.0
        for k in range(nv):
            along += state.basis[j, k] * y[k]
        state.taken[r, j] = along
        for k in range(nv):
            y[k] -= along * state.basis[j, k]
