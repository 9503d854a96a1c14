"""Coulomb's law at one point, exactly: impulse p = (t1, t2, n) and velocity u = W p + b along the same axes.

    0 <= p_n  orth  u_n + e >= 0 ,   |p_t| <= mu p_n ,   p_t = -mu p_n u_t / |u_t| where it slides                  (1)

    open     b_n + e >= 0                              p = 0                                                        (2)
    stick    p = -W^-1 (b + e n) lies in the cone                                                                   (3)
    slide    u_t along d = (cos, sin):  p_n = -(b_n + e) / (W_nn - mu W_nt . d) ,  d x u_t = 0 ,  d . u_t > 0         (4)

Where (4) has no solution (Painleve's case) the impulse is that of (3). S is a symmetric W: (11, 12, 1n, 22, 2n, nn).
"""

from math import atan2, cos, pi, sin, sqrt

from locomote.compiler.source import helper, routine
from locomote.kernels.articulated import symmetric_factor, symmetric_solved

ROUNDS, PLACES = 12, 48
SHORT = 1e-9  # rad, step of Newton's method after which nothing is left


@helper
def direction_of(x, y):
    """The direction of a vector, (1, 0) if it has none."""
    size = sqrt(x * x + y * y)
    return (x / size, y / size) if size > 0.0 else (1.0, 0.0)


@helper
def sliding(S, b, mu, d):
    """p_n, d x u_t, its rate over the angle of d, and d . u_t of (4); p_n is negative where there is none."""
    c, s = d
    den, turn = S[5] - mu * (S[2] * c + S[4] * s), mu * (S[2] * s - S[4] * c)
    if not den > 1e-12 * S[5]:
        return -1.0, 0.0, 1.0, -1.0
    share = 1.0 / den
    p = -b[2] * share
    dp = -p * turn * share
    x, y = S[2] - mu * (S[0] * c + S[1] * s), S[4] - mu * (S[1] * c + S[3] * s)
    u, w = b[0] + p * x, b[1] + p * y
    du, dw = dp * x + p * mu * (S[0] * s - S[1] * c), dp * y + p * mu * (S[1] * s - S[3] * c)
    return p, c * w - s * u, c * dw - s * du - s * w - c * u, c * u + s * w


@routine
def slide_direction(S, b, mu, start):
    """The direction of sliding, and p_n there, negative if there is none."""
    d, size = start, sqrt(b[0] * b[0] + b[1] * b[1]) + abs(b[2])
    for _ in range(ROUNDS):
        p, f, df, along = sliding(S, b, mu, d)
        if p < 0.0:
            break
        if abs(f) <= 1e-15 * size and along > 0.0:
            return d, p
        if df == 0.0:
            break
        step = max(-0.5, min(0.5, -f / df))
        part = 1.0 / sqrt(1.0 + step * step)  # a turn by atan(step)
        d = (d[0] - d[1] * step) * part, (d[1] + d[0] * step) * part
        if abs(step) < SHORT:
            if along > 0.0:
                return d, sliding(S, b, mu, d)[0]
            break
    p, f, df, along = sliding(S, b, mu, d)
    if p >= 0.0 and along > 0.0 and abs(f) <= 1e-13 * size:
        return d, p
    return search_direction(S, b, mu, atan2(start[1], start[0]))


@routine
def search_direction(S, b, mu, start):
    """The same, looked for all the way round from an angle on."""
    low = start
    p0, f0, _, a0 = sliding(S, b, mu, (cos(low), sin(low)))
    for k in range(1, PLACES + 1):
        high = start + 2.0 * pi * k / PLACES
        p1, f1, _, a1 = sliding(S, b, mu, (cos(high), sin(high)))
        if p0 > 0.0 and p1 > 0.0 and f0 * f1 <= 0.0 and a0 + a1 > 0.0:
            left, right, g = low, high, f0
            for _ in range(60):
                middle = 0.5 * (left + right)
                f = sliding(S, b, mu, (cos(middle), sin(middle)))[1]
                if f * g > 0.0:
                    left = middle
                else:
                    right = middle
            d = cos(0.5 * (left + right)), sin(0.5 * (left + right))
            return d, sliding(S, b, mu, d)[0]
        low, p0, f0, a0 = high, p1, f1, a1
    return (1.0, 0.0), -1.0


@routine
def point_impulse(S, b, mu, x, y):
    """(2), (3) or (4); b has e in its normal part; x, y : friction of a guess."""
    if b[2] >= 0.0:
        return 0.0, 0.0, 0.0
    if mu == 0.0:
        return 0.0, 0.0, -b[2] / S[5]
    p = symmetric_solved(symmetric_factor(S), (-b[0], -b[1], -b[2]))
    if p[2] >= 0.0 and p[0] * p[0] + p[1] * p[1] <= mu * mu * p[2] * p[2]:
        return p
    d, size = slide_direction(S, b, mu, direction_of(-x, -y) if x * x + y * y > 0.0 else direction_of(b[0], b[1]))
    if size < 0.0:
        return p if p[2] > 0.0 else (0.0, 0.0, -b[2] / S[5])
    return -mu * size * d[0], -mu * size * d[1], size


@helper
def miss(p, u, mu, rho):
    """How far p and u (with e in its normal part) are from the contact law, as a velocity: |p - law(p - rho u)| / rho."""
    n = max(0.0, p[2] - rho * u[2])
    x, y = p[0] - rho * u[0], p[1] - rho * u[1]
    size, radius = sqrt(x * x + y * y), mu * n
    if size > radius:
        x, y = x * radius / size, y * radius / size
    return max(abs(p[2] - n), max(abs(p[0] - x), abs(p[1] - y))) / rho
