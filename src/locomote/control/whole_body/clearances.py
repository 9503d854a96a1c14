"""Spheres and capsules of bodies that are to stay apart: what the user says, and the row of a program that keeps it.

d is the distance of two segments less radii and margin, n the unit vector from the nearest point of the second to that of the
first, J their Jacobians:

    d'' = n . (J_1 - J_2) a + n . (J_1' - J_2') v >= -hardest(d, -d')                                       (1)

Of a distance w to a limit that is approached at a speed u, as for limits of joints: s(w) is the speed that, kept for the
horizon h and then braked, ends at the limit, and u never comes above it, for ticks of at most h, if

    u' <= (s - u) / h - s'(w) u ,   s = brake (sqrt(h^2 + 2 w / brake) - h)                                 (2)

What the turning of n adds to d'' is positive and left out. A shortage is paid by the slack of limits of motion.
"""

import math
from dataclasses import dataclass

import numpy as np

from locomote.arguments import Numbers
from locomote.brief import brief
from locomote.compiler.source import helper, routine
from locomote.control.whole_body.terms import six_rows
from locomote.kernels.kinematics import frame_pose
from locomote.spatial.algebra import add, dot, rotate, scale, subtract
from locomote.spatial.rows import load

TOUCHING = 1e-9


@brief
@dataclass
class Clearance:
    """Two bodies, or a body and the world, stay apart by a margin: spheres (one end) or capsules (two).

    body, other : names, None for the world ; ends, other_ends : (3,) or (2, 3) in their frames, m
    radius, other_radius, margin : m ; name : as which it is found in `WholeBody.clearances`
    """

    body: str
    other: str | None
    ends: Numbers = (0.0, 0.0, 0.0)
    other_ends: Numbers = (0.0, 0.0, 0.0)
    radius: float = 0.05
    other_radius: float = 0.05
    margin: float = 0.01
    name: str = ""

    def __post_init__(self) -> None:
        self.name = self.name or f"{self.body} and {self.other or 'world'}"
        for label in ("ends", "other_ends"):
            ends = np.atleast_2d(np.array(getattr(self, label), dtype=float))
            if ends.shape not in ((1, 3), (2, 3)) or not np.isfinite(ends).all():
                raise ValueError(
                    f"{label} of clearance {self.name!r} have shape {ends.shape}, expected (3,) or (2, 3), finite, m"
                )
            setattr(self, label, ends)
        for label in ("radius", "other_radius", "margin"):
            if not 0.0 <= getattr(self, label) < np.inf:
                raise ValueError(f"{label} of clearance {self.name!r} is {getattr(self, label)!r}, expected a number from 0")


@helper
def hardest(way, speed, brake, horizon):
    """The greatest acceleration towards a limit that is `way` ahead, at a speed, from which the limit is never passed (2).

    Beyond the limit, one that leads back.
    """
    if way > 0.0:
        root = math.sqrt(horizon * horizon + 2.0 * way / brake)
        allowed, slope = brake * (root - horizon), 1.0 / root
    else:
        allowed, slope = way / (10.0 * horizon), 0.1 / horizon
    return (allowed - speed) / horizon - slope * max(speed, 0.0)


@helper
def clamp(x):
    return min(max(x, 0.0), 1.0)


@helper
def nearest(a0, a1, b0, b1):
    """Shares (s, t) along two segments where they are nearest to each other."""
    d1, d2, r = subtract(a1, a0), subtract(b1, b0), subtract(a0, b0)
    a, e, f, c, b = dot(d1, d1), dot(d2, d2), dot(d2, r), dot(d1, r), dot(d1, d2)
    s, t = 0.0, 0.0
    if a <= TOUCHING * TOUCHING:
        t = clamp(f / e) if e > TOUCHING * TOUCHING else 0.0
    elif e <= TOUCHING * TOUCHING:
        s = clamp(-c / a)
    else:
        across = a * e - b * b
        s = clamp((b * f - c * e) / across) if across > 1e-12 * a * e else 0.0
        t = (b * s + f) / e
        if t < 0.0:
            s, t = clamp(-c / a), 0.0
        elif t > 1.0:
            s, t = clamp((b - c) / a), 1.0
    return s, t


@routine
def clearance_rows(k, nv):
    """Rows of (1) into `apart`, with their lower bounds, and the distances."""
    world = k.topology.shape[0] - 1
    identity = k.near[0]
    for p in range(k.pair.shape[0]):
        one, two = k.pair[p, 0], k.pair[p, 1]
        for c in range(3):
            identity[9 + c] = 0.0
        R1, o1 = frame_pose(k.bodies, one, identity)
        a0, a1 = load(k.ends, p, 0), load(k.ends, p, 3)
        b0, b1 = load(k.ends, p, 6), load(k.ends, p, 9)
        A0, A1 = add(o1, rotate(R1, a0)), add(o1, rotate(R1, a1))
        B0, B1 = b0, b1
        if two != world:
            R2, o2 = frame_pose(k.bodies, two, identity)
            B0, B1 = add(o2, rotate(R2, b0)), add(o2, rotate(R2, b1))
        s, t = nearest(A0, A1, B0, B1)
        away = subtract(between(A0, A1, s), between(B0, B1, t))
        length = math.sqrt(dot(away, away))
        n = scale(1.0 / length, away) if length > TOUCHING else (0.0, 0.0, 1.0)
        gap = length - k.reach[p]
        here, there = between(a0, a1, s), between(b0, b1, t)
        for j in range(nv):
            k.apart[p, j] = 0.0
        drift, rate = 0.0, 0.0
        for side in range(2):
            body = one if side == 0 else two
            if body == world:
                continue
            sign, place = (1.0, here) if side == 0 else (-1.0, there)
            for c in range(3):
                identity[9 + c] = place[c]
            R, o, V, A = six_rows(k, body, identity, k.six, 0, nv)
            for j in range(nv):
                k.apart[p, j] += sign * (n[0] * k.six[0, j] + n[1] * k.six[1, j] + n[2] * k.six[2, j])
            rate += sign * (n[0] * V[0] + n[1] * V[1] + n[2] * V[2])
            drift += sign * (n[0] * A[0] + n[1] * A[1] + n[2] * A[2])
        horizon, brake = k.number[5], k.number[6]
        k.gap[p] = gap
        k.least_apart[p] = -hardest(gap, -rate, brake, horizon) - drift


@helper
def between(x, y, s):
    return add(x, scale(s, subtract(y, x)))
