"""Two dipoles: closed forms, force as the gradient of energy, action and reaction, and every backend alike."""

import casadi
import numpy as np
import pytest

import locomote as lo

MU0 = 4e-7 * np.pi
M, K = (3.0, -20.0, 40.0), (10.0, 25.0, -5.0)


def two(gravity=(0, 0, 0)):
    """Two free bodies."""
    builder = lo.Builder("two", base="free", gravity=gravity)
    builder.body("a", inertia=lo.Inertia(0.1, (0, 0, 0), np.diag([1e-4, 2e-4, 2.5e-4])))
    builder.body(
        "b", parent="a", joint=lo.Joint("j", kind="free"), inertia=lo.Inertia(0.2, (0, 0, 0), np.diag([2e-4, 1e-4, 2e-4]))
    )
    return builder.build()


def problem_of(**options):
    magnet = lo.Magnet("a", "b", M, K, (0.01, 0.02, 0.0), (0.0, 0.0, 0.03), **options)
    return lo.Locomotion(two(), environment=[magnet])


def states(model, count=4):
    rng = np.random.default_rng(2)
    for _ in range(count):
        q = model.random(rng)
        q[:3], q[7:10] = rng.uniform(-0.05, 0.05, 3), rng.uniform(0.1, 0.3, 3)
        yield q, 0.3 * rng.normal(size=model.nv)


def dipole_energy(model, q):
    """From its definition, -m . B, with B by coordinates."""
    pose = lo.forward_kinematics(model, q)
    (x, m), (y, k) = ((p[:3, :3] @ at + p[:3, 3], p[:3, :3] @ own) for p, at, own in (
        (pose[0], (0.01, 0.02, 0.0), M), (pose[1], (0.0, 0.0, 0.03), K)))  # fmt: skip
    r = x - y
    d = np.linalg.norm(r)
    return -m @ (MU0 / (4 * np.pi) * (3 * r * (k @ r) / d**5 - k / d**3))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_coaxial_dipoles_pull_by_the_fourth_power(sign):
    inertia, rail = lo.Inertia(0.5, (0, 0, 0), np.eye(3)), lo.Joint("s", kind="prismatic", axis="z")
    slide = lo.Builder("slide", gravity=(0, 0, 0)).body("a", joint=rail, inertia=inertia).build()
    problem = lo.Locomotion(slide, environment=[lo.Magnet("a", moment=(0, 0, 2.0), other_moment=(0, 0, 3.0 * sign))])
    for r in (0.02, 0.1, 1.0):
        pull = 3 * MU0 * 2.0 * 3.0 / (2 * np.pi * r**4)
        assert problem.evaluate(0.0, [r], [0.0]).a[0] == pytest.approx(-sign * pull / 0.5, rel=1e-9)


def test_forces_are_the_gradient_of_the_energy():
    problem = problem_of()
    model, h = problem.model, 1e-6
    for q, _ in states(model):
        force, found = lo.inverse_dynamics(model, q, np.zeros(model.nv), problem.evaluate(0.0, q, np.zeros(model.nv)).a), []
        for d in np.eye(model.nv):
            ahead, behind = (dipole_energy(model, model.integrate(q, s * h * d)) for s in (1, -1))
            found.append(-(ahead - behind) / (2 * h))
        np.testing.assert_allclose(force, found, atol=1e-7 * abs(force).max())


def test_what_one_feels_the_other_gives_back():
    """Linear and angular momentum stay, though moments of the two alone are not opposite."""
    problem = problem_of()
    q, v = next(states(problem.model))
    run = problem.simulate(0.3, q=q, v=v)
    momenta = np.array([lo.momentum(problem.model, q, v) for q, v in zip(run.q, run.v, strict=True)])
    np.testing.assert_allclose(momenta, np.tile(momenta[0], (len(momenta), 1)), atol=1e-6 * abs(momenta).max())
    kinetic = np.array([lo.kinetic_energy(problem.model, q, v) for q, v in zip(run.q, run.v, strict=True)])
    stored = np.array([dipole_energy(problem.model, q) for q in run.q])
    np.testing.assert_allclose(run.energies["magnet a b"], stored, atol=1e-9)
    np.testing.assert_allclose(kinetic + stored, kinetic[0] + stored[0], atol=1e-5 * np.ptp(stored))
    assert np.ptp(stored) > 1e-3 and run.audit.ok, str(run.audit)


def test_a_needle_swings_about_the_field_of_the_world():
    """Small swings: omega^2 = m B / I, beside a dipole at a distance."""
    light = lo.Inertia(0.1, (0, 0, 0), 1e-3 * np.eye(3))
    needle = lo.Builder("needle", gravity=(0, 0, 0)).body("n", joint=lo.Joint("j", axis="z"), inertia=light).build()
    far = lo.Magnet("n", moment=(0.5, 0, 0), other_moment=(100.0, 0, 0), other_point=(-0.2, 0, 0))
    problem = lo.Locomotion(needle, environment=[far])
    rate = np.sqrt(0.5 * 2e-7 * 100.0 / 0.2**3 / 1e-3)
    run = problem.simulate(2 * np.pi / rate, q=[1e-3], rtol=1e-9)
    assert run.q[-1, 0] == pytest.approx(1e-3, rel=1e-5) and run.q[:, 0].min() == pytest.approx(-1e-3, rel=1e-2)


def test_symbols_derivatives_and_rollouts_say_the_same(tmp_path):
    problem = problem_of()
    model, symbolic = problem.model, lo.symbolic_problem(problem)
    given = symbolic.sx_in()
    by_v = casadi.Function("by_v", given, [casadi.jacobian(symbolic(*given), given[2])])
    for q, v in states(model, 2):
        a = problem.evaluate(0.0, q, v).a
        np.testing.assert_allclose(np.array(symbolic(0.0, q, v, np.zeros(model.nv))).ravel(), a, atol=1e-10 * abs(a).max())
        slopes = np.array(by_v(0.0, q, v, np.zeros(model.nv)))
        np.testing.assert_allclose(problem.derivatives(0.0, q, v).a.v, slopes, atol=1e-9 * abs(slopes).max())
    runs = lo.rollout(problem, batch=9, q=q, v=v, duration=2e-4, step=1e-5)
    run = problem.simulate(2e-4, q=q, v=v, method="rk4", step=1e-5)
    np.testing.assert_allclose(runs.q[:, -1], np.tile(run.q[-1], (9, 1)), atol=1e-9)
    run.save(tmp_path / "run.h5")
    again = lo.open_run(tmp_path / "run.h5")
    np.testing.assert_array_equal(again.problem.evaluate(0.0, q, v).a, problem.evaluate(0.0, q, v).a)


def test_on_sections_of_rods_and_refusals():
    soft = lo.Rod(0.3, lo.Section.circle(0.02), lo.Material(1000.0, 1e6), strains="bending", order=1)
    model = lo.Builder("arm").body("r", flex=soft).build()
    tip = lo.Magnet(lo.rods.Along("r", 0.3), moment=(5.0, 0, 0), other_moment=(0, 50.0, 0), other_point=(0.4, 0.1, 0))
    run = lo.Locomotion(model, environment=[tip]).simulate(0.05)
    assert run.audit.ok and abs(run.q[-1]).max() > 0
    for wrong, words in ((lo.Magnet("a", "a"), "does not pull itself"), (lo.Magnet("a", "b", (1.0, np.nan, 0)), "moment"),
                         (lo.Magnet("a", "c"), "'c'")):  # fmt: skip
        with pytest.raises((ValueError, KeyError), match=words):
            lo.Locomotion(two(), environment=[wrong])
