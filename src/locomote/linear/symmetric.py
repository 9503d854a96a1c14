"""Symmetric systems without pivots, real or complex: A = U^T D^-1 U, row by row, with whole rows in vector registers.

    for each k:   row j -= (U_kj / D_k) row k   for all j > k with U_kj not zero                                        (1)
    forward       x_j -= U_kj x_k / D_k                                                                                 (2)
    back          x_k = (x_k - sum over j > k of U_kj x_j) / D_k                                                        (3)

Rows are as long as whole vectors take, and so are right sides. What is beyond the last column is set to zero each time: it is
multiplied too, and a NaN of one attempt would stay there for all that follow. Of factors what is left of the diagonal is zero.
Their diagonals become 1/D. Coordinates of unrelated branches of a tree, taken last first, do not fill each other: their zeros
stay zeros and are passed over.
"""

from numba import types

from locomote.compiler.lanes import WIDTH, load_floats, store_floats
from locomote.compiler.numba_private import overload
from locomote.compiler.source import helper, routine
from locomote.linear.dots import summed


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


def take_part(x, A, k, f, count):
    """x -= f times row k beyond its diagonal."""
    for j in range(k + 1, count):
        x[j] -= f * A[k, j]


def part_times(A, k, x, count):
    """Row k beyond its diagonal times x."""
    total = 0.0
    for j in range(k + 1, count):
        total += A[k, j] * x[j]
    return total


@overload(take_part, inlined=True)
def _take_part(x, A, k, f, count):
    if not isinstance(A, types.Array):
        return take_part

    def floats(x, A, k, f, count):
        own, at = x[k], k * A.shape[1]
        for j in range(k - k % WIDTH, count, WIDTH):
            store_floats(x, j, load_floats(x, j) - f * load_floats(A, at + j))
        x[k] = own

    return floats


@overload(part_times, inlined=True)
def _part_times(A, k, x, count):
    if not isinstance(A, types.Array):
        return part_times

    def floats(A, k, x, count):
        own, at, begin = x[k], k * A.shape[1], k - k % WIDTH
        x[k] = 0.0
        sums = load_floats(A, at + begin) * load_floats(x, begin)
        for j in range(begin + WIDTH, count, WIDTH):
            sums = sums + load_floats(A, at + j) * load_floats(x, j)
        x[k] = own
        return summed(sums)

    return floats


def take_complex_part(x, y, real, imaginary, k, f, g, count):
    """x + i y -= (f + i g) times row k beyond its diagonal."""
    for j in range(k + 1, count):
        x[j] -= f * real[k, j] - g * imaginary[k, j]
        y[j] -= g * real[k, j] + f * imaginary[k, j]


def complex_part_times(real, imaginary, k, x, y, count):
    """Row k beyond its diagonal times x + i y."""
    p, q = 0.0, 0.0
    for j in range(k + 1, count):
        p += real[k, j] * x[j] - imaginary[k, j] * y[j]
        q += real[k, j] * y[j] + imaginary[k, j] * x[j]
    return p, q


@overload(take_complex_part, inlined=True)
def _take_complex_part(x, y, real, imaginary, k, f, g, count):
    if not isinstance(real, types.Array):
        return take_complex_part

    def floats(x, y, real, imaginary, k, f, g, count):
        p, q, at = x[k], y[k], k * real.shape[1]
        for j in range(k - k % WIDTH, count, WIDTH):
            a, b = load_floats(real, at + j), load_floats(imaginary, at + j)
            store_floats(x, j, load_floats(x, j) - f * a + g * b)
            store_floats(y, j, load_floats(y, j) - g * a - f * b)
        x[k], y[k] = p, q

    return floats


@overload(complex_part_times, inlined=True)
def _complex_part_times(real, imaginary, k, x, y, count):
    if not isinstance(real, types.Array):
        return complex_part_times

    def floats(real, imaginary, k, x, y, count):
        p, q, at, begin = x[k], y[k], k * real.shape[1], k - k % WIDTH
        x[k] = y[k] = 0.0
        a, b, u, v = (
            load_floats(real, at + begin),
            load_floats(imaginary, at + begin),
            load_floats(x, begin),
            load_floats(y, begin),
        )
        one, two = a * u - b * v, a * v + b * u
        for j in range(begin + WIDTH, count, WIDTH):
            a, b, u, v = load_floats(real, at + j), load_floats(imaginary, at + j), load_floats(x, j), load_floats(y, j)
            one, two = one + a * u - b * v, two + a * v + b * u
        x[k], y[k] = p, q
        return summed(one), summed(two)

    return floats


@helper
def clear_left(A, first, count):
    """Zeros left of the diagonal."""
    for k in range(first, count):
        for j in range(k):
            A[k, j] = 0.0


@routine
def factor_real(A, first, count):
    """(1) for rows and columns from `first` to `count`; False if some D is not positive."""
    good = True
    for k in range(first, count):
        for j in range(count, A.shape[1]):
            A[k, j] = 0.0
    for k in range(first, count):
        good = good and A[k, k] > 0.0
        A[k, k] = 1.0 / A[k, k]
        for j in range(k + 1, count):
            f = A[k, j] * A[k, k]
            if f != 0.0:
                take_row(A, k, j, f, count)
    clear_left(A, first, count)
    return good


@routine
def solve_real(A, first, count, x):
    """(2) and (3), in place."""
    for k in range(count, x.shape[0]):
        x[k] = 0.0
    for k in range(first, count):
        take_part(x, A, k, A[k, k] * x[k], count)
    for k in range(count - 1, first - 1, -1):
        x[k] = (x[k] - part_times(A, k, x, count)) * A[k, k]


@routine
def factor_complex(real, imaginary, first, count):
    """(1) for a complex matrix in two parts."""
    for k in range(first, count):
        for j in range(count, real.shape[1]):
            real[k, j] = imaginary[k, j] = 0.0
    for k in range(first, count):
        x, y = real[k, k], imaginary[k, k]
        size = x * x + y * y
        a, b = x / size, -y / size
        real[k, k], imaginary[k, k] = a, b
        for j in range(k + 1, count):
            x, y = real[k, j], imaginary[k, j]
            if x != 0.0 or y != 0.0:
                take_complex_row(real, imaginary, k, j, x * a - y * b, x * b + y * a, count)
    clear_left(real, first, count)
    clear_left(imaginary, first, count)


@routine
def solve_complex(real, imaginary, first, count, x, y):
    """(2) and (3) for x + i y, in place."""
    for k in range(count, x.shape[0]):
        x[k] = y[k] = 0.0
    for k in range(first, count):
        a, b = real[k, k], imaginary[k, k]
        f, g = a * x[k] - b * y[k], a * y[k] + b * x[k]
        take_complex_part(x, y, real, imaginary, k, f, g, count)
    for k in range(count - 1, first - 1, -1):
        p, q = complex_part_times(real, imaginary, k, x, y, count)
        p, q = x[k] - p, y[k] - q
        x[k], y[k] = real[k, k] * p - imaginary[k, k] * q, real[k, k] * q + imaginary[k, k] * p
