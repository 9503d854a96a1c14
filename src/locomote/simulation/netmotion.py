"""The net motion of a run: where the base went."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from locomote.dynamics.kinematics import forward_kinematics
from locomote.model.description import Body
from locomote.model.model import Model

MOVING = ("free", "planar", "x", "xy", "xyz", "spherical", "prismatic")
FLAT = 0.02  # height over width of a path that is still seen from above


@dataclass(frozen=True)
class NetMotion:
    """How the base moved.

    joint, body : names of the joint and of the body that are the base
    t : (n,) s
    poses : (n, 4, 4) of the base body in the world
    yaw, pitch, roll : (n,) rad, turns about z, then the new y, then the new x; yaw and roll count full turns
    """

    joint: str
    body: str
    t: np.ndarray
    poses: np.ndarray
    yaw: np.ndarray
    pitch: np.ndarray
    roll: np.ndarray

    @property
    def position(self) -> np.ndarray:
        """(n, 3) of the origin of the base body, m."""
        return self.poses[:, :3, 3]

    x = property(lambda self: self.position[:, 0], doc="(n,) m")
    y = property(lambda self: self.position[:, 1], doc="(n,) m")
    z = property(lambda self: self.position[:, 2], doc="(n,) m")

    @property
    def displacement(self) -> np.ndarray:
        """(3,) from the first place to the last, m."""
        return self.position[-1] - self.position[0] if len(self.t) else np.zeros(3)

    @property
    def distance(self) -> float:
        """From the first place to the last, as the crow flies, m."""
        return float(np.linalg.norm(self.displacement))

    @cached_property
    def length(self) -> float:
        """Of the path through all samples, m."""
        return float(np.linalg.norm(np.diff(self.position, axis=0), axis=1).sum())

    @property
    def turns(self) -> np.ndarray:
        """(3,) change of yaw, pitch and roll from the first sample to the last, rad."""
        return np.array([x[-1] - x[0] if len(x) else 0.0 for x in (self.yaw, self.pitch, self.roll)])

    @property
    def is_flat(self) -> bool:
        """Whether the base moved mostly in the horizontal plane, so that its path is best seen from above."""
        if not len(self.t):
            return False
        width = np.ptp(self.position, axis=0)
        return bool(width[:2].max() > 1e-9 and width[2] <= FLAT * width[:2].max())


def base_of(model: Model) -> Body | None:
    """The first body on the world that can move as a whole; None if there is none."""
    for name in model.body_names:
        body = model.body(name).body
        if body.parent is None and body.joints and body.joints[0].kind in MOVING:
            return body
    return None


def net_motion(model: Model, t: np.ndarray, q: np.ndarray) -> NetMotion | None:
    """The net motion of configurations q (n, nq) at times t (n,), s; None for a fixed base."""
    body = base_of(model)
    if body is None:
        return None
    joints = [model.joint(joint.name) for joint in body.joints if joint.kind != "fixed"]
    poses, finite = np.full((len(t), 4, 4), np.nan), np.isfinite(q).all(axis=1)  # a run that failed may end in NaN
    if any(joint.coupled for joint in joints):
        poses[finite] = forward_kinematics(model, model.normalize(q[finite]))[:, model.body_index(body.name)]
    else:  # the base alone: the poses of all bodies of a long run would fill the memory
        alone = Model(replace(model.description, bodies=(body,), couplings=(), warnings=()))
        own = np.concatenate([q[finite][:, joint.q] for joint in joints], axis=1)
        poses[finite] = forward_kinematics(alone, alone.normalize(own))[:, 0]
    R = poses[:, :3, :3]
    yaw, roll = (np.unwrap(np.arctan2(s, c)) for s, c in ((R[:, 1, 0], R[:, 0, 0]), (R[:, 2, 1], R[:, 2, 2])))
    if len(joints) == 1 and joints[0].kind == "planar" and len(t) and np.isclose(R[0, 2, 2], 1.0):
        angle = q[:, joints[0].q.stop - 1]  # counts turns even where samples are far apart
        yaw = yaw[0] + angle - angle[0]
    return NetMotion(joints[0].name, body.name, t, poses, yaw, -np.arcsin(np.clip(R[:, 2, 0], -1.0, 1.0)), roll)
