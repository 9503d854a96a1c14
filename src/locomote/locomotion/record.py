"""A problem as numbers and words that JSON can hold, so that a run file can repeat the run."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np

from locomote.actuation.actuators import KNOTS, Actuator, StrainLaw
from locomote.forces.samples import tabulated
from locomote.formats.record import description_from_record, description_to_record
from locomote.locomotion.parts_record import back, plain
from locomote.locomotion.problem import Locomotion
from locomote.locomotion.statement import Statement
from locomote.model.model import Model

# arguments of a problem that are stored as they were said
SAID = (
    "limits", "rank_tolerance", "friction_speed", "inertia", "tolerances", "name", "drives", "springs", "start", "torques",
    "constraints",
)  # fmt: skip


def record_of(said: Statement) -> dict[str, Any]:
    """The record of what was said of a problem; a ValueError names what cannot be stored, such as a function."""
    if said.origin:
        return dict(said.origin)
    if callable(said.torques):
        raise ValueError("the torques cannot be stored, since they are a Python function")
    stored = {name: getattr(said, name) for name in SAID} | {
        "environment": tuple(tabulated(e, said.model) for e in said.environment),
        "contacts": said.contacts,
        "actuators": tuple(map(with_table, said.actuators)),
    }
    return {"model": description_to_record(said.model.description)} | {
        name: plain(value, name) for name, value in stored.items()
    }


def problem_from_record(record: Mapping[str, Any]) -> Locomotion:
    """The problem of a record that `record_of` made."""
    said = {name: back(value) for name, value in record.items() if name != "model"}
    return Locomotion(Model(description_from_record(record["model"])), **said)


def with_table(actuator: Actuator) -> Actuator:
    """A law of strain with the stresses at its knots instead of its function; others as they are."""
    if not isinstance(actuator, StrainLaw) or not callable(actuator.stress):
        return actuator
    (first, last), law = actuator.reach, cast(Callable[[float], float], actuator.stress)
    knots = np.linspace(float(first), float(last), KNOTS + 1)
    return replace(actuator, stress=tuple((float(x), float(law(float(x)))) for x in knots))
