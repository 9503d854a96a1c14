"""The reduction of a constrained system in matrices, in the two stages of Boyer and Belkhiri (2013).

x are the velocities that are not imposed, r_a the imposed coordinates; A# and B_a the rows over x and r_a'.

    kinematic   x = J r_a' + H nu ,   J = -G B_a ,   H a basis of ker A# ,   G a generalised inverse of A#          (1)
                C r_a' = 0 ,   C = N^T B_a ,   N a basis of ker A#^T                        (compatibility)         (2)
                x' = J r_a'' + H nu' + gamma ,   gamma = -G (A#' x + B_a' r_a' + b')                                (3)
    dynamic     M_r nu' = f_r ,   M_r = H^T M# H ,   f_r = H^T (f# - M_a#^T r_a'' - M# (J r_a'' + gamma))           (4)
    internal    tau_a = m~_aa r_a'' - Q~_a - B_a^T lam_stat ,   L = M_a# + J^T M#                                   (5)
                m~_aa = m_aa + M_a# J + J^T M_a#^T + J^T M# J - L H M_r^-1 H^T L^T
                Q~_a  = Q_a + J^T f# - L gamma - L H M_r^-1 H^T (f# - M# gamma)
    forward     [m~_aa  -C^T; C  0] (r_a'', mu) = (tau_a + Q~_a, -c) ,   lam_stat = N mu                            (6)
                c = N^T (A#' x + B_a' r_a' + b')

The compiled evaluation solves the same equations without forming these matrices; tests compare the two.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from locomote.brief import brief
from locomote.dynamics.differences import derivative
from locomote.dynamics.matrices import mass_matrix
from locomote.linear.rank import kernels, pseudo_inverse, rank_of
from locomote.linear.separate import separate
from locomote.locomotion.inputs import one_state, refuse_wild_rows
from locomote.locomotion.structured import Structured, structured
from locomote.locomotion.touching import refuse_touching
from locomote.spatial.numbers import as_numbers

if TYPE_CHECKING:
    from locomote.locomotion.problem import Locomotion

OWN = 1e-7  # what products of rows with bases of the user's own may leave, over their size


@brief
@dataclass(frozen=True)
class Reduction:
    """All matrices of the reduction at one state; see the header of the module for their meaning.

    external : (x,) booleans, which of the unknown velocities are the net motion
    """

    A: np.ndarray
    Ba: np.ndarray
    G: np.ndarray
    H: np.ndarray
    J: np.ndarray
    N: np.ndarray
    C: np.ndarray
    c: np.ndarray
    gamma: np.ndarray
    M: np.ndarray
    Ma: np.ndarray
    maa: np.ndarray
    f: np.ndarray
    Qa: np.ndarray
    speed: np.ndarray
    external: np.ndarray
    name: str = ""

    def structured(self) -> Structured:
        """The same in the basis with selection matrices of kinematic and dynamic passive coordinates, block by block: (4) to
        (8) of the paper."""
        return structured(self.H, self.J, self.gamma, self.external, self.M, self.Ma, self.f, self.name)

    @property
    def reduced_inertia(self) -> np.ndarray:
        """M_r of (4)."""
        return self.H.T @ self.M @ self.H

    def reduced_force(self, acceleration: np.ndarray) -> np.ndarray:
        """f_r of (4) for imposed accelerations r_a''."""
        return self.H.T @ (self.f - self.Ma.T @ acceleration - self.M @ (self.J @ acceleration + self.gamma))

    def reduced_acceleration(self, acceleration: np.ndarray) -> np.ndarray:
        """nu' of (4)."""
        return np.linalg.solve(self.reduced_inertia, self.reduced_force(acceleration))

    def reconstruct(self, velocity: np.ndarray, nu: np.ndarray) -> np.ndarray:
        """x of (1) from imposed velocities r_a' and reduced velocities nu (and what moving constraints impose)."""
        return self.J @ velocity + self.H @ nu - self.G @ self.speed

    def acceleration(self, acceleration: np.ndarray) -> np.ndarray:
        """x' of (3)."""
        return self.J @ acceleration + self.H @ self.reduced_acceleration(acceleration) + self.gamma

    def reactions(self, acceleration: np.ndarray) -> np.ndarray:
        """Reactions without self-stress: G^T (M# x' - f# + M_a#^T r_a'')."""
        return self.G.T @ (self.M @ self.acceleration(acceleration) - self.f + self.Ma.T @ acceleration)

    def _active(self) -> tuple[np.ndarray, np.ndarray]:
        L = self.Ma + self.J.T @ self.M
        spread = L @ self.H @ np.linalg.solve(self.reduced_inertia, self.H.T) if self.H.shape[1] else np.zeros(L.shape)
        m = self.maa + self.Ma @ self.J + self.J.T @ self.Ma.T + self.J.T @ self.M @ self.J - spread @ L.T
        Q = self.Qa + self.J.T @ self.f - L @ self.gamma - spread @ (self.f - self.M @ self.gamma)
        return m, Q

    @property
    def active_inertia(self) -> np.ndarray:
        """m~_aa of (5)."""
        return self._active()[0]

    @property
    def active_force(self) -> np.ndarray:
        """Q~_a of (5)."""
        return self._active()[1]

    def torques(self, acceleration: np.ndarray, self_stress: np.ndarray | None = None) -> np.ndarray:
        """tau_a of (5); self_stress : lam_stat = N times this."""
        m, Q = self._active()
        tau = m @ acceleration - Q
        return tau if self_stress is None else tau - self.Ba.T @ (self.N @ self_stress)

    def forward(self, tau: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(6): accelerations r_a'' that torques cause, tied by the compatibility, and the self-stress mu that it takes.

        Dependent conditions are met in the sense of least squares.
        """
        m, Q = self._active()
        n, k = len(m), len(self.C)
        matrix = np.block([[m, -self.C.T], [self.C, np.zeros((k, k))]])
        solution = np.linalg.lstsq(matrix, np.concatenate([tau + Q, -self.c]), rcond=1e-12)[0]
        return solution[:n], solution[n:]

    def incompatibility(self, velocity: np.ndarray, acceleration: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How far imposed velocities and accelerations miss the compatibility: C r_a' + N^T b and C r_a'' + c."""
        return self.C @ velocity + self.N.T @ self.speed, self.C @ acceleration + self.c


def is_regular(given) -> bool:
    """Whether a list has one shape all through."""
    try:
        np.asarray(given)
    except ValueError:
        return False
    return True


def generalised_inverse(A: np.ndarray, lengths: np.ndarray, inverse, tolerance: float) -> np.ndarray:
    """A generalised inverse of the rows A: "minimum" norm (Moore-Penrose); weights of rows; or a list of rows to meet exactly.

    lengths : of the rows, imposed coordinates included, to which the tolerance is relative

    With weights w the reactions G^T h are those of least sum (lam_r^2 / w_r): a row with a large weight carries more.
    """
    if isinstance(inverse, str):
        if inverse != "minimum":
            raise ValueError(f"inverse is {inverse!r}, expected 'minimum', weights of the {len(A)} rows, or a list of rows")
        return pseudo_inverse(A, lengths, tolerance)
    chosen = np.asarray(inverse) if isinstance(inverse, (list, tuple, np.ndarray)) and is_regular(inverse) else np.array(None)
    if chosen.dtype.kind not in "iuf" or chosen.ndim != 1:
        raise ValueError(f"inverse is {inverse!r:.60}, expected 'minimum', weights of the {len(A)} rows, or a list of rows")
    if chosen.dtype.kind in "iu":
        if len(chosen) and not (chosen.min() >= 0 and chosen.max() < len(A)):
            raise ValueError(f"rows {chosen.tolist()} are not all there: the constraints have {len(A)} rows, from 0")
        G = np.zeros(A.T.shape)
        G[:, chosen] = pseudo_inverse(A[chosen], lengths[chosen], tolerance)
        if rank_of(A[chosen], lengths[chosen], tolerance) < rank_of(A, lengths, tolerance):
            raise ValueError(f"rows {chosen.tolist()} do not span all constraints; choose more, or others")
        return G
    weights = np.sqrt(np.maximum(chosen, 0.0))
    if weights.shape != (len(A),) or not ((weights > 0) & (weights < np.inf)).all():
        raise ValueError(f"weights must be {len(A)} positive numbers, one a row")
    return pseudo_inverse(weights[:, None] * A, weights * lengths, tolerance) * weights


def self_stresses(A: np.ndarray, lengths: np.ndarray, tolerance: float) -> np.ndarray:
    """An orthonormal basis of ker A^T, one column each, block by block."""
    columns = [np.zeros((len(A), 0))]
    for rows, at in separate(A):
        own = kernels(A[np.ix_(rows, at)], lengths[rows], tolerance)[1] if len(at) else np.eye(len(rows))
        columns.append(np.zeros((len(A), own.shape[1])))
        columns[-1][rows] = own
    return np.hstack(columns)


def continued(H: np.ndarray, previous: np.ndarray) -> np.ndarray:
    """The basis of the same kernel that is nearest to a previous one, so that reduced velocities do not jump."""
    if H.shape != previous.shape:
        return H
    left, _, right = np.linalg.svd(H.T @ previous)
    return H @ left @ right


def given_matrix(what: str, given, t: float, q: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """A matrix of the user's own, or what a function (t, q) of his says."""
    found = as_numbers(given(t, q) if callable(given) else given, what, f"{shape}")
    if found.shape != shape or not np.isfinite(found).all():
        raise ValueError(
            f"{what} has shape {found.shape}, expected {shape}, finite: rows are the velocities that are not imposed"
        )
    return found


def own_bases(problem: "Locomotion", t: float, q, v, found: Reduction, H, J) -> Reduction:
    """The reduction with a basis H and a J of the user's own, which must be ones: A H = 0, A J = -B_a."""
    free, held, small = problem.plan.free, problem.plan.held, OWN * max(1.0, abs(found.A).max(initial=0.0))
    first = found.H if H is None else given_matrix("H", H, t, q, found.H.shape)
    last = found.J if J is None else given_matrix("J", J, t, q, found.J.shape)
    if abs(found.A @ first).max(initial=0.0) > small * max(1.0, abs(first).max(initial=0.0)):
        raise ValueError(
            f"H is no basis of what constraints leave free: rows times H are {abs(found.A @ first).max():.3g}, not 0"
        )
    if np.linalg.matrix_rank(first) < first.shape[1]:
        raise ValueError(f"columns of H depend on each other; expected {first.shape[1]} that do not")
    miss = found.N @ (found.N.T @ found.Ba)  # what imposed velocities must not ask for anyway
    if abs(found.A @ last + found.Ba - miss).max(initial=0.0) > small * max(1.0, abs(last).max(initial=0.0)):
        raise ValueError("J does not go with the constraints: rows times J + B_a are not 0 for imposed motions that fit")
    gamma = found.gamma
    if callable(H) or callable(J):  # so that nu' is the rate of nu in a basis that moves
        nu = np.linalg.pinv(first) @ (v[free] - last @ v[held] + found.G @ found.speed)

        def moved(s):
            place = problem.model.integrate(q, s * v)
            K = given_matrix("J", J, t + s, place, last.shape) if callable(J) else last
            B = given_matrix("H", H, t + s, place, first.shape) if callable(H) else first
            return K @ v[held] + B @ nu

        along = derivative(moved, 2e-3)
        gamma = gamma + first @ (np.linalg.pinv(first) @ (along - gamma))  # its part along H is free; rows decide the rest
    return replace(found, H=first, J=last, gamma=gamma)


def reduction(
    problem: "Locomotion", t: float, q, v, inverse="minimum", previous: Reduction | None = None, *, H=None, J=None
) -> Reduction:
    """All matrices of the reduction at a state.

    inverse : "minimum" norm, weights of the rows, or a list of rows, which decides how redundant reactions are shared
    previous : a reduction just before, whose basis H is continued
    H, J : instead, a basis (x, free) and a J (x, imposed) of one's own, or functions (t, q) that give them; with functions,
        gamma has the rates of both, so that nu' is the rate of nu
    """
    q, v = one_state(problem.model, q, v)
    refuse_touching(problem, t, q, "the reduction")
    with problem.scratch(problem.plan) as work:
        a, lam, _ = problem.evaluate_with(problem.plan, work, t, q, v)
        drive = np.where(problem.imposed, work.tau, 0.0)
        rows, drift, speed, _ = problem.rows_of(problem.plan, work, t, q, v)
        refuse_wild_rows(problem, rows)
        lengths = work.lengths.copy()
    M = mass_matrix(problem.model, q)
    free, held = problem.plan.free, problem.plan.held
    force = M @ a - drive - rows.T @ lam
    A, Ba = rows[:, free], rows[:, held]
    G = generalised_inverse(A, lengths, inverse, problem.rank_tolerance)
    own, N = kernels(A, lengths, problem.rank_tolerance)
    if previous is not None:
        own = continued(own, previous.H)
    f, Qa = force[free], force[held]
    external = np.array([k in problem.external for k in free], dtype=bool)
    found = Reduction(
        A, Ba, G, own, -G @ Ba, N, N.T @ Ba, N.T @ drift, -G @ drift, M[np.ix_(free, free)], M[np.ix_(held, free)],
        M[np.ix_(held, held)], f, Qa, speed, external, problem.name,
    )  # fmt: skip
    return found if H is None and J is None else own_bases(problem, float(t), q, v, found, H, J)
