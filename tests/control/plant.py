"""A plant that the controller does not own: forward dynamics on a compliant ground with stick and slip, in small steps.

Each point is a spring and damper along the normal, and one along the tangents that slides when Coulomb's cone is left.
"""

import numpy as np

import locomote as lo


class Plant:
    """Points of bodies over planes.

    touching : {body: (points (n, 3), normal, offset)}; the plane is normal . x = offset
    """

    def __init__(self, model, touching, q, v=None, *, friction=0.7, stiffness=1e5, damping=600.0, step=2.5e-4, scale=1.0):
        self.model, self.q, self.v, self.step = model, q.copy(), np.zeros(model.nv) if v is None else v.copy(), step
        self.friction, self.stiffness, self.damping = friction, stiffness, damping
        self.bodies = [
            (model.body(body).index, np.atleast_2d(points), np.array(normal, float), float(offset))
            for body, (points, normal, offset) in touching.items()
        ]
        self.anchors = [np.full(points.shape, np.nan) for _, points, _, _ in self.bodies]
        self.slid = [np.zeros(len(points)) for _, points, _, _ in self.bodies]
        self.forces = [np.zeros(points.shape) for _, points, _, _ in self.bodies]
        self.push = np.zeros(3)
        self.pushed = 0

    def wrenches(self):
        motion = lo.motion(self.model, self.q, self.v, np.zeros(self.model.nv))
        W = np.zeros((len(self.model.body_names), 6))
        for n, (index, points, normal, offset) in enumerate(self.bodies):
            R, o, twist = motion.poses[index, :3, :3], motion.poses[index, :3, 3], motion.twists[index]
            place = points @ R.T + o
            speed = (twist[:3] + np.cross(twist[3:], points)) @ R.T
            depth, rate = offset - place @ normal, -(speed @ normal)
            f_n = np.where(depth > 0, np.maximum(self.stiffness * depth + self.damping * rate, 0.0), 0.0)
            off = f_n <= 0
            anchor = self.anchors[n]
            fresh = ~off & np.isnan(anchor[:, 0])
            anchor[fresh] = place[fresh]
            anchor[off] = np.nan
            flat = np.eye(3) - np.outer(normal, normal)
            away = np.nan_to_num(place - anchor) @ flat
            f_t = -self.stiffness * away - self.damping * speed @ flat
            size = np.linalg.norm(f_t, axis=1)
            bound = self.friction * f_n
            slip = ~off & (size > bound)
            f_t[slip] *= (bound[slip] / size[slip])[:, None]
            f_t[off] = 0.0
            if slip.any():  # the anchor follows
                new = place[slip] + f_t[slip] / self.stiffness
                self.slid[n][slip] += np.linalg.norm((new - anchor[slip]) @ flat, axis=1)
                anchor[slip] = new
            f = f_n[:, None] * normal + f_t
            self.forces[n] = f
            local = f @ R
            W[index, :3] += local.sum(axis=0)
            W[index, 3:] += np.cross(points, local).sum(axis=0)
        if self.push.any():
            W[self.pushed, :3] += motion.poses[self.pushed, :3, :3].T @ self.push
        return W

    def advance(self, tau, duration):
        for _ in range(round(duration / self.step)):
            a = lo.forward_dynamics(self.model, self.q, self.v, tau, wrenches=self.wrenches())
            self.v = self.v + self.step * a
            self.q = self.model.integrate(self.q, self.step * self.v)
        self.q = self.model.normalize(self.q)
