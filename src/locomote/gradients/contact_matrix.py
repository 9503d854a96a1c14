"""The matrix of a step over contacts, on numbers of any kind: what its end does when the step is disturbed.

Of the equations of `contact_step`, with y = (v+, p), a contact by its way, d = u_t / |u_t| :

    K = [[A, -J^T], [U L, P]]                                                                                     (1)
    L = J, and how what turns (`timestep.touching`) goes with v+, where that is differentiated
    open  U = 0, P = 1 ;   stick  U = 1, P = 0 ;   slide  U_n = 1, U_t = mu p_n/|u_t| (1 - d d^T), P_t = 1, P_tn = mu d

Where P is zero a small number stands, so that impulses can be eliminated body by body, whatever the number of contacts and
however many of them are redundant. What that is off by is brought in by further rounds, as of any method of multipliers:

    B = A + J^T P^-1 U L ,   v = B^-1 (f + J^T P^-1 g) ,   p = P^-1 (g - U L v)                                   (2)
    transposed:   l = B^-T (f - L^T U^T P^-T g) ,   m = P^-T (g + J l)                                            (3)

B has the pattern of the mass matrix, as long as no contact joins two branches.
"""

from typing import Any

import numpy as np

from locomote.compiler.scalars import select, sqrt
from locomote.contact.sweep_columns import OPEN, SLIDE, STICK
from locomote.symbolic.plain import zeros

ROUNDS = 2  # that bring in what the small number is off by


class Factors:
    """B = (unit upper) (lower) by elimination from the last coordinate: of a tree, from its leaves."""

    def __init__(self, matrix: np.ndarray):
        self.n, self.low = len(matrix), matrix.copy()
        self.ratio = zeros(matrix.shape)
        for j in range(self.n - 1, -1, -1):
            for i in range(j):
                if is_zero(self.low[i, j]):
                    continue
                self.ratio[i, j] = by = self.low[i, j] / self.low[j, j]
                for k in range(j):
                    self.low[i, k] = self.low[i, k] - by * self.low[j, k]

    def solved(self, b: np.ndarray) -> np.ndarray:
        """B^-1 b."""
        x = b.copy()
        for j in range(self.n - 1, -1, -1):
            for i in range(j):
                x[i] = x[i] - self.ratio[i, j] * x[j]
        for j in range(self.n):
            for k in range(j):
                x[j] = x[j] - self.low[j, k] * x[k]
            x[j] = x[j] / self.low[j, j]
        return x

    def transposed(self, b: np.ndarray) -> np.ndarray:
        """B^-T b."""
        x = b.copy()
        for j in range(self.n - 1, -1, -1):
            x[j] = x[j] / self.low[j, j]
            for k in range(j):
                x[k] = x[k] - self.low[j, k] * x[j]
        for j in range(self.n):
            for i in range(j):
                x[j] = x[j] - self.ratio[i, j] * x[i]
        return x


class Blocks:
    """U and P of all contacts, (S, 3, 3), with the small number where P has none, and the inverse of that."""

    def __init__(self, ways, friction, p, u, small):
        count = len(ways)
        self.U, self.P, self.inverse = (zeros((count, 3, 3)) for _ in range(3))
        for c, way in enumerate(ways):
            closed, slides, sticks = way != OPEN, way == SLIDE, way == STICK
            square = select(slides, u[c, 0] * u[c, 0] + u[c, 1] * u[c, 1], 1.0)
            speed, s = sqrt(square), select(slides, friction[c] * p[c, 2], 0.0)
            d = u[c, 0] / speed, u[c, 1] / speed
            for i in range(2):
                self.P[c, i, 2] = select(slides, friction[c] * d[i], 0.0)
                self.P[c, i, i] = select(sticks, 0.0, 1.0)
                for k in range(2):
                    own = (1.0 if i == k else 0.0) - d[i] * d[k]
                    self.U[c, i, k] = select(slides, s / speed * own, select(sticks, 1.0, 0.0) if i == k else 0.0)
            self.U[c, 2, 2], self.P[c, 2, 2] = select(closed, 1.0, 0.0), select(closed, 0.0, 1.0)
            along, normal = select(sticks, 1.0 / small[c], 1.0), select(closed, 1.0 / small[c], 1.0)
            for i in range(2):
                self.inverse[c, i, i] = along
                self.inverse[c, i, 2] = -(self.P[c, i, 2] * normal)
            self.inverse[c, 2, 2] = normal

    def times(self, which: str, x: np.ndarray, *, back: bool = False) -> np.ndarray:
        """One of the matrices, or its transpose, times (S, 3)."""
        array = getattr(self, which)
        return np.array([[dot(row, one) for row in (block.T if back else block)] for block, one in zip(array, x, strict=True)])


class StepMatrix:
    """K of (1): A (nv, nv), rows J and L (S, 3, nv), which may be the same, and the blocks."""

    def __init__(self, A: np.ndarray, J: np.ndarray, blocks: Blocks, L: np.ndarray | None = None):
        self.A, self.J, self.blocks, self.L = A, J, blocks, J if L is None else L
        B = A.copy()
        for rows, laws, inverse, own in zip(J, self.L, blocks.inverse, blocks.U, strict=True):
            used = [k for k in range(len(A)) if not all(is_zero(x) for x in rows[:, k])]
            weight = np.array([[dot(inverse[i], own[:, k]) for k in range(3)] for i in range(3)], dtype=object)
            for k in used:
                column = [dot(weight[i], laws[:, k]) for i in range(3)]
                for i in used:
                    B[i, k] = B[i, k] + dot(rows[:, i], column)
        self.factors = Factors(B)

    def along(self, v: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
        """(S, 3) L v, or other rows times v."""
        three = self.L if rows is None else rows
        return np.array([[dot(row, v) for row in own] for own in three], dtype=object).reshape(-1, 3)

    def back(self, p: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
        """(nv,) J^T p, or that of other rows."""
        total = zeros(len(self.A))
        for three, own in zip(self.J if rows is None else rows, p, strict=True):
            for row, x in zip(three, own, strict=True):
                total = total + row * x
        return total

    def solved(self, f: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(2), with rounds."""
        v, p = self._solved(f, g)
        for _ in range(ROUNDS):
            dv, dp = self._solved(f - times(self.A, v) + self.back(p), g - self._lower(v, p))
            v, p = v + dv, p + dp
        return v, p

    def _lower(self, v, p):
        return self.blocks.times("U", self.along(v)) + self.blocks.times("P", p)

    def _solved(self, f, g):
        given = self.blocks.times("inverse", g)
        v = self.factors.solved(f + self.back(given))
        return v, given - self.blocks.times("inverse", self.blocks.times("U", self.along(v)))

    def transposed(self, f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(3) with rounds, of a right side without impulses."""
        none = zeros((len(self.J), 3))
        l, m = self._transposed(f, none)
        for _ in range(ROUNDS):
            rest = f - times(self.A.T, l) - self.back(self.blocks.times("U", m, back=True), self.L)
            other = self.along(l, self.J) - self.blocks.times("P", m, back=True)
            dl, dm = self._transposed(rest, other)
            l, m = l + dl, m + dm
        return l, m

    def _transposed(self, f, g):
        given = self.blocks.times("inverse", g, back=True)
        l = self.factors.transposed(f - self.back(self.blocks.times("U", given, back=True), self.L))
        return l, given + self.blocks.times("inverse", self.along(l, self.J), back=True)


def is_zero(x: Any) -> bool:
    """Whether a number is known to be zero."""
    return isinstance(x, (int, float)) and x == 0.0


def dot(a, b) -> Any:
    """The sum of products."""
    return sum((x * y for x, y in zip(a, b, strict=True)), 0.0)


def times(matrix: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A matrix times a vector."""
    result = zeros(len(matrix))
    for k, row in enumerate(matrix):
        result[k] = dot(row, x)
    return result
