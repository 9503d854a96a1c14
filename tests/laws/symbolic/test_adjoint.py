"""Derivatives of traces: backwards and forwards against complex steps of the same formulas, which share no rule with them."""

import numpy as np
import pytest

from locomote.compiler.scalars import select
from locomote.symbolic.adjoint import adjoint, tangent
from locomote.symbolic.trace import Number, Trace, evaluate

RULES = {
    "sum": lambda x, y, z: x + 2.0 * y - z,
    "product": lambda x, y, z: x * y * z * x,
    "quotient": lambda x, y, z: x / (y * y + 1.0) / z,
    "constant over": lambda x, y, z: 3.0 / (x * x + y) - z,
    "root": lambda x, y, z: np.sqrt(x * x + y * y + z),
    "sine": lambda x, y, z: np.sin(x * y) * z,
    "cosine": lambda x, y, z: np.cos(x - y) / z,
    "exponential": lambda x, y, z: np.exp(-x * y) + z,
    "logarithm": lambda x, y, z: np.log(x + y * y) * z,
    "negation": lambda x, y, z: -(x * y) + -z,
    "twice": lambda x, y, z: (x * y + z) * (x * y + z) + np.sin(x * y + z),
}


def complex_slopes(function, x):
    return [np.imag(function(*(x + 1e-30j * unit))) / 1e-30 for unit in np.eye(3)]


@pytest.mark.parametrize("name", RULES)
def test_slopes_of_each_rule(name):
    function, x = RULES[name], np.array([0.7, 1.3, 2.1])
    trace = Trace()
    inputs = trace.input(3)
    result = function(*inputs)
    slopes = adjoint(trace, {result.place: 1.0}, [k.place for k in inputs])
    found = evaluate(trace, [trace.place(s) for s in slopes], x)
    assert found == pytest.approx(complex_slopes(function, x), rel=1e-13)
    for k, unit in enumerate(np.eye(3)):
        (rate,) = tangent(trace, {a.place: float(u) for a, u in zip(inputs, unit, strict=True)}, [result.place])
        assert evaluate(trace, [trace.place(rate)], x)[0] == pytest.approx(found[k], rel=1e-13)


@pytest.mark.parametrize("x", [(0.3, 0.4), (-0.3, 0.4), (0.3, -0.4), (-0.3, -0.4)])
def test_angles(x):
    trace = Trace()
    a, b = trace.input(2)
    result = Number.atan2(a, b)
    slopes = adjoint(trace, {result.place: 1.0}, [a.place, b.place])
    found = evaluate(trace, [trace.place(s) for s in slopes], np.array(x))
    h = 1e-4
    differences = [
        (np.arctan2(x[0] + h * u, x[1] + h * w) - np.arctan2(x[0] - h * u, x[1] - h * w)) / (2 * h) for u, w in ((1, 0), (0, 1))
    ]
    assert found == pytest.approx(differences, rel=1e-6)


@pytest.mark.parametrize("x", [0.5, -0.5])
def test_the_branch_that_is_taken_has_the_slope(x):
    trace = Trace()
    (a,) = trace.input(1)
    result = select(a > 0.0, a * a, 3.0 * a) + a
    (slope,) = adjoint(trace, {result.place: 1.0}, [a.place])
    assert evaluate(trace, [trace.place(slope)], np.array([x]))[0] == (2 * x + 1 if x > 0 else 4.0)


def test_what_does_not_depend_has_no_slope():
    trace = Trace()
    a, b = trace.input(2)
    result = np.sin(b) * 2.0 + a.floor()
    assert adjoint(trace, {result.place: 1.0}, [a.place]) == [0.0]
