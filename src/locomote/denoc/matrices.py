"""The DeNOC matrices of the whole mechanism, and the equations of motion that they give.

    t = N v ,   N = N_l N_d                                                                                              (1)
    N_l lower block triangular: A_ij where element i is j or outward of it, else zero; N_d = diag(P_i)                   (2)
    I v' + C v = tau + N^T w ,   I = N^T M N ,   C = N^T (M N' + W M E N) ,   M = diag(M_i)                              (3)
    gravity: its wrenches are part of w

Elements are links, or modules: N, I and C are the same, N_l and N_d are not. Armature of joints adds to the diagonal of I.
"""

from dataclasses import dataclass

import numpy as np

from locomote.brief import brief
from locomote.denoc.elements import Element, diagonal, elements
from locomote.denoc.links import E as LINK_E
from locomote.denoc.links import Links


@brief
@dataclass(frozen=True)
class Matrices:
    """(1) to (3) for n links and nv coordinates.

    N_l, N_l_rate : (6n, 6n) ; N_d, N_d_rate : (6n, nv) ; M, W, E, G : (6n, 6n), G = W M E but for added inertia
    """

    N_l: np.ndarray
    N_d: np.ndarray
    N_l_rate: np.ndarray
    N_d_rate: np.ndarray
    M: np.ndarray
    W: np.ndarray
    E: np.ndarray
    G: np.ndarray
    weight: np.ndarray

    @property
    def N(self) -> np.ndarray:
        """(6n, nv) the natural orthogonal complement: twists of all links by v."""
        return self.N_l @ self.N_d

    @property
    def N_rate(self) -> np.ndarray:
        """Its rate."""
        return self.N_l_rate @ self.N_d + self.N_l @ self.N_d_rate


def matrices(links: Links, *, level: str = "link") -> Matrices:
    """The matrices of a mechanism with elements that are links ("link") or modules ("module").

    Rows stand in the order of elements: with modules, those of the links of the first module come first.
    """
    parts = elements(links, level)
    start = np.cumsum([0, *(len(part.M) for part in parts)])
    N_l, N_l_rate = np.zeros((2, start[-1], start[-1]))
    N_d, N_d_rate = np.zeros((2, start[-1], links.model.nv))
    for i, part in enumerate(parts):
        rows = slice(start[i], start[i + 1])
        N_d[rows, part.columns], N_d_rate[rows, part.columns] = part.P, part.P_rate
        for j, A, A_rate in inward(parts, i):  # (2)
            N_l[rows, start[j] : start[j + 1]], N_l_rate[rows, start[j] : start[j + 1]] = A, A_rate
    order = [k for part in parts for k in part.links]
    M, G = (diagonal([getattr(part, key) for part in parts]) for key in ("M", "G"))
    W = diagonal(links.W[order])
    return Matrices(N_l, N_d, N_l_rate, N_d_rate, M, W, np.kron(np.eye(len(order)), LINK_E), G, links.weight[order].ravel())


def inward(parts: list[Element], i: int):
    """j, A_ij and A_ij' for all elements j from i to the root: A_ij = A_i A_pj."""
    part, A, rate = parts[i], np.eye(len(parts[i].M)), np.zeros((len(parts[i].M),) * 2)
    yield i, A, rate
    while part.A is not None and part.A_rate is not None:
        A, rate = A @ part.A, rate @ part.A + A @ part.A_rate
        i = part.parent
        yield i, A, rate
        part = parts[i]


def convective_matrix(links: Links, *, level: str = "link") -> np.ndarray:
    """(nv, nv) C of (3). C v is unique, C is not: M' - 2 C is not skew-symmetric here, as with `lo.coriolis_matrix`."""
    m = matrices(links, level=level)
    return m.N.T @ (m.M @ m.N_rate + m.G @ m.N)


def gravity_force(links: Links, *, level: str = "link") -> np.ndarray:
    """(nv,) N m or N, what holds the mechanism against gravity."""
    m = matrices(links, level=level)
    return -m.N.T @ m.weight


def bias_force(links: Links, *, level: str = "link") -> np.ndarray:
    """(nv,) C v and gravity: the forces of joints at v' = 0."""
    return convective_matrix(links, level=level) @ links.v + gravity_force(links, level=level)
