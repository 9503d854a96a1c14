"""Derivatives of return maps against closed forms, at all sizes: of sections and what happens there, with slopes or without."""

import math

import numpy as np
import pytest

import locomote as lo
from locomote.locomotion.carried import Sloped, by_differences, tangents, with_slopes
from locomote.systems import slip_hopper

DAMPED = 0.1  # of an oscillator of 1 rad/s


def oscillator(length):
    """x'' = -x - 2 D x' of lengths such as `length`."""
    builder = lo.Builder("oscillator", base="fixed", gravity=(0, 0, 0))
    joint = lo.Joint("x", "prismatic", axis="x", stiffness=1.0, damping=2 * DAMPED)
    builder.body("mass", joint=joint, inertia=lo.Inertia(1.0))
    return lo.Locomotion(builder.build(), name=f"oscillator of {length:g} m")


def lifted(length, sqrt):
    """At a peak it is put to sqrt(x^2 + length^2), as a function of q: with a slope that is not one."""
    return lambda t, q, v: ([sqrt(q[0] * q[0] + length * length)], [0.0 * v[0]])


@pytest.mark.parametrize("length", [1e-6, 1e-3, 1.0, 1e3])
@pytest.mark.parametrize("way", ["slopes", "differences"])
def test_multipliers_of_an_oscillator_in_closed_form(length, way):
    """From peak to peak x goes to c x, c = exp(-D T), then to sqrt(c^2 x^2 + L^2): x^2 = L^2 / (1 - c^2), multiplier c^2."""
    rate = np.sqrt(1 - DAMPED**2)
    period = 2 * np.pi / rate
    c = np.exp(-DAMPED * period)
    still = length / np.sqrt(1 - c * c)
    root = np.sqrt if way == "slopes" else math.sqrt
    then = lifted(length, root)
    assert (with_slopes(oscillator(length).model, then, 0.0, np.array([length]), np.zeros(1)) is None) == (way == "differences")
    peak = lo.When(lambda t, q, v: v[0], direction=-1, after=1.0)
    cycle = lo.limit_cycle(oscillator(length), peak, [0.9 * still], [0.0], then=then)
    assert cycle.q[0] == pytest.approx(still, rel=1e-10) and cycle.period == pytest.approx(period, rel=1e-10)
    assert len(cycle.multipliers) == 1 and cycle.multipliers[0] == pytest.approx(c * c, rel=1e-9)
    assert cycle.stable and "stable limit cycle" in str(cycle)


@pytest.mark.parametrize("length", [1e-6, 1.0])
def test_a_section_of_time_and_one_that_leans(length):
    """After a given time departures are those of exp(A T); a section that depends on t, x and v gives what peaks give."""
    problem, T = oscillator(length), 2.0
    kick = lambda t, q, v: ([q[0] + length], [v[0] + length])  # noqa: E731
    cycle = lo.limit_cycle(problem, lambda t, q, v: t - T, [0.0], [0.0], then=kick)
    values = np.exp((-DAMPED + 1j * np.sqrt(1 - DAMPED**2) * np.array([1, -1])) * T)
    assert np.allclose(np.sort_complex(cycle.multipliers), np.sort_complex(values), atol=1e-9)
    lean = lo.When(lambda t, q, v: v[0] + 0.3 * q[0] - 0.05 * length * t, direction=-1, after=1.0)
    found = lo.limit_cycle(problem, lean, [length], [0.0], then=kick)
    tight = lo.limit_cycle(problem, lean, found.q, found.v, then=kick, exact=False, difference=1e-3)
    assert np.allclose(np.sort_complex(found.multipliers), np.sort_complex(tight.multipliers), atol=1e-6)


@pytest.mark.parametrize("length", [1e-4, 1e-2, 30.0])
def test_multipliers_do_not_depend_on_the_size_of_a_hopper(length):
    """Lengths L, masses L^3, stiffness L^2, times sqrt(L): the same motion, and energy stays, whose multiplier is one."""
    whole = slip_hopper.gait()
    sizes = {"height": length * 0.9433464397244199, "speed": 5.0 * np.sqrt(length), "mass": 80 * length**3}
    small = slip_hopper.gait(length=length, stiffness=20000 * length**2, **sizes)
    assert np.allclose(small.multipliers, whole.multipliers, atol=1e-10)
    assert whole.multipliers[0] == pytest.approx(1.0, abs=1e-10) and not whole.stable and "neutral" in str(whole)
    assert small.period == pytest.approx(np.sqrt(length) * whole.period, rel=1e-9)


def test_what_is_not_smooth_is_said():
    def broken(t, q, v):
        return ([np.nan if q[0] < 1.0 else q[0]], [v[0]])

    peak = lo.When(lambda t, q, v: v[0], direction=-1, after=1.0)
    with pytest.raises(lo.NoLimitCycle, match="finite"):
        lo.limit_cycle(oscillator(1.0), peak, [0.5], [0.0], then=broken)
    with pytest.raises(ValueError, match=r"expected \(q, v\) of shapes \(1,\) and \(1,\)"):
        lo.limit_cycle(oscillator(1.0), peak, [0.5], [0.0], then=lambda t, q, v: ([q[0] + 1.0, 2.0], [v[0]]))


FUNCTIONS = {
    "arithmetic": lambda t, q, v: (q[0] * v[1] - 2.0 / (1.5 + q[2] * q[2]) + t**2 * q[1] ** 3 - abs(v[0]), 1.0 - q[0]),
    "functions": lambda t, q, v: np.sin(q) * np.cos(v) + np.exp(0.1 * v) * np.tanh(q) - np.arctan2(v, 2.0 + np.abs(q)),
    "products": lambda t, q, v: np.array([np.dot(q, v), np.linalg.norm(q), np.hypot(q[0], v[0]), *np.cross(q, v)]),
    "mixed": lambda t, q, v: (np.array([1.0, q[0]]), [np.float64(2.0) * v[1], np.sqrt(2.0 + v[2]), 3.0]),
    "branches": lambda t, q, v: np.where(q > 0.0, q * t, np.maximum(v, q)) + np.sum(v) ** 2,
    "powers": lambda t, q, v: (2.0 ** q[0], (q[0] ** 2 + 1.0) ** q[1], np.log(2.0 + v[0] % 1.0), np.clip(q[1], -9.0, 9.0)),
}


def three():
    builder = lo.Builder("three", base="fixed")
    for k, parent in enumerate((None, "b0", "b1")):
        builder.body(f"b{k}", parent=parent, joint=lo.Joint(f"j{k}", axis="y"), inertia=lo.Inertia(1.0, moment=(1, 1, 1)))
    return builder.build()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_numbers_with_slopes_are_derivatives(name):
    model, rng = three(), np.random.default_rng(2)
    for _ in range(5):
        t, q, v = rng.uniform(0.1, 1.0), rng.normal(size=3), rng.normal(size=3)
        exact = with_slopes(model, FUNCTIONS[name], t, q, v)
        assert exact is not None
        assert np.allclose(exact, by_differences(model, FUNCTIONS[name], t, q, v, np.full(7, 0.1)), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "function",
    [
        lambda t, q, v: math.sin(q[0]), lambda t, q, v: float(q[0]), lambda t, q, v: np.asarray(q, dtype=float).sum(),
        lambda t, q, v: np.interp(q[0], [0.0, 1.0], [0.0, 2.0]), lambda t, q, v: int(q[0]) + q[1],
        lambda t, q, v: lo.center_of_mass(three(), q)[0], lambda t, q, v: complex(q[0]).real,
    ],
)  # fmt: skip
def test_what_would_lose_slopes_does_not_take_them(function):
    assert with_slopes(three(), function, 0.0, np.full(3, 0.3), np.full(3, 0.2)) is None
    with pytest.raises(TypeError, match="no float"):
        float(Sloped(1.0, np.ones(2)))


def test_tangents_on_groups_are_velocities():
    builder = lo.Builder("float", base="free").body("a", inertia=lo.Inertia(1.0, moment=(1, 1, 1)))
    builder.body("b", parent="a", joint=lo.Joint("p", "planar"), inertia=lo.Inertia(1.0, moment=(1, 1, 1)))
    builder.body("c", parent="b", joint=lo.Joint("s", "spherical"), inertia=lo.Inertia(1.0, moment=(1, 1, 1)))
    model, rng = builder.build(), np.random.default_rng(0)
    q = model.random(rng)
    q[:3] += 1e6  # far away
    E, v = tangents(model, q), rng.normal(size=model.nv)
    x, y, z, w = q[3:7]
    spin = 0.5 * np.array([[w, -z, y], [z, w, -x], [-y, x, w], [-x, -y, -z]]) @ v[3:6]
    assert (E @ v)[3:7] == pytest.approx(spin, abs=1e-12)
    R = lo.forward_kinematics(model, q)[0][:3, :3]
    assert (E @ v)[:3] == pytest.approx(R @ v[:3], abs=1e-12)
    assert np.linalg.pinv(E) @ (E @ v) == pytest.approx(v, abs=1e-12)
