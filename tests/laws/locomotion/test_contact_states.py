"""Derivatives, rest and small motions of what touches with friction, against differences and closed forms."""

import numpy as np
import pytest

import locomote as lo
from locomote.dynamics.differences import derivative
from locomote.locomotion.touching import touching

GROUNDS = {"plane": lo.Plane(), "ball": lo.Sphere((0, 0, -1.0), 1.0), "slope": lo.Plane.slope(0.3)}
SHAPES = {"point": {"points": [(0.02, 0.01, -0.05)]}, "ball": {"sphere": 0.05}}


def robot(ground, shape, friction=0.5):
    builder = lo.Builder("robot", base="free").body("trunk", inertia=lo.Inertia.box(1.0, (0.2, 0.3, 0.1)))
    builder.body(
        "arm", parent="trunk", at=(0, 0, 0.05), joint=lo.Joint("hinge", axis="y"), inertia=lo.Inertia(0.3, (0, 0, 0.1))
    )
    touch = lo.Touch("trunk", lo.Ground(GROUNDS[ground], friction=friction), name="foot", **SHAPES[shape])
    return lo.Locomotion(builder.build(), contacts=[touch], springs={"hinge": (5.0, 0.0, 0.1)})


def on_the_ground(problem):
    q = problem.model.integrate(np.array([0, 0, 0.06, 0, 0, 0, 1, 0.2]), [0, 0, 0, 0.2, 0.1, -0.3, 0.0])
    for _ in range(40):
        near = touching(problem, 0.0, q, np.zeros(7), np.array([0]))
        q = q - np.r_[near.gaps[0] * near.axes[0, 2], np.zeros(5)]
    return q, near.J


CASES = [(g, s, x) for g in GROUNDS for s in SHAPES for x in ("stick", "slide") if (g, s, x) != ("ball", "point", "slide")]


def test_a_point_that_slides_on_a_ball_has_no_derivatives():
    problem = robot("ball", "point")
    q, J = on_the_ground(problem)
    v = np.linalg.svd(J[2:])[2][1]
    with pytest.raises(ValueError, match="'foot' of 'robot' cannot slide here by constraints: a point that slides on a Sphere"):
        problem.derivatives(0.0, q, v, contacts={"foot": "slide"})


@pytest.mark.parametrize("ground, shape, state", CASES)
def test_derivatives_are_those_of_evaluations_along_the_contact(ground, shape, state):
    problem, rng = robot(ground, shape), np.random.default_rng(0)
    q, J = on_the_ground(problem)
    held = J if state == "stick" else J[2:]
    v = np.linalg.svd(held)[2][len(held) :].T @ rng.normal(size=7 - len(held))
    contacts = {"foot": state}
    found, nv = problem.derivatives(0.0, q, v, contacts=contacts), 7
    now = problem.evaluate(0.0, q, v, contacts=contacts)
    assert np.allclose(found.value[0], now.a, atol=1e-9) and np.allclose(found.value[1], now.tau, atol=1e-9)
    normal, A = J[2:], held
    for _ in range(3):  # departures that stay on the contact, to first order
        dq = rng.normal(size=nv)
        dq -= np.linalg.pinv(normal) @ (normal @ dq)
        dv = rng.normal(size=nv)
        dv -= np.linalg.pinv(A) @ (A @ dv + found.rows.q @ dq)

        def moved(s, dq=dq, dv=dv):
            return problem.evaluate(0.0, problem.model.integrate(q, s * dq), v + s * dv, contacts=contacts).a

        expected = derivative(moved, 1e-3)
        assert np.allclose(found.a.q @ dq + found.a.v @ dv, expected, atol=1e-8 * (1 + abs(expected).max()))
    push = rng.normal(size=nv)
    given = problem.replaced(torques=lambda t, q, v: push).evaluate(0.0, q, v, contacts=contacts)
    assert np.allclose(found.a.tau @ push, given.a - now.a, atol=1e-9 * (1 + abs(given.a).max()))


def test_a_box_rests_on_a_slope_as_far_as_friction_holds_it():
    half, angle = (0.1, 0.1, 0.05), 0.3
    box = lo.Builder("box", base="free").body("box", inertia=lo.Inertia.box(1.0, (0.2, 0.2, 0.1))).build()
    start = [*(0.05 * np.array(lo.Plane.slope(angle).normal)), 0, np.sin(angle / 2), 0, np.cos(angle / 2)]
    for factor in (1.01, 0.99):
        ground = lo.Ground(lo.Plane.slope(angle), friction=factor * np.tan(angle))
        problem = lo.Locomotion(box, contacts=[lo.Touch("box", ground, box=half, name="sole")])
        if factor < 1:
            with pytest.raises(lo.NoEquilibrium, match="slides"):
                lo.equilibrium(problem, start)
        else:
            rest = lo.equilibrium(problem, start)
            assert np.allclose(rest.contact_forces.sum(axis=0), [0, 0, 9.81], atol=1e-8) and np.allclose(
                rest.q, start, atol=1e-9
            )


def test_a_ball_in_a_bowl_rolls_to_its_bottom_and_swings_as_a_pendulum():
    R, r = 0.5, 0.1
    ball = lo.Builder("ball", base="free").body("ball", inertia=lo.Inertia.sphere(1.0, r)).build()
    ground = lo.Ground(lo.Sphere((0, 0, R), R, inside=True), friction=0.8)
    problem = lo.Locomotion(ball, contacts=[lo.Touch("ball", ground, sphere=r, name="foot")])
    s = 0.1
    rest = lo.equilibrium(problem, [(R - r) * np.sin(s), 0, R - (R - r) * np.cos(s), 0, 0, 0, 1])
    assert np.allclose(rest.q[:3], [0, 0, r], atol=1e-8) and rest.contact_states == {"foot": "stick"}
    rates = lo.modes(problem, rest.q).rates
    assert np.allclose(rates[-2:], np.sqrt(9.81 / (1.4 * (R - r))), rtol=1e-5)
    values = problem.linearize(rest.q).eigenvalues
    assert abs(abs(values.imag).max() - np.sqrt(9.81 / (1.4 * (R - r)))) < 1e-9


@pytest.mark.parametrize("friction, answers", [(0.5, "one"), (2.0, "none or several")])
def test_a_sliding_rod_is_painleves(friction, answers):
    """A rod of length 2 that slides on its end: where W = 1 + 3 (cos^2 - mu sin cos) < 0 the law has no answer if the
    rod would sink without force, and two if it would rise (P. Painleve, 1895)."""
    model = lo.Builder("rod", base="planar").body("rod", inertia=lo.Inertia(1.0, moment=np.eye(3) / 3)).build()
    assert model.nv == 3
    angle = 1.2
    end = np.array([np.cos(angle), np.sin(angle)])
    # the planar base moves in x, y: gravity is given as a force
    ground = lo.Ground(lo.Plane((0, 0, 0), (0, 1, 0)), friction=friction)
    W = 1 + 3 * (end[0] ** 2 - friction * end[0] * end[1])
    for spin in (0.0, 4.0):
        weight = lo.Locomotion(
            model, contacts=[lo.Touch("rod", ground, points=[(-1.0, 0, 0)], name="end")],
            environment=[lambda t, q, v: {"rod": (-9.81 * np.sin(q[2]), -9.81 * np.cos(q[2]), 0, 0, 0, 0)}],
        )  # fmt: skip
        q = np.array([0.0, end[1], angle])
        u = np.array([-2.0 - spin * end[1], spin * end[0]])  # so that the end moves along x by -2 m/s
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        v = np.r_[turn @ u, spin]
        rising = -9.81 + spin**2 * end[1]
        if answers == "one":
            assert W > 0
            load = weight.evaluate(0.0, q, v).contact_forces[0, 1]
            assert abs(load - max(0.0, -rising / W)) < 1e-8
        elif rising < 0.0:
            assert W < 0
            with pytest.raises(lo.NoContactForce, match="'end'"):
                weight.evaluate(0.0, q, v)
        else:
            with pytest.warns(UserWarning, match="several answers .*'end'"):
                assert weight.evaluate(0.0, q, v).contact_states == {"end": "open"}


def test_ground_that_gives_way_is_not_taken_as_one_that_holds():
    """By the law its force follows its depth: modes about it are not those of a body that sticks."""
    model = lo.Builder("ball", base="free").body("ball", inertia=lo.Inertia.sphere(1.0, 0.1)).build()
    soft = lo.Ground(friction=0.4, stiffness=1e4, damping=50.0)
    problem, q = lo.Locomotion(model, contacts=[lo.Touch("ball", soft, sphere=0.1)]), [0, 0, 0.099, 0, 0, 0, 1.0]
    for ask in (lambda: lo.modes(problem, q), lambda: problem.derivatives(0.0, q, np.zeros(6)), lambda: problem.linearize(q)):
        with pytest.raises(ValueError, match="gives way, whose force follows its depth"):
            ask()
