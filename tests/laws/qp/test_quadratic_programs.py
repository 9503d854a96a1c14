"""The dual active set against DAQP and quadprog on random programs; certificates of infeasible ones by their definition."""

import daqp
import numpy as np
import pytest
import quadprog

from locomote.qp.solve import solve_qp


def program(rng, most=30):
    """A feasible program: equalities, two-sided rows, one-sided rows, repeated rows; weights over four orders."""
    n = int(rng.integers(1, most))
    m = int(rng.integers(0, 2 * most))
    equal = int(rng.integers(0, min(n, m) // 2 + 1))
    B = rng.normal(size=(n, n))
    H = B @ B.T + 10.0 ** rng.uniform(-3, 0) * np.eye(n)
    g, A, inside = 10 * rng.normal(size=n), rng.normal(size=(m, n)), rng.normal(size=n)
    if m - equal > 4 and rng.random() < 0.3:  # dependent rows
        A[-1], A[-2] = A[equal], -2.0 * A[equal] + A[-3]
    lower, upper = A @ inside - rng.uniform(0, 1, m), A @ inside + rng.uniform(0, 1, m)
    lower[:equal] = upper[:equal] = (A @ inside)[:equal]
    lower[equal:][rng.random(m - equal) < 0.3] = -np.inf
    upper[equal:][rng.random(m - equal) < 0.3] = np.inf
    return H, g, A, lower, upper, equal


def by_daqp(H, g, A, lower, upper, equal):
    sense = np.zeros(len(A), dtype=np.int32)
    sense[:equal] = 5
    x, _, flag, _ = daqp.solve(H.copy(), g.copy(), A.copy(), np.minimum(upper, 1e30), np.maximum(lower, -1e30), sense)
    return np.array(x), flag


def by_quadprog(H, g, A, lower, upper, equal):
    rest_low, rest_high = np.isfinite(lower[equal:]), np.isfinite(upper[equal:])
    rows = np.vstack([A[:equal], A[equal:][rest_low], -A[equal:][rest_high]])
    bounds = np.concatenate([lower[:equal], lower[equal:][rest_low], -upper[equal:][rest_high]])
    return quadprog.solve_qp(H, -g, rows.T, bounds, equal)[0]


def test_ten_thousand_feasible_programs():
    rng = np.random.default_rng(11)
    worst, apart, iterations = 0.0, 0.0, 0
    for k in range(10_000):
        given = program(rng)
        answer = solve_qp(*given[:5])
        assert answer.status == "solved", k
        H, g, A, lower, upper, equal = given
        # the conditions once more, by NumPy
        stationarity = abs(H @ answer.x + g - A.T @ answer.multipliers).max()
        outside = max(np.max(lower - A @ answer.x, initial=0.0), np.max(A @ answer.x - upper, initial=0.0))
        free = ((answer.multipliers > 0) & (lower == -np.inf)) | ((answer.multipliers < 0) & (upper == np.inf))
        assert not free.any()
        worst = max(worst, answer.residual, stationarity, outside)
        iterations = max(iterations, answer.iterations)
        if k % 10 == 0:
            value = 0.5 * answer.x @ H @ answer.x + g @ answer.x
            bounded = np.isfinite(lower).any() or np.isfinite(upper).any()
            for x in (by_quadprog(*given), by_daqp(*given)[0]) if bounded else ():
                other = 0.5 * x @ H @ x + g @ x
                apart = max(apart, abs(x - answer.x).max())
                assert value <= other + 1e-7 * max(1.0, abs(other))
    assert worst < 1e-7
    assert apart < 1e-5
    print(f"residual at most {worst:.1e}, {apart:.1e} from DAQP and quadprog, at most {iterations} iterations")


def infeasible(rng):
    """A program whose rows contradict each other: a random one, with a row that is a combination of others out of reach."""
    while True:
        H, g, A, lower, upper, equal = program(rng)
        if len(A) - equal >= 4:
            break
    chosen = rng.choice(len(A) - 1, int(rng.integers(1, 4)), replace=False)
    weights = rng.uniform(0.2, 2.0, len(chosen)) * rng.choice([-1.0, 1.0], len(chosen))
    for i, w in zip(chosen, weights, strict=True):  # the sum has an upper bound
        if w > 0 and not np.isfinite(upper[i]):
            upper[i] = max(lower[i], 0.0) + 1.0
        if w < 0 and not np.isfinite(lower[i]):
            lower[i] = min(upper[i], 0.0) - 1.0
    top = sum(w * (upper[i] if w > 0 else lower[i]) for i, w in zip(chosen, weights, strict=True))
    A[-1], lower[-1], upper[-1] = weights @ A[chosen], top + 10.0 ** rng.uniform(-4, 1), np.inf
    return H, g, A, lower, upper, equal


def test_a_thousand_infeasible_programs_with_certificates():
    rng = np.random.default_rng(12)
    for k in range(1000):
        H, g, A, lower, upper, equal = infeasible(rng)
        answer = solve_qp(H, g, A, lower, upper)
        assert answer.status == "infeasible", k
        y = answer.multipliers
        size = abs(y).max()
        assert size > 0
        assert not ((y > 0) & (lower == -np.inf)).any() and not ((y < 0) & (upper == np.inf)).any()
        bounds = np.where(y > 0, lower, np.where(y < 0, upper, 0.0))
        left = np.abs(A.T @ y).max()
        assert y @ bounds > 0  # every x that met the rows would have y.A x >= this ...
        assert left < 1e-9 * size * abs(A).max()  # ... but y.A is zero
        assert y @ bounds == pytest.approx(answer.gap)
        if k % 20 == 0:
            assert by_daqp(H, g, A, lower, upper, equal)[1] < 0


def test_warm_start_gives_the_same_answer_in_fewer_iterations():
    rng = np.random.default_rng(13)
    cold_sum = warm_sum = 0
    for _ in range(200):
        H, g, A, lower, upper, _ = program(rng)
        first = solve_qp(H, g, A, lower, upper)
        g = g + 0.01 * rng.normal(size=len(g))
        cold = solve_qp(H, g, A, lower, upper)
        warm = solve_qp(H, g, A, lower, upper, active=first.active)
        wild = solve_qp(H, g, A, lower, upper, active=rng.integers(-1, 2, len(A)))
        assert abs(warm.x - cold.x).max() < 1e-8 and abs(wild.x - cold.x).max() < 1e-8
        assert warm.residual < 1e-8
        cold_sum, warm_sum = cold_sum + cold.iterations, warm_sum + warm.iterations
    assert warm_sum < 0.5 * cold_sum


def test_degenerate_corners():
    """Many rows through one point: pyramids at their apex."""
    angles = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    A = np.stack([np.cos(angles), np.sin(angles), -np.full(16, 0.5)], axis=1)
    for g in ([0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.3, -0.2, 5.0]):
        answer = solve_qp(1e-4 * np.eye(3), g, A, None, np.zeros(16))
        assert answer.status == "solved" and answer.residual < 1e-9
        assert abs(answer.x).max() < 1e-9 if g[2] >= 1.0 and abs(g[0]) < 0.5 else True


def test_wrong_input():
    with pytest.raises(ValueError, match="which no number meets"):
        solve_qp(np.eye(1), [0.0], [[1.0]], [1.0], [0.0])
    with pytest.raises(ValueError, match="not finite"):
        solve_qp(np.eye(1), [np.nan])
    with pytest.raises(ValueError, match="not symmetric"):
        solve_qp([[1.0, 0.5], [0.0, 1.0]], [0.0, 0.0])
    with pytest.raises(ValueError, match="do not fit"):
        solve_qp(np.eye(2), [0.0])
    assert solve_qp(-np.eye(2), [0.0, 0.0]).status == "not convex"
    assert solve_qp(np.eye(2), [1.0, 2.0], np.eye(2), [0, 0], [1, 1], limit=1).status == "iteration limit"
    assert np.allclose(solve_qp(np.eye(2), [1.0, 2.0]).x, [-1, -2])
