"""The shape of flexible bodies: where each station stands and how it moves, seen from the one before.

Step of length h with strains x1, x2 at its Gauss points, rates y, accelerations z; kappa = sqrt(3) h^2 / 12:

    x = xi_0 + B r ,  y = xi_0' + B r' ,  z = xi_0'' + B r''                                                              (1)
    Omega   = h/2 (x1 + x2) + kappa [x1, x2]                                                                              (2)
    Omega'  = h/2 (y1 + y2) + kappa ([y1, x2] + [x1, y2])                                                                 (3)
    Omega'' = h/2 (z1 + z2) + kappa ([z1, x2] + 2 [y1, y2] + [x1, z2])                                                    (4)
    pose exp(Omega) ,   twist T Omega' ,   rate T Omega'' + T' Omega'                                                     (5)

This is the Magnus method of order 4. The discrete body is a mechanical system of its own: all else is its exact derivative.
"""

from locomote.compiler.source import helper, routine
from locomote.kernels.flexible import columns as col
from locomote.kernels.flexible.modal import modal_moved_by, modal_pull, modal_shape
from locomote.kernels.flexible.steps import entire, exponential, tangent, tangent_rate, tangent_transposed
from locomote.spatial.algebra import angular, bracket, bracket_dual, dot, linear, plus, times
from locomote.spatial.rows import load6, store, store6, store9

UNITS = (
    (1.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    (0.0, 1.0, 0.0, 0.0, 0.0, 0.0),
    (0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 1.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 0.0, 1.0, 0.0),
    (0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
)


@routine
def strains_at(tree, n, s, given, q, v, a, steps):
    """(1) at station s of rod n: x, and y and z unless v and a are None, two sixes each of the row of the step.

    Coordinates of one strain stand one after the other, so that their sums stay in registers.
    """
    size, place, j = tree.rods[n, col.SIZE], tree.rods[n, col.COMPONENTS], 0
    first, at = tree.rods[n, col.FIRST_V], tree.rods[n, col.BASIS] + (s - tree.rods[n, col.STATION]) * 2 * size
    shift = tree.rods[n, col.FIRST_Q] - first
    for c in range(12):
        steps[s, col.X1 + c] = given[s, col.STRAIN + c]
        if v is not None:
            steps[s, col.Y1 + c] = given[s, col.STRAIN_RATE + c]
            if a is not None:
                steps[s, col.Z1 + c] = given[s, col.STRAIN_ACCELERATION + c]
    while j < size:
        c, stop = tree.components[place + j], j + 1
        while stop < size and tree.components[place + stop] == c:
            stop += 1
        x1, x2 = steps[s, col.X1 + c], steps[s, col.X2 + c]
        if v is not None:
            y1, y2 = steps[s, col.Y1 + c], steps[s, col.Y2 + c]
            if a is not None:
                z1, z2 = steps[s, col.Z1 + c], steps[s, col.Z2 + c]
        for k in range(j, stop):
            b1, b2 = tree.basis[at + k], tree.basis[at + size + k]
            x1, x2 = x1 + b1 * q[first + shift + k], x2 + b2 * q[first + shift + k]
            if v is not None:
                y1, y2 = y1 + b1 * v[first + k], y2 + b2 * v[first + k]
                if a is not None:
                    z1, z2 = z1 + b1 * a[first + k], z2 + b2 * a[first + k]
        steps[s, col.X1 + c], steps[s, col.X2 + c] = x1, x2
        if v is not None:
            steps[s, col.Y1 + c], steps[s, col.Y2 + c] = y1, y2
            if a is not None:
                steps[s, col.Z1 + c], steps[s, col.Z2 + c] = z1, z2
        j = stop


@routine
def shape(tree, strain, q, v, a, steps):
    """Fill the rows of all steps: poses; motions unless v is None; rates of these unless a is None, with a = 0 if it is 0."""
    for n in range(tree.rods.shape[0]):
        first = tree.rods[n, col.STATION]
        if tree.rods[n, col.MODAL] != 0:
            for s in range(first, first + tree.rods[n, col.STATIONS]):
                modal_shape(tree, n, s, q, v, a, steps)
            continue
        for s in range(first, first + tree.rods[n, col.STATIONS]):
            h, kappa = 0.5 * tree.stations[s, col.LENGTH], tree.stations[s, col.KAPPA]
            strains_at(tree, n, s, strain, q, v, a, steps)
            x1, x2 = load6(steps, s, col.X1), load6(steps, s, col.X2)
            omega = plus(times(h, plus(x1, x2)), times(kappa, bracket(x1, x2)))  # (2)
            u, w = linear(omega), angular(omega)
            f1, f2, f3, f4, f5, f6, f7 = entire(dot(w, w))
            g2, g3 = f4 - 0.5 * f3, 1.5 * f5 - 0.5 * f4
            R, p = exponential(u, w, f1, f2, f3)
            store9(steps, s, col.ROTATION, R)
            store(steps, s, col.ORIGIN, p)
            store6(steps, s, col.OMEGA, omega)
            steps[s, col.FACTORS], steps[s, col.FACTORS + 1], steps[s, col.FACTORS + 2], steps[s, col.FACTORS + 3] = (
                f2,
                f3,
                g2,
                g3,
            )
            if v is not None:
                y1, y2 = load6(steps, s, col.Y1), load6(steps, s, col.Y2)
                rate = plus(times(h, plus(y1, y2)), times(kappa, plus(bracket(y1, x2), bracket(x1, y2))))  # (3)
                store6(steps, s, col.TWIST, tangent(u, w, f2, f3, g2, g3, rate))
                if a is not None:
                    z1, z2 = load6(steps, s, col.Z1), load6(steps, s, col.Z2)
                    second = plus(plus(bracket(z1, x2), bracket(x1, z2)), times(2.0, bracket(y1, y2)))
                    second = plus(times(h, plus(z1, z2)), times(kappa, second))  # (4)
                    g4, g5 = 2.0 * f6 - 0.5 * f5, 2.5 * f7 - 0.5 * f6
                    h2, h3 = g4 - 0.5 * g3, 1.5 * g5 - 0.5 * g4
                    d = tangent(u, w, f2, f3, g2, g3, second)
                    store6(steps, s, col.RATE, plus(d, tangent_rate(u, w, f3, g2, g3, h2, h3, rate)))  # (5)


@helper
def step_tangent(steps, s, t):
    """T t of the step to station s."""
    omega = load6(steps, s, col.OMEGA)
    f2, f3, g2, g3 = steps[s, col.FACTORS], steps[s, col.FACTORS + 1], steps[s, col.FACTORS + 2], steps[s, col.FACTORS + 3]
    return tangent(linear(omega), angular(omega), f2, f3, g2, g3, t)


@routine
def step_axes(tree, n, s, steps):
    """Motion of station s, seen from itself, per unit of each strain that rod n has, at either point: columns AXES of `steps`.

    T (h/2 - kappa ad_x2) e_c   and   T (h/2 + kappa ad_x1) e_c
    """
    h, kappa, active = 0.5 * tree.stations[s, col.LENGTH], tree.stations[s, col.KAPPA], tree.rods[n, col.ACTIVE]
    x1, x2 = load6(steps, s, col.X1), load6(steps, s, col.X2)
    for c in range(6):
        if (active >> c) & 1:
            e = UNITS[c]
            first = plus(times(h, e), times(-kappa, bracket(x2, e)))
            second = plus(times(h, e), times(kappa, bracket(x1, e)))
            store6(steps, s, col.AXES + 6 * c, step_tangent(steps, s, first))
            store6(steps, s, col.AXES + 36 + 6 * c, step_tangent(steps, s, second))


@routine
def moved_by(tree, n, s, steps, x):
    """How station s moves beyond what the row that it hangs on does, linear in x (nv,)."""
    if tree.rods[n, col.MODAL] != 0:
        return modal_moved_by(tree, n, s, steps, x)
    return strained_by(tree, n, s, steps, x)


@helper
def strained_by(tree, n, s, steps, x):
    """T Omega for strains B x."""
    size, place, first = tree.rods[n, col.SIZE], tree.rods[n, col.COMPONENTS], tree.rods[n, col.FIRST_V]
    at = tree.rods[n, col.BASIS] + (s - tree.rods[n, col.STATION]) * 2 * size
    h, kappa = 0.5 * tree.stations[s, col.LENGTH], tree.stations[s, col.KAPPA]
    for c in range(12):
        steps[s, col.Z1 + c] = 0.0
    for j in range(size):
        c, value = tree.components[place + j], x[first + j]
        steps[s, col.Z1 + c] = steps[s, col.Z1 + c] + tree.basis[at + j] * value
        steps[s, col.Z2 + c] = steps[s, col.Z2 + c] + tree.basis[at + size + j] * value
    x1, x2, z1, z2 = load6(steps, s, col.X1), load6(steps, s, col.X2), load6(steps, s, col.Z1), load6(steps, s, col.Z2)
    return step_tangent(steps, s, plus(times(h, plus(z1, z2)), times(kappa, plus(bracket(z1, x2), bracket(x1, z2)))))


@helper
def load_step(tree, n, s, steps, f, sign):
    """Forces on the strains at both points of the wrench f that the step to station s carries: columns Z of `steps`."""
    h, kappa, omega = 0.5 * tree.stations[s, col.LENGTH], tree.stations[s, col.KAPPA], load6(steps, s, col.OMEGA)
    f2, f3, g2, g3 = steps[s, col.FACTORS], steps[s, col.FACTORS + 1], steps[s, col.FACTORS + 2], steps[s, col.FACTORS + 3]
    l = times(sign, tangent_transposed(linear(omega), angular(omega), f2, f3, g2, g3, f))
    store6(steps, s, col.Z1, plus(times(h, l), times(kappa, bracket_dual(load6(steps, s, col.X2), l))))
    store6(steps, s, col.Z2, plus(times(h, l), times(-kappa, bracket_dual(load6(steps, s, col.X1), l))))


@helper
def pulled(tree, n, s, steps, j):
    """The force on coordinate j of rod n of what `load_step` left."""
    size, c = tree.rods[n, col.SIZE], tree.components[tree.rods[n, col.COMPONENTS] + j]
    at = tree.rods[n, col.BASIS] + (s - tree.rods[n, col.STATION]) * 2 * size + j
    return tree.basis[at] * steps[s, col.Z1 + c] + tree.basis[at + size] * steps[s, col.Z2 + c]


@routine
def pull(tree, n, s, steps, f, out):
    """Add to `out` (nv,) the forces on the coordinates of rod n of the wrench f that the step to station s carries."""
    if tree.rods[n, col.MODAL] != 0:
        for j in range(tree.rods[n, col.SIZE]):
            k = tree.rods[n, col.FIRST_V] + j
            out[k] = out[k] + modal_pull(tree, n, s, steps, f, j)
        return
    load_step(tree, n, s, steps, f, 1.0)
    for j in range(tree.rods[n, col.SIZE]):
        k = tree.rods[n, col.FIRST_V] + j
        out[k] = out[k] + pulled(tree, n, s, steps, j)


@routine
def pull_row(tree, n, s, steps, f, sign, out, r):
    """The same, with a sign, into row r of a matrix."""
    if tree.rods[n, col.MODAL] != 0:
        for j in range(tree.rods[n, col.SIZE]):
            k = tree.rods[n, col.FIRST_V] + j
            out[r, k] = out[r, k] + sign * modal_pull(tree, n, s, steps, f, j)
        return
    load_step(tree, n, s, steps, f, sign)
    for j in range(tree.rods[n, col.SIZE]):
        k = tree.rods[n, col.FIRST_V] + j
        out[r, k] = out[r, k] + pulled(tree, n, s, steps, j)
