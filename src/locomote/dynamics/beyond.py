"""The wrench of all that is beyond a section of a rod, from wrenches at its stations.

The recursion has the slices of a rod at Gauss points X_j, with the lengths w_j that they stand for. Summed as they are, they
would make steps of what is smooth: over a slice the force would be off by its whole weight. As densities f_j / w_j they are a
polynomial on each smooth piece of the rod, whose integral is of the order of the rule everywhere:

    W(X) = sum_j S_j(X) f_j / w_j + what is concentrated from X on ,   S_j(X) = integral of l_j from X on                (1)
    l_j = sum_m (2m + 1)/2 (w_j / h) P_m(z_j) P_m ,   h half the length of the piece                                    (2)

l_j being one at X_j and zero at the other nodes of the piece. At the root S_j is w_j: the sum is that of the recursion.
Wrenches are in axes of the world, about its origin, where they can be added.
"""

import numpy as np
from numpy.polynomial import legendre

from locomote.dynamics.flexible import MOTION
from locomote.dynamics.flexible_regressor import unit_wrenches
from locomote.kernels.kinematics import LOCAL
from locomote.model.flexible.along import Along
from locomote.model.flexible.rod_packing import NEAR, PackedRod, shapes_of
from locomote.model.flexible.rods import Rod
from locomote.model.model import Model, twelve


def shares(rod: Rod, packed: PackedRod) -> np.ndarray:
    """(stations, stations) S_j(X) / w_j of (1) at each X, for each station j; zero where j is no mass node."""
    places, weights, edges = packed.places, packed.weights, [0.0, *shapes_of(rod)[1], float(rod.length)]
    result = np.zeros((len(places), len(places)))
    for start, end in zip(edges[:-1], edges[1:], strict=True):
        own = np.flatnonzero((weights > 0.0) & (places > start) & (places < end))
        half, count = 0.5 * (end - start), len(own)
        z = (places[own] - start) / half - 1.0
        x = np.clip((places - start) / half - 1.0, -1.0, 1.0)
        P, Q = legendre.legvander(z, count - 1), legendre.legvander(x, count)
        beyond = np.column_stack([1.0 - x, (Q[:, : count - 1] - Q[:, 2:]) / (2 * np.arange(1, count) + 1)])
        result[:, own] = 0.5 * (beyond * (2 * np.arange(count) + 1)) @ P.T  # (2), over w_j
    return result


def summed_beyond(model: Model, body: str, packed: PackedRod, poses: np.ndarray, carried: np.ndarray, states) -> np.ndarray:
    """(..., n, 6) wrenches that sections pass on, in their axes, from the sums of the recursion (..., n, 6) in their axes.

    poses : (..., n, 4, 4) of the stations in the world ; states : q, v, a
    """
    rod = model.body(body).body.flex
    assert isinstance(rod, Rod)
    jumps = in_world(poses, carried)
    jumps[..., :-1, :] -= jumps[..., 1:, :]
    spread = np.where((packed.weights > 0.0)[:, None], jumps, 0.0)
    if shared := hung_on_nodes(model, body, packed):
        spread[..., shared, :] = in_world(poses, slices(model, body, packed, states))[..., shared, :]
    alone = jumps - spread
    later = np.cumsum(alone[..., ::-1, :], axis=-2)[..., ::-1, :]
    return in_section(poses, later + np.einsum("xj,...jc->...xc", shares(rod, packed), spread))


def hung_on_nodes(model: Model, body: str, packed: PackedRod) -> list[int]:
    """Mass nodes on which a body of the user hangs, whose wrench is concentrated. Bodies that a problem hangs on sections for
    forces along the rod stand for slices, as the nodes do."""
    found, reach = [], NEAR * float(packed.places[-1])
    for child in model.description.bodies:
        if child.parent == body and child.along is not None and child.name != str(Along(body, float(child.along))):
            k = packed.station(float(child.along))
            if packed.weights[k] > 0.0 and abs(packed.places[k] - float(child.along)) <= reach:
                found.append(k)
    return found


def slices(model: Model, body: str, packed: PackedRod, states) -> np.ndarray:
    """(..., n, 6) what the motion of each slice by itself takes, in its axes."""
    flexible, soft = model.flexible, model._soft
    assert flexible is not None and soft is not None
    first = int(soft.rods[list(flexible.order).index(body)][0]) + 1
    still = np.broadcast_to(twelve(np.eye(4)), (len(packed.places), 12))
    frames = np.arange(first, first + len(packed.places)), np.ascontiguousarray(still)
    poses, twists, rates = MOTION(model, states, fixed=(*frames, LOCAL))
    F = unit_wrenches(poses, twists, rates, model.gravity)
    mass, about_z, about_y = packed.inertias[:, 0], packed.inertias[:, 7], packed.inertias[:, 9]
    parts = F[..., 0], F[..., 4] + F[..., 6], F[..., 4] + F[..., 9]
    return mass[:, None] * parts[0] + about_y[:, None] * parts[1] + about_z[:, None] * parts[2]


def in_world(poses: np.ndarray, wrenches: np.ndarray) -> np.ndarray:
    """Wrenches in axes of the world, about its origin."""
    force, moment = (np.einsum("...ij,...j->...i", poses[..., :3, :3], part) for part in np.split(wrenches, 2, axis=-1))
    return np.concatenate([force, moment + np.cross(poses[..., :3, 3], force)], axis=-1)


def in_section(poses: np.ndarray, wrenches: np.ndarray) -> np.ndarray:
    """The same back."""
    force, moment = np.split(wrenches, 2, axis=-1)
    moment = moment - np.cross(poses[..., :3, 3], force)
    return np.concatenate([np.einsum("...ji,...j->...i", poses[..., :3, :3], part) for part in (force, moment)], axis=-1)
