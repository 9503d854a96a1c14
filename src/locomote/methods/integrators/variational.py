"""Steps for conservative systems over long times: the midpoint rule in configuration and momentum.

    p = M(q) v ,   f = C(q, v)^T v - gravity + forces ,   so that p' = f      (C + C^T = M')                            (1)
    q_m = q + h/2 v_m ,   M(q_m) v_m = p + h/2 f(q_m, v_m)                     solved for v_m                           (2)
    q_end = q + h v_m ,   p_end = 2 M(q_m) v_m - p                                                                      (3)

Where coordinates are plain numbers this is the variational integrator of the discrete Lagrangian h L(q_m, v_m), and
symplectic; where they are not, + turns about v_m and shifts along it as it is in the middle, which keeps the method
symmetric. In both cases the energy error of a
conservative system stays bounded. Held velocities are those of the drives. Constraints are met at the midpoint,
and by projection at the end, so that with them the bound is not exact.
"""

from typing import Annotated

import numpy as np

from locomote.compiler.indirect import call_compiled
from locomote.compiler.records import Floats, Matrix
from locomote.compiler.scratch_layout import NV
from locomote.compiler.source import kernel, routine
from locomote.dynamics import matrices
from locomote.evaluation.chart import chart_rate, moved
from locomote.evaluation.evaluate import body_forces, choose, eliminate_rows, find_rows, impose, joint_forces, solve_free
from locomote.evaluation.plan import ATTEMPT, CORIOLIS, INVERSE, MASS, RANK_TOLERANCE
from locomote.methods.method import CONSTRAINTS, SUDDEN, Method, attempt_types
from locomote.methods.state import State
from locomote.methods.stepping import FAILED, rates

ROUNDS = 50
MIDDLE = 1  # row of k


class VariationalState(State):
    """A state with what (1) works in."""

    momentum: Annotated[Floats, NV, "p of the start, then of the end, by the attempt"]
    coriolis: Annotated[Matrix, NV, NV, "C, by `force`"]


@routine
def half_way(plan, state, v, h):
    """q_try <- the middle of a step with v, and its chart coordinates into y_try: twice, since shifts turn with rotations."""
    for k in range(v.shape[0]):
        state.y_try[k] = 0.0
    for k in range(state.q.shape[0]):
        state.q_try[k] = state.q[k]
    for _ in range(2):
        chart_rate(plan.topology, state.q_try, state.y_try, v, state.scratch_v)
        for k in range(v.shape[0]):
            state.y_try[k] = 0.5 * h * state.scratch_v[k]
        moved(plan.topology, state.q, state.y_try, state.q_try)


@routine
def momentum(plan, work, q, v, p):
    """p <- M v; M stays in work.M."""
    call_compiled(plan.calls[MASS], (plan, work, q))
    for n in range(v.shape[0]):
        p[n] = 0.0
        for k in range(v.shape[0]):
            p[n] += work.M[n, k] * v[k]


@routine
def force(plan, work, state, t, q, v):
    """f of (1) into work.bias; rows of constraints are found on the way."""
    nv = v.shape[0]
    joint_forces(plan, work, t, q, v)
    find_rows(plan, work, t, q, v, work.zero)
    body_forces(plan, work, t, q, v)
    call_compiled(plan.calls[INVERSE], (plan, work, q, work.zero, work.zero))
    for n in range(nv):
        for k in range(nv):
            state.coriolis[n, k] = 0.0
    call_compiled(plan.calls[CORIOLIS], (plan.topology, plan.constants, q, v, state.coriolis))
    for n in range(nv):
        value = work.active[n] + work.passive[n] - work.bias[n]
        for k in range(nv):
            value += state.coriolis[k, n] * v[k]
        work.bias[n] = value


@routine
def hold_rows(plan, work, v):
    """Prepare `solve_free` for velocities instead of accelerations: rows, and what held velocities give; returns the rank."""
    for r in range(work.drift.shape[0]):
        value = work.speed[r]
        for j in range(plan.held.shape[0]):
            value += work.A[r, plan.held[j]] * v[plan.held[j]]
        work.drift[r] = value
    return eliminate_rows(plan, work, choose(plan, work, False), plan.options[RANK_TOLERANCE])


@routine
def correction(plan, work, state, p, h, v):
    """Improve v_m of (2) by one step of Newton's method with M as its matrix; returns the largest change over the largest v."""
    nv, free = v.shape[0], plan.free.shape[0]
    for n in range(free):
        k = plan.free[n]
        value = p[k] + 0.5 * h * work.bias[k]
        for j in range(plan.held.shape[0]):
            value -= work.M[k, plan.held[j]] * v[plan.held[j]]
        work.z[n] = value
    good = solve_free(plan, work, hold_rows(plan, work, v), state.a)
    change, size = 0.0, 1e-30
    for n in range(free):
        k = plan.free[n]
        change = max(change, abs(state.a[k] - v[k]))
        v[k] = state.a[k]
    for k in range(nv):
        size = max(size, abs(v[k]))
    return change / size if good else np.nan


@kernel
def variational_attempt(plan, work, state, t, h):
    """A step of (2) and (3): fill y_end."""
    nv, before = state.v.shape[0], 1e300
    momentum(plan, work, state.q, state.v, state.momentum)
    for k in range(nv):
        state.v_try[k] = state.v[k]
    settled = False
    for _ in range(ROUNDS):
        impose(plan, work, t + 0.5 * h, state.q_try, state.v_try, state.a)
        half_way(plan, state, state.v_try, h)
        impose(plan, work, t + 0.5 * h, state.q_try, state.v_try, state.a)
        call_compiled(plan.calls[MASS], (plan, work, state.q_try))
        force(plan, work, state, t + 0.5 * h, state.q_try, state.v_try)
        change = correction(plan, work, state, state.momentum, h, state.v_try)
        if not change < 1e300:
            return FAILED
        settled = change < 1e-15 or (change < 1e-11 and change >= 0.5 * before)
        if settled:
            break
        before = change
    if not settled:
        return FAILED
    half_way(plan, state, state.v_try, h)
    impose(plan, work, t + 0.5 * h, state.q_try, state.v_try, state.a)
    momentum(plan, work, state.q_try, state.v_try, state.v_end)
    for k in range(nv):
        state.momentum[k] = 2.0 * state.v_end[k] - state.momentum[k]  # (3)
        state.y_try[nv + k] = state.v_try[k]
        state.y_end[k] = 2.0 * state.y_try[k]
    finish(plan, work, state, t, h)
    return 1 << 30


@routine
def finish(plan, work, state, t, h):
    """Velocities of the new momentum that meet the constraints, and the work on the way, by the power in the middle."""
    nv, free = state.v.shape[0], plan.free.shape[0]
    moved(plan.topology, state.q, state.y_end, state.q_end)
    impose(plan, work, t + h, state.q_end, state.v_end, state.a)
    call_compiled(plan.calls[MASS], (plan, work, state.q_end))
    for n in range(free):
        k = plan.free[n]
        work.z[n] = state.momentum[k]
        for j in range(plan.held.shape[0]):
            work.z[n] -= work.M[k, plan.held[j]] * state.v_end[plan.held[j]]
    find_rows(plan, work, t + h, state.q_end, state.v_end, work.zero)
    solve_free(plan, work, hold_rows(plan, work, state.v_end), state.v_end)
    for k in range(nv):
        state.y_end[nv + k] = state.v_end[k]
    rates(plan, work, state, t + 0.5 * h, state.y_try, MIDDLE)
    for k in range(state.done.shape[0]):
        state.y_end[2 * nv + k] = state.y[2 * nv + k] + h * state.k[MIDDLE, 2 * nv + k]


VARIATIONAL = Method(
    "variational", "midpoint rule in momentum of order 2, fixed steps, for conservative systems over long times", order=2,
    takes=frozenset((CONSTRAINTS, SUDDEN)), state=VariationalState, with_mass=True,
    kernels={
        CORIOLIS: matrices.CORIOLIS.one.need,
        ATTEMPT: (variational_attempt, attempt_types(VariationalState)),
    },
)  # fmt: skip
