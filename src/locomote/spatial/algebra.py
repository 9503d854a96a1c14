"""Vectors, rotations and twists as tuples of numbers: the words that kernels are written in.

A vector is (x, y, z). A rotation R is nine numbers, row by row, taking coordinates of the inner frame to the outer one.
A twist is (vx, vy, vz, wx, wy, wz) and a wrench (fx, fy, fz, nx, ny, nz), linear part first. A symmetric 3x3 matrix is
(xx, xy, xz, yy, yz, zz).
"""

from locomote.compiler.source import helper

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@helper
def add(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@helper
def subtract(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@helper
def scale(s, a):
    return s * a[0], s * a[1], s * a[2]


@helper
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@helper
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@helper
def rotate(R, a):
    """Coordinates in the inner frame to the outer frame: R a."""
    return (
        R[0] * a[0] + R[1] * a[1] + R[2] * a[2],
        R[3] * a[0] + R[4] * a[1] + R[5] * a[2],
        R[6] * a[0] + R[7] * a[1] + R[8] * a[2],
    )


@helper
def unrotate(R, a):
    """Coordinates in the outer frame to the inner frame: R^T a."""
    return (
        R[0] * a[0] + R[3] * a[1] + R[6] * a[2],
        R[1] * a[0] + R[4] * a[1] + R[7] * a[2],
        R[2] * a[0] + R[5] * a[1] + R[8] * a[2],
    )


@helper
def compose(P, Q):
    """The rotation P Q."""
    return (
        P[0] * Q[0] + P[1] * Q[3] + P[2] * Q[6],
        P[0] * Q[1] + P[1] * Q[4] + P[2] * Q[7],
        P[0] * Q[2] + P[1] * Q[5] + P[2] * Q[8],
        P[3] * Q[0] + P[4] * Q[3] + P[5] * Q[6],
        P[3] * Q[1] + P[4] * Q[4] + P[5] * Q[7],
        P[3] * Q[2] + P[4] * Q[5] + P[5] * Q[8],
        P[6] * Q[0] + P[7] * Q[3] + P[8] * Q[6],
        P[6] * Q[1] + P[7] * Q[4] + P[8] * Q[7],
        P[6] * Q[2] + P[7] * Q[5] + P[8] * Q[8],
    )


@helper
def turn_axis(o, z):
    """Twist of a turn about the axis z through o."""
    return join(cross(o, z), z)


@helper
def turn_about_z(s, c, a):
    """Rz a, from the sine and cosine of the angle."""
    return c * a[0] - s * a[1], s * a[0] + c * a[1], a[2]


@helper
def unturn_about_z(s, c, a):
    """Rz^T a."""
    return c * a[0] + s * a[1], c * a[1] - s * a[0], a[2]


@helper
def turn_about_x(s, c, a):
    """Rx a, from the sine and cosine of the angle."""
    return a[0], c * a[1] - s * a[2], s * a[1] + c * a[2]


@helper
def unturn_about_x(s, c, a):
    """Rx^T a."""
    return a[0], c * a[1] + s * a[2], c * a[2] - s * a[1]


@helper
def turned_about_z(R, s, c):
    """The rotation R Rz(angle), from the sine and cosine of the angle."""
    return (
        c * R[0] + s * R[1], c * R[1] - s * R[0], R[2],
        c * R[3] + s * R[4], c * R[4] - s * R[3], R[5],
        c * R[6] + s * R[7], c * R[7] - s * R[6], R[8],
    )  # fmt: skip


@helper
def turned_about_x(R, s, c):
    """The rotation R Rx(angle), from the sine and cosine of the angle."""
    return (
        R[0], c * R[1] + s * R[2], c * R[2] - s * R[1],
        R[3], c * R[4] + s * R[5], c * R[5] - s * R[4],
        R[6], c * R[7] + s * R[8], c * R[8] - s * R[7],
    )  # fmt: skip


@helper
def of_quaternion(x, y, z, w):
    """The rotation of a unit quaternion."""
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w),
        2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w),
        2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip


@helper
def symmetric_times(S, a):
    """A symmetric matrix (xx, xy, xz, yy, yz, zz) times a vector."""
    return (
        S[0] * a[0] + S[1] * a[1] + S[2] * a[2],
        S[1] * a[0] + S[3] * a[1] + S[4] * a[2],
        S[2] * a[0] + S[4] * a[1] + S[5] * a[2],
    )


@helper
def plus(a, b):
    """Sum of two twists or wrenches."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@helper
def minus(a, b):
    """Difference of two twists or wrenches."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4], a[5] - b[5]


@helper
def times(s, a):
    """A number times a twist or wrench."""
    return s * a[0], s * a[1], s * a[2], s * a[3], s * a[4], s * a[5]


@helper
def pair(wrench, twist):
    """Power of a wrench on a twist."""
    return (
        wrench[0] * twist[0] + wrench[1] * twist[1] + wrench[2] * twist[2]
        + wrench[3] * twist[3] + wrench[4] * twist[4] + wrench[5] * twist[5]
    )  # fmt: skip


@helper
def linear(t):
    return t[0], t[1], t[2]


@helper
def angular(t):
    return t[3], t[4], t[5]


@helper
def join(a, b):
    """A twist or wrench from its linear and angular vectors."""
    return a[0], a[1], a[2], b[0], b[1], b[2]


@helper
def bracket(a, b):
    """ad_a b: rate of the twist b when carried along by the twist a."""
    return join(add(cross(angular(a), linear(b)), cross(linear(a), angular(b))), cross(angular(a), angular(b)))


@helper
def bracket_dual(a, f):
    """-ad_a^T f: rate of the wrench f when carried along by the twist a."""
    return join(cross(angular(a), linear(f)), add(cross(angular(a), angular(f)), cross(linear(a), linear(f))))


@helper
def twist_to_child(R, o, t):
    """A twist of the parent frame seen from the child frame, whose pose in the parent is (R, o)."""
    return join(unrotate(R, add(linear(t), cross(angular(t), o))), unrotate(R, angular(t)))


@helper
def twist_to_parent(R, o, t):
    """A twist of the child frame seen from the parent frame."""
    w = rotate(R, angular(t))
    return join(add(rotate(R, linear(t)), cross(o, w)), w)


@helper
def wrench_to_parent(R, o, f):
    """A wrench of the child frame seen from the parent frame."""
    force = rotate(R, linear(f))
    return join(force, add(rotate(R, angular(f)), cross(o, force)))


@helper
def wrench_to_child(R, o, f):
    """A wrench of the parent frame seen from the child frame."""
    return join(unrotate(R, linear(f)), unrotate(R, subtract(angular(f), cross(o, linear(f)))))
