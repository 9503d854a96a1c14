"""SE(3) and SE(2) as tuples of numbers: exponential, logarithm, and the tangent with its inverse and rates.

A twist is (u, w), linear part first, and g = exp(twist). SE(3) is SO(3) over dual numbers: each linear block is the
derivative of the angular one in the direction u. So the 6x6 tangent, g^-1 dg = T dtwist, has two blocks (J, Q) only,

    T = [ J  Q ]      J = T of SO(3) at w ,    Q = dJ/dw [u]                     (1)
        [ 0  J ]

and so have its inverse and its rates; `blocks` below are such pairs of nine numbers.
"""

import math

from locomote.compiler.scalars import atan2, cos, select, sin
from locomote.compiler.source import helper
from locomote.spatial.algebra import add, angular, cross, dot, join, linear, rotate, unrotate
from locomote.spatial.rotations import (
    entire,
    quaternion_exp,
    quaternion_log,
    skew_polynomial,
    skew_polynomial_rate,
    skew_polynomial_second_rate,
    tangent_coefficients,
    tangent_inverse_coefficients,
)

PI_SQUARED = math.pi * math.pi


@helper
def se3_exp(twist):
    """The pose reached in unit time with a constant body twist: (quaternion, position)."""
    u, w = linear(twist), angular(twist)
    f = entire(dot(w, w))
    wu = cross(w, u)
    wwu = cross(w, wu)
    a, b = f[2], f[3]
    p = u[0] + a * wu[0] + b * wwu[0], u[1] + a * wu[1] + b * wwu[1], u[2] + a * wu[2] + b * wwu[2]
    return quaternion_exp(w), p


@helper
def se3_log(quaternion, p):
    """The twist whose exponential is the pose, with an angle of at most pi."""
    w = quaternion_log(quaternion)
    c = tangent_inverse_coefficients(dot(w, w))[3]
    wp = cross(w, p)
    wwp = cross(w, wp)
    u = p[0] - 0.5 * wp[0] + c * wwp[0], p[1] - 0.5 * wp[1] + c * wwp[1], p[2] - 0.5 * wp[2] + c * wwp[2]
    return join(u, w)


@helper
def se2_exp(twist):
    """The planar pose (x, y, angle) reached in unit time with a constant body twist (vx, vy, w); the angle is not wrapped."""
    vx, vy, w = twist
    f = entire(w * w)
    a, b = f[1], w * f[2]
    return a * vx - b * vy, b * vx + a * vy, w


@helper
def se2_log(pose):
    """The twist (vx, vy, w) whose exponential is the planar pose (x, y, angle), with w wrapped to [-pi, pi]."""
    x, y, angle = pose
    w = select(angle * angle <= PI_SQUARED, angle, atan2(sin(angle), cos(angle)))
    b = 0.5 * w
    a = 1.0 - w * w * tangent_inverse_coefficients(w * w)[3]
    return a * x + b * y, a * y - b * x, w


@helper
def se3_tangent(twist):
    """Blocks of the tangent T, equation (1)."""
    u, w = linear(twist), angular(twist)
    c = tangent_coefficients(dot(w, w))
    return skew_polynomial(c, w), skew_polynomial_rate(c, w, u)


@helper
def se3_tangent_inverse(twist):
    """Blocks of the inverse of T."""
    u, w = linear(twist), angular(twist)
    c = tangent_inverse_coefficients(dot(w, w))
    return skew_polynomial(c, w), skew_polynomial_rate(c, w, u)


@helper
def _sum_of_9(A, B):
    return (
        A[0] + B[0], A[1] + B[1], A[2] + B[2], A[3] + B[3], A[4] + B[4],
        A[5] + B[5], A[6] + B[6], A[7] + B[7], A[8] + B[8],
    )  # fmt: skip


@helper
def _block_rates(c, twist, rate):
    u, w, u_rate, w_rate = linear(twist), angular(twist), linear(rate), angular(rate)
    turning = skew_polynomial_second_rate(c, w, u, w_rate)
    return skew_polynomial_rate(c, w, w_rate), _sum_of_9(turning, skew_polynomial_rate(c, w, u_rate))


@helper
def se3_tangent_rate(twist, rate):
    """Blocks of dT/dt when the twist has the given rate."""
    return _block_rates(tangent_coefficients(dot(angular(twist), angular(twist))), twist, rate)


@helper
def se3_tangent_inverse_rate(twist, rate):
    """Blocks of d(T^-1)/dt when the twist has the given rate."""
    return _block_rates(tangent_inverse_coefficients(dot(angular(twist), angular(twist))), twist, rate)


@helper
def blocks_times(blocks, twist):
    """[J Q; 0 J] times a twist."""
    J, Q = blocks
    u, w = linear(twist), angular(twist)
    return join(add(rotate(J, u), rotate(Q, w)), rotate(J, w))


@helper
def blocks_transposed_times(blocks, wrench):
    """[J Q; 0 J]^T times a wrench."""
    J, Q = blocks
    f, n = linear(wrench), angular(wrench)
    return join(unrotate(J, f), add(unrotate(Q, f), unrotate(J, n)))
