"""Sine, cosine, square root and the others of straight-line code, against arithmetic of many digits."""

import math

import mpmath
import numpy as np
import pytest

from locomote.compiled.kernel import RowKernel, code_of
from locomote.compiled.program import Program
from locomote.compiled.vectors import Lanes
from locomote.compiler.scalars import atan2, floor, select
from locomote.symbolic.trace import Trace

DOUBLE, SINGLE = (Lanes(2), Lanes(4), Lanes(8)), (Lanes(8, "float"), Lanes(16, "float"))
ALL = (*DOUBLE, *SINGLE)


def kernel_of(function, count, lanes):
    """A function of `count` numbers, as a kernel of rows."""
    trace = Trace()
    results = function(*trace.input(count))
    program = Program(trace, (count,), (tuple(trace.place(x) for x in results),))
    return RowKernel(lanes, code_of(program, ((len(results),),), lanes))


def arguments(lanes):
    """Arguments of every size, near multiples of pi/2 above all."""
    rng = np.random.default_rng(0)
    reach = 1e6
    turns = rng.integers(-int(reach), int(reach), 4000) * (math.pi / 2)
    special = [0.0, -0.0, 5e-324, 1e-300, 1e-8, math.pi, math.pi / 4, reach, -reach, math.nextafter(reach, math.inf)]
    x = np.concatenate(
        [rng.uniform(-10, 10, 4000), rng.uniform(-reach, reach, 4000), turns * 0.6, turns * 0.6 + rng.normal(size=4000) * 1e-9]
    )
    return np.concatenate([x, special]).astype(np.float64 if lanes.scalar == "double" else np.float32)


def ulps(got, exact):
    """Errors in units of the last digit of the exact values, given as mpmath numbers."""
    kind = got.dtype.type
    return np.array(
        [float(abs(mpmath.mpf(float(g)) - e)) / float(np.spacing(abs(kind(float(e))))) for g, e in zip(got, exact, strict=True)]
    )


@pytest.mark.parametrize("lanes", ALL, ids=str)
@pytest.mark.parametrize("computed", [False, True], ids=["input", "computed"])
def test_sine_and_cosine_are_right_to_two_units_of_the_last_digit(lanes, computed):
    """Sines of inputs are done in a loop, those of computed numbers in line."""
    x = arguments(lanes)
    if computed:
        kernel = kernel_of(lambda a, b: ((a + b).sin(), (a + b).cos()), 2, lanes)
        got = kernel.run([np.stack([x, np.zeros_like(x)], axis=1)])[0]
    else:
        kernel = kernel_of(lambda a: (a.sin(), a.cos()), 1, lanes)
        got = kernel.run([x[:, None]])[0]
    with mpmath.workdps(60):
        exact = [(mpmath.sin(mpmath.mpf(float(a))), mpmath.cos(mpmath.mpf(float(a)))) for a in x]
        assert ulps(got[:, 0], [e[0] for e in exact]).max() < 2.0
        assert ulps(got[:, 1], [e[1] for e in exact]).max() < 2.0


@pytest.mark.parametrize("lanes", ALL, ids=str)
def test_far_arguments_are_as_exact(lanes):
    rng = np.random.default_rng(1)
    top = 300 if lanes.scalar == "double" else 37
    x = (rng.uniform(1, 10, 500) * 10.0 ** rng.integers(3, top, 500)).astype(np.float64 if top == 300 else np.float32)
    got = kernel_of(lambda a: (a.sin(), a.cos()), 1, lanes).run([x[:, None]])[0]
    with mpmath.workdps(400):
        assert ulps(got[:, 0], [mpmath.sin(mpmath.mpf(float(a))) for a in x]).max() < 2.0
        assert ulps(got[:, 1], [mpmath.cos(mpmath.mpf(float(a))) for a in x]).max() < 2.0


@pytest.mark.parametrize("lanes", ALL, ids=str)
def test_what_is_not_finite_is_not_a_number_and_spoils_no_neighbour(lanes):
    kernel = kernel_of(lambda a, b: (a.sin(), a.cos(), b.sin()), 2, lanes)
    x = np.full((5 * lanes.width, 2), 0.5)
    x[1, 0], x[4, 0], x[5, 0] = np.nan, np.inf, -np.inf
    x[6] = 1e30
    with np.errstate(invalid="ignore"):
        expected = np.stack([np.sin(x[:, 0]), np.cos(x[:, 0]), np.sin(x[:, 1])], axis=1)
    got = kernel.run([x])[0]
    tolerance = 1e-15 if lanes.scalar == "double" else 2e-7
    keep = [k for k in range(len(x)) if lanes.scalar == "double" or k != 6]  # 1e30 is another number in single precision
    assert np.allclose(got[keep], expected[keep], rtol=0, atol=tolerance, equal_nan=True)
    assert np.isnan(got[[1, 4, 5], 0]).all() and not np.isnan(got[[1, 4, 5], 2]).any()


@pytest.mark.parametrize("lanes", ALL, ids=str)
def test_all_other_operations(lanes):
    def function(a, b):
        return (
            a + b, a - b, b - a, a * b, a / b, -a, (a * a).sqrt(), floor(a), atan2(a, b), select(a < b, a, b),
            select(a <= b, 1.0, 2.0), select(a == b, a, -b), select(a != b, a, -b), 3.0 * a - 1.0, 2.0 / b, 1.0 - a, a * 0.0,
            7.0,
        )  # fmt: skip

    rng = np.random.default_rng(2)
    x = rng.normal(size=(101, 2)).astype(np.float64 if lanes.scalar == "double" else np.float32)
    x[::7, 1] = x[::7, 0]
    a, b = x.astype(float).T
    expected = [
        a + b, a - b, b - a, a * b, a / b, -a, np.sqrt(a * a), np.floor(a), np.arctan2(a, b), np.where(a < b, a, b),
        np.where(a <= b, 1.0, 2.0), np.where(a == b, a, -b), np.where(a != b, a, -b), 3.0 * a - 1.0, 2.0 / b, 1.0 - a, 0 * a,
        7.0 + 0 * a,
    ]  # fmt: skip
    got = kernel_of(function, 2, lanes).run([x])[0]
    assert np.allclose(got, np.stack(expected, axis=1), rtol=1e-14 if lanes.scalar == "double" else 2e-6, atol=0)


@pytest.mark.parametrize("lanes", [Lanes(4), Lanes(8)], ids=str)
@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5, 7, 8, 9, 17])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 8, 9, 33])
def test_rows_and_columns_of_every_number_go_in_and_out(lanes, columns, count):
    kernel = kernel_of(lambda *x: [2.0 * a for a in x], columns, lanes)
    x = np.random.default_rng(3).normal(size=(count, columns))
    assert np.array_equal(kernel.run([x])[0], 2.0 * x)
