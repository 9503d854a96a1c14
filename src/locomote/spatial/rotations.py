"""Rotations as tuples of numbers: exponential, logarithm and their derivatives, with one formula for every angle.

A rotation vector w is (x, y, z), rad; a quaternion is (x, y, z, w), scalar last, as in SciPy; R is nine numbers, row by row.
With the angle squared x = w.w and the entire functions

    f_k(x) = sum_j (-x)^j / (2j+k)! ,    f_k = 1/k! - x f_{k+2} ,    f_k' = (k f_{k+2} - f_{k+1}) / 2       (1)

(f_1 = sin/angle, f_2 = (1 - cos)/angle^2, ...) everything is a polynomial in the skew matrix W of w:

    R       = 1 + f_1 W + f_2 W^2                                                                          (2)
    T       = 1 - f_2 W + f_3 W^2          body angular velocity = T w' (right Jacobian); T^T is the left one  (3)
    T^-1    = 1 + W/2  + c W^2 ,           c = (f_2 - f_3) / (4 f_1) at x/4; singular at full turns          (4)

so no formula divides by an angle, and a small one needs no care. Derivatives along a rate follow from the chain rule.
"""

import math

from locomote.compiler.scalars import atan2, cos, select, sin, sqrt
from locomote.compiler.source import helper
from locomote.spatial.algebra import dot, scale

SERIES_END = 10.0  # x below which f_6 and f_7 are summed: half a turn and a little more
HALF_ANGLE_END = 0.25  # square of the half angle below which its sine and cosine are summed
SERIES_0, SERIES_1, SERIES_6, SERIES_7 = (
    tuple((-1) ** j / math.factorial(2 * j + k) for j in range(count)) for k, count in ((0, 8), (1, 8), (6, 12), (7, 12))
)
ARCTANGENT_END = 1e-3  # square of the tangent of the half angle below which the arctangent is summed


@helper
def _sum_of_8(c, x):
    return c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * (c[5] + x * (c[6] + x * c[7]))))))


@helper
def _sum_of_12(c, x):
    return _sum_of_8(c, x) + x * x * x * x * (x * x * x * x) * (c[8] + x * (c[9] + x * (c[10] + x * c[11])))


@helper
def entire(x):
    """(f_0, ..., f_7) of x = angle^2, equation (1): series for x below SERIES_END, closed form above."""
    near = x < SERIES_END
    # downwards is stable near, upwards far; each branch gets a harmless argument where the other one serves
    y = select(near, x, 0.0)
    s6, s7 = _sum_of_12(SERIES_6, y), _sum_of_12(SERIES_7, y)
    s4, s5 = 1.0 / 24.0 - y * s6, 1.0 / 120.0 - y * s7
    s2, s3 = 0.5 - y * s4, 1.0 / 6.0 - y * s5
    s0, s1 = 1.0 - y * s2, 1.0 - y * s3

    z = select(near, SERIES_END, x)
    angle = sqrt(z)
    half = sin(0.5 * angle)
    t0, t1 = cos(angle), sin(angle) / angle
    t2, t3 = 2.0 * half * half / z, (1.0 - t1) / z
    t4, t5 = (0.5 - t2) / z, (1.0 / 6.0 - t3) / z
    t6, t7 = (1.0 / 24.0 - t4) / z, (1.0 / 120.0 - t5) / z
    return (
        select(near, s0, t0), select(near, s1, t1), select(near, s2, t2), select(near, s3, t3),
        select(near, s4, t4), select(near, s5, t5), select(near, s6, t6), select(near, s7, t7),
    )  # fmt: skip


@helper
def quaternion_exp(w):
    """The unit quaternion of a rotation vector."""
    # not by `entire`: sine and cosine of the half angle keep the length nearer to one
    x = 0.25 * dot(w, w)
    near = x < HALF_ANGLE_END
    y = select(near, x, 0.0)
    half = sqrt(select(near, 1.0, x))
    s = 0.5 * select(near, _sum_of_8(SERIES_1, y), sin(half) / half)
    return s * w[0], s * w[1], s * w[2], select(near, _sum_of_8(SERIES_0, y), cos(half))


@helper
def quaternion_log(q):
    """The rotation vector of a quaternion, angle at most pi; the length and sign of the quaternion do not matter."""
    sign = select(q[3] < 0.0, -1.0, 1.0)
    cosine, squared = sign * q[3], q[0] * q[0] + q[1] * q[1] + q[2] * q[2]
    near = squared <= ARCTANGENT_END * cosine * cosine
    # angle / sine of the half angle, by series in the tangent of the half angle where that is small
    c = select(near, cosine, 1.0)
    t = select(near, squared, 0.0) / (c * c)
    series = 1.0 + t * (-1.0 / 3.0 + t * (0.2 + t * (-1.0 / 7.0 + t * (1.0 / 9.0 + t * (-1.0 / 11.0)))))
    sine = sqrt(select(near, 1.0, squared))
    s = 2.0 * sign * select(near, series / c, atan2(sine, cosine) / sine)
    return s * q[0], s * q[1], s * q[2]


@helper
def quaternion_multiply(a, b):
    """The quaternion of the rotation of a times that of b."""
    return (
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    )


@helper
def quaternion_conjugate(q):
    """The quaternion of the inverse rotation."""
    return -q[0], -q[1], -q[2], q[3]


@helper
def quaternion_normalized(q):
    """The quaternion of length one with the same direction."""
    s = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return s * q[0], s * q[1], s * q[2], s * q[3]


@helper
def _selected(condition, a, b):
    return (
        select(condition, a[0], b[0]), select(condition, a[1], b[1]),
        select(condition, a[2], b[2]), select(condition, a[3], b[3]),
    )  # fmt: skip


@helper
def quaternion_of_matrix(R):
    """The unit quaternion of a rotation, with w >= 0 (Shepperd: from its largest component, so nothing cancels)."""
    xx, yy, zz, ww = R[0] - R[4] - R[8], R[4] - R[0] - R[8], R[8] - R[0] - R[4], R[0] + R[4] + R[8]
    x, y, z = R[7] - R[5], R[2] - R[6], R[3] - R[1]
    xy, xz, yz = R[1] + R[3], R[2] + R[6], R[5] + R[7]
    # each row is the quaternion times four times one of its components
    by_x, by_y = (1.0 + xx, xy, xz, x), (xy, 1.0 + yy, yz, y)
    by_z, by_w = (xz, yz, 1.0 + zz, z), (x, y, z, 1.0 + ww)
    x_or_y, z_or_w = _selected(xx > yy, by_x, by_y), _selected(zz > ww, by_z, by_w)
    best = _selected(select(xx > yy, xx, yy) > select(zz > ww, zz, ww), x_or_y, z_or_w)
    q = quaternion_normalized(best)
    sign = select(q[3] < 0.0, -1.0, 1.0)
    return sign * q[0], sign * q[1], sign * q[2], sign * q[3]


@helper
def _half_anticommutator(v, z):
    """(v^ z^ + z^ v^) / 2, symmetric; with both equal, the square of the skew matrix."""
    return (
        -(v[1] * z[1] + v[2] * z[2]), 0.5 * (v[0] * z[1] + v[1] * z[0]), 0.5 * (v[0] * z[2] + v[2] * z[0]),
        -(v[0] * z[0] + v[2] * z[2]), 0.5 * (v[1] * z[2] + v[2] * z[1]), -(v[0] * z[0] + v[1] * z[1]),
    )  # fmt: skip


@helper
def _skew_plus_symmetric(k, S):
    return S[0], S[1] - k[2], S[2] + k[1], S[1] + k[2], S[3], S[4] - k[0], S[2] - k[1], S[4] + k[0], S[5]


@helper
def tangent_coefficients(x):
    """(a, a', a'', b, b', b'') of T = 1 + a W + b W^2, equation (3), derivatives by x."""
    f = entire(x)
    d3, d4, d5 = 0.5 * (3.0 * f[5] - f[4]), 0.5 * (4.0 * f[6] - f[5]), 0.5 * (5.0 * f[7] - f[6])
    d2 = 0.5 * (2.0 * f[4] - f[3])
    return -f[2], -d2, -0.5 * (2.0 * d4 - d3), f[3], d3, 0.5 * (3.0 * d5 - d4)


@helper
def tangent_inverse_coefficients(x):
    """The same of the inverse of T, equation (4); x/4 is the square of the half angle."""
    f = entire(0.25 * x)
    d1, d2, d3 = 0.5 * (f[3] - f[2]), 0.5 * (2.0 * f[4] - f[3]), 0.5 * (3.0 * f[5] - f[4])
    d4, d5 = 0.5 * (4.0 * f[6] - f[5]), 0.5 * (5.0 * f[7] - f[6])
    dd1, dd2, dd3 = 0.5 * (d3 - d2), 0.5 * (2.0 * d4 - d3), 0.5 * (3.0 * d5 - d4)
    r = (f[2] - f[3]) / f[1]
    r1 = (d2 - d3 - r * d1) / f[1]
    r2 = (dd2 - dd3 - 2.0 * r1 * d1 - r * dd1) / f[1]
    return 0.5, 0.0, 0.0, 0.25 * r, 0.0625 * r1, 0.015625 * r2


@helper
def skew_polynomial(c, w):
    """The nine numbers of 1 + a W + b W^2, with coefficients as from `tangent_coefficients`."""
    S = _half_anticommutator(w, w)
    b = c[3]
    return _skew_plus_symmetric(scale(c[0], w), (1.0 + b * S[0], b * S[1], b * S[2], 1.0 + b * S[3], b * S[4], 1.0 + b * S[5]))


@helper
def skew_polynomial_rate(c, w, v):
    """Its derivative when w has the rate v."""
    a, a1, b, b1 = c[0], c[1], c[3], c[4]
    d = 2.0 * dot(w, v)
    S, D = _half_anticommutator(w, w), _half_anticommutator(w, v)
    s, t = d * b1, 2.0 * b
    k = d * a1 * w[0] + a * v[0], d * a1 * w[1] + a * v[1], d * a1 * w[2] + a * v[2]
    symmetric = (
        s * S[0] + t * D[0], s * S[1] + t * D[1], s * S[2] + t * D[2],
        s * S[3] + t * D[3], s * S[4] + t * D[4], s * S[5] + t * D[5],
    )  # fmt: skip
    return _skew_plus_symmetric(k, symmetric)


@helper
def skew_polynomial_second_rate(c, w, v, z):
    """Its second derivative along v and z."""
    a1, a2, b, b1, b2 = c[1], c[2], c[3], c[4], c[5]
    dv, dz, e = 2.0 * dot(w, v), 2.0 * dot(w, z), 2.0 * dot(v, z)
    S, V, Z, M = _half_anticommutator(w, w), _half_anticommutator(w, v), _half_anticommutator(w, z), _half_anticommutator(v, z)
    i, j, h = dv * dz * a2 + e * a1, dz * a1, dv * a1
    k = i * w[0] + j * v[0] + h * z[0], i * w[1] + j * v[1] + h * z[1], i * w[2] + j * v[2] + h * z[2]
    s, p, r, t = dv * dz * b2 + e * b1, 2.0 * dz * b1, 2.0 * dv * b1, 2.0 * b
    symmetric = (
        s * S[0] + p * V[0] + r * Z[0] + t * M[0], s * S[1] + p * V[1] + r * Z[1] + t * M[1],
        s * S[2] + p * V[2] + r * Z[2] + t * M[2], s * S[3] + p * V[3] + r * Z[3] + t * M[3],
        s * S[4] + p * V[4] + r * Z[4] + t * M[4], s * S[5] + p * V[5] + r * Z[5] + t * M[5],
    )  # fmt: skip
    return _skew_plus_symmetric(k, symmetric)


@helper
def so3_tangent(w):
    """T of equation (3), nine numbers: body angular velocity = T w'."""
    return skew_polynomial(tangent_coefficients(dot(w, w)), w)


@helper
def so3_tangent_inverse(w):
    """The inverse of T, equation (4)."""
    return skew_polynomial(tangent_inverse_coefficients(dot(w, w)), w)


@helper
def so3_tangent_rate(w, rate):
    """dT/dt when w has the given rate."""
    return skew_polynomial_rate(tangent_coefficients(dot(w, w)), w, rate)


@helper
def so3_tangent_inverse_rate(w, rate):
    """d(T^-1)/dt when w has the given rate."""
    return skew_polynomial_rate(tangent_inverse_coefficients(dot(w, w)), w, rate)
