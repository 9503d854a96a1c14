"""Springs, dampers and dry friction of joints, of a model and those added to a problem: one table for all uses.

    f = -stiffness (q - rest) - damping v - friction v / sqrt(v^2 + soft^2)                                              (1)

`soft` is the speed at which friction has most of its value. Compiled code of runs and of controllers has (1) over the same
table.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from locomote.locomotion.inputs import checked_spring, slots_of
from locomote.model.model import Model

STIFFNESS, REST, DAMPING, FRICTION = range(4)  # rows of the table
FRICTION_SPEED = 1e-3  # rad/s or m/s, unless a problem says otherwise


def places_in_q(model: Model) -> np.ndarray:
    """(nv,) place in q of every coordinate of v that is a plain number, -1 for those on a group."""
    result = np.full(model.nv, -1, dtype=np.int64)
    result[model.coordinates.plain_v] = model.coordinates.plain_q
    return result


def joint_springs(model: Model, springs: Mapping[Any, Sequence[float]]) -> np.ndarray:
    """(4, nv) stiffness, rest, damping and friction: of the model, and of springs: joint name -> (stiffness, rest, damping)."""
    passive = np.array([model.stiffness, model.rest, model.damping, model.friction])
    for key, given in springs.items():
        given = checked_spring(key, given)
        for k in slots_of(model, key):
            total = passive[STIFFNESS, k] + given[0]
            if total != 0:  # two springs in parallel are one about the weighted rest
                passive[REST, k] = (passive[0, k] * passive[1, k] + given[0] * given[1]) / total
            passive[STIFFNESS, k] = total
            passive[DAMPING, k] += given[2]
    curved = np.flatnonzero((places_in_q(model) < 0) & (passive[STIFFNESS] != 0))
    if curved.size:
        slot = next(s for s in model.layout().slots if s.vector == "v" and s.index == curved[0])
        raise ValueError(f"the spring of joint {slot.joint!r} acts on a group; use an environment function or an euler joint")
    return passive


def passive_forces(model: Model, passive: np.ndarray, q, v, soft: float = FRICTION_SPEED) -> np.ndarray:
    """(nv,) the forces (1) of such a table in a state."""
    q, v, places = np.asarray(q, float), np.asarray(v, float), places_in_q(model)
    away = np.where(places >= 0, q[places] - passive[REST], 0.0)
    return -passive[STIFFNESS] * away - passive[DAMPING] * v - passive[FRICTION] * v / np.sqrt(v * v + soft * soft)
