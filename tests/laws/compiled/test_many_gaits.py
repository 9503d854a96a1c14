"""Gaits of Purcell's swimmer side by side, and the amplitude that gets furthest, against a swimmer written down by itself.

Displacement grows with the square of small strokes, has its best at strokes of moderate size, and changes its direction at
large ones: L.E. Becker, S.A. Koehler, H.A. Stone, J. Fluid Mech. 490 (2003) 15; D. Tam, A.E. Hosoi, Phys. Rev. Lett. 98 (2007)
068105; O. Wiezel, Y. Or, Proc. R. Soc. A 472 (2016) 20160425, who expand it in the size of the stroke as is done here.
"""

import numpy as np
import pytest
import sympy as sp

import locomote as lo

STEPS = 64


def circles(amplitudes):
    """End places (n, 3) of strokes front = A sin t, rear = A cos t, all at once; accelerations constant within steps."""
    problem, h = lo.systems.load("purcell_swimmer").problem(), 2 * np.pi / STEPS
    t = np.arange(STEPS + 1) * h
    rates = np.column_stack([np.cos(t), -np.sin(t)])
    controls = amplitudes[:, None, None] * np.diff(rates, axis=0) / h
    q, v = np.zeros((len(amplitudes), 5)), np.zeros((len(amplitudes), 5))
    q[:, 4], v[:, 3] = amplitudes, amplitudes
    runs = lo.rollout(problem, controls, q=q, v=v, step=h, joints=["front", "rear"])
    assert not runs.lost.any()
    return runs.q[:, -1, :3]


def alone(amplitude, steps=200):
    """The same by hand: drag 1 along and 2 across at Gauss points of three rods, no net force and moment, Runge and Kutta."""
    s, share = np.polynomial.legendre.leggauss(6)
    s, share = (s + 1) / 2, share / 2

    def rate(t, place):
        r, rd = amplitude * np.array([np.sin(t), np.cos(t)]), amplitude * np.array([np.cos(t), -np.sin(t)])
        R, b = np.zeros((3, 3)), np.zeros(3)
        rods = [((-0.5, 0.0), 0.0, 0.0), ((0.5, 0.0), r[0], rd[0]), ((-0.5, 0.0), np.pi + r[1], rd[1])]
        for root, angle, turn in rods:
            along = np.array([np.cos(angle), np.sin(angle)])
            across = np.array([-along[1], along[0]])
            D = np.outer(along, along) + 2 * np.outer(across, across)
            for x, w in zip(s, share, strict=True):
                p = root + x * along
                J = np.array([[1, 0, -p[1]], [0, 1, p[0]]])
                R, b = R + w * J.T @ D @ J, b + w * J.T @ D @ (turn * x * across)
        eta = -np.linalg.solve(R, b)
        c, k = np.cos(place[2]), np.sin(place[2])
        return np.array([c * eta[0] - k * eta[1], k * eta[0] + c * eta[1], eta[2]])

    place, h = np.zeros(3), 2 * np.pi / steps
    for n in range(steps):
        t = n * h
        a = rate(t, place)
        b = rate(t + h / 2, place + h / 2 * a)
        c = rate(t + h / 2, place + h / 2 * b)
        place = place + h / 6 * (a + 2 * b + 2 * c + rate(t + h, place + h * c))
    return place


def test_a_thousand_gaits_have_the_best_amplitude_where_it_is():
    """Distance over amplitude rises, has its best near 1.6 rad, and falls: at larger strokes the rods undo what they did."""
    amplitudes = np.linspace(0.05, 2.6, 1000)
    ends = circles(amplitudes)
    for k in (100, 500, 800):
        np.testing.assert_allclose(ends[k], alone(amplitudes[k]), atol=2e-3)
    far = np.hypot(ends[:, 0], ends[:, 1])
    best = int(np.argmax(far))
    by_hand = {a: np.hypot(*alone(a)[:2]) for a in amplitudes[[best - 60, best, best + 60]]}
    assert max(by_hand, key=by_hand.get) == amplitudes[best]
    assert 1.55 < amplitudes[best] < 1.72 and abs(far[best] - by_hand[amplitudes[best]]) < 1e-3
    small = amplitudes < 0.3
    np.testing.assert_allclose(far[small] / amplitudes[small] ** 2, far[40] / amplitudes[40] ** 2, rtol=0.1)
    turns = amplitudes[1 + int(np.flatnonzero(np.diff(np.sign(ends[:, 0])))[0])]
    assert 2.4 < turns < 2.5 and alone(turns - 0.05)[0] > 0 > alone(turns + 0.05)[0]


def first_coefficient():
    """Displacement along the middle rod over the area of a small loop of hinge angles, for rods of length one with drag 1 along
    and 2 across: by SymPy, from the integrals of drag over straight rods and the bracket of SE(2)."""
    x, a, b = sp.symbols("x a b")
    half, R, S = sp.Rational(1, 2), sp.zeros(3, 3), sp.zeros(3, 2)
    for k, (root, angle) in enumerate(((-half, sp.Integer(0)), (half, a), (-half, sp.pi + b))):
        along, across = sp.Matrix([sp.cos(angle), sp.sin(angle)]), sp.Matrix([-sp.sin(angle), sp.cos(angle)])
        p, D = sp.Matrix([root, 0]) + x * along, along * along.T + 2 * across * across.T
        J = sp.Matrix([[1, 0, -p[1]], [0, 1, p[0]]])
        R += (J.T * D * J).applyfunc(lambda f: sp.integrate(sp.expand(f), (x, 0, 1)))
        if k:
            S[:, k - 1] += (J.T * D * across * x).applyfunc(lambda f: sp.integrate(sp.expand(f), (x, 0, 1)))
    straight = {a: 0, b: 0}
    inverse = R.subs(straight).inv()
    A = inverse * S.subs(straight)  # twist = -A (a', b')
    slope = [inverse * (S.diff(v).subs(straight) - R.diff(v).subs(straight) * A) for v in (a, b)]
    bracket = A[2, 1] * A[1, 0] - A[2, 0] * A[1, 1]  # of the columns of A, along x
    return sp.nsimplify(bracket - (slope[0][0, 1] - slope[1][0, 0]))


def test_small_strokes_go_as_far_as_their_area_says():
    """5/81 of the area, and what is left goes with the square of the amplitude."""
    first = first_coefficient()
    assert first == sp.Rational(-5, 81)
    problem = lo.systems.load("purcell_swimmer").problem()
    left = []
    for A in (0.4, 0.2, 0.1):
        loop = {"front": lo.Sine(A, 1.0), "rear": lo.Sine(A, 1.0, phase=np.pi / 2)}  # clockwise
        far = problem.net_displacement(loop, 2 * np.pi)[0]
        left.append(far / (-np.pi * A * A) / float(first) - 1)
    assert abs(left[-1]) < 0.01
    assert np.log2(np.array(left[:-1]) / left[1:]) == pytest.approx(2.0, abs=0.05)
