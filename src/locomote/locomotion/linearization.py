"""Small motions about a motion: a linear system on the constraints.

About a state q0, v0 (an equilibrium, or a motion that repeats itself in body frames such as straight running) small departures
are xi of configuration, along the kernel H_q of the holonomic rows, and nu of velocity, along the kernel H_v of all rows:

    xi'  = H_q^T (dv - ad_v0 dq)         dq, dv, da the departures of a state that meets all constraints         (1)
    nu'  = H_v^T da

A departure dq takes the rows with it, and with them the velocities that they leave free: the least dv that follows is

    dv = -A_f^+ d(A v + b)/dq dq                                                                                 (2)

All derivatives are exact (`derivatives`). A model without constraints has those of forward dynamics, and both bases are the
identity. Without inertia, and with computed torques, departures are followed along the constraints by differences of eighth
order.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from locomote.brief import brief
from locomote.dynamics.derivatives import forward_dynamics_derivatives
from locomote.dynamics.differences import derivative
from locomote.evaluation.computed_torque import computes_torques
from locomote.linear.rank import kernel_of, own_lengths, pseudo_inverse
from locomote.locomotion.contact_states import Held, held_by, states_at
from locomote.locomotion.sliding_friction import refuse_starting, rubbing_derivatives
from locomote.methods.entries import assemble_one
from locomote.model import columns as col
from locomote.model.joints import AXES_OF_V, GROUPS
from locomote.model.model import Model
from locomote.spatial.twists import bracket

if TYPE_CHECKING:
    from locomote.locomotion.problem import Locomotion


@brief
@dataclass(frozen=True)
class Linearization:
    """d/dt (xi, nu) = A (xi, nu) + B tau.

    A : (n, n) ; positions, velocities : (nv, k) bases H_q, H_v of xi and nu in coordinates of v
    B : (n, nv) effect of further forces on v, as far as constraints let them move anything; None without inertia
    """

    A: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray
    B: np.ndarray | None = None

    @property
    def eigenvalues(self) -> np.ndarray:
        """Eigenvalues of A, 1/s, by real part. Directions in which nothing depends on the place give zeros."""
        values = np.linalg.eigvals(self.A)
        return values[np.lexsort((values.imag, values.real))]


def linearize(
    system: "Model | Locomotion", q=None, v=None, *, t: float = 0.0, tau=None, contacts: Mapping[str, str] | None = None
) -> Linearization:
    """Small motions about a state, as a linear system in tangent coordinates: `.A`, `.B`, `.eigenvalues`.

    system : a Locomotion problem (see `Locomotion.linearize`), or a Model, which then moves by gravity and tau alone
    q : (nq,) ; v : (nv,) ; t : time, of a problem ; tau : (nv,) forces, of a model, N or N m; neutral and zero if not given
    contacts : states of lo.Touch of a problem, as of its `evaluate`
    The state should be an equilibrium, or a motion that is steady in body frames.
    """
    if not isinstance(system, Model):
        if tau is not None:
            raise ValueError("tau is for a model; the forces of a problem are its own torques")
        return system.linearize(q, v, t, contacts=contacts)
    if contacts is not None:
        raise ValueError("contacts are for a problem; a model touches nothing")
    nv = system.nv
    q = system.neutral() if q is None else system.checked_q(q)
    v, tau = (np.zeros(nv) if x is None else system.checked_v(x, label) for x, label in ((v, "v"), (tau, "tau")))
    change = forward_dynamics_derivatives(system, q, v, tau)
    c = system.coupling
    carried = drag(system, v) if c is None else drag(system, c.expand_v(v))[np.ix_(c.own_v, c.own_v)]
    A = np.block([[-carried, np.eye(nv)], [change.q, change.v]])  # (1)
    return Linearization(A, np.eye(nv), np.eye(nv), np.concatenate([np.zeros((nv, nv)), change.tau]))


def linearization_of(
    problem: "Locomotion", q=None, v=None, t: float = 0.0, *, contacts: Mapping[str, str] | None = None
) -> Linearization:
    """Small motions about a state (an equilibrium, or a motion steady in body frames) as a linear system. The state is moved
    onto the constraints; what is imposed stays as it is at time t.

    contacts : states of lo.Touch as of `evaluate`; if None those that the law gives. What sticks or slides goes on so, and is
        held as by constraints
    """
    whole, standing, states, model = problem, Held(problem, ()), {}, problem.model
    q, v = problem.initial(q, v, t)
    if problem.contacts:
        states = states_at(problem, t, q, v, contacts)
        refuse_starting(problem, t, q, v, states, contacts is not None)
        standing = held_by(problem, t, q, states)
        problem = standing.problem
        q, v = problem.initial(q, v, t)
    plan = problem.plan_at(q)
    A, free = problem.rows(t, q, v)[0], plan.free
    held = np.flatnonzero(plan.holonomic)
    Hq = within(free, A[held][:, free], model.nv, problem.rank_tolerance)
    Hv = within(free, A[:, free], model.nv, problem.rank_tolerance)
    carried = drag(model, v)
    if len(plan.fed):
        raise ValueError(
            f"feed-forward of {problem.name!r} has a state of its own, a copy of the robot: take lo.Servo in its place"
        )
    if not problem.inertia or computes_torques(plan):
        return Linearization(by_differences(problem, plan, t, q, v, Hq, Hv, carried), Hq, Hv)
    named = {whole.contact_names[k]: state for k, state in states.items()}
    change = rubbing_derivatives(whole, standing, plan, t, q, v, named)
    follows = np.zeros((model.nv, Hq.shape[1]))
    follows[free] = -least(A[:, free], change.rows.q @ Hq, problem.rank_tolerance)  # (2)
    upper = np.hstack([Hq.T @ (follows - carried @ Hq), Hq.T @ Hv])  # (1)
    lower = Hv.T @ np.hstack([change.a.q @ Hq + change.a.v @ follows, change.a.v @ Hv])
    B = np.concatenate([np.zeros((Hq.shape[1], model.nv)), Hv.T @ change.a.tau])
    return Linearization(np.concatenate([upper, lower]), Hq, Hv, B)


def least(rows: np.ndarray, target: np.ndarray, tolerance: float) -> np.ndarray:
    """The least x with rows x = target, where what depends on other rows within `tolerance` does not count."""
    return pseudo_inverse(rows, own_lengths(rows), tolerance) @ target


def by_differences(problem, plan, t: float, q, v, Hq, Hv, carried, step: float = 2e-4) -> np.ndarray:
    """A by following departures along the constraints."""
    count, nv = Hq.shape[1] + Hv.shape[1], problem.model.nv
    matrix = np.zeros((count, count))
    for n in range(count):
        dq = Hq[:, n] if n < Hq.shape[1] else np.zeros(nv)
        dv = Hv[:, n - Hq.shape[1]] if n >= Hq.shape[1] else np.zeros(nv)
        departure, acceleration = derivative(lambda s, x=dq, u=dv: departed(problem, plan, t, q, v, s * x, s * u), step)
        matrix[:, n] = np.concatenate([Hq.T @ (departure - carried @ dq), Hv.T @ acceleration])
    return matrix


def departed(problem, plan, t, q, v, dq, dv):
    """(2, nv) velocity and acceleration of the state that departs by dq and dv and is brought back onto the constraints."""
    model = problem.model
    q, v = model.integrate(q, dq), v + dv
    with problem.scratch(plan) as work:
        assemble_one(plan, work, t, q, v, np.zeros(model.nv), np.empty(model.nq), np.empty(model.nv))
    plan.raise_faults()
    return np.array([v, problem.evaluate(t, q, v).a])


def within(free: np.ndarray, rows: np.ndarray, nv: int, tolerance: float) -> np.ndarray:
    """Basis (nv, k) of the kernel of rows over free coordinates."""
    basis = kernel_of(rows, own_lengths(rows), tolerance)
    result = np.zeros((nv, basis.shape[1]))
    result[free] = basis
    return result


def drag(model, v: np.ndarray) -> np.ndarray:
    """ad_v0 (nv, nv) over uncoupled coordinates: how the motion carries a departure along, on joints that move on a group."""
    matrix = np.zeros((len(v), len(v)))
    for row in model.topology[:-1]:
        if row[col.KIND] in GROUPS:
            axes = list(AXES_OF_V[row[col.KIND]])
            twist = np.zeros(6)
            part = slice(row[col.V], row[col.V] + len(axes))
            twist[axes] = v[part]
            matrix[part, part] = bracket(twist)[np.ix_(axes, axes)]
    return matrix
