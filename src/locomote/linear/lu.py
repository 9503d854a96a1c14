"""Dense linear equations in place: factors, with row pivots or without, and solutions by them."""

from locomote.compiler.source import routine


@routine
def lu_factor(M, count, pivots):
    """M[:count, :count] <- its LU factors."""
    for k in range(count):
        place = k
        for n in range(k + 1, count):
            if abs(M[n, k]) > abs(M[place, k]):
                place = n
        pivots[k] = place
        if place != k:
            for m in range(count):
                M[k, m], M[place, m] = M[place, m], M[k, m]
        for n in range(k + 1, count):
            ratio = M[n, k] / M[k, k]
            M[n, k] = ratio
            if ratio != 0.0:
                for m in range(k + 1, count):
                    M[n, m] -= ratio * M[k, m]


@routine
def lu_factor_positive(M, count):
    """M[:count, :count] <- its LU factors without pivots, as what resists every motion allows; False if it does not."""
    good = True
    for k in range(count):
        if not M[k, k] > 0.0:
            good = False
        for n in range(k + 1, count):
            M[n, k] /= M[k, k]
            for m in range(k + 1, count):
                M[n, m] -= M[n, k] * M[k, m]
    return good


@routine
def lu_solve(M, count, pivots, x):
    """x[:count] <- solution for the right side x; `pivots` is None for factors without."""
    if pivots is not None:
        for k in range(count):
            place = pivots[k]
            if place != k:  # rows of the factors were exchanged as a whole
                x[k], x[place] = x[place], x[k]
    for k in range(count):
        for n in range(k + 1, count):
            x[n] -= M[n, k] * x[k]
    for k in range(count - 1, -1, -1):
        for m in range(k + 1, count):
            x[k] -= M[k, m] * x[m]
        x[k] /= M[k, k]
