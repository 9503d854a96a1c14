"""Stations of a modal body: each hangs on the root of the body, and moves by the shapes of its modes.

Station s at rest at p_0, with displacement phi_j and turn psi_j per unit of mode j, and second-order displacement S_jk:

    p = p_0 + phi_j r_j + S_jk r_j r_k / 2 ,    R = exp(theta) ,   theta = psi_j r_j                                      (1)
    motion per unit of r_j'    J_j = (R^T (phi_j + S_jk r_k), T psi_j) ,   T the tangent of exp                           (2)
    rate of J_j r_j'           (R^T p'' - w x R^T p', T theta'' + T' theta') ,   w = T theta'                             (3)

A station has the block p_0 (3), phi (modes x 3), psi (modes x 3) and, of bodies of second order, S (modes x modes x 3) in
`basis`.
The coordinates of the body are kept in column X1 of the rows of its first stations, of which it has as many as modes.
"""

from locomote.compiler.source import helper, routine
from locomote.kernels.flexible import columns as col
from locomote.kernels.flexible.steps import entire, exponential, tangent, tangent_rate
from locomote.spatial import algebra as al
from locomote.spatial.rows import load6, load9, store, store6, store9

HERE = (0.0, 0.0, 0.0)


@helper
def block_of(tree, n, s):
    """Where the numbers of station s of modal body n begin in `basis`."""
    size = tree.rods[n, col.SIZE]
    width = 3 + 6 * size
    if tree.rods[n, col.MODAL] == col.SECOND:
        width += 3 * size * size
    return tree.rods[n, col.BASIS] + (s - tree.rods[n, col.STATION]) * width


@helper
def three(tree, at):
    """Three numbers of `basis`."""
    return tree.basis[at], tree.basis[at + 1], tree.basis[at + 2]


@helper
def displaced(tree, n, at, j, steps):
    """phi_j + S_jk r_k of (2)."""
    size, first = tree.rods[n, col.SIZE], tree.rods[n, col.STATION]
    d = three(tree, at + 3 + 3 * j)
    d = (d[0] + 0.0 * steps[first, col.X1], d[1] + 0.0 * steps[first, col.X1], d[2] + 0.0 * steps[first, col.X1])
    if tree.rods[n, col.MODAL] == col.SECOND:
        for k in range(size):
            d = al.add(d, al.scale(steps[first + k, col.X1], three(tree, at + 3 + 6 * size + 3 * (j * size + k))))
    return d


@helper
def turned(steps, s, b):
    """T b of station s, for a turn b."""
    w = al.angular(load6(steps, s, col.OMEGA))
    f2, f3, g2, g3 = steps[s, col.FACTORS], steps[s, col.FACTORS + 1], steps[s, col.FACTORS + 2], steps[s, col.FACTORS + 3]
    return al.angular(tangent(HERE, w, f2, f3, g2, g3, al.join(HERE, b)))


@routine
def modal_column(tree, n, s, steps, j):
    """(2): motion of station s of modal body n, seen from itself, per unit of its mode j."""
    at, size = block_of(tree, n, s), tree.rods[n, col.SIZE]
    d, psi = displaced(tree, n, at, j, steps), three(tree, at + 3 + 3 * size + 3 * j)
    return al.join(al.unrotate(load9(steps, s, col.ROTATION), d), turned(steps, s, psi))


@routine
def modal_shape(tree, n, s, q, v, a, steps):
    """(1), the motion of station s unless v is None, and (3) unless a is None: into its row of `steps`."""
    size, first = tree.rods[n, col.SIZE], tree.rods[n, col.FIRST_Q]
    at = block_of(tree, n, s)
    if s == tree.rods[n, col.STATION]:
        for j in range(size):
            steps[s + j, col.X1] = q[first + j]
    p, theta = al.scale(1.0 + 0.0 * q[first], three(tree, at)), al.scale(0.0 * q[first], HERE)
    for j in range(size):
        half = al.add(three(tree, at + 3 + 3 * j), displaced(tree, n, at, j, steps))
        p = al.add(p, al.scale(0.5 * q[first + j], half))  # (1)
        theta = al.add(theta, al.scale(q[first + j], three(tree, at + 3 + 3 * size + 3 * j)))
    f1, f2, f3, f4, f5, f6, f7 = entire(al.dot(theta, theta))
    g2, g3 = f4 - 0.5 * f3, 1.5 * f5 - 0.5 * f4
    R, _ = exponential(HERE, theta, f1, f2, f3)
    store9(steps, s, col.ROTATION, R)
    store(steps, s, col.ORIGIN, p)
    store6(steps, s, col.OMEGA, al.join(HERE, theta))
    steps[s, col.FACTORS], steps[s, col.FACTORS + 1], steps[s, col.FACTORS + 2], steps[s, col.FACTORS + 3] = f2, f3, g2, g3
    if v is not None:
        k = tree.rods[n, col.FIRST_V]
        move, turn = al.scale(0.0 * v[k], HERE), al.scale(0.0 * v[k], HERE)
        for j in range(size):
            move = al.add(move, al.scale(v[k + j], displaced(tree, n, at, j, steps)))
            turn = al.add(turn, al.scale(v[k + j], three(tree, at + 3 + 3 * size + 3 * j)))
        move, w = al.unrotate(R, move), turned(steps, s, turn)
        store6(steps, s, col.TWIST, al.join(move, w))
        if a is not None:
            faster, spin = al.scale(0.0 * v[k], HERE), al.scale(0.0 * v[k], HERE)
            for j in range(size):
                faster = al.add(faster, al.scale(a[k + j], displaced(tree, n, at, j, steps)))
                spin = al.add(spin, al.scale(a[k + j], three(tree, at + 3 + 3 * size + 3 * j)))
                if tree.rods[n, col.MODAL] == col.SECOND:
                    for c in range(size):
                        S = three(tree, at + 3 + 6 * size + 3 * (j * size + c))
                        faster = al.add(faster, al.scale(v[k + j] * v[k + c], S))
            g4, g5 = 2.0 * f6 - 0.5 * f5, 2.5 * f7 - 0.5 * f6
            h2, h3 = g4 - 0.5 * g3, 1.5 * g5 - 0.5 * g4
            late = al.angular(tangent_rate(HERE, theta, f3, g2, g3, h2, h3, al.join(HERE, turn)))
            lin = al.subtract(al.unrotate(R, faster), al.cross(w, move))
            store6(steps, s, col.RATE, al.join(lin, al.add(turned(steps, s, spin), late)))  # (3)


@routine
def modal_moved_by(tree, n, s, steps, x):
    """J x, linear in x (nv,): how station s moves beyond what the root does."""
    first = tree.rods[n, col.FIRST_V]
    t = al.times(x[first], modal_column(tree, n, s, steps, 0))
    for j in range(1, tree.rods[n, col.SIZE]):
        t = al.plus(t, al.times(x[first + j], modal_column(tree, n, s, steps, j)))
    return t


@routine
def modal_pull(tree, n, s, steps, f, j):
    """The force on mode j of a wrench f on station s."""
    t = modal_column(tree, n, s, steps, j)
    return al.pair(al.join(al.linear(f), al.angular(f)), t)
