"""One smooth body instead of many links: fish, eels, worms that are chains of ellipsoids.

A chain is covered if each of its links carries one ellipsoid and the next link. Its center line passes the middles of links
by Catmull and Rom's cubic; sections have the half axes of the ellipsoids, and both ends are round.
"""

from functools import partial

import numpy as np

from locomote.dynamics.kinematics import forward_kinematics
from locomote.model.description import Body
from locomote.model.model import Model
from locomote.view.colors import BODIES, rgba
from locomote.view.scene import Tube
from locomote.view.smooth import between, unit

SHORTEST = 6  # links of a chain that gets a skin
BETWEEN = 3  # sections for each link
CAP = np.array([0.98, 0.85, 0.6, 0.3])  # places of the sections of an end, from the outermost, over how far it is rounded


def covered(bodies: list[Body]) -> list[list[int]]:
    """Chains of bodies, from the first to the last, that a skin covers."""
    children: dict[str | None, list[int]] = {}
    for k, body in enumerate(bodies):
        children.setdefault(body.parent, []).append(k)
    chains, taken = [], set()
    for k, body in enumerate(bodies):
        if k in taken or not is_link(body):
            continue
        chain = [k]
        while len(after := children.get(bodies[chain[-1]].name, [])) == 1 and is_link(bodies[after[0]]):
            chain.append(after[0])
        taken.update(chain)
        if len(chain) >= SHORTEST:
            chains.append(chain)
    return chains


def is_link(body: Body) -> bool:
    """Whether a body is drawn as one ellipsoid and has no colour of its own."""
    return len(body.visuals) == 1 and body.visuals[0].shape == "ellipsoid" and body.visuals[0].color is None


def skin_tubes(model: Model, bodies: list[Body]) -> tuple[tuple[Tube, ...], frozenset[int]]:
    """Skins of a model, and the bodies under them."""
    chains, tubes = covered(bodies), []
    for chain in chains:
        looks = [bodies[k].visuals[0] for k in chain]
        half = np.array([look.size for look in looks], dtype=float)
        places = np.array([look.placement for look in looks], dtype=float)
        radii = between(half[:, 1:], BETWEEN)
        caps = np.maximum(half[[0, -1], 0], half[[0, -1], 1:].min(axis=1))  # m, how far both ends are rounded
        share = np.sqrt(1 - CAP**2)[:, None]
        radii = np.concatenate([share * radii[0], radii, share[::-1] * radii[-1]])
        shape = partial(skin, model, chain, places, caps)
        tubes.append(Tube(bodies[chain[0]].name, shape, radii, rgba(BODIES[0])))
    return tuple(tubes), frozenset(k for chain in chains for k in chain)


def skin(model: Model, chain: list[int], places, caps, q: np.ndarray) -> tuple[np.ndarray, None]:
    """Poses (n, sections, 4, 4) along the skin at configurations q (n, nq), with both ends rounded over caps (2,), m."""
    links = forward_kinematics(model, q)[:, chain] @ places
    points, ends = links[..., :3, 3], links[..., :3, 0]
    line, up = between(points, BETWEEN, axis=1), between(links[..., :3, 2], BETWEEN, axis=1)
    along = np.gradient(line, axis=1)
    along[:, 0], along[:, -1] = ends[:, 0], ends[:, -1]
    x = unit(along)
    y = unit(np.cross(up, x))
    poses = np.tile(np.eye(4), (*x.shape[:2], 1, 1))
    poses[..., :3, 0], poses[..., :3, 1], poses[..., :3, 2], poses[..., :3, 3] = x, y, np.cross(x, y), line
    head, tail = np.repeat(poses[:, :1], len(CAP), axis=1), np.repeat(poses[:, -1:], len(CAP), axis=1)
    head[..., :3, 3] -= caps[0] * CAP[:, None] * head[..., :3, 0]
    tail[..., :3, 3] += caps[1] * CAP[::-1, None] * tail[..., :3, 0]
    return np.concatenate([head, poses, tail], axis=1), None
