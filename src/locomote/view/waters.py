"""What is seen of water: specks that stand still in it, a surface far enough above, and where it flows by itself its vorticity
and velocity in the level plane of what swims.

Flows are laws of the point (`forces.flows.fields`); most take arrays of points, others are asked point by point.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.ndimage import zoom

from locomote.geometry.meshes import Mesh, grid
from locomote.view.colors import VORTICITY
from locomote.view.scene import Flowing, Stream

if TYPE_CHECKING:
    from locomote.forces.flows.fields import Flow

SPECKS, MOST = 60, 360  # in a box as large as what swims, and most of them
MARGIN = 0.6  # how far water is shown around the motion, over its size
CELLS = 56  # of the field of vorticity along its longer side
STEPS = 4  # cells between two arrows
STRONG = 0.45  # opacity of the largest vorticity
MOMENTS = 400  # at which a flow is computed for pictures, at most
FINER = 2  # faces of the plane along a cell


def flowing(stream: Stream, times: np.ndarray) -> Flowing:
    """The flow on its grid at times, thinned to MOMENTS."""
    t = times if len(times) <= MOMENTS else np.linspace(times[0], times[-1], MOMENTS)
    x, y = np.meshgrid(stream.x, stream.y)
    points = np.stack([x, y, np.full_like(x, stream.level)], axis=-1)
    found = [velocity_and_gradient(stream.flow, float(one), points) for one in t]
    turns = np.array([G[..., 1, 0] - G[..., 0, 1] for _, G in found])
    return Flowing(np.asarray(t), turns, np.array([U[..., :2] for U, _ in found]))


def velocity_and_gradient(flow: "Flow", t: float, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Velocity (..., 3) and its gradient (..., 3, 3) at points (..., 3)."""
    shape = points.shape[:-1]
    try:
        U, G, _ = flow.law(float(t), tuple(np.moveaxis(points, -1, 0)), np.array(flow.numbers), 0)
        U = np.stack([np.broadcast_to(np.asarray(u, dtype=float), shape) for u in U], axis=-1)
        G = np.stack([np.broadcast_to(np.asarray(g, dtype=float), shape) for g in G], axis=-1)
        return U, G.reshape(*shape, 3, 3)
    except (TypeError, ValueError, IndexError):  # a law that branches on values
        asked = [flow.at(t, x)[:2] for x in points.reshape(-1, 3)]
        U, G = (np.array([found[k] for found in asked]) for k in (0, 1))
        return U.reshape(*shape, 3), G.reshape(*shape, 3, 3)


def stream_of(environment: Sequence, low: np.ndarray, high: np.ndarray) -> Stream | None:
    """The flow of the first fluid that flows by itself, around a motion between the corners low and high (3,), m."""
    fluids = [getattr(part, "fluid", None) for part in environment]
    flow = next((fluid.flow for fluid in fluids if fluid is not None and fluid.flow is not None), None)
    if flow is None:
        return None
    far = MARGIN * max(float((high - low)[:2].max()), 1e-9)
    sides = (high - low)[:2] + 2 * far
    cell, middle = float(sides.max()) / CELLS, (low + high) / 2
    numbers = [max(3, round(float(side) / cell)) for side in sides]
    x, y = (middle[k] + cell * (np.arange(n) - (n - 1) / 2) for k, n in enumerate(numbers))
    return Stream(flow, x, y, float(middle[2]))


def specks_in(low: np.ndarray, high: np.ndarray, size: float, top: float | None, bottom: float | None) -> np.ndarray:
    """(k, 3) places of specks around a motion, the same ones each time, m; size : of what swims, m."""
    far = MARGIN * max(float((high - low).max()), size)
    low, high = low - far, high + far
    low[2] = low[2] if bottom is None else max(low[2], bottom)
    high[2] = high[2] if top is None else min(high[2], top)
    number = int(min(MOST, SPECKS * max(1.0, float(np.prod(np.maximum((high - low) / (3 * size), 0.3))) ** 0.5)))
    return low + np.random.default_rng(5).random((number, 3)) * (high - low)


def at_time(flow: Flowing, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Vorticity (rows, columns) and velocity (rows, columns, 2) at a time, between those that are known."""
    k = int(np.clip(np.searchsorted(flow.t, t) - 1, 0, max(len(flow.t) - 2, 0)))
    after = min(k + 1, len(flow.t) - 1)
    share = float(np.clip((t - flow.t[k]) / (flow.t[after] - flow.t[k]), 0.0, 1.0)) if after > k else 0.0
    mixed = [(1 - share) * part[k] + share * part[after] for part in (flow.vorticity, flow.velocity)]
    return mixed[0], mixed[1]


def stream_colors(vorticity: np.ndarray, largest: float) -> tuple[np.ndarray, np.ndarray]:
    """Colours (..., 3) and opacity (...) of vorticity: one colour for each way round, and nothing where there is none."""
    part = np.clip(vorticity / largest, -1.0, 1.0) if largest > 0 else np.zeros_like(vorticity)
    return VORTICITY[(part > 0).astype(int)], STRONG * abs(part) ** 0.7


def stream_mesh(stream: Stream, flow: Flowing, t: float, largest: float) -> tuple[Mesh, np.ndarray, np.ndarray]:
    """The plane of the flow, with a colour (faces, 3) and an opacity (faces,) for each face."""
    vorticity = at_time(flow, t)[0]
    fine = zoom(vorticity, FINER, order=1)
    rows, columns = fine.shape
    x, y = np.linspace(stream.x[0], stream.x[-1], columns), np.linspace(stream.y[0], stream.y[-1], rows)
    mesh = grid(x, y, np.full((columns, rows), stream.level))
    middles = mesh.vertices[mesh.faces].mean(axis=1)
    at = [np.clip(np.searchsorted(axis, middles[:, k]), 0, len(axis) - 1) for k, axis in enumerate((x, y))]
    colors, opacity = stream_colors(fine[at[1], at[0]], largest)
    return mesh, colors, opacity


def stream_arrows(stream: Stream, flow: Flowing, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Places (k, 3) and arrows (k, 3) of the velocity, m; the fastest of all times is nearly as long as their distance."""
    velocity = at_time(flow, t)[1][STEPS // 2 :: STEPS, STEPS // 2 :: STEPS]
    x, y = np.meshgrid(stream.x[STEPS // 2 :: STEPS], stream.y[STEPS // 2 :: STEPS])
    at = np.column_stack([x.ravel(), y.ravel(), np.full(x.size, stream.level)])
    fastest = float(np.linalg.norm(flow.velocity, axis=-1).max())
    long = 0.9 * STEPS * (stream.x[1] - stream.x[0]) / fastest if fastest > 0 else 0.0
    return at, np.column_stack([long * velocity.reshape(-1, 2), np.zeros(x.size)])
