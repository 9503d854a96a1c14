"""What holds or touches sections of rods, made ready for a problem: bodies on the sections, keels as their rows, and touches
along rods as those of their sections."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from locomote.constraints.keel import LETTERS, Keel, KeelRows
from locomote.constraints.kinds import Constraint
from locomote.contact.along import Stretch, on_section, spread
from locomote.contact.bodies import BodyContacts
from locomote.contact.touch import Touch, named_once
from locomote.drives.strains import are_strains, several
from locomote.dynamics.kinematics import jacobian
from locomote.errors import UnknownName
from locomote.model.flexible.along import Along, rod_of, with_bodies_on
from locomote.model.flexible.rod_packing import shapes_of
from locomote.model.flexible.rods import STRAINS
from locomote.model.model import Model

PLACES = ("body", "other")  # fields of constraints that may be sections
STILL = 1e-9  # share of a Jacobian that is rounding


def constraints_on(model: Model, constraints: Sequence[Any], drives: Mapping[Any, Any]) -> tuple[Model, tuple[Any, ...]]:
    """The model with a body on every section that a constraint is on, and the constraints by the names of these."""
    ready, sections = [], []
    for constraint in constraints:
        if isinstance(constraint, Keel):
            constraint = keel_rows(model, constraint, drives)
        if isinstance(constraint, KeelRows):
            sections += constraint.bodies
        elif isinstance(constraint, Constraint):
            own = {name: getattr(constraint, name) for name in PLACES if isinstance(getattr(constraint, name, None), Along)}
            sections += own.values()
            constraint = replace(constraint, **{name: str(section) for name, section in own.items()})
        ready.append(constraint)
    return with_bodies_on(model, sections, "a constraint is"), tuple(ready)


def contacts_on(
    model: Model, contacts: Sequence[Any], drives: Mapping[Any, Any]
) -> tuple[Model, tuple[Touch, ...], tuple[Stretch, ...]]:
    """The model with a body on every section that may touch, or that carries a ground; the contacts by the names of these,
    those along rods section by section; and where along rods they are."""
    for touch in contacts:
        if not isinstance(touch, Touch | BodyContacts):
            raise TypeError(f"contacts holds {touch!r:.60}, expected lo.Touch, or lo.BodyContacts for bodies among each other")
    ready, sections, stretches = [], [], []
    for touch, title in zip(contacts, named_once(contacts), strict=True):
        if isinstance(touch, BodyContacts):
            ready.append(touch)
            continue
        try:
            pieces = [on_section(model, touch)]
            if touch.start is not None:
                stretch, pieces = spread(model, touch, title, imposed_of(model, touch.body, drives))
                stretches.append(stretch)
        except UnknownName:
            raise
        except ValueError as error:
            raise ValueError(f"contact {title!r}: {error}") from None
        for piece in pieces:
            name, ground = piece.title, piece.ground
            if isinstance(ground.body, Along):
                sections.append(ground.body)
                ground = replace(ground, body=str(ground.body))
            if isinstance(piece.body, Along):
                sections.append(piece.body)
                piece = replace(piece, body=str(piece.body), name=name)
            ready.append(piece if ground is piece.ground else replace(piece, ground=ground))
    return with_bodies_on(model, sections, "a contact is"), tuple(ready), tuple(stretches)


def keel_rows(model: Model, keel: Keel, drives: Mapping[Any, Any]) -> KeelRows:
    """The rows of a keel, by what of its rod is imposed and what its root can do."""
    try:
        return keel.on(model, imposed_of(model, keel.body, drives), motions_of(model, keel.body))
    except ValueError as error:
        raise ValueError(f"constraint {keel.title!r}: {error}") from None


def imposed_of(model: Model, body: str, drives: Mapping[Any, Any]) -> list[bool]:
    """Whether drives impose each kind of coordinate of a rod."""
    strains = [STRAINS[c] for c, _, _ in shapes_of(rod_of(model, body))[0]]
    given = drives.get(body)
    if given is not None:
        fields = {field.strain for field in several(given)} if are_strains(given) else set(strains)
        return [name in fields for name in strains]
    return [(body, k) in drives for k in range(len(strains))]


def motions_of(model: Model, body: str) -> str:
    """Letters of the motions of its own axes that the root of a rod can make by coordinates that are not the rod's."""
    q = model.random(0, 3)
    rows = np.abs(jacobian(model, q, body, frame="local")).max(axis=0)
    own = model.joint(body).v if body in model.joint_names else slice(0, 0)
    rows[:, own] = 0.0
    return "".join(letter for letter, row in zip(LETTERS, rows, strict=True) if row.max(initial=0.0) > STILL)
