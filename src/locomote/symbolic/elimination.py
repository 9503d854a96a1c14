"""A square system of traced numbers, solved with pivots that numbers choose, so that formulas stay short."""

import numpy as np

from locomote.symbolic import trace as tr
from locomote.symbolic.plain import zeros

PIVOT = 0.1  # of the largest entry, from which on an entry may be a pivot


class Eliminated:
    """A square matrix of objects, eliminated with pivots that numbers choose: constants first, then those that fill least."""

    def __init__(self, A: np.ndarray, numbers: np.ndarray):
        self.U, self.steps, self.pivots = A.copy(), [], []
        values, rows, columns = numbers.copy(), list(range(len(A))), list(range(len(A)))
        while rows:
            i, j = self._pivot(values, rows, columns)
            self.pivots.append((i, j))
            rows.remove(i)
            columns.remove(j)
            for r in rows:
                if is_zero(self.U[r, j]):
                    continue
                ratio = self.U[r, j] / self.U[i, j]
                values[r] -= values[r, j] / values[i, j] * values[i]
                self.steps.append((r, i, ratio))
                for c in columns:
                    if not is_zero(self.U[i, c]):
                        self.U[r, c] = self.U[r, c] - ratio * self.U[i, c]
                self.U[r, j] = 0.0

    def _pivot(self, values, rows, columns) -> tuple[int, int]:
        largest = abs(values[np.ix_(rows, columns)]).max()
        best = None
        for i in rows:
            for j in columns:
                if abs(values[i, j]) < PIVOT * largest or is_zero(self.U[i, j]):
                    continue
                fill = sum(not is_zero(self.U[i, c]) for c in columns) * sum(not is_zero(self.U[r, j]) for r in rows)
                cost = (isinstance(self.U[i, j], tr.Number), fill, -abs(values[i, j]))
                if best is None or cost < best[0]:
                    best = (cost, (i, j))
        assert best is not None, "rows that were independent in numbers are not"
        return best[1]

    def times(self, b: np.ndarray) -> np.ndarray:
        """A^-1 b."""
        b, x = b.copy(), zeros((self.U.shape[1], b.shape[1]))
        for r, i, ratio in self.steps:
            for c in range(b.shape[1]):
                b[r, c] = b[r, c] - ratio * b[i, c]
        for n in range(len(self.pivots) - 1, -1, -1):
            i, j = self.pivots[n]
            for c in range(b.shape[1]):
                value = b[i, c]
                for _, later in self.pivots[n + 1 :]:
                    if not is_zero(self.U[i, later]):
                        value = value - self.U[i, later] * x[later, c]
                x[j, c] = value / self.U[i, j]
        return x


def is_zero(x) -> bool:
    """Whether an entry is the number zero."""
    return not isinstance(x, tr.Number) and x == 0.0
