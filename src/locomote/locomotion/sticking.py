"""Points that touch planes with friction as unilateral contacts that stick, for motions in which they do not slide.

Such a contact opens and closes by events, and all that follows a motion exactly knows it: limit cycles, their derivatives.
Whether friction suffices is looked at afterwards: |reaction along the ground| <= mu times that along the normal at all samples,
and the same of impulses.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from locomote.constraints.kinds import PointContact
from locomote.contact import spots as at
from locomote.contact.bodies import said_touches
from locomote.geometry.shapes.plane import Plane
from locomote.geometry.table import pack_surface, spots_of
from locomote.locomotion.contact_states import sections_of

if TYPE_CHECKING:
    from locomote.locomotion.problem import Locomotion

OUTSIDE = 1e-6  # of the normal force, beyond the cone, that is rounding


def as_unilateral(problem: "Locomotion") -> "Locomotion | None":
    """The problem with unilateral contacts instead of its lo.Touch, which bear the names of these; None if one of them is no
    point on a hard plane, or has moments."""
    made, along = [], sections_of(problem)
    if len(said_touches(problem.contacts)) < len(problem.contacts):
        return None
    names = iter(problem.contact_names)
    for touch in problem.contacts:
        ground = touch.ground
        plain = isinstance(ground.surface, Plane) and ground.stiffness is None and not (ground.rolling or ground.torsion)
        for spot in spots_of(touch.said_shape, ground.surface):
            if not plain or spot.radius or spot.rim or spot.turned:
                return None
            place = (touch.frame() @ [*spot.place, 1.0])[:3]
            frame: Any = pack_surface(ground.surface).frame
            body: Any
            other: Any
            frame: Any = pack_surface(ground.surface).frame
            body, other = along.get(str(touch.body), touch.body), along.get(str(ground.body), ground.body)
            made.append(
                PointContact(
                    body, tuple(place), frame, "xyz" if ground.friction > 0.0 else "z", other,
                    True, ground.restitution, name=next(names),
                )
            )  # fmt: skip
    return problem.replaced(contacts=(), constraints=(*problem.statement.constraints, *made))


def slides(problem: "Locomotion", run) -> tuple[str, float] | None:
    """The first contact of a run of the problem with unilateral contacts whose friction does not suffice, and when."""
    titles = [label[0] for label in run.problem.constraint_labels]
    worst = []
    for name, mu in zip(problem.contact_names, problem.plan.spot_laws[:, at.FRICTION], strict=True):
        if mu > 0.0:
            rows = [r for r, title in enumerate(titles) if title == name]
            loads = [(t, lam[rows]) for t, lam in zip(run.t, run.reactions, strict=True)]
            loads += [(e.t, np.array(e.data["impulses"])[rows]) for e in run.events if "impulses" in e.data]
            worst += [(t, name) for t, x in loads if np.hypot(x[0], x[1]) > (mu + OUTSIDE) * x[2] + 1e-9 * abs(x).max()]
    return (min(worst)[1], min(worst)[0]) if worst else None
