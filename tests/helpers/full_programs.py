"""Whole-body control in other forms, from public functions only: slower, for comparison.

In full, as published (Bouyarmane and Kheddar 2012, equation 37): accelerations, torques and forces are all unknowns, and
dynamics and contacts are equalities,

    min  sum w |T a - b|^2 + small   with   M a + h = (0, tau) + J^T f ,   J_c a = b_c ,   limits, pyramids              (1)

Without torques: inverse dynamics for accelerations and forces that are given; what no motor bears is the residual.
"""

from typing import NamedTuple

import numpy as np

from locomote.control.whole_body.charted import task_rows
from locomote.control.whole_body.tables import ACROSS
from locomote.dynamics.forces import bias_force, inverse_dynamics
from locomote.dynamics.kinematics import acceleration, forward_kinematics, jacobian, velocity
from locomote.dynamics.matrices import mass_matrix
from locomote.qp.solve import Program, solve_qp


class InFull(NamedTuple):
    """a : (nv,) ; tau : (nv,) ; forces : by contact, (points, 3) world axes ; program : with its proof"""

    a: np.ndarray
    tau: np.ndarray
    forces: dict[str, np.ndarray]
    program: Program


class Borne(NamedTuple):
    """tau : (nv,) torques of motors ; residual : (nv,) forces on coordinates that no motor drives, which nothing bears"""

    tau: np.ndarray
    residual: np.ndarray


def axes_of(model, contact, q) -> np.ndarray:
    """(3, 3) axes of a contact in the world."""
    if contact.other is None:
        return contact.axes
    return forward_kinematics(model, q)[model.body(contact.other).index][:3, :3] @ contact.axes


def against(model, contact, q, point, v=None) -> tuple[np.ndarray, ...]:
    """Jacobian, twist, and its rate for a = 0, of a point of a body against what it touches; of a ball where it touches."""
    poses, v = forward_kinematics(model, q), np.zeros(model.nv) if v is None else v
    pose, arm = poses[model.body(contact.body).index], -contact.radius * axes_of(model, contact, q)[:, 2]
    place, found = pose[:3, :3] @ np.asarray(point) + pose[:3, 3] + arm, []
    for body in (contact.body, contact.other):
        if body is None:
            continue
        own = poses[model.body(body).index]
        at = {"point": tuple(own[:3, :3].T @ (place - own[:3, 3])), "frame": "aligned"}
        rate = acceleration(model, q, v, np.zeros(model.nv), body, **at)
        found.append((jacobian(model, q, body, **at), velocity(model, q, v, body, **at), rate))
    J, twist, rate = found[0] if len(found) == 1 else (x - y for x, y in zip(*found, strict=True))
    spin = twist[3:]
    return J, twist, rate - np.concatenate([np.cross(spin, np.cross(spin, arm)), np.zeros(3)])


def with_forces(control, q, v, a, forces: dict[str, np.ndarray]) -> Borne:
    """Torques for given accelerations a (nv,) and forces of contacts, (points, 3) in world axes, N, by inverse dynamics."""
    model = control.model
    tau = inverse_dynamics(model, q, v, a) - control.passive_force(q, v)
    for name, f in forces.items():
        for point, one in zip(control.contacts[name].points, np.atleast_2d(f), strict=True):
            tau = tau - against(model, control.contacts[name], q, point)[0][:3].T @ one
    return Borne(np.where(control.driven, tau, 0.0), np.where(control.driven, 0.0, tau))


def in_full(control, t: float, q, v) -> InFull:
    """One tick in form (1), tasks of one priority, torque limits hard; compare with `control.evaluate(t, q, v)`."""
    model, nv = control.model, control.model.nv
    control.write_references(t, q)
    T, b, w = task_rows(control, q, v)
    driven = np.flatnonzero(control.driven)
    points = [(name, point) for name, c in control.contacts.items() for point in c.points]
    nf, nd = 3 * len(points), len(driven)
    n = nv + nd + nf
    H, g = np.zeros((n, n)), np.zeros(n)
    H[:nv, :nv] = T.T @ (w[:, None] * T) + 1e-8 * np.eye(nv)
    g[:nv] = -T.T @ (w * b)
    H[nv : nv + nd, nv : nv + nd] = 1e-12 * np.eye(nd)
    k = control._packed.tick
    H[nv + nd :, nv + nd :] = np.diag(np.outer(k.grip[:, 3], (ACROSS, ACROSS, 1.0)).ravel())
    rows, low, high = [], [], []
    balance = np.zeros((nv, n))
    balance[:, :nv] = mass_matrix(model, q)
    balance[driven, nv + np.arange(nd)] = -1.0
    for p, (name, point) in enumerate(points):
        c = control.contacts[name]
        J, axes = against(model, c, q, point)[0][:3], axes_of(model, c, q)
        balance[:, nv + nd + 3 * p : nv + nd + 3 * p + 3] = -J.T @ axes
        g[nv + nd + 3 * p : nv + nd + 3 * p + 3] = -k.grip[p, 3] * k.wish[p] * (ACROSS, ACROSS, 1.0)
    h = bias_force(model, q, v) - control.passive_force(q, v)
    rows.append(balance)
    low.append(-h)
    high.append(-h)
    for c in control.contacts.values():
        groups = [c.points.mean(axis=0)] if c.holds_rotation else list(c.points)
        for middle in groups:
            take = slice(0, 6 if c.holds_rotation else 3)
            row = np.zeros((6, n))
            row[:, :nv], twist, rate = against(model, c, q, middle, v)
            drift = rate + k.number[2] * twist
            if c.velocity is not None:
                drift = drift - k.number[2] * np.asarray(c.velocity(t) if callable(c.velocity) else c.velocity)
            if c.acceleration is not None:
                drift = drift - np.asarray(c.acceleration(t) if callable(c.acceleration) else c.acceleration)
            rows.append(row[take])
            low.append(-drift[take])
            high.append(-drift[take])
    limits = control.torque_limits[driven]
    row = np.zeros((nd, n))
    row[:, nv : nv + nd] = np.eye(nd)
    rows.append(row)
    low.append(-limits)
    high.append(limits)
    for p in range(len(points)):
        row = np.zeros((1 + len(k.side), n))
        row[0, nv + nd + 3 * p + 2] = 1.0
        row[1:, nv + nd + 3 * p : nv + nd + 3 * p + 2] = -k.side
        row[1:, nv + nd + 3 * p + 2] = k.grip[p, 0]
        rows.append(row)
        low.append(np.array([k.grip[p, 1], *np.zeros(len(k.side))]))
        high.append(np.array([k.grip[p, 2], *np.full(len(k.side), np.inf)]))
    found = solve_qp(H, g, np.concatenate(rows), np.concatenate(low), np.concatenate(high))
    tau = np.zeros(nv)
    tau[driven] = found.x[nv : nv + nd]
    forces, p = {}, nv + nd
    for name, c in control.contacts.items():
        forces[name] = found.x[p : p + 3 * len(c.points)].reshape(-1, 3) @ axes_of(model, c, q).T
        p += 3 * len(c.points)
    return InFull(found.x[:nv], tau, forces, found)
