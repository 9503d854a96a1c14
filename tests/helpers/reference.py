"""A slow second formulation of the dynamics of a Description, which shares no code with the library.

Poses are products of 4x4 matrices. Their derivatives along the coordinates and along a motion follow from Leibniz' rule
alone (class Jet), exact to rounding. A rigid body is replaced by six point masses with the same mass, center and moment, so
that all of its mechanics is Newton's second law for points:

    tau_k = sum of m (p'' - g) . dp/dv_k        M_kl = sum of m dp/dv_k . dp/dv_l        P = sum of m p'

Added inertia A has kinetic energy but no weight; its wrench is Kirchhoff's, d/dt of (A eta) carried along by eta.
Every function is analytic in the configuration, so a complex `nudge` of it gives derivatives without cancellation.
"""

from dataclasses import dataclass

import numpy as np

STEP = 1e-30  # of complex steps
LETTERS = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
SIZES = {"spherical": (4, 3), "free": (7, 6), "planar": (3, 3), "euler": (3, 3), "cylindrical": (2, 2), "universal": (2, 2)}
SIZES |= {"pin_in_slot": (2, 2), "xy": (2, 2), "xyz": (3, 3), "fixed": (0, 0)}


def hat3(w):
    """The matrix that crosses with w."""
    return np.array([[0 * w[0], -w[2], w[1]], [w[2], 0 * w[0], -w[0]], [-w[1], w[0], 0 * w[0]]])


def hat(twist):
    """The 4x4 matrix of a twist (linear, angular)."""
    twist = np.asarray(twist)
    result = np.zeros((4, 4), dtype=twist.dtype)
    result[:3, :3], result[:3, 3] = hat3(twist[3:]), twist[:3]
    return result


def vee(matrix):
    """The twists (..., 6) of matrices (..., 4, 4)."""
    w = [matrix[..., 2, 1], matrix[..., 0, 2], matrix[..., 1, 0]]
    return np.stack([matrix[..., 0, 3], matrix[..., 1, 3], matrix[..., 2, 3], *w], axis=-1)


def placed(turn=None, shift=(0.0, 0.0, 0.0)):
    """A 4x4 pose."""
    shift = np.asarray(shift)
    result = np.eye(4, dtype=np.result_type(shift, float if turn is None else turn))
    result[:3, :3] = np.eye(3) if turn is None else turn
    result[:3, 3] = shift
    return result


def inverse(pose):
    """The inverse of a pose."""
    return placed(pose[:3, :3].T, -pose[:3, :3].T @ pose[:3, 3])


def about(axis, angle):
    """Rodrigues' rotation by an angle about a unit axis."""
    K = hat3(np.asarray(axis, dtype=float))
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def from_quaternion(x, y, z, w):
    """The rotation of a unit quaternion: p -> q p q*, written out with vectors."""
    u = np.array([x, y, z])
    return (w * w - u @ u) * np.eye(3) + 2 * np.outer(u, u) + 2 * w * hat3(u)


def unit(axis):
    """A unit axis from a letter or three numbers."""
    axis = np.array(LETTERS[axis] if isinstance(axis, str) else axis, dtype=float)
    return axis / np.sqrt(axis @ axis)


def plane_of(normal):
    """A rotation with z along the normal: the other axes are those of the body in turn, as long as the normal is one."""
    n = unit(normal)
    for k in range(3):
        if abs(n[k]) == 1.0:
            columns = [np.eye(3)[(k + 1) % 3], np.eye(3)[(k + 2) % 3] * n[k], n]
            return np.array(columns).T
    least = np.eye(3)[np.argmin(abs(n))]
    x = np.cross(least, n)
    x = x / np.sqrt(x @ x)
    return np.array([x, np.cross(n, x), n]).T


def elementary(joint, q):
    """A joint as factors (pose at q, motion axes): each moves as X' = X hat(sum of axis times rate), in body axes."""
    zero, q = np.zeros(3), np.asarray(q)
    at = np.asarray(joint.anchor, dtype=float)

    def turn(axis, angle, pitch=0.0):
        e = unit(axis)
        R = about(e, angle)
        return placed(R, at - R @ at + pitch * angle * e), [np.concatenate([np.cross(at, e) + pitch * e, e])]

    def shift(axis, distance):
        e = unit(axis)
        return placed(shift=distance * e), [np.concatenate([e, zero])]

    kind = joint.kind
    if kind in ("revolute", "helical"):
        return [turn(joint.axis, q[0] - joint.reference, joint.pitch if kind == "helical" else 0.0)]
    if kind in ("prismatic", "x"):
        return [shift("x" if kind == "x" else joint.axis, q[0] - joint.reference)]
    if kind == "cylindrical":
        return [turn(joint.axis, q[0]), shift(joint.axis, q[1])]
    if kind == "pin_in_slot":
        return [shift(joint.axis2, q[0]), turn(joint.axis, q[1])]
    if kind == "universal":
        return [turn(joint.axis, q[0]), turn(joint.axis2, q[1])]
    if kind == "euler":
        return [turn(letter, angle) for letter, angle in zip(joint.sequence, q, strict=True)]
    if kind in ("xy", "xyz"):
        return [shift(letter, distance) for letter, distance in zip(kind, q, strict=True)]
    if kind == "spherical":
        R = from_quaternion(*q)
        return [(placed(R, at - R @ at), [np.concatenate([np.cross(at, e), e]) for e in np.eye(3)])]
    if kind == "free":
        return [(placed(from_quaternion(*q[3:]), q[:3]), list(np.eye(6)))]
    if kind == "planar":
        P = placed(plane_of(joint.axis))
        motion = placed(about((0.0, 0.0, 1.0), q[2]), np.array([q[0], q[1], 0.0 * q[0]]))
        x, y, n = P[:3, :3].T
        axes = [np.concatenate([x, zero]), np.concatenate([y, zero]), np.concatenate([zero, n])]
        return [(P @ motion @ P.T, axes)]
    raise AssertionError(kind)


@dataclass
class Jet:
    """A 4x4 matrix, its derivatives along a motion (first and second), along every coordinate, and mixed."""

    g: np.ndarray
    t: np.ndarray
    tt: np.ndarray
    k: np.ndarray
    kt: np.ndarray

    @classmethod
    def constant(cls, g, nv):
        g = np.asarray(g)
        return cls(g, 0 * g, 0 * g, np.zeros((nv, 4, 4)), np.zeros((nv, 4, 4)))

    def __matmul__(self, o):
        return Jet(
            self.g @ o.g,
            self.t @ o.g + self.g @ o.t,
            self.tt @ o.g + 2 * self.t @ o.t + self.g @ o.tt,
            self.k @ o.g + self.g @ o.k,
            self.kt @ o.g + self.k @ o.t + self.t @ o.k + self.g @ o.kt,
        )


class Reference:
    """Order, names and coordinates of a Description, derived from its words alone."""

    def __init__(self, description):
        self.description = description
        by_parent = {}
        for body in description.bodies:
            by_parent.setdefault(body.parent, []).append(body)
        self.bodies = []

        def visit(parent):
            for body in by_parent.get(parent, []):
                self.bodies.append(body)
                visit(body.name)

        visit(None)
        self.joints = [joint for body in self.bodies for joint in body.joints if joint.kind != "fixed"]
        dependent = {c.joint: c for c in description.couplings}
        self.places, self.nq, self.nv = {}, 0, 0
        for joint in self.joints:
            if joint.name not in dependent:
                nq, nv = SIZES.get(joint.kind, (1, 1))
                self.places[joint.name] = (slice(self.nq, self.nq + nq), slice(self.nv, self.nv + nv))
                self.nq, self.nv = self.nq + nq, self.nv + nv
        self.dependent = dependent
        carried = set()
        for body in self.bodies:
            if body.parent in carried or any(joint.kind != "fixed" for joint in body.joints):
                carried.add(body.name)
        self.moving = [body for body in self.bodies if body.name in carried]

    def coordinates(self, name, q):
        """Values of a joint, and its rates as rows over v."""
        if name in self.places:
            q_slice, v_slice = self.places[name]
            return q[q_slice], np.eye(self.nv)[v_slice]
        coupling = self.dependent[name]
        value, row = coupling.offset, np.zeros(self.nv)
        for other, ratio in coupling.ratios:
            their_value, their_rows = self.coordinates(other, q)
            value, row = value + ratio * their_value[0], row + ratio * their_rows[0]
        return np.array([value]), row[None]

    def at(self, q, v=None, a=None, nudge=None):
        """Everything at one configuration, moving with v and a; `nudge` (nv) moves it by a small step along the tangent."""
        v = np.zeros(self.nv) if v is None else np.asarray(v)
        a = np.zeros(self.nv) if a is None else np.asarray(a)
        jets = {None: Jet.constant(np.eye(4), self.nv)}
        for body in self.bodies:
            jet = jets[body.parent] @ Jet.constant(body.placement, self.nv)
            for joint in body.joints:
                if joint.kind != "fixed":
                    jet = jet @ self.joint_jet(joint, q, v, a, nudge)
            jets[body.name] = jet
        armature = np.zeros((self.nv, self.nv))
        for joint in self.joints:
            rows = self.coordinates(joint.name, np.asarray(q))[1]
            armature += rows.T @ np.diag(np.broadcast_to(np.asarray(joint.armature, dtype=float), len(rows))) @ rows
        return Snapshot(self, jets, armature, v, a)

    def joint_jet(self, joint, q, v, a, nudge):
        """The jet of all factors of a joint."""
        values, rows = self.coordinates(joint.name, np.asarray(q))
        result, done = Jet.constant(np.eye(4), self.nv), 0
        for X, axes in elementary(joint, values):
            hats = np.array([hat(axis) for axis in axes])
            own = rows[done : done + len(axes)]
            done += len(axes)
            K, V, A = (np.tensordot(x, hats, (0, 0)) for x in (own, own @ v, own @ a))
            if nudge is not None:
                X = X @ (np.eye(4) + np.tensordot(own @ nudge, hats, (0, 0)))
            result = result @ Jet(X, X @ V, X @ (V @ V + A), X @ K, X @ V @ K)
        return result

    def derivative(self, function, q, v=None, a=None, along=None):
        """d/dq of function(snapshot) along every coordinate of the tangent (last axis), or along one direction."""
        if along is not None:
            return np.imag(function(self.at(q, v, a, nudge=1j * STEP * np.asarray(along)))) / STEP
        parts = [self.derivative(function, q, v, a, along=e) for e in np.eye(self.nv)]
        return np.stack(parts, axis=-1)

    def moved(self, q, dv):
        """Poses of every joint after moving by the constant velocity dv for unit time, as {(joint, factor): 4x4}."""
        from scipy.linalg import expm

        result = {}
        for joint in self.joints:
            values, rows = self.coordinates(joint.name, np.asarray(q))
            done = 0
            for n, (X, axes) in enumerate(elementary(joint, values)):
                own = rows[done : done + len(axes)] @ dv
                done += len(axes)
                result[joint.name, n] = X @ expm(sum(hat(axis) * rate for axis, rate in zip(axes, own, strict=True)))
        return result


def points_of(inertia):
    """Six points (4, 6) and the mass of each, with the mass, center and moment of a rigid body."""
    m, c, moment = inertia.mass, np.asarray(inertia.com), np.asarray(inertia.moment)
    spread, axes = np.linalg.eigh(0.5 * np.trace(moment) * np.eye(3) - moment)
    if m == 0:
        return np.zeros((4, 6)), 0.0
    reach = axes * np.sqrt(np.maximum(spread, 0.0) * 3 / m)
    return np.vstack([c[:, None] + np.hstack([reach, -reach]), np.ones(6)]), m / 6


@dataclass
class Snapshot:
    """A mechanism at one configuration and motion."""

    reference: Reference
    jets: dict
    armature: np.ndarray
    v: np.ndarray
    a: np.ndarray

    # kinematics of one body

    def pose(self, body):
        """(4, 4) pose in the world."""
        return self.jets[body].g

    def twist_jacobian(self, body):
        """(6, nv) body twist per velocity."""
        jet = self.jets[body]
        return vee(inverse(jet.g) @ jet.k).T

    def twist(self, body):
        """(6,) body twist."""
        jet = self.jets[body]
        return vee(inverse(jet.g) @ jet.t)

    def twist_rate(self, body):
        """(6,) time derivative of the body twist."""
        jet = self.jets[body]
        X = inverse(jet.g)
        return vee(X @ jet.tt - X @ jet.t @ X @ jet.t)

    def jacobian(self, body, point=(0.0, 0.0, 0.0), frame="local"):
        """(6, nv) twist of a point per velocity, in one of the three frames."""
        return self._seen(body, point, frame)[0]

    def jacobian_rate(self, body, point=(0.0, 0.0, 0.0), frame="local"):
        """(6, nv) its time derivative."""
        return self._seen(body, point, frame)[1]

    def _seen(self, body, point, frame):
        jet, x = self.jets[body], np.append(np.asarray(point, dtype=float), 1.0)
        R, Rt = jet.g[:3, :3], jet.t[:3, :3]
        p, pt = (jet.g @ x)[:3], (jet.t @ x)[:3]
        turn = jet.k[:, :3, :3] @ R.T  # hat of the angular velocity in world axes
        turn_t = jet.kt[:, :3, :3] @ R.T + jet.k[:, :3, :3] @ Rt.T
        w, wt = (np.stack([s[:, 2, 1], s[:, 0, 2], s[:, 1, 0]]) for s in (turn, turn_t))
        u, ut = (jet.k @ x)[:, :3].T, (jet.kt @ x)[:, :3].T
        if frame == "local":
            rate = np.vstack([R.T @ ut + Rt.T @ u, R.T @ wt + Rt.T @ w])
            return np.vstack([R.T @ u, R.T @ w]), rate
        if frame == "world":
            away, away_t = (np.cross(w, y, axis=0) for y in (p[:, None], pt[:, None]))
            return np.vstack([u - away, w]), np.vstack([ut - away_t - np.cross(wt, p[:, None], axis=0), wt])
        return np.vstack([u, w]), np.vstack([ut, wt])

    # mechanics of all bodies

    def _points(self):
        """Per moving body with mass: the mass of a point, positions, velocities, accelerations (3, n), and (nv, 3, n) per v."""
        for body in self.reference.moving:
            if body.inertia is not None:
                x, m = points_of(body.inertia)
                jet = self.jets[body.name]
                yield m, (jet.g @ x)[:3], (jet.t @ x)[:3], (jet.tt @ x)[:3], (jet.k @ x)[:, :3]

    def _added(self):
        """Per moving body with added inertia: its matrix, name."""
        for body in self.reference.moving:
            if body.added_inertia is not None:
                yield np.asarray(body.added_inertia, dtype=float), body.name

    def mass_matrix(self):
        """(nv, nv)."""
        M = self.armature.astype(self.jets[self.reference.bodies[0].name].g.dtype)
        for m, _, _, _, u in self._points():
            M = M + m * np.einsum("kin,lin->kl", u, u)
        for A, body in self._added():
            J = self.twist_jacobian(body)
            M = M + J.T @ A @ J
        return M

    def inverse_dynamics(self, wrenches=None):
        """(nv,) forces of the motion; wrenches maps body names to (force, moment) in the body frame."""
        gravity = np.asarray(self.reference.description.gravity, dtype=float)
        tau = self.armature @ self.a
        for m, _, _, acc, u in self._points():
            tau = tau + m * np.einsum("in,kin->k", acc - gravity[:, None], u)
        for A, body in self._added():
            tau = tau + self.twist_jacobian(body).T @ self._kirchhoff(A, body)
        for body, wrench in (wrenches or {}).items():
            tau = tau - self.twist_jacobian(body).T @ np.asarray(wrench)
        return tau

    def _kirchhoff(self, A, body):
        h, rate, t = A @ self.twist(body), A @ self.twist_rate(body), self.twist(body)
        force = rate[:3] + np.cross(t[3:], h[:3])
        return np.concatenate([force, rate[3:] + np.cross(t[3:], h[3:]) + np.cross(t[:3], h[:3])])

    def kinetic_energy(self):
        energy = 0.5 * self.v @ self.armature @ self.v
        for m, _, u, _, _ in self._points():
            energy = energy + 0.5 * m * (u * u).sum()
        for A, body in self._added():
            energy = energy + 0.5 * self.twist(body) @ A @ self.twist(body)
        return energy

    def potential_energy(self):
        gravity = np.asarray(self.reference.description.gravity, dtype=float)
        return sum(-m * (gravity @ p).sum() for m, p, _, _, _ in self._points())

    def mass(self):
        return sum(6 * m for m, *_ in self._points())

    def center_of_mass(self):
        """(3,)."""
        return sum(m * p.sum(axis=1) for m, p, _, _, _ in self._points()) / self.mass()

    def center_velocity(self):
        """(3,)."""
        return sum(m * u.sum(axis=1) for m, _, u, _, _ in self._points()) / self.mass()

    def momentum(self):
        """(6,) linear, and angular about the center of mass, world axes."""
        P, L, c = np.zeros(3), np.zeros(3), self.center_of_mass()
        for m, p, u, _, _ in self._points():
            P, L = P + m * u.sum(axis=1), L + m * np.cross(p - c[:, None], u, axis=0).sum(axis=1)
        for A, body in self._added():
            g, h = self.pose(body), A @ self.twist(body)
            force = g[:3, :3] @ h[:3]
            P, L = P + force, L + g[:3, :3] @ h[3:] + np.cross(g[:3, 3] - c, force)
        return np.concatenate([P, L])

    def momentum_rate(self):
        """(6,) time derivative of `momentum`."""
        P, L, c, u_c = np.zeros(3), np.zeros(3), self.center_of_mass(), self.center_velocity()
        for m, p, _, acc, _ in self._points():
            P, L = P + m * acc.sum(axis=1), L + m * np.cross(p - c[:, None], acc, axis=0).sum(axis=1)
        for A, body in self._added():
            g, f, h = self.pose(body), self._kirchhoff(A, body), A @ self.twist(body)
            force = g[:3, :3] @ f[:3]
            P, L = P + force, L + g[:3, :3] @ f[3:] + np.cross(g[:3, 3] - c, force)
            L = L - np.cross(u_c, g[:3, :3] @ h[:3])
        return np.concatenate([P, L])
