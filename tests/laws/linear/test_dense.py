"""Dense linear equations: solutions put into the equations, where rows must be exchanged and where none may."""

import numpy as np
import pytest

from locomote.linear.lu import lu_factor, lu_factor_positive, lu_solve


@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_solutions_solve(n):
    rng = np.random.default_rng(n)
    for _ in range(20):
        A, x = rng.normal(size=(n, n)), rng.normal(size=n)
        A[0, 0] = 0.0 if n > 1 else 1.0  # rows must be exchanged
        M, pivots, y = A.copy(), np.zeros(n, np.int64), x.copy()
        lu_factor(M, n, pivots)
        lu_solve(M, n, pivots, y)
        assert np.allclose(A @ y, x, rtol=0, atol=1e-13 * np.linalg.cond(A))
        P = A @ A.T + np.eye(n) + 0.1 * (A - A.T)  # resists every motion
        M, y = P.copy(), x.copy()
        assert lu_factor_positive(M, n)
        lu_solve(M, n, None, y)
        assert np.allclose(P @ y, x, rtol=0, atol=1e-12 * np.linalg.cond(P))


def test_what_does_not_resist_is_said():
    assert not lu_factor_positive(np.array([[1.0, 2.0], [2.0, 1.0]]), 2)
