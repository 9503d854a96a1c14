"""What was said of a problem, checked and kept as it was said: copies, run files and audits read it, packing begins with it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from locomote.actuation.actuators import Actuator
from locomote.actuation.controllers import AnyController, controllers_of
from locomote.brief import brief
from locomote.constraints.kinds import Constraint
from locomote.contact.bodies import BodyContacts
from locomote.contact.touch import Touch
from locomote.forces.terms import ForceTerm
from locomote.locomotion.inputs import (
    checked_list,
    checked_name,
    checked_pair,
    checked_positive,
    checked_table,
    checked_tolerances,
)
from locomote.model.model import Model, checked_model


@brief
@dataclass(frozen=True, eq=False, kw_only=True)
class Statement:
    """The arguments of `Locomotion`, which says what each is; `dataclasses.replace` says one of them otherwise.

    torques : a table, a function, or the controllers, which are in `controllers`, too
    """

    model: Model
    drives: Mapping[Any, Any]
    torques: Any
    springs: Mapping[Any, Any]
    constraints: Sequence[Constraint]
    environment: Sequence[ForceTerm | Callable]
    contacts: Sequence[Touch | BodyContacts]
    limits: bool
    actuators: Sequence[Actuator]
    rank_tolerance: float
    friction_speed: float
    inertia: bool
    tolerances: tuple[float, float] | None
    name: str
    origin: Mapping[str, Any] | None
    start: tuple[Any, Any] | None
    controllers: tuple[AnyController, ...] = field(init=False)

    def __post_init__(self) -> None:
        put = partial(object.__setattr__, self)
        checked_model(self.model)
        for name in ("environment", "constraints", "contacts", "actuators"):
            put(name, checked_list(name, getattr(self, name)))
        for name in ("drives", "springs"):
            put(name, checked_table(name, getattr(self, name)))
        put("start", None if self.start is None else checked_pair("start", self.start))
        put("name", checked_name("name of a problem", self.name) or self.model.name)
        put("controllers", controllers_of(self.torques))
        if self.controllers or not callable(self.torques):
            put("torques", self.controllers or checked_table("torques", self.torques))
        put("limits", bool(self.limits))
        put("inertia", bool(self.inertia))
        put("rank_tolerance", checked_positive("rank_tolerance", self.rank_tolerance, below=1.0))
        put("friction_speed", checked_positive("friction_speed", self.friction_speed))
        put("tolerances", checked_tolerances(self.tolerances))
