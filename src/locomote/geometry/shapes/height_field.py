"""A smooth ground z = f(x, y), by a function of the user.

    gap = (y_z - f) / s ,   n = (-f_x, -f_y, 1) / s ,   s = sqrt(1 + f_x^2 + f_y^2)

The gap is the distance where the ground is near; see `contact.spots` for balls.
"""

import ctypes
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.compiler.callbacks import call
from locomote.compiler.scalars import sqrt
from locomote.compiler.source import helper
from locomote.geometry import meshes
from locomote.geometry.shape import FUNCTION, FUNCTIONS, PLACE, RESULT, Row, Surface, framed, unit, unit_rate
from locomote.spatial.algebra import dot

HEIGHT = 3
CELLS = 48  # along a side, to look at


@brief
@dataclass(frozen=True)
class HeightField(Surface):
    """A smooth ground z = f(x, y).

    function : (x, y) -> (f, df/dx, df/dy, d2f/dx2, d2f/dxdy, d2f/dy2), m, or a Numba cfunc of the signature of callbacks with
        q = (x, y) and six results
    """

    function: Callable[..., Any]

    def callback(self) -> Callable[..., np.ndarray]:
        """The function as compiled code calls it: six numbers, padded to eight."""
        if hasattr(self.function, "address"):
            return self.function

        def ground(t, q, v):
            return np.concatenate([np.asarray(self.function(q[0], q[1]), dtype=float), np.zeros(2)])

        return ground


def pack(field: HeightField):
    return (), np.eye(4)


@helper
def gap(surface, y):
    place, shape = surface[PLACE], surface[RESULT]
    place[0], place[1] = y[0], y[1]
    call(surface[FUNCTIONS], surface[FUNCTION], 0.0, place, place, shape)
    slope = (-shape[1], -shape[2], 1.0)
    return unit(slope), (y[2] - shape[0]) / sqrt(dot(slope, slope))


@helper
def normal_rate(surface, y, dy):
    """Where `gap` was last."""
    shape = surface[RESULT]
    bend = (-shape[3] * dy[0] - shape[4] * dy[1], -shape[4] * dy[0] - shape[5] * dy[1], 0.0)
    return unit_rate((-shape[1], -shape[2], 1.0), bend)


def soft(field: HeightField) -> Callable:
    """The gap and its rate by the function itself, which then is part of the law; the rate has s' as well."""
    return soft_gap(field.function)


@functools.cache
def soft_gap(function: Callable) -> Callable:
    def gap_of(y, r, sizes):
        f, fx, fy, fxx, fxy, fyy = function(y[0], y[1])
        s = sqrt(1.0 + fx * fx + fy * fy)
        n = (-fx / s, -fy / s, 1.0 / s)
        gap = (y[2] - f) / s
        bend = (fx * (fxx * r[0] + fxy * r[1]) + fy * (fxy * r[0] + fyy * r[1])) / s
        return n, gap, dot(n, r) - gap * bend / s

    return gap_of


def height(field: HeightField, x: float, y: float) -> np.ndarray:
    """Height and its derivatives at a place."""
    function = field.function
    if not hasattr(function, "ctypes"):
        return np.asarray(function(x, y), dtype=float)
    place, result, doubles = np.array([x, y]), np.zeros(6), ctypes.POINTER(ctypes.c_double)  # a Numba cfunc
    function.ctypes(0.0, *(a.ctypes.data_as(doubles) for a in (place, place, result)))
    return result


def normals(field: HeightField, y: np.ndarray) -> np.ndarray:
    slopes = np.array([height(field, *at[:2])[1:3] for at in y])
    n = np.column_stack([-slopes, np.ones(len(y))])
    return n / np.linalg.norm(n, axis=1, keepdims=True)


def mesh(field: HeightField, around):
    """A grid over the motion and somewhat more."""
    low, high = around
    margin = 0.25 * float(max((high - low).max(), 1e-3))
    x = np.linspace(low[0] - margin, high[0] + margin, CELLS + 1)
    y = np.linspace(low[1] - margin, high[1] + margin, CELLS + 1)
    return meshes.grid(x, y, np.array([[height(field, a, b)[0] for b in y] for a in x])), framed()


ROW = Row(HeightField, HEIGHT, pack, gap, normal_rate, mesh=mesh, soft=soft, normals=normals, drawn=True)
