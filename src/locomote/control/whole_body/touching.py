"""Where a contact is at a posture, and how it moves against what it touches, by public functions.

Compiled control has the same in `terms`; stances, reports and programs in charts ask here.
"""

from collections.abc import Sequence

import numpy as np

from locomote.control.whole_body.contacts import Contact
from locomote.dynamics.kinematics import acceleration, forward_kinematics, jacobian, velocity
from locomote.model.model import Model


def touched_pose(model: Model, contact: Contact, poses: np.ndarray) -> np.ndarray:
    """(4, 4) pose of the body that a contact touches, that of the world if it is the world; poses : (bodies, 4, 4)."""
    return np.eye(4) if contact.other is None else poses[model.body(contact.other).index]


def axes_of(model: Model, contact: Contact, poses: np.ndarray) -> np.ndarray:
    """(3, 3) tangents and normal of a contact as columns, world axes."""
    return touched_pose(model, contact, poses)[:3, :3] @ contact.axes


def points_of(model: Model, contact: Contact, poses: np.ndarray) -> np.ndarray:
    """(n, 3) in the frame of its body, m, where it touches: the points, or the lowest one of a ball."""
    if not contact.radius:
        return np.asarray(contact.points)
    R = poses[model.body(contact.body).index][:3, :3]
    return contact.points - contact.radius * (R.T @ axes_of(model, contact, poses)[:, 2])


def places_of(model: Model, contact: Contact, poses: np.ndarray) -> np.ndarray:
    """(n, 3) of its points in the world, m."""
    pose = poses[model.body(contact.body).index]
    return points_of(model, contact, poses) @ pose[:3, :3].T + pose[:3, 3]


def rows_at(model: Model, contact: Contact, q, point, poses: np.ndarray) -> np.ndarray:
    """(6, nv) twist of a point (3,) of its body against what it touches, world axes, over v."""
    (body, own), *rest = _places(model, contact, point, poses)
    J = jacobian(model, q, body, point=own, frame="aligned")
    return J - jacobian(model, q, rest[0][0], point=rest[0][1], frame="aligned") if rest else J


def levers_of(model: Model, contacts: Sequence[Contact], q) -> list[np.ndarray]:
    """By point, (nv, 3) forces of coordinates for unit forces along the axes of its contact."""
    poses = forward_kinematics(model, q)
    return [
        rows_at(model, c, q, point, poses)[:3].T @ axes_of(model, c, poses)
        for c in contacts
        for point in points_of(model, c, poses)
    ]


def drift_at(model: Model, contact: Contact, q, v, point, poses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(6,) twist of a point against what it touches, and its rate for a = 0, less that of a point of a ball that rolls on."""
    still, twist, rate = np.zeros(model.nv), np.zeros(6), np.zeros(6)
    for sign, (body, place) in zip((1.0, -1.0), _places(model, contact, point, poses), strict=False):
        twist += sign * velocity(model, q, v, body, point=place, frame="aligned")
        rate += sign * acceleration(model, q, v, still, body, point=place, frame="aligned")
    if contact.radius:
        arm = -contact.radius * axes_of(model, contact, poses)[:, 2]
        rate[:3] -= np.cross(twist[3:], np.cross(twist[3:], arm))
    return twist, rate


def _places(model: Model, contact: Contact, point, poses: np.ndarray) -> list[tuple[str, tuple[float, ...]]]:
    """The bodies of a contact, and where a point of the first is in their frames."""
    pose = poses[model.body(contact.body).index]
    found = [(contact.body, tuple(float(x) for x in point))]
    if contact.other is not None:
        other = touched_pose(model, contact, poses)
        place = other[:3, :3].T @ (pose[:3, :3] @ np.asarray(point) + pose[:3, 3] - other[:3, 3])
        found.append((contact.other, tuple(float(x) for x in place)))
    return found
