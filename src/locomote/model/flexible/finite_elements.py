"""Modal bodies out of finite elements: the Craig-Bampton reduction of a mass and stiffness pair.

Degrees of freedom are held (c), kept at the interface (b) or inside (i). With K, M without the held ones:

    constraint modes   x_i = -K_ii^-1 K_ib x_b ,     fixed-interface modes   K_ii x = w^2 M_ii x                      (1)

Both together, made orthogonal over M and K once more, are the shapes of lo.rods.Modes; each then has mass one and stiffness
w^2.

R. Craig, M. Bampton: Coupling of substructures for dynamic analyses. AIAA Journal 6 (1968).
"""

from dataclasses import dataclass

import numpy as np
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg

from locomote.arguments import Numbers
from locomote.brief import brief
from locomote.model.flexible.modes import Modes

DENSE = 600  # degrees of freedom up to which matrices are taken as dense
ALIKE = 1e-9  # how far blocks of a mass matrix may differ and still be one


@brief
@dataclass(frozen=True, eq=False)
class FiniteElements:
    """A finite-element model: nodes, and the mass and stiffness matrices of their displacements.

    points : (N, 3) m, in the frame of the body ; mass, stiffness : (3 N, 3 N) with x, y, z node by node, or (6 N, 6 N) with
        x, y, z and turns about x, y, z; arrays or SciPy's sparse matrices; kg and N/m
    """

    points: Numbers
    mass: Numbers
    stiffness: Numbers

    def __post_init__(self) -> None:
        points = np.array(self.points, dtype=float)
        if points.ndim != 2 or points.shape[1] != 3 or len(points) < 2 or not np.isfinite(points).all():
            raise ValueError(f"points of finite elements must be at least two places (N, 3), m, not of shape {points.shape}")
        object.__setattr__(self, "points", points)
        for name in ("mass", "stiffness"):
            matrix = scipy.sparse.csr_matrix(getattr(self, name), dtype=float)
            if matrix.shape not in ((3 * len(points),) * 2, (6 * len(points),) * 2):
                raise ValueError(
                    f"the {name} matrix of {len(points)} nodes must have 3 or 6 rows and columns for each, not {matrix.shape}"
                )
            if not np.isfinite(matrix.data).all() or abs(matrix - matrix.T).max() > 1e-8 * abs(matrix).max():
                raise ValueError(f"the {name} matrix of finite elements must be finite and symmetric")
            object.__setattr__(self, name, matrix)
        if self.mass.shape != self.stiffness.shape:
            raise ValueError(f"mass {self.mass.shape} and stiffness {self.stiffness.shape} must have the same shape")

    @property
    def each(self) -> int:
        """Degrees of freedom of a node: 3 or 6."""
        return self.mass.shape[0] // len(self.points)

    @property
    def masses(self) -> np.ndarray:
        """(N, N) mass matrix of each of x, y, z if they have the same and do not touch turns; else lumped, (N,)."""
        blocks = [[self.mass[a :: self.each, b :: self.each] for b in range(self.each)] for a in range(self.each)]
        size = abs(blocks[0][0]).max()
        alike = all(abs(blocks[k][k] - blocks[0][0]).max() <= ALIKE * size for k in (1, 2))
        mixed = max(abs(blocks[a][b]).max() for a in range(3) for b in range(self.each) if a != b)
        if alike and mixed <= ALIKE * size:
            return blocks[0][0].toarray()
        lumped = np.mean([np.asarray(blocks[k][k].sum(axis=1)).ravel() for k in range(3)], axis=0)
        if not (lumped >= 0).all() or not lumped.sum() > 0:
            raise ValueError("the mass matrix of finite elements gives negative masses when lumped; give a lumped one")
        return lumped

    def modes(self, count: int, *, held, interface=(), **more) -> Modes:
        """The body held at some nodes, in `count` modes and those of the nodes where other bodies hang (1).

        held : numbers of the nodes that the frame of the body is fixed to ; interface : numbers of nodes where bodies hang or
        forces act, whose static deformation is to be exact ; more : of lo.rods.Modes, such as ratio=0.01
        """
        each, nodes = self.each, len(self.points)
        held, interface = (self._nodes(x, label) for x, label in ((held, "held"), (interface, "interface")))
        if not len(held):
            raise ValueError("held must name at least one node that the frame of the body is fixed to")
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 0 or count + len(interface) == 0:
            raise ValueError(f"count of modes must be an integer from 1, or from 0 with an interface, not {count!r:.40}")
        free = np.setdiff1d(np.arange(nodes), held)
        edge = np.intersect1d(interface, free)
        inside = np.setdiff1d(free, edge)
        i, b = (np.concatenate([each * k + np.arange(each) for k in x] or [np.zeros(0)]).astype(int) for x in (inside, edge))
        if count > len(i):
            raise ValueError(f"{count} modes are more than the {len(i)} degrees of freedom between the held nodes and the edge")
        K, M = self.stiffness.tocsc(), self.mass.tocsc()
        whole = np.zeros((each * nodes, count + len(b)))
        try:
            if count:
                whole[i, :count] = lowest(K[np.ix_(i, i)], M[np.ix_(i, i)], count)
            if len(b):
                whole[b, count + np.arange(len(b))] = 1.0
                if len(i):
                    solve = scipy.sparse.linalg.splu(scipy.sparse.csc_matrix(K[np.ix_(i, i)])).solve
                    whole[i, count:] = -solve(K[np.ix_(i, b)].toarray())
            small_K, small_M = whole.T @ (K @ whole), whole.T @ (M @ whole)
            square, turn = scipy.linalg.eigh(0.5 * (small_K + small_K.T), 0.5 * (small_M + small_M.T))
        except (np.linalg.LinAlgError, RuntimeError):
            square, turn = np.zeros(1), np.zeros((1, 1))
        if not square[0] > 1e-10 * square[-1]:
            raise ValueError(
                "held like this the body can still move without deforming: hold more nodes (three that are not in a line, if "
                "nodes do not turn)"
            )
        shapes = (whole @ turn).T.reshape(len(square), nodes, each)
        if each == 3:
            return Modes(self.points, self.masses, shapes, square, **more)
        points, masses, moves, turns = self.spread(shapes)
        return Modes(points, masses, moves, square, rotations=turns, **more)

    def spread(self, shapes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Nodes that turn as seven points each: points, masses, shapes and turns of the nodes, then of six points around each.

        The six carry three quarters of the mass, as far away as its lumped moments of inertia say.
        shapes : (modes, nodes, 6) ; gives points (n, 3), masses (n,), shapes and turns (modes, n, 3)
        """
        masses = self.masses if self.masses.ndim == 1 else self.masses.sum(axis=1)
        moments = [np.asarray(self.mass[3 + c :: 6, 3 + c :: 6].sum(axis=1)).ravel() for c in range(3)]
        moments = np.maximum(np.column_stack(moments), 0.0)
        along = np.maximum(0.5 * moments.sum(axis=1, keepdims=True) - moments, 0.0)  # integrals of mass times distance squared
        distance = np.sqrt(along / np.maximum(0.25 * masses[:, None], 1e-300))
        moves, turns = shapes[:, :, :3], shapes[:, :, 3:]
        points, weights, all_moves = [self.points], [0.25 * masses], [moves]
        for c in range(3):
            for sign in (1.0, -1.0):
                arm = sign * distance[:, c, None] * np.eye(3)[c]
                points.append(self.points + arm)
                weights.append(0.125 * masses)
                all_moves.append(moves + np.cross(turns, arm))
        return np.concatenate(points), np.concatenate(weights), np.concatenate(all_moves, axis=1), np.tile(turns, (1, 7, 1))

    def _nodes(self, given, label: str) -> np.ndarray:
        nodes = np.unique(np.asarray(given, dtype=float).ravel())
        if (nodes != nodes.astype(int)).any() or (len(nodes) and not 0 <= nodes[0] <= nodes[-1] < len(self.points)):
            raise ValueError(f"{label} must be numbers of nodes from 0 to {len(self.points) - 1}, not {given!r:.60}")
        return nodes.astype(int)


def lowest(K, M, count: int) -> np.ndarray:
    """The `count` lowest modes of a pair, as columns."""
    if K.shape[0] <= DENSE or count >= K.shape[0] - 1:
        K, M = K.toarray(), M.toarray()
        # the inverse problem, since turns may have no mass
        values, vectors = scipy.linalg.eigh(0.5 * (M + M.T), 0.5 * (K + K.T))
        return vectors[:, ::-1][:, :count] / np.sqrt(np.maximum(values[::-1][:count], 1e-300))
    return scipy.sparse.linalg.eigsh(K, count, M=M, sigma=0.0, which="LM")[1]
