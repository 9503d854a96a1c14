"""A problem whose contacts with friction hold as they are said to: those that stick or slide are constraints, others are gone.

A point that sticks is held to where it touches, one that slides to the plane below it; a ball, wheel or ring that sticks rolls,
one that slides is held along the normal. All that is known of constraints is then known of contacts: derivatives, small
motions, modes, symbols. Friction of what slides follows its load and is no constraint (`sliding_friction`).
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from locomote.brief import brief
from locomote.constraints.kinds import Constraint, LoopClosure, Rolling
from locomote.contact import spots as at
from locomote.contact.bodies import said_touches
from locomote.contact.instant import SLIDE, STICK
from locomote.contact.touch import Touch
from locomote.dynamics.kinematics import forward_kinematics
from locomote.geometry.shape import LOWEST, Spot
from locomote.geometry.shapes.plane import Plane
from locomote.geometry.table import SHAPES, spots_of, surface_normals
from locomote.locomotion.contact_forces import States, spot_states
from locomote.locomotion.touching import touching
from locomote.model.flexible.along import Along

if TYPE_CHECKING:
    from locomote.locomotion.problem import Locomotion

NEARBY, FLAT = 1e-6, 1e-9  # m, how far a ground is looked at; change of its normal, that is rounding


@brief
@dataclass(frozen=True)
class Held:
    """A problem with contacts as constraints, and the numbers of the spots that rub, each with its normal row."""

    problem: "Locomotion"
    rubbing: tuple[tuple[int, int], ...]


def with_contacts(problem: "Locomotion", contacts: States, q, *, t: float = 0.0) -> "Locomotion":
    """The problem in which contacts hold as they touch at q, by constraints, and all other lo.Touch are gone.

    contacts : name of a lo.Touch, or of one of its points -> "stick", "slide" (without friction) or "open"; what is not named
        is open. Rows of its constraints bear the names of the contacts.
    """
    held = held_by(problem, t, problem.model.checked_q(q), spot_states(problem, contacts))
    if held.rubbing:
        name = problem.contact_names[held.rubbing[0][0]]
        raise ValueError(
            f"contact {name!r} of {problem.name!r} slides with friction, which follows its load and is no constraint: "
            f"derivatives and linearize know it; a ground with friction=0.0 is known to all"
        )
    return held.problem


def states_at(problem: "Locomotion", t: float, q: np.ndarray, v: np.ndarray, contacts: States | None) -> dict[int, str]:
    """Number of a spot -> "stick" or "slide", as said, or by the law in this state."""
    if contacts is not None:
        return spot_states(problem, contacts)
    states = spot_states(problem, problem.evaluate(t, q, v).contact_states)
    for k in states:
        if problem.plan.spot_laws[k, at.STIFFNESS] > 0.0:
            raise ValueError(
                f"contact {problem.contact_names[k]!r} of {problem.name!r} is on ground that gives way, whose force follows "
                f"its depth: say contacts={{name: state}} for what holds it, or take lo.SoftGround"
            )
    return states


def held_by(problem: "Locomotion", t: float, q: np.ndarray, states: dict[int, str]) -> Held:
    """The problem with spots held as they touch at q; states : number of a spot -> "stick" or "slide"."""
    said, plan = problem.statement, problem.plan
    near = touching(problem, t, q, np.zeros(problem.model.nv), np.array(list(states), dtype=int))
    first = np.searchsorted(plan.spots[:, at.TOUCH], np.arange(len(problem.contacts)))
    poses, along, rows, made, rubbing = forward_kinematics(problem.model, q), sections_of(problem), 0, [], []
    count = len(problem.constraint_labels)
    for c, k in enumerate(near.spots):
        touch = problem.contacts[plan.spots[k, at.TOUCH]]
        spot = spots_of(touch.said_shape, touch.ground.surface)[k - first[plan.spots[k, at.TOUCH]]]
        if spot.rim == LOWEST:  # the corner that is in the slot now
            own = poses[problem.model.body_index(str(touch.body))] @ touch.frame()
            spot = Spot((np.linalg.inv(own) @ [*near.points[c], 1.0])[:3])
        other = touch.ground.body
        ground = np.eye(4) if other is None else poses[problem.model.body_index(other)]
        foot = np.eye(4)
        foot[:3, :3], foot[:3, 3] = near.axes[c].T, near.points[c] - near.gaps[c] * near.axes[c, 2]
        try:
            one = constraint_of(touch, spot, states[int(k)], np.linalg.inv(ground) @ foot)
        except ValueError as error:
            raise ValueError(
                f"contact {problem.contact_names[k]!r} of {problem.name!r} cannot {states[int(k)]} here by constraints: {error}"
            ) from None
        body, below = along.get(str(touch.body), touch.body), along.get(str(other), other)
        made.append(replace(one, body=body, other=below, name=problem.contact_names[k]))
        rows += len(one.labels)
        if states[int(k)] == SLIDE and plan.spot_laws[k, at.FRICTION] > 0.0:
            rubbing.append((int(k), count + rows - 1))
    constraints = (*said.constraints, *made)
    return Held(problem.replaced(contacts=(), constraints=constraints), tuple(rubbing))


def sections_of(problem) -> dict[str, Along]:
    """Sections of rods that touch or carry a ground, by the names of the bodies on them."""
    bodies = [x for touch in said_touches(problem.statement.contacts) for x in (touch.body, touch.ground.body)]
    bodies += [Along(stretch.rod, x) for stretch in problem.stretches for x in stretch.sections]
    return {str(x): x for x in bodies if isinstance(x, Along)}


def constraint_of(touch: Touch, spot: Spot, state: str, foot: np.ndarray) -> Constraint:
    """The constraint of one spot; foot : (4, 4) pose in the body of the ground, its origin where it touches, z the normal."""
    frame, surface = touch.frame(), touch.ground.surface
    if spot.turned or spot.rim < 0.0:
        raise ValueError("an edge that touches has another point of contact at every instant, whose path is not known")
    place = (frame @ [*spot.place, 1.0])[:3]
    flat = is_flat(surface, foot)
    ground = Plane(tuple(foot[:3, 3]), tuple(foot[:3, 2])) if flat else surface
    if spot.rim > 0.0 or spot.radius > 0.0:
        if spot.angle != 0.0:
            raise ValueError("a disc that lies flat touches all around")
        if spot.rim > 0.0 and not flat:
            raise ValueError(f"where the rim of a disc touches a {type(surface).__name__} is known to first order only")
        if not SHAPES[type(ground)].smooth:
            raise ValueError(f"what rolls over an edge of a {type(surface).__name__} turns about it")
        directions = "fln" if state == STICK else "n"
        wheel = {"radius": spot.rim, "tube": spot.radius, "axle": tuple(frame[:3, 2]), "center": tuple(place)}
        return Rolling(str(touch.body), **wheel, surface=ground, directions=directions)
    if state == SLIDE and not flat:
        raise ValueError(
            f"a point that slides on a {type(surface).__name__}, which bends, is not known; a ball of some radius is"
        )
    return LoopClosure(str(touch.body), locked="xyz" if state == STICK else "z", frame=tuple(place), other_frame=foot)


def is_flat(surface, foot: np.ndarray) -> bool:
    """Whether the ground does not bend about a place."""
    if isinstance(surface, Plane):
        return True
    around = [foot[:3, 3] + NEARBY * (x * foot[:3, 0] + y * foot[:3, 1]) for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))]
    return all(abs(surface_normals(surface, place[None])[0] - foot[:3, 2]).max() < FLAT for place in around)
