"""Equations of motion in charts: all against forward dynamics and against each other; the multiplier is zero.

The mass matrix and bias in a minimal chart are checked against Lagrange's equations of the energy, by differences of the
public energies along chart coordinates: a way that knows neither rate maps nor their derivatives.
"""

import pickle

import numpy as np
import pytest

import locomote as lo
from locomote.spatial.charts import CHARTS


def gibbs(x):
    """Rotation of Gibbs parameters, axis tan(angle/2), entry by entry."""
    a, b, c = x
    s = 1.0 / (1.0 + a * a + b * b + c * c)
    return [
        [s * (1 + a * a - b * b - c * c), 2 * s * (a * b - c), 2 * s * (a * c + b)],
        [2 * s * (a * b + c), s * (1 - a * a + b * b - c * c), 2 * s * (b * c - a)],
        [2 * s * (a * c - b), 2 * s * (b * c + a), s * (1 - a * a - b * b + c * c)],
    ]


def axis_and_angle(x):
    """Four parameters: a unit axis and an angle; singular at angle zero."""
    (i, j, k), c, s = x[:3], np.cos(x[3]), np.sin(x[3])
    d = 1.0 - c
    return [
        [c + d * i * i, d * i * j - s * k, d * i * k + s * j],
        [d * i * j + s * k, c + d * j * j, d * j * k - s * i],
        [d * i * k - s * j, d * j * k + s * i, c + d * k * k],
    ]


def unit_axis(x):
    return (x[0] ** 2 + x[1] ** 2 + x[2] ** 2 - 1.0,)


GIBBS = lo.own_chart("gibbs", 3, gibbs)
AXIS_ANGLE = lo.own_chart("axis and angle", 4, axis_and_angle, constraint=unit_axis, start=(0.6, 0.0, 0.8, 0.5))
EVERY = [*CHARTS.values(), GIBBS, AXIS_ANGLE]


def mechanism():
    """A free base with two balls and two hinges."""
    rng = np.random.default_rng(5)
    builder = lo.Builder("charted", base="free")
    joints = [None, lo.Joint("ball", "spherical"), lo.Joint("hinge", axis=(0, 0.6, 0.8)), lo.Joint("second ball", "spherical")]
    for k, joint in enumerate(joints):
        inertia = lo.Inertia(rng.uniform(1, 3), rng.uniform(-0.1, 0.1, 3), rng.uniform(0.1, 0.15, 3))
        place = {} if joint is None else {"parent": f"body {max(0, k - 2)}", "at": rng.uniform(-0.4, 0.4, 3), "joint": joint}
        builder.body(f"body {k}", inertia=inertia, **place)
    return builder.build()


MODEL = mechanism()


def states(one, count=12):
    """Random states away from singularities, in a chart."""
    rng = np.random.default_rng(1)
    charted = lo.Charted(MODEL, one)
    found = []
    while len(found) < count:
        q = MODEL.random(rng)
        try:
            x = charted.coordinates(q)
        except ValueError:  # the search of an own chart came upon its singularity
            continue
        if charted.singularity(x) > 0.2:
            v, tau = rng.normal(size=(2, MODEL.nv))
            found.append((q, x, v, 5.0 * tau))
    return charted, *(np.array(part) for part in zip(*found, strict=True))


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.name)
def test_all_charts_and_forms_give_the_accelerations_of_forward_dynamics(one):
    charted, q, x, v, tau = states(one)
    wrenches = {"body 2": np.random.default_rng(2).normal(size=6)}
    a = lo.forward_dynamics(MODEL, q, v, tau, wrenches=wrenches)
    rates = charted.rates(x, v)
    assert abs(charted.velocity(x, rates) - v).max() < 1e-12
    assert abs(MODEL.difference(q, charted.configuration(x))).max() < 1e-12
    for form in ("reduced", "multiplier", "projected"):
        second, multiplier = charted.accelerations(x, rates, tau, wrenches=wrenches, form=form)
        assert abs(charted.acceleration(x, rates, second) - a).max() < 1e-10 * max(1.0, abs(a).max())
        assert abs(multiplier).max(initial=0.0) < 1e-9
    equations = charted.equations(x, rates, tau, wrenches=wrenches)
    assert (np.linalg.matrix_rank(equations.mass, tol=1e-8) == MODEL.nv).all()
    kept = (equations.constraint_jacobian @ second[..., None])[..., 0] + equations.constraint_drift
    assert abs(kept).max(initial=0.0) < 1e-10


@pytest.mark.parametrize("one", ["zyx", "zxz", "rotation_vector", GIBBS], ids=lambda x: getattr(x, "name", str(x)))
def test_lagrange(one):
    """d/dt dT/dx' - dT/dx + dV/dx = force, with the energies of the library and differences only."""
    charted, q, x, v, tau = states(one, count=1)
    x, rates = x[0], charted.rates(x, v)[0]
    equations = charted.equations(x, rates, tau[0])
    N, h = charted.size, 1e-3

    def kinetic(x, rates):
        return lo.kinetic_energy(MODEL, charted.configuration(x), charted.velocity(x, rates))

    def slope(f, direction):
        return (8 * (f(h * direction) - f(-h * direction)) - f(2 * h * direction) + f(-2 * h * direction)) / (12 * h)

    units = np.eye(N)
    momentum = lambda x: np.array([(kinetic(x, rates + e) - kinetic(x, rates - e)) / 2 for e in units])  # noqa: E731
    mass = np.array([[(kinetic(x, d + e) - kinetic(x, d - e)) / 2 for e in units] for d in units])
    bias = slope(lambda d: momentum(x + d), rates)
    bias -= [slope(lambda d: kinetic(x + d, rates), e) for e in units]
    bias += [slope(lambda d: lo.potential_energy(MODEL, charted.configuration(x + d)), e) for e in units]
    assert abs(mass - equations.mass).max() < 1e-9
    assert abs(bias - equations.bias).max() < 1e-6


def test_rates_are_the_derivatives_of_coordinates():
    for one in EVERY:
        charted, q, x, v, tau = states(one, count=3)
        h, rates = 1e-4, charted.rates(x, v)
        second = charted.second_rates(x, rates, np.zeros_like(v))  # v constant in body frames
        ahead, behind = (charted.configuration(charted.coordinates(MODEL.integrate(q, s * h * v))) for s in (1, -1))
        assert abs(MODEL.difference(behind, ahead) / (2 * h) - v).max() < 1e-6
        if one.name not in ("quaternion", "axis and angle"):  # signs may jump
            steps = np.array([charted.coordinates(MODEL.integrate(q, s * h * v)) for s in (-1, 0, 1)])
            near = abs(steps[2] - steps[0]).max(axis=-1) < 0.1  # no jump by a full turn
            assert abs((steps[2] - steps[0]) / (2 * h) - rates)[near].max() < 1e-5
            assert abs((steps[2] - 2 * steps[1] + steps[0]) / h**2 - second)[near].max() < 1e-3


def test_each_joint_its_own_chart():
    mixed = lo.Charted(MODEL, {"ball": "zxz", MODEL.joint_names[0]: "matrix", "second ball": GIBBS})
    assert mixed.size == 3 + 9 + 3 + 1 + 3 and mixed.constraint_count == 6 and len(mixed.names) == mixed.size
    q = MODEL.integrate(MODEL.neutral(), np.full(MODEL.nv, 0.3))
    v = np.linspace(-1, 1, MODEL.nv)
    x = mixed.coordinates(q)
    rates = mixed.rates(x, v)
    second, multiplier = mixed.accelerations(x, rates, form="multiplier")
    assert abs(mixed.acceleration(x, rates, second) - lo.forward_dynamics(MODEL, q, v, np.zeros(MODEL.nv))).max() < 1e-10
    again = pickle.loads(pickle.dumps(mixed))
    assert np.array_equal(again.coordinates(q), x)


def test_planar_base():
    builder = lo.Builder("skate", base="planar")
    builder.body("board", inertia=lo.Inertia(2.0, (0.1, 0.2, 0.0), (0.1, 0.1, 0.2)))
    model = builder.build()
    charted = lo.Charted(model)
    x, rates, tau = np.array([1.0, 2.0, 0.7]), np.array([0.3, -0.5, 2.0]), np.array([1.0, 2.0, 3.0])
    v = charted.velocity(x, rates)
    assert np.allclose(v[:2], [np.cos(0.7) * 0.3 - np.sin(0.7) * 0.5, -np.sin(0.7) * 0.3 - np.cos(0.7) * 0.5])
    for form in ("reduced", "multiplier"):
        second = charted.accelerations(x, rates, tau, form=form).second_rates
        assert np.allclose(charted.acceleration(x, rates, second), lo.forward_dynamics(model, x, v, tau), atol=1e-12)
    # a free flight of its mass center: it goes straight
    second = charted.accelerations(x, rates).second_rates
    arm = 0.1 * np.array([np.cos(0.7), np.sin(0.7)]) + 0.2 * np.array([-np.sin(0.7), np.cos(0.7)])
    assert np.allclose(second[:2] - rates[2] ** 2 * arm + second[2] * np.array([-arm[1], arm[0]]), 0.0, atol=1e-12)


def test_singular_charts_are_said():
    charted = lo.Charted(MODEL, {"ball": "zyx"})
    x = charted.coordinates(MODEL.neutral())
    place = charted.names.index("ball.zyx[1]")
    x[place] = np.pi / 2
    assert charted.singularity(x) < 1e-12
    with pytest.raises(ValueError, match="joint 'ball': coordinates of chart 'zyx' are singular.*another chart"):
        charted.rates(x, np.ones(MODEL.nv))
    x[place] = np.pi / 2 - 1e-4
    assert charted.singularity(x) == pytest.approx(1e-4, rel=1e-3)
    assert np.isfinite(charted.accelerations(x, charted.rates(x, np.ones(MODEL.nv))).second_rates).all()


def test_wrong_calls():
    charted = lo.Charted(MODEL, "quaternion")
    x = charted.coordinates(MODEL.neutral())
    with pytest.raises(ValueError, match="rates leave the constraints"):
        charted.velocity(x, x)
    with pytest.raises(ValueError, match=r"expected \(\.\.\., 16\)"):
        charted.configuration(x[1:])
    with pytest.raises(ValueError, match="not finite"):
        charted.configuration(x * np.nan)
    with pytest.raises(lo.UnknownName, match="hinge"):
        lo.Charted(MODEL, {"hinge": "zyx"})
    with pytest.raises(lo.UnknownName, match="form"):
        charted.accelerations(x, 0 * x, form="lagrange")
    with pytest.raises(ValueError, match="one joint"):
        charted.accelerations(x, 0 * x, form="oblique")
    with pytest.raises(ValueError, match="more need constraint"):
        lo.own_chart("four", 4, gibbs)


def test_stabilisation_draws_back():
    charted = lo.Charted(MODEL, "quaternion")
    x = charted.coordinates(MODEL.neutral())
    x[3:7] *= 1.0 + 5e-7
    second = charted.accelerations(x, 0 * x, form="multiplier", stabilisation=10.0).second_rates
    assert 2 * x[3:7] @ second[3:7] == pytest.approx(-100 * (x[3:7] @ x[3:7] - 1), rel=1e-6)
