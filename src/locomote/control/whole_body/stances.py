"""Static stances: a posture for given contacts, the forces that hold it, and where its mass centre may be.

posture      min |contacts - places|^2 + |centre - wish|^2 + small |q - q0|^2 within limits of joints, by Gauss-Newton    (1)
equilibrium  gravity = (0, tau) + sum J_p^T f_p with f in pyramids, |tau| <= limit (1 + s), least |f|^2 and s             (2)
region       all c with  sum f = -m g ,  sum (p - c) x f = 0 ,  f in pyramids: a polygon (Bretl and Lall 2008)            (3)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from locomote.arguments import Numbers
from locomote.control.qp.solve import solve_qp
from locomote.control.whole_body.contacts import Contact
from locomote.control.whole_body.packing import velocity_names
from locomote.control.whole_body.result import reasons
from locomote.dynamics.forces import gravity_force
from locomote.dynamics.kinematics import forward_kinematics, jacobian
from locomote.dynamics.momentum import center_of_mass, momentum_matrix
from locomote.environment.numbers import a_vector, whole_number
from locomote.errors import UnknownName
from locomote.model.base import base_joints
from locomote.model.model import Model
from locomote.spatial.rotations_arrays import vector_from_matrix

STEPS, SMALL = 200, 1e-10


@dataclass(frozen=True)
class Stance:
    """A posture with what holds it.

    q : (nq,) ; error : m or rad, largest error of a contact's place ; center : (3,) of mass, m
    holds : whether forces and torques can hold it ; forces : by contact, (points, 3) world axes, N ; tau : (nv,)
    torque_use : greatest share of a torque limit ; why : what stands in the way most
    """

    q: np.ndarray
    error: float
    center: np.ndarray
    holds: bool
    forces: dict[str, np.ndarray]
    tau: np.ndarray
    torque_use: float
    why: list[tuple[str, str, float]]


def find_stance(
    model: Model,
    contacts: Sequence[Contact],
    places: Mapping[str, np.ndarray],
    *,
    posture,
    center: Numbers | None = None,
    passive: Sequence[str] = (),
) -> Stance:
    """A posture near `posture` (nq,) with contacts at given places: (4, 4) poses of their bodies, or (3,) of the middle of
    their points.

    center : (2,) where the mass centre is to be, m, world; if None, in the middle of the support region
    """
    q0 = model.checked_q(posture)
    if center is not None:
        center = a_vector("center", center, 2)
    for c in contacts:
        if c.name not in places:
            raise UnknownName("place of a contact", c.name, [str(name) for name in places], "places")
    if center is None:
        corners = [point for c in contacts for point in _corners(model, c, places[c.name], q0)]
        normals = [np.array(c.normal) for c in contacts for _ in c.points]
        mus = [c.friction for c in contacts for _ in c.points]
        center = middle_of(region_of(np.array(corners), np.array(normals), np.array(mus)))
    q = q0.copy()
    lower, upper, slots = _joint_limits(model)
    for _ in range(STEPS):
        rows, errors, weights = [], [], []
        poses = forward_kinematics(model, q)
        for c in contacts:
            J, e = _contact_error(model, c, places[c.name], q, poses[model.body(c.body).index])
            rows.append(J)
            errors.append(e)
            weights += [1e6] * len(e)
        rows.append(momentum_matrix(model, q)[:2] / model.mass)
        errors.append(np.asarray(center) - center_of_mass(model, q)[:2])
        weights += [1e4] * 2
        rows.append(np.eye(model.nv))
        errors.append(np.clip(model.difference(q, q0), -0.5, 0.5))
        weights += [1e-4] * 6 + [1e-2] * (model.nv - 6)
        J, e, w = np.concatenate(rows), np.concatenate(errors), np.array(weights)
        H = J.T @ (w[:, None] * J) + 1e-6 * np.eye(model.nv)
        select = np.eye(model.nv)[[v for _, v in slots]]
        now = q[[k for k, _ in slots]]
        step = solve_qp(0.5 * (H + H.T), -J.T @ (w * e), select, np.minimum(lower - now, 0.0), np.maximum(upper - now, 0.0)).x
        step *= min(1.0, 0.3 / max(abs(step).max(), 1e-12))
        q = model.integrate(q, step)
        if abs(step).max() < SMALL:
            break
    q = model.normalize(q)
    poses = forward_kinematics(model, q)
    error = max(abs(_contact_error(model, c, places[c.name], q, poses[model.body(c.body).index])[1]).max() for c in contacts)
    return hold_stance(model, contacts, q, passive=passive, error=float(error))


def hold_stance(
    model: Model, contacts: Sequence[Contact], q, *, passive: Sequence[str] = (), error: float = 0.0, sides: int = 8
) -> Stance:
    """Forces and torques that hold a posture still (2)."""
    whole_number("sides", sides, 3)
    driven = np.ones(model.nv, dtype=bool)
    for name in [*(joint.name for joint in base_joints(model)), *passive]:
        driven[model.joint(name).v] = False
    points = [(c, point) for c in contacts for point in c.points]
    n = 3 * len(points) + 1
    G = np.zeros((model.nv, n))
    for p, (c, point) in enumerate(points):
        G[:, 3 * p : 3 * p + 3] = jacobian(model, q, c.body, point=tuple(point), frame="aligned")[:3].T @ c.axes
    weight = gravity_force(model, q)
    limits = np.where(driven & (model.effort_limit > 0), model.effort_limit, np.inf)
    bounded = np.flatnonzero(np.isfinite(limits))
    angles = 2 * np.pi * np.arange(sides) / sides
    rows, low, high, names = [G[~driven]], [weight[~driven]], [weight[~driven]], [("balance", "", "")] * int((~driven).sum())
    joint_names = velocity_names(model)
    for sign, word in ((1.0, "lower"), (-1.0, "upper")):  # tau = weight - G f
        A = -sign * G[bounded]
        A[:, -1] = limits[bounded]
        rows.append(A)
        low.append(-limits[bounded] - sign * weight[bounded])
        high.append(np.full(len(bounded), np.inf))
        names += [("torque", joint_names[j], word) for j in bounded]
    for p, (c, _) in enumerate(points):
        A = np.zeros((1 + sides, n))
        A[0, 3 * p + 2] = 1.0
        A[1:, 3 * p], A[1:, 3 * p + 1] = -np.cos(angles), -np.sin(angles)
        A[1:, 3 * p + 2] = c.friction * np.cos(np.pi / sides)
        rows.append(A)
        low.append(np.array([c.least, *np.zeros(sides)]))
        high.append(np.array([c.most, *np.full(sides, np.inf)]))
        names += [("normal", c.name, "")] + [("friction", c.name, "")] * sides
    slack = np.zeros((1, n))
    slack[0, -1] = 1.0
    rows.append(slack)
    low.append(np.zeros(1))
    high.append(np.full(1, np.inf))
    names.append(("slack", "", ""))
    H, g = 1e-6 * np.eye(n), np.zeros(n)
    g[-1] = 1e3
    found = solve_qp(H, g, np.concatenate(rows), np.concatenate(low), np.concatenate(high))
    solved = found.status == "solved"
    x = found.x if solved else np.full(n, np.nan)
    tau = np.where(driven, weight - G @ x, 0.0)
    forces, p = {}, 0
    for c in contacts:
        forces[c.name] = x[p : p + 3 * len(c.points)].reshape(-1, 3) @ c.axes.T
        p += 3 * len(c.points)
    use = float(np.max(abs(tau) / limits, initial=0.0)) if solved else np.nan
    why = reasons(names, found.multipliers, np.ones(len(names)))
    return Stance(np.array(q), error, center_of_mass(model, q), bool(solved and x[-1] < 1e-6), forces, tau, use, why)


def support_region(model: Model, q, contacts: Sequence[Contact], *, directions: int = 32) -> np.ndarray:
    """(n, 2) corners of the region, world x and y, over which the mass centre can be held still by contacts at a posture q (3).

    Torque limits are not looked at; `hold_stance` does.
    """
    poses = forward_kinematics(model, model.checked_q(q))
    points, normals, mus = [], [], []
    for c in contacts:
        pose = poses[model.body(c.body).index]
        points += list(c.points @ pose[:3, :3].T + pose[:3, 3])
        normals += [np.array(c.normal)] * len(c.points)
        mus += [c.friction] * len(c.points)
    return region_of(np.array(points), np.array(normals), np.array(mus), directions=directions)


def region_of(points, normals, frictions, *, directions: int = 32, sides: int = 8) -> np.ndarray:
    """The same for points (n, 3) of the world, their normals (n, 3) and frictions (n,); forces are per weight."""
    from scipy.optimize import linprog

    if not len(points):
        raise ValueError("there is no contact that could bear anything; give some")
    edges, where = [], []
    for point, normal, mu in zip(points, normals, frictions, strict=True):
        axes = Contact("point", normal=normal).axes
        for angle in 2 * np.pi * np.arange(sides) / sides:
            edges.append(axes @ [mu * np.cos(angle), mu * np.sin(angle), 1.0])
            where.append(point)
    F, P = np.array(edges).T, np.array(where)
    moments = np.cross(P, F.T).T
    # sum f = z ; sum p x f = c x z = (c_y, -c_x, 0)
    A = np.zeros((6, F.shape[1] + 2))
    A[:3, :-2], A[3:, :-2] = F, moments
    A[3, -1], A[4, -2] = -1.0, 1.0
    b = np.array([0, 0, 1.0, 0, 0, 0])
    bounds = [(0, None)] * F.shape[1] + [(None, None)] * 2
    corners: list[np.ndarray] = []
    for angle in 2 * np.pi * (np.arange(directions) + 0.1) / directions:  # not along edges of usual soles
        cost = np.zeros(A.shape[1])
        cost[-2:] = -np.cos(angle), -np.sin(angle)
        found = linprog(cost, A_eq=A, b_eq=b, bounds=bounds)
        if found.status == 3:
            raise ValueError("the region is not bounded: contacts clamp the body from two sides")
        if found.status != 0:
            raise ValueError("these contacts can hold the body nowhere: no forces within their friction bear its weight")
        corner = found.x[-2:]
        if not any(np.linalg.norm(corner - old) < 1e-7 for old in corners):
            corners.append(corner)
    return np.array(corners)


def middle_of(polygon: np.ndarray) -> np.ndarray:
    """(2,) centroid of a polygon (n, 2)."""
    x, y = (polygon - polygon[0]).T
    x1, y1 = np.roll(x, -1), np.roll(y, -1)
    area = x * y1 - x1 * y
    if abs(area.sum()) < 1e-12:
        return polygon.mean(axis=0)
    return polygon[0] + np.array([((x + x1) * area).sum(), ((y + y1) * area).sum()]) / (3.0 * area.sum())


def _corners(model, contact, place, q):
    place = np.asarray(place, dtype=float)
    if place.shape == (4, 4):
        return contact.points @ place[:3, :3].T + place[:3, 3]
    R = forward_kinematics(model, q)[model.body(contact.body).index][:3, :3]
    return (contact.points - contact.points.mean(axis=0)) @ R.T + place


def _contact_error(model, contact, place, q, pose):
    """Jacobian of a contact's frame and how far it is from its place."""
    place, R = np.asarray(place, dtype=float), pose[:3, :3]
    middle = contact.points.mean(axis=0)
    J = jacobian(model, q, contact.body, point=tuple(middle), frame="aligned")
    if place.shape == (4, 4):
        goal = place[:3, :3] @ middle + place[:3, 3]
        return J, np.concatenate([goal - (R @ middle + pose[:3, 3]), vector_from_matrix(place[:3, :3] @ R.T)])
    if place.shape != (3,):
        raise ValueError(f"place of contact {contact.name!r} has shape {place.shape}, expected (4, 4) or (3,)")
    return J[:3], place - (R @ middle + pose[:3, 3])


def _joint_limits(model):
    """Limits of joints with one number a coordinate, and their slots (q, v)."""
    slots = []
    for name in model.joint_names:
        view = model.joint(name)
        if view.q.stop - view.q.start == view.v.stop - view.v.start and view.kind != "planar" and not view.coupled:
            slots += [(view.q.start + k, view.v.start + k) for k in range(view.v.stop - view.v.start)]
    lower, upper = (np.array([x[k] for k, _ in slots]) for x in (model.lower, model.upper))
    return lower, upper, slots
