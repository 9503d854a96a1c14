"""Configurations of numbers of any kind: where a velocity leads, what leads from one to another.

The routines of `model.moves` are run as they are, on arrays of objects.
"""

import numpy as np

from locomote.model import moves
from locomote.model.coordinates import Coordinates
from locomote.model.joints import AXES_OF_V, joint_rate
from locomote.model.model import Model
from locomote.spatial.groups import blocks_transposed_times, se3_tangent_inverse
from locomote.symbolic.plain import boxed, objects


def integrate(manifold: Coordinates, q: np.ndarray, dv: np.ndarray) -> np.ndarray:
    """Where dv leads from q in unit time."""
    result = objects(manifold.nq)
    moves.integrated(manifold.topology, q, dv, result)
    return result


def difference(manifold: Coordinates, q0: np.ndarray, q1: np.ndarray) -> np.ndarray:
    """The velocity that leads from q0 to q1 in unit time."""
    result = objects(manifold.nv)
    moves.differed(manifold.topology, q0, q1, result)
    return result


def rate_of(manifold: Coordinates, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(nq,) how fast q changes: R V and q (Omega, 0) / 2 where it is a pose, v where it is a number."""
    rate = objects(manifold.nq)
    for i in range(len(manifold.topology) - 1):
        joint_rate(manifold.topology, i, q, v, rate)
    return rate


def pulled_back(model: Model, away: np.ndarray, force: np.ndarray) -> np.ndarray:
    """The force on v of what acts as `force` on the components of a difference `away`; see Coordinates.pulled_back."""
    manifold, coupling = model.coordinates, model.coupling
    own = range(manifold.nv) if coupling is None else [int(k) for k in coupling.own_v]
    place = {k: n for n, k in enumerate(own)}
    force = force.copy()
    for kind, _, k in manifold.groups:
        twist, wrench = [0.0] * 6, [0.0] * 6
        for j, axis in enumerate(AXES_OF_V[kind]):
            twist[axis], wrench[axis] = away[place[k + j]], force[place[k + j]]
        moved = blocks_transposed_times(se3_tangent_inverse(tuple(twist)), tuple(wrench))
        for j, axis in enumerate(AXES_OF_V[kind]):
            force[place[k + j]] = moved[axis]
    return force


def departure(model: Model, q: np.ndarray) -> np.ndarray:
    """(nv,) the own velocity that leads from the neutral place to q in unit time."""
    c = model.coupling
    if c is None:
        return difference(model.coordinates, boxed(model.neutral().tolist()), q)
    full, neutral = objects(len(c.offset)), boxed(model.coordinates.neutral().tolist())
    full[:] = 0.0
    for k, place in enumerate(c.own_q):
        full[place] = q[k]
    return difference(model.coordinates, neutral, full)[c.own_v]
