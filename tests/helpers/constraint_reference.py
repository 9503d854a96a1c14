"""A slow second formulation of all constraints, on the poses of `reference.py`; it shares no code with the library.

A constraint is a list of numbers that must not change, or a list of directions along which two material points must not move
relative to each other. Where a round body touches a surface F = 0 is found by minimising F over the parametrised skin of the
body, not from support functions. Rates are derivatives of poses (the jets of `reference.py`), or differences.
"""

import numpy as np
from reference import about, inverse, placed, unit

import locomote as lo

LOCKED = {
    "weld": "xyzabc",
    "revolute": "xyzab",
    "spherical": "xyz",
    "universal": "xyzc",
    "prismatic": "xyabc",
    "cylindrical": "xyab",
    "planar": "zab",
}
TILT = about((0.36, -0.48, 0.8), 1.3)  # keeps the poles of spherical coordinates away from contacts
GUESSES = {}  # constraints, which so stay alive and keep their id, and where each last touched
EIGHTH = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))


def derivative(function, step=2e-3):
    """d/dh of function(h) at zero by central differences of eighth order."""
    return sum(weight * (function(n * step) - function(-n * step)) for n, weight in EIGHTH) / step


def pose_of(value):
    """A pose from a pose or a shift."""
    value = np.asarray(value, dtype=float)
    return value if value.shape == (4, 4) else placed(shift=value)


class Frames:
    """Pose and derivative along every coordinate of frames fixed to bodies, None being the world."""

    def __init__(self, snapshot):
        self.snapshot, self.nv = snapshot, snapshot.reference.nv

    def pose(self, body):
        return np.eye(4) if body is None else self.snapshot.jets[body].g

    def rates(self, body):
        return np.zeros((self.nv, 4, 4)) if body is None else self.snapshot.jets[body].k

    def velocity(self, body, x):
        """(3, nv) velocity of the material point of a body at the world point x."""
        return (self.rates(body) @ inverse(self.pose(body)) @ np.append(x, 1.0))[:, :3].T

    def spin(self, body):
        """(3, nv) angular velocity in world axes."""
        turn = self.rates(body)[:, :3, :3] @ self.pose(body)[:3, :3].T
        return np.array([turn[:, 2, 1], turn[:, 0, 2], turn[:, 1, 0]])

    def relative(self, c, frame_b, frame_a):
        """Pose of a frame of the body seen from a frame of the other, and its (nv, 4, 4) rates."""
        A, B = self.pose(c.other) @ frame_a, self.pose(c.body) @ frame_b
        dA, dB = self.rates(c.other) @ frame_a, self.rates(c.body) @ frame_b
        back = inverse(A)
        return back @ B, back @ dB - back @ dA @ back @ B


def rows_of(c, snapshot, target=None):
    """(rows, nv) matrix of a constraint, and its position errors (zeros where nothing is held)."""
    frames = Frames(snapshot)
    if isinstance(c, lo.Blade):
        pose = frames.pose(c.body)
        side, x = pose[:3, :3] @ unit(c.side), (pose @ [*c.point, 1.0])[:3]
        return (side @ (frames.velocity(c.body, x) - frames.velocity(c.other, x)))[None], np.zeros(1)
    if isinstance(c, lo.PointContact):
        T, dT = frames.relative(c, pose_of(c.point), pose_of(c.target if target is None else target))
        held = ["xyz".index(letter) for letter in c.directions]
        return dT[:, held, 3].T, T[held, 3]
    if isinstance(c, lo.SurfaceContact):
        return closure(frames, c, "xyzabc", c.frame, c.target if target is None else target)
    if isinstance(c, lo.LoopClosure):
        return closure(frames, c, c.locked or LOCKED[c.kind], c.frame, c.other_frame)
    if isinstance(c, lo.Distance):
        ends = [(frames.pose(b) @ [*p, 1.0])[:3] for b, p in ((c.body, c.point), (c.other, c.other_point))]
        rates = [(frames.rates(b) @ [*p, 1.0])[:, :3].T for b, p in ((c.body, c.point), (c.other, c.other_point))]
        length = np.sqrt((ends[0] - ends[1]) @ (ends[0] - ends[1]))
        row = (ends[0] - ends[1]) @ (rates[0] - rates[1]) / length
        return row[None], np.array([length - (c.length if target is None else target)])
    if isinstance(c, lo.Rolling):
        x, axes, gap = touching(c, frames.pose(c.body), frames.pose(c.other))
        slip = frames.velocity(c.body, x) - frames.velocity(c.other, x)
        held = ["fln".index(letter) for letter in c.directions]
        return axes[held] @ slip, np.array([gap if letter == "n" else 0.0 for letter in c.directions])
    raise AssertionError(c)


def closure(frames, c, letters, frame, other_frame):
    """Shifts and turns of a frame of the body seen from a frame of the other.

    A turn about axis k is held by keeping two axes, the first of the other's frame and the second of the body's, at right
    angles; of two turns the second axis is the one they leave free.
    """
    T, dT = frames.relative(c, pose_of(frame), pose_of(other_frame))
    turns = ["abc".index(letter) for letter in letters if letter in "abc"]
    rows, errors = [], []
    for letter in letters:
        if letter in "xyz":
            k = "xyz".index(letter)
            rows.append(dT[:, k, 3])
            errors.append(T[k, 3])
            continue
        k = "abc".index(letter)
        second = ({0, 1, 2} - set(turns)).pop() if len(turns) == 2 else (k + 2) % 3
        first = ({0, 1, 2} - {k, second}).pop()
        sign = np.linalg.det(np.eye(3)[[first, second, k]])
        rows.append(-sign * dT[:, first, second])
        errors.append(-sign * T[first, second])
    return np.array(rows), np.array(errors)


# contact of round bodies


def touching(c, pose_b, pose_a):
    """Point of contact, rows (forward, lateral, normal) in world axes, and the gap."""
    skin = Skin(c)
    level, normal, gap = surface(c.surface)
    to_a = inverse(pose_a) @ pose_b @ placed(shift=np.asarray(c.center, dtype=float))

    def height(p):
        return level((to_a[:3, :3] @ skin(p)) + to_a[:3, 3])

    p = least(height, GUESSES[id(c)][1] if id(c) in GUESSES else skin.parameters)
    GUESSES[id(c)] = (c, [tuple(p)])
    y = to_a[:3, :3] @ skin(p) + to_a[:3, 3]
    n = pose_a[:3, :3] @ normal(y)
    if c.shape is None and c.radius > 0:
        e = pose_b[:3, :3] @ unit(c.axle)
    elif isinstance(c.surface, lo.Cylinder):
        e = pose_a[:3, :3] @ unit(c.surface.axis)
    else:
        e = pose_a[:3, 1]
    forward = np.cross(e, n)
    forward /= np.linalg.norm(forward)
    return (pose_a @ [*y, 1.0])[:3], np.array([forward, np.cross(n, forward), n]), gap(y)


class Skin:
    """Points of a rolling body about its center, over one or two parameters."""

    def __init__(self, c):
        self.c = c
        if c.shape is None and c.radius > 0:
            self.z = unit(c.axle)
            self.x = np.cross(np.eye(3)[np.argmin(abs(self.z))], self.z)
            self.x /= np.linalg.norm(self.x)
            self.y = np.cross(self.z, self.x)
            self.parameters = [(a,) if not c.tube else (a, b) for a in np.arange(0, 6.3, 0.3) for b in np.arange(0, 6.3, 0.6)]
        else:
            self.axes = np.array(c.shape.semi_axes if c.shape else (c.tube,) * 3)
            self.parameters = [(a, b) for a in np.arange(0.15, 3.1, 0.3) for b in np.arange(0, 6.3, 0.3)]

    def __call__(self, p):
        c = self.c
        if c.shape is None and c.radius > 0:
            around = np.cos(p[0]) * self.x + np.sin(p[0]) * self.y
            if not c.tube:
                return c.radius * around
            return (c.radius + c.tube * np.cos(p[1])) * around + c.tube * np.sin(p[1]) * self.z
        a, b = p
        return self.axes * (TILT @ np.array([np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)]))


def surface(s):
    """A function that grows outwards, its unit gradient, and the distance to first order, in the frame of the body it is on."""
    if isinstance(s, lo.Plane):
        n, p = unit(s.normal), np.asarray(s.point, dtype=float)
        return (lambda y: n @ (y - p)), (lambda y: n), (lambda y: n @ (y - p))
    if isinstance(s, lo.HeightField):

        def gradient(y):
            _, fx, fy, *_ = s.function(y[0], y[1])
            return np.array([-fx, -fy, 1.0])

        def field(y):
            return y[2] - s.function(y[0], y[1])[0]

        return field, (lambda y: unit(gradient(y))), (lambda y: field(y) / np.linalg.norm(gradient(y)))
    center = np.asarray(s.center if isinstance(s, lo.Sphere) else s.point, dtype=float)
    across = np.eye(3) if isinstance(s, lo.Sphere) else np.eye(3) - np.outer(unit(s.axis), unit(s.axis))
    sign = -1.0 if s.inside else 1.0

    def distance(y):
        r = across @ (y - center)
        return sign * np.sqrt(r @ r)

    return distance, (lambda y: sign * unit(across @ (y - center))), (lambda y: distance(y) - sign * s.radius)


def least(function, parameters):
    """Where an analytic function is least: the best of some parameters, then Newton's method to rounding."""
    p = np.array(min(parameters, key=lambda p: function(np.array(p))), dtype=float)

    def gradient(p):
        return np.array([np.imag(function(p + 1e-30j * e)) / 1e-30 for e in np.eye(len(p))])

    for _ in range(50):
        h = 1e-5
        second = np.array([(gradient(p + h * e) - gradient(p - h * e)) / (2 * h) for e in np.eye(len(p))])
        step = np.linalg.solve(second, gradient(p))
        p = p - step
        if np.abs(step).max() < 1e-15:
            break
    assert np.abs(step).max() < 1e-12, step
    return p
