"""Rows of contacts and constraints over the factored mass matrix of a step.

With M + D = L^T d L and a row j, y = d^-1/2 L^-T j: the product of two such rows is j (M + D)^-1 j^T. The diagonal of the
factored matrix is d^-1/2 here (`factor_by_roots`).
"""

from math import sqrt

from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import helper, routine
from locomote.constraints.columns import PULL
from locomote.contact.islands import WHOLE
from locomote.evaluation.plan import RANK_TOLERANCE
from locomote.kernels.factor import factor
from locomote.linear.dots import weigh_rows
from locomote.linear.gram_schmidt import append, split
from locomote.model.columns import NEXT, PARENT, RUN, V_COUNT, V
from locomote.spatial.algebra import add, cross, dot, scale


@routine
def factor_by_roots(topology, M):
    """M <- its factors, with d^-1/2 in the place of d."""
    factor(topology, M)
    for k in range(M.shape[0]):
        M[k, k] = 1.0 / sqrt(M[k, k])


@helper
def inner(topology, M, x):
    """x <- d^-1/2 L^-T x"""
    inner_part(topology, M, x, 0, topology.shape[0] - 2)


@routine
def inner_part(topology, M, x, first, last):
    """The same where x is zero but for coordinates of bodies first to last."""
    world = topology.shape[0] - 1
    if first == last and topology[first, V_COUNT] == 6 and topology[first, PARENT] == world:
        inner_six(M, x, topology[first, V])
        return
    for b in range(last, first - 1, -1):
        for k in range(topology[b, V] + topology[b, V_COUNT] - 1, topology[b, V] - 1, -1):
            f, body, end = x[k], b, k
            if f != 0.0:
                while body < world:
                    for i in range(topology[body, RUN], end):
                        x[i] -= M[k, i] * f
                    body = topology[body, NEXT]
                    end = topology[body, V] + topology[body, V_COUNT]
                x[k] = f * M[k, k]


@helper
def inner_six(M, x, k):
    """The same for the six coordinates from k on of a body that hangs on the world."""
    a, b, c, d, e = k + 1, k + 2, k + 3, k + 4, k + 5
    f = x[e]
    x4, x3, x2 = x[d] - M[e, d] * f, x[c] - M[e, c] * f, x[b] - M[e, b] * f
    x1, x0 = x[a] - M[e, a] * f, x[k] - M[e, k] * f
    x3, x2, x1, x0 = x3 - M[d, c] * x4, x2 - M[d, b] * x4, x1 - M[d, a] * x4, x0 - M[d, k] * x4
    x2, x1, x0 = x2 - M[c, b] * x3, x1 - M[c, a] * x3, x0 - M[c, k] * x3
    x1, x0 = x1 - M[b, a] * x2, x0 - M[b, k] * x2
    x0 -= M[a, k] * x1
    x[e], x[d], x[c] = f * M[e, e], x4 * M[d, d], x3 * M[c, c]
    x[b], x[a], x[k] = x2 * M[b, b], x1 * M[a, a], x0 * M[k, k]


@routine
def outer(topology, M, x):
    """x <- L^-1 d^-1/2 x"""
    world = topology.shape[0] - 1
    for b in range(world):
        for k in range(topology[b, V], topology[b, V] + topology[b, V_COUNT]):
            s, body, end = x[k] * M[k, k], b, k
            while body < world:
                for i in range(topology[body, RUN], end):
                    s -= M[k, i] * x[i]
                body = topology[body, NEXT]
                end = topology[body, V] + topology[body, V_COUNT]
            x[k] = s


@routine
def put_row(plan, work, rows, r, i, x, d, sign, turning):
    """Add the velocity of body i along d at the point x, or its turn about d, to row r of `rows`."""
    world, row = plan.topology.shape[0] - 1, rows[r]
    m = cross(x, d)
    if plan.rods.shape[0] > 0:
        place, by = work.place, 0.0 if turning else 1.0
        place[0], place[1], place[2] = by * d[0], by * d[1], by * d[2]
        place[3], place[4], place[5] = d if turning else m
        call_compiled(plan.calls[PULL], (plan, work, rows, i, world, sign, r))
        return
    while i < world:
        for k in range(plan.topology[i, V], plan.topology[i, V] + plan.topology[i, V_COUNT]):
            turn = (work.axes[3, k], work.axes[4, k], work.axes[5, k])
            if turning:
                row[k] += sign * dot(d, turn)
            else:
                row[k] += sign * (dot(d, (work.axes[0, k], work.axes[1, k], work.axes[2, k])) + dot(m, turn))
        i = plan.topology[i, PARENT]


@routine
def put_point_rows(plan, work, rows, axes, r, i, x, one, two, n, sign):
    """Add the velocity of body i at the point x along three directions to rows r to r + 2 of `rows`; axes : motion axes of
    joints at the origin of the world, which flexible bodies have by themselves"""
    world = plan.topology.shape[0] - 1
    if plan.rods.shape[0] > 0:
        put_row(plan, work, rows, r, i, x, one, sign, False)
        put_row(plan, work, rows, r + 1, i, x, two, sign, False)
        put_row(plan, work, rows, r + 2, i, x, n, sign, False)
        return
    x = scale(sign, x)
    while i < world:
        for k in range(plan.topology[i, V], plan.topology[i, V] + plan.topology[i, V_COUNT]):
            v = cross((axes[3, k], axes[4, k], axes[5, k]), x)
            v = add(scale(sign, (axes[0, k], axes[1, k], axes[2, k])), v)
            rows[r, k] += dot(one, v)
            rows[r + 1, k] += dot(two, v)
            rows[r + 2, k] += dot(n, v)
        i = plan.topology[i, PARENT]


@routine
def hold_constraints(plan, work, state, nv):
    """An orthonormal basis of rows of constraints, state.basis, with their triangle; returns how many there are.

    What is left of a row beside others is compared with its length (`linear.rank`) as its part of the row over (M + D)^-1 is:
    one that is all rounding, as of turns that the other joints of a loop allow anyway, would hold a motion that nothing holds.
    """
    rank, count, tolerance = 0, plan.holonomic.shape[0], plan.options[RANK_TOLERANCE]
    for r in range(count):
        y, own = state.basis[rank], 0.0
        for k in range(nv):
            y[k] = 0.0 if state.known[k] != 0 else work.A[r, k]
            own += y[k] * y[k]
        inner(plan.topology, work.M, y)
        for j in range(count):
            state.triangle[r, j] = 0.0
        left, size = split(y, 0, nv, state.basis, rank, nv, state.triangle[r], state.held)
        state.independent[r] = -1
        if own > 0.0 and left * own > tolerance * tolerance * size * work.lengths[r] * work.lengths[r]:
            state.triangle[r, rank] = append(state.basis, rank, nv, y, left)
            state.independent[r] = rank
            rank += 1
    return rank


@helper
def set_spans(state, j, b, a):
    """Spans of block j (`contact.alart_curnier`), which bodies a and b feel; either may be the world."""
    paths, spans = state.paths, state.spans
    spans[j, 0], spans[j, 1], spans[j, 2], spans[j, 3] = paths[b, 0], paths[b, 1], paths[a, 0], paths[a, 1]
    if paths[b, 1] == 0 or (paths[a, 1] > 0 and paths[a, 0] == paths[b, 0]):
        spans[j, 0], spans[j, 1] = paths[a, 0], max(paths[a, 1], paths[b, 1])
        spans[j, 2] = spans[j, 3] = 0


@helper
def start_row(state, r, j, nv):
    """Zeros in row r of state.raw, to be one of block j. Trees feel few of all coordinates: only what was there goes."""
    row = state.raw[r]
    if state.trees.shape[1] > WHOLE:
        for side in range(2):
            for k in range(state.spanned[r, 2 * side], state.spanned[r, 2 * side + 1]):
                row[k] = 0.0
        for i in range(4):
            state.spanned[r, i] = state.spans[j, i]
    else:
        for k in range(nv):
            row[k] = 0.0


@helper
def inner_paths(plan, work, state, y, b, a):
    """y <- d^-1/2 L^-T y of a row that bodies a and b feel."""
    paths = state.paths
    if paths[b, 1] > 0 and paths[a, 1] > 0 and paths[b, 2] == paths[a, 2]:
        inner_part(plan.topology, work.M, y, paths[b, 2], max(paths[b, 3], paths[a, 3]))
    else:
        if paths[b, 1] > 0:
            inner_part(plan.topology, work.M, y, paths[b, 2], paths[b, 3])
        if paths[a, 1] > 0:
            inner_part(plan.topology, work.M, y, paths[a, 2], paths[a, 3])


@routine
def lean(plan, work, state):
    """d^-1/2 L^-T of each coordinate by itself, of which rows of one tree are sums."""
    topology, over = plan.topology, state.over
    for b in range(topology.shape[0] - 1 if over.shape[0] > 0 else 0):
        for k in range(topology[b, V], topology[b, V] + topology[b, V_COUNT]):
            for i in range(over.shape[1]):
                over[k, i] = 0.0
            if state.known[k] == 0:
                over[k, k] = 1.0
                inner_part(topology, work.M, over[k], 0, b)


@helper
def lean_rows(plan, work, state, raw, rows, m, b, a):
    """Rows m to m + 2 of `raw`, which bodies a and b feel, over the mass matrix into `rows`."""
    topology, world, body, more = plan.topology, plan.topology.shape[0] - 1, min(b, a), False
    if state.over.shape[0] > 0:
        if max(b, a) < world:
            weigh_rows(rows, m, raw, state.over, 0, raw.shape[1], False)
            return
        end = topology[body, V] + topology[body, V_COUNT]
        while body < world:
            weigh_rows(rows, m, raw, state.over, topology[body, RUN], end, more)
            body, more = topology[body, NEXT], True
            end = topology[body, V] + topology[body, V_COUNT]
        return
    for r in range(m, m + 3):
        lean_row(plan, work, state, raw, rows, r, b, a)


@routine
def lean_row(plan, work, state, raw, rows, r, b, a):
    """Row r of `raw`, which bodies a and b feel, over the mass matrix into `rows`."""
    y = rows[r]
    for k in range(raw.shape[1]):
        y[k] = 0.0 if state.known[k] != 0 else raw[r, k]
    inner_paths(plan, work, state, y, b, a)


@routine
def add_row(plan, work, state, r, nv, rank, b, a, j):
    """Row r of state.raw, of block j, which bodies a and b feel, in state.rows without what constraints take."""
    y = state.rows[r]
    if state.trees.shape[1] > WHOLE:
        for side in range(2):
            for k in range(state.spanned[r, 4 + 2 * side], state.spanned[r, 5 + 2 * side]):
                y[k] = 0.0
        for side in range(2):
            for k in range(state.spans[j, 2 * side], state.spans[j, 2 * side + 1]):
                y[k] = 0.0 if state.known[k] != 0 else state.raw[r, k]
        for i in range(4):
            state.spanned[r, 4 + i] = state.spans[j, i]
        inner_paths(plan, work, state, y, b, a)
    else:
        lean_row(plan, work, state, state.raw, state.rows, r, b, a)
    without_constraints(state, r, nv, rank)


@routine
def add_point_rows(plan, work, state, m, nv, rank, b, a, j):
    """Rows m to m + 2 of state.raw, of block j, in the same way."""
    if state.over.shape[0] == 0:
        for r in range(m, m + 3):
            add_row(plan, work, state, r, nv, rank, b, a, j)
        return
    lean_rows(plan, work, state, state.raw, state.rows, m, b, a)
    for r in range(m, m + 3):
        without_constraints(state, r, nv, rank)


@helper
def without_constraints(state, r, nv, rank):
    """Row r of state.rows without what constraints take."""
    y = state.rows[r]
    for j in range(rank):
        along = 0.0
        for k in range(nv):
            along += state.basis[j, k] * y[k]
        state.taken[r, j] = along
        for k in range(nv):
            y[k] -= along * state.basis[j, k]
