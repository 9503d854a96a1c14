"""Connections: the net motion that a change of shape brings about, and its curvature.

Velocities of the base (a group) and of the shape are tied by eta = -A(r) r'. Where the tie comes from names the kind:

    kinematic    constraints alone: A = A_g^+ A_r                        (wheeled snake, unicycle)
    mechanical   momentum is zero: A = M_gg^-1 M_gr                      (falling cat, space robot, satellite)
    hydrodynamic the same with the inertia of the water around           (swimmers in a perfect fluid)
    stokes       no inertia, forces balance: A = R_gg^-1 R_gr            (swimmers at low Reynolds number), R the resistance
    mixed        constraints, and zero momentum along what they leave free, H:                     (snakeboard)
                 A = A_g^+ A_r + H (H^T M_gg H)^-1 H^T (M_gr - M_gg A_g^+ A_r)

A loop in shape space leaves behind a net motion; for a small one in the plane of r_j and r_k it is -F_jk times its area,

    F_jk = dA_k/dr_j - dA_j/dr_k - [A_j, A_k]                                                                       (1)

with the bracket of the group. Derivatives are exact: those of the mass matrix from the derivatives of inverse dynamics, those
of the rows from the kernel of the rows; those of the resistance by differences of eighth order. A mixed connection moves by
its own momentum too, which (1) does not contain.

More constraints than the base has velocities may leave conditions on the shape itself, N^T A_r r' = 0 with N a basis of
ker A_g^T. Then A is that of least error: exact for changes of shape that meet the conditions, without meaning for others.
Shape coordinates cannot be varied one by one, and there is no derivative nor curvature over them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from locomote.brief import brief
from locomote.dynamics.derivatives import inverse_dynamics_derivatives
from locomote.dynamics.differences import derivative
from locomote.dynamics.kinematics import forward_kinematics
from locomote.dynamics.matrices import mass_matrix
from locomote.dynamics.momentum import center_of_mass
from locomote.errors import LocomoteError, UnknownName
from locomote.later import later
from locomote.linear.rank import kernel_of, kernels, own_lengths, pseudo_inverse, rank_of
from locomote.locomotion.inputs import unfolded_q
from locomote.locomotion.touching import refuse_touching
from locomote.model import columns as col
from locomote.model.base import base_joints
from locomote.model.joints import AXES_OF_V
from locomote.spatial.twists import bracket

if TYPE_CHECKING:
    from locomote.locomotion.problem import Locomotion

ORIGINS = ("base", "mass_center")
RATES = 1e-7  # tolerance for dependent rows where rates of rows are among them: custom ones are differences
DIFFERENCE = 2e-2  # rad or m, over which the resistance is differentiated


@brief
@dataclass(frozen=True, eq=False)
class Connection:
    """The local form of a connection at a shape.

    kind : kinematic, mechanical, hydrodynamic, stokes or mixed
    A : (n, s) eta = -A r' ; derivative : (s, n, s) of A by each shape coordinate ; curvature : (s, s, n), F of (1)
    base, shape : coordinates of v that are the net motion, and those that are the shape
    missing : why there is no derivative and no curvature, in a sentence; empty if there are

    Derivative, curvature and missing are found when they are first asked for.
    """

    kind: str
    A: np.ndarray
    base: np.ndarray
    shape: np.ndarray
    _slopes: Callable[[], tuple[np.ndarray, str]] = field(repr=False)
    _axes: np.ndarray = field(repr=False)

    @cached_property
    def _found(self) -> tuple[np.ndarray, str]:
        return self._slopes()

    @cached_property
    def _curvature(self) -> np.ndarray:
        return curvature(self.A, self.derivative, self._axes)

    @property
    def missing(self) -> str:
        """Why there is no derivative and no curvature, in a sentence; empty if there are."""
        return self._found[1]

    @property
    def derivative(self) -> np.ndarray:
        """(s, n, s) derivative of A by each shape coordinate; an error where constraints bind the shape itself."""
        if self.missing:
            raise LocomoteError(self.missing)
        return self._found[0]

    @property
    def curvature(self) -> np.ndarray:
        """(s, s, n) F of (1); an error where constraints bind the shape itself."""
        return self._curvature

    def _repr_html_(self) -> str:
        return later("view.notebook", "of_connection")(self)

    def __reduce__(self):  # numbers travel, not the problem that they are found with
        return Connection, (self.kind, self.A, self.base, self.shape, Known(self._found), self._axes)


@brief
@dataclass(frozen=True, eq=False)
class Known:
    """Derivatives that were computed already."""

    found: tuple[np.ndarray, str]

    def __call__(self) -> tuple[np.ndarray, str]:
        return self.found


def connection(problem: "Locomotion", q, t: float = 0.0, *, origin: str = "base") -> Connection:
    """The net motion that changes of shape bring about at configuration q, with its curvature; every coordinate that is not of
    the base is shape.

    origin : "base", the net motion of the first body; or "mass_center", that of a frame with the same axes whose origin is the
        mass centre, for bases that move it every way: of a robot in space it only turns
    """
    if origin not in ORIGINS:
        raise UnknownName("origin", origin, ORIGINS, "connection")
    if origin == "mass_center":
        return at_mass_center(problem, q, t)
    model = problem.model
    base = np.array(sorted(problem.external), dtype=int)
    shape = np.array([k for k in range(model.nv) if k not in problem.external], dtype=int)
    if not len(base):
        raise ValueError(f"{problem.name!r} has no base that moves, so there is no net motion; build the model with a base")
    q = unfolded_q(problem.statement.model, q)
    q = np.array(model.checked_q(q))  # derivatives are computed later: the caller may change the array
    refuse_touching(problem, t, q, "the connection")
    rows = problem.rows(t, q)[0]
    if not problem.inertia:
        return viscous_connection(problem, q, t, base, shape)
    M = mass_matrix(model, q)
    rank = rank_of(rows[:, base], own_lengths(rows), problem.rank_tolerance)
    A, parts = local_form(rows, M, base, shape, problem.rank_tolerance)
    watery = any(body.added_inertia is not None for body in model.description.bodies)
    kind = ("hydrodynamic" if watery else "mechanical") if rank == 0 else "kinematic" if rank == len(base) else "mixed"

    def slopes() -> tuple[np.ndarray, str]:
        turns = [problem.rows_rate(t, q, step) for step in np.eye(model.nv)[shape]]
        if bound := conditions([rows, *turns], A, base, shape, rank, problem.rank_tolerance):
            return np.zeros(0), over_constrained(problem.name, len(base), bound)
        rates = mass_rates(model, q, base, shape) if rank < len(base) else np.zeros((len(shape), len(base), model.nv))
        found = [form_rate(parts, A, turn, rate, base, shape) for turn, rate in zip(turns, rates, strict=True)]
        return np.array(found).reshape(len(shape), *A.shape), ""

    return Connection(kind, A, base, shape, slopes, base_axes(problem, base))


def at_mass_center(problem: "Locomotion", q, t: float) -> Connection:
    """The same connection for a frame at the mass centre c: its linear part is R^T c' over shape velocities.

    c' by differences of eighth order, and so the derivative.
    """
    model, base = problem.model, np.array(sorted(problem.external), dtype=int)
    axes = base_axes(problem, base)
    moved = np.flatnonzero(axes[:, :3].any(axis=1))
    if axes[:, 3:].any() and len(moved) < (3 if axes[:, 3:5].any() else 2):
        raise ValueError(f"the base of {problem.name!r} does not move its mass centre every way; take a planar or free base")
    q = np.array(model.checked_q(unfolded_q(problem.statement.model, q)))
    root = model.body_index(base_body(model))

    def form(place) -> np.ndarray:
        A = connection(problem, place, t).A
        R = forward_kinematics(model, place)[root][:3, :3]
        step = np.zeros(model.nv)
        found = np.zeros((6, len(shape)))
        found[3:] = (axes.T @ A)[3:]
        for k in range(len(shape)):
            step[shape], step[base] = np.eye(len(shape))[k], -A[:, k]
            rate = derivative(lambda s, step=step: center_of_mass(model, model.integrate(place, s * step)), DIFFERENCE)
            found[:3, k] = -R.T @ rate
        return axes @ found

    whole = connection(problem, q, t)
    shape = whole.shape

    def slopes() -> tuple[np.ndarray, str]:
        if whole.missing:
            return np.zeros(0), whole.missing
        steps = np.eye(model.nv)[shape]
        rates = [derivative(lambda s, step=step: form(model.integrate(q, s * step)), DIFFERENCE) for step in steps]
        return np.array(rates).reshape(len(shape), len(base), len(shape)), ""

    return Connection(whole.kind, form(q), base, shape, slopes, axes)


def base_body(model) -> str:
    """The body that the base moves."""
    names = {joint.name for joint in base_joints(model)}
    return next(b.name for b in model.description.bodies if any(joint.name in names for joint in b.joints))


def viscous_connection(problem, q, t: float, base: np.ndarray, shape: np.ndarray) -> Connection:
    """The connection of a problem without inertia and without constraints."""
    if len(problem.constraint_labels):
        raise ValueError(f"{problem.name!r} has constraints and no inertia; its connection is not known here, ask `evaluate`")

    def form(place) -> np.ndarray:
        R = problem.resistance(place, t)
        return np.linalg.solve(R[np.ix_(base, base)], R[np.ix_(base, shape)])

    def slopes() -> tuple[np.ndarray, str]:
        steps = np.eye(problem.model.nv)[shape]
        rates = [derivative(lambda s, step=step: form(problem.model.integrate(q, s * step)), DIFFERENCE) for step in steps]
        return np.array(rates).reshape(len(shape), len(base), len(shape)), ""

    return Connection("stokes", form(q), base, shape, slopes, base_axes(problem, base))


def conditions(turns, A, base, shape, rank: int, tolerance: float) -> int:
    """How many conditions the constraints put on shape velocities, here (rows) or at shapes close by (rates of the rows)."""
    rows = turns[0]
    if len(rows) <= rank:
        return 0
    N = kernels(rows[:, base], own_lengths(rows), tolerance)[1]
    left = np.concatenate([N.T @ (rate[:, shape] - rate[:, base] @ A) for rate in turns])
    return min(len(rows) - rank, rank_of(left, np.ones(len(left)), max(tolerance, RATES)))


def over_constrained(name: str, velocities: int, bound: int) -> str:
    """The sentence that says what is missing, why, and what to do."""
    return (
        f"the connection of {name!r} has no derivative and no curvature: its constraints hold all they can of the {velocities} "
        f"velocities of the base and put {bound} more condition{'s' * (bound > 1)} on the shape itself, so that shape "
        f"coordinates cannot change one by one. `A` is right for changes of shape that meet the conditions; leave out as many "
        f"constraints, or make a gait that fits and ask `net_displacement` or `simulate` for the net motion"
    )


def local_form(rows, M, base, shape, tolerance: float):
    """A, and what its rate needs. The conditions on eta are stacked: constraints, then momentum along their kernel H."""
    rows = rows if rows.size else np.zeros((0, M.shape[0]))
    lengths = own_lengths(rows)
    H = kernel_of(rows[:, base], lengths, tolerance)
    momentum = H.T @ M[base]
    stacked = np.concatenate([rows, momentum])
    inverse = pseudo_inverse(stacked[:, base], np.concatenate([lengths, own_lengths(momentum)]), tolerance)
    plus = pseudo_inverse(rows[:, base], lengths, tolerance)
    return inverse @ stacked[:, shape], (inverse, plus, M[base], H)


def form_rate(parts, A, rows_rate, M_rate, base, shape):
    """Rate of A. With Q the projector on the kernel H of the rows, the momentum conditions are Q M (eta, r') = 0.

    M_rate : (n, nv) rate of the rows of M that belong to the base
    """
    inverse, plus, M, H = parts
    turn = -plus @ rows_rate[:, base] @ H  # rate of H within the complement of H
    rate = np.concatenate([rows_rate, turn.T @ M + H.T @ M_rate])
    return inverse @ (rate[:, shape] - rate[:, base] @ A)


def mass_rates(model, q, base: np.ndarray, shape: np.ndarray) -> np.ndarray:
    """(s, n, nv) derivatives along the shape of the rows of the mass matrix that belong to the base.

    Column by column, each from the derivative of inverse dynamics by q at a unit acceleration.
    """
    still, result = np.zeros(model.nv), np.zeros((len(shape), len(base), model.nv))
    part = np.ix_(base, shape)
    rest = inverse_dynamics_derivatives(model, q, still, still).q[part]
    for j in range(model.nv):
        result[:, :, j] = (inverse_dynamics_derivatives(model, q, still, np.eye(model.nv)[j]).q[part] - rest).T
    return result


def base_axes(problem, base: np.ndarray) -> np.ndarray:
    """(n, 6) unit twists that the coordinates of the base move along, in the frame of the base."""
    axes = np.zeros((len(base), 6))
    for row in problem.model.topology[:-1]:
        for j, axis in enumerate(AXES_OF_V[row[col.KIND]]):
            if row[col.V] + j in base:
                axes[list(base).index(row[col.V] + j), axis] = 1.0
    return axes


def curvature(A: np.ndarray, slopes: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """(1) from A (n, s), its derivatives (s, n, s), and the twists of the base."""
    twists = axes.T @ A
    brackets = np.array([bracket(twist) for twist in twists.T]).reshape(-1, 6, 6)
    together = np.einsum("na,jab,bk->jkn", axes, brackets, twists)
    slopes = slopes.transpose(0, 2, 1)  # (j, k, n)
    return slopes - slopes.transpose(1, 0, 2) - together
