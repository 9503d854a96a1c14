"""Modal bodies as users say them: nodes with mass that move by a few given shapes, seen from the frame at the body's joint.

    x(node) = point + shapes r + second r r / 2          r the coordinates, shapes zero where the body hangs on its parent
    force -K r - D r'

Nodes are those of a finite-element model, or of any rule that integrates over the body. `second` is how far nodes come back
when the body bends (foreshortening); without it a body that spins gets softer instead of stiffer.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from locomote.arguments import Numbers
from locomote.brief import brief
from locomote.model.flexible.bases import BeamModes, deflections, roots
from locomote.model.flexible.rods import Material, Rod, Section

MOST_MODES = 100  # most modes of a cantilever in closed form


@brief
@dataclass(frozen=True, eq=False)
class Modes:
    """A body that deforms in given shapes.

    points : (N, 3) nodes at rest, in the frame of the body, m
    masses : (N,) kg of the nodes, or the (N, N) matrix of a finite-element model for each of x, y, z
    shapes : (n, N, 3) displacement of the nodes per unit of each coordinate
    stiffness : (n,) or (n, n), in units of shapes without unit N/m
    damping : None, (n,) or (n, n), N s/m ; rayleigh : (a, b) adds a M + b K ; ratio : adds this share of the critical
    rotations : (n, N, 3) turn of the nodes per unit, rad; None: fitted to the nodes around those where bodies hang
    second : (n, n, N, 3) displacement of second order, or None ; lines : tuples of nodes to draw, from root to tip
    """

    points: Numbers
    masses: Numbers
    shapes: Numbers
    stiffness: Numbers
    damping: Numbers | None = None
    rayleigh: tuple[float, float] = (0.0, 0.0)
    ratio: Numbers = 0.0
    rotations: Numbers | None = None
    second: Numbers | None = None
    lines: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        points = self._array("points", self.points, (None, 3))
        count = len(points)
        shapes = self._array("shapes", self.shapes, (None, count, 3))
        n = len(shapes)
        if n == 0:
            raise ValueError("a modal body needs at least one shape; for a body that does not deform, use inertia= instead")
        masses = np.asarray(self.masses, dtype=float)
        self._array("masses", masses, (count,) if masses.ndim == 1 else (count, count))
        if masses.ndim == 1 and not (masses >= 0).all() or not 0 < masses.sum() < np.inf:
            raise ValueError("masses of a modal body must be from 0, kg, some positive, and their sum finite")
        self._array("stiffness", square(self.stiffness, n), (n, n))
        self._array("damping", square(0.0 if self.damping is None else self.damping, n), (n, n))
        for name, shape in (("rotations", (n, count, 3)), ("second", (n, n, count, 3))):
            if getattr(self, name) is not None:
                self._array(name, getattr(self, name), shape)
        for name in ("points", "masses", "shapes", "stiffness", "damping", "rotations", "second"):
            if getattr(self, name) is not None:
                kept = np.array(getattr(self, name), dtype=float)
                kept.flags.writeable = False
                object.__setattr__(self, name, kept)
        rayleigh, ratio = np.asarray(self.rayleigh, dtype=float), np.asarray(self.ratio, dtype=float)
        if rayleigh.shape != (2,) or not (rayleigh >= 0).all() or not (ratio >= 0).all() or ratio.shape not in ((), (n,)):
            raise ValueError(f"rayleigh must be two numbers from 0 and ratio one or {n}, not {self.rayleigh!r}, {self.ratio!r}")
        for line in self.lines:
            if not isinstance(line, Iterable) or any(not isinstance(k, (int, np.integer)) or not 0 <= k < count for k in line):
                raise ValueError(f"lines of a modal body are tuples of nodes from 0 to {count - 1}, not {line!r:.60}")
        least = np.linalg.eigvalsh(self.modal_mass)
        if not least[0] > 1e-12 * least[-1]:
            raise ValueError(
                "the shapes of a modal body must differ and move mass: some sum of them moves none; leave one of them out"
            )

    @staticmethod
    def _array(name, value, shape):
        array = np.asarray(value, dtype=float)
        fits = array.ndim == len(shape) and all(b is None or a == b for a, b in zip(array.shape, shape, strict=True))
        if not fits or not np.isfinite(array).all():
            said = ", ".join("any" if b is None else str(b) for b in shape)
            raise ValueError(f"{name} of a modal body must be finite numbers of shape ({said}), not of {array.shape}")
        return array

    @property
    def count(self) -> int:
        """Number of coordinates."""
        return len(self.shapes)

    @property
    def length(self) -> float:
        """Greatest distance of a node from the frame of the body, m."""
        return float(np.linalg.norm(self.points, axis=1).max(initial=1e-6))

    @property
    def modal_mass(self) -> np.ndarray:
        """(n, n) mass matrix of the coordinates at rest."""
        flat = np.asarray(self.shapes, dtype=float)
        return np.einsum("iac,jac->ij", flat, weighted(self.masses, flat))

    @property
    def elastic(self) -> np.ndarray:
        """(n, n) stiffness."""
        return square(self.stiffness, self.count)

    @property
    def viscous(self) -> np.ndarray:
        """(n, n) damping of all sources."""
        n, M, K = self.count, self.modal_mass, self.elastic
        D = square(0.0 if self.damping is None else self.damping, n) + self.rayleigh[0] * M + self.rayleigh[1] * K
        if np.any(self.ratio):
            import scipy.linalg

            w2, V = scipy.linalg.eigh(K, M)
            D = D + M @ V @ np.diag(2.0 * np.asarray(self.ratio) * np.sqrt(np.maximum(w2, 0.0)) * np.ones(n)) @ V.T @ M
        return 0.5 * (D + D.T)

    @property
    def rates(self) -> np.ndarray:
        """(n,) rad/s, ascending, with the root held."""
        import scipy.linalg

        return np.sqrt(np.maximum(scipy.linalg.eigh(self.elastic, self.modal_mass, eigvals_only=True), 0.0))

    def rotation_at(self, node: int, neighbours: int = 8) -> np.ndarray:
        """(n, 3) turn of a node per unit of each coordinate: given, or of the rigid motion that fits the nodes around best."""
        if self.rotations is not None:
            return np.asarray(self.rotations)[:, node]
        d = np.asarray(self.points) - np.asarray(self.points)[node]
        near = np.argsort(np.linalg.norm(d, axis=1))[1 : neighbours + 1]
        d = d[near]
        moved = np.asarray(self.shapes)[:, near] - np.asarray(self.shapes)[:, node, None]
        square_sum = np.einsum("k,ab->ab", np.sum(d * d, axis=1), np.eye(3)) - d.T @ d
        return np.cross(d, moved).sum(axis=1) @ np.linalg.pinv(square_sum, rcond=1e-10).T

    def stiffened(self, lines) -> "Modes":
        """The same body with `second` from lines of nodes that do not change their length as the body bends.

        lines : tuples of nodes, each from where the body is held outward; every node that moves is on one of them
        """
        n, shapes, points = self.count, np.asarray(self.shapes), np.asarray(self.points)
        second, seen = np.zeros((n, n, len(points), 3)), np.abs(shapes).max(axis=(0, 2)) == 0
        for line in lines:
            nodes = np.asarray(line, dtype=int)
            if nodes.ndim != 1 or len(nodes) < 2 or nodes.min() < 0 or nodes.max() >= len(points):
                raise ValueError(f"a line of a modal body is at least two nodes from 0 to {len(points) - 1}, not {line!r:.60}")
            if np.abs(shapes[:, nodes[0]]).max() > 0:
                raise ValueError(f"a line of a modal body must begin where the body is held; node {nodes[0]} moves")
            along = np.diff(points[nodes], axis=0)
            length = np.linalg.norm(along, axis=1)
            unit = along / length[:, None]
            move = np.diff(shapes[:, nodes], axis=1)
            across = move - np.einsum("jkc,kc->jk", move, unit)[..., None] * unit
            back = -np.einsum("ikc,jkc->ijk", across, across) / length
            second[:, :, nodes[1:]] = np.cumsum(back[..., None] * unit, axis=2)
            seen[nodes] = True
        if not seen.all():
            raise ValueError(f"node {int(np.argmin(seen))} of a modal body moves, but is on none of the lines")
        return replace(self, second=second)

    @classmethod
    def cantilever(cls, length: float, mass: float, bending: float, count: int, *, stiffening: bool = True, **more) -> "Modes":
        """The first bending modes of a uniform beam along x, clamped at the origin, that bends along y: a modal body.

        length, m ; mass, kg ; bending : EI, N m^2 ; stiffening : with its shortening of second order. The tip, node -1 of
        `points`, moves by two per unit. `Modes.beam` has the same modes without their limits.
        """
        for label, value in (("length", length), ("mass", mass), ("bending", bending)):
            if not isinstance(value, Real) or not 0.0 < value < np.inf:
                raise ValueError(f"{label} of a cantilever is {value!r:.40}, expected a positive number")
        if not isinstance(count, (int, np.integer)) or isinstance(count, bool) or not 0 < count <= MOST_MODES:
            raise ValueError(f"count of the modes of a cantilever is {count!r:.40}, expected an integer from 1 to {MOST_MODES}")
        z, w = np.polynomial.legendre.leggauss(24 + 4 * count)
        x = np.append(0.5 * length * (z + 1), length)
        phi, slope = deflections(count, length, x)
        shapes, turns, second = np.zeros((count, len(x), 3)), np.zeros((count, len(x), 3)), None
        shapes[:, :, 1], turns[:, :, 2] = phi, slope
        if stiffening:
            second = np.zeros((count, count, len(x), 3))
            for k, stop in enumerate(x):
                slopes = deflections(count, length, 0.5 * stop * (z + 1))[1]
                second[:, :, k, 0] = -np.einsum("x,ix,jx->ij", 0.5 * stop * w, slopes, slopes)
        stiffness = bending * np.array(roots("cantilever", count)) ** 4 / length**3
        points = np.column_stack([x, np.zeros((len(x), 2))])
        lines = (tuple(range(len(x))),)
        masses = np.append(0.5 * mass * w, 0.0)
        return cls(points, masses, shapes, stiffness, rotations=turns, second=second, lines=lines, **more)

    @classmethod
    def beam(cls, length: float, section: Section, material: Material, count: int, *, ends: str = "cantilever", **more) -> Rod:
        """Bending modes of a uniform beam: a rod whose strains are those of the modes, which is exact at large turns.

        count : modes of each strain ; ends : "cantilever", "free", "pinned", "clamped_pinned" ; more : of lo.Rod. With
        strains="bending shear" (or "all") shear deforms too, as in Timoshenko's beam.
        """
        more = {"strains": "bending", **more}
        sheared = any(word in str(more["strains"]) for word in ("shear", "all", "planar"))
        basis = BeamModes(count, ends, section, material) if sheared else BeamModes(count, ends)
        return Rod(length, section=section, material=material, basis=basis, **more)


def square(values: Any, n: int) -> np.ndarray:
    """(n, n) matrix from one number, a diagonal or a matrix."""
    array = np.asarray(values, dtype=float)
    return np.diag(np.broadcast_to(array, (n,))) if array.ndim < 2 and array.size in (1, n) else array


def weighted(masses: Any, field: np.ndarray) -> np.ndarray:
    """Masses times a field (..., N, c) over nodes."""
    masses = np.asarray(masses)
    return masses[:, None] * field if masses.ndim == 1 else np.einsum("ab,...bc->...ac", masses, field)
