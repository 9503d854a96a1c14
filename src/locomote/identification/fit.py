"""Least squares over rows whose noise is known or not: Levenberg-Marquardt on the likelihood.

r = y - m(x) are residuals, A their slopes -m_x over the noise s_c of each channel c, of which n_c rows are. Noise that is not
known is that of the residuals, s_c^2 = RSS_c / n_c, with which the negative logarithm of the likelihood is

    F(x) = sum over known c of RSS_c / (2 s_c^2)  +  sum over others of n_c / 2 log RSS_c                                  (1)
    step      (A^T A + damping D) d = A^T r / s ,      D = diag(A^T A)                                                     (2)
    at the end      s_c^2 = RSS_c / (n_c - leverage of its rows) ,     covariance = (A^T A)^-1                             (3)

(2) is solved by singular values of A with columns of unit length: a combination of unknowns that no row sees is not moved.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

UNSEEN = 1e-7  # of a column, what is left of it beside others if it depends on them
NO_EFFECT = 1e-6  # standard deviations of all rows together that a change as large as the unknown itself moves them
SETTLED = 1e-3  # standard deviations that the last step is shorter than
ROUNDING = 1e-8  # of unknowns that move no more: rows without noise
FLAT = 1e-5  # of the likelihood's logarithm that three steps gain less than, each: what they moved is hardly seen
DAMPINGS = (1e-3, 10.0, 1e12)  # the first, the factor of a refused step, the last
FLOOR = 1e-11  # of the spread of a channel: noise is no less


@dataclass
class Fit:
    """Where the search ended: x (K,), residuals (R,), slopes J (R, K) of rows, noise (C,), what was said and how it went."""

    x: np.ndarray
    residuals: np.ndarray
    J: np.ndarray
    noise: np.ndarray
    iterations: int
    reason: str
    settled: bool

    def weighted(self, channels: np.ndarray) -> np.ndarray:
        """A of (2)."""
        return self.J / self.noise[channels][:, None]


def fit(
    at: Callable, x: np.ndarray, values: np.ndarray, channels: np.ndarray, noises: np.ndarray, refused: type[Exception],
    limited: Callable, iterations: int, show: Callable[[int, float], None],
) -> Fit:  # fmt: skip
    """Levenberg-Marquardt from x. at : x -> rows and slopes, or raises `refused` ; noises : (C,), NaN where not known
    limited : x and a step -> the step that leaves signs as they must be"""
    counts = np.bincount(channels, minlength=len(noises)).astype(float)
    spread = np.array([np.ptp(values[channels == c]) if counts[c] else 1.0 for c in range(len(noises))])
    floor = np.maximum(FLOOR * np.maximum(spread, 1e-300), 1e-150)

    def noise_of(r: np.ndarray) -> np.ndarray:
        own = np.sqrt(np.bincount(channels, r * r, len(noises)) / np.maximum(counts, 1.0))
        return np.where(np.isnan(noises), np.maximum(own, floor), noises)

    def badness(r: np.ndarray) -> float:
        rss, s = np.bincount(channels, r * r, len(noises)), noise_of(r)
        return float(np.where(np.isnan(noises), counts * np.log(s), 0.5 * rss / s**2).sum())

    y, J = at(x)
    r, damping, done, reason, settled = values - y, DAMPINGS[0], 0, f"after {iterations} iterations", False
    F, gains = badness(r), [np.inf]
    while done < iterations:
        show(done, F)
        step = Steps.of(J, r, noise_of(r)[channels], x)
        still = bool((abs(step.at(0.0)) <= ROUNDING * np.maximum(abs(x), 1e-3)).all())
        if step.length(0.0) < SETTLED or max(gains[-3:]) < FLAT or still:
            reason, settled = "settled", True
            break
        found = None
        while damping < DAMPINGS[2]:
            new = x + limited(x, step.at(damping))
            try:
                y_new, J_new = at(new)
                F_new = badness(values - y_new)
            except refused:
                F_new = np.inf
            if F_new < F:
                found = y_new, J_new
                break
            if step.length(damping) < 1e-3 * SETTLED:
                break
            damping *= DAMPINGS[1]
        if found is None:
            reason, settled = "no step makes it better", step.length(0.0) < 1.0
            break
        done += 1
        gains.append(F - F_new)
        x, (y, J), F = new, found, F_new
        r, damping = values - y, max(damping / DAMPINGS[1] ** 2, 1e-9)
    return Fit(x, r, J, unbiased(J, r, noise_of(r), channels, noises, floor), done, reason, settled)


@dataclass
class Steps:
    """Steps (2) for any damping."""

    left: np.ndarray
    sizes: np.ndarray
    right: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, J: np.ndarray, r: np.ndarray, noise: np.ndarray, x: np.ndarray) -> "Steps":
        """Of slopes and residuals at x; what changes no row by more than rounding is not moved."""
        A = J / noise[:, None]
        scale = np.linalg.norm(A, axis=0)
        dark = scale * np.where(x != 0.0, abs(x), 1.0) < NO_EFFECT
        A, scale = np.where(dark, 0.0, A), np.where(dark, 1.0, scale)
        Q, R = np.linalg.qr(A / scale)
        left, sizes, right = np.linalg.svd(R)
        right[:, dark] = 0.0
        keep = sizes > UNSEEN * sizes.max(initial=1e-300)
        return cls((left.T @ (Q.T @ (r / noise)))[keep], sizes[keep], right[keep], scale)

    def at(self, damping: float) -> np.ndarray:
        """(K,)"""
        return (self.right.T @ (self.left * self.sizes / (self.sizes**2 + damping))) / self.scale

    def length(self, damping: float) -> float:
        """In standard deviations."""
        return float(np.linalg.norm(self.left * self.sizes**2 / (self.sizes**2 + damping)))


def unbiased(J, r, noise, channels, noises, floor) -> np.ndarray:
    """Noise by (3)."""
    A = J / noise[channels][:, None]
    lengths = np.linalg.norm(A, axis=0)
    left, sizes, _ = np.linalg.svd(A / np.where(lengths > 0, lengths, 1.0), full_matrices=False)
    left = left[:, sizes > UNSEEN * sizes.max(initial=1e-300)]
    taken = np.bincount(channels, (left * left).sum(axis=1), len(noises))
    free = np.maximum(np.bincount(channels, minlength=len(noises)) - taken, 1.0)
    own = np.sqrt(np.bincount(channels, r * r, len(noises)) / free)
    return np.where(np.isnan(noises), np.maximum(own, floor), noises)
