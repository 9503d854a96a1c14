"""The net motion of a run: where the base went."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from locomote.brief import brief
from locomote.dynamics.kinematics import forward_kinematics, velocity
from locomote.model.base import moving_root
from locomote.model.description import Body
from locomote.model.model import Model

FLAT = 0.02  # height over width of a path that is still seen from above
COARSE = 0.01  # part of a path that may be missing between samples before its length is only a lower bound
TRAVELS, OF_SIZE, LEAST_WAY = 0.05, 0.01, 1e-6  # part of its path, part of its own size, and m, that travels
GAUSS = np.polynomial.legendre.leggauss(4)


@brief
@dataclass(frozen=True)
class NetMotion:
    """How the base moved.

    joint, body : names of the joint and of the body that are the base
    t : (n,) s
    poses : (n, 4, 4) of the base body in the world
    yaw, pitch, roll : (n,) rad, turns about z, then the new y, then the new x; yaw and roll count full turns
    velocity : (n, 3) of the origin of the base body in the world, m/s; None if not known
    path : length of the path as the run itself tracked it, m; None if it did not
    """

    joint: str
    body: str
    t: np.ndarray
    poses: np.ndarray
    yaw: np.ndarray
    pitch: np.ndarray
    roll: np.ndarray
    velocity: np.ndarray | None = None
    path: float | None = None

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
        """Length of the path, m: as tracked by the run; else straight from sample to sample, which is never too long."""
        return self.path if self.path is not None else self._straight

    @cached_property
    def _straight(self) -> float:
        return float(np.linalg.norm(np.diff(self.position, axis=0), axis=1).sum())

    @cached_property
    def is_coarse(self) -> bool:
        """Whether `length` is only a lower bound: curves that leave the samples with their velocities are longer by more than
        1 %. Never so if the run tracked its path."""
        if self.path is not None or self.velocity is None or len(self.t) < 2:
            return False
        h = np.diff(self.t)[:, None]
        step, v0, v1 = np.diff(self.position, axis=0), h * self.velocity[:-1], h * self.velocity[1:]
        curved = np.zeros(len(h))
        for x, weight in zip(*GAUSS, strict=True):
            s = (1 + x) / 2
            rate = 6 * s * (1 - s) * step + (1 - 4 * s + 3 * s * s) * v0 + (3 * s * s - 2 * s) * v1  # rate of the cubic
            curved += weight / 2 * np.linalg.norm(rate, axis=1)
        return bool(abs(np.nansum(curved) - self._straight) > COARSE * np.nansum(curved))

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


def is_way(distance: float, path: float, size: float = 0.0) -> bool:
    """Whether something has travelled: it came far (m) for the length of its path and its own size, and not merely went to and
    fro, or settled."""
    return distance > LEAST_WAY and distance >= TRAVELS * path and distance >= OF_SIZE * size


def size_of(model: Model) -> float:
    """The largest distance between origins of bodies, all joints at zero, m."""
    places = forward_kinematics(model, model.neutral())[:, :3, 3]
    return max((float(np.linalg.norm(places - place, axis=1).max()) for place in places), default=0.0)


def base_alone(model: Model, body: Body) -> Model:
    """A model of the base and nothing else, made once for each model."""
    if "base alone" not in model._others:
        only = replace(model.description, bodies=(replace(body, flex=None),), couplings=(), warnings=())
        model._others["base alone"] = Model(only)
    return model._others["base alone"]


def net_motion(model: Model, t: np.ndarray, q: np.ndarray, v: np.ndarray, path: float | None = None) -> NetMotion | None:
    """The net motion of states q (n, nq), v (n, nv) at times t (n,), s; None for a fixed base.

    path : its length, if it was tracked, m
    """
    body = moving_root(model)
    if body is None:
        return None
    joints = [model.joint(joint.name) for joint in body.moving]
    finite = np.isfinite(q).all(axis=1) & np.isfinite(v).all(axis=1)  # a run that failed may end in NaN
    poses, speeds = np.full((len(t), 4, 4), np.nan), np.full((len(t), 3), np.nan)
    if any(joint.coupled for joint in joints):
        whole, own, rates = model, q[finite], v[finite]
    else:  # the base alone: the poses of all bodies of a long run would fill the memory
        whole = base_alone(model, body)
        own = np.concatenate([q[finite][:, joint.q] for joint in joints], axis=1)
        rates = np.concatenate([v[finite][:, joint.v] for joint in joints], axis=1)
    own = whole.normalize(own)
    poses[finite] = forward_kinematics(whole, own)[:, whole.body_index(body.name)]
    speeds[finite] = velocity(whole, own, rates, body.name, frame="aligned")[:, :3]
    R = poses[:, :3, :3]
    yaw, roll = (np.unwrap(np.arctan2(s, c)) for s, c in ((R[:, 1, 0], R[:, 0, 0]), (R[:, 2, 1], R[:, 2, 2])))
    if len(joints) == 1 and joints[0].kind == "planar" and len(t) and np.isclose(R[0, 2, 2], 1.0):
        angle = q[:, joints[0].q.stop - 1]  # counts turns even where samples are far apart
        yaw = yaw[0] + angle - angle[0]
    pitch = -np.arcsin(np.clip(R[:, 2, 0], -1.0, 1.0))
    return NetMotion(joints[0].name, body.name, t, poses, yaw, pitch, roll, speeds, path)
