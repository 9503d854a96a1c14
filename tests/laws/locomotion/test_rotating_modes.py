"""Frequencies about steady motions: spinning beams against the power series of their equation, spinning shafts in closed form.

The equation of a uniform beam that spins about an axis through its root, in units of its length, mass and bending stiffness
(R. V. Southwell and B. S. Gough, ARC R&M 766, 1921; A. D. Wright, C. E. Smith, R. W. Thresher and J. L. C. Wang, J. Appl.
Mech. 49, 1982, 197-202), out of the plane of rotation; in it, the square of the frequency is less by that of the spin:

    w'''' - (T w')' = omega^2 w ,   T = spin^2 (1 - x^2) / 2
"""

from itertools import pairwise

import mpmath
import numpy as np
import pytest

import locomote as lo

THIN, STIFF = lo.Section(1.0, 1e-12, 1e-12, 1e-12), lo.Material(1.0, 1e12, poisson=0.0)  # EI = 1, no inertia of sections
LUMP = lo.Inertia(1.0, moment=(1.0, 1.0, 1.0))


def series(spin, count, terms=110):
    """The first frequencies, from w = sum of a_n x^n with fifty digits."""
    with mpmath.workdps(50):
        square = mpmath.mpf(spin) ** 2

        def end(omega):
            """Moment and shear at the tip must vanish for some mix of two solutions that are clamped at the root."""
            found = []
            for start in ((1, 0), (0, 1)):
                a = [mpmath.mpf(0), mpmath.mpf(0), *map(mpmath.mpf, start)]
                for n in range(terms):
                    pull = square / 2 * ((n + 2) * (n + 1) * a[n + 2] - n * (n - 1) * a[n]) - square * n * a[n]
                    a.append((pull + omega**2 * a[n]) / ((n + 4) * (n + 3) * (n + 2) * (n + 1)))
                bent = sum(k * (k - 1) * x for k, x in enumerate(a))
                found.append((bent, sum(k * (k - 1) * (k - 2) * x for k, x in enumerate(a))))
            return found[0][0] * found[1][1] - found[0][1] * found[1][0]

        grid = [mpmath.mpf(k) / 2 for k in range(2, 160)]
        signs = [end(x) for x in grid]
        roots = [(x, y) for (x, f), (y, g) in pairwise(zip(grid, signs, strict=True)) if f * g < 0]
        return np.array([float(mpmath.findroot(end, ends, solver="anderson", tol=1e-25)) for ends in roots[:count]])


def on_a_hub(spin, axis, rod, **more):
    """A rod along x on a hub that is driven at constant speed."""
    model = (
        lo.Builder("hub", gravity=(0, 0, 0))
        .body("hub", joint=lo.Joint("spin", axis=axis), inertia=LUMP)
        .body("rod", parent="hub", flex=rod)
        .build()
    )
    return lo.Locomotion(model, drives={"spin": lo.Polynomial([0.3, spin])}, **more)


@pytest.mark.parametrize("spin", [1.0, 5.0, 10.0])
def test_spinning_beam(spin):
    flap = series(spin, 3)
    for strain, expected in (("bending_y", flap), ("bending_z", np.sqrt(flap**2 - spin**2))):
        problem = on_a_hub(spin, "z", lo.Rod(1.0, THIN, STIFF, strains=strain, order=12, nodes=200))
        still = lo.equilibrium(problem, moving=True)
        found = lo.modes(problem, still.q, moving=True)
        assert np.allclose(found.rates[:3], expected, rtol=3e-8), strain
        assert found.stable and abs(found.growth).max() < 1e-8
        assert abs(lo.modes(problem, still.q).rates[0] / 3.5160152685 - 1) < 1e-8  # without the motion


def test_modal_beams_stiffen_too():
    """The same with a modal body of shapes of second order; without them a beam gets softer in the plane of rotation."""
    expected = np.sqrt(series(3.0, 1) ** 2 - 9.0)
    first = [
        lo.modes(on_a_hub(3.0, "z", lo.rods.Modes.cantilever(1.0, 1.0, 1.0, 8, stiffening=on)), moving=True).rates[0]
        for on in (True, False)
    ]
    assert first[0] == pytest.approx(expected[0], rel=2e-6)
    assert first[1] == pytest.approx(np.sqrt(3.5160152685**2 - 9.0), rel=1e-6)


def test_soft_rod_stretches_before_it_swings():
    """A rod that can stretch is drawn out by the spin: u(X) of the exact equation, k u'' + spin^2 (X + u) = 0."""
    section, material, spin = lo.Section(1.0, 1e-4, 1e-4, 1e-4), lo.Material(1.0, 50.0, poisson=0.0), 3.0
    problem = on_a_hub(spin, "z", lo.Rod(1.0, section, material, strains="planar", order=8, nodes=96))
    still = lo.equilibrium(problem, moving=True)
    along = lo.rods.sections(problem.model, still.q, "rod")
    k = spin / np.sqrt(50.0)
    place = np.linalg.norm(along.poses[:, :2, 3], axis=1)
    assert np.allclose(place, np.sin(k * along.along) / (k * np.cos(k)), rtol=0, atol=4e-9)


def test_whirl_of_a_thin_shaft():
    """Seen from a frame that turns with it, a round shaft without inertia of its sections whirls with omega +- spin."""
    spin, rod = 2.0, lo.Rod(1.0, THIN, STIFF, strains="bending", order=10, nodes=100)
    found = lo.modes(on_a_hub(spin, "x", rod), moving=True)
    omega = np.array([1.8751040687119611, 4.694091132974175]) ** 2
    assert np.allclose(found.rates[:4], np.sort(np.concatenate([omega - spin, omega + spin])), rtol=3e-8)


def pinned_shaft(spin, section, damping=0.0):
    """A round shaft whose ends cannot move sideways but turn freely, driven about its axis."""
    material = lo.Material(1.0, 1.0 / section.about_y, poisson=0.0, damping=damping)
    rod = lo.Rod(1.0, section, material, strains="bending", order=8, nodes=80)
    model = (
        lo.Builder("shaft", gravity=(0, 0, 0))
        .body("spindle", joint=lo.Joint("spin", axis="x"), inertia=LUMP)
        .body("yoke", parent="spindle", joint=lo.Joint("pitch", axis="y"), inertia=lo.Inertia(0.0))
        .body("rod", parent="yoke", joint=lo.Joint("yaw", axis="z"), flex=rod)
        .body("tip", parent="rod")
        .build()
    )
    held = lo.LoopClosure("tip", "spindle", locked="yz", other_frame=(1.0, 0.0, 0.0))
    return lo.Locomotion(model, drives={"spin": lo.Polynomial([0.0, spin])}, constraints=[held])


def test_whirl_with_gyroscopic_sections():
    """Rayleigh's beam on pins: (1 + I k^2) w^2 - 2 I k^2 spin w - k^4 = 0 at rest, w - spin in the frame that turns."""
    spin, inertia = 4.0, 0.01
    found = lo.modes(pinned_shaft(spin, lo.Section(1.0, inertia, inertia, 2 * inertia)), moving=True)
    expected = []
    for n in (1, 2):
        k = np.pi * n
        expected += [abs(w - spin) for w in np.roots([1 + inertia * k**2, -2 * inertia * k**2 * spin, -(k**4)])]
    assert np.allclose(found.rates[:4], np.sort(expected), rtol=1e-6)
    assert found.stable


@pytest.mark.parametrize("spin", [7.0, 9.0, 11.0])
def test_damping_inside_a_shaft_drives_it_beyond_its_critical_speed(spin):
    """s^2 + 2 i spin s - spin^2 + omega^2 (1 + damping s) = 0 in the frame that turns: stable up to spin = omega = pi^2."""
    damping, omega = 0.01, np.pi**2
    found = lo.modes(pinned_shaft(spin, lo.Section(1.0, 1e-8, 1e-8, 2e-8), damping), moving=True)
    expected = np.roots([1.0, 2j * spin + omega**2 * damping, omega**2 - spin**2])
    for value in expected:
        value = value if value.imag >= 0 else np.conj(value)
        assert abs(found.growth + 1j * found.rates - value).min() < 1e-5 * abs(value)
    assert found.stable == (spin < omega)


def test_what_does_not_rest_is_said():
    rod = lo.Rod(1.0, THIN, STIFF, strains="bending_z", order=2)
    problem = on_a_hub(1.0, "z", rod)
    swinging = lo.Locomotion(problem.model, drives={"spin": lo.Sine(0.5, 2.0)})
    with pytest.raises(ValueError, match="do not move at constant speed at t = 0.3 s"):
        lo.modes(swinging, t=0.3, moving=True)
    held = lo.Locomotion(
        problem.model, drives={"spin": lo.Polynomial([0.0, 1.0])}, constraints=[lo.PointContact("rod", point=(0.0, 0.1, 0.0))]
    )
    with pytest.raises(ValueError, match="do not fit its constraints"):
        lo.equilibrium(held, moving=True)
