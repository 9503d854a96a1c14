"""Closed curves by few numbers, for a search: Fourier series, and stars, which never cross themselves.

    series   x_j = c_j0 + sum_n (c_jn cos n s + d_jn sin n s)                                                        (1)
    star     x = c + e^f(s) (cos s, +- sin s) ,   f a Fourier series; two coordinates only                          (2)

s goes from 0 to 2 pi in a period. `pull` takes slopes by x and x' at all nodes to those by the numbers.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from locomote.drives.kinds.fourier import Fourier
from locomote.gaits.path_ordered import Panels

SMALL = 1e-11  # of the largest harmonic of a star, below which others are left out


@dataclass(frozen=True)
class Basis:
    """1, cos s, sin s, cos 2s, ... and their rates by time at nodes; the period is 1 s."""

    panels: Panels
    harmonics: int

    @cached_property
    def values(self) -> np.ndarray:
        """(P, 1 + 2 H)"""
        return basis(self.panels.nodes.ravel(), self.harmonics)

    @cached_property
    def rates(self) -> np.ndarray:
        """(P, 1 + 2 H) by time."""
        s, found = 2 * np.pi * self.panels.nodes.ravel(), np.zeros((self.panels.nodes.size, 1 + 2 * self.harmonics))
        for n in range(1, self.harmonics + 1):
            found[:, 2 * n - 1], found[:, 2 * n] = -n * np.sin(n * s), n * np.cos(n * s)
        return 2 * np.pi * found


def basis(t: np.ndarray, harmonics: int) -> np.ndarray:
    """(P, 1 + 2 H) at times t, s."""
    s, found = 2 * np.pi * np.asarray(t), np.ones((np.size(t), 1 + 2 * harmonics))
    for n in range(1, harmonics + 1):
        found[:, 2 * n - 1], found[:, 2 * n] = np.cos(n * s), np.sin(n * s)
    return found


@dataclass(frozen=True)
class Series:
    """(1); numbers : (k, 1 + 2 H), row by row."""

    basis: Basis
    k: int

    def curve(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """x and x' (P, k) at the nodes."""
        c = numbers.reshape(self.k, -1)
        return self.basis.values @ c.T, self.basis.rates @ c.T

    def pull(self, numbers: np.ndarray, by_x: np.ndarray, by_rate: np.ndarray) -> np.ndarray:
        """Slopes by the numbers."""
        return (self.basis.values.T @ by_x + self.basis.rates.T @ by_rate).T.ravel()

    def points(self, numbers: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """x (T, k) at times, and their Jacobian (T, k, numbers)."""
        values = basis(t, self.basis.harmonics)
        jacobian = np.einsum("tb,jk->tjkb", values, np.eye(self.k)).reshape(len(t), self.k, -1)
        return values @ numbers.reshape(self.k, -1).T, jacobian

    def backwards(self, numbers: np.ndarray) -> "tuple[Series, np.ndarray]":
        """The same curve gone through the other way."""
        found = numbers.reshape(self.k, -1).copy()
        found[:, 2::2] *= -1.0
        return self, found.ravel()

    def finer(self) -> "Series":
        """The same numbers over more nodes."""
        return Series(Basis(self.basis.panels.finer(), self.basis.harmonics), self.k)

    def box(self, size: float) -> list[tuple[float, float]]:
        """Ranges of the numbers for curves of a size, for a search that shall not leap."""
        return [(-size, size)] * (self.k * (1 + 2 * self.basis.harmonics))

    def paths(self, numbers: np.ndarray) -> list[Fourier]:
        """As drives with a period of 1 s."""
        return [Fourier(c[0], c[1::2], c[2::2], frequency=1.0) for c in numbers.reshape(self.k, -1)]

    def nearest(self, coefficients: np.ndarray) -> np.ndarray:
        """Numbers of a series (k, any) with fewer or more harmonics."""
        found = np.zeros((self.k, 1 + 2 * self.basis.harmonics))
        width = min(found.shape[1], coefficients.shape[1])
        found[:, :width] = coefficients[:, :width]
        return found.ravel()


@dataclass(frozen=True)
class Star:
    """(2); numbers : the two of c, then those of f ; sense : 1 or -1, which way it is gone through."""

    basis: Basis
    k: int = 2
    sense: float = 1.0

    def curve(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """x and x' (P, 2) at the nodes."""
        radius, slope, arm, across = self._parts(numbers)
        return numbers[:2] + radius * arm, radius * (slope * arm + across)

    def _parts(self, numbers: np.ndarray) -> tuple[np.ndarray, ...]:
        radius, slope = np.exp(self.basis.values @ numbers[2:])[:, None], (self.basis.rates @ numbers[2:])[:, None]
        arm, across = self._arms(self.basis.panels.nodes.ravel())
        return radius, slope, arm, across

    def _arms(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(cos s, sin s) and its rate."""
        rate = 2 * np.pi * self.sense
        s = rate * np.asarray(t)
        return np.stack([np.cos(s), np.sin(s)], axis=1), rate * np.stack([-np.sin(s), np.cos(s)], axis=1)

    def pull(self, numbers: np.ndarray, by_x: np.ndarray, by_rate: np.ndarray) -> np.ndarray:
        """Slopes by the numbers."""
        radius, slope, arm, across = self._parts(numbers)
        by_f = (by_x * radius * arm).sum(1) + (by_rate * radius * (slope * arm + across)).sum(1)
        by_slope = (by_rate * radius * arm).sum(1)
        return np.concatenate([by_x.sum(axis=0), self.basis.values.T @ by_f + self.basis.rates.T @ by_slope])

    def points(self, numbers: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """x (T, 2) at times, and their Jacobian (T, 2, numbers)."""
        values = basis(t, self.basis.harmonics)
        arm = np.exp(values @ numbers[2:])[:, None] * self._arms(t)[0]
        jacobian = np.concatenate([np.broadcast_to(np.eye(2), (len(t), 2, 2)), arm[:, :, None] * values[:, None]], axis=2)
        return numbers[:2] + arm, jacobian

    def backwards(self, numbers: np.ndarray) -> "tuple[Star, np.ndarray]":
        """The same curve gone through the other way."""
        found = numbers.copy()
        found[4::2] *= -1.0
        return Star(self.basis, self.k, -self.sense), found

    def finer(self) -> "Star":
        """The same numbers over more nodes."""
        return Star(Basis(self.basis.panels.finer(), self.basis.harmonics), self.k, self.sense)

    def box(self, size: float) -> list[tuple[float, float]]:
        """Ranges of the numbers for curves of a size, for a search that shall not leap."""
        log = np.log(size)
        return [(-size, size)] * 2 + [(log - 8.0, log)] + [(-1.0, 1.0)] * (2 * self.basis.harmonics)

    def paths(self, numbers: np.ndarray) -> list[Fourier]:
        """As drives with a period of 1 s: as many harmonics as it takes."""
        count = 256
        x = self.points(numbers, np.arange(count) / count)[0]
        found = np.fft.rfft(x, axis=0) / count
        size = abs(found[1:]).max(axis=1)
        last = int(np.flatnonzero(size > SMALL * size.max()).max()) + 1
        return [Fourier(c[0].real, 2 * c[1 : last + 1].real, -2 * c[1 : last + 1].imag, frequency=1.0) for c in found.T]

    def nearest(self, coefficients: np.ndarray) -> np.ndarray:
        """Numbers of a star about the middle of a series, with its mean size."""
        found = np.zeros(3 + 2 * self.basis.harmonics)
        found[:2] = coefficients[:, 0]
        found[2] = 0.5 * np.log((coefficients[:, 1:] ** 2).sum() / 2)
        return found


Curves = Series | Star
