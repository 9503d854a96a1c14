"""A flow given by samples on a grid: in the plane or in space, steady or not.

Between samples cubic convolution (Keys, IEEE Trans. Acoust. Speech Signal Process. 29 (1981)) along every axis that has more
than one: it goes through the samples, with a continuous gradient, exact for parabolas up to the border. Beyond the ends the
outermost values hold.

    value = sum_abcd w_a w_b w_c w_d  sample_abcd                                                                   (1)
    sample_-1 = 3 sample_0 - 3 sample_1 + sample_2          of two samples  2 sample_0 - sample_1                    (2)

(2) is the sample that a parabola, or a straight line, would have before the first; so at the other end. They are kept with the
others, so that every cell has its four neighbours along an axis.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from locomote.arguments import Numbers
from locomote.compiler.source import helper
from locomote.forces.flows.fields import Flow
from locomote.forces.numbers import a_number

HEAD = 12  # counts of samples given, first coordinates and 1 / spacings of the axes x, y, z, t
EDGE = 1e-9  # share of a cell by which rounding may put a border point outside


@helper
def weights(s):
    """Weights of four neighbours at the fraction s between the middle two, and their derivatives."""
    w = (
        0.5 * s * (-1.0 + s * (2.0 - s)), 1.0 + 0.5 * s * s * (-5.0 + 3.0 * s), 0.5 * s * (1.0 + s * (4.0 - 3.0 * s)),
        0.5 * s * s * (s - 1.0),
    )  # fmt: skip
    d = (
        0.5 * (-1.0 + s * (4.0 - 3.0 * s)), 0.5 * s * (-10.0 + 9.0 * s), 0.5 * (1.0 + s * (8.0 - 9.0 * s)),
        0.5 * s * (3.0 * s - 2.0),
    )  # fmt: skip
    return w, d


@helper
def cell(x, numbers, start, axis):
    """First of the two samples that x is between, how far beyond it, whether it is on the grid, and the number kept."""
    count = int(numbers[start + axis])
    s = (x - numbers[start + 4 + axis]) * numbers[start + 8 + axis]
    inside = s > -EDGE and s < count - 1.0 + EDGE
    if not s > 0.0:  # NaN too
        s = 0.0
    if s > count - 1.0:
        s = count - 1.0
    k = min(int(s), max(count - 2, 0))
    return k, s - k, inside, count + 2 if count > 1 else 1


def sampled(t, x, numbers, start):
    """(1) with its derivatives."""
    i, a, in_x, nx = cell(x[0], numbers, start, 0)
    j, b, in_y, ny = cell(x[1], numbers, start, 1)
    k, c, in_z, nz = cell(x[2], numbers, start, 2)
    n, d, in_t, nt = cell(t, numbers, start, 3)
    (wx, dx), (wy, dy), (wz, dz), (wt, dt) = weights(a), weights(b), weights(c), weights(d)
    U, X, Y, Z, T = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for p in range(4):
        if nx == 1 and p != 1:
            continue
        ii = i + p if nx > 1 else 0
        for q in range(4):
            if ny == 1 and q != 1:
                continue
            jj = j + q if ny > 1 else 0
            for r in range(4):
                if nz == 1 and r != 1:
                    continue
                kk = k + r if nz > 1 else 0
                for m in range(4):
                    if nt == 1 and m != 1:
                        continue
                    mm = n + m if nt > 1 else 0
                    at = start + 12 + 3 * (ii + nx * (jj + ny * (kk + nz * mm)))
                    u = (numbers[at], numbers[at + 1], numbers[at + 2])
                    w = wx[p] * wy[q] * wz[r] * wt[m]
                    w_x, w_y = dx[p] * wy[q] * wz[r] * wt[m], wx[p] * dy[q] * wz[r] * wt[m]
                    w_z, w_t = wx[p] * wy[q] * dz[r] * wt[m], wx[p] * wy[q] * wz[r] * dt[m]
                    U = (U[0] + w * u[0], U[1] + w * u[1], U[2] + w * u[2])
                    X = (X[0] + w_x * u[0], X[1] + w_x * u[1], X[2] + w_x * u[2])
                    Y = (Y[0] + w_y * u[0], Y[1] + w_y * u[1], Y[2] + w_y * u[2])
                    Z = (Z[0] + w_z * u[0], Z[1] + w_z * u[1], Z[2] + w_z * u[2])
                    T = (T[0] + w_t * u[0], T[1] + w_t * u[1], T[2] + w_t * u[2])
    sx = numbers[start + 8] if in_x else 0.0
    sy = numbers[start + 9] if in_y else 0.0
    sz = numbers[start + 10] if in_z else 0.0
    st = numbers[start + 11] if in_t else 0.0
    G = (sx * X[0], sy * Y[0], sz * Z[0], sx * X[1], sy * Y[1], sz * Z[1], sx * X[2], sy * Y[2], sz * Z[2])
    return U, G, (st * T[0], st * T[1], st * T[2])


def with_neighbours(values: np.ndarray, axis: int) -> np.ndarray:
    """Samples with one more before the first and after the last along an axis (2); the same where there is only one."""
    count = values.shape[axis]
    if count == 1:
        return values
    share = (3.0, -3.0, 1.0) if count > 2 else (2.0, -1.0)
    before, after = (
        sum(w * values.take([k if k >= 0 else count + k], axis) for w, k in zip(share, places, strict=False))
        for places in ((0, 1, 2), (-1, -2, -3))
    )
    return np.concatenate([before, values, after], axis)


@dataclass(frozen=True, eq=False)
class Grid(Flow):
    """A flow from samples on a regular grid; compiled code only, not on symbols.

    velocity : (nx, ny, nz, 3) or (nt, nx, ny, nz, 3), m/s; an axis along which nothing changes has one sample
    origin : (3,) of the first sample, m ; spacing : (3,), m ; begin : time of the first, s ; every : s
    """

    velocity: Numbers = field(repr=False)
    origin: tuple[float, float, float]
    spacing: tuple[float, float, float]
    begin: float = 0.0
    every: float = 1.0

    law = property(lambda self: sampled)

    @property
    def numbers(self) -> tuple[float, ...]:
        values = np.asarray(self.velocity, dtype=float)
        if values.ndim == 4:
            values = values[None]
        if values.ndim != 5 or values.shape[-1] != 3 or 0 in values.shape or not np.isfinite(values).all():
            raise ValueError(
                f"velocity of a grid has shape {np.shape(self.velocity)}, expected finite numbers of shape (nx, ny, nz, 3) or "
                f"(nt, nx, ny, nz, 3)"
            )
        steps = [a_number("spacing of a grid", x, above=0.0) for x in (*self.spacing, self.every)]
        first = [a_number("origin of a grid", x) for x in (*self.origin, self.begin)]
        nt, nx, ny, nz, _ = values.shape
        for axis in range(4):
            values = with_neighbours(values, axis)
        flat = values.transpose(0, 3, 2, 1, 4).ravel()
        head = [float(n) for n in (nx, ny, nz, nt)] + first + [1.0 / x for x in steps]
        if len(steps) != 4 or len(first) != 4 or not all(map(math.isfinite, head)):
            raise ValueError("origin and spacing of a grid have three numbers each, and spacings are not tiny")
        return (*head, *flat.tolist())
