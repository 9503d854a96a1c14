"""One smooth body instead of many links: fish, eels, worms that are chains of ellipsoids.

A chain is covered if each of its links carries one ellipsoid and the next link. Its center line passes the middles of links
by Catmull and Rom's cubic; sections have the half axes of the ellipsoids, and both ends are rounded.
"""

from functools import partial

import numpy as np

from locomote.dynamics.kinematics import forward_kinematics
from locomote.model.description import Body
from locomote.model.model import Model
from locomote.view.colors import BODIES, rgba
from locomote.view.scene import Tube

SHORTEST = 6  # links of a chain that gets a skin
BETWEEN = 3  # sections for each link
BLUNT = (0.45, 0.75)  # radius of the two outermost sections over that of the first link


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
        radii = between(np.concatenate([half[:1, 1:], half[:, 1:], half[-1:, 1:]]), BETWEEN)
        radii[:2] = np.array(BLUNT)[:, None] * radii[2]
        radii[-1] = 0.9 * radii[-2]
        shape = partial(skin, model, chain, places, half[:, 0])
        tubes.append(Tube(bodies[chain[0]].name, shape, radii, rgba(BODIES[0])))
    return tuple(tubes), frozenset(k for chain in chains for k in chain)


def skin(model: Model, chain: list[int], places, reach, q: np.ndarray) -> tuple[np.ndarray, None]:
    """Poses (n, sections, 4, 4) along the skin at configurations q (n, nq)."""
    links = forward_kinematics(model, q)[:, chain] @ places
    points, ends = links[..., :3, 3], links[..., :3, 0]
    first, last = points[:, :1] - reach[0] * ends[:, :1], points[:, -1:] + reach[-1] * ends[:, -1:]
    line = between(np.concatenate([first, points, last], axis=1), BETWEEN, axis=1)
    up = between(np.concatenate([links[:, :1, :3, 2], links[..., :3, 2], links[:, -1:, :3, 2]], axis=1), BETWEEN, axis=1)
    x = unit(np.gradient(line, axis=1))
    y = unit(np.cross(up, x))
    poses = np.tile(np.eye(4), (*x.shape[:2], 1, 1))
    poses[..., :3, 0], poses[..., :3, 1], poses[..., :3, 2], poses[..., :3, 3] = x, y, np.cross(x, y), line
    return poses, None


def unit(vectors: np.ndarray) -> np.ndarray:
    """Vectors (..., 3) of length one."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)


def between(values: np.ndarray, count: int, axis: int = 0) -> np.ndarray:
    """Values along an axis with count - 1 others in between, by Catmull and Rom's cubic."""
    v = np.moveaxis(values, axis, 0)
    padded = np.concatenate([2 * v[:1] - v[1:2], v, 2 * v[-1:] - v[-2:-1]])
    a, b, c, d = padded[:-3], padded[1:-2], padded[2:-1], padded[3:]
    parts = []
    for t in np.arange(count) / count:
        cubic = 2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3
        parts.append(cubic / 2)
    inner = np.stack(parts, axis=1).reshape(-1, *v.shape[1:])
    return np.moveaxis(np.concatenate([inner, v[-1:]]), 0, axis)
