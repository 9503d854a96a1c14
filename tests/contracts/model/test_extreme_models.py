"""Models at the edges: nothing that moves, one body alone, no gravity, masses that differ by eighteen powers of ten."""

import mechanisms
import numpy as np
import pytest
from mechanisms import relative
from public_calls import CALLS, results

import locomote as lo

BOX = lo.Inertia.box(2.0, (0.1, 0.2, 0.3))
COUNTS = {"q": "nq", "q0": "nq", "q1": "nq"}


def post():
    """A post with an arm, fixed to the world."""
    return lo.Builder("post").body("post", inertia=BOX).body("arm", parent="post", at=(0, 0, 1), inertia=BOX).build()


def stone():
    """One free body, its center off its frame."""
    return lo.Builder("stone", base="free").body("stone", inertia=lo.Inertia(2.0, (0.1, -0.2, 0.3), BOX.moment)).build()


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("lead", [(), (1,), (9,), (2, 3), (0,)], ids=str)
def test_nothing_that_moves(name, lead):
    """Every function takes q and v without entries, one or many, and gives arrays without entries or zeros."""
    model = post()
    takes, run = CALLS[name]
    if name == "hybrid_dynamics":

        def run(model, x):
            return lo.hybrid_dynamics(model, x["q"], x["v"], x["tau"], x["a"], [])

    given = {key: np.zeros((*lead, 0)) for key in takes} | {"wrenches": np.ones((*lead, 2, 6))}
    if name == "center_of_mass":
        with pytest.raises(ValueError, match="model 'post' has no moving mass"):
            run(model, given)
        return
    for array in results(run(model, given)):
        assert np.shape(array)[: len(lead)] == lead
        is_pose = name == "forward_kinematics" or (name.startswith("motion") and array.shape[-2:] == (4, 4))
        carries = name.startswith("joint_wrenches") and np.isfinite(array).all()  # the weight of what stands still
        assert is_pose or carries or not np.any(array)


def test_problem_without_coordinates():
    """It stands, and says so."""
    problem = lo.Locomotion(post())
    run = problem.simulate(0.1, progress=False)
    assert run.q.shape[1] == 0 and run.t[-1] == pytest.approx(0.1)
    assert problem.evaluate(0.0, [], []).a.shape == (0,)


@pytest.mark.parametrize("rows", [1, 9])
def test_momentum_of_what_has_no_mass(rows):
    """A needle with armature only has none; one in water has some, but no center of mass to take its moment about."""
    needle = lo.Builder("needle").body("needle", joint=lo.Joint("pivot", armature=1.0)).build()
    q = np.ones((rows, 1))
    assert np.array_equal(lo.momentum(needle, q, q), np.zeros((rows, 6)))
    assert np.array_equal(lo.momentum_rate(needle, q, q, q), np.zeros((rows, 6)))
    assert np.allclose(lo.kinetic_energy(needle, q, q), 0.5)
    wet = lo.Builder("wet").body("needle", joint=lo.Joint("pivot"), added_inertia=np.eye(6)).build()
    for call in (lo.momentum, lambda *given: lo.momentum_rate(*given, q)):
        with pytest.raises(ValueError, match="model 'wet' has added inertia but no moving mass, so no center of mass"):
            call(wet, q, q)


def test_a_stone_in_the_air():
    """Newton and Euler about the center of mass, in the body frame."""
    model = stone()
    q, rng = model.random(4), np.random.default_rng(4)
    v, wrench = rng.normal(size=(2, 6))
    R, c, m, J = lo.forward_kinematics(model, q)[0, :3, :3], np.array((0.1, -0.2, 0.3)), 2.0, np.asarray(BOX.moment)
    a = lo.forward_dynamics(model, q, v, np.zeros(6), wrenches={"stone": wrench})
    u, w = v[:3] + np.cross(v[3:], c), v[3:]
    center = a[:3] + np.cross(a[3:], c) + np.cross(w, u)
    assert np.allclose(m * center, wrench[:3] + m * R.T @ model.gravity, atol=1e-12)
    assert np.allclose(J @ a[3:] + np.cross(w, J @ w), wrench[3:] - np.cross(c, wrench[:3]), atol=1e-12)
    assert np.allclose(lo.inverse_dynamics(model, q, v, a, wrenches={"stone": wrench}), 0.0, atol=1e-12)
    assert np.allclose(lo.momentum(model, q, v)[:3], m * R @ u, atol=1e-12)


@pytest.mark.parametrize("name", [1, 8, "legged"])
def test_no_gravity(name):
    """Nothing pulls, also through added inertia and couplings, and with many at once."""
    case = mechanisms.case(name)
    model, still = case.model.edited(gravity=(0.0, 0.0, 0.0)), np.zeros(case.model.nv)
    assert not lo.gravity_force(model, case.q).any() and lo.potential_energy(model, case.q) == 0.0
    assert not lo.gravity_force(model, np.tile(case.q, (9, 1))).any()
    assert np.allclose(lo.forward_dynamics(model, case.q, still, still), 0.0, atol=1e-14)
    pull = lo.bias_force(case.model, case.q, case.v) - lo.bias_force(model, case.q, case.v)
    assert relative(pull, lo.gravity_force(case.model, case.q)) < 1e-11


def pair(below, above, **base):
    """Two rods in a row, with masses of their own."""
    builder = lo.Builder("pair", **base)
    builder.body(
        "low",
        joint=lo.Joint("hip", axis="y") if not base else (),
        inertia=lo.Inertia(below, (0, 0, -0.5), np.full(3, 0.1 * below)),
    )
    knee = lo.Joint("knee", axis="y")
    inertia = lo.Inertia(above, (0.1, 0, -0.5), np.full(3, 0.1 * above))
    return builder.body("high", parent="low", joint=knee, at=(0, 0, -1.0), inertia=inertia).build()


@pytest.mark.parametrize("base", [{}, {"base": "free"}], ids=["hinged", "free"])
@pytest.mark.parametrize("below, above", [(1e9, 1e-9), (1e-9, 1e9), (1e9, 1e9), (1e-9, 1e-9)])
def test_very_different_masses(below, above, base):
    """Forward after inverse is the identity, as long as the mass matrix has an inverse within sixteen digits."""
    model, rng = pair(below, above, **base), np.random.default_rng(5)
    assert model.warnings == ()
    q, v, a = model.random(5), *rng.normal(size=(2, model.nv))
    M = lo.mass_matrix(model, q)
    assert np.array_equal(M, M.T) and (np.diag(M) > 0).all()
    for rows in (1, 9):
        many = [np.tile(x, (rows, 1)) for x in (q, v, a)]
        tau = lo.inverse_dynamics(model, *many)
        if base and above > below:  # the light base could be anywhere on a heavy body that turns about it
            with pytest.raises(lo.SingularMassMatrix, match="model 'pair' is singular here"):
                lo.forward_dynamics(model, *many[:2], tau)
        else:
            assert np.allclose(lo.forward_dynamics(model, *many[:2], tau), a, rtol=0, atol=1e-9)


def test_a_light_body_does_not_stir_a_heavy_one():
    """1e-9 kg on 1e9 kg: each moves as if the other were not there, or held it."""
    model = pair(1e9, 1e-9)
    alone = (
        lo.Builder("alone")
        .body("low", joint=lo.Joint("hip", axis="y"), inertia=lo.Inertia(1e9, (0, 0, -0.5), np.full(3, 1e8)))
        .build()
    )
    q, v = np.array([0.4, -0.3]), np.array([0.5, 1.5])
    a = lo.forward_dynamics(model, q, v, np.zeros(2))
    assert a[0] == pytest.approx(lo.forward_dynamics(alone, q[:1], v[:1], np.zeros(1))[0], rel=1e-12)
    carried, knee = lo.hybrid_dynamics(model, q, v, np.zeros(2), np.array([a[0], 0.0]), ["hip"])
    assert carried[1] == pytest.approx(a[1], rel=1e-9)
