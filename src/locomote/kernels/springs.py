"""Forces and energy of the springs, dampers and dry friction of joints. `springs` (4, nv) has their numbers."""

from typing import Annotated, NamedTuple

import numpy as np

from locomote.compiler.scratch_layout import NQ, NV
from locomote.compiler.source import routine
from locomote.model.columns import KIND
from locomote.model.joints import has_quaternion, quaternion_start
from locomote.model.moves import differed, pulled_back

STIFFNESS, REST, DAMPING, FRICTION = range(4)  # rows of `springs`


class Departure(NamedTuple):
    """Scratch of springs."""

    neutral: Annotated[np.ndarray, NQ, "the configuration that springs are measured from"]
    away: Annotated[np.ndarray, NV, "how far joints are from the rest of their springs"]


@routine
def departure(topology, springs, q, neutral, away):
    """Fill `away` with how far joints are from the rest of their springs; `neutral` is scratch for a configuration."""
    for k in range(neutral.shape[0]):
        neutral[k] = 0.0
    for i in range(topology.shape[0] - 1):
        if has_quaternion(topology[i, KIND]):
            neutral[quaternion_start(topology, i) + 3] = 1.0
    differed(topology, neutral, q, away)
    for k in range(away.shape[0]):
        away[k] = away[k] - springs[REST, k]


@routine
def passive_force(topology, constants, nq, springs, q, v, room, force):
    """Fill `force` with -k (q - rest) - d v - friction sign(v)."""
    away = room.away
    departure(topology, springs, q, room.neutral, away)
    for k in range(away.shape[0]):
        force[k] = -springs[STIFFNESS, k] * away[k]
    pulled_back(topology, away, force)
    for k in range(away.shape[0]):
        sign = (1.0 if v[k] > 0.0 else 0.0) - (1.0 if v[k] < 0.0 else 0.0)
        force[k] = force[k] - springs[DAMPING, k] * v[k] - springs[FRICTION, k] * sign


@routine
def spring_energy(topology, constants, nq, springs, q, room):
    """Half of k (q - rest)^2, summed."""
    away, total = room.away, 0.0
    departure(topology, springs, q, room.neutral, away)
    for k in range(away.shape[0]):
        total += 0.5 * springs[STIFFNESS, k] * away[k] * away[k]
    return total
