"""The momentum form of mixed systems: the momentum along what constraints leave free, instead of reduced velocities.

x are the velocities that are not imposed, r_a' those that are, p = M# x + M_a#^T r_a' the momenta of the first. Reduced
velocities nu are some of x by name; the rest follows from the rows A# x + B_a r_a' + b = 0, with A_k the columns of the rest:

    x = H nu + x_0 ,   H = [-A_k^+ A_nu ; 1] ,   x_0 = [-A_k^+ (B_a r_a' + b) ; 0]                                   (1)
    p_r = H^T p ,   I_r = H^T M# H                                              nonholonomic momentum               (2)
    x = H I_r^-1 p_r - A_c r_a' + x_b                                           x from momentum and shape           (3)
    p_r' = H^T (C^T v + Q)# + H'^T p ,   H' = [-A_k^+ A#' H ; 0]                momentum equation                   (4)

C is the Coriolis matrix, with M' = C + C^T, and Q all forces but reactions, drives and inertia. No acceleration stands in
(4), and none has to be solved for. After Ostrowski and Burdick (1998), to whose form Boyer and Belkhiri (2013) bring (4), (7)
and (9) of theirs; here passive joints and moving constraints are in it, too.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from locomote.brief import brief
from locomote.constraints.custom import Custom
from locomote.dynamics.differences import derivative
from locomote.dynamics.matrices import coriolis_matrix, mass_matrix
from locomote.errors import UnknownName
from locomote.linear.rank import pseudo_inverse, rank_of
from locomote.locomotion.inputs import checked_list, checked_time, one_state, refuse_wild_rows
from locomote.locomotion.touching import refuse_touching
from locomote.spatial.numbers import as_numbers

if TYPE_CHECKING:
    from locomote.locomotion.problem import Locomotion

CUSTOM_STEP = 2e-3  # s, over which custom rows are differentiated by time


@brief
@dataclass(frozen=True, eq=False)
class MomentumMatrices:
    """(1) to (3) at an instant.

    H : (x, k) ; inertia : I_r (k, k) ; connection : A_c (x, imposed) ; drift : x_b (x,), of constraints that move
    """

    H: np.ndarray
    inertia: np.ndarray
    connection: np.ndarray
    drift: np.ndarray


@brief
@dataclass(frozen=True, eq=False)
class _Rows:
    """(1) at an instant, with the matrices that it is made of."""

    A: np.ndarray  # all rows, (rows, nv)
    inverse: np.ndarray  # A_k^+
    H: np.ndarray
    q: np.ndarray
    v: np.ndarray  # imposed velocities, zero elsewhere
    speed: np.ndarray


@brief
@dataclass(frozen=True, eq=False)
class MomentumForm:
    """Momentum, velocity and momentum equation of a problem; made by `problem.momentum_form`.

    names : of the reduced velocities, which p_r is conjugate to
    """

    problem: "Locomotion"
    names: tuple[str, ...]
    reduced: np.ndarray  # their places among the free coordinates

    def momentum(self, t: float, q, v) -> np.ndarray:
        """(k,) p_r of (2), kg m/s or kg m^2/s."""
        rows = self._rows(t, q)
        free, v = self.problem.plan.free, np.where(self.problem.imposed, rows.v, one_state(self.problem.model, rows.q, v)[1])
        return rows.H.T @ (mass_matrix(self.problem.model, rows.q) @ v)[free]

    def velocity(self, t: float, q, momentum) -> np.ndarray:
        """(nv,) v of (3); imposed velocities are those of the drives at time t."""
        return self._velocity(self._rows(t, q), momentum)

    def rate(self, t: float, q, momentum) -> np.ndarray:
        """(k,) p_r' of (4)."""
        problem, rows = self.problem, self._rows(t, q)
        free, model = problem.plan.free, problem.model
        v = self._velocity(rows, momentum)
        M, C = mass_matrix(model, rows.q), coriolis_matrix(model, rows.q, v)
        p = (M @ v)[free]
        force = (C.T @ v + problem.balance(t, rows.q, v))[free]
        slope = np.zeros(rows.H.shape)
        if len(rows.A):
            slope[self._rest] = -rows.inverse @ (self._rows_rate(t, rows.q, v)[:, free] @ rows.H)
        return rows.H.T @ force + slope.T @ p

    def matrices(self, t: float, q) -> MomentumMatrices:
        """H, I_r and the connection of (3)."""
        rows, free, held = self._rows(t, q), self.problem.plan.free, self.problem.plan.held
        M = mass_matrix(self.problem.model, rows.q)
        inertia = rows.H.T @ M[np.ix_(free, free)] @ rows.H
        J, drift = np.zeros((len(free), len(held))), np.zeros(len(free))
        J[self._rest], drift[self._rest] = -rows.inverse @ rows.A[:, held], -rows.inverse @ rows.speed
        back = rows.H @ np.linalg.solve(inertia, rows.H.T) if rows.H.shape[1] else np.zeros((len(free), len(free)))
        whole = M[np.ix_(free, free)]
        connection = -J + back @ (whole @ J + M[np.ix_(free, held)])
        return MomentumMatrices(rows.H, inertia, connection, drift - back @ whole @ drift)

    @property
    def _rest(self) -> np.ndarray:
        """Places among the free coordinates of those that follow from the rows."""
        return np.setdiff1d(np.arange(len(self.problem.plan.free)), self.reduced)

    def _rows(self, t: float, q) -> _Rows:
        problem, t = self.problem, checked_time(t)
        model, free = problem.model, problem.plan.free
        q, v = one_state(model, q, np.zeros(model.nv))
        for k, drive in problem.imposed_motions.items():
            q[problem.q_of_v[k]], v[k] = drive(t)[:2]
        refuse_touching(problem, t, q, "the momentum form")
        A, _, speed, _ = problem.rows(t, q, v)
        rest, H = self._rest, np.zeros((len(free), len(self.reduced)))
        H[self.reduced, np.arange(len(self.reduced))] = 1.0
        if not len(A):
            return _Rows(A, np.zeros((0, 0)), H, q, v, speed)
        lengths = np.maximum(np.linalg.norm(A, axis=1), 1e-300)
        own = A[:, free][:, rest]
        if rank_of(own, lengths, problem.rank_tolerance) < len(rest):
            raise ValueError(
                f"velocities {', '.join(self.names)} of {problem.name!r} do not go with its constraints at t = {t:g}: the "
                f"others do not follow from them; name other ones, problem.momentum_form(velocities=[...])"
            )
        inverse = pseudo_inverse(own, lengths, problem.rank_tolerance)
        H[rest] = -inverse @ A[:, free][:, self.reduced]
        return _Rows(A, inverse, H, q, v, speed)

    def _velocity(self, rows: _Rows, momentum) -> np.ndarray:
        problem = self.problem
        free, M, v = problem.plan.free, mass_matrix(problem.model, rows.q), rows.v.copy()
        p = as_numbers(momentum, "momentum", f"({len(self.names)},)")
        if len(rows.A):
            v[free[self._rest]] = -rows.inverse @ (rows.A @ rows.v + rows.speed)  # x_0
        inertia = rows.H.T @ M[np.ix_(free, free)] @ rows.H
        if len(self.names):
            v[free] += rows.H @ np.linalg.solve(inertia, p - rows.H.T @ (M @ v)[free])
        return v

    def _rows_rate(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(rows, nv) A'; custom rows may change with time alone, too."""
        problem = self.problem
        rate = problem.rows_rate(t, q, v)
        if any(isinstance(c, Custom) for c in problem.constraints):
            rate = rate + derivative(lambda s: problem.rows(t + s, q)[0], CUSTOM_STEP)
        return rate


def momentum_form(problem: "Locomotion", velocities: Any = None, *, t: float = 0.0, q=None) -> MomentumForm:
    """The problem in momenta instead of velocities: momentum along what its constraints leave free, its equation, and the
    velocity that momentum and shape give together.

    velocities : names of the reduced velocities, as `problem.classify` writes them ("base.vx", ...), as many as it counts as
        free; if None, those that the rows leave free most clearly at time t and configuration q (that of the start if None)
    """
    if not problem.inertia:
        raise ValueError(f"{problem.name!r} has no inertia, and so no momentum")
    plan = problem.plan
    if problem.controllers or plan.fed.size or plan.led.sum() > plan.held.size:
        raise ValueError(f"torques of {problem.name!r} come from a controller, which momentum forms do not ask; give drives")
    q = problem.initial(t=t)[0] if q is None else problem.model.checked_q(q)
    case, free = problem.classify(t, q), plan.free
    slots = [f"{s.joint}.{s.name}" for s in problem.model.layout().slots if s.vector == "v"]
    names = [slots[k] for k in free]
    if velocities is None:
        import scipy.linalg

        order = scipy.linalg.qr(problem.scaled_rows(t, q), mode="r", pivoting=True)[1] if len(plan.holonomic) else np.arange(0)
        reduced = np.sort(order[case.locked_rank :]) if len(plan.holonomic) else np.arange(len(free))
    else:
        velocities = [str(name) for name in checked_list("velocities", velocities)]
        for name in velocities:
            if name not in names:
                raise UnknownName("free velocity", name, names, repr(problem.name))
        if len(set(velocities)) != case.free:
            raise ValueError(f"{problem.name!r} has {case.free} reduced velocities here, not {len(set(velocities))}")
        reduced = np.array([names.index(name) for name in velocities], dtype=int)
    refuse_wild_rows(problem, problem.rows(t, q)[0])
    form = MomentumForm(problem, tuple(names[k] for k in reduced), reduced)
    form.matrices(t, q)  # says at once whether these velocities do
    return form
