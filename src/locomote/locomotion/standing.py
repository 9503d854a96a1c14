"""Rest on contacts with friction, within their cones.

What touches at the start is held where it is (`contact_states`), and the system comes to rest under these constraints; a
contact that would have to pull opens, one that would be passed closes, until Coulomb's law keeps everything at rest.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from locomote.contact import spots as at
from locomote.contact.instant import OPEN, SLIDE, STICK
from locomote.locomotion.contact_states import held_by, states_at
from locomote.locomotion.problem import Locomotion
from locomote.locomotion.sliding_friction import refuse_starting
from locomote.locomotion.statics import Equilibrium, NoEquilibrium, resting
from locomote.locomotion.touching import TOUCHING
from locomote.methods.gaps import gaps_of

AT_REST = 1e-6  # of the accelerations that forces without contacts would give
ROUNDS = 40


def resting_on_contacts(problem: Locomotion, q: np.ndarray, t: float, tolerance: float, v: np.ndarray | None) -> Equilibrium:
    """A place of rest at which Coulomb's law holds everything."""
    laws, names = problem.plan.spot_laws, problem.contact_names
    closed, tried = frozenset(np.flatnonzero(gaps_of(problem, t, q) < TOUCHING).tolist()), set()
    held_at, still = q, np.zeros(problem.model.nv) if v is None else v
    while closed not in tried and len(tried) < ROUNDS:
        tried.add(closed)
        soft = [k for k in closed if laws[k, at.STIFFNESS] > 0.0]
        if soft:
            raise NoEquilibrium(
                f"contact {names[soft[0]]!r} of {problem.name!r} is on ground that gives way, whose forces follow its depth: "
                f"let a run come to rest, or take lo.SoftGround"
            )
        states = {k: STICK if laws[k, at.FRICTION] > 0.0 else SLIDE for k in sorted(closed)}
        held = held_by(problem, t, held_at, states).problem
        rest = resting_so(problem, held, held_at, t, tolerance, v, bool(closed))
        gaps, loads = gaps_of(problem, t, rest.q), normal_loads(problem, held, rest.reactions, states)
        sunk = [k for k in range(len(gaps)) if k not in closed and gaps[k] < -TOUCHING]
        if sunk:
            closed, held_at = closed | {min(sunk, key=lambda k: gaps[k])}, rest.q
            continue
        now = problem.evaluate(t, rest.q, still)
        free = held.replaced(constraints=problem.statement.constraints).evaluate(t, rest.q, still).a
        if abs(now.a).max(initial=0.0) <= AT_REST * max(1.0, abs(free).max(initial=0.0)):
            own = rest.reactions[: len(problem.constraint_labels)] if len(closed) == 0 else now.reactions
            return replace(rest, reactions=own, contact_forces=now.contact_forces, contact_states=now.contact_states)
        pulling = min(loads, key=lambda k: loads[k], default=-1)
        if pulling < 0 or not loads[pulling] < 0.0:
            break
        closed, held_at = closed - {pulling}, rest.q
    raise NoEquilibrium(refusal(problem, t, rest.q, still))


def resting_so(
    problem: Locomotion, held: Locomotion, q: np.ndarray, t: float, tolerance: float, v, touches: bool
) -> Equilibrium:
    """The place of rest of the held problem; where there is none and nothing touches, that is said too."""
    try:
        return resting(held, held.initial(q, None, t)[0], t, tolerance, v)
    except NoEquilibrium as error:
        if touches:
            raise
        raise NoEquilibrium(f"{error}; nothing of {problem.name!r} touches at the start: put it onto its ground") from None


def normal_loads(problem: Locomotion, held: Locomotion, reactions: np.ndarray, states: dict[int, str]) -> dict[int, float]:
    """Number of a spot -> its normal reaction, N."""
    rows, loads = len(problem.constraint_labels), {}
    for one, k in zip(held.constraints[len(problem.constraints) :], states, strict=True):
        rows += len(one.labels)
        loads[k] = float(reactions[rows - 1])
    return loads


def refusal(problem: Locomotion, t: float, q: np.ndarray, v: np.ndarray) -> str:
    """Why nothing rests at q."""
    now = problem.evaluate(t, q, v).contact_states
    sliding = [name for name, state in now.items() if state == SLIDE]
    if sliding:
        return (
            f"no equilibrium of {problem.name!r} was found near the start: friction of contact {sliding[0]!r} does not hold "
            f"it, and it slides; more friction would, or start where it may rest"
        )
    touching = ", ".join(repr(name) for name, state in now.items() if state != OPEN) or "nothing"
    return (
        f"no equilibrium of {problem.name!r} was found near the start: {touching} pushes there, and it tips or falls; start "
        f"nearer to one"
    )


def on_contacts(
    problem: Locomotion, q: np.ndarray, t: float, reactions, contacts: Mapping[str, str] | None
) -> tuple[Locomotion, np.ndarray]:
    """The problem whose contacts hold as constraints about a place of rest, and all reactions there; given ones first."""
    still = np.zeros(problem.model.nv)
    states = states_at(problem, t, q, still, contacts)
    refuse_starting(problem, t, q, still, states, contacts is not None)
    held = problem.with_contacts({problem.contact_names[k]: state for k, state in states.items()}, q, t=t)
    now, rows = held.evaluate(t, q, still).reactions, len(problem.constraint_labels)
    if reactions is not None and len(reactions) == rows:
        now[:rows] = reactions
    return held, now if reactions is None or len(reactions) == rows else reactions
