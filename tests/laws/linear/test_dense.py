"""Dense linear equations: solutions put into the equations, with rows exchanged and without, compiled and plain."""

import numpy as np
import pytest

from locomote.compiler.lanes import WIDTH
from locomote.compiler.source import kernel
from locomote.linear.cholesky import cholesky, cholesky_solve, inverse_factor
from locomote.linear.dots import weigh_rows
from locomote.linear.lu import SMALL, lu_factor, lu_factor_part, lu_factor_positive, lu_solve, solve_dense, solve_vectors

SIZES = sorted({1, 2, 5, WIDTH - 1, WIDTH, SMALL - 1, SMALL, SMALL + 1, 2 * WIDTH + 3, 29, 40, 101})


@kernel
def pivoted(M, n, pivots, x):
    good = lu_factor(M, n, pivots)
    lu_solve(M, n, pivots, x)
    return good


@kernel
def positive(M, n, x):
    good = lu_factor_positive(M, n)
    lu_solve(M, n, None, x)
    return good


@kernel
def at_once(M, n, x):
    return solve_dense(M, n, x)


@kernel
def by_vectors(M, n, x):
    return solve_vectors(M, n, x)


@kernel
def products(out, r, weights, table, first, last, more):
    weigh_rows(out, r, weights, table, first, last, more)
    return 0


@kernel
def part(M, left_out, factors, chosen, pivots, x):
    count = lu_factor_part(M, left_out, factors, chosen, pivots)
    lu_solve(factors, count, pivots, x)
    return count


@kernel
def symmetric(M, first, last, x):
    good = cholesky(M, first, last, 0.0)
    cholesky_solve(M, first, last, x)
    return good


@kernel
def inverse(H, n, X, row):
    return inverse_factor(H, n, X, 1e-14, row)


def of(function, compiled):
    return function if compiled else function.py_func


def solves(A, y, x):
    """Whether A y = x but for rounding of its terms."""
    return abs(A @ y - x).max() <= 1e-12 * (abs(A) @ abs(y)).max()


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("n", SIZES)
def test_solutions_solve(n, compiled):
    rng = np.random.default_rng(n)
    for k in range(20 if n < 20 or compiled else 2):
        A, x = rng.normal(size=(n, n)), rng.normal(size=n)
        A[0, 0] = 0.0 if n > 1 else 1.0  # rows must be exchanged
        if n > 6:
            A[3], A[3, 3] = 0.0, 1.0  # rows that are nearly empty, as of open contacts
        M, more = np.full((n + k % 3, n + k), 7.0), rng.normal(size=n + 2)
        M[:n, :n], more[:n] = A, x
        kept, pivots = more[n:].copy(), np.zeros(n, np.int64)
        assert of(pivoted, compiled)(M, n, pivots, more)
        assert solves(A, more[:n], x)
        assert (M[n:] == 7.0).all() and (M[:, n:] == 7.0).all() and (more[n:] == kept).all()
        M[:n, :n], y = A, x.copy()
        assert of(at_once, compiled)(M, n, y)
        assert solves(A, y, x) and (M[:, n:] == 7.0).all()
        P = A @ A.T + np.eye(n) + 0.1 * (A - A.T)  # resists every motion
        M, y = P.copy(), x.copy()
        assert of(positive, compiled)(M, n, y)
        assert solves(P, y, x)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("n", SIZES)
def test_symmetric_ones(n, compiled):
    rng = np.random.default_rng(n)
    A = rng.normal(size=(n, n))
    S, first = A @ A.T + np.eye(n), n // 3
    M, x, X = S.copy(), rng.normal(size=n), np.zeros((n, n))
    y = x.copy()
    assert of(symmetric, compiled)(M, first, n, y)
    assert solves(S[first:, first:], y[first:], x[first:])
    assert (y[:first] == x[:first]).all() and (M[:first] == S[:first]).all()
    assert of(inverse, compiled)(S, n, X, np.zeros(n))
    assert np.allclose(X @ S @ X.T, np.eye(n), atol=1e-10) and not np.triu(X, 1).any()


def test_part_of_a_matrix():
    rng = np.random.default_rng(0)
    A, left_out, x = rng.normal(size=(30, 30)), np.arange(30) % 3 == 1, rng.normal(size=20)
    own, y, chosen = A[np.ix_(~left_out, ~left_out)], x.copy(), np.zeros(30, np.int64)
    assert part(A, left_out.astype(np.int64), np.zeros((30, 30)), chosen, np.zeros(30, np.int64), y) == 20
    assert solves(own, y, x)
    assert (chosen[:20] == np.flatnonzero(~left_out)).all()


def test_what_cannot_be_solved_is_said():
    assert not lu_factor_positive(np.array([[1.0, 2.0], [2.0, 1.0]]), 2)
    assert not cholesky(np.array([[1.0, 2.0], [2.0, 1.0]]), 0, 2, 0.0)
    assert not inverse(np.array([[1.0, 1.0], [1.0, 1.0 + 1e-15]]), 2, np.zeros((2, 2)), np.zeros(2))
    with np.errstate(divide="ignore", invalid="ignore"):
        assert not at_once(np.zeros((3, 3)), 3, np.ones(3)) and not at_once(np.full((20, 20), np.nan), 20, np.ones(20))


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("count", [1, 2, 7, 8, 15, 16, 31])
def test_systems_whose_rows_are_whole_vectors(count, compiled):
    """Pivots on the diagonal that do, that are small beside their row, and zeros there; no solution where there is none."""
    rng, wide = np.random.default_rng(count), -(-count // 8) * 8
    for kind in range(3):
        A = rng.normal(size=(count, count)) + (count * np.eye(count) if kind == 0 else 0.0)
        if kind == 2:
            np.fill_diagonal(A, 0.0 if count > 1 else 1.0)
        M, x = np.zeros((wide, wide)), rng.normal(size=count)
        M[:count, :count], y = A, np.r_[x, np.full(wide - count, 3.0)]
        assert of(by_vectors, compiled)(M, count, y)
        assert abs(A @ y[:count] - x).max() <= 1e-10 * (abs(A) @ abs(y[:count])).max() and (y[count:] == 3.0).all()
    M = np.zeros((wide, wide))
    M[:count, :count] = rng.normal(size=(count, count))
    M[count // 2, :] = M[:, count // 2] = 0.0
    assert not of(by_vectors, compiled)(M, count, np.ones(wide))
    assert not of(by_vectors, compiled)(np.full((wide, wide), np.nan), count, np.ones(wide))


@pytest.mark.parametrize("compiled", [True, False])
def test_three_rows_are_sums_of_rows_of_a_table(compiled):
    rng = np.random.default_rng(0)
    weights, table, out = rng.normal(size=(6, 11)), rng.normal(size=(11, 16)), np.full((6, 16), np.nan)
    of(products, compiled)(out, 2, weights, table, 3, 8, False)
    right = weights[2:5, 3:8] @ table[3:8]
    assert np.allclose(out[2:5], right, atol=1e-14) and np.isnan(out[[0, 1, 5]]).all()
    of(products, compiled)(out, 2, weights, table, 0, 2, True)
    assert np.allclose(out[2:5], right + weights[2:5, :2] @ table[:2], atol=1e-14)
