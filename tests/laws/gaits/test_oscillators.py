"""Oscillators against closed forms: locking, beats, limit cycles, onset of a rhythm, waves, gaits of legs, a body."""

import numpy as np
import pytest
from scipy.optimize import brentq

import locomote as lo
from locomote.control.gaits import gait


@pytest.mark.parametrize("apart", [0.3, 0.9])
def test_two_phases_lock_as_adler_says(apart):
    """psi = phi_2 - phi_1 goes by psi' = d - 2 K sin psi, with a closed form: it locks at asin(d / 2 K), at the mean rate."""
    K = 0.5
    found = lo.gaits.rhythm(lo.gaits.Kuramoto([2.0, 2.0 + apart], K), 60.0)
    assert found.locked
    np.testing.assert_allclose(np.diff(found.phases[-1])[0], np.arcsin(apart / (2 * K)), atol=1e-8)
    np.testing.assert_allclose(found.rates, 2.0 + apart / 2, rtol=1e-4)


def test_too_far_apart_they_beat():
    """Beyond d = 2 K the difference slips at sqrt(d^2 - 4 K^2)."""
    K, apart = 0.5, 1.6
    beat = np.sqrt(apart**2 - 4 * K**2)
    found = lo.gaits.rhythm(lo.gaits.Kuramoto([2.0, 2.0 + apart], K), 10 * 2 * np.pi / beat)
    assert not found.locked
    np.testing.assert_allclose(np.diff(found.phases[-1])[0] - np.diff(found.phases[0])[0], 20 * np.pi, rtol=1e-8)


def test_forcing_locks_within_adlers_band():
    """phi' = w - f cos(W t) sin(phi): in the mean over a period (slow: f << w) it locks if |W - w| < f / 2."""

    def slips(part):
        w, f = 12.0, 1.0
        W = w + part * f / 2
        found = lo.gaits.rhythm(lo.gaits.Kuramoto([w]), 50.0, fed=lambda t: f * np.cos(W * t))
        return abs(found.rates[0] - W)

    assert slips(0.85) < 0.02 and slips(-0.85) < 0.02 and slips(1.25) > 0.1


def test_travelling_waves_keep_their_lags():
    """A row pulled by its neighbours: lags are those asked for if all rates are one, whatever the start."""
    wanted = lo.gaits.waves(8, 1.5)
    start = wanted + np.random.default_rng(0).uniform(-0.8, 0.8, 8)
    net = lo.gaits.Kuramoto(np.full(8, 5.0), lo.gaits.neighbours(8, 4.0), lags=wanted, start=start)
    found = lo.gaits.rhythm(net, 30.0)
    np.testing.assert_allclose(found.phases[-1] - found.phases[-1, 0], wanted - wanted[0], atol=1e-6)
    np.testing.assert_allclose(found.rates, 5.0, atol=1e-5)
    # of rates that differ, a row with one-sided coupling lags by asin(d / K) more from one to the next
    down = np.eye(3, k=-1) * 2.0
    found = lo.gaits.rhythm(lo.gaits.Kuramoto([5.0, 5.5, 5.5], down), 40.0)
    np.testing.assert_allclose(np.diff(found.phases[-1]), [np.arcsin(0.25), np.arcsin(0.25)], atol=1e-6)


def test_a_hopf_oscillator_has_its_closed_form():
    """|z|^2 = a^2 / (1 + (a^2 / r_0^2 - 1) exp(-2 g a^2 t)), at its rate; coupled ones grow to a^2 + K / g, at their lag."""
    a, g, w, r = 0.7, 3.0, 4.0, 0.05
    found = lo.gaits.rhythm(lo.gaits.Hopf([w], amplitudes=a, gain=g, start=r), 6.0)
    size = a / np.sqrt(1 + (a**2 / r**2 - 1) * np.exp(-2 * g * a**2 * found.t))
    np.testing.assert_allclose(found.outputs[:, 0], size * np.cos(w * found.t), atol=1e-8)
    pair = lo.gaits.Hopf([w, w], 0.6, lags=[0.0, 1.1], gain=g, amplitudes=a, start=[0.1, 0.1j])
    found = lo.gaits.rhythm(pair, 30.0)
    np.testing.assert_allclose(np.diff(found.phases[-1])[0], 1.1, atol=1e-8)
    np.testing.assert_allclose(np.hypot(found.states[-1, :2], found.states[-1, 2:]), np.sqrt(a**2 + 0.6 / g), rtol=1e-8)


@pytest.mark.parametrize("inhibition, lives", [(1.3, False), (1.8, True)])
def test_a_matsuoka_pair_begins_as_its_linear_part_says(inhibition, lives):
    """The difference of two neurons obeys T x' = (W - 1) x - beta v, T_a v' = x - v: it grows where W > 1 + T / T_a."""
    rise, slow, fatigue = 0.1, 0.2, 2.5
    matrix = np.array([[(inhibition - 1) / rise, -fatigue / rise], [1 / slow, -1 / slow]])
    root = np.linalg.eigvals(matrix)[0]
    assert (root.real > 0) == lives
    rest = 1.0 / (1 + fatigue + inhibition)
    W = inhibition * (1 - np.eye(2))
    net = lo.gaits.Matsuoka(W, rise=rise, adaptation=slow, fatigue=fatigue, start=[rest + 1e-4, rest - 1e-4])
    begin = np.array([*net.start, rest, rest])  # both active, tired as they are at rest
    object.__setattr__(net, "start", begin[:2])
    moved = [begin]
    for _ in range(4000):
        moved.append(net.stepped(moved[-1], np.zeros(1), 2.5e-4))
    t = 2.5e-4 * np.arange(4001)
    from scipy.linalg import expm

    exact = [(expm(matrix * s) @ [2e-4, 0.0])[0] for s in t[::500]]
    np.testing.assert_allclose(net.outputs(np.array(moved))[::500, 0], exact, atol=1e-10)
    found = lo.gaits.rhythm(net, 20.0)
    assert (np.ptp(found.outputs[found.t > 15.0, 0]) > 0.1) == lives
    if lives:  # Matsuoka 2011: rate sqrt((T + T_a) beta / (T W) - 1) / T_a, by one harmonic
        about = np.sqrt((rise + slow) * fatigue / (rise * inhibition) - 1) / slow
        np.testing.assert_allclose(found.rates[0], about, rtol=0.05)


@pytest.mark.parametrize("name, count", [("trot", 4), ("walk", 4), ("tripod", 6), ("pace", 4)])
def test_gaits_of_legs_come_from_any_start(name, count):
    wanted = gait(name, count, period=0.5)
    start = np.random.default_rng(3).uniform(-1.2, 1.2, count) - 2 * np.pi * np.array(wanted.phases)
    found = lo.gaits.rhythm(lo.gaits.legs(wanted, start=start), 20.0).legs(wanted.duty)
    apart = (np.array(found.phases) - np.array(wanted.phases) + wanted.phases[0] + 0.5) % 1.0 - 0.5
    np.testing.assert_allclose(apart, 0.0, atol=1e-6)
    np.testing.assert_allclose(found.period, 0.5, rtol=1e-6)


@pytest.fixture(scope="module")
def pendulum():
    builder = lo.Builder("swing", gravity=(0, 0, 0))
    builder.body("bob", joint=lo.Joint("hinge"), inertia=lo.Inertia(1.0, moment=(1, 1, 1)))
    return builder.build()


def test_a_body_draws_its_oscillator_to_itself(pendulum):
    """theta'' + c theta' + k theta = m cos(phi), phi' = w - f theta sin(phi): locked at W = w - f A sin(d) / 2."""
    c, k, m, w, f = 0.4, 9.0, 0.5, 3.4, 2.0

    def lag(W):
        answer = m / (k - W**2 + 1j * c * W)
        return abs(answer), -np.angle(answer)

    wanted = brentq(lambda W: W - w + f * lag(W)[0] * np.sin(lag(W)[1]) / 2, 2.0, 3.4)
    net = lo.gaits.Kuramoto([w])
    controller = lo.gaits.entrained(net, pendulum, {"hinge": 0}, feedback=f, moment=m, every=5e-3)
    problem = lo.Locomotion(pendulum, springs={"hinge": (k, 0.0, c)}, torques=controller)
    run = problem.simulate(60.0, every=0.02)
    assert run.audit.ok
    x, t = run["hinge.angle"], run.t
    up = np.flatnonzero((x[:-1] < 0) & (x[1:] >= 0) & (t[1:] > 30))
    when = t[up] - x[up] * (t[up + 1] - t[up]) / (x[up + 1] - x[up])
    found = 2 * np.pi * (len(when) - 1) / (when[-1] - when[0])
    assert abs(wanted - w) > 0.1
    np.testing.assert_allclose(found, wanted, rtol=0.01)
    np.testing.assert_allclose(abs(x[t > 30]).max(), lag(wanted)[0], rtol=0.05)
