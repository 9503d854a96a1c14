"""Columns about one instant: evaluation, derivatives, small motions, rest, formulas."""

import numpy as np
from crossing_cases import Case
from crossing_checks import NotApplicable, Wrong, near, quiet, verb

import locomote as lo
from locomote.contact.spots import STIFFNESS
from locomote.locomotion.touching import gaps_of, touching


def states(case: Case, run: lo.Trajectory | None = None):
    """Rows of samples away from events and ticks of clocks, and names of the contacts that are closed there."""
    run = run or case.run
    closed = [name for name, row, _ in run.constraint_labels]
    unilateral = {c.name for c in case.problem.constraints if getattr(c, "unilateral", False)}
    for k in (1, len(run) // 3, 2 * len(run) // 3, len(run) - 2):
        if any(abs(run.t[k] - event.t) < 1e-9 for event in run.events):
            continue
        acting = {name for name, value in zip(closed, run.reactions[k], strict=True) if value and name in unilateral}
        yield k, {"closed": sorted(acting)} if unilateral else {}


def ignored(case: Case, t: float) -> dict:
    """Constraints that do not hold at a time."""
    if not case.how.get("events"):
        return {}
    return {"ignore": ["catch"] if t < 0.1 else ["pin"]}


def remembers(controller) -> bool:
    """Whether what it gives depends on more than the state of the robot."""
    return isinstance(controller, lo.Sampled) and (controller.state is not None or controller.between == "line")


def closed_state(case: Case, k: int):
    """A sample of a run over contacts, brought to where what touches has no gap and does not come nearer."""
    problem = case.starting_at(*case.start)  # where targets that were left open are taken from
    t, q, v = float(case.run.t[k]), case.run.q[k], case.run.v[k]
    free = problem.plan.free
    for _ in range(5):
        near_by = touching(problem, t, q, 0 * v, np.flatnonzero(gaps_of(problem, t, q) < 1e-4))
        soft = problem.plan.spot_laws[near_by.spots, STIFFNESS] > 0
        rows, off = near_by.J[2::3][~soft], near_by.gaps[~soft]
        A, _, _, error = problem.rows(t, q)
        rows, off = np.vstack([A, rows])[:, free], np.concatenate([np.where(problem.plan.holonomic != 0, error, 0.0), off])
        move = 0 * v
        move[free] = -np.linalg.lstsq(rows, off, rcond=1e-9)[0]
        q = problem.model.integrate(q, move)
    v = problem.impact(q, v, t=t).v.copy()
    J, u = near_by.J.reshape(-1, 3, len(v))[~soft], (near_by.J @ v).reshape(-1, 3)[~soft]
    closed, sticking = abs(u[:, 2]) < 1e-2, np.hypot(u[:, 0], u[:, 1]) < 1e-2  # in steps, at whose ends they move a little
    rows = np.vstack([A, J[closed, 2], *J[closed & sticking, :2]])[:, free]
    away = np.concatenate([np.zeros(len(A)), u[closed, 2], u[closed & sticking, :2].ravel()])
    v[free] -= np.linalg.lstsq(rows, away, rcond=1e-9)[0]
    return t, q, v


def evaluate_touching(case: Case) -> None:
    """Accelerations against those of short steps from the same state, when loads have settled."""
    problem, short = case.problem, 1e-6
    if case.clocked or case.fed or case.how.get("events") or problem.plan.unilateral:
        raise NotApplicable("steps by hand, which it is compared with, have no clocks and events")
    for k, which in states(case):
        t, q, v = closed_state(case, k)
        now = problem.evaluate(t, q, v, **which)
        steps = case.starting_at(q, v).stepper(q, v, t=t, step=short)
        found = []
        for count in (0, 20):  # the first closes all of a gap that opens within it; those of rods and springs soon move on
            steps.advance(steps=count)
            before = steps.v
            steps.advance()
            found.append((steps.v - before) / short)
        allowed = 3e-2 if problem.model.flexible or (problem.plan.spot_laws[:, STIFFNESS] > 0).any() else 5e-3
        try:
            near(now.a, found[0], allowed, f"a at sample {k}")
        except Wrong:
            near(now.a, found[1], allowed, f"a at sample {k}")


@verb("evaluate")
def evaluate(case: Case) -> None:
    run = case.run
    if case.steps:
        evaluate_touching(case)
        return
    if case.clocked:  # just after ticks, where torques are those of the state
        ticks = np.arange(0.0, case.mechanism.duration, 0.02)
        run = case.simulate(samples=ticks + 1e-9, every=None)
    for k, which in states(case, run):
        now = case.problem.evaluate(run.t[k], run.q[k], run.v[k], **which, **ignored(case, run.t[k]))
        if case.fed or any(
            isinstance(c, lo.Sampled) and (c.state is not None or c.between == "line") for c in case.problem.controllers
        ):
            raise NotApplicable("what a controller gives depends on its state")
        for name in ("tau", "a", "reactions"):
            near(getattr(now, name), getattr(run, name)[k], 1e-6, f"{name} at sample {k}")


def middle(case: Case):
    """A state on the way, with the contacts that hold there."""
    k, which = next(iter(states(case)))
    return float(case.run.t[k]), case.run.q[k], case.run.v[k], which


@verb("derivatives")
def derivatives(case: Case) -> None:
    t, q, v, which = middle(case)
    if case.how.get("ignore"):
        which = {}
    problem, step = case.starting_at(q, v), 1e-5  # so that what was left open stays where it is
    slopes = problem.derivatives(t, q, v, **which)
    free = problem.plan.free

    def both(move):
        ahead, behind = (problem.evaluate(*move(s * step), **which) for s in (1, -1))
        return [(getattr(ahead, name) - getattr(behind, name)) / (2 * step) for name in ("a", "tau", "reactions")]

    units = np.eye(problem.model.nv)[free]
    moves = {
        "q": [lambda s, e=e: (t, problem.model.integrate(q, s * e), v) for e in units],
        "v": [lambda s, e=e: (t, q, v + s * e) for e in units],
    }
    for name, those in moves.items():
        columns = [both(move) for move in those]
        for n, label in enumerate(("a", "tau", "reactions")):
            expected = np.stack([column[n] for column in columns], axis=1)
            near(getattr(getattr(slopes, label), name)[:, free], expected, 2e-5, f"slope of {label} by {name}")
    for label, expected in zip(("a", "tau", "reactions"), both(lambda s: (t + s, q, v)), strict=True):
        near(getattr(slopes, label).t, expected, 2e-5, f"slope of {label} by t")


@verb("linearize")
def linearize(case: Case) -> None:
    """About rest: how accelerations within the constraints change with departures along them."""
    if case.how.get("ignore"):
        raise NotApplicable("constraints that are open at the start are closed here")
    problem = case.problem
    q, v = problem.initial(case.start[0], np.zeros(problem.model.nv))
    if abs(v).max(initial=0.0) > 1e-9:
        raise NotApplicable("drives move at the start, so that there is no rest")
    small = problem.linearize(q, v)
    held = problem.with_contacts(problem.evaluate(0.0, q, v).contact_states, q) if case.steps else problem
    step, nq, Hv = 1e-4, small.positions.shape[1], small.velocities

    def acceleration(dq, dv):
        return Hv.T @ held.evaluate(0.0, *held.initial(problem.model.integrate(q, dq), v + dv)).a

    moves = [(step * e, 0 * v, step) for e in small.positions.T] + [(0 * v, 1e-6 * e, 1e-6) for e in Hv.T]
    columns = [(acceleration(dq, dv) - acceleration(-dq, -dv)) / (2 * h) for dq, dv, h in moves]
    near(small.A[nq:], np.array(columns).reshape(small.A[nq:].T.shape).T, 1e-4, "the slope of accelerations")


@verb("equilibrium")
def equilibrium(case: Case) -> None:
    if case.how.get("ignore"):
        raise NotApplicable("constraints that are open at the start are closed here")
    problem = case.problem
    with quiet():
        found = lo.equilibrium(problem, case.start[0])
    q, v = problem.initial(found.q, np.zeros(problem.model.nv))
    near(problem.model.difference(q, found.q), np.zeros(problem.model.nv), 1e-6, "the place and the constraints")
    for (name, row, _), value in zip(problem.constraint_labels, found.reactions, strict=True):
        unilateral = any(c.name == name and getattr(c, "unilateral", False) for c in problem.constraints)
        if unilateral and row == "z" and value < -1e-9:
            raise Wrong(f"{name} pulls with {value:.3g} N")
    still = [*problem.imposed_motions.values()]
    if any(abs(drive(0.0)[1]) + abs(drive(0.0)[2]) > 0 for drive in still):
        return  # at rest only with drives that are held
    now = problem.evaluate(0.0, found.q, np.zeros(problem.model.nv))
    moved = now.a if problem.inertia else found.residual
    near(moved, np.zeros_like(moved), 1e-4, "the acceleration at rest")


@verb("symbols")
def symbols(case: Case) -> None:
    a = lo.symbolic_problem(case.problem)
    for k, which in states(case):
        now = case.problem.evaluate(case.run.t[k], case.run.q[k], case.run.v[k], **which)
        tau = np.where(case.problem.imposed, now.a, 0.0)
        found = np.array(a(case.run.t[k], case.run.q[k], case.run.v[k], tau)).ravel()
        near(found, now.a, 1e-6, f"the formula at sample {k}")
