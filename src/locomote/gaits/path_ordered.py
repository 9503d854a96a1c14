"""The path-ordered product of body velocities, and the slopes of what depends on it, in one pass each.

g' = g xi over panels of length h, each with three Gauss nodes (Magnus expansion of order six; Blanes, Casas, Ros 2000):

    a_1 = h xi_2 ,   a_2 = sqrt(15) h (xi_3 - xi_1) / 3 ,   a_3 = 10 h (xi_3 - 2 xi_2 + xi_1) / 3                       (1)
    c_1 = [a_1, a_2] ,   c_2 = -[a_1, 2 a_3 + c_1] / 60 ,   brackets with a minus, since velocities are those of the body
    W = a_1 + a_3 / 12 + [-20 a_1 - a_3 + c_1, a_2 + c_2] / 240 ,   g_n = g_n-1 exp(W_n)                                (2)

    dg_n g_n^-1 = sum_(m <= n) Ad(g_m) T(W_m) dW_m ,   T the tangent of exp                                             (3)

A covector p_n at each g_n therefore gives slopes T^T Ad(g_m)^T sum_(n >= m) p_n by W_m, and by xi with (2) and (1) transposed.
"""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from locomote.spatial.groups_arrays import Group

NODES = np.array([0.5 - np.sqrt(0.15), 0.5, 0.5 + np.sqrt(0.15)])  # of a panel of length one
SHARES = np.array([5.0, 8.0, 5.0]) / 18.0


@dataclass(frozen=True)
class Panels:
    """Where a period is cut, and the Gauss nodes of each piece.

    edges : (N + 1,) s
    """

    edges: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        """(N,) s"""
        return np.diff(self.edges)

    @cached_property
    def nodes(self) -> np.ndarray:
        """(N, 3) s"""
        return self.edges[:-1, None] + self.lengths[:, None] * NODES

    @cached_property
    def shares(self) -> np.ndarray:
        """(N, 3) s, weights of a quadrature over all nodes."""
        return self.lengths[:, None] * SHARES

    def finer(self) -> "Panels":
        """The same with every panel cut in two."""
        middle = (self.edges[:-1] + self.edges[1:]) / 2
        return Panels(np.sort(np.concatenate([self.edges, middle])))


class Ordered:
    """The product over panels: `poses` (N + 1, 4, 4) from the identity on, and the slopes of numbers that depend on them.

    xi : (N, 3, n) body velocities of the group at the nodes
    """

    def __init__(self, group: Group, panels: Panels, xi: np.ndarray):
        self.group, self.panels = group, panels
        self._structure = structure(group)
        h = panels.lengths[:, None]
        first, middle, last = xi[:, 0], xi[:, 1], xi[:, 2]
        self._a = h * middle, np.sqrt(15.0) / 3 * h * (last - first), 10.0 / 3 * h * (last - 2 * middle + first)  # (1)
        a, b, c = self._a
        self._c1 = self._minus(a, b)
        self._c2 = -self._minus(a, 2 * c + self._c1) / 60
        self._left, self._right = -20 * a - c + self._c1, b + self._c2
        self.steps = a + c / 12 + self._minus(self._left, self._right) / 240  # (2)
        self.poses = products(group.exp(self.steps))

    @property
    def pose(self) -> np.ndarray:
        """(4, 4) at the end."""
        return self.poses[-1]

    def slopes(self, covectors: np.ndarray) -> np.ndarray:
        """(N, 3, n) slopes by xi of a number whose change is the sum of p_n . (dg_n g_n^-1); covectors : (N, n)"""
        later = np.cumsum(covectors[::-1], axis=0)[::-1]
        carried = np.einsum("mij,mi->mj", self.group.adjoint(self.poses[1:]), later)
        bar = np.einsum("mij,mi->mj", self.group.tangent(self.steps), carried)  # (3)
        return self._back(bar)

    def _back(self, bar: np.ndarray) -> np.ndarray:
        """Slopes by xi from those by W: (2) and (1) transposed."""
        (a, b, c), h = self._a, self.panels.lengths[:, None]
        left, right = self._transposed(self._left, self._right, bar / 240)
        abar, bbar, cbar = bar - 20 * left, right.copy(), bar / 12 - left
        c1bar = left
        more, inner = self._transposed(a, 2 * c + self._c1, -right / 60)
        abar, cbar, c1bar = abar + more, cbar + 2 * inner, c1bar + inner
        more, other = self._transposed(a, b, c1bar)
        abar, bbar = abar + more, bbar + other
        second, third = np.sqrt(15.0) / 3 * h * bbar, 10.0 / 3 * h * cbar
        return np.stack([third - second, h * abar - 2 * third, third + second], axis=1)

    def _minus(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """-[x, y], row by row."""
        return -np.einsum("nab,nb->na", np.einsum("cab,na->ncb", self._structure, x), y)

    def _transposed(self, x: np.ndarray, y: np.ndarray, bar: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Slopes by x and by y of bar . (-[x, y])."""
        by = np.einsum("cab,nc->nab", self._structure, bar)
        return -np.einsum("nab,nb->na", by, y), -np.einsum("nab,na->nb", by, x)


@cache
def structure(group: Group) -> np.ndarray:
    """(n, n, n) [x, y]_c = S_cab x_a y_b."""
    return np.stack([group.bracket(unit) for unit in np.eye(group.size)], axis=1)


def products(factors: np.ndarray) -> np.ndarray:
    """(N + 1, 4, 4) products of the first n factors, from the left to the right."""
    found = np.empty((len(factors) + 1, 4, 4))
    found[0] = now = np.eye(4)
    for n, factor in enumerate(factors):
        found[n + 1] = now = now @ factor
    return found
