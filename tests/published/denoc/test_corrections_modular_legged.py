"""Shah, Saha and Dutt (2012), printed equations that the library departs from: what is printed fails, what is used holds.

Numbers of the tests are those of the corrections in docs/papers/modular-legged.md.
"""

import numpy as np

import locomote as lo
from locomote.control.pendulum import PendulumWalk


def robot():
    model, rng = lo.systems.load("quadruped").model, np.random.default_rng(4)
    q, v, a = model.random(rng), *rng.normal(size=(2, model.nv))
    return model, lo.denoc.at(model, q, v), q, v, a


def test_3_inertia_of_links_does_not_change_by_its_rate_alone():
    """C v of a floating robot by (24) with M N' + W M E N; the printed M' N has M' = W M - M W of the rotating inertias."""
    model, links, q, v, _ = robot()
    m = lo.denoc.matrices(links)
    true = lo.bias_force(model, q, v) - lo.gravity_force(model, q)
    size = abs(true).max()
    h = 1e-6
    before, after = (lo.denoc.matrices(lo.denoc.at(model, model.integrate(q, s * v), v)).M for s in (-h, h))
    printed = m.N.T @ ((after - before) / (2 * h) @ m.N + m.M @ m.N_rate) @ v
    assert np.allclose(m.N.T @ (m.G @ m.N + m.M @ m.N_rate) @ v, true, atol=1e-10 * size)
    assert not np.allclose(printed, true, atol=0.01 * size)


def test_4_sizes_in_the_elements_of_u():
    """(A.6): N_i^T (A_ji)^T Psi_j has the sizes of an element of U; with the first two factors exchanged it is no product."""
    modules = lo.denoc.modularise(model := robot()[0])
    found = lo.denoc.factor(lo.denoc.at(model, model.random(1), modules=modules), level="module")
    M = lo.denoc.inertia_matrix(lo.denoc.at(model, model.random(1), modules=modules))
    assert np.allclose(found.U @ found.D @ found.U.T, M, atol=1e-9 * abs(M).max())


def test_5_9_10_the_base_answers_to_accelerations():
    """Step 2 takes t' at q'' = 0, not at q' = 0; tau = I_t0 q_0'' + ..., and the first term of (23) is I q''."""
    model, links, q, v, a = robot()
    found, tau = lo.denoc.floating_inverse_dynamics(links, a)
    M, bias = lo.mass_matrix(model, q), lo.bias_force(model, q, v)
    assert np.allclose(M @ found + bias, tau, atol=1e-9 * abs(tau).max()) and np.allclose(tau[:6], 0.0)
    at_rest = lo.bias_force(model, q, 0 * v)  # q' = 0
    wrong = -np.linalg.solve(M[:6, :6], M[:6, 6:] @ a[6:] + at_rest[:6])
    assert not np.allclose(wrong, found[:6], atol=0.01 * abs(found[:6]).max())


def test_6_the_swing_foot_lands():
    """z = h/2 (1 - cos(2 pi t/T)) is down at the end of a step; with pi t/T the foot is then at its highest."""
    walk = PendulumWalk()
    height = [walk.foot(t, 1)[0, 1] for t in (0.0, 0.5, 1.0 - 1e-9)]
    assert np.allclose(height, [0.0, 0.1, 0.0], atol=1e-12)
    assert np.isclose(0.1 / 2 * (1 - np.cos(np.pi)), 0.1)


def test_7_hips_of_the_quadruped_are_as_high_as_its_pendulum():
    """z_h = z_c - l_0/2 of the biped would put them on the ground: 0.5 - 1.0/2; legs of 0.6 m reach to 0.5 m."""
    system = lo.systems.load("trotting_quadruped")
    assert np.isclose(system.initial[0][2], 0.5, atol=0.02)  # less what feet sink in


def test_8_percentages_of_table_2():
    """What O(n) saves, from the printed times: 14 to 35 %, not 16 to 30 %."""
    times = [(2.88, 2.40), (5034, 4312), (2.89, 2.41), (2920, 2241), (4.48, 3.49), (16170, 10443), (4.49, 3.50), (9675, 7031)]
    saved = [100 * (1 - fast / slow) for slow, fast in times]
    assert np.allclose(saved, [16.7, 14.3, 16.6, 23.3, 22.1, 35.4, 22.0, 27.3], atol=0.06)
