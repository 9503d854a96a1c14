"""Connections and curvatures with 50 digits, by means that share nothing with the library: poses of bodies multiplied out,
Jacobians and derivatives by central differences with mpmath, forces of drag integrated along rods.

A body is a dict: parent (index or None), place (x, y, z) of its joint in the parent, axis of the joint, and what makes its
metric: mass, center and inertia about it, drag of a rod, or added mass of an ellipse. The metric of velocities of the whole is
the sum over bodies; eta = -A r' makes its momentum, or force, vanish.
"""

import mpmath as mp

STEP, WIDE = mp.mpf(10) ** -16, mp.mpf(10) ** -8
mp.mp.dps = 50


def rotation(axis, angle):
    """Matrix of a turn about a unit axis."""
    x, y, z = (mp.mpf(a) for a in axis)
    size = mp.sqrt(x * x + y * y + z * z)
    x, y, z = x / size, y / size, z / size
    K = mp.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return mp.eye(3) + mp.sin(angle) * K + (1 - mp.cos(angle)) * K * K


def pose(R, p):
    """(4, 4)."""
    g = mp.eye(4)
    g[0:3, 0:3] = R
    for k in range(3):
        g[k, 3] = p[k]
    return g


def moved(twist):
    """A pose that differs from the identity by a small twist, linear in it, so that central differences are sharp."""
    v, w = twist[:3], twist[3:]
    K = mp.matrix([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    return pose(mp.eye(3) + K, v)


def poses(bodies, base, r):
    """Poses of all bodies, for a base pose and joint angles."""
    found = []
    for k, body in enumerate(bodies):
        if body["parent"] is None:
            found.append(base)
            continue
        joint = pose(rotation(body["axis"], r[k - 1]), [mp.mpf(x) for x in body["place"]])
        found.append(found[body["parent"]] * joint)
    return found


def inverse(g):
    """Of a pose."""
    R = g[0:3, 0:3].T
    p = -R * g[0:3, 3]
    return pose(R, [p[k] for k in range(3)])


def jacobians(bodies, axes, r):
    """Body twists (6, n + s) of all bodies by base twists along axes and by joint rates, at the base pose 1."""
    still = poses(bodies, mp.eye(4), r)
    columns = []
    for k in range(len(axes) + len(r)):
        ends = []
        for sign in (1, -1):
            twist, angles = [mp.mpf(0)] * 6, list(r)
            if k < len(axes):
                twist[axes[k]] = sign * STEP
            else:
                angles[k - len(axes)] += sign * STEP
            ends.append(poses(bodies, moved(twist), angles))
        columns.append([(one - two) / (2 * STEP) for one, two in zip(*ends, strict=True)])
    found = []
    for b, g in enumerate(still):
        J = mp.zeros(6, len(columns))
        for k, column in enumerate(columns):
            rate = inverse(g) * column[b]
            values = [rate[0, 3], rate[1, 3], rate[2, 3], rate[2, 1], rate[0, 2], rate[1, 0]]
            for i in range(6):
                J[i, k] = values[i]
        found.append(J)
    return found


def metric(body):
    """(6, 6) of body twists."""
    if "rod" in body:  # drag along and across, from one end to the other along x
        start, end, along, across = (mp.mpf(x) for x in body["rod"])
        G = mp.zeros(6, 6)
        length, first = end - start, (end**2 - start**2) / 2
        third = (end**3 - start**3) / 3
        G[0, 0], G[1, 1], G[2, 2] = along * length, across * length, across * length
        G[1, 5] = G[5, 1] = across * first
        G[2, 4] = G[4, 2] = -across * first
        G[4, 4] = G[5, 5] = across * third
        return G
    m, c = mp.mpf(body["mass"]), [mp.mpf(x) for x in body["center"]]
    C = mp.matrix([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])
    G = mp.zeros(6, 6)
    inertia = mp.diag([mp.mpf(x) for x in body["inertia"]])
    added = [mp.mpf(x) for x in body.get("added", (0, 0, 0))]  # along x, along y, about z, at the center
    M = mp.diag([m + added[0], m + added[1], m])
    inertia[2, 2] += added[2]
    G[0:3, 0:3], G[0:3, 3:6], G[3:6, 0:3] = M, -M * C, C * M
    G[3:6, 3:6] = inertia - C * M * C
    return G


def connection(bodies, axes, r, blades=()):
    """(n, s) A, from the metric, or from blades: (body, point) that do not slide along y of the body."""
    Js, n = jacobians(bodies, axes, r), len(axes)
    if blades:
        rows = mp.zeros(len(blades), n + len(r))
        for i, (b, point) in enumerate(blades):
            for k in range(n + len(r)):
                rows[i, k] = Js[b][1, k] + Js[b][5, k] * mp.mpf(point[0]) - Js[b][3, k] * mp.mpf(point[2])
        return solve(rows[:, 0:n], rows[:, n : n + len(r)])
    W = mp.zeros(n + len(r), n + len(r))
    for body, J in zip(bodies, Js, strict=True):
        W += J.T * metric(body) * J
    return solve(W[0:n, 0:n], W[0:n, n : n + len(r)])


def solve(K, k):
    """K^-1 k."""
    return mp.inverse(K) * k


def bracket(a, b, axes):
    """[a, b] of twists along axes, by the matrices of their poses."""

    def hat(x):
        full = [mp.mpf(0)] * 6
        for value, axis in zip(x, axes, strict=True):
            full[axis] = value
        v, w = full[:3], full[3:]
        return mp.matrix([[0, -w[2], w[1], v[0]], [w[2], 0, -w[0], v[1]], [-w[1], w[0], 0, v[2]], [0, 0, 0, 0]])

    g = hat(a) * hat(b) - hat(b) * hat(a)
    full = [g[0, 3], g[1, 3], g[2, 3], g[2, 1], g[0, 2], g[1, 0]]
    return [full[axis] for axis in axes]


def parts(bodies, axes, r, blades=()):
    """A (n, s), exterior derivative and bracket (s, s, n) as lists of mpmath numbers."""
    r, s, n = [mp.mpf(x) for x in r], len(r), len(axes)
    A = connection(bodies, axes, r, blades)
    slopes = []
    for j in range(s):
        ends = []
        for sign in (1, -1):
            near = list(r)
            near[j] += sign * WIDE
            far = list(r)
            far[j] += 2 * sign * WIDE
            ends.append((connection(bodies, axes, near, blades), connection(bodies, axes, far, blades)))
        slopes.append((8 * (ends[0][0] - ends[1][0]) - (ends[0][1] - ends[1][1])) / (12 * WIDE))
    exterior = [[[slopes[j][i, k] - slopes[k][i, j] for i in range(n)] for k in range(s)] for j in range(s)]
    columns = [[A[i, j] for i in range(n)] for j in range(s)]
    brackets = [[bracket(columns[j], columns[k], axes) for k in range(s)] for j in range(s)]
    return A, exterior, brackets
