"""Quadratic programs from Python: checked input, an answer with its own proof."""

from dataclasses import dataclass

import numpy as np

from locomote.compiler.source import kernel
from locomote.linear.cholesky import inverse_factor
from locomote.qp import active_set as dual
from locomote.spatial.numbers import as_numbers

STATUS = {dual.SOLVED: "solved", dual.INFEASIBLE: "infeasible", dual.LIMIT: "iteration limit", dual.NOT_CONVEX: "not convex"}


@kernel
def solve_one(H, g, A, lower, upper, limit, state, x, multiplier, proof, counts):
    """Solve, and fill `proof` (3,) with the optimality conditions; returns the status."""
    n, m = H.shape[0], A.shape[0]
    JT, RT, basis, B, c, y = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n)), np.zeros((m, n)), np.zeros(n), np.zeros(n)
    room, size, span = np.zeros((6, n + 1)), np.zeros(m), np.zeros((m, 2), np.int64)
    work, side = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    if not inverse_factor(H, n, JT, dual.POSITIVE, room[0]):
        return dual.NOT_CONVEX
    dual.spans(A, m, n, span)
    dual.sizes(A, span, lower, upper, m, n, size)
    dual.scaled(JT, g, A, span, m, n, n, B, c, room[0])
    status = dual.dual_active_set(
        B, c, span, size, lower, upper, n, m, limit, state, y, multiplier, room, basis, RT, work, side, counts
    )
    dual.unscaled(JT, y, n, n, x)
    proof[0], proof[1], proof[2] = dual.optimality(H, g, A, span, lower, upper, n, m, x, multiplier, room[0])
    return status


@dataclass(frozen=True)
class Program:
    """Answer of a quadratic program.

    status : "solved", "infeasible", "iteration limit" or "not convex"
    x : (n,) ; multipliers : (m,), positive at lower bounds, negative at upper ones; if infeasible, the certificate: multiples
        of rows whose sum is zero while that of the bounds they point to is positive
    active : (m,) 1 at the lower, -1 at the upper bound, 0 free ; iterations
    stationarity, violation, complementarity : the optimality conditions, zero for the exact answer
    gap : of the certificate, sum of multiples times bounds; positive proves that no x meets all rows
    """

    status: str
    x: np.ndarray
    multipliers: np.ndarray
    active: np.ndarray
    iterations: int
    stationarity: float
    violation: float
    complementarity: float
    gap: float

    @property
    def residual(self) -> float:
        """The largest of the three conditions."""
        return max(self.stationarity, self.violation, self.complementarity)


def solve_qp(H, g, A=None, lower=None, upper=None, *, active=None, limit: int | None = None) -> Program:
    """Minimise 1/2 x.H x + g.x with lower <= A x <= upper, H (n, n) positive definite; equal bounds are equalities.

    active : (m,) rows to begin with, from `Program.active` of a similar problem ; limit : of iterations, 50 (n + m) if None
    """
    H, g = as_numbers(H, "H", "(n, n)"), as_numbers(g, "g", "(n,)")
    n = len(g)
    A = np.zeros((0, n)) if A is None else as_numbers(A, "A", "(m, n)")
    m = len(A)
    if H.shape != (n, n) or g.shape != (n,) or A.shape != (m, n):
        raise ValueError(f"H {H.shape}, g {g.shape} and A {A.shape} do not fit; expected (n, n), (n,) and (m, n)")
    low = np.full(m, -np.inf) if lower is None else np.array(lower, dtype=float)
    high = np.full(m, np.inf) if upper is None else np.array(upper, dtype=float)
    if low.shape != (m,) or high.shape != (m,):
        raise ValueError(f"bounds have shapes {low.shape} and {high.shape}, expected ({m},): one a row of A")
    for label, x in (("H", H), ("g", g), ("A", A)):
        if not np.isfinite(x).all():
            raise ValueError(f"{label} has values that are not finite")
    if not np.allclose(H, H.T, rtol=1e-9, atol=1e-12 * abs(H).max(initial=0.0)):
        raise ValueError(f"H is not symmetric: H and its transpose differ by {abs(H - H.T).max():.3g}")
    wrong = np.flatnonzero(~(low <= high) | (low == np.inf) | (high == -np.inf))
    if len(wrong):
        i = wrong[0]
        raise ValueError(f"row {i} has the bounds {low[i]:g} and {high[i]:g}, which no number meets")
    state = np.zeros(m, np.int64) if active is None else np.array(active, dtype=np.int64)
    if state.shape != (m,):
        raise ValueError(f"active has shape {state.shape}, expected ({m},)")
    x, multipliers, proof, counts = np.zeros(n), np.zeros(m), np.zeros(3), np.zeros(2, np.int64)
    limit = 50 * (n + m) if limit is None else int(limit)
    H, g, A, low, high = (np.require(a, np.float64, ["C", "W", "A"]) for a in (H, g, A, low, high))
    status = solve_one(H, g, A, low, high, limit, state, x, multipliers, proof, counts)
    bounds = np.where(multipliers > 0, low, np.where(multipliers < 0, high, 0.0))
    gap = float(multipliers @ bounds)
    return Program(
        STATUS[status], x, multipliers, state, int(counts[0]), float(proof[0]), float(proof[1]), float(proof[2]), gap
    )
