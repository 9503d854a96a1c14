"""Saha, Shah and Nandihal (2013), printed equations that the library departs from: what is printed fails, what is used holds.

Numbers of the tests are those of the corrections in docs/papers/denoc.md.
"""

import numpy as np
import pytest

import locomote as lo


def arm():
    model, rng = lo.systems.load("stanford_arm").model, np.random.default_rng(4)
    q, v, tau = model.random(rng), *rng.normal(size=(2, model.nv))
    return model, lo.denoc.at(model, q, v), q, v, tau


def test_1_the_rate_of_the_complement_is_in_the_convective_matrix():
    """C v with gravity off is inverse dynamics without accelerations: with N', and not with N, in C = N^T (M N' + W M E N)."""
    model, links, q, v, _ = arm()
    m = lo.denoc.matrices(links)
    true = lo.bias_force(model, q, v) - lo.gravity_force(model, q)
    right = m.N.T @ (m.M @ m.N_rate + m.G @ m.N) @ v
    printed = m.N.T @ (m.M @ m.N + m.G @ m.N) @ v
    assert np.allclose(right, true, atol=1e-10 * abs(true).max()) and not np.allclose(
        printed, true, atol=0.01 * abs(true).max()
    )


def test_3_the_wrench_of_a_link_belongs_to_the_backward_recursion():
    """(25) from link to link: without w_i nothing ever enters it, and all torques are zero."""
    model, links, q, v, a = arm()
    true = lo.inverse_dynamics(model, q, v, a)
    m = lo.denoc.matrices(links)
    twist_rates = m.N @ a + m.N_rate @ v
    wrenches = (m.M @ twist_rates + m.G @ (m.N @ v) - m.weight).reshape(-1, 6)
    for with_own in (True, False):
        carried, tau = np.zeros(6), np.zeros(model.nv)
        for i in range(len(wrenches) - 1, -1, -1):
            outward = m.N_l[6 * i + 6 : 6 * i + 12, 6 * i : 6 * i + 6] if i + 1 < len(wrenches) else np.zeros((6, 6))
            carried = outward.T @ carried + (wrenches[i] if with_own else 0.0)
            tau += m.N_d[6 * i : 6 * i + 6].T @ carried
        assert np.allclose(tau, true if with_own else 0.0, atol=1e-9 * abs(true).max())
    assert abs(true).max() > 0.1


def test_4_the_transpose_stands_in_the_second_step():
    """U^T th'' = D^-1 U^-1 phi; without the transpose it is another vector."""
    model, links, q, v, tau = arm()
    found, a = lo.denoc.factor(links), lo.forward_dynamics(model, q, v, tau)
    middle = np.linalg.solve(found.D, np.linalg.solve(found.U, tau - lo.bias_force(model, q, v)))
    size = abs(middle).max()
    assert np.allclose(found.U.T @ a, middle, atol=1e-9 * size) and not np.allclose(found.U @ a, middle, atol=1e-3 * size)


@pytest.mark.parametrize("printed", [True, False], ids=["printed", "corrected"])
def test_6_the_jacobian_of_the_four_bar(printed):
    """Rates of the closed linkage are in the kernel of J as it follows of (51), and not of (52b)."""
    system = lo.systems.load("four_bar", motion="driven")
    problem, p = system.problem(), system.parameters
    (q1, q2, q3), v = problem.initial(*system.initial, t=0.2)
    a1, a2, a3 = p["crank"], p["output"], p["coupler"]
    s, c = np.sin, np.cos
    if printed:  # angles relative to the link before
        s12, c12, s123, c123 = s(q1 + q2), c(q1 + q2), s(q1 + q2 + q3), c(q1 + q2 + q3)
        J = [
            [-a1 * s(q1) - a2 * s12 + a3 * s123, -a2 * s12 + a3 * s123, -a3 * s123],
            [a1 * c(q1) + a2 * c12 - a3 * c123, a2 * c12 + a3 * c123, a3 * c123],
        ]
    else:
        s23, c23 = s(q2 + q3), c(q2 + q3)
        J = [
            [-a1 * s(q1), a2 * s(q2) + a3 * s23, a3 * s23],
            [a1 * c(q1), -a2 * c(q2) - a3 * c23, -a3 * c23],
        ]
    left = abs(np.array(J) @ v).max()
    assert left > 0.05 if printed else left < 1e-12
