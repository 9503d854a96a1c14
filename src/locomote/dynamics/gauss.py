"""Gauss' principle of least constraint: of all accelerations that joints allow, the true ones depart least from those of
bodies that were set free.

A_k is the rate of the twist of body k in its frame, I_k its inertia, and with all joints open forces would give it

    I_k A_k^free = F_k - V_k x* I_k V_k                                                                             (1)

F_k being its weight and the wrench on it. With A_k = J_k a + J_k' v, and torques tau of joints, which act within the linkage,
the departure

    D(a) = 1/2 sum (A_k - A_k^free) . I_k (A_k - A_k^free) + 1/2 sum armature_j a_j^2 - tau . a                     (2)
    dD/da = sum J_k^T I_k (A_k - A_k^free) + armature a - tau  =  M a + h - tau                                     (3)

is that of Bouyarmane and Kheddar (2012), (22), whatever point of a body it is written at: the deviation of a free body from a
linked one is a twist, whose velocity terms cancel. To let motors act on the bodies that they join, instead of the last term,
changes D by a number without a; so it is with what a body has no inertia against, such as a moment on a point mass, which
stands in (2) as -F . A_k. Where rows A a + b = 0 hold accelerations the minimum is constrained, and
its multipliers are reactions:

    M a + h - tau = A^T lam ,   A a + b = 0                                                                         (4)

All of it is summed over bodies; neither the mass matrix nor inverse dynamics of the library is asked.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from locomote.brief import brief
from locomote.dynamics.kinematics import forward_kinematics, jacobian, motion
from locomote.model.description import Body
from locomote.model.model import Model, checked_model
from locomote.spatial.inertia import skew
from locomote.spatial.numbers import as_numbers


class Least(NamedTuple):
    """a : (nv,) accelerations of least constraint ; reactions : (rows,) multipliers of the rows, N or N m ; value : D there"""

    a: np.ndarray
    reactions: np.ndarray
    value: float


@brief
@dataclass(frozen=True, eq=False)
class GaussFunction:
    """D of (2) at a state, as a function of accelerations.

    jacobians : (bodies, 6, nv) ; drifts : (bodies, 6) J' v ; inertias : (bodies, 6, 6) ; free : (bodies, 6) A^free of (1), of
        bodies that move, with all that is fixed to them
    loads : (bodies, 6) what inertias cannot answer ; armature, tau : (nv,)
    """

    jacobians: np.ndarray
    drifts: np.ndarray
    inertias: np.ndarray
    free: np.ndarray
    loads: np.ndarray
    armature: np.ndarray
    tau: np.ndarray

    def departures(self, a) -> np.ndarray:
        """(bodies, 6) A_k - A_k^free, m/s^2 and rad/s^2 in body frames."""
        return self.jacobians @ self._checked(a) + self.drifts - self.free

    def value(self, a) -> float:
        """D of (2), kg m^2/s^4; without torques it is zero where the joints need not do anything."""
        off, a = self.departures(a), self._checked(a)
        own = 0.5 * float(np.einsum("ki,kij,kj", off, self.inertias, off) + self.armature @ a**2)
        return own - float(self.tau @ a) - float((self.loads * (off + self.free)).sum())

    def gradient(self, a) -> np.ndarray:
        """(nv,) of (3), N or N m: what joints would have to add for a to be the motion."""
        loads = np.einsum("kij,kj->ki", self.inertias, self.departures(a)) - self.loads
        return np.einsum("kin,ki->n", self.jacobians, loads) + self.armature * a - self.tau

    @property
    def hessian(self) -> np.ndarray:
        """(nv, nv) of D: the mass matrix, as a sum over bodies."""
        return np.einsum("kin,kij,kjm->nm", self.jacobians, self.inertias, self.jacobians) + np.diag(self.armature)

    def minimum(self, rows=None, drift=None) -> Least:
        """The least D, with rows @ a + drift = 0 (dependent rows allowed; reactions are then those of least norm).

        rows : (m, nv) ; drift : (m,), as `problem.rows` gives them
        """
        M, g = self.hessian, self.gradient(np.zeros(len(self.armature)))
        if rows is None:
            a = np.linalg.solve(M, -g)
            return Least(a, np.zeros(0), self.value(a))
        A = as_numbers(rows, "rows", "(m, nv)")
        if A.ndim != 2 or A.shape[1] != len(g):
            raise ValueError(f"rows has shape {A.shape}, expected (m, {len(g)})")
        b = np.zeros(len(A)) if drift is None else as_numbers(drift, "drift", f"({len(A)},)")
        if b.shape != (len(A),):
            raise ValueError(f"drift has shape {b.shape}, expected ({len(A)},)")
        alone, back = np.linalg.solve(M, -g), np.linalg.solve(M, A.T)
        reactions = np.linalg.pinv(A @ back, rcond=1e-12, hermitian=True) @ (-b - A @ alone)
        a = alone + back @ reactions
        lengths = np.linalg.norm(A, axis=1)
        short = np.linalg.pinv(A.T, rcond=1e-12) @ (A.T @ reactions) if len(A) and lengths.any() else reactions
        return Least(a, short, self.value(a))

    def _checked(self, a) -> np.ndarray:
        a = as_numbers(a, "a", f"({len(self.armature)},)")
        if a.shape != self.armature.shape:
            raise ValueError(f"a has shape {a.shape}, expected {self.armature.shape}")
        return a


def gauss(model: Model, q, v, tau=None, *, wrenches: Any = None) -> GaussFunction:
    """Gauss' function of a model at a state: how far accelerations depart from those of bodies set free, its gradient, and
    the least of it, which is the true motion.

    q : (nq,) ; v : (nv,) ; tau : (nv,) torques of joints, springs and friction among them, N or N m, zero if None
    wrenches : on bodies, as of `inverse_dynamics`
    """
    checked_model(model)
    if model.flexible is not None or model.coupling is not None:
        raise ValueError(
            f"model {model.name!r} has flexible bodies or couplings; Gauss' function is a sum over rigid bodies with joints of "
            f"their own: read the file with mimic=False, or take lo.inverse_dynamics"
        )
    q, v = model.checked_q(q), model.checked_v(v)
    if q.ndim != 1 or v.ndim != 1:
        raise ValueError("gauss takes one state, q (nq,) and v (nv,); loop over those of a batch")
    tau = np.zeros(model.nv) if tau is None else model.checked_v(tau, "tau")
    poses, armature = forward_kinematics(model, q), np.array(model.armature, dtype=float)
    J = np.array([jacobian(model, q, name) for name in model.body_names])
    loads = wrenches_of(model, wrenches) + weights_of(model, poses)
    bodies, groups, moving = bodies_of(model), together(model), motion(model, q, v, np.zeros(model.nv))
    inertias, free, left = np.zeros((len(groups), 6, 6)), np.zeros((len(groups), 6)), np.zeros((len(groups), 6))
    for n, (first, members) in enumerate(groups.items()):
        load = np.zeros(6)
        for k in members:
            X = carrying(np.linalg.inv(poses[first]) @ poses[k])
            inertias[n] += X @ inertia_of(bodies[k]) @ X.T
            load += X @ loads[k]
        V, p = moving.twists[first], inertias[n] @ moving.twists[first]
        load -= np.concatenate([np.cross(V[3:], p[:3]), np.cross(V[:3], p[:3]) + np.cross(V[3:], p[3:])])
        free[n] = np.linalg.pinv(inertias[n], rcond=1e-12, hermitian=True) @ load
        left[n] = load - inertias[n] @ free[n]
    chosen = list(groups)
    return GaussFunction(J[chosen], np.array(moving.accelerations)[chosen], inertias, free, left, armature, np.array(tau))


def bodies_of(model: Model) -> list[Body]:
    """Bodies in the order of `model.body_names`, parents first."""
    named = {body.name: body for body in model.description.bodies}
    return [named[name] for name in model.body_names]


def together(model: Model) -> dict[int, list[int]]:
    """Bodies that joints with coordinates set apart, each with those that are fixed to it; without those of the world."""
    place, lead = {name: k for k, name in enumerate(model.body_names)}, {}
    groups: dict[int, list[int]] = {}
    for k, body in enumerate(bodies_of(model)):
        lead[k] = k if body.moving else lead[place[body.parent]] if body.parent is not None else -1
        if lead[k] >= 0:
            groups.setdefault(lead[k], []).append(k)
    return groups


def wrenches_of(model: Model, wrenches) -> np.ndarray:
    """(bodies, 6) wrenches that were given."""
    if isinstance(wrenches, Mapping):
        found = np.zeros((len(model.body_names), 6))
        for name, wrench in wrenches.items():
            found[model.body_index(name)] = as_numbers(wrench, f"wrench on {name!r}", "(6,)")
        return found
    found = np.zeros((len(model.body_names), 6)) if wrenches is None else as_numbers(wrenches, "wrenches", "(bodies, 6)")
    if found.shape != (len(model.body_names), 6):
        raise ValueError(f"wrenches has shape {found.shape}, expected ({len(model.body_names)}, 6)")
    return found


def weights_of(model: Model, poses: np.ndarray) -> np.ndarray:
    """(bodies, 6) weights, of own masses only."""
    found = np.zeros((len(poses), 6))
    for k, body in enumerate(bodies_of(model)):
        if body.inertia is not None:
            weight = body.inertia.mass * poses[k, :3, :3].T @ np.asarray(model.description.gravity)
            found[k] = np.concatenate([weight, np.cross(body.inertia.com, weight)])
    return found


def inertia_of(body: Body) -> np.ndarray:
    """(6, 6) of a body of a description, its added inertia with it."""
    own = np.zeros((6, 6))
    if body.inertia is not None:
        m, c = body.inertia.mass, skew(body.inertia.com)
        own = np.block([[m * np.eye(3), -m * c], [m * c, body.inertia.moment - m * c @ c]])
    return own if body.added_inertia is None else own + body.added_inertia


def carrying(pose: np.ndarray) -> np.ndarray:
    """(6, 6) that takes a wrench in the frame of a body to the frame that `pose` of the body is in."""
    R = pose[:3, :3]
    return np.block([[R, np.zeros((3, 3))], [skew(pose[:3, 3]) @ R, R]])
