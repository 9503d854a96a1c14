"""A force term at some states by plain Python: the law called as it is, on poses and velocities from the public functions."""

from typing import NamedTuple

import numpy as np

from locomote.dynamics.kinematics import forward_kinematics, velocity
from locomote.forces.kinds import ANGULAR, ENERGY, LINEAR, LOSS, ORIGIN, PLACE, RESULTS, ROTATION
from locomote.forces.terms import Place, Term
from locomote.model.model import Model


class Acting(NamedTuple):
    """What a term does at n states."""

    wrenches: np.ndarray  # (places, n, 6) in the frames of its places, or in world axes
    energy: np.ndarray  # (n,) J
    loss: np.ndarray  # (n,) W


def acting(model: Model, term: Term, t: np.ndarray, q: np.ndarray, v: np.ndarray, axes: str = "local") -> Acting:
    """A term at times t (n,), configurations q (n, nq) and velocities v (n, nv); axes : of wrenches, or "world"."""
    poses, count = forward_kinematics(model, q), len(term.places)
    places = np.zeros((len(q), count, PLACE))
    for k, (body, own) in enumerate(place.named for place in term.places):
        pose = np.broadcast_to(own, (len(q), 4, 4)) if body is None else poses[:, model.body_index(str(body))] @ own
        places[:, k, ROTATION : ROTATION + 9] = pose[:, :3, :3].reshape(-1, 9)
        places[:, k, ORIGIN : ORIGIN + 3] = pose[:, :3, 3]
        if body is not None:
            twist = np.array(
                [velocity(model, *state, str(body), point=own[:3, 3], frame="local") for state in zip(q, v, strict=True)]
            )
            places[:, k, LINEAR : LINEAR + 3] = twist[:, :3] @ own[:3, :3]
            places[:, k, ANGULAR : ANGULAR + 3] = twist[:, 3:] @ own[:3, :3]
    wrenches, results = np.zeros((len(q), count + term.scratch, 6)), np.zeros((len(q), 1, RESULTS))
    for n in range(len(q)):
        term.kind.rule(float(t[n]), places[n], 0, count, np.array(term.numbers), 0, wrenches[n], results[n], 0)
    wrenches = wrenches[:, :count]
    if axes == "world":
        R = places[..., ROTATION : ROTATION + 9].reshape(*places.shape[:2], 3, 3)
        wrenches = np.concatenate([np.einsum("nkij,nkj->nki", R, part) for part in np.split(wrenches, 2, axis=-1)], axis=-1)
    return Acting(wrenches.swapaxes(0, 1), results[:, 0, ENERGY], results[:, 0, LOSS])


def on_body(place: Place, wrenches: np.ndarray) -> np.ndarray:
    """(n, 6) wrenches in the frame of a place, in that of its body."""
    R, p = place.pose[:3, :3], place.pose[:3, 3]
    force = wrenches[:, :3] @ R.T
    return np.concatenate([force, wrenches[:, 3:] @ R.T + np.cross(p, force)], axis=1)
