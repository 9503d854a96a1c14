"""Elimination of constraints subsystem by subsystem: accelerations and reactions at a cost linear in the number of loops.

What comes on top of a motion without free accelerations, for forces z on free coordinates and rows with drift:

    M x - z = A^T lam ,   A x = d                                                                                       (0)

A subsystem (`subsystems`) has own coordinates x, rows over x, and an edge b: coordinates of others that its rows touch (its
border), and the acceleration of its anchor. I, p are inertia and bias of what hangs on a body, as in forward dynamics.

    inward    K x + F b = g + C^T lam       K = sum of J^T I J over its bodies, F likewise, g = z - J^T p               (1)
              C = R^T Q^T ,  x = Q (x1, x2) ,   K, F, g turned by Q :                                                    (2)
              x1 = y - Y b                  y, Y from the rows: R^T y = d , R^T Y = rows over the border                  (3)
              F' = F - K_.1 Y ,  e = K_.1 y - g                                                                           (4)
              x2 = -K_22^-1 (e_2 + F'_2 b)                                                                                (5)
              the edge has the inertia G - Y^T F_1 - F'_1^T Y - F'_2^T K_22^-1 F'_2 , and the force                      (6)
              h - F_1^T y + Y^T e_1 + F'_2^T K_22^-1 e_2 , and hands both on: to the subsystem that has the border, or,
              without one, as I and p to the anchor
    outward   x1, x2, x by (3), (5), (2) ; accelerations of its bodies                                                    (7)
              R lam = e_1 + K_12 x2 + F'_1 b         of all solutions the one of least norm                              (8)

M turns up nowhere as a whole. If rows depend on the border where own coordinates hardly move them, the subsystem alone does not
show what is independent: UNCLEAR, and all rows are eliminated at once (`equations`).

Tested by tests/laws/evaluation/test_subsystems.py.
"""

from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import helper, kernel, routine
from locomote.compiler.views import block, piece
from locomote.evaluation import subsystems as sub
from locomote.evaluation.evaluate import UNCLEAR
from locomote.evaluation.plan import BY_MASS, INVERSE, PROJECTION_TOLERANCE, RANK_TOLERANCE, REMAINDER
from locomote.kernels.articulated import axis_column, blocks_plus, rigid_blocks
from locomote.kernels.forward_dynamics import blocks_on_parent, with_added
from locomote.linear.cholesky import cholesky
from locomote.linear.orthogonal import eliminate, reactions, solve_rows, turn_in, turn_matrix, turn_out
from locomote.model.columns import ARMATURE, PARENT, V_COUNT, V
from locomote.model.joints import along_axis, moved_along, twist_from_parent, wrench_on_parent
from locomote.spatial.algebra import minus, plus
from locomote.spatial.rows import load6, load9, six, store6, store9

CLEAR = 0.02  # least remainder on own coordinates of a row that touches a border too


@helper
def blocks_of(bodies, i):
    """Inertia of what hangs on body i."""
    return load6(bodies, i, sub.LINEAR_BLOCK), load9(bodies, i, sub.COUPLING_BLOCK), load6(bodies, i, sub.ANGULAR_BLOCK)


@helper
def store_blocks(bodies, i, L, H, J):
    store6(bodies, i, sub.LINEAR_BLOCK, L)
    store9(bodies, i, sub.COUPLING_BLOCK, H)
    store6(bodies, i, sub.ANGULAR_BLOCK, J)


@routine
def begin_parts(plan, work, by_mass):
    """Nothing is in any matrix yet, and bodies have their own inertia; without masses each coordinate has a mass of one."""
    count = plan.subsystems.shape[0]
    last = count - 1
    squares = plan.subsystems[last, sub.SQUARE] + plan.subsystems[last, sub.OWN] * plan.subsystems[last, sub.OWN]
    K, F, G, h = piece(work.K, 0, squares), work.sides, work.corners, work.edges
    for n in range(K.shape[0]):
        K[n] = 0.0
    for n in range(F.shape[0]):
        F[n] = 0.0
    for n in range(G.shape[0]):
        G[n] = 0.0
    for n in range(h.shape[0]):
        h[n] = 0.0
    world, bodies, none = plan.topology.shape[0] - 1, work.part_bodies, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    store6(bodies, world, sub.ACCELERATION, none)
    if by_mass:
        for i in range(world):
            L, H, J = rigid_blocks(plan.constants, i)
            L, H, J = with_added(plan.constants, i, work.wrenches, L, H, J)
            store_blocks(bodies, i, L, H, J)
            store6(bodies, i, sub.BIAS, none)
    else:
        for s in range(count):
            n = plan.subsystems[s, sub.OWN]
            for j in range(n):
                K[plan.subsystems[s, sub.SQUARE] + j * n + j] = 1.0


@routine
def gather(plan, work, q, s):
    """(1): K, F and g of the bodies of subsystem s, and the inertia and bias that they hand to their parents."""
    topology, constants, bodies, sine, cosine = plan.topology, plan.constants, work.part_bodies, work.sine, work.cosine
    part, world = plan.subsystems[s], topology.shape[0] - 1
    own, edge, anchor, at = part[sub.OWN], part[sub.EDGE], part[sub.ANCHOR], part[sub.OWN_FIRST]
    K, F = block(work.K, part[sub.SQUARE], own, own), block(work.sides, part[sub.SIDE], own, edge)
    for n in range(part[sub.BODY_FIRST] + part[sub.BODIES] - 1, part[sub.BODY_FIRST] - 1, -1):
        i = plan.subsystem_bodies[n]
        L, H, J = blocks_of(bodies, i)
        p = load6(bodies, i, sub.BIAS)
        for j in range(topology[i, V_COUNT]):
            row = plan.own_of_v[topology[i, V] + j]
            if row < 0:
                continue
            U = axis_column(topology, constants, i, j, L, H, J)
            work.z[at + row] -= along_axis(topology, constants, i, j, p)
            K[row, row] += constants[i, ARMATURE + j]
            k = i
            while True:
                for m in range(topology[k, V_COUNT]):
                    column = plan.own_of_v[topology[k, V] + m]
                    if column >= 0:
                        value = along_axis(topology, constants, k, m, U)
                        K[row, column] += value
                        if k != i:
                            K[column, row] += value
                if topology[k, PARENT] == anchor and anchor == world:
                    break
                U = wrench_on_parent(topology, constants, k, q, sine, cosine, U)
                k = topology[k, PARENT]
                if k == anchor:
                    for m in range(6):
                        F[row, edge - 6 + m] += U[m]
                    break
        k = topology[i, PARENT]
        if k < world:
            L, H, J = blocks_on_parent(topology, constants, i, q, sine, cosine, L, H, J)
            M, G, N = blocks_of(bodies, k)
            L, H, J = blocks_plus(L, H, J, M, G, N)
            store_blocks(bodies, k, L, H, J)
            p = wrench_on_parent(topology, constants, i, q, sine, cosine, p)
            store6(bodies, k, sub.BIAS, plus(p, load6(bodies, k, sub.BIAS)))


@routine
def eliminate_part(plan, work, s, holonomic, tolerance):
    """(2): rows of subsystem s over its own coordinates; False if these do not show what is independent."""
    part = plan.subsystems[s]
    own, held, border, start = part[sub.OWN], part[sub.ROWS], part[sub.BORDER], part[sub.ROW_FIRST]
    rows, lower = block(work.rows, part[sub.ROW_SQUARE], held, own), block(work.lower, part[sub.ROW_SQUARE], held, own)
    turns, order = block(work.reflections, part[sub.SQUARE], own, own), piece(work.order, start, held)
    count = 0
    for n in range(start, start + held):
        r = plan.subsystem_rows[n]
        if plan.holonomic[r] != 0 or not holonomic:
            work.chosen[start + count] = r
            scale = work.lengths[r]
            work.scales[start + count] = scale
            for j in range(own):
                rows[count, j] = work.A[r, plan.subsystem_own[part[sub.OWN_FIRST] + j]] / scale
            count += 1
    rank = eliminate(rows, count, own, tolerance, True, lower, turns, order)
    work.part_ranks[s], work.part_rows[s] = rank, count
    if border == 0:
        return True
    Y = block(work.across, part[sub.ACROSS], held, part[sub.EDGE])
    for j in range(count):
        p = start + order[j]
        for e in range(part[sub.EDGE]):
            Y[j, e] = 0.0
        for e in range(border):
            Y[j, e] = work.A[work.chosen[p], plan.subsystem_border[part[sub.BORDER_FIRST] + e]] / work.scales[p]
    for j in range(count):  # (3)
        for k in range(min(j, rank)):
            for e in range(border):
                Y[j, e] -= lower[j, k] * Y[k, e]
        if j < rank:
            for e in range(border):
                Y[j, e] /= lower[j, j]
    clear = rank == 0 or abs(lower[rank - 1, rank - 1]) > CLEAR
    for j in range(rank, count):  # what no own coordinate decides must be nothing
        for e in range(border):
            clear = clear and abs(Y[j, e]) <= tolerance
    return clear


@routine
def reduce_part(plan, work, s, sign):
    """(3) to (6) for d = sign drift: leaves y and e in work.y and .e, L of K_22 = L L^T, F' and L^-1 F'_2 in place of F, and
    L^-1 e_2 in work.e. False if K_22 is not positive."""
    part = plan.subsystems[s]
    own, edge, border, rank, at, start = (
        part[sub.OWN],
        part[sub.EDGE],
        part[sub.BORDER],
        work.part_ranks[s],
        part[sub.OWN_FIRST],
        part[sub.ROW_FIRST],
    )
    K, F = block(work.K, part[sub.SQUARE], own, own), block(work.sides, part[sub.SIDE], own, edge)
    turns, lower = (
        block(work.reflections, part[sub.SQUARE], own, own),
        block(work.lower, part[sub.ROW_SQUARE], part[sub.ROWS], own),
    )
    g, y, e = piece(work.z, at, own), piece(work.y, at, own), piece(work.e, at, own)
    G, h = block(work.corners, part[sub.CORNER], edge, edge), piece(work.edges, part[sub.EDGE_FIRST], edge)
    Y = block(work.across, part[sub.ACROSS], part[sub.ROWS], edge)
    for j in range(rank):
        p = start + work.order[start + j]
        y[j] = sign * work.drift[work.chosen[p]] / work.scales[p]
    solve_rows(lower, rank, y)
    turn_in(turns, rank, own, g)
    turn_matrix(turns, rank, own, K, e)
    for a in range(edge):
        turn_in(turns, rank, own, F[:, a])
    for n in range(own):  # (4)
        value = -g[n]
        for m in range(rank):
            value += K[n, m] * y[m]
        e[n] = value
    for j in range(rank):  # (6)
        for a in range(edge):
            h[a] -= F[j, a] * y[j]
        for a in range(border):
            h[a] += Y[j, a] * e[j]
            for b in range(edge):
                G[a, b] -= Y[j, a] * F[j, b]
    if border > 0:
        for n in range(own):  # (4)
            for j in range(rank):
                for a in range(border):
                    F[n, a] -= K[n, j] * Y[j, a]
        for j in range(rank):  # (6)
            for a in range(edge):
                for b in range(border):
                    G[a, b] -= F[j, a] * Y[j, b]
    good = cholesky(K, rank, own, 0.0)
    for j in range(rank, own):  # (5)
        value = e[j]
        for i in range(rank, j):
            value -= K[j, i] * e[i]
            for a in range(edge):
                F[j, a] -= K[j, i] * F[i, a]
        e[j] = value / K[j, j]
        for a in range(edge):
            F[j, a] /= K[j, j]
        for a in range(edge):  # (6)
            h[a] += F[j, a] * e[j]
            for b in range(edge):
                G[a, b] -= F[j, a] * F[j, b]
    return good


@routine
def hand_on(plan, work, s, by_mass):
    """The inertia and force at the edge of subsystem s, (6), handed to its owner."""
    part = plan.subsystems[s]
    edge, border, anchor, world = part[sub.EDGE], part[sub.BORDER], part[sub.ANCHOR], plan.topology.shape[0] - 1
    G, h = block(work.corners, part[sub.CORNER], edge, edge), piece(work.edges, part[sub.EDGE_FIRST], edge)
    if border > 0:
        after = plan.subsystems[part[sub.NEXT]]
        own, at = after[sub.OWN], after[sub.OWN_FIRST]
        K, F = block(work.K, after[sub.SQUARE], own, own), block(work.sides, after[sub.SIDE], own, after[sub.EDGE])
        C, f = (
            block(work.corners, after[sub.CORNER], after[sub.EDGE], after[sub.EDGE]),
            piece(work.edges, after[sub.EDGE_FIRST], after[sub.EDGE]),
        )
        for a in range(edge):
            i = place_of(plan, part, after, a)
            if i < own:
                work.z[at + i] += h[a]
            else:
                f[i - own] += h[a]
            for b in range(edge):
                j = place_of(plan, part, after, b)
                if i < own and j < own:
                    K[i, j] += G[a, b]
                elif i < own:
                    F[i, j - own] += G[a, b]
                elif j >= own:
                    C[i - own, j - own] += G[a, b]
    elif by_mass and anchor < world:
        L, H, J = blocks_of(work.part_bodies, anchor)
        L, H, J = blocks_plus(
            L, H, J, (G[0, 0], G[0, 1], G[0, 2], G[1, 1], G[1, 2], G[2, 2]),
            (G[0, 3], G[0, 4], G[0, 5], G[1, 3], G[1, 4], G[1, 5], G[2, 3], G[2, 4], G[2, 5]),
            (G[3, 3], G[3, 4], G[3, 5], G[4, 4], G[4, 5], G[5, 5]),
        )  # fmt: skip
        store_blocks(work.part_bodies, anchor, L, H, J)
        store6(work.part_bodies, anchor, sub.BIAS, minus(load6(work.part_bodies, anchor, sub.BIAS), six(h, 0)))


@helper
def place_of(plan, part, after, a):
    """Where entry a of the edge of a subsystem stands in the one that comes next: its own coordinates, then its edge."""
    if a < part[sub.BORDER]:
        return plan.subsystem_place[part[sub.BORDER_FIRST] + a]
    return after[sub.OWN] + after[sub.BORDER] + a - part[sub.BORDER]


@routine
def solve_part(plan, work, q, s, by_mass, x):
    """(7): fill x where it is own of subsystem s, leave what its rows carry in work.e, (8), and accelerate its bodies."""
    part, topology, bodies = plan.subsystems[s], plan.topology, work.part_bodies
    own, edge, border, rank, at = part[sub.OWN], part[sub.EDGE], part[sub.BORDER], work.part_ranks[s], part[sub.OWN_FIRST]
    K, F = block(work.K, part[sub.SQUARE], own, own), block(work.sides, part[sub.SIDE], own, edge)
    turns, Y = block(work.reflections, part[sub.SQUARE], own, own), block(work.across, part[sub.ACROSS], part[sub.ROWS], edge)
    y, e, b = piece(work.y, at, own), piece(work.e, at, own), work.edge
    for a in range(border):
        b[a] = x[plan.subsystem_border[part[sub.BORDER_FIRST] + a]]
    for a in range(border, edge):
        b[a] = bodies[part[sub.ANCHOR], sub.ACCELERATION + a - border] if by_mass else 0.0
    for j in range(own - 1, rank - 1, -1):  # (5)
        value = -e[j]
        for a in range(edge):
            value -= F[j, a] * b[a]
        for i in range(j + 1, own):
            value -= K[i, j] * y[i]
        y[j] = value / K[j, j]
    for j in range(rank):
        value = e[j]
        for m in range(rank, own):
            value += K[m, j] * y[m]
        for a in range(edge):
            value += F[j, a] * b[a]
        e[j] = value  # (8)
        for a in range(border):
            y[j] -= Y[j, a] * b[a]  # (3)
    turn_out(turns, rank, own, y)
    for j in range(own):
        x[plan.subsystem_own[at + j]] = y[j]
    if by_mass:
        for n in range(part[sub.BODY_FIRST], part[sub.BODY_FIRST] + part[sub.BODIES]):
            i = plan.subsystem_bodies[n]
            A = load6(bodies, topology[i, PARENT], sub.ACCELERATION)
            A = twist_from_parent(topology, plan.constants, i, q, work.sine, work.cosine, A)
            for j in range(topology[i, V_COUNT]):
                row = plan.own_of_v[topology[i, V] + j]
                if row >= 0:
                    A = moved_along(topology, plan.constants, i, j, A, y[row])
            store6(bodies, i, sub.ACCELERATION, A)


@routine
def solve_parts(plan, work, q, holonomic, tolerance, sign, by_mass, x):
    """(0) for d = sign drift and the forces work.z on own coordinates, which it changes; fills x (nv) where free. Sines and
    cosines must be there. Returns the rank, -1 - rank if some motion has no mass, or UNCLEAR."""
    count, total, good = plan.subsystems.shape[0], 0, True
    for s in range(count):
        if not eliminate_part(plan, work, s, holonomic, tolerance):
            return UNCLEAR
        total += work.part_ranks[s]
    begin_parts(plan, work, by_mass)
    for s in range(count):
        if by_mass:
            gather(plan, work, q, s)
        good = reduce_part(plan, work, s, sign) and good
        hand_on(plan, work, s, by_mass)
    for s in range(count - 1, -1, -1):
        solve_part(plan, work, q, s, by_mass, x)
    return total if good else -1 - total


@routine
def reactions_of_part(plan, work, s, lam):
    """(8): the least lam of the rows of subsystem s for the load work.e."""
    part = plan.subsystems[s]
    own, held, start, rank, count = part[sub.OWN], part[sub.ROWS], part[sub.ROW_FIRST], work.part_ranks[s], work.part_rows[s]
    lower, order = block(work.lower, part[sub.ROW_SQUARE], held, own), piece(work.order, start, held)
    loads, loads_lower = block(work.loads, 0, own, held), block(work.loads_lower, 0, own, held)
    room = loads, loads_lower, block(work.loads_reflections, 0, held, held), work.loads_order
    e, chosen, scales = (
        piece(work.e, part[sub.OWN_FIRST], own),
        piece(work.chosen, start, held),
        piece(work.scales, start, held),
    )
    reactions(lower, scales, order, chosen, rank, count, room, e, work.z, lam)


@kernel
def local_motion_one(plan, work, t, q, v, a, lam):
    """`equations.constrained`, in parts."""
    call_compiled(plan.calls[INVERSE], (plan, work, q, v, a))
    for n in range(plan.subsystem_own.shape[0]):
        k = plan.subsystem_own[n]
        work.z[n] = work.active[k] + work.passive[k] - work.bias[k]
    rank = solve_parts(plan, work, q, False, plan.options[RANK_TOLERANCE], -1.0, True, a)
    if rank == UNCLEAR:
        return rank
    work.result[REMAINDER] = 1.0 if rank == 0 or rank == -1 else 1e300
    for s in range(plan.subsystems.shape[0]):
        part, own = plan.subsystems[s], work.part_ranks[s]
        if own > 0:
            lower = block(work.lower, part[sub.ROW_SQUARE], part[sub.ROWS], part[sub.OWN])
            work.result[REMAINDER] = min(work.result[REMAINDER], abs(lower[own - 1, own - 1]))
        reactions_of_part(plan, work, s, lam)
    if plan.held.shape[0] > 0:
        call_compiled(plan.calls[INVERSE], (plan, work, q, v, a))
        for n in range(plan.held.shape[0]):
            k = plan.held[n]
            work.tau[k] = work.bias[k] - work.passive[k] - work.active[k]
        for r in range(lam.shape[0]):
            for n in range(plan.touched_first[r], plan.touched_first[r + 1]):
                k = plan.touched[n]
                if plan.imposed[k] != 0:
                    work.tau[k] -= work.A[r, k] * lam[r]
    return rank


@kernel
def local_change_one(plan, work, q):
    """`projection.correct`, in parts."""
    rank, by_mass, holonomic = -1, plan.options[BY_MASS] != 0.0, work.holding[0] != 0
    for way in range(2):
        if way == 0 and not by_mass:
            continue
        for n in range(plan.subsystem_own.shape[0]):
            work.z[n] = 0.0
        rank = solve_parts(plan, work, q, holonomic, plan.options[PROJECTION_TOLERANCE], 1.0, way == 0, work.dx)
        if rank >= 0 or rank == UNCLEAR:
            return rank
    return rank
