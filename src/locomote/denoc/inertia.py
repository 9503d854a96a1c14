"""The generalised inertia matrix, entry by entry.

Composite bodies, inward:  M~_i = M_i + sum over children c of A_c^T M~_c A_c                                           (1)
Entries:                   I_ij = P_i^T M~_i A_ij P_j   where element i is j or outward of it, I_ji = I_ij^T, else zero    (2)

M~_i is the inertia of everything outward of i, stiff, as felt at i. Armature of joints adds to the diagonal.
"""

import numpy as np

from locomote.denoc.elements import Element, elements
from locomote.denoc.links import Links
from locomote.denoc.matrices import inward


def composite_inertias(links: Links, *, level: str = "link") -> list[np.ndarray]:
    """M~_i of (1) for every element: (6, 6) for a link, (6 s, 6 s) for a module of s links."""
    return composites(elements(links, level))


def composites(parts: list[Element]) -> list[np.ndarray]:
    """(1)."""
    result = [part.M.copy() for part in parts]
    for part, composite in reversed(list(zip(parts, result, strict=True))):
        if part.A is not None:
            result[part.parent] += part.A.T @ composite @ part.A
    return result


def coordinate_inertias(links: Links) -> np.ndarray:
    """(nv,) the diagonal of the inertia matrix: what each coordinate moves when it moves alone. O(n)."""
    parts, result = elements(links), links.armature.copy()
    for part, composite in zip(parts, composites(parts), strict=True):
        result[part.columns] += np.einsum("ik,ij,jk->k", part.P, composite, part.P)
    return result


def inertia_matrix(links: Links, *, level: str = "link") -> np.ndarray:
    """(nv, nv) the generalised inertia matrix I by its analytic entries."""
    parts = elements(links, level)
    composite, matrix = composites(parts), np.diag(links.armature)
    for i, part in enumerate(parts):
        left = part.P.T @ composite[i]
        for j, A, _ in inward(parts, i):  # (2)
            entry = left @ A @ parts[j].P
            matrix[np.ix_(part.columns, parts[j].columns)] += entry
            if j != i:
                matrix[np.ix_(parts[j].columns, part.columns)] += entry.T
    return matrix
