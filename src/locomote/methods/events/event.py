"""What happened in a run, and when."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from locomote.brief import brief


@brief
@dataclass(frozen=True)
class Event:
    """Something that happened at a time t (s): its kind in a word, a description in a sentence, and its numbers.

    data["contact_impulses"] of an impact has those of each contact by its name, N s along its rows.
    """

    t: float
    kind: str
    description: str
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What it happened to, or what it is called: a contact, a constraint, an event of the user; empty if nothing is."""
        return str(self.data.get("name", self.data.get("constraint", "")))

    @property
    def q(self) -> np.ndarray | None:
        """(nq,) the configuration in which it happened, if it is known."""
        return np.array(self.data["q"]) if "q" in self.data else None

    @property
    def v(self) -> np.ndarray | None:
        """(nv,) the velocity with which it happened: at an impact the one before it."""
        return np.array(self.data["v"]) if "v" in self.data else None

    def __str__(self) -> str:
        return f"t = {self.t:.6g} s: {self.description or self.kind}"
