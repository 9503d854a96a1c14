"""Inertias of articulated bodies: symmetric 6x6 matrices over twists, as blocks

I = [ L  H ; H^T  J ]      L, J symmetric (xx, xy, xz, yy, yz, zz), H nine numbers row by row
"""

from locomote.compiler.source import helper
from locomote.kernels.bodies import first_moment, moment_of_inertia, second_moment
from locomote.model.columns import KIND, MASS, PITCH
from locomote.model.joints import axis_number, has_pitch
from locomote.spatial.algebra import add, angular, join, linear, plus, subtract, symmetric_times, times


@helper
def rigid_blocks(constants, i):
    """L, H, J of a rigid body."""
    m, c, I = constants[i, MASS], first_moment(constants, i), moment_of_inertia(second_moment(constants, i))
    return (m, 0.0, 0.0, m, 0.0, m), (0.0, c[2], -c[1], -c[2], 0.0, c[0], c[1], -c[0], 0.0), I


@helper
def plus_rigid(constants, i, L, H, J):
    """Sum of an inertia and that of a rigid body."""
    m, c, I = constants[i, MASS], first_moment(constants, i), moment_of_inertia(second_moment(constants, i))
    return (
        (L[0] + m, L[1], L[2], L[3] + m, L[4], L[5] + m),
        (H[0], H[1] + c[2], H[2] - c[1], H[3] - c[2], H[4], H[5] + c[0], H[6] + c[1], H[7] - c[0], H[8]),
        (J[0] + I[0], J[1] + I[1], J[2] + I[2], J[3] + I[3], J[4] + I[4], J[5] + I[5]),
    )


@helper
def blocks_plus(L, H, J, M, G, K):
    """Sum of two inertias."""
    return (
        (L[0] + M[0], L[1] + M[1], L[2] + M[2], L[3] + M[3], L[4] + M[4], L[5] + M[5]),
        (
            H[0] + G[0], H[1] + G[1], H[2] + G[2], H[3] + G[3], H[4] + G[4],
            H[5] + G[5], H[6] + G[6], H[7] + G[7], H[8] + G[8],
        ),
        (J[0] + K[0], J[1] + K[1], J[2] + K[2], J[3] + K[3], J[4] + K[4], J[5] + K[5]),
    )  # fmt: skip


@helper
def matrix_times(H, a):
    """H a."""
    return (
        H[0] * a[0] + H[1] * a[1] + H[2] * a[2],
        H[3] * a[0] + H[4] * a[1] + H[5] * a[2],
        H[6] * a[0] + H[7] * a[1] + H[8] * a[2],
    )


@helper
def transposed_times(H, a):
    """H^T a."""
    return (
        H[0] * a[0] + H[3] * a[1] + H[6] * a[2],
        H[1] * a[0] + H[4] * a[1] + H[7] * a[2],
        H[2] * a[0] + H[5] * a[1] + H[8] * a[2],
    )


@helper
def blocks_times(L, H, J, t):
    """I t."""
    v, w = linear(t), angular(t)
    return join(add(symmetric_times(L, v), matrix_times(H, w)), add(transposed_times(H, v), symmetric_times(J, w)))


@helper
def blocks_column(L, H, J, k):
    """Column k of I."""
    if k == 5:
        return (H[2], H[5], H[8], J[2], J[4], J[5])
    elif k == 4:
        return (H[1], H[4], H[7], J[1], J[3], J[4])
    elif k == 3:
        return (H[0], H[3], H[6], J[0], J[1], J[2])
    elif k == 2:
        return (L[2], L[4], L[5], H[6], H[7], H[8])
    elif k == 1:
        return (L[1], L[3], L[4], H[3], H[4], H[5])
    return (L[0], L[1], L[2], H[0], H[1], H[2])


@helper
def axis_column(topology, constants, i, j, L, H, J):
    """U = I S_j of coordinate j of joint i."""
    kind = topology[i, KIND]
    U = blocks_column(L, H, J, axis_number(kind, j))
    if has_pitch(kind):
        U = plus(U, times(constants[i, PITCH], blocks_column(L, H, J, 2)))
    return U


@helper
def blocks_downdate(L, H, J, U, s):
    """I - s U U^T."""
    a, b, c, d, e, f = s * U[0], s * U[1], s * U[2], s * U[3], s * U[4], s * U[5]
    return (
        (L[0] - a * U[0], L[1] - a * U[1], L[2] - a * U[2], L[3] - b * U[1], L[4] - b * U[2], L[5] - c * U[2]),
        (
            H[0] - a * U[3], H[1] - a * U[4], H[2] - a * U[5],
            H[3] - b * U[3], H[4] - b * U[4], H[5] - b * U[5],
            H[6] - c * U[3], H[7] - c * U[4], H[8] - c * U[5],
        ),
        (J[0] - d * U[3], J[1] - d * U[4], J[2] - d * U[5], J[3] - e * U[4], J[4] - e * U[5], J[5] - f * U[5]),
    )  # fmt: skip


@helper
def symmetric_factor(S):
    """L D L^T of a symmetric 3x3 matrix: 1/D, and the lower half of L (yx, zx, zy)."""
    a = 1.0 / S[0]
    l, m = S[1] * a, S[2] * a
    b = 1.0 / (S[3] - l * S[1])
    r = S[4] - l * S[2]
    n = r * b
    return a, b, 1.0 / (S[5] - m * S[2] - n * r), l, m, n


@helper
def symmetric_solved(factor, f):
    """S^-1 f, from the factor of S."""
    a, b, c, l, m, n = factor
    y = f[1] - l * f[0]
    z = (f[2] - m * f[0] - n * y) * c
    y = y * b - n * z
    return f[0] * a - l * y - m * z, y, z


@helper
def blocks_solved(L, H, J, f):
    """I^-1 f: linear part eliminated first."""
    factor = symmetric_factor(L)
    x = symmetric_solved(factor, (H[0], H[3], H[6]))
    y = symmetric_solved(factor, (H[1], H[4], H[7]))
    z = symmetric_solved(factor, (H[2], H[5], H[8]))
    u = symmetric_solved(factor, linear(f))
    a, b, c = transposed_times(H, x), transposed_times(H, y), transposed_times(H, z)
    rest = (J[0] - a[0], J[1] - a[1], J[2] - a[2], J[3] - b[1], J[4] - b[2], J[5] - c[2])
    w = symmetric_solved(symmetric_factor(rest), subtract(angular(f), transposed_times(H, u)))
    turn = (
        x[0] * w[0] + y[0] * w[1] + z[0] * w[2],
        x[1] * w[0] + y[1] * w[1] + z[1] * w[2],
        x[2] * w[0] + y[2] * w[1] + z[2] * w[2],
    )
    return join(subtract(u, turn), w)


@helper
def plane_turned(s, c, a, b):
    """A vector of a plane, turned by an angle with sine s and cosine c."""
    return c * a - s * b, s * a + c * b


@helper
def tensor_turned(s, c, a, b, d, e):
    """T [a b; d e] T^T, T being the turn of a plane."""
    p, r = a - e, b + d
    t, u = s * p + c * r, c * p - s * r
    return a - s * t, b + s * u, d + s * u, e + s * t


@helper
def symmetric_tensor_turned(s, c, a, b, e):
    """T [a b; b e] T^T: first row, and last entry."""
    p, r = a - e, b + b
    t, u = s * p + c * r, c * p - s * r
    return a - s * t, b + s * u, e + s * t


@helper
def symmetric_about_z(s, c, S):
    """R S R^T for a turn about z."""
    xx, xy, yy = symmetric_tensor_turned(s, c, S[0], S[1], S[3])
    xz, yz = plane_turned(s, c, S[2], S[4])
    return xx, xy, xz, yy, yz, S[5]


@helper
def symmetric_about_x(s, c, S):
    """R S R^T for a turn about x."""
    yy, yz, zz = symmetric_tensor_turned(s, c, S[3], S[4], S[5])
    xy, xz = plane_turned(s, c, S[1], S[2])
    return S[0], xy, xz, yy, yz, zz


@helper
def matrix_about_z(s, c, H):
    """R H R^T for a turn about z."""
    xx, xy, yx, yy = tensor_turned(s, c, H[0], H[1], H[3], H[4])
    xz, yz = plane_turned(s, c, H[2], H[5])
    zx, zy = plane_turned(s, c, H[6], H[7])
    return xx, xy, xz, yx, yy, yz, zx, zy, H[8]


@helper
def matrix_about_x(s, c, H):
    """R H R^T for a turn about x."""
    yy, yz, zy, zz = tensor_turned(s, c, H[4], H[5], H[7], H[8])
    xy, xz = plane_turned(s, c, H[1], H[2])
    yx, zx = plane_turned(s, c, H[3], H[6])
    return H[0], xy, xz, yx, yy, yz, zx, zy, zz


@helper
def blocks_about_z(s, c, L, H, J):
    """I in axes turned back about z."""
    return symmetric_about_z(s, c, L), matrix_about_z(s, c, H), symmetric_about_z(s, c, J)


@helper
def symmetric_turned(R, S):
    """R S R^T."""
    a = symmetric_times(S, (R[0], R[1], R[2]))
    b = symmetric_times(S, (R[3], R[4], R[5]))
    c = symmetric_times(S, (R[6], R[7], R[8]))
    return (
        R[0] * a[0] + R[1] * a[1] + R[2] * a[2],
        R[3] * a[0] + R[4] * a[1] + R[5] * a[2],
        R[6] * a[0] + R[7] * a[1] + R[8] * a[2],
        R[3] * b[0] + R[4] * b[1] + R[5] * b[2],
        R[6] * b[0] + R[7] * b[1] + R[8] * b[2],
        R[6] * c[0] + R[7] * c[1] + R[8] * c[2],
    )


@helper
def matrix_turned(R, H):
    """R H R^T."""
    a = matrix_times(H, (R[0], R[1], R[2]))
    b = matrix_times(H, (R[3], R[4], R[5]))
    c = matrix_times(H, (R[6], R[7], R[8]))
    return (
        R[0] * a[0] + R[1] * a[1] + R[2] * a[2],
        R[0] * b[0] + R[1] * b[1] + R[2] * b[2],
        R[0] * c[0] + R[1] * c[1] + R[2] * c[2],
        R[3] * a[0] + R[4] * a[1] + R[5] * a[2],
        R[3] * b[0] + R[4] * b[1] + R[5] * b[2],
        R[3] * c[0] + R[4] * c[1] + R[5] * c[2],
        R[6] * a[0] + R[7] * a[1] + R[8] * a[2],
        R[6] * b[0] + R[7] * b[1] + R[8] * b[2],
        R[6] * c[0] + R[7] * c[1] + R[8] * c[2],
    )


@helper
def blocks_shifted(L, H, J, o):
    """The same inertia about an origin that stands at -o: L, H - L o^, J - H^T o^ + o^ (H - L o^)."""
    x, y, z = o
    G = (
        H[0] - (L[1] * z - L[2] * y), H[1] - (L[2] * x - L[0] * z), H[2] - (L[0] * y - L[1] * x),
        H[3] - (L[3] * z - L[4] * y), H[4] - (L[4] * x - L[1] * z), H[5] - (L[1] * y - L[3] * x),
        H[6] - (L[4] * z - L[5] * y), H[7] - (L[5] * x - L[2] * z), H[8] - (L[2] * y - L[4] * x),
    )  # fmt: skip
    # symmetric, so the upper half is enough: rows of o^ G, minus (H^T o^)
    K = (
        J[0] + (y * G[6] - z * G[3]) - (H[3] * z - H[6] * y),
        J[1] + (y * G[7] - z * G[4]) - (H[6] * x - H[0] * z),
        J[2] + (y * G[8] - z * G[5]) - (H[0] * y - H[3] * x),
        J[3] + (z * G[1] - x * G[7]) - (H[7] * x - H[1] * z),
        J[4] + (z * G[2] - x * G[8]) - (H[1] * y - H[4] * x),
        J[5] + (x * G[5] - y * G[2]) - (H[2] * y - H[5] * x),
    )
    return L, G, K


@helper
def blocks_shifted_in_plane(L, H, J, x, z):
    """`blocks_shifted` for o = (x, 0, z)."""
    G = (
        H[0] - L[1] * z, H[1] - (L[2] * x - L[0] * z), H[2] + L[1] * x,
        H[3] - L[3] * z, H[4] - (L[4] * x - L[1] * z), H[5] + L[3] * x,
        H[6] - L[4] * z, H[7] - (L[5] * x - L[2] * z), H[8] + L[4] * x,
    )  # fmt: skip
    K = (
        J[0] - z * (G[3] + H[3]),
        J[1] - z * G[4] - (H[6] * x - H[0] * z),
        J[2] - z * G[5] + H[3] * x,
        J[3] + z * (G[1] + H[1]) - x * (G[7] + H[7]),
        J[4] + (z * G[2] - x * G[8]) + H[4] * x,
        J[5] + x * (G[5] + H[5]),
    )
    return L, G, K


# What is left of an inertia after a turn about z is eliminated has an empty last row and column. Zeros must be left out
# by hand, since LLVM keeps x * 0. One block after the other keeps numbers in registers.


@helper
def flat_linear(L, U, d, s, c, x, y):
    """L of I - d U U^T, turned about z by (s, c) and then about x by (x, y)."""
    a, b, e = d * U[0], d * U[1], d * U[2]
    L = (L[0] - a * U[0], L[1] - a * U[1], L[2] - a * U[2], L[3] - b * U[1], L[4] - b * U[2], L[5] - e * U[2])
    return symmetric_about_x(x, y, symmetric_about_z(s, c, L))


@helper
def flat_coupling(H, U, d, s, c, x, y):
    """H likewise; its last column before the turn about x is zero."""
    a, b = d * U[3], d * U[4]
    k, l, m, n = tensor_turned(s, c, H[0] - a * U[0], H[1] - b * U[0], H[3] - a * U[1], H[4] - b * U[1])
    p, q = plane_turned(s, c, H[6] - a * U[2], H[7] - b * U[2])
    n, q = plane_turned(x, y, n, q)
    m, p = plane_turned(x, y, m, p)
    return k, y * l, x * l, m, y * n, x * n, p, y * q, x * q


@helper
def flat_angular(J, U, d, s, c, x, y):
    """J likewise; its last row and column before the turn about x are zero."""
    a, b = d * U[3], d * U[4]
    k, m, n = symmetric_tensor_turned(s, c, J[0] - a * U[3], J[1] - a * U[4], J[3] - b * U[4])
    p, q = y * n, x * n
    return k, y * m, x * m, y * p, x * p, x * q
