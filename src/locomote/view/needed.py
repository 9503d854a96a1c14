"""Kernels that pictures need, with the argument types that they are compiled for."""

from numba import float32, float64, int64, uint8

from locomote.view import raster

VECTOR, MATRIX, INTS = float64[::1], float64[:, ::1], int64[:, ::1]
_DEPTH, _IMAGE = float32[:, ::1], float32[:, :, ::1]
# a place on the ground, in one piece, is drawn by these
PICTURES = (
    (raster.draw_background, (*[VECTOR] * 4, *[float64] * 3, VECTOR, float64, MATRIX, MATRIX, _DEPTH, _IMAGE)),
    (raster.draw_shadow, (MATRIX, INTS, float64, float64, _DEPTH, _DEPTH)),
    (raster.draw_faces, (MATRIX, INTS, MATRIX, MATRIX, float64, float64, _DEPTH, _IMAGE, VECTOR)),
    (raster.smaller, (_IMAGE, int64, uint8[:, :, ::1])),
)
# and what is in water by this one too
WATER = (
    (raster.draw_water, (*[VECTOR] * 4, *[float64] * 3, VECTOR, float64, *[VECTOR] * 3, _DEPTH, _IMAGE)),
)  # fmt: skip
