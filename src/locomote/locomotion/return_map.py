"""The derivative of a return map: how a small departure at the start of a run shows where the run meets its section.

With x the state, f its rate, and departures d = (xi, nu) of configuration and velocity:

    along the way     xi' = nu - ad_v xi ,   nu' = a_q xi + a_v nu                                                       (1)
    at a section g    d_t = -g_x d / (g_x f + g_t) ,   d + f d_t        met earlier or later                            (2)
    at an impact R    R_x (d + f d_t) - f_after d_t                     g the gap that closes                           (3)

(1) is linear; a_q and a_v are exact derivatives of accelerations (`derivatives`), taken at the nodes of Gauss of panels
between events, with as many panels as make no more difference. R and what a user's function does at the section have no
integration in them; they and g are differentiated by differences of eighth order. (2) and (3) are the saltation matrices of
M.A. Aizerman, F.R. Gantmakher (1958).
"""

from collections.abc import Callable, Sequence

import numpy as np

from locomote.dynamics.differences import derivative
from locomote.locomotion.closed import plan_with_closed
from locomote.locomotion.derivatives import derivatives_of
from locomote.locomotion.linearization import drag, least, within
from locomote.simulation.contacts import Contacts

STEP = 5e-4  # of differences of functions without integration
PANELS, MOST = 12, 400
SAME = 1e-10  # of the largest entry, that twice the panels may change
ROOT = np.sqrt(15.0)
NODES = np.array([0.5 - ROOT / 10, 0.5, 0.5 + ROOT / 10])
WEIGHTS = np.array([5.0, 8.0, 5.0]) / 18
STAGES = np.array([
    [5 / 36, 2 / 9 - ROOT / 15, 5 / 36 - ROOT / 30],
    [5 / 36 + ROOT / 24, 2 / 9, 5 / 36 - ROOT / 24],
    [5 / 36 + ROOT / 30, 2 / 9 + ROOT / 15, 5 / 36],
])  # fmt: skip


def moved(model, q, v, d, s: float):
    """The state that departs by s d."""
    return model.integrate(q, s * d[: model.nv]), v + s * d[model.nv :]


def by_state(model, function: Callable, q, v) -> np.ndarray:
    """Derivative of function(q, v), a number or an array, by departures."""
    columns = [derivative(lambda s, d=d: np.asarray(function(*moved(model, q, v, d, s))), STEP) for d in np.eye(2 * model.nv)]
    return np.array(columns).T


def directions(problem, closed: Sequence[str] | None, q, v, t: float) -> np.ndarray:
    """(2 nv, k) orthonormal departures that meet all constraints, of position and of velocity, and these contacts."""
    nv, plan = problem.model.nv, plan_with_closed(problem, closed)[0]
    with problem.scratch(plan) as work:
        A = problem.rows_of(plan, work, t, q, v)[0]
    held = np.flatnonzero(plan.holonomic)
    Hq = within(plan.free, A[held][:, plan.free], nv, problem.rank_tolerance)
    Hv = within(plan.free, A[:, plan.free], nv, problem.rank_tolerance)
    change, follows = derivatives_of(problem, t, q, v, plan=plan), np.zeros((nv, Hq.shape[1]))
    if A.size:
        follows[plan.free] = -least(A[:, plan.free], change.rows.q @ Hq, problem.rank_tolerance)
    basis = np.block([[Hq, np.zeros((nv, Hv.shape[1]))], [follows, Hv]])
    return np.linalg.qr(basis)[0]


def rate_matrix(problem, plan, t: float, q, v) -> np.ndarray:
    """The matrix of (1)."""
    change, nv = derivatives_of(problem, t, q, v, plan=plan), problem.model.nv
    return np.block([[-drag(problem.model, v), np.eye(nv)], [change.a.q, change.a.v]])


def carried(problem, closed, path: Callable, first: float, last: float, panels: int) -> np.ndarray:
    """Departures at `last` by those at `first`: (1) by collocation; path : times -> states (t, q, v)."""
    plan, size, h = plan_with_closed(problem, closed)[0], 2 * problem.model.nv, (last - first) / panels
    starts = first + h * np.arange(panels)
    states = path((starts[:, None] + h * NODES).ravel())
    L = np.array([rate_matrix(problem, plan, *state) for state in states]).reshape(panels, 3, size, size)
    total = np.eye(size)
    for parts in L:
        block = np.eye(3 * size) - h * np.einsum("ij,iab->iajb", STAGES, parts).reshape(3 * size, 3 * size)
        slopes = np.linalg.solve(block, np.concatenate([part @ total for part in parts])).reshape(3, size, -1)
        total = total + h * np.einsum("i,iab->ab", WEIGHTS, slopes)
    return total


def through_impact(problem, event, before, after, d: np.ndarray) -> np.ndarray:
    """(3) for the departures d; before, after : names of the contacts that hold then."""
    model, q, v = problem.model, event.q, event.v
    taking = [*dict.fromkeys([*before, *event.data["constraints"]])]
    plan = plan_with_closed(problem, taking)[0]
    with problem.scratch(plan) as work:
        contacts = Contacts(problem, plan, work)
        A = problem.rows_of(plan, work, event.t, q, v)[0]
        normal = next(contacts.rows(c)[1] for c in contacts.all if contacts.title(c) == event.data["constraints"][0])
    then = problem.impact(q, v, closed=taking, t=event.t).v
    f = np.concatenate([v, derivatives_of(problem, event.t, q, v, closed=before).value[0]])
    f_after = np.concatenate([then, derivatives_of(problem, event.t, q, then, closed=after).value[0]])
    d_t = -(A[normal] @ d[: model.nv]) / (A[normal] @ v)
    hit = by_state(model, lambda x, u: problem.impact(x, u, closed=taking, t=event.t).v, q, v)
    met = d + np.outer(f, d_t)
    return np.concatenate([met[: model.nv], hit @ met]) - np.outer(f_after, d_t)


def at_section(problem, section: Callable, then: Callable | None, closed, t: float, q, v, d: np.ndarray) -> np.ndarray:
    """(2), and what a function makes of the state there."""
    model = problem.model
    f = np.concatenate([v, derivatives_of(problem, t, q, v, closed=closed).value[0]])
    gradient = by_state(model, lambda x, u: section(t, x, u), q, v)
    speed = gradient @ f + float(derivative(lambda s: np.asarray(section(t + s, q, v)), STEP))
    d_t = -(gradient @ d) / speed
    met = d + np.outer(f, d_t)
    if then is None:
        return met
    end = [np.asarray(part, dtype=float) for part in then(t, q, v)]

    def result(x, u, when=t):
        place, speed = (np.asarray(part, dtype=float) for part in then(when, x, u))
        return np.concatenate([model.difference(end[0], place), speed - end[1]])

    by_time = derivative(lambda s: result(q, v, t + s), STEP)
    return by_state(model, result, q, v) @ met + np.outer(by_time, d_t)


def holding(run, problem, first: float, last: float) -> list[str] | None:
    """Names of the unilateral contacts that hold between two events of a run, None if a problem has none."""
    if not problem.plan.unilateral:
        return None
    inside = (run.t > first) & (run.t < last)
    plan, titles = problem.plan, [label[0] for label in problem.constraint_labels]
    with problem.scratch(plan) as work:
        contacts = Contacts(problem, plan, work)
        return [titles[contacts.rows(c)[0][0]] for c in contacts.all if run.reactions[inside][:, contacts.rows(c)[0]].any()]


def return_derivative(problem, simulate: Callable, start, section: Callable, then: Callable | None) -> np.ndarray:
    """(2 nv, 2 nv) derivative of the state after a return by departures of the start that meet all constraints.

    simulate : times of samples, or None -> run until the section ; section : (t, q, v) -> number
    """
    panels, before = PANELS, None
    run = simulate(None)
    end = float(run.t[-1])
    events = [e for e in run.events if e.kind in ("impact", "rest", "release") and 0.0 < e.t < end]
    limits = [0.0, *[e.t for e in events], end]
    middles = [a + (b - a) * np.array([0.3, 0.6]) for a, b in zip(limits[:-1], limits[1:], strict=True)]
    known = simulate(np.concatenate(middles)) if events else simulate(np.array([0.3, 0.6]) * end)
    closed = [holding(known, problem, a, b) for a, b in zip(limits[:-1], limits[1:], strict=True)]
    basis = directions(problem, closed[0], *start, 0.0)

    def path(times):
        sampled = simulate(times)
        rows = np.clip(np.searchsorted(sampled.t, times - 1e-12 * end), 0, len(sampled.t) - 1)
        return [(float(sampled.t[k]), sampled.q[k], sampled.v[k]) for k in rows]

    while True:
        d = basis
        for k, (a, b) in enumerate(zip(limits[:-1], limits[1:], strict=True)):
            d = carried(problem, closed[k], path, a, b, panels) @ d
            if k < len(events) and events[k].kind != "release":
                d = through_impact(problem, events[k], closed[k] or [], closed[k + 1] or [], d)
        if before is not None and np.abs(d - before).max() < SAME * max(1.0, np.abs(d).max()):
            break
        if panels >= MOST:
            break
        panels, before = 2 * panels, d
    met = at_section(problem, section, then, closed[-1], end, run.q[-1], run.v[-1], d)
    return met @ basis.T
