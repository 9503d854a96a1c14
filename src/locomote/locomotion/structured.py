"""The structured basis of the reduction, block by block, as Boyer and Belkhiri (2013) write it.

Passive shape velocities r_p' are kinematic, if rows of H vanish there, or dynamic: S and its complement select them, D = S^T
distributes them ((15), (16)). Where dynamic ones are free of each other, a change of basis of H and J gives (17):

    (eta, r_p') = [Hee Hep Jext; 0 D Jint] (eta_r, r_dyn', r_a') ,   S Jint = 0                                     (1)

Then reduced velocities are eta_r and the dynamic ones among r_p' themselves, and (23) has the blocks

    [Mrr  Mpr^T; Mpr  mppr] (eta_r', r_dyn'') = (f_r, Q_pr)                                                         (2)
    M~ = Mrr - Mpr^T mppr^-1 Mpr ,   F~ = f_r - Mpr^T mppr^-1 Q_pr ,   Q~ = Q_pr - Mpr M~^-1 F~                     (3)
    eta_r' = M~^-1 F~ (4) ,   r_dyn'' = mppr^-1 Q~ (5)

Constraints may tie dynamic coordinates to each other (remark 4 of the paper): then there is no D, and a sentence says so.
"""

from dataclasses import dataclass

import numpy as np

from locomote.brief import brief
from locomote.linear.rank import DEPENDENT

VANISHES = 1e-7  # entries of rows of an orthonormal H that are none, as in `case`


@brief
@dataclass(frozen=True)
class Blocks:
    """(2) and (3) for given accelerations r_a''.

    inertia, coupling, passive_inertia : Mrr, Mpr, mppr ; force, passive_force : f_r, Q_pr
    """

    inertia: np.ndarray
    coupling: np.ndarray
    passive_inertia: np.ndarray
    force: np.ndarray
    passive_force: np.ndarray

    @property
    def modified_inertia(self) -> np.ndarray:
        """M~ of (3)."""
        return self.inertia - self.coupling.T @ np.linalg.solve(self.passive_inertia, self.coupling)

    @property
    def modified_force(self) -> np.ndarray:
        """F~ of (3)."""
        return self.force - self.coupling.T @ np.linalg.solve(self.passive_inertia, self.passive_force)

    @property
    def external_acceleration(self) -> np.ndarray:
        """eta_r' of (4)."""
        return np.linalg.solve(self.modified_inertia, self.modified_force)

    @property
    def modified_passive_force(self) -> np.ndarray:
        """Q~ of (3)."""
        return self.passive_force - self.coupling @ self.external_acceleration

    @property
    def passive_acceleration(self) -> np.ndarray:
        """r_dyn'' of (5)."""
        return np.linalg.solve(self.passive_inertia, self.modified_passive_force)


@brief
@dataclass(frozen=True)
class Structured:
    """The reduction in the basis (1). `external` and `passive` are the places among x of eta and of r_p.

    Hee : (n, e) ; Hep : (n, d) ; D : (s_p, d) ; complement : (s_p, s_p - d), of kinematic ones ; Jext, Jint ; gamma : (x,)
    M, Ma, f : of the reduction
    """

    external: np.ndarray
    passive: np.ndarray
    Hee: np.ndarray
    Hep: np.ndarray
    D: np.ndarray
    complement: np.ndarray
    Jext: np.ndarray
    Jint: np.ndarray
    gamma: np.ndarray
    M: np.ndarray
    Ma: np.ndarray
    f: np.ndarray

    @property
    def S(self) -> np.ndarray:
        """(d, s_p) selects the dynamic ones of r_p (15)."""
        return self.D.T

    @property
    def H(self) -> np.ndarray:
        """(x, e + d) the basis as a whole."""
        return self._placed(np.hstack([self.Hee, self.Hep]), np.hstack([np.zeros((len(self.D), self.Hee.shape[1])), self.D]))

    @property
    def J(self) -> np.ndarray:
        """(x, imposed)"""
        return self._placed(self.Jext, self.Jint)

    def blocks(self, acceleration: np.ndarray) -> Blocks:
        """(2) for imposed accelerations r_a''."""
        H, J, e = self.H, self.J, self.Hee.shape[1]
        M = H.T @ self.M @ H
        force = H.T @ (self.f - self.Ma.T @ acceleration - self.M @ (J @ acceleration + self.gamma))
        return Blocks(M[:e, :e], M[e:, :e], M[e:, e:], force[:e], force[e:])

    def reconstruct(self, velocity: np.ndarray, eta_r: np.ndarray, passive: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """eta of (7) and r_p' of (8) from r_a', eta_r and the dynamic passive velocities."""
        return self.Jext @ velocity + self.Hee @ eta_r + self.Hep @ passive, self.Jint @ velocity + self.D @ passive

    def acceleration(self, acceleration: np.ndarray) -> np.ndarray:
        """x' from (4), (5) and (18)."""
        found = self.blocks(acceleration)
        nu = np.concatenate([found.external_acceleration, found.passive_acceleration])
        return self.J @ acceleration + self.H @ nu + self.gamma

    def _placed(self, external: np.ndarray, passive: np.ndarray) -> np.ndarray:
        whole = np.zeros((len(self.external) + len(self.passive), external.shape[1]))
        whole[self.external], whole[self.passive] = external, passive
        return whole


def structured(H, J, gamma, external: np.ndarray, M, Ma, f, name: str) -> Structured:
    """The change of basis (1) of a kernel H with its J and gamma; a ValueError where constraints tie dynamic coordinates."""
    outer, inner = np.flatnonzero(external), np.flatnonzero(~external)
    basis = np.linalg.qr(H)[0] if H.shape[1] else H
    inside = basis[inner]
    moves = np.abs(inside).max(axis=1, initial=0.0) > VANISHES
    chosen = np.flatnonzero(moves)
    left, values, right = np.linalg.svd(inside[chosen])
    if int((values > DEPENDENT).sum()) < len(chosen):
        raise ValueError(
            f"constraints of {name!r} tie passive coordinates that are not decided by imposed ones to each other: there is no "
            f"basis with a selection matrix D; take .H of the reduction as it is"
        )
    d = len(chosen)
    free = basis @ right[d:].T  # moves no passive coordinate
    own = basis @ np.linalg.pinv(inside[chosen]) if d else basis[:, :0]
    own[inner] = np.eye(len(inner))[:, chosen]
    J, gamma = J - own @ J[inner][chosen], gamma - own @ gamma[inner][chosen]
    J[inner[chosen]] = 0.0
    rest = np.setdiff1d(np.arange(len(inner)), chosen)
    return Structured(
        outer, inner, free[outer], own[outer], np.eye(len(inner))[:, chosen], np.eye(len(inner))[:, rest], J[outer], J[inner],
        gamma, M, Ma, f,
    )  # fmt: skip
