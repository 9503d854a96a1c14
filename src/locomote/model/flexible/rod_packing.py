"""A rod with what hangs on it as numbers for kernels: stations, basis, stiffness, inertias."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.polynomial.legendre import leggauss

from locomote.errors import ModelError
from locomote.linear.rank import rank_of
from locomote.model.flexible.bases import Legendre, Points
from locomote.model.flexible.rods import STRAINS, Rod, checked_functions

LEAST_NODES, MORE_NODES = 8, 4
QUADRATURE = 48  # points in each smooth piece, for integrals of stiffness
SAME = 1e-10  # remainder of dependent basis functions: powers of X serve until they nearly are (`linear.rank`)
NEAR = 1e-12  # distance of places that count as one, over the length


@dataclass(frozen=True)
class PackedRod:
    """Numbers of one rod.

    places : (n,) X of its stations, m ; weights : (n,) length that each stands for ; inertias : (n, 10)
    points : (n, 2) X of the Gauss points of the steps ; basis : (n, 2, size) ; strain : (n, 2, 6) without load
    components : (size,) ; names : of the coordinates ; elastic, viscous : (size, size)
    scale : (size,) typical values of the coordinates
    modal : 0; of a modal body 1, or 2 with shapes of second order: places are then numbers of nodes, -1 for point masses, and
        basis has the blocks of `kernels.flexible.modal`
    """

    places: np.ndarray
    weights: np.ndarray
    inertias: np.ndarray
    points: np.ndarray
    basis: np.ndarray
    strain: np.ndarray
    components: np.ndarray
    names: tuple[str, ...]
    elastic: np.ndarray
    viscous: np.ndarray
    scale: np.ndarray
    modal: int = 0

    def station(self, x: float) -> int:
        """The station at X, or at a node of a modal body."""
        return int(np.argmin(abs(self.places - x)))

    @property
    def steps(self) -> np.ndarray:
        """(n,) lengths of the steps to stations, m."""
        return np.zeros(len(self.places)) if self.modal else np.diff(self.places, prepend=0.0)


def shapes_of(rod: Rod) -> tuple[list[tuple[int, str, object]], list[float]]:
    """(component, name, function of X) of every coordinate, and breaks; the function is None for a strain over points."""
    length, found, breaks = float(rod.length), [], {float(x) for x in rod.breaks}
    if isinstance(rod.basis, Mapping) and (wrong := [name for name in rod.basis if name not in rod.active]):
        raise ValueError(f"the basis of a rod names {wrong[0]!r}, which is not among its strains: {', '.join(rod.active)}")
    for strain in rod.active:
        basis = rod.basis.get(strain) if isinstance(rod.basis, Mapping) else rod.basis
        basis, functions = Legendre() if basis is None else basis, [None]
        if hasattr(basis, "functions"):
            functions = basis.functions(strain, rod.order_of(strain), length)
            breaks.update(basis.breaks(length))
        elif not isinstance(basis, Points):
            functions = checked_functions(basis, strain)
        found += [(STRAINS.index(strain), f"{strain} {k}", f) for k, f in enumerate(functions)]
    if not found:
        raise ValueError("the basis of a rod has no functions: it could not deform; use inertia= for a rigid body")
    return found, sorted(breaks)


def values_of(shapes, x: np.ndarray) -> np.ndarray:
    """(len(x), size) all functions."""
    columns = []
    for _, name, f in shapes:
        try:
            column = np.asarray(f(x))
            column = column.astype(float, casting="same_kind") if column.dtype.kind != "O" else column.astype(float)
            column = np.broadcast_to(column, x.shape)
        except (TypeError, ValueError):
            column = one_by_one(f, name, x)
        if not np.isfinite(column).all():
            raise ValueError(f"function {name!r} of the basis of a rod is not finite at X = {x[~np.isfinite(column)][0]:g} m")
        columns.append(column)
    return np.stack(columns, axis=1) if columns else np.zeros((len(x), 0))


def one_by_one(f, name: str, x: np.ndarray) -> np.ndarray:
    """A function that takes no arrays."""
    try:
        return np.array([float(f(float(v))) for v in x])
    except (TypeError, ValueError) as fault:
        raise ValueError(
            f"function {name!r} of the basis of a rod does not give one real number for each X, but {f(float(x[0]))!r:.60}"
        ) from fault


def refuse_basis(name: str, shapes, values: np.ndarray, nodes: int) -> None:
    """Raise if functions at the Gauss points (points, functions) do not fit: too many for the nodes, or not independent."""
    components = np.array([c for c, _, f in shapes if f is not None], dtype=int)
    for c in np.unique(components):
        own = values[:, components == c]
        if own.shape[1] > nodes:
            raise ModelError(
                f"body {name!r}",
                f"its rod has {own.shape[1]} functions for {STRAINS[c]} and {nodes} mass nodes, too few to move them all: give "
                f"nodes={own.shape[1] + MORE_NODES}, or fewer functions",
            )
        size = np.linalg.norm(own, axis=0)
        if (size == 0.0).any() or rank_of(own.T, size, SAME) < own.shape[1]:
            raise ModelError(
                f"body {name!r}",
                f"the functions of the basis for {STRAINS[c]} of its rod are not independent, or one is zero: leave out those "
                f"that are sums of others",
            )


def natural_nodes(rod: Rod, size: int) -> int:
    """Number of mass nodes if nothing is said; `size` is that of a basis of the user's own."""
    if isinstance(rod.basis, Points) and rod.order is None:
        return LEAST_NODES
    degree = max(rod.order_of(name) for name in rod.active) if rod.basis is None or isinstance(rod.basis, Points) else size
    if rod.basis is None and rod.order is None:
        return max(LEAST_NODES, 2 * degree)
    return max(LEAST_NODES, min(degree, 40) + MORE_NODES)


def pack_rod(rod: Rod, name: str, attached: list[float]) -> PackedRod:
    """Numbers of the rod of body `name`, with stations at the given X besides its own."""
    length = float(rod.length)
    shapes, breaks = shapes_of(rod)
    count = rod.nodes or natural_nodes(rod, len(shapes))
    edges = np.array([0.0, *breaks, length])
    pieces = list(zip(edges[:-1], edges[1:], strict=True))
    nodes, weights = gauss(pieces, max(4, -(-count // len(pieces))) if breaks else count)
    places = list(nodes)
    for x in (*breaks, *attached, length):
        if min(abs(p - x) for p in places) > NEAR * length:
            places.append(float(x))
    places = np.array(sorted(places))
    weight = np.zeros(len(places))
    for x, w in zip(nodes, weights, strict=True):
        weight[np.argmin(abs(places - x))] += w
    steps = np.diff(places, prepend=0.0)
    middle, half = places - 0.5 * steps, steps * np.sqrt(3.0) / 6.0
    points = np.stack([middle - half, middle + half], axis=1)
    strain = np.array([[rod.rest_at(x) for x in pair] for pair in points])
    turned = np.linalg.norm(strain[:, :, 3:], axis=2).max(axis=1) * steps
    if turned.max() > np.pi:
        worst = int(np.argmax(turned))
        enough = int(np.ceil(count * turned.max() / np.pi)) + 1
        raise ModelError(
            f"body {name!r}",
            f"its rod turns by {turned.max():.3g} rad between the stations at X = {places[worst] - steps[worst]:.3g} and "
            f"{places[worst]:.3g} m, at most pi is possible: give nodes={enough} or more",
        )
    x, w = gauss(pieces, QUADRATURE)
    smooth = [shape for shape in shapes if shape[2] is not None]
    parts = matrices(rod, smooth, x, w)
    at_points = np.stack([values_of(smooth, points[:, k]) for k in range(2)], axis=1)
    refuse_basis(name, shapes, at_points.reshape(2 * len(places), -1), len(nodes))
    basis, components, names, elastic, viscous, scale = over_points(rod, shapes, points, steps, at_points, parts)
    return PackedRod(
        places, weight, inertias_of(rod, places, weight), points, basis, strain, components, names, elastic, viscous, scale,
    )  # fmt: skip


def matrices(rod: Rod, shapes, x: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Stiffness and damping of functions of X, and typical values of their coordinates."""
    values, components = values_of(shapes, x), np.array([c for c, _, _ in shapes], dtype=int)
    stiff = np.array([rod.stiffness_at(v) for v in x])[:, components]
    loss = np.array([rod.damping_at(v) for v in x])[:, components]
    same = components[:, None] == components[None, :]
    elastic = np.where(same, np.einsum("x,xi,xi,xj->ij", w, stiff, values, values), 0.0)
    viscous = np.where(same, np.einsum("x,xi,xi,xj->ij", w, loss * stiff, values, values), 0.0)
    gram = np.einsum("x,xi,xi->i", w, values, values) / float(rod.length)
    scale = np.where(components < 3, 0.05, 1.0 / float(rod.length)) / np.sqrt(np.maximum(gram, 1e-12))
    return tidied(elastic), tidied(viscous), scale


def over_points(rod: Rod, shapes, points: np.ndarray, steps: np.ndarray, values: np.ndarray, parts):
    """Basis, components, names, stiffness, damping and scales of all coordinates: functions of X, and strains over points."""
    count, columns, smooth = len(points), [], []
    for c, name, function in shapes:
        if function is not None:
            columns.append((c, name, values[:, :, len(smooth)], 0.0, 0.0, parts[2][len(smooth)]))
            smooth.append(len(columns) - 1)
            continue
        for s in range(count):
            for g in range(2):
                own = np.zeros((count, 2))
                own[s, g] = 1.0
                hold = rod.stiffness_at(points[s, g])[c] * 0.5 * steps[s]
                loss = hold * rod.damping_at(points[s, g])[c]
                scale = 0.05 if c < 3 else 1.0 / float(rod.length)
                columns.append((c, f"{STRAINS[c]} at {points[s, g]:.4g} m", own, hold, loss, scale))
    elastic, viscous = np.diag([x[3] for x in columns]), np.diag([x[4] for x in columns])
    elastic[np.ix_(smooth, smooth)] += parts[0]
    viscous[np.ix_(smooth, smooth)] += parts[1]
    basis = np.stack([x[2] for x in columns], axis=2)
    components, names = np.array([x[0] for x in columns]), tuple(x[1] for x in columns)
    return basis, components, names, elastic, viscous, np.array([x[5] for x in columns])


def gauss(pieces, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss-Legendre rules over intervals, one after the other."""
    z, w = leggauss(count)
    x = np.concatenate([0.5 * (a + b) + 0.5 * (b - a) * z for a, b in pieces])
    return x, np.concatenate([0.5 * (b - a) * w for a, b in pieces])


def tidied(K: np.ndarray) -> np.ndarray:
    """K, symmetric, without what rounding left of zeros."""
    K = 0.5 * (K + K.T)
    size = np.sqrt(np.maximum(np.diag(K), 0.0))
    return np.where(abs(K) < 1e-13 * size[:, None] * size[None, :], 0.0, K)


def inertias_of(rod: Rod, places: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(n, 10) mass, first and second moments of the slices that stations stand for."""
    result = np.zeros((len(places), 10))
    for k, (x, w) in enumerate(zip(places, weights, strict=True)):
        if w > 0.0:
            here = rod.at(x)
            result[k, 0] = here.mass * w
            result[k, 7], result[k, 9] = here.inertia[1] * w, here.inertia[0] * w  # yy, zz
    return result
