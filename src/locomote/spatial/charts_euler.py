"""Formulas of the Euler sequences: three turns about axes of the body, each moved by the ones before it.

R = R_i(a) R_j(b) R_k(c) for angles (a, b, c) and axes i, j, k. The body angular velocity is v1 a' + v2 b' + v3 c' with

    v3 = e_k ,    v2 = R_k^T e_j ,    v1 = (R_j R_k)^T e_i                                (1)
    v3' = 0 ,     v2' = -(v3 c') x v2 ,    v1' = -(v2 b' + v3 c') x v1                     (2)

v2 is normal to both others; v1 and v3 meet, and the chart is singular, where det = v1.(v2 x v3) is zero: cos b = 0 for three
different axes, sin b = 0 for the first axis repeated. The functions take and give tuples of numbers, arrays or symbols.
"""

from locomote.compiler.scalars import atan2, cos, select, sin, sqrt
from locomote.spatial.algebra import IDENTITY, add, compose, cross, dot, scale, unrotate

ZYX = 2, 1, 0
UNITS = IDENTITY[0:3], IDENTITY[3:6], IDENTITY[6:9]


def about(axis: int, angle):
    """The rotation by an angle about a coordinate axis 0, 1 or 2."""
    s, c = sin(angle), cos(angle)
    return (
        (1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c),
        (c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c),
        (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0),
    )[axis]


def matrix(axes, x):
    """The rotation of the angles x."""
    i, j, k = axes
    return compose(compose(about(i, x[0]), about(j, x[1])), about(k, x[2]))


def _motion_axes(axes, x):
    """v1, v2, v3 of equation (1)."""
    i, j, k = axes
    last = about(k, x[2])
    return unrotate(last, unrotate(about(j, x[1]), UNITS[i])), unrotate(last, UNITS[j]), UNITS[k]


def _side_by_side(v1, v2, v3):
    return v1[0], v2[0], v3[0], v1[1], v2[1], v3[1], v1[2], v2[2], v3[2]


def rates(axes, x):
    """The rate map, row by row: columns v1, v2, v3."""
    return _side_by_side(*_motion_axes(axes, x))


def rates_derivative(axes, x, rate):
    """Its time derivative, equation (2)."""
    v1, v2, v3 = _motion_axes(axes, x)
    turn3 = scale(rate[2], v3)
    turn2 = add(scale(rate[1], v2), turn3)
    return _side_by_side(cross(v1, turn2), cross(v2, turn3), scale(0.0, turn3))


def inverse_rates(axes, x):
    """The inverse of the rate map, row by row."""
    v1, v2, v3 = _motion_axes(axes, x)
    normal = cross(v2, v3)
    d = 1.0 / dot(v1, normal)
    return *scale(d, normal), *v2, *scale(d, cross(v1, v2))


def distance(axes, x):
    """|det|: 1 where the three axes are perpendicular, 0 where the chart is singular."""
    d = sin(x[1]) if axes[0] == axes[2] else cos(x[1])
    return select(d < 0.0, -d, d)


def angles(axes, R):
    """The angles of a rotation: the first and last in [-pi, pi], the middle in [0, pi] or [-pi/2, pi/2].

    The last angle is read after the first turn is undone, so that the angles give back R even where they are not unique.
    """
    i, j, _ = axes
    k = 3 - i - j
    even = 1.0 if (j - i) % 3 == 1 else -1.0

    def entry(row, column):
        return R[3 * row + column]

    if axes[0] == axes[2]:
        # adding 0.0 turns -0.0 into 0.0, else the identity would get angles of pi
        first = atan2(entry(j, i) + 0.0, -even * entry(k, i) + 0.0)
        middle = atan2(sqrt(entry(i, j) * entry(i, j) + entry(i, k) * entry(i, k)), entry(i, i))
        sine, cosine = -even * entry(j, k), entry(j, j)
        sine_k, cosine_k = -even * entry(k, k), entry(k, j)
    else:
        first = atan2(-even * entry(j, k) + 0.0, entry(k, k) + 0.0)
        middle = atan2(even * entry(i, k) + 0.0, sqrt(entry(i, i) * entry(i, i) + entry(i, j) * entry(i, j)))
        sine, cosine = even * entry(j, i), entry(j, j)
        sine_k, cosine_k = even * entry(k, i), entry(k, j)
    # row j of R_i(first)^T R, in which the middle turn about j does not show
    s, c = even * sin(first), cos(first)
    last = atan2(c * sine + s * sine_k + 0.0, c * cosine + s * cosine_k + 0.0)
    return first, middle, last


def roll_pitch_yaw_matrix(x):
    """Rz(yaw) Ry(pitch) Rx(roll): the sequence zyx with its angles in reverse order."""
    return matrix(ZYX, x[::-1])


def roll_pitch_yaw(R):
    """(roll, pitch, yaw) of a rotation."""
    return angles(ZYX, R)[::-1]


def roll_pitch_yaw_rates(x):
    """The rate map over (roll', pitch', yaw')."""
    return _side_by_side(*_motion_axes(ZYX, x[::-1])[::-1])


def roll_pitch_yaw_rates_derivative(x, rate):
    """Its time derivative."""
    L = rates_derivative(ZYX, x[::-1], rate[::-1])
    return *L[2::-1], *L[5:2:-1], *L[8:5:-1]


def roll_pitch_yaw_inverse_rates(x):
    """The inverse of the rate map."""
    inverse = inverse_rates(ZYX, x[::-1])
    return *inverse[6:9], *inverse[3:6], *inverse[0:3]
