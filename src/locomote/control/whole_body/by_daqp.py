"""The program of a tick by the package daqp, for comparison: one level, tables as for the own solver."""

import numpy as np

from locomote.control.whole_body import tick as kernels
from locomote.qp.active_set import INFEASIBLE, LIMIT, SOLVED


def by_daqp(k) -> int:
    """Solve the program of a record; returns the status."""
    import daqp

    if k.count[7] > 1:
        raise ValueError("several priorities are solved by the own solver only; give solver='own'")
    kernels.program_one(k)
    n, m = int(k.count[1]), int(k.count[2])
    A, lower, upper = k.A[:m, :n], k.lower[:m], k.upper[:m]
    sense = np.where(lower == upper, 5, 0).astype(np.int32)
    unit = 1.0 / np.sqrt(np.diag(k.H[:n, :n]))  # slacks weigh 1e14 times as much as motions, which it cannot take
    H, g = np.ascontiguousarray(k.H[:n, :n] * unit * unit[:, None]), k.g[:n] * unit
    rows = np.ascontiguousarray(A * unit)
    x, _, flag, info = daqp.solve(H, g, rows, np.minimum(upper, 1e30), np.maximum(lower, -1e30), sense)
    if flag < 0:
        return INFEASIBLE if flag == -1 else LIMIT
    k.x[:n], k.multiplier[:m] = unit * x, -np.array(info["lam"])
    gradient = k.H[:n, :n] @ k.x[:n] + k.g[:n] - A.T @ k.multiplier[:m]
    k.proof[:] = abs(gradient).max(), max((lower - A @ k.x[:n]).max(), (A @ k.x[:n] - upper).max()), 0.0
    k.count[3] = int(info["iterations"])
    kernels.outcome_one(k)
    return SOLVED
