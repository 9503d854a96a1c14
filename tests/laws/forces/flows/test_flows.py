"""Flow fields: slopes against differences, incompressibility, sums of point vortices, grids, and flows that users write."""

import itertools
import pickle

import numpy as np
import pytest

import locomote as lo
from locomote.law import cos, exp, sin


@lo.water.flow
def waves(t, x, height, k):
    """A deep-water wave, by its velocity alone."""
    decay = height * exp(k * x[2])
    return (decay * cos(k * x[0] - 2.0 * t), 0.0, decay * sin(k * x[0] - 2.0 * t))


@lo.water.flow
def strain(t, x, rate):
    """A plane strain that grows, with all its slopes."""
    s = rate * (1.0 + t)
    return (s * x[0], -s * x[1], 0.0), (s, 0.0, 0.0, 0.0, -s, 0.0, 0.0, 0.0, 0.0), (rate * x[0], -rate * x[1], 0.0)


STREET = lo.water.KarmanStreet((-0.3, 0.1, 0.0), 0.2, 0.06, 0.01, point=(0.1, 0.05, 0.0))
FLOWS = {
    "uniform": lo.water.Uniform((1.0, -2.0, 0.5)),
    "shear": lo.water.Shear(0.7, (1, 0, 0), (0, 1, 2), (0.1, 0, 0), (0, 0.3, 0)),
    "gust": lo.water.Gust((0.0, 1.0, 2.0), 0.1, 1.5, (3.0, 1.0, 0.0)),
    "rankine": lo.water.Vortex(0.4, 0.1, (0.1, 0, 0), (0, 1, 1), (0.3, 0, 0), "rankine"),
    "lamb-oseen": lo.water.Vortex(0.4, 0.1, (0.1, 0, 0), (1, 0.2, 0), (0, 0.2, 0.3)),
    "street": STREET,
    "sum": STREET + lo.water.Shear(0.7) + lo.water.Vortex(0.4, 0.1),
    "waves": waves(height=0.3, k=2.0),
    "strain": strain(rate=0.4),
}


@pytest.mark.parametrize("name", FLOWS)
def test_slopes_are_those_of_the_velocity_and_water_is_not_compressed(name):
    flow, rng, h = FLOWS[name], np.random.default_rng(1), 1e-5
    for _ in range(20):
        t, x = rng.uniform(0, 1), rng.normal(size=3) * 0.3
        U, G, rate = flow.at(t, x)
        slopes = [(flow.at(t, x + h * e)[0] - flow.at(t, x - h * e)[0]) / (2 * h) for e in np.eye(3)]
        size = 1 + abs(G).max()
        np.testing.assert_allclose(G, np.column_stack(slopes), atol=2e-6 * size)
        np.testing.assert_allclose(rate, (flow.at(t + h, x)[0] - flow.at(t - h, x)[0]) / (2 * h), atol=2e-6 * size)
        if name != "gust":
            assert abs(np.trace(G)) < 1e-9 * size
        assert np.isfinite(U).all()


def test_a_street_is_a_sum_of_vortices():
    a, C, stream = 0.2, 0.06, 0.3
    street, total = lo.water.KarmanStreet((stream, 0, 0), a, C, 1e-7), 20000
    n = np.arange(-total, total + 1)
    for x, y in ((0.03, 0.01), (0.11, -0.1), (-0.07, 0.2)):
        u, v = stream, 0.0
        for sign, shift, height in ((-1, 0.0, 0.281 * a / 2), (1, a / 2, -0.281 * a / 2)):
            dx, dy = x - (n * a + shift), y - height
            u += np.sum(-sign * C / (2 * np.pi) * dy / (dx**2 + dy**2))
            v += np.sum(sign * C / (2 * np.pi) * dx / (dx**2 + dy**2))
        np.testing.assert_allclose(street.at(0.0, (x, y, 0))[0], [u, v, 0], atol=2e-5)
    assert street.advance == pytest.approx(stream - C / (2 * np.sqrt(2) * a), rel=1e-3)
    far = street.at(0.0, (0.0, 1e4, 0.0))
    np.testing.assert_allclose(far[0], [stream, 0, 0], atol=1e-12)


def test_vortices_have_their_circulation_and_a_core():
    for kind in ("rankine", "lamb-oseen"):
        vortex = lo.water.Vortex(0.4, 0.1, kind=kind)
        assert vortex.at(0, (2.0, 0, 0))[0][1] == pytest.approx(0.4 / (2 * np.pi * 2.0))
    assert lo.water.Vortex(0.4, 0.1, kind="rankine").at(0, (0.05, 0, 0))[0][1] == pytest.approx(0.4 * 0.05 / (2 * np.pi * 0.01))
    r = np.array([1e-9, 1e-3, 0.0099, 0.0101, 0.05, 0.3])
    speed = [lo.water.Vortex(0.4, 0.1).at(0, (x, 0, 0))[0][1] for x in r]
    np.testing.assert_allclose(speed, -0.4 / (2 * np.pi * r) * np.expm1(-((r / 0.1) ** 2)), rtol=1e-12)


def test_a_grid_goes_through_parabolas_in_space_and_time():
    axes = [np.linspace(-1, 1, n) for n in (9, 7, 6)]
    t = np.linspace(0, 2, 5)
    T, X, Y, Z = np.meshgrid(t, *axes, indexing="ij")

    def field(t, x, y, z):
        return np.stack([1 + x * y - z * z, t * t + 2 * x - y, x * z * t], axis=-1)

    grid = lo.water.Grid(field(T, X, Y, Z), (-1, -1, -1), (0.25, 1 / 3, 0.4), 0.0, 0.5)
    rng = np.random.default_rng(2)
    for _ in range(20):
        s, (x, y, z) = rng.uniform(0.5, 1.5), rng.uniform(-0.3, 0.3, 3)
        U, G, rate = grid.at(s, (x, y, z))
        np.testing.assert_allclose(U, field(s, x, y, z), atol=1e-12)
        np.testing.assert_allclose(G, [[y, x, -2 * z], [2, -1, 0], [z * s, 0, x * s]], atol=1e-11)
        np.testing.assert_allclose(rate, [0, 2 * s, x * z], atol=1e-11)
    outside = grid.at(99.0, (50.0, -70.0, 80.0))
    assert np.isfinite(outside[0]).all() and not outside[1].any() and not outside[2].any()
    plane = lo.water.Grid(np.ones((4, 5, 1, 3)), (0, 0, 0), (1, 1, 1))
    np.testing.assert_allclose(plane.at(0, (1.2, 3.3, 9.9))[0], [1, 1, 1])


def test_flows_travel_and_wrong_ones_get_a_sentence():
    for flow in FLOWS.values():
        again = pickle.loads(pickle.dumps(flow))
        np.testing.assert_array_equal(again.at(0.3, (0.1, 0.2, 0.3))[0], flow.at(0.3, (0.1, 0.2, 0.3))[0])
    with pytest.raises(ValueError, match="core of a vortex is 0"):
        _ = lo.water.Vortex(1.0, 0.0).numbers
    with pytest.raises(ValueError, match="velocity of a uniform flow is"):
        _ = lo.water.Uniform((1.0, 2.0)).numbers  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="flow of a fluid is"):
        lo.Fluid(flow=(1.0, 0.0, 0.0))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="density of a fluid is nan"):
        lo.Fluid(density=np.nan)
    with pytest.raises(ValueError, match=r"velocity of a grid has shape \(3, 3\)"):
        _ = lo.water.Grid(np.zeros((3, 3)), (0, 0, 0), (1, 1, 1)).numbers
    with pytest.raises(TypeError, match="missing or unknown: \\['k'\\]"):
        waves(height=1.0)

    @lo.water.flow
    def short(t, x):
        return (1.0, 2.0)

    with pytest.raises(TypeError, match="flow 'short' gives"):
        short()


@pytest.mark.parametrize("counts", [(2, 2, 2, 2), (3, 2, 4, 2), (5, 3, 2, 3)])
def test_linear_fields_on_a_grid_are_exact_up_to_the_border(counts):
    """U = a t + B x + c, in every cell, on faces, edges and corners."""
    rng = np.random.default_rng(7)
    a, B, c = rng.normal(size=3), rng.normal(size=(3, 3)), rng.normal(size=3)
    axes = [np.linspace(-1.0, 1.0, n) for n in counts]
    T, *X = np.meshgrid(*axes, indexing="ij")
    grid = lo.water.Grid(
        T[..., None] * a + np.stack(X, -1) @ B.T + c, (-1, -1, -1), [2 / (n - 1) for n in counts[1:]], -1.0, 2 / (counts[0] - 1)
    )
    states = [*rng.uniform(-1, 1, (30, 4)), *itertools.product((-1.0, 1.0), repeat=4)]
    for t, *x in states:
        U, G, rate = grid.at(t, x)
        np.testing.assert_allclose(U, a * t + B @ x + c, atol=1e-13)
        np.testing.assert_allclose(G, B, atol=1e-12)
        np.testing.assert_allclose(rate, a, atol=1e-12)


def test_smooth_fields_on_a_grid_converge_up_to_the_border():
    """Values by order three and gradients by order two, in the outer cells as inside."""
    errors, cell = [], np.linspace(0.0, 1.0, 33)
    for n in (32, 64, 128):
        wave = np.zeros((n + 1, 1, 1, 3))
        wave[:, 0, 0, 0] = np.sin(5 * np.linspace(0.0, 1.0, n + 1) + 0.4)
        grid = lo.water.Grid(wave, (0, 0, 0), (1 / n, 1, 1))
        for places in (0.5 + cell / n, cell / n, 1.0 - cell / n):
            found = [(at[0][0], at[1][0, 0]) for at in (grid.at(0, (s, 0, 0)) for s in places)]
            true = np.stack([np.sin(5 * places + 0.4), 5 * np.cos(5 * places + 0.4)], axis=1)
            errors.append(abs(np.array(found) - true).max(axis=0))
    errors = np.array(errors).reshape(3, 3, 2)
    orders = np.log2(errors[:-1] / errors[1:])
    assert (orders[..., 0] > 2.8).all() and (orders[..., 1] > 1.8).all(), orders
