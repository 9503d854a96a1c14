"""Flexible links: a rod as a row of stations, each moved on the one before by the deformation of the rod.

Station k of a rod with deformation r, by a step of length h with strains x1, x2 at its Gauss points, kappa = sqrt(3) h^2 / 12:

    x = xi_0 + B r ,   Omega = h/2 (x1 + x2) + kappa [x1, x2] ,   pose in the station before exp(Omega)                  (1)
    t_k = A_kb t_b + P_k r' ,   P_k = diag(R_k, R_k) S_k ,   S_k = T(Omega) dOmega/dr                                      (2)
    T = sum over n of (-ad Omega)^n / (n + 1)! ,   P_k' = W_k P_k + diag(R_k, R_k) S_k'                                   (3)

All stations of a rod share its coordinates, so that they are one element: its complement is P = N_l (P_1; P_2; ...), one below
the other, where that of a module of rigid links is N_l diag(P_1, P_2, ...). All else of this folder stays as it is. Series are
summed in NumPy, and S' is the imaginary part of S at r + i e r': nothing is shared with the kernels but B and inertias.
"""

import numpy as np

from locomote.kernels.flexible import columns as rod
from locomote.model import columns as col
from locomote.model.joints import ATTACHED, FLEX
from locomote.model.model import Model
from locomote.spatial.inertia import skew

TERMS = 30  # of series; a step turns by pi at most
NUDGE = 1e-30


def units(model: Model) -> list[int]:
    """(n,) for each link the one that stands for its element: for stations of a rod the rod's own, else itself."""
    rows = model.topology[:-1]
    first = {int(row[col.ROD]): k for k, row in enumerate(rows) if row[col.KIND] == FLEX}
    return [first[int(row[col.ROD])] if row[col.KIND] == ATTACHED else k for k, row in enumerate(rows)]


def checked_rods(model: Model) -> None:
    """A ValueError if a flexible body is no rod."""
    if model._soft is not None and model._soft.rods[:, rod.MODAL].any():
        raise ValueError(f"model {model.name!r} has modal bodies; DeNOC has rigid links and rods (lo.Rod)")


def coordinates_of(model: Model, k: int) -> slice:
    """Coordinates of v that move link k: for stations those of the rod."""
    row = model.topology[k]
    if row[col.KIND] != ATTACHED:
        return slice(int(row[col.V]), int(row[col.V] + row[col.V_COUNT]))
    assert model._soft is not None
    own = model._soft.rods[row[col.ROD]]
    return slice(int(own[rod.FIRST_V]), int(own[rod.FIRST_V] + own[rod.SIZE]))


def step(model: Model, k: int, q, v) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pose (4, 4) of station k in the one before, S and S' (6, coordinates) of (2), linear part first."""
    assert model._soft is not None
    own = model._soft.rods[model.topology[k, col.ROD]]
    first, columns = int(own[rod.FIRST_Q]), coordinates_of(model, k)
    r, rate = q[first : first + own[rod.SIZE]], v[columns]
    omega, _ = _strained(model, k, r)
    nudged = _motions(model, k, r + 1j * NUDGE * rate)
    return _exponential(omega), np.real(nudged), np.imag(nudged) / NUDGE


def _strained(model: Model, k: int, r) -> tuple[np.ndarray, np.ndarray]:
    """Omega (6,) of (1) and its derivatives (6, coordinates)."""
    tree, strain = model._soft, model._strain
    assert tree is not None and strain is not None
    own, s = tree.rods[model.topology[k, col.ROD]], int(model.topology[k, col.STATION])
    size = int(own[rod.SIZE])
    at = int(own[rod.BASIS] + (s - own[rod.STATION]) * 2 * size)
    parts = tree.components[own[rod.COMPONENTS] : own[rod.COMPONENTS] + size]
    B1, B2 = np.zeros((2, 6, size))
    B1[parts, range(size)], B2[parts, range(size)] = tree.basis[at : at + size], tree.basis[at + size : at + 2 * size]
    x1, x2 = strain[s, rod.STRAIN : rod.STRAIN + 6] + B1 @ r, strain[s, rod.STRAIN + 6 : rod.STRAIN + 12] + B2 @ r
    h, kappa = 0.5 * tree.stations[s, rod.LENGTH], tree.stations[s, rod.KAPPA]
    omega = h * (x1 + x2) + kappa * _ad(x1) @ x2
    return omega, h * (B1 + B2) + kappa * (_ad(x1) @ B2 - _ad(x2) @ B1)


def _motions(model: Model, k: int, r) -> np.ndarray:
    """S of (2)."""
    omega, slopes = _strained(model, k, r)
    bracket = _ad(omega)
    total = term = slopes
    for n in range(1, TERMS):
        term = -bracket @ term / (n + 1)
        total = total + term  # (3)
    return total


def _ad(x: np.ndarray) -> np.ndarray:
    """(6, 6) bracket with a twist, linear part first."""
    u, w = skew(x[:3]), skew(x[3:])
    return np.block([[w, u], [np.zeros((3, 3)), w]])


def _exponential(omega: np.ndarray) -> np.ndarray:
    """(4, 4) pose."""
    twist = np.zeros((4, 4))
    twist[:3, :3], twist[:3, 3] = skew(omega[3:]), omega[:3]
    total = term = np.eye(4)
    for n in range(1, TERMS):
        term = term @ twist / n
        total = total + term
    return total
