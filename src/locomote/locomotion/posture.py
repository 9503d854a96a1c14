"""A posture in which a robot can stand: legs bent a little, feet under its center of mass.

Feet are the bodies at the ends of legs that come lowest when all joints are at zero, at p_0. Legs of length L are then bent,
within the limits of their joints, until the feet are higher by BEND L, turned as they were if legs have six joints or more, and
the center of mass is above their middle:

    min |p_i - p_i0 - BEND L up - c|^2 + |R_i - R_i0|^2 + SMALL^2 |q - q_0|^2 ,   c the center of mass less the middle of p_0
"""

from dataclasses import dataclass

import numpy as np

from locomote.brief import brief
from locomote.contact.collisions import Part, lowest
from locomote.dynamics.kinematics import forward_kinematics
from locomote.dynamics.momentum import center_of_mass
from locomote.geometry.shapes.box import CORNERS, Box
from locomote.geometry.shapes.hull import Hull
from locomote.model.model import Model

BEND = 0.08  # of the length of a leg
NEAR = 0.1  # of the height of a robot: how much higher than the lowest foot others may be
SOLE = 6  # joints from which on a leg can keep its sole level
START = 0.35  # rad, by which legs are bent where the search begins
MISSED = 0.02  # m, of the feet: beyond this legs are left as they were
TURNS, SMALL = 3, 1e-3  # of the search ; weight of joints in it
THICK = 0.01  # m, of what counts as the sole of a foot
INSIDE = 0.02  # of its range: how far a joint stays away from its limits


@brief
@dataclass(frozen=True)
class Foot:
    """A foot: its body, its lowest place in the body frame, m, and the joints between it and the base, by their names."""

    body: str
    place: np.ndarray
    joints: tuple[str, ...]


def upright(model: Model) -> np.ndarray:
    """(nq,) all joints at zero, or at the nearest place within their limits."""
    q = model.neutral()
    for joint in plain_joints(model):
        k = model.joint(joint).q.start
        q[k] = within(model, k, q[k])
    return q


def within(model: Model, k: int, value: float) -> float:
    """The nearest value that is well within the limits of a coordinate of q."""
    lower, upper = float(model.lower[k]), float(model.upper[k])
    room = INSIDE * (upper - lower) if np.isfinite(upper - lower) else 0.0
    return float(np.clip(value, lower + room, upper - room))


def plain_joints(model: Model) -> list[str]:
    """Names of joints of one coordinate that follow no other."""
    views = [model.joint(name) for name in model.joint_names]
    return [view.name for view in views if not view.coupled and view.joint.sizes == (1, 1)]


def joints_to(model: Model, body: str) -> tuple[str, ...]:
    """Names of the joints of one coordinate between the base and a body, from the base on."""
    found: list[str] = []
    plain, at = set(plain_joints(model)), body
    while at is not None:
        view = model.body(at)
        found = [*(name for name in view.joints if name in plain), *found]
        at = view.parent
    return tuple(found)


def feet_of(model: Model, parts: list[Part], q: np.ndarray, up: np.ndarray) -> list[Foot]:
    """Bodies at the ends of legs that are lowest at q."""
    poses, soles = forward_kinematics(model, q), {}
    for part in parts:
        index = model.body_index(part.collision.body)
        soles.setdefault(int(model.carrier[index]), []).append((part, poses[index]))
    if not soles:
        return []
    low = {carrier: min(lowest(part, pose, up) for part, pose in own) for carrier, own in soles.items()}
    tall = float(np.max(poses[:, :3, 3] @ up)) - min(low.values())
    feet = []
    for carrier, own in soles.items():
        if low[carrier] > min(low.values()) + NEAR * tall:
            continue
        below = np.concatenate([bottom(part, pose, up, low[carrier] + THICK) for part, pose in own])
        middle = (below.min(axis=0) + below.max(axis=0)) / 2
        part, pose = min(own, key=lambda pair: lowest(*pair, up))
        place = middle + (low[carrier] - up @ middle) * up
        joints = joints_to(model, part.collision.body)
        feet.append(Foot(part.collision.body, (np.linalg.inv(pose) @ [*place, 1.0])[:3], joints))
    inner = {name for foot in feet for name in foot.joints[:-1]}
    return [foot for foot in feet if foot.joints and foot.joints[-1] not in inner]


def bottom(part: Part, pose: np.ndarray, up: np.ndarray, most: float) -> np.ndarray:
    """(n, 3) places of a shape that may be on the ground: corners no higher than `most`, or its lowest place."""
    frame, shape = pose @ part.pose, part.shape
    if isinstance(shape, Hull | Box):
        corners = shape.corners if isinstance(shape, Hull) else np.array(shape.half) * CORNERS
        there = corners @ frame[:3, :3].T + frame[:3, 3]
        return there[there @ up <= most]
    height, middle = lowest(part, pose, up), frame[:3, 3]
    return (middle + (height - up @ middle) * up)[None][: int(height <= most)]


def bent(model: Model, feet: list[Foot], q: np.ndarray, up: np.ndarray) -> np.ndarray:
    """(nq,) q with legs bent as above; q itself where they cannot be. Other joints stay as they are at q."""
    names = list(dict.fromkeys(name for foot in feet for name in foot.joints))
    places = np.array([model.joint(name).q.start for name in names], int)
    if not len(places):
        return q
    straight = q.copy()
    straight[places] = model.neutral()[places]
    before, there = forward_kinematics(model, straight), q.copy()
    start = standing_points(model, before, feet)
    there[places] += first_bend(model, before, feet, names, up)
    across, lift = np.eye(3) - np.outer(up, up), BEND * leg_length(model, before, feet, start, up)
    for _ in range(TURNS):  # the center of mass moves with the legs
        middle = across @ (center_of_mass(model, there) - start.mean(axis=0))
        there = reached(model, feet, before, there, places, start + lift[:, None] * up + middle)
    ends = standing_points(model, forward_kinematics(model, there), feet)
    off = across @ (center_of_mass(model, there) - ends.mean(axis=0))
    missed = max(abs(np.ptp((ends - start) @ up - lift)), float(np.linalg.norm(off)))
    return there if missed < MISSED else q


def reached(model: Model, feet: list[Foot], before: np.ndarray, q: np.ndarray, places: np.ndarray, goals: np.ndarray):
    """(nq,) joints at places of q so that feet are at their goals (feet, 3), soles turned as in poses `before`."""
    from scipy.optimize import least_squares

    indices, there = [model.body_index(foot.body) for foot in feet], q.copy()

    def missed(x: np.ndarray) -> np.ndarray:
        there[places] = x
        poses = forward_kinematics(model, there)
        parts = [(standing_points(model, poses, feet) - goals).ravel(), SMALL * (x - q[places])]
        for index, foot in zip(indices, feet, strict=True):
            if len(foot.joints) >= SOLE:
                parts.append((poses[index][:3, :3] - before[index][:3, :3]).ravel())
        return np.concatenate(parts)

    low, high = (np.array([within(model, k, end) for k in places]) for end in (-np.inf, np.inf))
    found = least_squares(missed, np.clip(q[places], low, high), bounds=(low - 1e-9, high + 1e-9), xtol=1e-10)
    there[places] = found.x
    return there


def standing_points(model: Model, poses: np.ndarray, feet: list[Foot]) -> np.ndarray:
    """(feet, 3) lowest places of the feet in the world."""
    return np.array([(poses[model.body_index(foot.body)] @ [*foot.place, 1.0])[:3] for foot in feet])


def leg_length(model: Model, poses: np.ndarray, feet: list[Foot], places: np.ndarray, up: np.ndarray) -> np.ndarray:
    """(feet,) from the first joint of each leg down to the foot, m."""
    hips = [poses[model.body_index(model.joint(foot.joints[0]).body)][:3, 3] for foot in feet]
    return np.maximum((np.array(hips) - places) @ up, 0.0)


def first_bend(model: Model, poses: np.ndarray, feet: list[Foot], names: list[str], up: np.ndarray) -> np.ndarray:
    """(joints,) by how much to turn joints of legs before the search: those across the leg, knees twice and the other way."""
    turned = dict.fromkeys(names, 0.0)
    for foot in feet:
        axes = [(name, world_axis(model, poses, name)) for name in foot.joints if model.joint(name).kind == "revolute"]
        side = max(axes, key=lambda pair: sum(abs(pair[1] @ axis) for _, axis in axes), default=("", np.zeros(3)))[1]
        across = [(name, float(np.sign(axis @ side))) for name, axis in axes if abs(axis @ side) > 0.9 and abs(axis @ up) < 0.5]
        for (name, sign), factor in zip(across[-3:], (-1.0, 2.0, -1.0), strict=False):
            turned[name] = START * factor * sign
    return np.array([turned[name] for name in names])


def world_axis(model: Model, poses: np.ndarray, name: str) -> np.ndarray:
    """(3,) axis of a joint in the world."""
    view, letters = model.joint(name), {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
    axis = view.joint.axis
    axis = np.array(letters.get(axis, (0, 0, 1)) if isinstance(axis, str) else axis, float)
    return poses[model.body_index(view.body)][:3, :3] @ axis / max(float(np.linalg.norm(axis)), 1e-12)
