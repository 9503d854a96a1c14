"""Forces of a flow that differs from place to place: against Lagrange's equations of the energy of the water, against closed
forms of bodies that are held, and what follows for a dead fish."""

import numpy as np
import pytest
import sympy

import locomote as lo
from locomote.forces.plain import acting
from locomote.forces.water.added_mass import added_of
from locomote.law import cos, exp, sin

RHO = 1000.0


@lo.water.flow
def strained(t, x, rate, lateral, k):
    """Irrotational: a strain that grows with time, and standing waves in the plane."""
    wave = lateral * exp(k * x[1])
    return rate * (1.0 + t) * x[0] + wave * cos(k * x[0]), -rate * (1.0 + t) * x[1] + wave * sin(k * x[0]), 0.0


def flow_of(x, y, t, rate, lateral, k):
    """The same on symbols, by itself."""
    wave = lateral * sympy.exp(k * y)
    return (
        rate * (1 + t) * x + wave * sympy.cos(k * x),
        -rate * (1 + t) * y + wave * sympy.sin(k * x),
    )


def test_added_mass_in_a_flow_is_that_of_lagranges_equations():
    """Energy of the water 1/2 W . M W with W = u - U at the place of the body, derived by SymPy; and rho V DU/Dt."""
    numbers = {"rate": 0.7, "lateral": 0.4, "k": -1.3}
    axes, volume = (0.15, 0.05, 0.1), 4 / 3 * np.pi * 0.15 * 0.05 * 0.1
    t = sympy.Symbol("t")
    place = [sympy.Function(n)(t) for n in ("x", "y", "h")]
    x, y, h = place
    U = flow_of(x, y, t, **numbers)
    M = RHO * added_of(lo.Ellipsoid(axes))[0]
    spin = RHO * added_of(lo.Ellipsoid(axes))[1][2]
    w_x, w_y = sympy.diff(x, t) - U[0], sympy.diff(y, t) - U[1]
    W = sympy.cos(h) * w_x + sympy.sin(h) * w_y, -sympy.sin(h) * w_x + sympy.cos(h) * w_y
    T = (M[0] * W[0] ** 2 + M[1] * W[1] ** 2 + spin * sympy.diff(h, t) ** 2) / 2
    forces = [-sympy.diff(sympy.diff(T, sympy.diff(c, t)), t) + sympy.diff(T, c) for c in place]
    a, b = sympy.symbols("a b")
    V = flow_of(a, b, t, **numbers)
    for i in range(2):  # acceleration of the water itself
        D = sympy.diff(V[i], t) + sympy.diff(V[i], a) * V[0] + sympy.diff(V[i], b) * V[1]
        forces[i] += RHO * volume * D.subs({a: x, b: y})
    rates, seconds = sympy.symbols("u v w"), sympy.symbols("du dv dw")
    plain = sympy.symbols("px py ph")
    table = [(sympy.diff(c, t, 2), s) for c, s in zip(place, seconds, strict=True)]
    table += [(sympy.diff(c, t), s) for c, s in zip(place, rates, strict=True)]
    table += list(zip(place, plain, strict=True))
    found = sympy.lambdify((t, plain, rates, seconds), [f.subs(table) for f in forces])

    mass, moment = 3.0, 0.02
    model = lo.Builder("b", base="planar", gravity=(0, 0, 0)).body("b", inertia=lo.Inertia(mass, moment=(1, 1, moment))).build()
    water = lo.Fluid(RHO, 0.0, strained(**numbers))
    problem = lo.Locomotion(model, environment=[lo.AddedMass("b", water, lo.Ellipsoid(axes))])
    rng = np.random.default_rng(1)
    for _ in range(5):
        now, q, v = rng.uniform(0, 1), rng.normal(size=3), rng.normal(size=3)
        a = problem.evaluate(now, q, v).a
        c, s = np.cos(q[2]), np.sin(q[2])
        R = np.array([[c, -s], [s, c]])
        world_v = np.array([*(R @ v[:2]), v[2]])
        world_a = np.array([*(R @ (a[:2] + v[2] * np.array([-v[1], v[0]]))), a[2]])
        total = np.array(found(now, q, world_v, world_a))
        np.testing.assert_allclose(np.array([mass, mass, moment]) * world_a, total, rtol=1e-6, atol=1e-6)


def held_force(height, field, length=0.4):
    """Force along a straight body held along x, in the field."""
    model = lo.Builder("f", base="planar", gravity=(0, 0, 0)).body("f", inertia=lo.Inertia(1.0, moment=(1, 1, 1))).build()
    pieces = 20
    segments = [
        lo.water.Segment(
            "f", (k * length / pieces, 0, 0), ((k + 1) * length / pieces, 0, 0), lambda s, k=k: height((k + s) / pieces)
        )
        for k in range(pieces)
    ]
    term = lo.water.Lighthill(lo.Fluid(RHO, 0.0, field), segments).term(model)
    found = acting(model, term, np.zeros(1), np.zeros((1, 3)), np.zeros((1, 3)), axes="world").wrenches
    return found[:, 0, 0].sum()


@pytest.mark.parametrize("tail", [0.0, 0.5], ids=["pointed", "with a fin"])
def test_a_slender_body_that_is_held_is_drawn_ahead_where_it_gets_higher(tail):
    """Water that crosses it with V(x): -1/2 times the integral of m' V^2, by quadrature."""

    def height(X):
        return 0.1 * (np.sin(np.pi * X) + tail * X**2)

    field = strained(rate=0.0, lateral=0.3, k=9.0)
    X = np.linspace(0, 1, 20001)
    m = RHO * np.pi * height(X) ** 2 / 4
    V = 0.3 * np.sin(9.0 * 0.4 * X)
    expected = -0.5 * np.sum((m[1:] - m[:-1]) * ((V[1:] + V[:-1]) / 2) ** 2)
    assert held_force(height, field) == pytest.approx(expected, rel=1e-6)
    assert expected < 0 or tail == 0.0


def drift(seconds=16.0, **settings):
    """Mean speed of the nose downstream over the second half of a run, m/s."""
    run = lo.systems.load("dead_fish", **settings).problem().simulate(seconds, samples=np.linspace(0, seconds, 201))
    assert run.audit.ok and run.audit.balance < 1e-8, str(run.audit)
    return (run.q[-1, 0] - run.q[100, 0]) / (seconds / 2)


def test_a_dead_fish_goes_upstream_for_the_right_stiffness_alone():
    assert drift(stiffness=2.0) < -0.01
    assert drift(stiffness=0.1) > 0.1  # too soft
    assert drift(stiffness=1000.0) > 0.01  # as good as rigid
    assert drift(flow="uniform") > 0.1  # no vortices
