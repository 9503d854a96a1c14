"""A modal body with what hangs on it as numbers for kernels: as few point masses as have the same inertia in all its motions.

All that the motion of a modal body asks of its mass are the integrals of products of 1, x, y, z and the components of its
shapes, a Gram matrix G = C^T C with as many rows in C as its rank r. Turned so that the first column of C is the same
everywhere, each row is a point of mass m / r with a place and shapes of its own: r <= 4 + 3 n points stand for all nodes.
Shapes of second order are projected on these functions, which keeps their integrals with all of them.
"""

import numpy as np

from locomote.model.flexible.modes import Modes, weighted
from locomote.model.flexible.rod_packing import PackedRod

RANK = 1e-13  # share of the largest eigenvalue of the scaled Gram matrix: less is rounding


def point_masses(modes: Modes) -> tuple[float, np.ndarray, np.ndarray, np.ndarray | None]:
    """Mass of each, places (r, 3), shapes (r, n, 3) and second (r, n, n, 3) or None of points that stand for the body."""
    points, shapes, n = np.asarray(modes.points), np.asarray(modes.shapes), modes.count
    fields = np.concatenate([np.ones((len(points), 1)), points, shapes.transpose(1, 0, 2).reshape(len(points), -1)], axis=1)
    loaded = weighted(modes.masses, fields)
    gram = fields.T @ loaded
    size = np.sqrt(np.maximum(np.diag(gram), 0.0))
    size[size <= 1e-14 * size.max()] = 1.0
    values, vectors = np.linalg.eigh(gram / size[:, None] / size[None, :])
    kept = values > RANK * values[-1]
    rows = np.sqrt(values[kept])[:, None] * vectors[:, kept].T * size[None, :]
    count, whole = len(rows), float(gram[0, 0])
    target = np.full(count, np.sqrt(whole / count))
    axis = rows[:, 0] - target
    if np.linalg.norm(axis) > 1e-12 * np.sqrt(whole):
        axis = axis / np.linalg.norm(axis)
        rows = rows - 2.0 * np.outer(axis, axis @ rows)
    own = rows / np.sqrt(whole / count)
    second = None
    if modes.second is not None:
        flat = np.asarray(modes.second).transpose(2, 0, 1, 3).reshape(len(points), -1)
        inverse = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T / size[:, None] / size[None, :]
        second = (own @ (inverse @ (loaded.T @ flat))).reshape(count, n, n, 3)
    return whole / count, own[:, 1:4], own[:, 4:].reshape(count, n, 3), second


def pack_modes(modes: Modes, name: str, attached: list[float]) -> PackedRod:
    """Numbers of the modal body `name`, with stations at the nodes of the given numbers besides its point masses."""
    n, nodes = modes.count, sorted({int(x) for x in attached})
    mass, places, shapes, second = point_masses(modes)
    points, count = len(places), max(len(places) + len(nodes), n)
    width = 3 + 6 * n + (0 if second is None else 3 * n * n)
    blocks = np.zeros((count, width))
    blocks[:points, :3], blocks[:points, 3 : 3 + 3 * n] = places, shapes.reshape(points, -1)
    if second is not None:
        blocks[:points, 3 + 6 * n :] = second.reshape(points, -1)
    for k, node in enumerate(nodes, start=count - len(nodes)):
        blocks[k, :3], blocks[k, 3 : 3 + 3 * n] = np.asarray(modes.points)[node], np.asarray(modes.shapes)[:, node].ravel()
        blocks[k, 3 + 3 * n : 3 + 6 * n] = modes.rotation_at(node).ravel()
        if second is not None:
            blocks[k, 3 + 6 * n :] = np.asarray(modes.second)[:, :, node].ravel()
    inertias = np.zeros((count, 10))
    inertias[:points, 0] = mass
    stations = np.full(count, -1.0)
    stations[count - len(nodes) :] = nodes
    reach = np.abs(modes.shapes).max(axis=(1, 2))
    return PackedRod(
        stations, np.zeros(count), inertias, np.zeros((count, 2)), blocks, np.zeros((count, 2, 6)), np.zeros(n, np.int64),
        tuple(f"mode {k}" for k in range(1, n + 1)), modes.elastic, modes.viscous, 0.02 * modes.length / reach,
        1 if second is None else 2,
    )  # fmt: skip
