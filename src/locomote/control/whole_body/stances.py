"""Static stances: a posture for given contacts, the forces that hold it, and where its mass center may be.

posture      min |contacts - places|^2 + |center - wish|^2 + small |q - q0|^2 within limits of joints, by Gauss-Newton    (1)
equilibrium  gravity = (0, tau) + sum J_p^T f_p with f in pyramids, |tau| <= limit (1 + s), least |f|^2 and s             (2)
region       all c with  sum f = -m g - push ,  sum (p - c) x f = 0 ,  f in pyramids: a polygon (Bretl and Lall 2008)     (3)

Both cut cones by the same pyramids (`Pyramid`), so that a stance without torque limits holds where its center is in the region.
A push acts at the mass center.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from locomote.arguments import Numbers
from locomote.control.whole_body.contacts import Contact, Pyramid
from locomote.control.whole_body.motors import Motors, motors_of
from locomote.control.whole_body.packing import velocity_names
from locomote.control.whole_body.regions import Bearing, eroded, middle_of, region_of, within
from locomote.control.whole_body.result import reasons
from locomote.control.whole_body.touching import axes_of, levers_of, places_of
from locomote.dynamics.forces import gravity_force
from locomote.dynamics.kinematics import forward_kinematics, jacobian
from locomote.dynamics.momentum import center_of_mass, momentum_matrix
from locomote.errors import UnknownName
from locomote.forces.numbers import a_vector
from locomote.locomotion.springs import joint_springs, passive_forces
from locomote.model.joints import has_rates
from locomote.model.model import Model
from locomote.qp.solve import solve_qp
from locomote.spatial.numbers import as_numbers
from locomote.spatial.rotations_arrays import vector_from_matrix

STEPS, SMALL = 200, 1e-10
NEARLY = 1e-5  # m or rad, errors of contacts that are taken away


@dataclass(frozen=True)
class Stance:
    """A posture with what holds it.

    q : (nq,) ; error : m or rad, largest error of a contact's place ; center : (3,) of mass, m
    holds : whether forces and torques can hold it ; forces : by contact, (points, 3) world axes, N ; tau : (nv,)
    torque_use : greatest share of a torque limit ; why : what stands in the way most
    margin : m, how far within the support region the mass center is; negative outside
    """

    q: np.ndarray
    error: float
    center: np.ndarray
    holds: bool
    forces: dict[str, np.ndarray]
    tau: np.ndarray
    torque_use: float
    why: list[tuple[str, str, float]]
    borne: tuple[Any, ...] = field(default=(), repr=False, compare=False)  # what the region is made of

    @cached_property
    def margin(self) -> float:
        """m"""
        model, contacts, push, sides = self.borne
        try:
            return within(_region(model, self.q, contacts, push, sides), self.center[:2])
        except ValueError:  # nowhere, or everywhere
            return np.inf if self.holds else -np.inf


def find_stance(
    model: Model,
    contacts: Sequence[Contact],
    places: Mapping[str, np.ndarray],
    *,
    posture,
    center: Numbers | None = None,
    push=(0.0, 0.0, 0.0),
    margin: float = 0.0,
    **motors: Any,
) -> Stance:
    """A posture near `posture` (nq,) with contacts at given places: (4, 4) poses of their bodies, or (3,) of the middle of
    their points.

    center : (2,) where the mass center is to be, m, world; if None, in the middle of the support region
    push, margin, motors : as of `hold_stance`
    """
    q0, push = model.checked_q(posture), _checked_push(push)
    named_apart(contacts)
    if center is not None:
        center = a_vector("center", center, 2)
    for c in contacts:
        if c.name not in places:
            raise UnknownName("place of a contact", c.name, [str(name) for name in places], "places")
    if center is None:
        points = np.array([point for c in contacts for point in _corners(model, c, places[c.name], q0)])
        center = middle_of(region_of(points, *_grips(contacts), bearing=_bearing(model, q0, push)))
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
    q = model.normalize(
        _settled(model, contacts, places, q, np.array([v for _, v in slots], dtype=int)[_at_stops(q, slots, lower, upper)])
    )
    poses = forward_kinematics(model, q)
    error = max(abs(_contact_error(model, c, places[c.name], q, poses[model.body(c.body).index])[1]).max() for c in contacts)
    return replace(hold_stance(model, contacts, q, push=push, margin=margin, **motors), error=float(error))


def _settled(model: Model, contacts: Sequence[Contact], places: Mapping[str, np.ndarray], q, stopped: np.ndarray) -> np.ndarray:
    """q with contacts at their places to rounding, if they are nearly: what postures weigh in (1) keeps them a little off."""
    moves = np.ones(model.nv)
    moves[stopped] = 0.0
    for _ in range(3):
        poses = forward_kinematics(model, q)
        parts = [_contact_error(model, c, places[c.name], q, poses[model.body(c.body).index]) for c in contacts]
        J, e = np.concatenate([J for J, _ in parts]) * moves, np.concatenate([e for _, e in parts])
        if abs(e).max() > NEARLY:
            return q
        q = model.integrate(q, moves * np.linalg.lstsq(J, e, rcond=1e-9)[0])
    return q


def _at_stops(q, slots, lower, upper) -> np.ndarray:
    """Which joints are at a limit."""
    now = np.array([q[k] for k, _ in slots])
    return (now - lower < SMALL) | (upper - now < SMALL)


def hold_stance(
    model: Model,
    contacts: Sequence[Contact],
    q,
    *,
    push=(0.0, 0.0, 0.0),
    margin: float = 0.0,
    torque_limits: Any = True,
    passive: Iterable[str] = (),
    actuated: Iterable[str] = (),
    springs: Mapping[Any, Sequence[float]] | None = None,
    sides: int = 8,
) -> Stance:
    """Forces and torques that hold a posture still (2).

    q : (nq,) configuration
    push : (3,) N, world axes, at the mass center, borne besides the weight
    margin : m, by which the mass center must be within the support region
    torque_limits, passive, actuated, springs, sides : as of lo.control.WholeBody
    """
    q, push, cone = model.checked_q(q), _checked_push(push), Pyramid(sides)
    if not 0.0 <= margin < np.inf:
        raise ValueError(f"margin is {margin!r}, expected a distance from 0, m")
    named_apart(contacts)
    motors = motors_of(model, torque_limits=torque_limits, passive=passive, actuated=actuated)
    weight = gravity_force(model, q) - passive_forces(model, joint_springs(model, springs or {}), q, np.zeros(model.nv))
    if push.any():
        weight = weight - momentum_matrix(model, q)[:3].T @ push / model.mass
    G = _levers(model, q, contacts)
    rows, names = _equilibrium(model, motors, contacts, cone, G, weight)
    n = G.shape[1]
    H, g = 1e-6 * np.eye(n), np.zeros(n)
    g[-1] = 1e3
    found = solve_qp(H, g, *rows)
    solved = found.status == "solved"
    x = found.x if solved else np.full(n, np.nan)
    tau = np.where(motors.driven, weight - G @ x, 0.0)
    forces, p, poses = {}, 0, forward_kinematics(model, q)
    for c in contacts:
        forces[c.name] = x[p : p + 3 * len(c.points)].reshape(-1, 3) @ axes_of(model, c, poses).T
        p += 3 * len(c.points)
    why, holds = reasons(names, found.multipliers, np.ones(len(names))), bool(solved and x[-1] < 1e-6)
    use, center = motors.use(tau) if solved else np.nan, center_of_mass(model, q)
    stance = Stance(np.array(q), 0.0, center, holds, forces, tau, use, why, (model, tuple(contacts), push, sides))
    if margin == 0.0 or stance.margin >= margin:
        return stance
    said = f"{stance.margin:.3g} m within the support region, {margin:g} m are asked for"
    return replace(stance, holds=False, why=[("mass center", said, 1.0), *why])


def _levers(model: Model, q, contacts: Sequence[Contact]) -> np.ndarray:
    """(nv, 3 points + 1) forces of coordinates for unit forces at the points, in axes of their contacts; s has none."""
    return np.hstack([*levers_of(model, contacts, q), np.zeros((model.nv, 1))])


def _equilibrium(
    model: Model, motors: Motors, contacts: Sequence[Contact], cone: Pyramid, G: np.ndarray, weight: np.ndarray
) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], list[tuple[str, str, str]]]:
    """Rows of (2) over f and s with their bounds, and what each is about."""
    (driven, limits), n, joint_names = motors, G.shape[1], velocity_names(model)
    bounded, sides = np.flatnonzero(np.isfinite(limits) & driven), len(cone.normals)
    rows, low, high, names = [G[~driven]], [weight[~driven]], [weight[~driven]], [("balance", "", "")] * int((~driven).sum())
    for sign, word in ((1.0, "lower"), (-1.0, "upper")):  # tau = weight - G f
        A = -sign * G[bounded]
        A[:, -1] = limits[bounded]
        rows.append(A)
        low.append(-limits[bounded] - sign * weight[bounded])
        high.append(np.full(len(bounded), np.inf))
        names += [("torque", joint_names[j], word) for j in bounded]
    for p, c in enumerate([contact for contact in contacts for _ in contact.points]):
        A = np.zeros((1 + sides, n))
        A[0, 3 * p + 2] = 1.0
        A[1:, 3 * p : 3 * p + 3] = cone.rows(c.friction)
        rows.append(A)
        low.append(np.array([c.least, *np.zeros(sides)]))
        high.append(np.array([c.most, *np.full(sides, np.inf)]))
        names += [("normal", c.name, "")] + [("friction", c.name, "")] * sides
    rows.append(np.eye(n)[-1:])
    low.append(np.zeros(1))
    high.append(np.full(1, np.inf))
    return (np.concatenate(rows), np.concatenate(low), np.concatenate(high)), [*names, ("slack", "", "")]


def support_region(
    model: Model, q, contacts: Sequence[Contact], *, push=(0.0, 0.0, 0.0), margin: float = 0.0, sides: int = 8
) -> np.ndarray:
    """(n, 2) corners of the region, world x and y, over which the mass center can be held still by contacts at a posture q (3).

    push : (3,) N, world axes, at the mass center, borne besides the weight ; margin : m, that is left to the edge
    sides : of friction pyramids, as of `hold_stance`
    Bounds of normal forces are kept; torque limits are not looked at, `hold_stance` does, nor are contacts between bodies.
    """
    named_apart(contacts)
    return eroded(_region(model, model.checked_q(q), contacts, _checked_push(push), sides), margin)


def _region(model: Model, q, contacts: Sequence[Contact], push: np.ndarray, sides: int) -> np.ndarray:
    poses, points = forward_kinematics(model, q), []
    outer = [c for c in contacts if c.other is None]  # forces between bodies bear nothing of the whole
    for c in outer:
        points += list(places_of(model, c, poses))
    return region_of(np.array(points).reshape(-1, 3), *_grips(outer), bearing=_bearing(model, q, push), sides=sides)


def _grips(contacts: Sequence[Contact]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Normals, frictions and bounds of normal forces of all points."""
    table = [(c.normal, c.friction, (c.least, c.most)) for c in contacts for _ in c.points]
    normals, frictions, bounds = zip(*table, strict=True) if table else ((), (), ())
    return np.array(normals).reshape(-1, 3), np.array(frictions), np.array(bounds).reshape(-1, 2)


def _bearing(model: Model, q, push: np.ndarray) -> Bearing:
    return Bearing(model.mass * np.array(model.gravity) + push, float(center_of_mass(model, q)[2]))


def _checked_push(push) -> np.ndarray:
    force = as_numbers(push, "push", "(3,)")
    if force.shape != (3,) or not np.isfinite(force).all():
        raise ValueError(f"push is {push!r:.60}, expected three finite numbers, N, world axes")
    return force


def named_apart(contacts: Sequence[Contact]) -> None:
    """A ValueError if two contacts have one name, under which forces are given."""
    names = [c.name for c in contacts]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two contacts are named {name!r}: give each a name of its own (name=...)")


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
        if has_rates(view.kind) and not view.coupled:
            slots += [(view.q.start + k, view.v.start + k) for k in range(view.v.stop - view.v.start)]
    lower, upper = (np.array([x[k] for k, _ in slots]) for x in (model.lower, model.upper))
    return lower, upper, slots
