"""Perfect fluid around several bodies in the plane: their added inertia with all interactions, by boundary integrals.

A body is a smooth closed outline x(t), 0 <= t < 2 pi, counterclockwise, with normal n out of the body, cut into panels of equal
dt. Sources of strength s on all outlines make the potential and its normal derivative, at a point of an outline,

    phi(x) = 1/(2 pi) int s ln|x - y| dy ,      dphi/dn = s/2 + 1/(2 pi) int s (x - y).n / |x - y|^2 dy               (1)

A body that moves with u, w about the origin of its frame asks for dphi/dn = n . (u + w x r) on itself and zero on others; the
energy of the fluid is a square of all velocities, with

    M_ij = -rho int phi_i dphi_j/dn                                                                                  (2)

The kernel of the derivative is smooth on a smooth outline, with the limit k / 2 for the curvature k, so that the sum over
panels converges faster than any power of their number; that of the potential is split into ln(4 sin^2((t - t')/2)), whose
integral with waves is known (Kress, Linear Integral Equations, 12.3), and a smooth rest.
"""

import math
from dataclasses import dataclass

import numpy as np

from locomote.arguments import Numbers
from locomote.brief import brief
from locomote.forces.numbers import a_number, a_vector, whole_number


@brief
@dataclass(frozen=True)
class Outline:
    """A smooth closed curve in the xy plane of a body frame.

    points : (n, 2), m, counterclockwise, at equal steps of a smooth parameter; n even, at least 8. Between them it is a sum of
    waves through all points, so that corners do not belong here. See Outline.ellipse
    """

    points: Numbers

    def __post_init__(self) -> None:
        x = np.array(self.points, dtype=float)
        if x.ndim != 2 or x.shape[1] != 2 or len(x) < 8 or len(x) % 2 or not np.isfinite(x).all():
            raise ValueError(
                f"points of an outline have the shape {x.shape}, expected (n, 2) finite numbers, n even, at least 8"
            )
        area = 0.5 * np.sum(x[:, 0] * np.roll(x[:, 1], -1) - x[:, 1] * np.roll(x[:, 0], -1))
        if not area > 0:
            raise ValueError("points of an outline run clockwise, or enclose nothing; give them counterclockwise")
        x.setflags(write=False)
        object.__setattr__(self, "points", x)

    @staticmethod
    def ellipse(a: float, b: float, *, at=(0.0, 0.0), angle: float = 0.0, panels: int = 64) -> "Outline":
        """With semi-axes a along `angle` (rad) and b across, m, about the point `at` of the body frame."""
        a, b = a_number("a of an ellipse", a, above=0.0), a_number("b of an ellipse", b, above=0.0)
        at, angle = a_vector("at of an ellipse", at, 2), a_number("angle of an ellipse", angle)
        t = 2 * math.pi * np.arange(whole_number("panels", panels, 8)) / panels
        x, y, c, s = a * np.cos(t), b * np.sin(t), math.cos(angle), math.sin(angle)
        return Outline(np.column_stack([at[0] + c * x - s * y, at[1] + s * x + c * y]))

    @property
    def slopes(self) -> tuple[np.ndarray, np.ndarray]:
        """(n, 2) first and second derivatives by t, those of the waves through the points."""
        k = np.fft.fftfreq(len(self.points), 1 / len(self.points))[:, None]
        waves = np.fft.fft(self.points, axis=0)
        first = np.where(abs(k) == len(k) / 2, 0.0, 1j * k)
        return np.fft.ifft(first * waves, axis=0).real, np.fft.ifft(-k * k * waves, axis=0).real

    @property
    def area(self) -> float:
        """m^2"""
        first, _ = self.slopes
        cross = self.points[:, 0] * first[:, 1] - self.points[:, 1] * first[:, 0]
        return float(cross.sum() * math.pi / len(first))


def log_weights(n: int) -> np.ndarray:
    """(n,) weights of an integral over 0..2 pi of ln(4 sin^2(t/2)) times waves, at equal steps from 0; n even."""
    m, t = n // 2, 2 * math.pi * np.arange(n) / n
    k = np.arange(1, m)
    return -2 * math.pi / m * (np.cos(np.outer(t, k)) / k).sum(axis=1) - math.pi / m**2 * np.cos(m * t)


def added_inertia(outlines: list[Outline], poses: np.ndarray, density: float = 1.0) -> np.ndarray:
    """(3 N, 3 N) of N bodies at poses (N, 3), x, y, angle: for velocities u_x, u_y, w of each in its own frame."""
    sizes = [len(o.points) for o in outlines]
    x, first, turn, right = [], [], [], np.zeros((sum(sizes), 3 * len(outlines)))
    start = 0
    for i, (outline, pose) in enumerate(zip(outlines, np.asarray(poses, dtype=float), strict=True)):
        c, s = math.cos(pose[2]), math.sin(pose[2])
        R, own = np.array([[c, -s], [s, c]]), outline.points
        d1, d2 = outline.slopes
        speed = np.hypot(*d1.T)
        normal = np.column_stack([d1[:, 1], -d1[:, 0]]) / speed[:, None]
        rows = slice(start, start + len(own))
        right[rows, 3 * i : 3 * i + 2] = normal
        right[rows, 3 * i + 2] = own[:, 0] * normal[:, 1] - own[:, 1] * normal[:, 0]
        x.append(own @ R.T + pose[:2])
        first.append(d1 @ R.T)
        turn.append((d1[:, 0] * d2[:, 1] - d1[:, 1] * d2[:, 0]) / speed**3)
        start += len(own)
    x, first, curvature = np.concatenate(x), np.concatenate(first), np.concatenate(turn)
    speed = np.hypot(*first.T)
    normal = np.column_stack([first[:, 1], -first[:, 0]]) / speed[:, None]
    length = speed * np.concatenate([np.full(n, 2 * math.pi / n) for n in sizes])  # lengths of panels
    gap = x[:, None] - x[None]
    square = (gap**2).sum(axis=2)
    np.fill_diagonal(square, 1.0)
    if not (square > 0).all():
        raise ValueError("two outlines, or two points of one, meet in a point; bodies must be apart")
    slope = np.einsum("ijk,ik->ij", gap, normal) / square
    np.fill_diagonal(slope, 0.5 * curvature)
    strength = np.linalg.solve(0.5 * np.eye(len(x)) + slope * length / (2 * math.pi), right)  # (1)
    potential = np.log(square) * length / (4 * math.pi)
    start = 0
    for n in sizes:
        rows = slice(start, start + n)
        t = 2 * math.pi * np.arange(n) / n
        lag = (np.arange(n)[:, None] - np.arange(n)[None]) % n
        wave = 4 * np.sin((t[:, None] - t[None]) / 2) ** 2
        np.fill_diagonal(wave, 1.0)
        rest = np.log(square[rows, rows] / wave)
        np.fill_diagonal(rest, 2 * np.log(speed[rows]))
        potential[rows, rows] = (log_weights(n)[lag] + rest * 2 * math.pi / n) * speed[rows] / (4 * math.pi)
        start += n
    M = -density * (potential @ strength).T @ (length[:, None] * right)  # (2)
    return 0.5 * (M + M.T)
