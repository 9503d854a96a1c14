"""The product of a square matrix with another, in place: blocks of columns, as wide as fit, with eight sums under way in each.

Floats only. A block is copied to where its columns stand close together, so that its rows can be written while it is in use.
"""

from locomote.compiler.lanes import WIDTH, first_lanes, load_float, load_floats, store_floats
from locomote.compiler.scalars import select
from locomote.compiler.source import helper, routine

GROUP = 4 * WIDTH  # columns of the widest block


@helper
def grouped(count):
    """The next multiple of a group."""
    return (count + GROUP - 1) // GROUP * GROUP


@routine
def remove_product(B, count, X, columns, room):
    """Replace the first columns of X, which has `count` rows, by minus the first `count` columns of B times them.

    room : (count, GROUP), where columns stand close together while they are in use
    """
    done = 0
    while done < columns:  # the last block may overlap finished columns, which it leaves unchanged
        left = columns - done
        if left > 3 * WIDTH and columns >= GROUP:
            begin = min(done, columns - GROUP)
            _wide_product(B, count, X, begin, room, done - begin)
            done = begin + GROUP
        elif left > WIDTH and columns >= 2 * WIDTH:
            begin = min(done, columns - 2 * WIDTH)
            _half_product(B, count, X, begin, room, done - begin)
            done = begin + 2 * WIDTH
        elif left > 1 and columns >= WIDTH:
            begin = min(done, columns - WIDTH)
            _narrow_product(B, count, X, begin, room, done - begin)
            done = begin + WIDTH
        else:
            _single_product(B, count, X, done, room)
            done += 1


@routine
def _single_product(B, count, X, c, room):
    """One column."""
    for r in range(count):
        room[r, 0] = X[r, c]
    for r in range(count):
        x = 0.0
        for t in range(count):
            x -= B[r, t] * room[t, 0]
        X[r, c] = x


@helper
def _row(B, r, count):
    """Where row r begins, or the last row if r is beyond it."""
    return min(r, count - 1) * B.shape[1]


@routine
def _wide_product(B, count, X, c, room, done):
    """GROUP columns, of which the first `done` keep what they have, two rows at a time: each vector is read once for both."""
    for r in range(count):
        _store4(room, r * GROUP, _load4(X, r * X.shape[1] + c))
    zero = 0.0 * load_floats(room, 0)
    for r in range(0, count, 2):
        i, j, s, x, y = _row(B, r, count), _row(B, r + 1, count), 0, (zero, zero, zero, zero), (zero, zero, zero, zero)
        for t in range(count):
            x, y = _less4(x, load_float(B, i + t), room, s), _less4(y, load_float(B, j + t), room, s)
            s += GROUP
        _put2(X, r, count, c, room, done, x[0], x[1], 0)
        _put2(X, r, count, c, room, done, x[2], x[3], 2 * WIDTH)
        _put2(X, r + 1, count, c, room, done, y[0], y[1], 0)
        _put2(X, r + 1, count, c, room, done, y[2], y[3], 2 * WIDTH)


@routine
def _half_product(B, count, X, c, room, done):
    """Half as many columns, four rows at a time."""
    for r in range(count):
        store_floats(room, r * GROUP, load_floats(X, r * X.shape[1] + c))
        store_floats(room, r * GROUP + WIDTH, load_floats(X, r * X.shape[1] + c + WIDTH))
    zero = 0.0 * load_floats(room, 0)
    for r in range(0, count, 4):
        i, j, k, l = _row(B, r, count), _row(B, r + 1, count), _row(B, r + 2, count), _row(B, r + 3, count)
        s, w, x, y, z = 0, (zero, zero), (zero, zero), (zero, zero), (zero, zero)
        for t in range(count):
            a, b = load_floats(room, s), load_floats(room, s + WIDTH)
            w, x = _less2(w, load_float(B, i + t), a, b), _less2(x, load_float(B, j + t), a, b)
            y, z = _less2(y, load_float(B, k + t), a, b), _less2(z, load_float(B, l + t), a, b)
            s += GROUP
        _put2(X, r, count, c, room, done, w[0], w[1], 0)
        _put2(X, r + 1, count, c, room, done, x[0], x[1], 0)
        _put2(X, r + 2, count, c, room, done, y[0], y[1], 0)
        _put2(X, r + 3, count, c, room, done, z[0], z[1], 0)


@routine
def _narrow_product(B, count, X, c, room, done):
    """One vector of columns, eight rows at a time."""
    for r in range(count):
        store_floats(room, r * GROUP, load_floats(X, r * X.shape[1] + c))
    zero = 0.0 * load_floats(room, 0)
    for r in range(0, count, 8):
        i, j, k, l = _row(B, r, count), _row(B, r + 1, count), _row(B, r + 2, count), _row(B, r + 3, count)
        m, n, o, p = _row(B, r + 4, count), _row(B, r + 5, count), _row(B, r + 6, count), _row(B, r + 7, count)
        s, w, x, y, z = 0, (zero, zero), (zero, zero), (zero, zero), (zero, zero)
        for t in range(count):
            a = load_floats(room, s)
            w = (w[0] - load_float(B, i + t) * a, w[1] - load_float(B, j + t) * a)
            x = (x[0] - load_float(B, k + t) * a, x[1] - load_float(B, l + t) * a)
            y = (y[0] - load_float(B, m + t) * a, y[1] - load_float(B, n + t) * a)
            z = (z[0] - load_float(B, o + t) * a, z[1] - load_float(B, p + t) * a)
            s += GROUP
        _put(X, r, count, c, room, done, w[0], 0)
        _put(X, r + 1, count, c, room, done, w[1], 0)
        _put(X, r + 2, count, c, room, done, x[0], 0)
        _put(X, r + 3, count, c, room, done, x[1], 0)
        _put(X, r + 4, count, c, room, done, y[0], 0)
        _put(X, r + 5, count, c, room, done, y[1], 0)
        _put(X, r + 6, count, c, room, done, z[0], 0)
        _put(X, r + 7, count, c, room, done, z[1], 0)


@helper
def _load4(B, p):
    """Four vectors."""
    return load_floats(B, p), load_floats(B, p + WIDTH), load_floats(B, p + 2 * WIDTH), load_floats(B, p + 3 * WIDTH)


@helper
def _less4(x, weight, B, p):
    """Four vectors less others."""
    return (
        x[0] - weight * load_floats(B, p), x[1] - weight * load_floats(B, p + WIDTH),
        x[2] - weight * load_floats(B, p + 2 * WIDTH), x[3] - weight * load_floats(B, p + 3 * WIDTH),
    )  # fmt: skip


@helper
def _store4(B, p, x):
    store_floats(B, p, x[0])
    store_floats(B, p + WIDTH, x[1])
    store_floats(B, p + 2 * WIDTH, x[2])
    store_floats(B, p + 3 * WIDTH, x[3])


@helper
def _less2(x, weight, a, b):
    """Two vectors less others."""
    return x[0] - weight * a, x[1] - weight * b


@helper
def _put(X, r, count, c, room, done, x, k):
    """A vector of a product, the k-th and following of its columns, into its place; finished columns keep their values."""
    if r < count:
        if done > k:
            x = select(first_lanes(done - k), load_floats(room, r * GROUP + k), x)
        store_floats(X, r * X.shape[1] + c + k, x)


@helper
def _put2(X, r, count, c, room, done, x, y, k):
    """Two such vectors."""
    _put(X, r, count, c, room, done, x, k)
    _put(X, r, count, c, room, done, y, k + WIDTH)
