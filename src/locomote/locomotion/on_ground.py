"""A robot put on the ground, with all its collision shapes, and held there: from a file to a standing robot."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from locomote.contact.bodies import BodyContacts, Solid
from locomote.contact.collisions import Part, lowest, touch_of, touching_parts
from locomote.contact.pairs import collision_pairs, solid_of
from locomote.contact.touch import Ground, Touch
from locomote.dynamics.kinematics import forward_kinematics
from locomote.dynamics.momentum import center_of_mass
from locomote.errors import UnknownName
from locomote.geometry.shape import unit_vector
from locomote.geometry.shapes.plane import Plane
from locomote.locomotion.posture import bent, feet_of, plain_joints, upright
from locomote.locomotion.problem import Locomotion
from locomote.methods.gaps import gaps_of
from locomote.model.edit import lock
from locomote.model.model import Model, checked_model

FIRM, LAG = 20.0, 0.04  # stiffness of joints over weight times height, per rad ; damping over stiffness, s
ROOM = 16  # shapes other than feet that can touch the ground at a time
ROUNDS, PUT = 60, 1e-12  # to find how high a robot stands on uneven ground ; m


def on_ground(
    model: Model,
    ground: Ground | None = None,
    *,
    posture: Any = None,
    bodies: Collection[str] | None = None,
    hold: bool = True,
    drop: float = 0.0,
    tolerance: float = 0.0,
    self_contact: bool = True,
    name: str = "",
) -> Locomotion:
    """A problem in which a robot stands on the ground, which it touches with the collision shapes of its file.

    ground : what it stands on; a level floor with friction 0.7 if None
    posture : joint name -> value, rad or m, of joints that are not at zero; or q (nq,), of which the height of the base is
        found; or the name of a keyframe; if None the library bends its legs
    bodies : those that may touch; all that have collision shapes if None
    hold : whether springs and dampers of joints, strong enough to carry its weight, keep the posture; else joints are as in the
        model, for torques of your own (`problem.replaced(torques=...)`)
    drop : height above the ground from which it falls, m
    tolerance : error of convex hulls of meshes, m; with 0 they are exact
    self_contact : whether its bodies touch each other, those that do not overlap in the posture (`lo.collision_pairs`)

    Runs of it start there, at rest: `lo.on_ground(lo.load("go2.urdf", base="free")).simulate(10.0)`.
    """
    checked_model(model)
    ground = Ground() if ground is None else ground
    if not isinstance(ground, Ground):
        raise TypeError(f"ground is {ground!r:.60}, expected lo.Ground")
    if not (isinstance(drop, Real) and 0.0 <= drop < np.inf):
        raise ValueError(f"drop is {drop!r:.40}, expected a height in m, not negative")
    check_base(model)
    parts = list(touching_parts(model, bodies, tolerance=tolerance))
    if not parts:
        raise ValueError(
            f"model {model.name!r} has no collision shapes"
            + (" on these bodies" if bodies is not None else "")
            + ": give its bodies some (lo.Collision), or say what touches by lo.Touch"
        )
    up = upward(model, ground)
    model, q = with_mass(model, chosen_posture(model, posture, parts))
    springs = holding_springs(model, q, height_of(model, q, parts)) if hold else {}
    touches = [touch_of(part, ground) for part in parts]
    problem = Locomotion(model, contacts=touches, springs=springs, name=name or model.name)
    among: list[BodyContacts] = []
    if self_contact:
        among = collision_pairs(model, q, bodies=bodies).contacts(tolerance=tolerance)
        touches, more = feet_first(model, ground, parts, touches, q)
        among += more
    q = put_down(problem, model._full_q(q) if model.coupling else q, up, ground, float(drop))
    return problem.replaced(contacts=[*touches, *among], start=(q, np.zeros(problem.model.nv)))


def feet_first(
    model: Model, ground: Ground, parts: list[Part], touches: list[Touch], q: np.ndarray
) -> tuple[list[Touch], list[BodyContacts]]:
    """Shapes of feet as they are said, and all others as solids above the plane of the ground, which are not looked at until
    they come near it; on other grounds all as they are said."""
    plain = Ground(ground.surface, ground.friction, ground.restitution)
    if not isinstance(ground.surface, Plane) or ground != plain:
        return touches, []
    feet = {foot.body for foot in feet_of(model, parts, q, np.array([0.0, 0.0, 1.0]))}
    carriers = {int(model.carrier[model.body_index(body)]) for body in feet}
    own = [int(model.carrier[model.body_index(part.collision.body)]) in carriers for part in parts]
    others = {id(part.collision): part.collision for part, foot in zip(parts, own, strict=True) if not foot}
    if not feet or not others:
        return touches, []
    solids = (Solid(None, ground.surface, name="ground"), *(solid_of(shape) for shape in others.values()))
    pairs = tuple((0, k) for k in range(1, len(solids)))
    kept = [touch for touch, foot in zip(touches, own, strict=True) if foot]
    return kept, [BodyContacts(solids, pairs, ground.friction, ground.restitution, ROOM, "others")]


def floats(model: Model) -> bool:
    """Whether a model has one base, which is free."""
    roots = [model.body(name) for name in model.body_names if model.body(name).parent is None]
    return len(roots) == 1 and [model.joint(name).kind for name in roots[0].joints] == ["free"]


def check_base(model: Model) -> None:
    """A ValueError unless the first body floats."""
    if not floats(model):
        roots = [name for name in model.body_names if model.body(name).parent is None]
        kinds = [model.joint(name).kind for name in model.body(roots[0]).joints] or ["fixed"]
        has = f"{len(roots)} bodies without a parent" if len(roots) > 1 else f"a base that is {kinds[0]}"
        raise ValueError(
            f"model {model.name!r} has {has}: what is put on the ground has one base, and that is free (base='free')"
        )


def with_mass(model: Model, q: np.ndarray) -> tuple[Model, np.ndarray]:
    """The model with joints locked that move nothing that has mass, as fingers of some files, and its part of q (nq,)."""
    views = {name: model.joint(name) for name in model.joint_names}
    heavy: set[str] = set()
    for name in reversed(model.body_names):
        body = model.body(name)
        inertia = body.body.inertia
        if name in heavy or (inertia is not None and (inertia.mass > 0 or inertia.moment.any())):
            heavy |= {name} | ({body.parent} if body.parent else set())
    moving = {name for name, view in views.items() if view.body in heavy or view.joint.sizes != (1, 1)}
    moving |= {leader for c in model.description.couplings if c.joint in moving for leader, _ in c.ratios}
    whole, loose = model._full_q(q) if model.coupling else q, model.unfolded
    idle = {name: whole[loose.joint(name).q] for name in views if name not in moving}
    if not idle:
        return model, q
    kept = tuple(c for c in model.description.couplings if c.joint not in idle)
    locked = lock(Model(replace(model.description, couplings=kept)), idle)
    there = locked.neutral()
    for name in locked.joint_names:
        there[locked.joint(name).q] = q[views[name].q]
    return locked, there


def upward(model: Model, ground: Ground) -> np.ndarray:
    """(3,) the normal of a plane, or against gravity."""
    if isinstance(ground.surface, Plane):
        return unit_vector(ground.surface.normal, "normal")
    weight = float(np.linalg.norm(model.gravity))
    return -np.asarray(model.gravity) / weight if weight > 0 else np.array([0.0, 0.0, 1.0])


def chosen_posture(model: Model, posture: Any, parts: list[Part]) -> np.ndarray:
    """(nq,) what was said, or legs that are bent."""
    up = np.array([0.0, 0.0, 1.0])
    if posture is None:
        q = upright(model)
        return bent(model, feet_of(model, parts, model.neutral(), up), q, up)
    if isinstance(posture, str):
        known = getattr(model, "keyframes", {})
        if posture not in known:
            raise UnknownName("keyframe", posture, known, f"model {model.name!r}")
        return np.array(known[posture], float)
    if not isinstance(posture, Mapping):
        return np.array(model.checked_q(posture, "posture"), float)
    q = model.neutral()
    for joint, value in posture.items():
        view = model.joint(joint)
        if view.coupled:
            raise ValueError(f"joint {joint!r} of the posture follows another joint; say that of the other")
        given = np.atleast_1d(np.asarray(value, float))
        if given.shape != (view.q.stop - view.q.start,) or not np.isfinite(given).all():
            count = view.q.stop - view.q.start
            raise ValueError(f"joint {joint!r} of the posture is {value!r:.40}, expected {count} finite number(s)")
        q[view.q] = given
    return np.array(model.checked_q(q, "posture"), float)


def height_of(model: Model, q: np.ndarray, parts: list[Part]) -> float:
    """Height of the center of mass above the lowest point of a robot, m."""
    up, poses = np.array([0.0, 0.0, 1.0]), forward_kinematics(model, q)
    low = min(lowest(part, poses[model.body_index(part.collision.body)], up) for part in parts)
    return max(float(center_of_mass(model, q)[2]) - low, 1e-3)


def holding_springs(model: Model, q: np.ndarray, height: float) -> dict[str, tuple[float, float, float]]:
    """Joint name -> (stiffness, rest, damping) that hold a posture against the weight of the whole robot."""
    weight = model.mass * max(float(np.linalg.norm(model.gravity)), 1.0)
    turning, along = FIRM * weight * height, FIRM * weight / height
    springs = {}
    for joint in plain_joints(model):
        view = model.joint(joint)
        stiffness = along if view.kind == "prismatic" else turning
        springs[joint] = (stiffness, float(q[view.q.start]), LAG * stiffness)
    return springs


def put_down(problem: Locomotion, q: np.ndarray, up: np.ndarray, ground: Ground, drop: float) -> np.ndarray:
    """(nq,) the robot turned as the ground is and moved along its normal until it touches, then up by `drop`."""
    q = q.copy()
    if isinstance(ground.surface, Plane) and up[2] < 1 - 1e-12:
        q = tipped(q, up)
    for _ in range(ROUNDS):
        gap = float(gaps_of(problem, 0.0, q).min())
        if abs(gap) < PUT:
            break
        q[:3] -= gap * up
    q[:3] += drop * up
    return q


def tipped(q: np.ndarray, up: np.ndarray) -> np.ndarray:
    """(nq,) a free base turned, by the least, so that what pointed up points along `up`."""
    axis, half = np.array([-up[1], up[0], 0.0]), np.sqrt(0.5 * (1.0 + up[2]))
    x, y, z, w = *(axis / (2.0 * half) if half > 1e-6 else (1.0, 0.0, 0.0)), half
    i, j, k, r = q[3:7]
    turn = np.array([
        w * i + x * r + y * k - z * j, w * j - x * k + y * r + z * i, w * k + x * j - y * i + z * r,
        w * r - x * i - y * j - z * k,
    ])  # fmt: skip
    q[3:7] = turn / np.linalg.norm(turn)
    return q
