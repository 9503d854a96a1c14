"""The structured basis and bases of one's own, against the reduction as it is and the evaluation."""

import numpy as np
import pytest

import locomote as lo
from locomote.dynamics.differences import derivative

SYSTEMS = [
    "snakeboard", "trikke", "roller_racer", "mobile_pendulum", "chaplygin_sleigh", "falling_cat", "bicycle",
    "soft_snakeboard", "ice_skater", "unicycle", "acm_snake", "flexible_arm", "elastic_pendulum",
]  # fmt: skip
PARAMETERS = {"bicycle": {"model": "frozen", "steering": "imposed", "amplitude": 0.2}}  # that of the paper


def state(problem, t=0.35):
    rng = np.random.default_rng(3)
    q, v = problem.initial(t=t)
    kick = np.where(problem.imposed, 0.0, rng.normal(scale=0.02, size=problem.model.nv))
    return t, *problem.initial(problem.model.integrate(q, kick), v + 5 * kick, t)


@pytest.mark.parametrize("name", SYSTEMS)
def test_blocks_give_the_motion(name):
    """(4), (5), (7), (8), with selection matrices; the basis is one of the same kernel."""
    problem = lo.systems.load(name, **PARAMETERS.get(name, {})).problem()
    t, q, v = state(problem)
    plain, held = problem.reduction(t, q, v), problem.imposed
    s, now = plain.structured(), problem.evaluate(t, q, v)
    case = problem.classify(t, q)
    size = max(1.0, abs(now.a).max())
    assert np.allclose(s.acceleration(now.a[held]), now.a[~held], atol=1e-9 * size)
    assert np.allclose(plain.A @ s.H, 0.0, atol=1e-11 * max(1.0, abs(s.H).max(initial=0.0)))
    assert s.H.shape == plain.H.shape and np.linalg.matrix_rank(s.H) == plain.H.shape[1]
    assert np.array_equal(s.S, s.D.T) and np.array_equal(s.S @ s.D, np.eye(s.D.shape[1]))
    assert np.array_equal(s.D @ s.S + s.complement @ s.complement.T, np.eye(len(s.D))) and not (s.S @ s.Jint).any()
    names = [f"{slot.joint}.{slot.name}" for slot in problem.model.layout() if slot.vector == "v"]
    inner = [names[problem.plan.free[k]] for k in s.passive]
    assert [n for n, moves in zip(inner, s.D.any(axis=1), strict=True) if moves] == [n for n in inner if n in case.dynamic]
    x = v[~held] + plain.G @ plain.speed
    eta_r = np.linalg.lstsq(s.Hee, x[s.external] - s.Jext @ v[held] - s.Hep @ (s.S @ x[s.passive]), rcond=None)[0]
    eta, passive = s.reconstruct(v[held], eta_r, s.S @ x[s.passive])
    assert np.allclose(eta, x[s.external], atol=1e-9) and np.allclose(passive, x[s.passive], atol=1e-9)


def test_passive_coordinates_that_are_tied_have_no_selection():
    """Two pendulums that a rod ties together, with nothing imposed: remark 4 of the paper."""
    builder = lo.Builder("tied").body("ground")
    for name, x in (("left", 0.0), ("right", 1.0)):
        inertia = lo.Inertia(1.0, com=(0, 0, -0.5), moment=0.01 * np.eye(3))
        builder.body(name, parent="ground", at=(x, 0, 0), joint=lo.Joint(name, axis="y"), inertia=inertia)
    tie = lo.Distance("left", "right", point=(0, 0, -1), other_point=(0, 0, -0.7), name="tie")
    problem = lo.Locomotion(builder.build(), constraints=[tie])
    q, v = problem.initial(q=[0.2, 0.3])
    with pytest.raises(ValueError, match="no basis with a selection matrix D"):
        problem.reduction(0.0, q, v).structured()


@pytest.mark.parametrize("name", ["bicycle", "whipple_bicycle"])
def test_a_wheel_that_follows_a_free_steering_has_none_either(name):
    problem = lo.systems.load(name).problem()
    with pytest.raises(ValueError, match="no basis with a selection matrix D"):
        problem.reduction(*state(problem)).structured()


LENGTH, MASS, TURN, ROTOR = 0.2, 4 + 2 * 0.6 + 1.2, 0.016 + 2 * (0.6 * 0.04 + 0.002) + 0.072, 0.072


def published(t, q):
    """H of Boyer and Belkhiri (60), axle 1 the rear one."""
    r = q[3]
    return np.array([[-2 * LENGTH * np.cos(r) ** 2], [0.0], [np.sin(2 * r)]])


def test_the_published_basis_of_the_snakeboard():
    """nu' by (23) with H of the paper: (4 m l^2 cos^4 + J sin^2 2r) nu' = -(m H1 H1' + J H3 H3') nu - sin 2r J_r r3''."""
    problem = lo.systems.load("snakeboard").problem()
    t, q, v = state(problem, 0.8)
    now, held = problem.evaluate(t, q, v), problem.imposed
    found = problem.reduction(t, q, v, H=published, J=np.zeros((3, 3)))
    r, rate = q[3], v[3]
    H1, H3 = -2 * LENGTH * np.cos(r) ** 2, np.sin(2 * r)
    dH1, dH3 = 2 * LENGTH * np.sin(2 * r) * rate, 2 * np.cos(2 * r) * rate
    inertia = MASS * H1**2 + TURN * H3**2
    nu = v[0] / H1
    turning = 0.002 * (now.a[3] + now.a[4]) + ROTOR * now.a[5]  # axles turn against each other: they add nothing
    expected = (-(MASS * H1 * dH1 + TURN * H3 * dH3) * nu - H3 * turning) / inertia
    assert np.isclose(found.reduced_inertia[0, 0], inertia) and np.isclose(now.a[3] + now.a[4], 0.0, atol=1e-12)
    assert np.isclose(found.reduced_acceleration(now.a[held])[0], expected, rtol=1e-10)
    assert np.allclose(found.acceleration(now.a[held]), now.a[~held], atol=1e-10)
    assert np.allclose(found.torques(now.a[held]), now.tau[held], atol=1e-10)
    assert np.allclose(found.reactions(now.a[held]), now.reactions, atol=1e-10)
    moving = derivative(lambda s: (v[0] + s * now.a[0]) / published(0, problem.model.integrate(q, s * v))[0, 0], 2e-3)
    assert np.isclose(found.reduced_acceleration(now.a[held])[0], moving, rtol=1e-9)


def test_bases_that_are_none_are_refused():
    problem = lo.systems.load("snakeboard").problem()
    t, q, v = state(problem, 0.8)
    for given, words in (
        ({"H": np.ones((3, 1))}, "no basis of what constraints leave free"),
        ({"H": np.zeros((3, 1))}, "depend on each other"),
        ({"H": np.zeros((2, 1))}, r"expected \(3, 1\)"),
        ({"J": np.ones((3, 3))}, "J does not go with the constraints"),
    ):
        with pytest.raises(ValueError, match=words):
            problem.reduction(t, q, v, **given)
