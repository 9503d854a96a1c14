"""Bouyarmane, Kheddar (2012): a floating base in its quaternion, by Gauss' principle; data/quaternion_base.json.

The numbers come from Newton-Euler and point masses, without a quaternion in the dynamics. The scalar part is first there.
"""

import numpy as np
import pytest
from cases import close, numbers

import locomote as lo

DATA = numbers("quaternion_base")
FIRST, LAST = [1, 2, 3, 0], [3, 0, 1, 2]  # scalar last from scalar first, and back


def published(x):
    """The rotation of a quaternion, scalar last, as the paper has it: 2(...) - 1 on the diagonal, length taken for granted."""
    b, c, d, a = x
    return [
        [2 * (a * a + b * b) - 1, 2 * (b * c - a * d), 2 * (b * d + a * c)],
        [2 * (b * c + a * d), 2 * (a * a + c * c) - 1, 2 * (c * d - a * b)],
        [2 * (b * d - a * c), 2 * (c * d + a * b), 2 * (a * a + d * d) - 1],
    ]


EQUATION_10 = lo.own_chart(
    "quaternion by equation (10)", 4, published, constraint=lambda x: (sum(xi * xi for xi in x) - 1.0,), start=(0, 0, 0, 1)
)


FORMS = ("reduced", "multiplier", "projected", "oblique")


def base():
    p = DATA["parameters"]
    builder = lo.Builder("base", base="free", gravity=(0, 0, -p["g"]))
    builder.body("base", inertia=lo.Inertia(p["m0"], p["c0"], p["I0"]))
    return builder.build()


@pytest.mark.parametrize("form, one", [*((form, "quaternion") for form in FORMS), *((form, EQUATION_10) for form in FORMS[:3])])
@pytest.mark.parametrize("case", DATA["cases"], ids=lambda case: "")
def test_accelerations(case, form, one):
    given, expected = case["input"], case["expected"]
    model = base()
    charted = lo.Charted(model, one)
    x = np.array([*given["x0"], *np.array(given["theta"])[FIRST]])
    rates = np.array([*given["xd0"], *np.array(given["thetad"])[FIRST]])
    (load,) = given["forces"]
    R = lo.chart("quaternion").rotation(x[3:])
    force = R.T @ load["force_world"]
    wrench = np.concatenate([force, np.cross(load["point_body"], force)])
    second, multiplier = charted.accelerations(x, rates, wrenches={"base": wrench}, form=form)
    assert close(second[:3], expected["xdd0"], 1e-11)
    assert close(second[3:][LAST], expected["thetadd"], 1e-11)
    assert abs(multiplier).max() < 1e-10
    a = charted.acceleration(x, rates, second)
    assert close(a[3:], expected["wd_body"], 1e-11)


@pytest.mark.parametrize("case", DATA["cases"], ids=lambda case: "")
def test_diagnostics(case):
    """Ranks, conditions and the null direction of the two Jacobians, as computed for the paper."""
    given, expected = case["input"], case["expected"]["paper_diagnostics"]
    x = np.array([*given["x0"], *np.array(given["theta"])[FIRST]])
    rates = np.array([*given["xd0"], *np.array(given["thetad"])[FIRST]])
    R = lo.chart("quaternion").rotation(x[3:])
    for one, label in (("quaternion", "JE"), (EQUATION_10, "J10")):
        charted = lo.Charted(base(), one)
        equations = charted.equations(x, rates)
        assert np.linalg.matrix_rank(equations.mass, tol=1e-9) == expected[f"rank_M_{label}"] == 6
        assert close(R @ equations.rate_map[3:, 3:] @ x[3:], expected[f"{label}_theta"], 1e-11)
        S = np.zeros(7)
        S[3:] = x[3:]
        P = np.eye(7) - np.outer(S, S)
        stack = np.vstack([P @ equations.mass, S])
        assert np.linalg.matrix_rank(stack) == expected[f"rank_{label}_Aorth"]
        assert np.linalg.cond(stack) == pytest.approx(expected[f"cond_{label}_Aorth"], rel=1e-8)
