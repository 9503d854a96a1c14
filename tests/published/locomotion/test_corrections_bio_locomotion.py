"""Boyer and Porez (2014), printed equations that the library departs from: what is printed fails, what is used holds.

Numbers of the tests are those of the corrections in docs/papers/bio-locomotion.md.
"""

import numpy as np

import locomote as lo


def test_1_the_connection_is_minus_the_jacobian():
    """eta + Ac r' = 0 and eta = J r': of the unicycle Ac = -[[R/2, R/2], [0, 0], [-R/(2d), R/(2d)]]."""
    problem = lo.systems.load("unicycle").problem()
    q, v = problem.initial()
    J, R, d = problem.reduction(0.0, q, v).J, 0.05, 0.15
    connection = -np.array([[R / 2, R / 2], [0.0, 0.0], [-R / (2 * d), R / (2 * d)]])
    assert np.allclose(J, -connection, atol=1e-12)
    assert np.allclose(v[:3] + connection @ v[3:], 0.0, atol=1e-12) and abs(v[:3]).max() > 0.1


def adjoint(g):
    """Ad of a pose on twists (V, W)."""
    R, p = g[:3, :3], g[:3, 3]
    across = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
    return np.block([[R, across @ R], [np.zeros((3, 3)), R]])


def test_3_twists_are_seen_from_the_child():
    """eta_j = Ad of g_(j,i) eta_i + A_j r_j', the pose of the parent in the child; with g_(i,j) it is another twist."""
    model = lo.systems.load("puma").model
    q, v = model.random(2), np.random.default_rng(2).normal(size=model.nv)
    poses, i, j = lo.forward_kinematics(model, q), model.body_index("link3"), model.body_index("link4")
    parent, child = (lo.velocity(model, q, v, name) for name in ("link3", "link4"))
    own = lo.jacobian(model, q, "link4")[:, 3] * v[3]
    seen = np.linalg.inv(poses[j]) @ poses[i]
    assert np.allclose(adjoint(seen) @ parent + own, child, atol=1e-12)
    assert not np.allclose(adjoint(np.linalg.inv(seen)) @ parent + own, child, atol=0.1)


def test_6_columns_of_h_are_what_independent_rows_leave():
    """A snake of 21 axles in a circle: rank A = 2 leaves one velocity of three; n - m would be -18."""
    system = lo.systems.load("acm_snake", imposed="joints")
    problem = system.problem()
    q = system.initial[0].copy()
    q[3:] = 0.1
    case = problem.classify(0.0, q)
    assert (case.rows, case.locked_rank, case.free) == (21, 2, 1) and case.external - case.rows == -18


def test_8_sections_that_turn_have_a_gyroscopic_moment():
    """A short thick rod that is kept straight spins as a rigid block does, with W x (rho J W) of its sections only."""
    length, width, height, density = 0.1, 0.03, 0.08, 1000.0
    section = lo.Section(width * height, width * height**3 / 12, width**3 * height / 12, 1e-7)
    rod = lo.Rod(length, section, lo.Material(density, 1e6), strains="bending", order=0, nodes=8)
    model = lo.Builder("block", base="free").body("rod", flex=rod).build()
    problem = lo.Locomotion(model, drives={"rod": [0.0, 0.0]})
    w = np.array([2.0, -1.5, 3.0])
    v = np.r_[-np.cross(w, [length / 2, 0.0, 0.0]), w, 0.0, 0.0]  # about its middle
    found = problem.evaluate(0.0, model.neutral(), v).a[3:6]
    mass = density * width * height * length
    of_sections = mass / 12 * np.array([width**2 + height**2, height**2, width**2])
    moments = of_sections + mass / 12 * np.array([0.0, length**2, length**2])
    turning = -np.cross(w, moments * w)
    assert np.allclose(found, turning / moments, rtol=1e-9)
    without = (turning + np.cross(w, of_sections * w)) / moments
    assert abs(without - found).max() > 1.0
