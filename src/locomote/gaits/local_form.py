"""Connection and metric of a problem over many shapes at once, with their derivatives.

With W the mass matrix or the resistance, C the rows of the constraints, g the base and r the shape, velocities follow from

    [ W_gg  C_g^T ] [ eta ]     [ W_gr ]                      [ A ]          [ W_gr ]
    [ C_g   0     ] [ lam ] = - [ C_r  ] r'            so  K  [ L ] = k ,  k = [ C_r  ]                              (1)
    K dX = dk - dK X ,   X = (A, L)                                                                                  (2)
    G = E^T W E ,   E = (-A, 1)                              metric: kinetic energy G/2, or power G, of r'            (3)

All kinds of connections are in (1): no rows (mechanical, hydrodynamic, Stokes), as many as the base has velocities
(kinematic), fewer (mixed). W, C and their derivatives along the coordinates that vary are traced once and run as vector
code. What cannot be traced is evaluated shape by shape by `problem.connection`, with the same results.
"""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.compiled.kernel import RowKernel, code_of
from locomote.compiled.library import kept, key_of
from locomote.compiled.program import Program
from locomote.compiled.vectors import Lanes
from locomote.compiler.fingerprint import source_stamp
from locomote.compiler.lanes import WIDTH
from locomote.dynamics.differences import derivative
from locomote.dynamics.matrices import mass_matrix
from locomote.errors import LocomoteError
from locomote.evaluation import flexible_calls
from locomote.evaluation.evaluate import body_forces, joint_forces
from locomote.forces.added_inertia import AddsInertia
from locomote.gaits.coordinates import Coordinates, coordinates_of
from locomote.linear.rank import own_lengths, rank_of
from locomote.locomotion.connection import DIFFERENCE, base_axes, over_constrained
from locomote.locomotion.problem import Locomotion
from locomote.locomotion.touching import refuse_touching
from locomote.methods.entries import bias_one, rows_one
from locomote.spatial.groups_arrays import GROUPS, Group
from locomote.symbolic.adjoint import tangent
from locomote.symbolic.plain import boxed, zeros
from locomote.symbolic.problem import Equations, is_linear, plain, plain_work
from locomote.symbolic.trace import Trace

SINGULAR = 1e-9  # reciprocal condition below which constraints do not decide the motion


class NoConnection(LocomoteError, ValueError):
    """The shape of a problem alone does not decide its net motion."""


class OverConstrained(NoConnection):
    """Constraints bind the shape itself."""


@brief
@dataclass(frozen=True, eq=False)
class Local:
    """Connection and metric at N shapes.

    A : (N, n, k) eta = -A x' ; dA : (N, k, n, k) derivative of A by each coordinate, which comes first
    P : (N, n, n) what a momentum mu of the whole (n,) adds, eta = -A x' + P mu: zero along what constraints hold
    G : (N, k, k) metric (3) ; dG : (N, k, k, k) ; sound : (N,) reciprocal condition of K, small at singular shapes
    side : (N,) sign of the determinant of C_g of kinematic ones, which changes across a singular shape
    W : (N, n + k, n + k) mass matrix or resistance ; dP : (N, k, n, n) derivative of P by each coordinate
    """

    A: np.ndarray
    dA: np.ndarray
    P: np.ndarray
    G: np.ndarray
    dG: np.ndarray
    sound: np.ndarray
    side: np.ndarray
    W: np.ndarray
    dP: np.ndarray


class LocalForm:
    """The local form of the connection of a problem over coordinates.

    group : of the net motion ; kind : as of `problem.connection`
    """

    def __init__(self, problem: Locomotion, coordinates: Coordinates):
        self.problem, self.coordinates = problem, coordinates
        self.bare = without_forces(problem)
        self.base = np.array(sorted(problem.external), dtype=int)
        self.group = group_of(problem, self.base)
        q = coordinates.configurations(np.zeros(coordinates.size))
        try:
            refuse_touching(problem, 0.0, q, "the connection")
        except ValueError as error:
            raise NoConnection(f"{error}; lo.gaits.optimize finds gaits over contacts by runs") from None
        self.rows, self.kind = rows_and_kind(self.bare, coordinates, self.base)
        if self.kind == "stokes" and not is_linear(self.bare):
            raise NoConnection(
                f"{problem.name!r} has no connection: it has no inertia, but forces that are not proportional to velocities, "
                f"so that its net motion follows from a search at each shape; simulate it"
            )

    @property
    def size(self) -> int:
        """Number of coordinates that vary."""
        return self.coordinates.size

    @cached_property
    def kernel(self) -> RowKernel | None:
        """Compiled code of W, C and their derivatives; None if there is none."""
        try:
            equations = Equations.of(self.bare)
        except ValueError:
            return None
        D, at = self.coordinates.directions, self.coordinates.shape
        said = hashlib.sha256(repr((D.tolist(), at.tolist(), self.rows)).encode()).hexdigest()
        lanes = Lanes(WIDTH)
        key = key_of(lanes, "local form", equations.digest, said, source_stamp("gaits"))
        code, _ = kept(key, lambda: code_of(*self._traced(equations), lanes))
        return RowKernel(lanes, code) if code.binary else None

    def __call__(self, x) -> Local:
        """x : (N, k) values of the coordinates"""
        x = np.atleast_2d(np.asarray(x, dtype=float))
        n, k, m, count = len(self.base), self.size, len(self.rows), len(x)
        if self.kernel is None:
            W, C, dW, dC = self._one_by_one(x)
        else:
            W, C, dW, dC = self.kernel.run([self.coordinates.shapes(x)])
        W, C = W.reshape(count, n + k, n + k), C.reshape(count, m, n + k)
        return solved_form(W, C, dW.reshape(count, k, n + k, n + k), dC.reshape(count, k, m, n + k), n)

    def _traced(self, equations: Equations) -> tuple[Program, tuple]:
        trace, made = Trace(), self.coordinates
        r = boxed(trace.input(len(made.shape)))
        q = boxed([float(value) for value in made.at])
        for place, value in zip(made.places, r, strict=True):
            q[place] = value
        W, C = self._matrices(equations, q)
        E = np.zeros((self.bare.model.nv, len(self.base) + self.size))
        E[self.base, np.arange(len(self.base))] = 1.0
        E[made.shape, len(self.base) :] = made.directions
        W, C = thin(E.T, thin(W, E)), thin(C, E)
        places = [[trace.place(value) for value in matrix.ravel()] for matrix in (W, C)]
        slopes: list[list[int]] = [[], []]
        for direction in made.directions.T:
            seeds = {r[j].place: float(direction[j]) for j in np.flatnonzero(direction)}
            for own, found in zip(places, slopes, strict=True):
                found += [trace.place(value) for value in tangent(trace, seeds, own)]
        results = tuple(tuple(own) for own in (*places, *slopes))
        return Program(trace, (len(r),), results), tuple((len(own),) for own in results)

    def _matrices(self, equations: Equations, q) -> tuple[np.ndarray, np.ndarray]:
        """W and C on numbers of any kind."""
        plan, nv = equations.plan, self.bare.model.nv
        if self.bare.inertia:
            work = plain_work(plan)
            if self.rows:
                plain(rows_one)(plan, work, 0.0, q, zeros(nv), zeros(nv))
            equations.fill(work, q, zeros(nv), zeros(nv))
            return work.M, work.A[list(self.rows)]

        def acting(velocity):
            work = plain_work(plan)
            joint_forces(plan, work, 0.0, q, velocity)
            plain(rows_one)(plan, work, 0.0, q, velocity, zeros(nv))
            body_forces(plan, work, 0.0, q, velocity)
            plain(flexible_calls.bias_one if len(plan.rods) else bias_one)(plan, work, q, zeros(nv), zeros(nv))
            return work.passive - work.bias

        still = acting(zeros(nv))
        R = np.array([still - acting(boxed([float(x) for x in unit])) for unit in np.eye(nv)], dtype=object).T
        return R, np.zeros((0, nv), dtype=object)

    def _one_by_one(self, x: np.ndarray) -> tuple[np.ndarray, ...]:
        """W, C and their derivatives along the coordinates, one shape after the other; derivatives by differences."""
        n, E = len(self.base), np.zeros((self.bare.model.nv, len(self.base) + self.size))
        E[self.base, np.arange(n)] = 1.0
        E[self.coordinates.shape, n:] = self.coordinates.directions

        def matrices(place):
            q = self.coordinates.configurations(place)
            W = mass_matrix(self.bare.model, q) if self.bare.inertia else self.bare.resistance(q)
            return np.concatenate([E.T @ W @ E, self.bare.rows(0.0, q)[0][list(self.rows)] @ E])

        values = np.array([matrices(place) for place in x])
        steps = np.eye(self.size)
        rates = np.array([[derivative(lambda s, p=p, u=u: matrices(p + s * u), DIFFERENCE) for u in steps] for p in x])
        whole = n + self.size
        return values[:, :whole], values[:, whole:], rates[:, :, :whole], rates[:, :, whole:]


def local_form(problem: Locomotion, names: Any = None, at: Any = None) -> LocalForm:
    """The local form of a problem, over coordinates by name."""
    if not isinstance(problem, Locomotion):
        raise TypeError(f"expected a lo.Locomotion, not {problem!r:.60}; a system of the catalogue has one as .problem()")
    return LocalForm(problem, coordinates_of(problem, names, at))


def without_forces(problem: Locomotion) -> Locomotion:
    """The problem with nothing imposed, and without forces that have no part in its connection."""
    acting: list[Any] = [e for e in problem.environment if not problem.inertia or isinstance(e, AddsInertia)]
    return problem.replaced(drives={}, torques=None, springs={}, environment=acting, actuators=(), contacts=())


def group_of(problem: Locomotion, base: np.ndarray) -> Group:
    """The group that the base moves in."""
    axes = tuple(int(np.argmax(row)) for row in base_axes(problem, base))
    found = next((group for group in GROUPS.values() if group.axes == axes), None)
    if found is not None:
        return found
    group = Group(f"the motions along {', '.join(AXES[a] for a in axes)}", axes)
    full = GROUPS["SE(3)"]
    lost = [a for a in range(6) if a not in axes]
    if any(abs(full.bracket(np.eye(6)[a])[lost][:, list(axes)]).any() for a in axes):
        raise ValueError(
            f"the base of {problem.name!r} moves along {group.name}, which is no group; take a planar or free base"
        )
    return group


AXES = ("x", "y", "z", "a turn about x", "a turn about y", "a turn about z")


def rows_and_kind(bare: Locomotion, coordinates: Coordinates, base: np.ndarray) -> tuple[tuple[int, ...], str]:
    """Independent constraint rows, and the kind of the connection; an error where rows bind the shape itself."""
    watery = any(body.added_inertia is not None for body in bare.model.description.bodies)
    if not len(bare.constraint_labels):
        return (), "stokes" if not bare.inertia else "hydrodynamic" if watery else "mechanical"
    if not bare.inertia:
        raise NoConnection(f"{bare.name!r} has constraints and no inertia; its connection is not known here, ask `evaluate`")
    rng, best, most = np.random.default_rng(0), [], 0
    for trial in range(5):
        x = rng.normal(scale=0.1 * (trial > 0), size=coordinates.size)
        rows = bare.rows(0.0, coordinates.configurations(x))[0]
        if not np.isfinite(rows).all():
            continue
        moved = np.concatenate([rows[:, base], rows[:, coordinates.shape] @ coordinates.directions], axis=1)
        chosen = chosen_rows(rows[:, base], bare.rank_tolerance)
        most = max(most, rank_of(moved, own_lengths(moved), bare.rank_tolerance))
        best = max(best, chosen, key=len)
    if most > len(best):
        raise OverConstrained(
            f"{over_constrained(bare.name, len(base), most - len(best))}; lo.gaits.follow leads such a body along a curve"
        )
    return tuple(best), "kinematic" if len(best) == len(base) else "mixed" if best else "mechanical"


def chosen_rows(rows: np.ndarray, tolerance: float) -> list[int]:
    """Rows that all others follow from, the first ones."""
    chosen: list[int] = []
    for r in range(len(rows)):
        part = rows[[*chosen, r]]
        if rank_of(part, own_lengths(part), tolerance) > len(chosen):
            chosen.append(r)
    return chosen


def thin(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a @ b over numbers of any kind; zeros are left out."""
    found = np.full((a.shape[0], b.shape[1]), 0.0, dtype=object)
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for x, y in zip(a[i], b[:, j], strict=True):
                if not (isinstance(x, float) and x == 0.0 or isinstance(y, float) and y == 0.0):
                    found[i, j] = found[i, j] + x * y
    return found


def solved_form(W: np.ndarray, C: np.ndarray, dW: np.ndarray, dC: np.ndarray, n: int) -> Local:
    """(1) to (3) for N shapes."""
    count, m, k = len(W), C.shape[1], W.shape[1] - n
    K, dK = np.zeros((count, n + m, n + m)), np.zeros((count, k, n + m, n + m))
    K[:, :n, :n], K[:, :n, n:], K[:, n:, :n] = W[:, :n, :n], C[:, :, :n].transpose(0, 2, 1), C[:, :, :n]
    dK[:, :, :n, :n], dK[:, :, n:, :n] = dW[:, :, :n, :n], dC[:, :, :, :n]
    dK[:, :, :n, n:] = dC[:, :, :, :n].transpose(0, 1, 3, 2)
    right, turn = np.concatenate([W[:, :n, n:], C[:, :, n:]], 1), np.concatenate([dW[:, :, :n, n:], dC[:, :, :, n:]], 2)
    inverse, sound = inverses(K)
    side = np.sign(np.linalg.det(C[:, :, :n])) if m == n else np.ones(count)
    X = inverse @ right
    A, dA = X[:, :n], (inverse[:, None] @ (turn - dK @ X[:, None]))[:, :, :n]  # (2)
    E = np.concatenate([-A, np.broadcast_to(np.eye(k), (count, k, k))], axis=1)
    WE = W @ E
    G, across = E.transpose(0, 2, 1) @ WE, dA.transpose(0, 1, 3, 2) @ WE[:, None, :n]  # (3)
    dG = E.transpose(0, 2, 1)[:, None] @ dW @ E[:, None] - across - across.transpose(0, 1, 3, 2)
    top = inverse[:, None, :n]
    dP = -(top @ dK @ inverse[:, None, :, :n])
    return Local(A, dA, inverse[:, :n, :n], G, dG, sound, side, W, dP)


def inverses(K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Inverses of K (N, n + m, n + m), rows and columns brought to one size before, and how sound each is."""
    size = np.sqrt(abs(K).max(axis=2).clip(1e-300))
    scaled = K / size[:, :, None] / size[:, None, :]
    determinant = np.linalg.det(scaled)
    flat = ~(abs(determinant) > 0.0) | ~np.isfinite(determinant)
    scaled[flat] = np.eye(K.shape[1])
    inverse = np.linalg.inv(scaled)
    sound = 1.0 / (abs(scaled).sum(axis=2).max(axis=1) * abs(inverse).sum(axis=2).max(axis=1))
    sound[flat], inverse[flat] = 0.0, np.nan
    return inverse / size[:, :, None] / size[:, None, :], sound
