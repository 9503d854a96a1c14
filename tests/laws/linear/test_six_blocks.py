"""Matrices of blocks of free bodies against dense ones of NumPy, compiled and as plain Python."""

import numpy as np
import pytest

from locomote.compiler.source import kernel
from locomote.linear.block_lu import eliminate_links
from locomote.linear.six_blocks import EIGHT, add_block, add_rows, push_rows, solve_bodies


def solved(A, x, links):
    """Solve, with the links that factors add."""
    eliminate_links(links, len(links))
    return solve_bodies(A, x, links, len(links))


@kernel
def solved_compiled(A, x, links):
    eliminate_links(links, links.shape[0])
    return solve_bodies(A, x, links, links.shape[0])


def added(A, i, m, rows, felt, r, G):
    add_block(A, i, 6, m, rows, felt, r, G)


@kernel
def added_compiled(A, i, m, rows, felt, r, G):
    add_block(A, i, 6, m, rows, felt, r, G)
    return 0


@kernel
def weighed_compiled(w, p, rows, count):
    push_rows(w, p, rows, count)
    return 0


@kernel
def pushed_compiled(w, rows, r, first):
    add_rows(w, 0.5, -2.0, 3.0, rows, r, first, first + EIGHT)
    return 0


def of_bodies(rng, bodies, share):
    """A matrix that is not symmetric, with links of a share of all pairs, and the numbers of its coordinates."""
    places = np.concatenate([EIGHT * n + np.arange(6) for n in range(bodies)])
    links = np.triu(rng.random((bodies, bodies)) < share, 1).astype(np.int64)
    links += links.T
    A = np.eye(EIGHT * bodies)
    for n in range(bodies):
        for m in range(bodies):
            if n == m or links[n, m]:
                A[EIGHT * n : EIGHT * n + 6, EIGHT * m : EIGHT * m + 6] += rng.normal(size=(6, 6))
    return A, links, places


@pytest.mark.parametrize("solve", [solved, solved_compiled])
@pytest.mark.parametrize("bodies", [1, 2, 7, 12])
def test_blocks_are_solved(solve, bodies):
    for share in (0.0, 0.3, 1.0):
        rng = np.random.default_rng(bodies)
        A, links, places = of_bodies(rng, bodies, share)
        x = np.zeros(EIGHT * bodies)
        x[places] = rng.normal(size=6 * bodies)
        right = np.linalg.solve(A, x)
        assert solve(A, x, links)
        assert np.allclose(x, right, rtol=1e-8, atol=1e-8 * abs(right).max())


@pytest.mark.parametrize("solve", [solved, solved_compiled])
def test_nothing_is_no_pivot(solve):
    A, links, _ = of_bodies(np.random.default_rng(0), 2, 1.0)
    A[EIGHT + 3] = 0.0
    A[:, EIGHT + 3] = 0.0
    assert not solve(A, np.ones(2 * EIGHT), links)


@pytest.mark.parametrize("add", [added, added_compiled])
def test_blocks_are_sums_of_products_of_rows(add):
    rng, G = np.random.default_rng(3), (1.0, -0.5, 2.0, 0.7, -0.3, 4.0)
    rows, felt, A = np.zeros((5, 2 * EIGHT)), np.zeros((5, 2 * EIGHT)), np.zeros((2 * EIGHT, 2 * EIGHT))
    for first in (0, EIGHT):
        rows[:, first : first + 6], felt[:, first : first + 6] = rng.normal(size=(2, 5, 6))
    full = np.array([[G[0], G[1], G[3]], [G[1], G[2], G[4]], [0.0, 0.0, G[5]]])
    add(A, 0, EIGHT, rows, felt, 1, G)
    add(A, EIGHT, EIGHT, rows, felt, 1, G)
    right = rows[1:4].T @ full @ felt[1:4]
    right[:, :EIGHT] = 0.0
    assert np.allclose(A, right, atol=1e-14)


@pytest.mark.parametrize("compiled", [False, True])
def test_rows_are_added(compiled):
    rows = np.random.default_rng(4).normal(size=(4, 3 * EIGHT))
    w = np.ones(3 * EIGHT)
    if compiled:
        pushed_compiled(w, rows, 1, EIGHT)
    else:
        add_rows(w, 0.5, -2.0, 3.0, rows, 1, EIGHT, 2 * EIGHT)
    right = np.ones(3 * EIGHT)
    right[EIGHT : 2 * EIGHT] += np.array([0.5, -2.0, 3.0]) @ rows[1:, EIGHT : 2 * EIGHT]
    assert np.allclose(w, right, atol=1e-14)


@pytest.mark.parametrize("push", [push_rows, weighed_compiled])
@pytest.mark.parametrize("count", [1, 3, 7, 9])
def test_rows_are_weighed(push, count):
    rng = np.random.default_rng(count)
    rows, p, w = rng.normal(size=(count + 1, 2 * EIGHT)), rng.normal(size=count + 1), np.full(2 * EIGHT, np.nan)
    push(w, p, rows, count)
    assert np.allclose(w, p[:count] @ rows[:count], atol=1e-14)
