"""Symmetric systems without pivots, real or complex: A = U^T D^-1 U, row by row, with whole rows in vector registers.

    for each k:   row j -= (U_kj / D_k) row k   for all j > k with U_kj not zero                                        (1)
    forward       x_j -= U_kj x_k / D_k                                                                                 (2)
    back          x_k = (x_k - sum over j > k of U_kj x_j) / D_k                                                        (3)

Rows are as long as whole vectors take; only their upper half means something. Their diagonals become 1/D. Coordinates of
unrelated branches of a tree, taken last first, do not fill each other: their zeros stay zeros and are passed over.
"""

from numba import types

from locomote.engine.lanes import WIDTH, load_floats, store_floats
from locomote.engine.numba_private import overload
from locomote.engine.source import helper, routine


def take_row(real, k, j, f, count):
    """Row j -= f row k, from column j on."""
    for i in range(j, count):
        real[j, i] -= f * real[k, i]


def take_complex_row(real, imaginary, k, j, f, g, count):
    """The same for a complex matrix and f + i g."""
    for i in range(j, count):
        real[j, i] -= f * real[k, i] - g * imaginary[k, i]
        imaginary[j, i] -= f * imaginary[k, i] + g * real[k, i]


@helper
def add_times(out, A, k, f, count):
    """out += f times row k of A."""
    for i in range(count):
        out[i] += f * A[k, i]


@overload(take_row, inlined=True)
def _take_row(real, k, j, f, count):
    if not isinstance(real, types.Array):
        return take_row

    def floats(real, k, j, f, count):
        wide = real.shape[1]
        for i in range(j - j % WIDTH, count, WIDTH):
            at = j * wide + i
            store_floats(real, at, load_floats(real, at) - f * load_floats(real, k * wide + i))

    return floats


@overload(take_complex_row, inlined=True)
def _take_complex_row(real, imaginary, k, j, f, g, count):
    if not isinstance(real, types.Array):
        return take_complex_row

    def floats(real, imaginary, k, j, f, g, count):
        wide = real.shape[1]
        for i in range(j - j % WIDTH, count, WIDTH):
            at, x, y = j * wide + i, load_floats(real, k * wide + i), load_floats(imaginary, k * wide + i)
            store_floats(real, at, load_floats(real, at) - (f * x - g * y))
            store_floats(imaginary, at, load_floats(imaginary, at) - (f * y + g * x))

    return floats


@routine
def factor_real(A, first, count):
    """(1) for rows and columns from `first` to `count`; False if some D is not positive."""
    good = True
    for k in range(first, count):
        good = good and A[k, k] > 0.0
        A[k, k] = 1.0 / A[k, k]
        for j in range(k + 1, count):
            f = A[k, j] * A[k, k]
            if f != 0.0:
                take_row(A, k, j, f, count)
    return good


@routine
def solve_real(A, first, count, x):
    """(2) and (3), in place."""
    for k in range(first, count):
        f = A[k, k] * x[k]
        for j in range(k + 1, count):
            x[j] -= A[k, j] * f
    for k in range(count - 1, first - 1, -1):
        value = x[k]
        for j in range(k + 1, count):
            value -= A[k, j] * x[j]
        x[k] = value * A[k, k]


@routine
def factor_complex(real, imaginary, first, count):
    """(1) for a complex matrix in two parts."""
    for k in range(first, count):
        x, y = real[k, k], imaginary[k, k]
        size = x * x + y * y
        a, b = x / size, -y / size
        real[k, k], imaginary[k, k] = a, b
        for j in range(k + 1, count):
            x, y = real[k, j], imaginary[k, j]
            if x != 0.0 or y != 0.0:
                take_complex_row(real, imaginary, k, j, x * a - y * b, x * b + y * a, count)


@routine
def solve_complex(real, imaginary, first, count, x, y):
    """(2) and (3) for x + i y, in place."""
    for k in range(first, count):
        a, b = real[k, k], imaginary[k, k]
        f, g = a * x[k] - b * y[k], a * y[k] + b * x[k]
        for j in range(k + 1, count):
            x[j] -= real[k, j] * f - imaginary[k, j] * g
            y[j] -= real[k, j] * g + imaginary[k, j] * f
    for k in range(count - 1, first - 1, -1):
        p, q, r, s = x[k], y[k], 0.0, 0.0
        for j in range(k + 1, count):
            p -= real[k, j] * x[j]
            q -= real[k, j] * y[j]
            r += imaginary[k, j] * y[j]
            s += imaginary[k, j] * x[j]
        p, q = p + r, q - s
        x[k], y[k] = real[k, k] * p - imaginary[k, k] * q, real[k, k] * q + imaginary[k, k] * p
