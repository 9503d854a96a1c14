"""Formulas of the charts without angles in sequence: quaternion, matrix, rotation vector, modified Rodrigues parameters.

The functions take and give tuples of numbers, arrays or symbols. A rate map L, row by row, takes rates of coordinates to the
body angular velocity. For the redundant charts L is linear in the coordinates, so its time derivative is L of their rate.
"""

from locomote.compiler.scalars import select
from locomote.spatial.algebra import of_quaternion
from locomote.spatial.rotations import entire, quaternion_exp, quaternion_log, quaternion_of_matrix


def nowhere_singular(x):
    """Distance to a singularity of a chart that has none."""
    return 0.0 * x[0] + 1.0


def quaternion_matrix(q):
    """The rotation of a unit quaternion."""
    return of_quaternion(*q)


def quaternion_rates(q):
    """2 vec(conjugate(q) q'), as a matrix over q'; it takes q itself to zero."""
    x, y, z, w = 2.0 * q[0], 2.0 * q[1], 2.0 * q[2], 2.0 * q[3]
    return w, z, -y, -x, -z, w, x, -y, y, -x, w, -z


def quaternion_rates_derivative(q, rate):
    """The rate map is linear."""
    return quaternion_rates(rate)


def quaternion_inverse_rates(q):
    """q' = q (omega, 0) / 2."""
    x, y, z, w = 0.5 * q[0], 0.5 * q[1], 0.5 * q[2], 0.5 * q[3]
    return w, -z, y, z, w, -x, -y, x, w, -x, -y, -z


def quaternion_constraint(q):
    """q.q - 1."""
    return (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0,)


def quaternion_constraint_jacobian(q):
    """Derivative of the constraint by q."""
    return 2.0 * q[0], 2.0 * q[1], 2.0 * q[2], 2.0 * q[3]


def matrix_rates(R):
    """The skew part of R^T R', as a matrix over R' (nine numbers, row by row)."""
    x, y, z = (0.5 * R[0], 0.5 * R[3], 0.5 * R[6]), (0.5 * R[1], 0.5 * R[4], 0.5 * R[7]), (0.5 * R[2], 0.5 * R[5], 0.5 * R[8])
    zero = 0.0 * R[0]
    return (
        zero, z[0], -y[0], zero, z[1], -y[1], zero, z[2], -y[2],
        -z[0], zero, x[0], -z[1], zero, x[1], -z[2], zero, x[2],
        y[0], -x[0], zero, y[1], -x[1], zero, y[2], -x[2], zero,
    )  # fmt: skip


def matrix_rates_derivative(R, rate):
    """The rate map is linear."""
    return matrix_rates(rate)


def matrix_inverse_rates(R):
    """R' = R skew(omega)."""
    L = matrix_rates(R)
    return tuple(2.0 * L[9 * column + row] for row in range(9) for column in range(3))


def matrix_constraint(R):
    """The upper triangle of R^T R - 1, row by row."""
    columns = (R[0], R[3], R[6]), (R[1], R[4], R[7]), (R[2], R[5], R[8])
    return tuple(
        sum(columns[i][k] * columns[j][k] for k in range(3)) - (1.0 if i == j else 0.0) for i in range(3) for j in range(i, 3)
    )


def matrix_constraint_jacobian(R):
    """Derivative of the constraint by the nine numbers."""
    zero = 0.0 * R[0]
    rows = []
    for i in range(3):
        for j in range(i, 3):
            row = [zero] * 9
            for k in range(3):
                row[3 * k + i] = row[3 * k + i] + R[3 * k + j]
                row[3 * k + j] = row[3 * k + j] + R[3 * k + i]
            rows += row
    return tuple(rows)


def vector_matrix(w):
    """The rotation of a rotation vector."""
    return of_quaternion(*quaternion_exp(w))


def vector_coordinates(R):
    """The rotation vector of a rotation, of at most pi."""
    return quaternion_log(quaternion_of_matrix(R))


def vector_distance(w):
    """|sin(angle/2) / (angle/2)|: the root of the determinant of the rate map, zero at full turns."""
    f = entire(0.25 * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]))[1]
    return select(f < 0.0, -f, f)


def rodrigues_matrix(p):
    """The rotation of modified Rodrigues parameters p = axis tan(angle/4)."""
    n = p[0] * p[0] + p[1] * p[1] + p[2] * p[2]
    s = 1.0 / (1.0 + n)
    return of_quaternion(2.0 * s * p[0], 2.0 * s * p[1], 2.0 * s * p[2], s * (1.0 - n))


def rodrigues_coordinates(R):
    """The parameters of a rotation by at most pi, inside the unit ball."""
    q = quaternion_of_matrix(R)
    s = 1.0 / (1.0 + q[3])
    return s * q[0], s * q[1], s * q[2]


def rodrigues_inverse_rates(p):
    """B/4 with B = (1 - p.p) 1 + 2 skew(p) + 2 p p^T."""
    x, y, z = p
    n = x * x + y * y + z * z
    d = 0.25 * (1.0 - n)
    return (
        d + 0.5 * x * x, 0.5 * (x * y - z), 0.5 * (x * z + y),
        0.5 * (x * y + z), d + 0.5 * y * y, 0.5 * (y * z - x),
        0.5 * (x * z - y), 0.5 * (y * z + x), d + 0.5 * z * z,
    )  # fmt: skip


def rodrigues_rates(p):
    """4 B^T / (1 + p.p)^2, since B B^T = (1 + p.p)^2."""
    B = rodrigues_inverse_rates(p)
    s = rodrigues_distance(p)
    return tuple(16.0 * s * s * B[3 * j + i] for i in range(3) for j in range(3))


def rodrigues_rates_derivative(p, rate):
    """Time derivative of the rate map."""
    x, y, z = p
    u, v, w = rate
    d = x * u + y * v + z * w
    # derivative of B/4, of which the transpose is wanted
    D = (
        x * u - 0.5 * d, 0.5 * (x * v + u * y - w), 0.5 * (x * w + u * z + v),
        0.5 * (x * v + u * y + w), y * v - 0.5 * d, 0.5 * (y * w + v * z - u),
        0.5 * (x * w + u * z - v), 0.5 * (y * w + v * z + u), z * w - 0.5 * d,
    )  # fmt: skip
    B = rodrigues_inverse_rates(p)
    s = rodrigues_distance(p)
    return tuple(16.0 * s * s * (D[3 * j + i] - 4.0 * d * s * B[3 * j + i]) for i in range(3) for j in range(3))


def rodrigues_distance(p):
    """1 / (1 + p.p) = cos(angle/4)^2: zero at a full turn, where the parameters are infinite."""
    return 1.0 / (1.0 + p[0] * p[0] + p[1] * p[1] + p[2] * p[2])
