"""Gaits of Purcell's swimmer side by side, and the amplitude that gets furthest, against a swimmer written down by itself."""

import numpy as np

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
