"""Derivatives of the rates of chart coordinates where nothing has inertia, for implicit steps.

Forces f(q, v) stay in balance, so dv/dq = R^-1 df/dq at the same v, with R = -df/dv. Both are differences of forces, one
evaluation of them a coordinate; differences of the velocities themselves would take one for every pair.
"""

from locomote.compiler.source import kernel
from locomote.evaluation.chart import chart_rate, moved
from locomote.evaluation.overdamped import SMALL, balance, resist
from locomote.linear.lu import lu_factor, lu_solve

STEP = 1e-7  # rad, m, or of a strain coordinate


@kernel
def creep_slopes_one(plan, work, a, b, c, state, t):
    """Fill state.jacobian at the start of a step from state.v, without constraints; a, b, c are not used."""
    nf, nv, q, v = plan.free.shape[0], state.v.shape[0], state.q, state.v_try
    speed = 0.0
    for k in range(nv):
        v[k] = state.v[k]
        speed = max(speed, abs(v[k]))
        for m in range(nv):
            state.jacobian[m, k] = 0.0
    balance(plan, work, t, q, v, work.tau)
    resist(plan, work, t, q, v, SMALL * max(speed, 1.0))
    for n in range(nf):
        for m in range(nf):
            state.factors[n, m] = work.M[plan.free[n], plan.free[m]]
    lu_factor(state.factors, nf, state.pivots)
    for k in range(nv):
        work.near_v[k] = 0.0
    for n in range(nf):
        j = plan.free[n]
        work.near_v[j] = STEP
        moved(plan.topology, q, work.near_v, work.near)
        balance(plan, work, t, work.near, v, work.y)
        for m in range(nf):
            work.e[m] = work.y[plan.free[m]] - work.tau[plan.free[m]]
        lu_solve(state.factors, nf, state.pivots, work.e)
        for m in range(nf):
            v[plan.free[m]] += work.e[m]
        chart_rate(plan.topology, work.near, work.near_v, v, work.dx)
        for m in range(nf):
            v[plan.free[m]] = state.v[plan.free[m]]
            state.jacobian[plan.free[m], j] = (work.dx[plan.free[m]] - state.k[0, plan.free[m]]) / STEP
        work.near_v[j] = 0.0
    return nf
