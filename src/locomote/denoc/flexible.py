"""Flexible links: a rod or a modal body as stations that its deformation moves, those of a rod each on the one before.

Station k of a rod with deformation r, by a step of length h with strains x1, x2 at its Gauss points, kappa = sqrt(3) h^2 / 12:

    x = xi_0 + B r ,   Omega = h/2 (x1 + x2) + kappa [x1, x2] ,   pose in the station before exp(Omega)                  (1)
    t_k = A_kb t_b + P_k r' ,   P_k = diag(R_k, R_k) S_k ,   S_k = T(Omega) dOmega/dr                                      (2)
    T = sum over n of (-ad Omega)^n / (n + 1)! ,   P_k' = W_k P_k + diag(R_k, R_k) S_k'                                   (3)

Stations of a modal body hang on its root, at rest at p_0, by shapes phi, their turns psi, displacements of second order Q:

    theta = psi_j r_j ,   pose in the root p_0 + phi_j r_j + Q_jk r_j r_k / 2 , R = exp(theta)                            (4)
    column j of S_k = (R^T (phi_j + Q_jk r_k), T(theta) psi_j)                                                            (5)

All stations of a body share its coordinates, so that they are one element: its complement is P = N_l (P_1; P_2; ...), one below
the other, where that of a module of rigid links is N_l diag(P_1, P_2, ...). All else of this folder stays as it is. Series are
summed in NumPy, and S' is the imaginary part of S at r + i e r': nothing is shared with the kernels but B, shapes and inertias.
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
    """(n,) for each link the one that stands for its element: for stations that of their body, else itself."""
    rows = model.topology[:-1]
    first = {int(row[col.ROD]): k for k, row in enumerate(rows) if row[col.KIND] == FLEX}
    return [first[int(row[col.ROD])] if row[col.KIND] == ATTACHED else k for k, row in enumerate(rows)]


def coordinates_of(model: Model, k: int) -> slice:
    """Coordinates of v that move link k: for stations those of their body."""
    row = model.topology[k]
    if row[col.KIND] != ATTACHED:
        return slice(int(row[col.V]), int(row[col.V] + row[col.V_COUNT]))
    assert model._soft is not None
    own = model._soft.rods[row[col.ROD]]
    return slice(int(own[rod.FIRST_V]), int(own[rod.FIRST_V] + own[rod.SIZE]))


def step(model: Model, k: int, q, v) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pose (4, 4) of station k in the link before, S and S' (6, coordinates) of (2) or (5), linear part first."""
    assert model._soft is not None
    own = model._soft.rods[model.topology[k, col.ROD]]
    first, columns = int(own[rod.FIRST_Q]), coordinates_of(model, k)
    r, rate = q[first : first + own[rod.SIZE]], v[columns]
    placed = _shaped if own[rod.MODAL] else _bent
    nudged = placed(model, k, r + 1j * NUDGE * rate)[1]
    return np.real(placed(model, k, r)[0]), np.real(nudged), np.imag(nudged) / NUDGE


def _bent(model: Model, k: int, r) -> tuple[np.ndarray, np.ndarray]:
    """Pose (4, 4) of a station of a rod and S (6, coordinates) of (2)."""
    omega, slopes = _strained(model, k, r)
    return _exponential(omega), _tangent(omega, slopes)


def _shaped(model: Model, k: int, r) -> tuple[np.ndarray, np.ndarray]:
    """Pose (4, 4) of (4) of a station of a modal body and S (6, coordinates) of (5)."""
    tree = model._soft
    assert tree is not None
    own, s = tree.rods[model.topology[k, col.ROD]], int(model.topology[k, col.STATION])
    size, second = int(own[rod.SIZE]), own[rod.MODAL] == rod.SECOND
    width = 3 + 6 * size + (3 * size * size if second else 0)
    block = tree.basis[own[rod.BASIS] + (s - own[rod.STATION]) * width :][:width]
    phi, psi = block[3 : 3 + 6 * size].reshape(2, size, 3)
    Q = block[3 + 6 * size :].reshape(size, size, 3) if second else np.zeros((size, size, 3))
    curved = np.einsum("jkc,k->jc", Q, r)
    theta = np.concatenate([np.zeros(3), r @ psi])
    pose = _exponential(theta)
    pose[:3, 3] = block[:3] + r @ (phi + curved / 2)  # (4)
    turns = np.concatenate([np.zeros((size, 3)), psi], axis=1).T
    moves = np.concatenate([(phi + curved) @ pose[:3, :3], np.zeros((size, 3))], axis=1).T
    return pose, moves + _tangent(theta, turns)  # (5)


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


def _tangent(omega: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """T of (3) times columns (6, n)."""
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
    twist = np.zeros((4, 4), omega.dtype)
    twist[:3, :3], twist[:3, 3] = skew(omega[3:]), omega[:3]
    total = term = np.eye(4)
    for n in range(1, TERMS):
        term = term @ twist / n
        total = total + term
    return total
