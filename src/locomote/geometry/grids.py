"""Smooth heights through the points of a grid: cubic B-splines, level at the borders and beyond.

With the place (i + x, j + y) of a point in cells, x and y from 0 to 1, and the weights b of cubic B-splines,

    f = sum over k, l of 0 .. 3 of b_k(y) b_l(x) c_(j + k - 1, i + l - 1)                                                (1)

whose coefficients c are such that f is the height of every point of the grid (mirrored at the borders). Slopes are zero across
a border, beyond which heights are those of the border.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.ndimage import spline_filter

from locomote.brief import brief


@brief
@dataclass(frozen=True, eq=False)
class GridHeights:
    """A function for lo.HeightField: heights (rows, columns), m, over a rectangle; rows go along y, columns along x.

    half : half its edges along x and y, m ; center : of the rectangle, m ; turn : about z, rad
    """

    heights: np.ndarray
    half: tuple[float, float]
    center: tuple[float, float, float] = (0.0, 0.0, 0.0)
    turn: float = 0.0
    coefficients: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        heights = np.array(self.heights, float)
        if heights.ndim != 2 or min(heights.shape) < 2 or not np.isfinite(heights).all():
            raise ValueError(
                f"heights of a grid have shape {heights.shape}, expected finite numbers, two rows and columns or more"
            )
        if not min(self.half) > 0:
            raise ValueError(f"half edges of a grid are {self.half!r}, expected positive numbers, m")
        object.__setattr__(self, "heights", heights)
        object.__setattr__(self, "coefficients", np.pad(spline_filter(heights, 3, mode="mirror"), 2, mode="reflect"))

    def __call__(self, x: float, y: float) -> np.ndarray:
        """Height, m, and its derivatives by x, y, twice by x, by both, and twice by y."""
        c, s = np.cos(self.turn), np.sin(self.turn)
        dx, dy = x - self.center[0], y - self.center[1]
        j, by_row, row_scale = self._along(-s * dx + c * dy, 0)
        i, by_column, scale = self._along(c * dx + s * dy, 1)
        b = by_row @ self.coefficients[j : j + 4, i : i + 4] @ by_column.T  # (1), and its derivatives
        f, fu, fv = b[0, 0] + self.center[2], b[0, 1] * scale, b[1, 0] * row_scale
        fuu, fuv, fvv = b[0, 2] * scale**2, b[1, 1] * scale * row_scale, b[2, 0] * row_scale**2
        gradient = c * fu - s * fv, s * fu + c * fv
        bends = c * c * fuu - 2 * c * s * fuv + s * s * fvv, c * s * (fuu - fvv) + (c * c - s * s) * fuv
        return np.array([f, *gradient, *bends, s * s * fuu + 2 * c * s * fuv + c * c * fvv])

    def _along(self, place: float, axis: int) -> tuple[int, np.ndarray, float]:
        """First coefficient, (3, 4) weights with their derivatives, and cells per m along rows (0) or columns (1)."""
        cells = self.heights.shape[axis] - 1
        scale = cells / (2.0 * self.half[1 - axis])
        at = (place + self.half[1 - axis]) * scale
        inside = min(max(at, 0.0), float(cells))
        k = min(int(inside), cells - 1)
        x = inside - k
        weights = np.array([
            [(1 - x) ** 3, 4 - 6 * x**2 + 3 * x**3, 1 + 3 * x + 3 * x**2 - 3 * x**3, x**3],
            [-3 * (1 - x) ** 2, -12 * x + 9 * x**2, 3 + 6 * x - 9 * x**2, 3 * x**2],
            [6 * (1 - x), -12 + 18 * x, 6 - 18 * x, 6 * x],
        ]) / 6.0  # fmt: skip
        if inside != at:  # level beyond the border
            weights[1:] = 0.0
        return k + 1, weights, scale
