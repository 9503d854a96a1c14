"""I = U D U^T by reverse Gaussian elimination, with every factor a mechanical quantity, and the inverse of I from it.

Inward, from the tips:

    articulated inertia    M^_i = M_i + sum over children c of A_c^T M-_c A_c                                            (1)
    of joint i             psi^_i = M^_i P_i ,   D_i = P_i^T psi^_i (and armature) ,   psi_i = psi^_i D_i^-1             (2)
    what is left of it     M-_i = M^_i - psi^_i psi_i^T                                                                  (3)

M^_i is the inertia that is felt at i when all joints outward of it are free, M-_i when i is free too. Then

    U_ii = 1 ,   U_ij = P_i^T A_ji^T psi_j   where j is outward of i, else zero                                         (4)
    (U^-1)_ij = -P_i^T L_ji^T psi_j ,   F_c = 1 - P_c psi_c^T ,                                                          (5)
                L_ji = A_j F_p A_p ... F_c A_c   along the path i, c, ..., p, j
    I^-1 = U^-T D^-1 U^-1                                                                                                (6)

Elements are links (D_i: one number for a joint of one coordinate) or modules (D_i: the articulated-module inertia).
"""

from dataclasses import dataclass

import numpy as np

from locomote.brief import brief
from locomote.denoc.elements import Element, elements
from locomote.denoc.inertia import composites
from locomote.denoc.links import Links
from locomote.denoc.matrices import inward
from locomote.dynamics.dispatch import SingularMassMatrix

SINGULAR = 1e-14  # share of the inertia with all other joints stiff: less is rounding


@brief
@dataclass(frozen=True)
class Factor:
    """U and D of the inertia matrix, and what they are made of, element by element.

    U : (nv, nv) unit upper triangular by blocks ; D : (nv, nv) block diagonal, blocks `pivots`
    articulated : M^_i ; left : M-_i ; psi : (size of t_i, coordinates of i)
    """

    U: np.ndarray
    D: np.ndarray
    pivots: tuple[np.ndarray, ...]
    articulated: tuple[np.ndarray, ...]
    left: tuple[np.ndarray, ...]
    psi: tuple[np.ndarray, ...]
    elements: tuple[Element, ...]


def factor(links: Links, *, level: str = "link") -> Factor:
    """(1) to (4); raises SingularMassMatrix where a joint could move without moving mass."""
    parts = elements(links, level)
    hat, left, psi, pivot = articulate(parts)
    nv = links.model.nv
    U, D = np.eye(nv), np.zeros((nv, nv))
    for j, part in enumerate(parts):
        D[np.ix_(part.columns, part.columns)] = pivot[j]
        for i, A, _ in inward(parts, j):
            if i != j:
                U[np.ix_(parts[i].columns, part.columns)] = parts[i].P.T @ A.T @ psi[j]  # (4)
    return Factor(U, D, tuple(pivot), tuple(hat), tuple(left), tuple(psi), tuple(parts))


def articulate(parts: list[Element]):
    """(1) to (3): lists of M^, M-, psi and D."""
    hat, stiff = [part.M.copy() for part in parts], composites(parts)
    left: list[np.ndarray] = [part.M for part in parts]
    psi: list[np.ndarray] = [part.P for part in parts]
    pivot: list[np.ndarray] = [part.armature for part in parts]
    for i in range(len(parts) - 1, -1, -1):
        part = parts[i]
        psihat = hat[i] @ part.P
        pivot[i] = part.P.T @ psihat + part.armature  # (2)
        refuse_singular(part, pivot[i], part.P.T @ stiff[i] @ part.P + part.armature)
        psi[i] = np.linalg.solve(pivot[i].T, psihat.T).T
        left[i] = hat[i] - psihat @ psi[i].T  # (3)
        left[i] = (left[i] + left[i].T) / 2
        if part.A is not None:
            hat[part.parent] += part.A.T @ left[i] @ part.A  # (1)
    return hat, left, psi, pivot


def refuse_singular(part: Element, pivot: np.ndarray, stiff: np.ndarray) -> None:
    """Raise SingularMassMatrix if the coordinates of an element can move no mass, compared with others held."""
    size = np.sqrt(np.maximum(np.diag(stiff), 0.0))
    scale = np.where(size > 0, size, 1.0)
    if not len(size):  # a loop that is locked
        return
    if not size.all() or np.linalg.eigvalsh(pivot / np.outer(scale, scale))[0] <= SINGULAR:
        raise SingularMassMatrix(
            f"{part.name!r} can move without moving mass: its articulated inertia is {pivot.tolist()}; give its link mass or "
            f"armature, or, if axes of a joint have come to align, use a 'spherical' joint, which never does"
        )


def inverse_inertia_matrix(links: Links, *, level: str = "link") -> np.ndarray:
    """(nv, nv) I^-1 by (5) and (6), without solving any system larger than one element's."""
    parts = elements(links, level)
    _, _, psi, pivot = articulate(parts)
    nv = links.model.nv
    inverse_U, inverse_D = np.eye(nv), np.zeros((nv, nv))
    for j, part in enumerate(parts):
        inverse_D[np.ix_(part.columns, part.columns)] = np.linalg.inv(pivot[j])
        path, i = part.A, part.parent
        while path is not None:
            inner = parts[i]
            inverse_U[np.ix_(inner.columns, part.columns)] = -inner.P.T @ path.T @ psi[j]  # (5)
            path = None if inner.A is None else path @ (np.eye(len(inner.M)) - inner.P @ psi[i].T) @ inner.A
            i = inner.parent
    return inverse_U.T @ inverse_D @ inverse_U  # (6)
