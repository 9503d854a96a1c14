"""One line of an audit, and what its lines measure against."""

from dataclasses import dataclass

import numpy as np

from locomote.denoc.inertia import coordinate_inertias
from locomote.denoc.links import at
from locomote.dynamics import flexible
from locomote.dynamics.momentum import kinetic_energy
from locomote.model.model import Model

MANY = 40  # coordinates, whose energies one by one take longer than a recursion in Python


@dataclass(frozen=True)
class Check:
    """One line of the audit: how far a quantity is off, at most, what is allowed, and a note in words."""

    name: str
    value: float
    allowed: float
    note: str = ""

    @property
    def passed(self) -> bool:
        """Whether the value is allowed."""
        return bool(self.value <= self.allowed)

    def __str__(self):
        note = f"  ({self.note})" if self.note else ""
        return f"{self.name:<28} {self.value:9.2e}  allowed {self.allowed:.0e}  {'ok' if self.passed else 'TOO LARGE'}{note}"


def largest(values: np.ndarray) -> float:
    """The largest magnitude; NaN if there is one."""
    return float(np.max(abs(values), initial=0.0))


def inertia_of_each(model: Model, q: np.ndarray) -> np.ndarray:
    """(nv,) what each coordinate moves when it moves alone: the diagonal of the mass matrix, without the matrix."""
    if model.coupling is None and model._soft is None:
        if model.nv > MANY:
            return coordinate_inertias(at(model, q))
    elif model.coupling is None:
        return np.diagonal(flexible.mass_matrix(model, q)[0]).copy()
    return 2 * kinetic_energy(model, np.tile(q, (model.nv, 1)), np.eye(model.nv))
