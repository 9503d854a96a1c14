"""The inverse of a symmetric positive matrix, in place: swept over two pivots at a time, in the upper half only.

Floats only. With the two pivots K, P the inverse of their block, U the columns K, and i, j all other rows and columns:

    Y = U P ,   A_ij -= Y_i U_j^T ,   A_iK = Y_i ,   A_KK = -P        which leaves -A^-1, once all are done

P is applied by eliminating one of the two after the other, which keeps more digits than its entries would. A tree that has
many unrelated coordinates is not faster, but no vector is cut short, and nothing branches.
"""

from locomote.compiler.lanes import WIDTH, load_float, load_floats, store_floats
from locomote.compiler.source import helper, routine


@routine
def invert_symmetric(A, count, rows):
    """Replace a square of A, `count` rows and columns, by its inverse, from its upper half.

    rows : for U and Y, four rows as wide as those of A, which have columns for whole pairs of vectors
    """
    for k in range(0, count, 2):
        _sweep(A, count, k, min(k + 1, count - 1), rows)
    for j in range(count):
        for k in range(j, count):
            A[j, k] = A[k, j] = -A[j, k]


@helper
def _sweep(A, count, k, m, rows):
    """One step, with the pivots k and m; of an odd number, the last pivot goes alone, m = k."""
    wide = rows.shape[1]
    p, lean, r = 1.0 / A[k, k], 0.0, 0.0
    if m > k:
        lean = A[k, m] * p
        r = 1.0 / (A[m, m] - lean * A[k, m])
    for i in range(k):
        rows[0, i], rows[1, i] = A[i, k], A[i, m]
    for i in range(k, count):
        rows[0, i], rows[1, i] = A[k, i], A[m, i]
    rows[1, k] = A[k, m]
    for j in range(0, count, WIDTH):
        x = load_floats(rows, j)
        y = (load_floats(rows, wide + j) - lean * x) * r
        store_floats(rows, 3 * wide + j, y)
        store_floats(rows, 2 * wide + j, p * x - lean * y)
    c = 0
    while c < count:
        if count - c > WIDTH:
            _remove_two(A, min(count, c + 2 * WIDTH), c, rows, wide)
            c += 2 * WIDTH
        else:
            _remove_one(A, count, c, rows, wide)
            c += WIDTH
    for i in range(k):
        A[i, m] = rows[3, i]
        A[i, k] = rows[2, i]
    for i in range(m + 1, count):
        A[m, i] = rows[3, i]
        A[k, i] = rows[2, i]
    A[m, m] = -r
    A[k, m] = lean * r
    A[k, k] = -p - lean * lean * r


@helper
def _remove_two(A, count, c, rows, wide):
    """Two vectors of columns from c on, of the first rows."""
    x, y = load_floats(rows, c), load_floats(rows, c + WIDTH)
    w, z = load_floats(rows, wide + c), load_floats(rows, wide + c + WIDTH)
    for i in range(count):
        u, v, s = load_float(rows, 2 * wide + i), load_float(rows, 3 * wide + i), i * A.shape[1] + c
        store_floats(A, s, load_floats(A, s) - u * x - v * w)
        store_floats(A, s + WIDTH, load_floats(A, s + WIDTH) - u * y - v * z)


@helper
def _remove_one(A, count, c, rows, wide):
    """One vector of columns."""
    x, w = load_floats(rows, c), load_floats(rows, wide + c)
    for i in range(count):
        s = i * A.shape[1] + c
        store_floats(A, s, load_floats(A, s) - load_float(rows, 2 * wide + i) * x - load_float(rows, 3 * wide + i) * w)
