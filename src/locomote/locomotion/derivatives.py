"""Derivatives of the answer of a problem: of accelerations, torques and reactions, by everything that they depend on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from locomote.brief import brief
from locomote.dynamics.differences import derivative
from locomote.errors import LocomoteError
from locomote.evaluation.computed_torque import computes_torques
from locomote.evaluation.plan import Plan
from locomote.evaluation.unresisted import why_no_motion
from locomote.evaluation.work import work_of
from locomote.locomotion.clocked import first_input
from locomote.locomotion.closed import plan_with_closed
from locomote.locomotion.contact_states import held_by, states_at
from locomote.locomotion.inputs import checked_time, one_state
from locomote.locomotion.sliding_friction import refuse_starting, rubbing_derivatives
from locomote.methods.entries import prepare

if TYPE_CHECKING:
    from locomote.locomotion.problem import Locomotion

STEP = 1e-3  # step of differences, for controllers that Python calls


@brief
@dataclass(frozen=True)
class Slopes:
    """Derivatives of n numbers: by q (n, nv) along the tangent (as `model.integrate` moves), v (n, nv), tau (n, nv), t (n,)."""

    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray
    t: np.ndarray


@brief
@dataclass(frozen=True)
class Derivatives:
    """Derivatives of `Evaluation.a`, `.tau` and `.reactions` at one instant.

    a, tau, reactions : Slopes of each; `d.a.q` is the derivative of accelerations by the configuration
    rows : Slopes of A v + b, the velocity at which each constraint row slips, zero on the constraints
    value : a, tau, reactions at the state, in this order

    Columns of imposed coordinates say what changes when the drive holds another position or velocity. tau is a force in
    addition to all others; on an imposed coordinate it changes what its drive must give. t is time, with all that it imposes.
    """

    a: Slopes
    tau: Slopes
    reactions: Slopes
    rows: Slopes
    value: tuple[np.ndarray, np.ndarray, np.ndarray]


def derivatives(
    problem: "Locomotion",
    t: float,
    q,
    v,
    *,
    closed: Sequence[str] | None = None,
    contacts: Mapping[str, str] | None = None,
) -> Derivatives:
    """Exact derivatives of `evaluate`: of .a, .tau, .reactions, each by .q, .v, .tau (further forces) and .t.

    contacts : states of lo.Touch as of `evaluate`; if None those that the law gives, which then stay as they are: what sticks
        is held, what slides has friction against its slip. Rows of contacts (t1, t2 and n of what sticks, n of what slides)
        follow those of constraints in .reactions and .rows
    """
    if not problem.contacts:
        return derivatives_with(problem, None, t, q, v, closed)
    t, (q, v) = checked_time(t), one_state(problem.model, q, v)
    states = states_at(problem, t, q, v, contacts)
    if not states:
        return derivatives_with(problem, None, t, q, v, closed)
    refuse_starting(problem, t, q, v, states, contacts is not None)
    held = held_by(problem, t, q, states)
    plan = plan_with_closed(held.problem, closed, q=q)[0]
    return rubbing_derivatives(problem, held, plan, t, q, v, {problem.contact_names[k]: x for k, x in states.items()})


def derivatives_with(
    problem: "Locomotion",
    plan: Plan | None,
    t: float,
    q,
    v,
    closed: Sequence[str] | None = None,
    push: np.ndarray | None = None,
) -> Derivatives:
    """`derivatives` for a plan in place of that of the problem, if there is one, and without contacts.

    push : (nv,) forces on top of all others
    """
    from locomote.evaluation.derivatives import slopes_one
    from locomote.methods.dual_plans import differential_of

    model, t = problem.model, checked_time(t)
    if not problem.inertia:
        raise ValueError(
            f"{problem.name!r} has no inertia: its velocities follow from the configuration, and derivatives of accelerations "
            f"are not known; take differences of `evaluate`"
        )
    q, v = one_state(model, q, v)
    given_plan = plan_with_closed(problem, closed, q=q)[0] if plan is None else plan
    if computes_torques(given_plan):
        raise ValueError(
            f"{problem.name!r} has computed torques, which follow from the accelerations that they give; "
            f"take differences of `evaluate`, or lo.Servo in their place"
        )
    given = first_input(problem, t, q, v)
    used, own, work, slopes = None, given_plan, None, None
    try:
        used, own, work, slopes = problem.packed.slopes.pop()
    except IndexError:
        pass
    if work is None or slopes is None or used is not given_plan:
        own = given_plan.as_a_whole()
        work = work_of(own)
        prepare(own)
        slopes = differential_of(own, work, problem.terms)
    nv, rows = model.nv, len(own.holonomic)
    a, lam = np.zeros(nv), np.zeros(rows)
    out, pushes = np.zeros((2 * nv + 2 * rows, 2 * nv + 1)), np.zeros((2 * nv + 2 * rows, nv))
    try:
        work.input[:] = given if push is None else given + push
        dual_plan, duals, seeds = slopes
        rank = slopes_one(own, work, dual_plan, duals, seeds, t, q, v, a, lam, out, pushes)
        tau = np.where(problem.imposed, work.tau, work.active)
    finally:
        problem.packed.slopes.append((given_plan, own, work, slopes))
    own.raise_faults()
    if rank < 0 or not np.isfinite(a).all():
        raise LocomoteError(
            f"{problem.name!r} has no acceleration at t = {t:g}: "
            f"{why_no_motion(problem, t, q) or 'a drive, a torque, a force or a constraint gives a value that is not finite'}"
        )
    for k in np.flatnonzero(~problem.imposed):
        pushes[nv + k, k] += 1.0  # what is given is given on top
    if problem.controllers:
        asked = controller_slopes(problem, t, q, v)
        asked[abs(tau) >= own.effort] = 0.0  # a motor at its limit gives no more
        out += pushes @ asked
    if not np.isfinite(out).all():
        raise LocomoteError(
            f"{problem.name!r} has no finite derivative at t = {t:g}: a force or a constraint is not smooth there, such as the "
            f"length of a spring whose ends meet"
        )
    blocks = np.split(np.arange(2 * nv + 2 * rows), [nv, 2 * nv, 2 * nv + rows])
    each = [Slopes(out[b, :nv], out[b, nv : 2 * nv], pushes[b], out[b, 2 * nv]) for b in blocks]
    return Derivatives(each[0], each[1], each[2], each[3], (a, tau, lam))


def controller_slopes(problem, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(nv, 2 nv + 1) of what controllers give by q, v and t: Python calls them, so by differences of eighth order."""
    model, nv = problem.model, problem.model.nv

    def given(s: float, d: np.ndarray) -> np.ndarray:
        return first_input(problem, float(t + s * d[2 * nv]), model.integrate(q, s * d[:nv]), v + s * d[nv : 2 * nv])

    return np.column_stack([derivative(lambda s, d=d: given(s, d), STEP) for d in np.eye(2 * nv + 1)])
