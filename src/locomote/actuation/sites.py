"""Motors that act on frames of bodies: lengths and moment arms, as MuJoCo has them.

A frame on a body pushes along its own axes, R gear, and has no length. Beside a reference frame the length is the sum of
gear times place and turn in that frame, R_r^T (p - p_r) and log R_r^T R; arms are R_r gear times the motion beside it, of which
joints that move both have no part. A slider crank, with rod r from p to the slider at p_r, a its axis, w = p - p_r:

    length = gear (w . a - s) ,   s^2 = (w . a)^2 + r^2 - w . w
"""

from collections.abc import Sequence

import numpy as np
from scipy.spatial.transform import Rotation

from locomote.dynamics.kinematics import forward_kinematics, jacobian
from locomote.model.model import Model
from locomote.model.scene import Site

SINGULAR = 1e-15  # m^2, of s^2, below which the rod is stretched


class Sites:
    """Sites of motors, on a model."""

    def __init__(self, model: Model, sites: Sequence[Site]):
        self.model, self.sites = model, sites
        self.shared = [self._movers(own.body) & self._movers(own.other) for own in sites]

    def _movers(self, body: str | None) -> np.ndarray:
        """(nv,) which coordinates move a body."""
        moved = np.zeros(self.model.nv, bool)
        while body is not None:
            view = self.model.body(body)
            for name in view.joints:
                moved[self.model.joint(name).v] = True
            body = view.parent
        return moved

    def _frame(self, q, poses, body: str | None, frame: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Pose (4, 4) in the world, and (6, nv) motion of its origin, along axes of the world."""
        if body is None:
            return frame, np.zeros((6, self.model.nv))
        pose = poses[self.model.body_index(body)] @ frame
        return pose, jacobian(self.model, q, body, point=tuple(frame[:3, 3]), frame="aligned")

    def __call__(self, q) -> tuple[np.ndarray, np.ndarray]:
        """(sites,) lengths and (sites, nv) moment arms."""
        q, poses = np.asarray(q, dtype=float), forward_kinematics(self.model, q)
        found = [self._of(own, shared, q, poses) for own, shared in zip(self.sites, self.shared, strict=True)]
        return np.array([length for length, _ in found]), np.array([arms for _, arms in found])

    def _of(self, own: Site, shared: np.ndarray, q, poses) -> tuple[float, np.ndarray]:
        pose, J = self._frame(q, poses, own.body, own.frame)
        gear, turn = np.array(own.gear[:3]), np.array(own.gear[3:])
        if own.other_frame is None:
            return 0.0, pose[:3, :3] @ gear @ J[:3] + pose[:3, :3] @ turn @ J[3:]
        reference, other = self._frame(q, poses, own.other, own.other_frame)
        away, R = pose[:3, 3] - reference[:3, 3], reference[:3, :3]
        if own.rod:
            a, gap = R[:, 2], J[:3] - other[:3]
            along = float(away @ a)
            square = along**2 + own.rod**2 - float(away @ away)
            s = np.sqrt(square) if square > SINGULAR else np.inf
            by_place, by_axis = a + (away - along * a) / s, away - along / s * away
            length = along - (s if square > SINGULAR else 0.0)
            return gear[0] * length, gear[0] * (by_place @ gap + by_axis @ np.cross(other[3:], a, axisa=0).T)
        beside = np.where(shared, 0.0, J - other)
        length = gear @ (R.T @ away) + (turn @ Rotation.from_matrix(R.T @ pose[:3, :3]).as_rotvec() if turn.any() else 0.0)
        return float(length), R @ gear @ beside[:3] + R @ turn @ beside[3:]
