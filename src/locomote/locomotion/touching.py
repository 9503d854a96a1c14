"""Contacts with friction at one instant: gaps of all that may touch, and rows, velocities and drift of what does.

    u = J v ,   u' = J a + drift ,   drift = d/ds J(q (+) s v) v        by differences of eighth order                (1)

The normal part of u is the rate of the gap. Along the ground u is the velocity of the point of the body that touches, which on
a body that rolls is another one at every instant: J knows where it is.
"""

from dataclasses import dataclass

import numpy as np

from locomote.brief import brief
from locomote.contact import spots as at
from locomote.dynamics.differences import derivative
from locomote.geometry.shape import PAIRED
from locomote.methods.gaps import gaps_of, placed_at

TOUCHING = 1e-6  # m, gaps below which something touches: a run leaves gaps of 1e-9 m
STILL = 1e-6  # m/s and rad/s, below which it does not move along the ground or away from it
AHEAD = 2e-3  # s, or rad and m, of (1)


@brief
@dataclass(frozen=True)
class Touching:
    """What touches in a state: spots, by their numbers, with rows J (3 c, nv) along t1, t2, n, velocities u (c, 3) and drift
    (c, 3) of (1); the same of turns about these axes.

    axes : (c, 3, 3) t1, t2, n in the world, one in each row ; points : (c, 3), m
    """

    spots: np.ndarray
    gaps: np.ndarray
    points: np.ndarray
    axes: np.ndarray
    J: np.ndarray
    u: np.ndarray
    drift: np.ndarray
    turns: np.ndarray
    spin: np.ndarray
    spin_drift: np.ndarray


def touching(problem, t: float, q: np.ndarray, v: np.ndarray, spots: np.ndarray | None = None) -> Touching:
    """What touches at q, or the spots with the given numbers."""
    model, plan = problem.model, problem.plan
    with problem.scratch(plan) as work:
        placed, rows, turns = placed_at(problem, plan, work, t, q)
        spots = np.flatnonzero(placed[:, at.GAP] < TOUCHING) if spots is None else spots
        refuse_laws_of_runs(problem, spots)
        own = (3 * spots[:, None] + np.arange(3)).ravel()
        axes = placed[spots, at.FIRST_AXIS : at.FIRST_AXIS + 9].reshape(-1, 3, 3)

        def moving(s: float) -> np.ndarray:
            """(c, 7) velocity and turn in the world, whose axes do not jump, and velocity along the normal."""
            there, J, turned = placed_at(problem, plan, work, t, model.integrate(q, s * v))
            frame, u = there[spots, at.FIRST_AXIS : at.FIRST_AXIS + 9].reshape(-1, 3, 3), (J[own] @ v).reshape(-1, 3)
            spin = (turned[own] @ v).reshape(-1, 3)
            world = [np.einsum("cki,ck->ci", frame, x) for x in (u, spin)]
            return np.concatenate([*world, u[:, 2:]], axis=1)

        fastest = abs(v).max(initial=0.0)
        rate = derivative(moving, AHEAD / max(1.0, fastest)) if len(spots) and fastest > 0.0 else np.zeros((len(spots), 7))
    drift, spin_drift = (np.einsum("cki,ci->ck", axes, rate[:, 3 * n : 3 * n + 3]) for n in range(2))
    drift[:, 2] = rate[:, 6]
    u, spin = (rows[own] @ v).reshape(-1, 3), (turns[own] @ v).reshape(-1, 3)
    return Touching(
        spots, placed[spots, at.GAP], placed[spots, at.POINT : at.POINT + 3], axes, rows[own], u, drift, turns[own], spin,
        spin_drift,
    )  # fmt: skip


def refuse_laws_of_runs(problem, spots: np.ndarray) -> None:
    """A ValueError if any of these spots has a law that only runs know."""
    laws = problem.plan.spot_laws[spots]
    if (bodies := laws[:, at.RIM] == PAIRED).any():
        name = problem.contact_names[int(spots[np.argmax(bodies)])]
        raise ValueError(
            f"contact {name!r} of {problem.name!r} touches in this state: how shapes of two bodies (lo.BodyContacts) touch is "
            f"known in runs (simulate, contact_forces), not at an instant; say such a pair by lo.between for that"
        )
    special = laws[:, at.MOTION : at.MOTION + 3].any(axis=1) | (laws[:, at.STATIC] > laws[:, at.FRICTION])
    special |= (laws[:, at.ADHESION] > 0.0) | (laws[:, [at.ALONG_PART, at.ACROSS_PART]] != 1.0).any(axis=1)
    if special.any():
        name = problem.contact_names[int(spots[np.argmax(special)])]
        raise ValueError(
            f"contact {name!r} of {problem.name!r} touches in this state, on a ground with motion, static, across or adhesion, "
            f"which runs know (simulate, contact_forces): take a ground with friction alone for what is asked at an instant"
        )


def refuse_touching(problem, t: float, q: np.ndarray, what: str) -> None:
    """A ValueError if any contact touches at q; what : who answers for the instant."""
    if not problem.contacts:
        return
    gaps = gaps_of(problem, t, q)
    if (gaps < TOUCHING).any():
        name = problem.contact_names[int(np.argmin(gaps))]
        raise ValueError(
            f"{what} of {problem.name!r} depends on which contacts hold, and {name!r} touches in this state, with a gap of "
            f"{gaps.min():.2g} m: ask problem.with_contacts({{{name!r}: 'stick'}}, q), in which those hold that you say"
        )
