"""The start of a step by collocation: what is kept of it, and how it is had without a full evaluation.

A step needs the mass matrix M of its start only now and then (`collocation`), and of the accelerations there only what they
differ from a polynomial that is known. So where a step starts at no sample, and nothing constrains it, one inverse dynamics
for the end of the polynomial through the stages of the step before is all that is evaluated.
"""

from math import sqrt

from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import helper, routine
from locomote.evaluation.chart import chart_rate
from locomote.evaluation.evaluate import body_forces, find_rows, impose, joint_forces, needs_bodies
from locomote.evaluation.plan import DRIVEN, DRIVES, INVERSE, MOVING, PATH
from locomote.linear.symmetric import add_times
from locomote.methods.collocation.rules import AT_END, EVALUATED
from locomote.methods.state import EVALUATIONS, TIME


@helper
def slot(plan, rank, n):
    """Coordinate of v of row n: last first, so that branches of a tree do not fill each other, unless the basis is turned."""
    return plan.free[n] if rank > 0 else plan.free[plan.free.shape[0] - 1 - n]


@routine
def set_order(plan, state, rank):
    """Coordinates of v by rows of `start_mass`."""
    free = plan.free.shape[0]
    for n in range(state.v.shape[0]):
        state.order[n] = slot(plan, rank, n) if n < free else plan.held[n - free]


@routine
def take_mass(work, state):
    """Keep the mass matrix of the last evaluation: free coordinates in the order of rows, then the others."""
    nv = state.v.shape[0]
    for n in range(nv):
        for m in range(nv):
            state.start_mass[n, m] = work.M[state.order[n], state.order[m]]


@routine
def times_mass(plan, state, rank, x, out):
    """out <- M x over free coordinates, of the block of free directions where constraints hold."""
    free = plan.free.shape[0]
    for n in range(free):
        out[n] = 0.0
    if rank > 0:
        for m in range(rank, free):
            for n in range(rank, free):
                out[n] += state.turned[n, m] * x[m]
    else:
        for m in range(free):
            add_times(out, state.start_mass, m, x[m], free)


@routine
def weigh(plan, state, rank, x):
    """x <- M x, as `times_mass`."""
    times_mass(plan, state, rank, x, state.shift)
    for n in range(rank, plan.free.shape[0]):
        x[n] = state.shift[n]


@routine
def find_forces(plan, work, state, t):
    """Forces at the state q_try, v_try but those of inertia: work.active, .passive, .wrenches; the power of all sources but
    drives."""
    impose(plan, work, t, state.q_try, state.v_try, state.a)
    joint_forces(plan, work, t, state.q_try, state.v_try)
    if needs_bodies(plan):
        find_rows(plan, work, t, state.q_try, state.v_try, state.a)
        body_forces(plan, work, t, state.q_try, state.v_try)
    square = 0.0
    work.power[DRIVES] = work.power[DRIVEN] = work.power[MOVING] = 0.0
    for k in range(state.v.shape[0]):
        work.power[DRIVEN] += work.active[k] * state.v_try[k]
    for n in range(plan.base.shape[0]):
        square += state.v_try[plan.base[n]] ** 2
    work.power[PATH] = sqrt(square)
    state.counts[EVALUATIONS] += 1


@routine
def force_left(plan, work, state, t):
    """R of the state q_try, v_try with accelerations a: work.left; the power of all sources, and torques of drives."""
    find_forces(plan, work, state, t)
    call_compiled(plan.calls[INVERSE], (plan, work, state.q_try, state.v_try, state.a))
    for k in range(state.v.shape[0]):
        work.left[k] = work.bias[k] - work.passive[k] - work.active[k]
    for n in range(plan.held.shape[0]):
        k = plan.held[n]
        work.tau[k] = work.left[k]
        work.power[DRIVES] += work.tau[k] * state.v_try[k]


@routine
def start_left(plan, work, state):
    """Start a step without evaluating it: rates in k[0] with a from the stages of the step before, and its R in state.left."""
    nv = state.v.shape[0]
    for k in range(state.q.shape[0]):
        state.q_try[k] = state.q[k]
    for k in range(nv):
        state.v_try[k], state.a[k] = state.v[k], 0.0
    for i in range(state.stages.shape[0]):
        add_times(state.a, state.stages, i, state.rule[AT_END, i], nv)
    force_left(plan, work, state, state.clock[TIME])
    for n in range(plan.free.shape[0]):
        state.left[n] = work.left[slot(plan, 0, n)]
    state.pace[EVALUATED] = 0.0
    fill_start(plan, work, state)
    return 0


@routine
def fill_start(plan, work, state):
    """k[0] from state.a and work.power; chart coordinates of the start are zero."""
    nv = state.v.shape[0]
    chart_rate(plan.topology, state.q, state.y, state.v, work.dx)
    for k in range(nv):
        state.k[0, k], state.k[0, nv + k] = work.dx[k], state.a[k]
    for j in range(plan.held.shape[0]):
        state.k[0, plan.held[j]] = state.k[0, nv + plan.held[j]] = 0.0
    for k in range(work.power.shape[0]):
        state.k[0, 2 * nv + k] = work.power[k]
