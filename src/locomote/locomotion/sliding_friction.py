"""Derivatives of a problem whose contacts slide with friction, which follows the load.

With the contacts held along their normals by constraints (`contact_states`), lam_n their reactions, J_t rows along the ground:

    f = -mu lam_n J_t^T d ,   d = J_t v / |J_t v|                                                                     (1)
    d lam_n = R (dq, dv, dt) + R_f (df + dtau) ,   df = B d lam_n + C (dq, dv) ,   B = -mu J_t^T d                     (2)

R and R_f are derivatives of the reactions with f given, C is by differences of eighth order.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from locomote.contact import spots as at
from locomote.contact.instant import SLIDE
from locomote.dynamics.differences import derivative
from locomote.evaluation.plan import UNLIMITED
from locomote.locomotion.contact_states import Held
from locomote.locomotion.touching import AHEAD, STILL, placed_at

if TYPE_CHECKING:
    from locomote.locomotion.derivatives import Derivatives, Slopes
    from locomote.locomotion.problem import Locomotion


def rubbing_derivatives(
    problem: "Locomotion", held: Held, plan, t: float, q: np.ndarray, v: np.ndarray, contacts
) -> "Derivatives":
    """Derivatives of the held problem with the friction of what slides. plan : of the held problem, or None"""
    from locomote.locomotion.derivatives import derivatives_with

    if not held.rubbing:
        return derivatives_with(held.problem, plan, t, q, v)
    spots, rows = (np.array(part) for part in zip(*held.rubbing, strict=True))
    mu = problem.plan.spot_laws[spots, at.FRICTION]
    pull = directions(problem, spots, t, q, v)
    if (np.linalg.norm(slips(problem, spots, t, q, v), axis=1) <= STILL).any():
        raise ValueError(
            f"a contact of {problem.name!r} slides and does not move along its ground: its friction has no direction, and no "
            f"derivative; give it a velocity, or let it stick"
        )
    now = problem.evaluate(t, q, v, contacts=contacts)
    load = np.array([np.linalg.norm(now.contact_forces[k]) / np.sqrt(1.0 + m * m) for k, m in zip(spots, mu, strict=True)])
    push = -(mu * load) @ pull  # (1)
    plan = held.problem.plan_at(q) if plan is None else plan
    limited = problem.plan.effort < UNLIMITED
    if limited.any():
        if (abs(now.tau[limited]) >= problem.plan.effort[limited]).any():
            raise ValueError(f"a motor of {problem.name!r} is at its limit while a contact slides: derivatives are not known")
        plan = plan.changed(effort=np.full(len(v), UNLIMITED))
    own = derivatives_with(held.problem, plan, t, q, v, push=push)
    C = -(mu * load) @ slopes_of(problem, spots, t, q, v).swapaxes(0, 1)  # (nv, 2 nv)
    B = -(mu[:, None] * pull).T
    R = own.reactions
    inner = np.linalg.inv(np.eye(len(spots)) - R.tau[rows] @ B)
    nv = len(v)
    C_q, C_v, none = C[:, :nv], C[:, nv:], np.zeros(nv)
    moved = {  # df by each
        "q": C_q + B @ inner @ (R.q[rows] + R.tau[rows] @ C_q), "v": C_v + B @ inner @ (R.v[rows] + R.tau[rows] @ C_v),
        "tau": B @ inner @ R.tau[rows], "t": B @ inner @ R.t[rows] + none,
    }  # fmt: skip
    given = np.diag(np.where(problem.imposed, 0.0, 1.0))  # what torques are on top of, and friction is not

    def whole(part: "Slopes", answer: np.ndarray) -> "Slopes":
        return replace(part, **{name: getattr(part, name) + answer @ change for name, change in moved.items()})

    tau = own.value[1] - np.where(problem.imposed, 0.0, push)
    return replace(
        own, a=whole(own.a, own.a.tau), tau=whole(own.tau, own.tau.tau - given), reactions=whole(R, R.tau),
        value=(own.value[0], tau, own.value[2]),
    )  # fmt: skip


def slips(problem, spots: np.ndarray, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(s, 2) velocities along the ground."""
    with problem.scratch(problem.plan) as work:
        rows = placed_at(problem, problem.plan, work, t, q)[1].reshape(-1, 3, len(v))[spots, :2]
    return rows @ v


def directions(problem, spots: np.ndarray, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(s, nv) J_t^T d of (1)."""
    with problem.scratch(problem.plan) as work:
        rows = placed_at(problem, problem.plan, work, t, q)[1].reshape(-1, 3, len(v))[spots, :2]
    u = rows @ v
    return np.einsum("sk,skn->sn", u / np.linalg.norm(u, axis=1)[:, None], rows)


def slopes_of(problem, spots: np.ndarray, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(s, nv, 2 nv) derivatives of J_t^T d by q and v."""
    model, columns = problem.model, []
    slowest = np.linalg.norm(slips(problem, spots, t, q, v), axis=1).min()
    for k in range(2 * model.nv):
        step = np.zeros(model.nv)
        step[k % model.nv] = 1.0

        def moved(s, step=step, by_q=k < model.nv):
            return directions(problem, spots, t, model.integrate(q, s * step) if by_q else q, v if by_q else v + s * step)

        columns.append(derivative(moved, AHEAD if k < model.nv else min(AHEAD, 0.02 * slowest)))
    return np.stack(columns, axis=-1)


def refuse_starting(problem, t: float, q: np.ndarray, v: np.ndarray, states: dict[int, str], given: bool) -> None:
    """A ValueError for what starts to slide: an instant later its friction may be otherwise."""
    starting = [k for k, state in states.items() if state == SLIDE and problem.plan.spot_laws[k, at.FRICTION] > 0.0]
    if not starting or given:
        return
    still = np.linalg.norm(slips(problem, np.array(starting), t, q, v), axis=1) <= STILL
    if still.any():
        name = problem.contact_names[starting[int(np.flatnonzero(still)[0])]]
        raise ValueError(
            f"contact {name!r} of {problem.name!r} starts to slide in this state, where accelerations have no derivative: say "
            f"contacts={{{name!r}: 'stick'}}, or give it a velocity"
        )
