"""What was said of a problem, on the bodies and coordinates of the model that is computed: mimic joints taken apart, bodies on
the sections of rods that something holds or touches, water that moves along as inertia, signals by coordinates of v."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.constraints.kinds import Coupled
from locomote.contact.along import Stretch
from locomote.contact.touch import Touch
from locomote.drives.drive import Drive, as_drive
from locomote.drives.strains import are_strains, refuse_free_points, several, strain_drives
from locomote.evaluation import plan as fields
from locomote.forces.added_inertia import with_added
from locomote.forces.along import with_sections
from locomote.forces.massless import weights_of, without_inertia
from locomote.forces.terms import Term, terms_of
from locomote.locomotion.inputs import is_samples, slots_of
from locomote.locomotion.sections import constraints_on, contacts_on
from locomote.locomotion.springs import places_in_q
from locomote.locomotion.statement import Statement
from locomote.model.model import Model


@brief
@dataclass(frozen=True, eq=False)
class Parts:
    """A problem ready for packing.

    model : the model that is computed ; constraints, contacts : on its bodies ; stretches : contacts along rods, as said
    terms : forces of the surroundings, with weight where there is no inertia
    drives, torques : coordinate of v -> drive; no torques where a function or controllers give them
    imposed : (nv,) whether the motion of a coordinate is
    q_of_v : (nv,) place in q of every coordinate of v that is a plain number, -1 for those on a group
    """

    said: Statement
    model: Model
    constraints: tuple[Any, ...]
    contacts: tuple[Touch, ...]
    stretches: tuple[Stretch, ...]
    terms: tuple[Term, ...]
    drives: Mapping[int, Drive]
    torques: Mapping[int, Drive]
    imposed: np.ndarray
    q_of_v: np.ndarray


def parts_of(said: Statement) -> Parts:
    """The parts of a problem; an error says what of it cannot be."""
    weight = () if said.inertia else weights_of(said.model)
    hung = with_sections(said.model.unfolded, (*weight, *said.environment))
    hung, ready = constraints_on(hung, said.constraints, said.drives)
    hung, contacts, stretches = contacts_on(hung, said.contacts, said.drives)
    model = with_added(hung, said.environment) if said.inertia else without_inertia(hung)
    terms = terms_of(model, (*weight, *said.environment), fields.SOURCES)
    q_of_v, imposed = places_in_q(model), np.zeros(model.nv, dtype=bool)
    drives = by_coordinates(model, q_of_v, said.drives, "drives")
    imposed[list(drives)] = True
    refuse_free_points(model, imposed)
    torques = by_coordinates(model, q_of_v, said.torques, "torques") if isinstance(said.torques, dict) else {}
    if clash := [k for k in torques if k in drives]:
        slot = next(s for s in model.layout().slots if s.vector == "v" and s.index == clash[0])
        raise ValueError(f"joint {slot.joint!r} has both a drive and a torque; what it is driven by is then not defined")
    constraints = (*couplings_as_constraints(said.model), *ready)
    return Parts(said, model, constraints, contacts, stretches, terms, drives, torques, imposed, q_of_v)


def couplings_as_constraints(model: Model) -> tuple[Coupled, ...]:
    """Mimic joints of a model as constraints of the model without them."""
    return tuple(
        Coupled({c.joint: 1.0, **{name: -ratio for name, ratio in c.ratios}}, c.offset, name=f"coupling_{c.joint}")
        for c in model.description.couplings
    )


def by_coordinates(model: Model, q_of_v: np.ndarray, table: Mapping[Any, Any], label: str) -> dict[int, Drive]:
    """Drives by coordinates of v, of a table by joints; label : what they are, in errors."""
    result: dict[int, Drive] = {}
    for key, given in table.items():
        own = strain_drives(model, key, several(given)).items() if are_strains(given) else None
        for k, drive in one_each(model, q_of_v, key, given, label) if own is None else own:
            if k in result:
                raise ValueError(f"{label}[{key!r}]: that coordinate is there already; name each once")
            result[k] = drive
    return result


def one_each(model: Model, q_of_v: np.ndarray, key: Any, given: Any, label: str) -> Iterator[tuple[int, Drive]]:
    """The coordinates of a joint, each with its drive."""
    slots = slots_of(model, key)
    many = list(given) if isinstance(given, (list, tuple)) and not is_samples(given) else [given]
    if len(many) != len(slots):
        raise ValueError(
            f"{label}[{key!r}] gives {len(many)} signal(s), joint {key!r} has {len(slots)} coordinates: give one each, "
            f"or name one as ({key!r}, 0)"
        )
    for slot in slots:
        if label == "drives" and q_of_v[slot] < 0:
            raise ValueError(
                f"drives[{key!r}]: coordinates of a {model.joint(key if isinstance(key, str) else key[0]).kind} joint "
                f"move on a group and cannot be imposed one by one; use an euler, xyz or several revolute joints"
            )
    return zip(slots, (as_drive(x) for x in many), strict=True)
