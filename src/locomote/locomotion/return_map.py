"""The derivative of a return map: how a small departure at the start of a run shows where the run meets its section.

With x the state, f its rate, and departures d = (xi, nu) of configuration and velocity:

    along the way     xi' = nu - ad_v xi ,   nu' = a_q xi + a_v nu                                                       (1)
    at a section g    d_t = -g_x d / (g_x f + g_t) ,   d + f d_t        met earlier or later                            (2)
    at an impact R    R_x (d + f d_t) - f_after d_t                     g the gap that closes                           (3)

(1) is linear; a_q and a_v are exact derivatives of accelerations (`derivatives`), taken at the nodes of Gauss of panels
between events, with panels until more make no difference. g and what a user's function does at the section take dual numbers
where they can; they otherwise, and R, are differentiated by differences of eighth order, with steps in proportion to the sizes
that the motion has (`carried`). (2) and (3) are the saltation matrices of M.A. Aizerman, F.R. Gantmakher (1958).
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from locomote.errors import LocomoteError
from locomote.locomotion.carried import by_differences, tangents, with_slopes
from locomote.locomotion.closed import plan_with_closed
from locomote.locomotion.derivatives import derivatives_with
from locomote.locomotion.linearization import drag, least, within
from locomote.methods.events.unilateral import Contacts

PANELS, MOST = 12, 400
GRAZING = 1e-9  # share of the terms of a section's rate below which it is not crossed
SAME = 1e-10  # share of the largest entry that doubling the panels may change
ROOT = np.sqrt(15.0)
NODES = np.array([0.5 - ROOT / 10, 0.5, 0.5 + ROOT / 10])
WEIGHTS = np.array([5.0, 8.0, 5.0]) / 18
STAGES = np.array([
    [5 / 36, 2 / 9 - ROOT / 15, 5 / 36 - ROOT / 30],
    [5 / 36 + ROOT / 24, 2 / 9, 5 / 36 - ROOT / 24],
    [5 / 36 + ROOT / 30, 2 / 9 + ROOT / 15, 5 / 36],
])  # fmt: skip


class NoLimitCycle(LocomoteError, RuntimeError):
    """No motion that repeats itself was found near the given one."""


def sizes_of(model, run) -> np.ndarray:
    """(1 + 2 nv,) how large time, departures from the start, and velocities get in a run.

    A coordinate that does not move is as large as others of its unit, m or rad.
    """
    time = max(float(run.t[-1] - run.t[0]), np.finfo(float).tiny)
    away = abs(np.array([model.difference(run.q[0], q) for q in run.q])).max(axis=0)
    speed = abs(run.v).max(axis=0)
    away = np.maximum(away, 1e-2 * time * speed)
    for turns in (True, False):
        own = model._turns == turns
        if own.any():
            most = away[own].max() or (1.0 if turns else time * speed[own].max() or 1.0)
            away[own] = np.where(away[own] > 1e-3 * most, away[own], most)
            most = speed[own].max() or most / time
            speed[own] = np.where(speed[own] > 1e-3 * most, speed[own], most)
    away[model._turns] = np.minimum(away[model._turns], 1.0)
    return np.concatenate([[time], away, speed])


def slopes(problem, function: Callable, what: str, t: float, q, v, sizes: np.ndarray) -> np.ndarray:
    """(m, 1 + 2 nv) derivatives of what a function of the user gives."""
    found = with_slopes(problem.model, function, t, q, v)
    if found is None:
        found = by_differences(problem.model, function, t, q, v, sizes)
    if not np.isfinite(found).all():
        raise NoLimitCycle(
            f"{what} of a limit cycle of {problem.name!r} gives no finite numbers next to the state where its section is met, "
            f"at t = {t:g} s: it must be smooth there"
        )
    return found


def directions(problem, closed: Sequence[str] | None, q, v, t: float, elsewhere: bool = False) -> np.ndarray:
    """(2 nv, k) orthonormal departures that meet all constraints, of position and of velocity, and these contacts; elsewhere :
    also those in which what sticks does so in another place, where it would have landed"""
    nv, plan = problem.model.nv, plan_with_closed(problem, closed)[0]
    with problem.scratch(plan) as work:
        A = problem.rows_of(plan, work, t, q, v)[0]
    held = np.flatnonzero(plan.holonomic)
    if elsewhere:
        held = np.setdiff1d(held, rows_along_grounds(problem))
    Hq = within(plan.free, A[held][:, plan.free], nv, problem.rank_tolerance)
    Hv = within(plan.free, A[:, plan.free], nv, problem.rank_tolerance)
    change, follows = derivatives_with(problem, plan, t, q, v), np.zeros((nv, Hq.shape[1]))
    if A.size:
        follows[plan.free] = -least(A[:, plan.free], change.rows.q @ Hq, problem.rank_tolerance)
    basis = np.block([[Hq, np.zeros((nv, Hv.shape[1]))], [follows, Hv]])
    return np.linalg.qr(basis)[0]


def departures(problem, q: np.ndarray, v: np.ndarray, wanted: Sequence[str]) -> np.ndarray:
    """(2 nv, S) how a start may depart and still meet all constraints: by v alone, by q with as little of v, or both."""
    nv = problem.model.nv
    if not wanted:
        return np.zeros((2 * nv, 0))
    if not problem.inertia:
        if "v" in wanted:
            raise ValueError(f"{problem.name!r} has no inertia: its velocities follow from q, and are nothing to choose")
        return np.vstack([np.eye(nv)[:, problem.plan.free], np.zeros((nv, len(problem.plan.free)))])
    all_ways = directions(problem, None, q, v, 0.0)
    if len(wanted) == 2:
        return all_ways
    _, sizes, right = np.linalg.svd(all_ways[:nv])
    rank = int((sizes > 1e-9).sum())
    return all_ways @ (right[:rank] if "q" in wanted else right[rank:]).T


def rows_along_grounds(problem) -> list[int]:
    """Rows of unilateral contacts that are no normals."""
    plan = problem.plan.own()
    with problem.scratch(plan) as work:
        contacts = Contacts(problem, plan, work)
        return [row for c in contacts.all for row in contacts.rows(c)[0] if row != contacts.rows(c)[1]]


def rate_matrix(problem, plan, t: float, q, v) -> np.ndarray:
    """The matrix of (1)."""
    change, nv = derivatives_with(problem, plan, t, q, v), problem.model.nv
    return np.block([[-drag(problem.model, v), np.eye(nv)], [change.a.q, change.a.v]])


def carried(problem, closed, path: Callable, first: float, last: float, panels: int) -> np.ndarray:
    """Departures at `last` by those at `first`: (1) by collocation; path : times -> states (t, q, v)."""
    plan, size, h = plan_with_closed(problem, closed)[0], 2 * problem.model.nv, (last - first) / panels
    starts = first + h * np.arange(panels)
    states = path((starts[:, None] + h * NODES).ravel())
    L, total = np.array([rate_matrix(problem, plan, *state) for state in states]).reshape(panels, 3, size, size), np.eye(size)
    for parts in L:
        total = total + h * np.einsum("i,iab->ab", WEIGHTS, panel_rates(parts, h, total))
    return total


def panel_rates(parts: np.ndarray, h: float, d: np.ndarray, pushes: np.ndarray | None = None) -> np.ndarray:
    """(3, n, k) rates of departures at the nodes of a panel that starts with d (n, k): d' = parts d + pushes, of each node."""
    size = len(d)
    block = np.eye(3 * size) - h * np.einsum("ij,iab->iajb", STAGES, parts).reshape(3 * size, 3 * size)
    right = parts @ d if pushes is None else parts @ d + pushes
    return np.linalg.solve(block, right.reshape(3 * size, -1)).reshape(3, size, -1)


def through_impact(
    problem, event, before, after, d: np.ndarray, sizes: np.ndarray, by_gap: Any = 0.0, by_hit: Any = 0.0, push=None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(3) for the departures d (2 nv, k), how much later each of them hits (k,), and v after it; before, after : names of the
    contacts that hold then ; by_gap, by_hit : (k,) and (nv, k), what else changes the gap, and what an impact makes of v ;
    push : (nv,) forces on top of all others"""
    model, q, v = problem.model, event.q, event.v
    plan, taking = struck(problem, event, before)
    with problem.scratch(plan) as work:
        contacts = Contacts(problem, plan, work)
        A = problem.rows_of(plan, work, event.t, q, v)[0]
        normal = normal_row(contacts, event)
    then = problem.impact(q, v, closed=taking, t=event.t).v
    f = np.concatenate([v, derivatives_with(problem, None, event.t, q, v, before, push).value[0]])
    f_after = np.concatenate([then, derivatives_with(problem, None, event.t, q, then, after, push).value[0]])
    d_t = -(A[normal] @ d[: model.nv] + by_gap) / (A[normal] @ v)
    hit = by_differences(model, lambda t, x, u: problem.impact(x, u, closed=taking, t=event.t).v, event.t, q, v, sizes)[:, 1:]
    met = d + np.outer(f, d_t)
    return np.concatenate([met[: model.nv], hit @ met + by_hit]) - np.outer(f_after, d_t), d_t, then


def struck(problem, event, before) -> tuple[Any, list[str]]:
    """The plan in which contacts that hold and those that hit are closed, and their names."""
    taking = [*dict.fromkeys([*before, *event.data["constraints"]])]
    return plan_with_closed(problem, taking)[0], taking


def normal_row(contacts: Contacts, event) -> int:
    """That of the first contact that hits."""
    return next(contacts.rows(c)[1] for c in contacts.all if contacts.title(c) == event.data["constraints"][0])


def at_section(
    problem, section: Callable, then: Callable | None, closed, t: float, q, v, d: np.ndarray, sizes: np.ndarray
) -> np.ndarray:
    """(2), and what a function makes of the state there."""
    model = problem.model
    f = np.concatenate([v, problem.derivatives(t, q, v, closed=closed).value[0]])
    by_time, *gradient = slopes(problem, section, "the section", t, q, v, sizes)[0]
    speed = gradient @ f + by_time
    if not abs(speed) > GRAZING * (abs(np.array(gradient)) @ abs(f) + abs(by_time)):
        raise NoLimitCycle(f"the motion of {problem.name!r} does not cross the section at t = {t:g} s, but touches it")
    d_t = -(gradient @ d) / speed
    met = d + np.outer(f, d_t)
    if then is None:
        return met
    change = slopes(problem, paired(then, model), "what happens then (`then`)", t, q, v, sizes)
    place = np.asarray(then(t, q, v)[0], dtype=float)
    change = np.vstack([np.linalg.pinv(tangents(model, place)) @ change[: model.nq], change[model.nq :]])
    return change[:, 1:] @ met + np.outer(change[:, 0], d_t)


def paired(then: Callable, model) -> Callable:
    """The function, whose result is a pair of a configuration and velocities."""

    def both(t, q, v):
        given = then(t, q, v)
        pair = isinstance(given, (tuple, list)) and len(given) == 2
        if not pair or np.shape(given[0]) != (model.nq,) or np.shape(given[1]) != (model.nv,):
            raise ValueError(f"then gave {given!r:.80}, expected (q, v) of shapes ({model.nq},) and ({model.nv},)")
        return tuple(given)

    return both


def holding(run, problem, first: float, last: float) -> list[str] | None:
    """Names of the unilateral contacts that hold between two events of a run, None if a problem has none."""
    if not problem.plan.unilateral:
        return None
    inside = (run.t > first) & (run.t < last)
    plan, titles = problem.plan, [label[0] for label in problem.constraint_labels]
    with problem.scratch(plan) as work:
        contacts = Contacts(problem, plan, work)
        return [titles[contacts.rows(c)[0][0]] for c in contacts.all if run.reactions[inside][:, contacts.rows(c)[0]].any()]


def return_derivative(
    problem, simulate: Callable, start, section: Callable, then: Callable | None, elsewhere: bool = False
) -> np.ndarray:
    """(2 nv, 2 nv) derivative of the state after a return by departures of the start that meet all constraints.

    simulate : times of samples, or None -> run until the section ; section : (t, q, v) -> number
    elsewhere : as of `directions`
    """
    panels, before = PANELS, None
    run = simulate(None)
    end = float(run.t[-1])
    events = [e for e in run.events if e.kind in ("impact", "rest", "release") and 0.0 < e.t < end]
    limits = [0.0, *[e.t for e in events], end]
    middles = [a + (b - a) * np.array([0.3, 0.6]) for a, b in zip(limits[:-1], limits[1:], strict=True)]
    known = simulate(np.concatenate(middles)) if events else simulate(np.array([0.3, 0.6]) * end)
    closed = [holding(known, problem, a, b) for a, b in zip(limits[:-1], limits[1:], strict=True)]
    basis = directions(problem, closed[0], start[0], start[1], 0.0, elsewhere and closed[0] is not None)
    sizes = sizes_of(problem.model, known)

    def path(times):
        sampled = simulate(times)
        rows = np.clip(np.searchsorted(sampled.t, times - 1e-12 * end), 0, len(sampled.t) - 1)
        return [(float(sampled.t[k]), sampled.q[k], sampled.v[k]) for k in rows]

    while True:
        d = basis
        for k, (a, b) in enumerate(zip(limits[:-1], limits[1:], strict=True)):
            d = carried(problem, closed[k], path, a, b, panels) @ d
            if k < len(events) and events[k].kind != "release":
                d = through_impact(problem, events[k], closed[k] or [], closed[k + 1] or [], d, sizes)[0]
        if before is not None and np.abs(d - before).max() < SAME * max(1.0, np.abs(d).max()):
            break
        if panels >= MOST:
            break
        panels, before = 2 * panels, d
    met = at_section(problem, section, then, closed[-1], end, run.q[-1], run.v[-1], d, sizes)
    return met @ basis.T
