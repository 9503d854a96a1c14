"""A start that meets drives and constraints, or the error that says why there is none.

What is given is moved onto them: a run says by how much, and refuses a start of which little would be left unless it is told
to take the nearest one. With v0 the velocity that is given, v the one that is taken, and d the one that drives would bring
about from rest,

    taken away  =  the smaller of v0 - v and v0 + d - v ,   refused above MOST_TAKEN of v0, as roots of kinetic energy  (1)
"""

from collections.abc import Iterable, Sequence

import numpy as np

from locomote.dynamics.matrices import mass_matrix
from locomote.errors import InconsistentStart
from locomote.evaluation.protocol import Problem
from locomote.evaluation.unresisted import show_warnings, why_no_motion
from locomote.locomotion.inputs import checked_time, state_near, warn_of_degrees
from locomote.methods.entries import assemble_one
from locomote.methods.events.ignored import checked_names, held_rows, without
from locomote.methods.events.unilateral import Contacts
from locomote.runs.changes import words_of
from locomote.spatial.numbers import all_finite

STARTS = ("check", "project")
CHANGED = 1e-9  # m, rad, m/s or rad/s: less is rounding
BESIDE = 1e-6  # the same, that is left to the steps of runs whose controls replace drives
MOST_TAKEN = 0.2  # (1)
MOST_TURNED, MOST_SHIFTED = 0.1, 0.1  # rad; and part of the size of the model, that the configuration may move


def initial(problem: Problem, q=None, v=None, t: float = 0.0, *, ignore: Sequence[str] = ()) -> tuple[np.ndarray, np.ndarray]:
    """A state at time t that meets drives and constraints, nearest to what is given.

    q : (nq,), that of the start if not given, neutral if there is none ; v : (nv,), zero if not given, but for that of the
        start if q is not given either
    ignore : names of constraints that do not hold, and of unilateral contacts that are open, whatever their gap
    Raises InconsistentStart, saying which constraint cannot be met and by how much.
    """
    q, v = begin_near(problem, q, v)
    t = checked_time(t)
    assemble(problem, t, q, v, ignore)
    warn_of_degrees(problem.model, q)
    return q, v


def begin_near(problem: Problem, q=None, v=None) -> tuple[np.ndarray, np.ndarray]:
    """What is given of a state, completed as `initial` says."""
    if q is None and problem.start is not None:
        q, v = problem.start[0], problem.start[1] if v is None else v
    return state_near(problem.statement.model, problem.model, q, v)


def assemble(problem, t: float, q: np.ndarray, v: np.ndarray, ignore: Iterable[str]) -> None:
    """Bring q and v at time t onto drives and constraints, but for those that are ignored; raises InconsistentStart."""
    for k, drive in problem.imposed_motions.items():
        q[problem.q_of_v[k]], v[k], _ = drive(float(t))
    if problem.inertia and not problem.constraints:  # nothing to assemble
        checked_names(problem, ignore, "ignore")
        refuse_not_finite(problem, t, q, v)
        return
    plan, a, spare_q, spare_v = without(problem, problem.plan_at(q).own(), ignore), 0.0 * v, np.empty_like(q), np.empty_like(v)
    with problem.scratch(plan) as work:
        left = 0.0
        if contacts := Contacts(problem, plan, work):  # those with a gap are not held, nor those that hit or leave
            if contacts.hold_sunk(float(t), q, v):  # but none starts inside
                assemble_one(plan, work, float(t), q, v.copy(), a, spare_q, spare_v)
                left = work.result[0]
            contacts.touch(float(t), q, v)
        if left <= 1e-9:
            assemble_one(plan, work, float(t), q, v, a, spare_q, spare_v)
            left = work.result[0]
        rest = work.result[1]
        if not problem.inertia:
            problem.evaluate_with(plan, work, t, q, v)
        error, residual = np.where(held_rows(plan), work.error, 0.0), work.A @ v + work.speed
    plan.raise_faults()
    refuse_not_finite(problem, t, q, v)
    if left > 1e-9:
        names = problem.worst_rows(error, 1e-9, "m or rad")
        raise InconsistentStart(
            f"{problem.name!r} cannot be assembled at t = {t:g}: {names}; start from a configuration nearer to a closed one, "
            f"or check lengths and imposed positions"
        )
    if rest > 1e-7:
        raise InconsistentStart(
            f"the imposed velocities of {problem.name!r} at t = {t:g} do not fit its constraints: "
            f"{problem.worst_rows(residual, 1e-8, 'm/s or rad/s')}"
        )


def refuse_not_finite(problem, t: float, q: np.ndarray, v: np.ndarray) -> None:
    """Raise if the start has a NaN or an infinite value."""
    if not (all_finite(q) and all_finite(v)):
        near = np.where(np.isfinite(q), q, problem.model.neutral())
        why = "" if problem.inertia else why_no_motion(problem, t, near)
        raise InconsistentStart(
            f"{problem.name!r} has no finite start at t = {t:g}: {why or 'a drive or a constraint gives NaN'}"
        )


def started(
    problem: Problem, q, v, t: float, *, ignore: Iterable[str] = (), start: str = "check"
) -> tuple[tuple[np.ndarray, np.ndarray], dict[str, list[float]] | None]:
    """q and v that meet drives and constraints, nearest to those given (or to those of the problem), and by how much they
    differ: {"q": (nv,), "v": (nv,)}, None if not at all; raises InconsistentStart if little would be left of what is given.

    start : "project" takes the nearest, however far it is
    """
    checked_word(start)
    show_warnings(problem)
    given = (q is not None, v is not None)
    taken = problem.initial(q, v, t, ignore=list(ignore))
    if not problem.constraints and not any(given) and problem.inertia:
        return taken, None
    near = begin_near(problem, q, v)
    return taken, changed(problem, t, near, taken, ignore, given, start)


def changed(problem, t: float, near, taken, ignore: Iterable[str], given: tuple[bool, bool], start: str):
    """By how much a start that is taken differs from the one that is near, as `started` says it."""
    change = {"q": problem.model.difference(near[0], taken[0]), "v": taken[1] - near[1]}
    for name, was_given in zip("qv", given, strict=True):
        change[name] = np.where(problem.imposed & (not was_given) | (abs(change[name]) <= CHANGED), 0.0, change[name])
    if not any(x.any() for x in change.values()):
        return None
    if start == "check" and any(given):
        refuse_far(problem, t, near, taken, ignore, given)
    return {name: x.tolist() for name, x in change.items()}


def started_together(problem, q: np.ndarray, v: np.ndarray, given: tuple[bool, bool], start: str, own: np.ndarray):
    """`started` for many runs at t = 0: q (N, nq) and v (N, nv) are moved onto drives and constraints in place, and what
    differs is given back, {"q": (N, nv), "v": (N, nv)}, or None.

    own : coordinates whose drives do not count, because runs have controls for them; where these start elsewhere, only drives
        could say what is nearest
    """
    checked_word(start)
    if not problem.constraints:  # nothing to assemble
        return None
    alike = all((x == x[0]).all() for x in (q, v))
    off = runs_off(problem, q[:1] if alike else q, v, CHANGED if not len(own) else BESIDE)
    change = {"q": np.zeros_like(v), "v": np.zeros_like(v)}
    for n in off:
        if away_from_drives(problem, q[n], v[n], own):
            raise InconsistentStart(
                f"run {n} of {problem.name!r} does not start where its constraints are met, and controls replace drives that "
                f"are elsewhere; give q and v that meet the constraints, or begin where the drives do"
            )
        near, taken = (q[n].copy(), v[n].copy()), (q[n].copy(), v[n].copy())
        try:
            assemble(problem, 0.0, *taken, ())
            moved = changed(problem, 0.0, near, taken, (), given, start)
        except InconsistentStart as error:
            raise error if alike else InconsistentStart(f"run {n}: {error}") from None
        runs = slice(None) if alike else n
        q[runs], v[runs] = taken
        for name, x in (moved or {}).items():
            change[name][runs] = x
    return change if any(x.any() for x in change.values()) else None


def runs_off(problem, q: np.ndarray, v: np.ndarray, most: float) -> np.ndarray:
    """Numbers of the runs, states in rows, that miss the constraints at t = 0 by more than this (SI)."""
    plan = problem.plan
    places, which = (q[:1], np.zeros(1, int)) if (q == q[0]).all() else np.unique(q, axis=0, return_inverse=True)
    with problem.scratch(plan) as work:  # rows depend on configurations alone, which many runs may share
        found = [problem.rows_of(plan, work, 0.0, place, np.zeros(v.shape[1])) for place in places]
    A, _, speed, error = (np.array(x)[which.ravel()] for x in zip(*found, strict=True))
    held, placed = held_rows(plan), plan.holonomic != 0
    miss = np.where(held & placed, abs(error), 0.0)
    if problem.inertia:  # or velocities follow from configurations
        slip = v[: len(q)] @ A[0].T if len(A) == 1 else (A @ v[: len(q), :, None])[..., 0]
        miss = np.maximum(miss, np.where(held, abs(slip + speed), 0.0))
    elif len(miss) == 1:
        miss = np.repeat(miss, len(q), axis=0)
    return np.flatnonzero(~(miss <= most).all(axis=1))


def away_from_drives(problem, q: np.ndarray, v: np.ndarray, own: np.ndarray) -> bool:
    """Whether some coordinates are not where their drives would have them at t = 0."""
    places = [(q[problem.q_of_v[k]], v[k], *problem.imposed_motions[k](0.0)[:2]) for k in own]
    return any(abs(x - place) > CHANGED or abs(rate - speed) > CHANGED for x, rate, place, speed in places)


def checked_word(start) -> None:
    """Raise if this does not say what becomes of a start that meets no constraints."""
    if not (isinstance(start, str) and start in STARTS):
        raise ValueError(f"start is {start!r}, expected 'check' or 'project'; a state to start from is given as q= and v=")


def refuse_far(problem, t: float, near, taken, ignore: Iterable[str], given: tuple[bool, bool]) -> None:
    """Raise if a start that is given would be moved far. near, taken : (q, v) that are given and that meet the constraints"""
    model, free = problem.model, ~problem.imposed
    moved = np.where(free, model.difference(near[0], taken[0]), 0.0)
    most = np.where(model._turns, MOST_TURNED, MOST_SHIFTED * size_of(model)) * (1 + 1e-9)
    if given[0] and (abs(moved) > most).any():
        raise InconsistentStart(sentence(problem, t, moved, "q", abs(moved) / most))
    v0 = np.where(free, near[1], 0.0)
    if not (given[1] and v0.any() and problem.inertia):
        return
    q, at_rest = taken[0].copy(), np.zeros(model.nv)
    assemble(problem, t, q, at_rest, ignore)
    M = mass_matrix(model, taken[0])
    # what is given may be the motion that drives bring about, or one beside it
    losses = [np.where(free, taken[1] - v0 - with_drives, 0.0) for with_drives in (at_rest, 0.0)]
    part, lost = min(((speed_by(M, x) / speed_by(M, v0), x) for x in losses), key=lambda pair: pair[0])
    if part > MOST_TAKEN:
        raise InconsistentStart(sentence(problem, t, lost, "v", abs(lost), f", {100 * min(part, 1.0):.0f} % of its motion"))


def speed_by(M: np.ndarray, v: np.ndarray) -> float:
    """The size of a velocity, as the square root of its energy; of what moves no mass, by its numbers."""
    return float(np.sqrt(max(0.0, v @ M @ v)) or np.linalg.norm(v))


def sentence(problem, t: float, change: np.ndarray, vector: str, order: np.ndarray, share: str = "") -> str:
    """What would change in a start, and what to do."""
    change = np.where(abs(change) > CHANGED, change, 0.0)
    return (
        f"the start of {problem.name!r} at t = {t:g} does not meet its drives and constraints: "
        f"{words_of(problem.model, change, vector, order)} would have to change{share}; give one that does "
        f"(problem.initial(q, v) is the nearest), or start='project' to take the nearest"
    )


def size_of(model) -> float:
    """How far bodies reach from each other, all together, m; 1 if all is one point."""
    bodies = model.description.bodies
    reach = sum(float(np.linalg.norm(body.placement[:3, 3])) + float(getattr(body.flex, "length", 0.0)) for body in bodies)
    return (reach + sum(float(np.linalg.norm(body.inertia.com)) for body in bodies if body.inertia is not None)) or 1.0
