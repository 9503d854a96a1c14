"""A free beam in the plane by spectral elements: a second way to a flying rod, which shares nothing with the library.

Reissner's beam: places (x, y) and angles theta of sections are the unknowns, at Gauss-Lobatto points of each element, which
carry the mass too, so that accelerations are explicit; steps of Runge and Kutta (4). Angles are counted from x towards y.
Dashes are slopes along the beam, dots rates.

    stretch = x' . d1 - 1 ,  shear = x' . d2 ,  bending = theta' ;   d1 = (cos, sin) theta ,  d2 = (-sin, cos) theta      (1)
    rhoA x.. = (EA stretch d1 + GA shear d2)' ,   rhoI theta.. = EI theta'' + GA shear (1 + stretch) - EA stretch shear   (2)

A moment M(t) that jumps at the end X = L sends a jump of bending through the beam, M / EI high, at the speed c^2 = EI / rhoI.
No polynomial follows it, and angles of the ends converge with the first power of the spacing only. Therefore `front` splits
theta = f + rest: f is d'Alembert's answer for a beam whose sections only turn (3), exact, with all its jumps; the rest, which
(2) less (3) gives, has bending without jumps.

    rhoI f.. = EI f'' ,  EI f' = M(t) at L ,  0 at 0 ;   with G the integral of M,
    f = c / EI sum_k G(t - ((2k+1) L - X) / c) + G(t - ((2k+1) L + X) / c)                                                (3)

`python tests/helpers/beam_reference.py` computes the flying spaghetti on finer and finer meshes and writes
`tests/published/data/flying_spaghetti_converged.json` (twenty minutes).
"""

import json
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre
from places import DATA


class Beam(NamedTuple):
    L: float
    EA: float
    GA: float
    EI: float
    rhoA: float
    rhoI: float


SPAGHETTI = Beam(10.0, 1e4, 1e4, 100.0, 1.0, 10.0)
TILT = np.arctan2(8.0, 6.0)  # of the spaghetti at the start; y points down here


def lobatto(p):
    """Places, weights and derivative matrix of the p + 1 points of Gauss and Lobatto on [-1, 1]."""
    P = legendre.Legendre.basis(p)
    x = np.r_[-1.0, np.sort(P.deriv().roots().real), 1.0]
    values, apart = P(x), x[:, None] - x + np.eye(p + 1)
    D = values[:, None] / values / apart
    D[np.diag_indices(p + 1)] = 0.0
    D[0, 0], D[p, p] = -p * (p + 1) / 4, p * (p + 1) / 4
    return x, 2.0 / (p * (p + 1) * values**2), D


def front(beam, moment, until, X, t, rate=False):
    """Turn (3) by a moment that acts at L from 0 to `until`, or its rate."""
    c = np.sqrt(beam.EI / beam.rhoI)
    total = np.zeros_like(X)
    for k in range(int(c * t / (2 * beam.L)) + 1):
        for way in (-X, X):
            since = t - ((2 * k + 1) * beam.L + way) / c
            total += (since > 0) & (since <= until) if rate else np.clip(since, 0.0, until)
    return moment * c / beam.EI * total


def fly(beam, elements, order, times, load, *, step=None, tilt=TILT, share=0.9):
    """States of both ends at some times, of a straight beam that starts at rest from the origin: rows
    (x, y, theta) at X = 0, the same at X = L, and the angular velocities there.

    load(t) -> force x, force y, moment on the end; step = (moment, until) is a moment besides, treated as a front.
    share: of the step of time that is just stable, about.
    """
    x, w, D = lobatto(order)
    h = beam.L / elements
    D, w = 2 / h * D, h / 2 * w
    at = order * np.arange(elements)[:, None] + np.arange(order + 1)
    X = np.zeros(elements * order + 1)
    X[at] = h * (np.arange(elements)[:, None] + (x + 1) / 2)
    weight = np.bincount(at.ravel(), np.broadcast_to(w, at.shape).ravel())
    mass = np.array([beam.rhoA, beam.rhoA, beam.rhoI])[:, None] * weight

    def turned(X, t, rate=False):  # by the front
        return np.zeros_like(X) if step is None else front(beam, *step, X, t, rate)

    def acceleration(q, f, end):
        theta = (q[2] + f)[at]
        cos, sin = np.cos(theta), np.sin(theta)
        dx, dy, bending = q[:, at] @ D.T
        stretch, shear = dx * cos + dy * sin - 1.0, dy * cos - dx * sin  # (1)
        N, Q = beam.EA * stretch, beam.GA * shear
        inside = np.array([N * cos - Q * sin, N * sin + Q * cos, beam.EI * bending]) * w @ D  # (2), against each point's shape
        inside[2] += w * (N * shear - Q * (1.0 + stretch))
        force = np.zeros_like(q)
        force[:, :-1] -= inside[:, :, :-1].reshape(3, -1)
        force[:, order::order] -= inside[:, :, -1]
        force[:, -1] += end
        return force / mass

    q, v = np.array([np.cos(tilt) * X, np.sin(tilt) * X, np.full_like(X, tilt)]), np.zeros((3, X.size))
    fastest = np.sqrt(max(beam.EA, beam.GA) / beam.rhoA)
    longest = share * h * (x[1] + 1) / 2 / fastest
    now, rows = 0.0, []
    for time in times:
        count = int(np.ceil((time - now) / longest - 1e-9))
        d = (time - now) / max(count, 1)
        for i in range(count):
            t = now + i * d
            f = [turned(X, t + share) for share in (0.0, d / 2, d)]
            ends = [load(t + share * d) for share in (1e-9, 0.5, 1 - 1e-9)]  # a load may jump between steps
            a1 = acceleration(q, f[0], ends[0])
            q2, v2 = q + d / 2 * v, v + d / 2 * a1
            a2 = acceleration(q2, f[1], ends[1])
            q3, v3 = q + d / 2 * v2, v + d / 2 * a2
            a3 = acceleration(q3, f[1], ends[1])
            q4, v4 = q + d * v3, v + d * a3
            a4 = acceleration(q4, f[2], ends[2])
            q = q + d / 6 * (v + 2 * v2 + 2 * v3 + v4)
            v = v + d / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        now = time
        ends = np.array([0.0, beam.L])
        theta, omega = q[2, [0, -1]] + turned(ends, now), v[2, [0, -1]] + turned(ends, now, rate=True)
        rows.append([*q[:2, 0], theta[0], *q[:2, -1], theta[1], *omega])
    return np.array(rows)


def first_turn(beam, force, moment, t):
    """How far the end of a long straight beam has turned at times t after a force across it and a moment set in: exact for
    small loads until the first wave is back from the other end.

    Laplace transform of Timoshenko's equations; waves exp(k (X - L)) of the two roots k with positive real part (4), loads at
    the end (5); inverted by Euler's sum (Abate and Whitt 2006).

        EI GA k^4 - (EI rhoA + GA rhoI) s^2 k^2 + (GA + rhoI s^2) rhoA s^2 = 0                                               (4)
        EI sum k theta_k = moment / s ,   GA sum shear_k theta_k = force / s ,
        GA shear_k = rhoI s^2 - EI k^2 = GA rhoA s^2 / (GA k^2 - rhoA s^2)   (the one that does not cancel)                  (5)
    """
    L, EA, GA, EI, rhoA, rhoI = beam
    n = 12
    tail = np.cumsum([comb(n, j) for j in range(n)]) / 2.0**n  # weights of the last terms of the sum
    weights = np.r_[0.5, np.ones(n), tail[::-1]] * (-1.0) ** np.arange(2 * n + 1)
    answers = []
    for time in np.atleast_1d(t):
        total = 0.0
        for s, weight in zip((n * np.log(10) / 3 + 1j * np.pi * np.arange(2 * n + 1)) / time, weights, strict=True):
            half, last = (EI * rhoA + GA * rhoI) * s**2 / 2, (GA + rhoI * s**2) * rhoA * s**2
            root = np.sqrt(half**2 - EI * GA * last)
            large = max(half + root, half - root, key=abs)
            squares = np.array([large / (EI * GA), last / large])  # (4)
            k = np.sqrt(squares)  # the root with positive real part
            shear = np.array([GA * rhoA * s**2 / (GA * squares[0] - rhoA * s**2), rhoI * s**2 - EI * squares[1]])
            theta = np.linalg.solve([EI * k, shear], [moment / s, force / s])  # (5)
            total += weight * theta.sum().real
        answers.append(10 ** (n / 3) / time * total)
    return np.array(answers)


def spaghetti(elements, order, times, *, split=True, share=0.9):
    """The flying spaghetti of Simo and Vu-Quoc: force 8 along x and moment 80 on the end for 2.5 s; split: by a front."""

    def load(t):
        return (8.0, 0.0, 0.0 if split else 80.0) if t < 2.5 else (0.0, 0.0, 0.0)

    return fly(SPAGHETTI, elements, order, times, load, step=(80.0, 2.5) if split else None, share=share)


if __name__ == "__main__":
    times = [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.5]
    meshes = {
        f"{elements} x {order}": spaghetti(elements, order, times)
        for elements, order in ((80, 4), (160, 4), (200, 6), (320, 4))
    }
    finest = meshes.pop("320 x 4")
    off = {
        name: {"places": abs(rows - finest)[:, [0, 1, 3, 4]].max(), "angles": abs(rows - finest)[:, [2, 5]].max()}
        for name, rows in meshes.items()
    }
    rows = [
        {"t": t, "A": [x, 0.0, -y], "B": [u, 0.0, -w], "angle_A": a, "angle_B": b}
        for t, (x, y, a, u, w, b, *_) in zip(times, finest.round(6).tolist(), strict=True)
    ]
    content = {
        "id": "flying_spaghetti_converged",
        "source": "computed by tests/helpers/beam_reference.py: 320 spectral elements of order 4, the moment's front split off",
        "differences_of_other_meshes": off,
        "trajectory": rows,
    }
    path = DATA / "flying_spaghetti_converged.json"
    path.write_text(json.dumps(content, indent=1) + "\n")
    print(json.dumps(off, indent=1))
