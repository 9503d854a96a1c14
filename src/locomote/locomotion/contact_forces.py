"""Forces of contacts with friction at one instant, under Coulomb's law: signs of gaps and velocities decide.

A spot whose gap is open, or that moves away, has no force. One that touches and neither comes nor goes has a normal force that
is complementary to its normal acceleration; friction is against the slip, or, where there is none, against the acceleration
with which it starts, and within the cone where it sticks (`contact.instant`). One that comes nearer is a hit, which takes no
force but an impulse (`impacts`). With a basis H of what constraints leave free, and M the mass matrix on free coordinates:

    H^T M H = L L^T ,   Y = J H L^-T ,   b = J a + drift with the acceleration a without contacts                     (1)
    a' = a + H L^-T Y^T p ,   A^T lam' = M (a' - a) - J^T p                                                           (2)
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from locomote.brief import brief
from locomote.contact import spots as at
from locomote.contact.instant import OPEN, SLIDE, STICK, Contacts, answers, forces_along, share_loads
from locomote.dynamics.matrices import mass_matrix
from locomote.errors import LocomoteError, UnknownName
from locomote.evaluation.computed_torque import computes_torques
from locomote.linear.rank import kernel_of, pseudo_inverse
from locomote.locomotion.touching import STILL, Touching, touching

States = Mapping[str, str]


class NoContactForce(LocomoteError, ArithmeticError):
    """No forces of contacts meet Coulomb's law in a state (Painleve)."""


@brief
@dataclass(frozen=True)
class Pushed:
    """What contacts add: a (nv,), reactions of the rows that are there, torques (nv,) of drives, power that friction takes.

    forces, points : (spots, 3) on the bodies that touch, in world axes, N, and where, m, zero if nothing acts ; states : of
        every spot
    """

    a: np.ndarray
    reactions: np.ndarray
    tau: np.ndarray
    losses: float
    forces: np.ndarray
    points: np.ndarray
    states: dict[str, str]


@brief
@dataclass(frozen=True)
class Response:
    """How free coordinates answer to forces: H and L of (1), and the mass matrix."""

    M: np.ndarray
    H: np.ndarray
    L: np.ndarray
    free: np.ndarray

    def rows(self, J: np.ndarray) -> np.ndarray:
        """Y of (1)."""
        return np.linalg.solve(self.L, (J[:, self.free] @ self.H).T).T

    def motion(self, force: np.ndarray) -> np.ndarray:
        """(nv,) acceleration by a force (nv,)."""
        change, own = np.zeros(len(force)), self.H.T @ force[self.free]
        change[self.free] = self.H @ np.linalg.solve(self.L.T, np.linalg.solve(self.L, own))
        return change


def response_of(problem, plan, q: np.ndarray, A: np.ndarray, lengths: np.ndarray) -> Response:
    """The response under constraint rows A (rows, nv); an error if some motion moves no mass."""
    M, free = mass_matrix(problem.model, q), plan.free
    H = kernel_of(A[:, free], lengths, problem.rank_tolerance)
    try:
        L = np.linalg.cholesky(H.T @ M[np.ix_(free, free)] @ H)
    except np.linalg.LinAlgError:
        raise LocomoteError(f"{problem.name!r} has no forces of contacts here: some motion of it moves no mass") from None
    return Response(M, H, L, free)


def spot_states(problem, given: States) -> dict[int, str]:
    """Number of a spot -> "stick" or "slide", of those that are not open; names are those of spots or of a whole lo.Touch."""
    if not isinstance(given, Mapping):
        raise TypeError(f"contacts must be a table from names to states, such as {{'foot': 'stick'}}, not {given!r:.60}")
    names, result = problem.contact_names, {}
    for name, state in given.items():
        own = [k for k, spot in enumerate(names) if spot == name or spot.rpartition(".")[0] == name]
        if not own:
            raise UnknownName("contact", name, dict.fromkeys(names), repr(problem.name))
        if state not in (OPEN, STICK, SLIDE):
            raise UnknownName("state", state, (OPEN, STICK, SLIDE), f"contact {name!r}")
        result |= dict.fromkeys(own, state)
    return {k: result[k] for k in sorted(result) if result[k] != OPEN}


def refuse_odd(problem, plan) -> None:
    """What forces of contacts are not known for."""
    if not problem.inertia:
        raise ValueError(
            f"{problem.name!r} has no inertia: forces of contacts are known at an instant where accelerations are; "
            f"take lo.SoftGround"
        )
    if computes_torques(plan):
        raise ValueError(
            f"{problem.name!r} has computed torques, which follow from accelerations, and something touches in this state: "
            f"take lo.Servo in their place"
        )


def push_of(
    problem, plan, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, A: np.ndarray, lengths, given: States | None
) -> Pushed | None:
    """What contacts add to the accelerations a without them, for constraint rows A that are there; None if nothing touches.

    given : states that hold whatever the signs say; None if these decide
    """
    states = None if given is None else spot_states(problem, given)
    near = touching(problem, t, q, v, None if states is None else np.array(list(states), dtype=int))
    if states is None:
        near = closed(problem, plan, near)
    if not len(near.spots):
        return None
    refuse_odd(problem, plan)
    contacts, kept = contacts_of(problem, plan, near, states)
    answer = response_of(problem, plan, q, A, lengths)
    J = np.concatenate([near.J, near.turns[kept]])
    b = J @ a + np.concatenate([near.drift.ravel(), near.spin_drift.ravel()[kept]])
    Y = answer.rows(J)
    p = by_law(problem, t, near, contacts, Y, b) if states is None else by_states(problem, near, contacts, states, Y, b)
    force = J.T @ p
    change = answer.motion(force)
    free, held = plan.free, plan.held
    off = answer.M[np.ix_(free, free)] @ change[free] - force[free]
    lam = pseudo_inverse(A[:, free], lengths, problem.rank_tolerance).T @ off if len(A) else np.zeros(0)  # (2)
    tau = np.zeros(len(a))
    tau[held] = answer.M[np.ix_(held, free)] @ change[free] - A[:, held].T @ lam - force[held]
    own = p[: 3 * len(near.spots)].reshape(-1, 3)
    forces, points = np.zeros((2, len(plan.spots), 3))
    forces[near.spots], points[near.spots] = np.einsum("cki,ck->ci", near.axes, own), near.points
    spins = near.spin.ravel()[kept]
    losses = float((own * near.u).sum() + p[3 * len(near.spots) :] @ spins)
    said = dict.fromkeys(problem.contact_names, OPEN)
    u = Y @ (Y.T @ p) + b
    for c, k in enumerate(near.spots):
        said[problem.contact_names[k]] = (
            states[k] if states else state_of(contacts, c, own[c], u[3 * c : 3 * c + 2], abs(b).max())
        )
    return Pushed(change, lam, tau, losses, forces, points, said)


def state_of(contacts: Contacts, c: int, p: np.ndarray, u: np.ndarray, scale: float) -> str:
    """The state of a contact with the force p and the acceleration u along the ground."""
    if not p[2] > 0.0:
        return OPEN
    starts = float(np.hypot(*u)) > 1e-7 * scale
    return SLIDE if not contacts.at_rest[c] or starts else STICK


def closed(problem, plan, near: Touching) -> Touching:
    """What touches and does not move away; hits are refused in words."""
    soft = plan.spot_laws[near.spots, at.STIFFNESS] > 0.0
    hit = np.flatnonzero((near.u[:, 2] < -STILL) & ~soft)
    if len(hit):
        c = hit[np.argmin(near.u[hit, 2])]
        raise ValueError(
            f"contact {problem.contact_names[near.spots[c]]!r} of {problem.name!r} hits its ground in this state, at "
            f"{-near.u[c, 2]:.3g} m/s: it takes an impulse and no force; problem.impact gives the velocity after it, "
            f"contacts={{...}} says which contacts hold whatever their velocities"
        )
    keep = np.where(soft, near.gaps < 0.0, near.u[:, 2] <= STILL)
    if keep.all():
        return near
    rows = np.repeat(keep, 3)
    whole = {name: getattr(near, name)[rows if name in ("J", "turns") else keep] for name in near.__dataclass_fields__}
    return Touching(**whole)


def contacts_of(problem, plan, near: Touching, states: dict[int, str] | None) -> tuple[Contacts, np.ndarray]:
    """The law of what touches, and which rows of turns have moments."""
    laws, count = plan.spot_laws[near.spots], len(near.spots)
    slip, load, speed = np.full((count, 2), np.nan), np.full(count, np.nan), np.hypot(near.u[:, 0], near.u[:, 1])
    for c, k in enumerate(near.spots):
        name = problem.contact_names[k]
        slides = speed[c] > STILL if states is None else states[k] == SLIDE
        if laws[c, at.STIFFNESS] > 0.0:
            if laws[c, at.SHEAR] > 0.0:
                raise ValueError(
                    f"contact {name!r} of {problem.name!r} sticks to a spring along its ground, whose stretch runs know: "
                    f"take a ground without shear"
                )
            if states is not None:
                raise ValueError(f"contact {name!r} of {problem.name!r} is on ground that gives way: it has no state to say")
            load[c] = max(0.0, -laws[c, at.STIFFNESS] * near.gaps[c] - laws[c, at.DAMPING] * near.u[c, 2])
        if slides and laws[c, at.FRICTION] > 0.0 and not speed[c] > STILL:
            raise ValueError(
                f"contact {name!r} of {problem.name!r} is to slide and does not move along its ground: the direction of its "
                f"friction is not known; give it a velocity, or let it stick"
            )
        if slides:
            slip[c] = near.u[c, :2] / max(speed[c], STILL)
    arms = np.stack([laws[:, at.ROLLING], laws[:, at.ROLLING], laws[:, at.TORSION]], axis=1).ravel()
    kept = np.flatnonzero(arms > 0.0) if states is None else np.zeros(0, dtype=int)
    spin = near.spin.ravel()[kept]
    turning = np.where(abs(spin) > STILL, np.sign(spin), np.nan)
    return Contacts(laws[:, at.FRICTION], slip, load, kept // 3, arms[kept], turning), kept


def by_law(problem, t: float, near: Touching, contacts: Contacts, Y: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Forces by the law of all contacts; where there are none, or several, that is said."""
    found = answers(contacts, Y, b)
    names = [problem.contact_names[k] for k in near.spots]
    slipping = [name for name, rest in zip(names, contacts.at_rest, strict=True) if not rest] or names
    which = ", ".join(repr(name) for name in slipping)
    if not found:
        raise NoContactForce(
            f"{problem.name!r} has no forces of contacts at t = {t:g} that meet Coulomb's law (Painleve): friction of {which} "
            f"presses it into its ground the more the larger it is, and it jams; less friction, or "
            f"lo.Ground(stiffness=...), has an answer"
        )
    if len(found) > 1:
        why = f"(Painleve), by friction of {which}: that whose contacts move it least is taken"
        if share_loads(contacts, Y):
            why = f"since {which} can share loads in many ways while they slide: as contacts that give way alike do is taken"
        warnings.warn(
            f"{problem.name!r} has several answers under Coulomb's law at t = {t:g}, {why}", UserWarning, stacklevel=5
        )
    return found[0]


def by_states(problem, near: Touching, contacts: Contacts, states: dict[int, str], Y: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Forces that hold given states, whatever their signs."""
    p = forces_along(contacts, Y, b, [states[k] for k in near.spots], np.full(contacts.count, np.nan))
    if p is None:
        names = ", ".join(repr(problem.contact_names[k]) for k in near.spots)
        raise NoContactForce(f"no forces hold the contacts {names} of {problem.name!r} in the states that were given")
    return p
