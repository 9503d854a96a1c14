"""Connections from records with noise: predicted displacement against the exact one of the connection, intervals by repeats."""

import numpy as np
import pytest

import locomote as lo
from locomote.gaits.local_form import local_form

CYCLES, SAMPLES, NOISE = 30, 100, 0.1


@pytest.fixture(scope="module")
def swimmer():
    return lo.systems.load("purcell_swimmer", length=1 / 3).problem()


@pytest.fixture(scope="module")
def gait():
    return lo.gaits.Gait({"front": lo.Fourier(0.0, [0.8], frequency=1.0), "rear": lo.Fourier(0.0, [], [0.8], frequency=1.0)})


def recorded(problem, gait, seed, noise=NOISE):
    """Shapes that vary from cycle to cycle by a tenth, and velocities by the connection, all with noise."""
    rng, form = np.random.default_rng(seed), local_form(problem)
    t = np.arange(CYCLES * SAMPLES) / SAMPLES
    x, dx, _ = gait.shapes(t)
    for n in range(1, 8):  # slow and fast variations that do not repeat
        w, size, phase = 2 * np.pi * n * 0.37, 0.03, rng.uniform(0, 2 * np.pi, 2)
        x, dx = x + size * np.sin(w * t[:, None] + phase), dx + size * w * np.cos(w * t[:, None] + phase)
    xi = -np.einsum("pnk,pk->pn", form(x).A, dx)
    return t, x + noise * x.std(axis=0) * rng.normal(size=x.shape), xi + noise * xi.std(axis=0) * rng.normal(size=xi.shape)


def test_displacement_to_ten_per_cent_with_an_interval_that_holds(swimmer, gait):
    exact = swimmer.net_displacement(gait.drives(), 1.0)
    other = lo.gaits.Gait({name: 1.1 * d for name, d in gait.paths.items()})
    further = lo.gaits.displacement(swimmer, other)
    inside, errors, far = [], [], []
    for seed in range(5):
        fitted = lo.gaits.fit(recorded(swimmer, gait, seed), period=1.0, coordinates=["front", "rear"], repeats=40)
        found = fitted.displacement(gait)
        errors.append(np.linalg.norm(found.pose[:2, 3] - exact[:2]) / np.linalg.norm(exact[:2]))
        log = lo.gaits.displacement(swimmer, gait).log
        inside += list((found.low <= log) & (log <= found.high))
        far.append(np.linalg.norm(fitted.displacement(other).pose[:2, 3] - further.position[:2]) / further.distance)
    assert max(errors) < 0.1 and max(far) < 0.1
    assert 0.75 < np.mean(inside)
    fitted = lo.gaits.fit(recorded(swimmer, gait, 0, noise=0.0), period=1.0, coordinates=["front", "rear"], repeats=2)
    assert np.linalg.norm(fitted.displacement(gait).pose[:2, 3] - exact[:2]) < 0.03 * np.linalg.norm(exact[:2])


def test_runs_are_records(swimmer, gait):
    drives = {name: d + lo.Sine(0.1, 2.3, phase=k) for k, (name, d) in enumerate(gait.drives().items())}
    run = swimmer.replaced(drives=drives, start=None).simulate(8.0, every=0.02)
    fitted = lo.gaits.fit(run, period=1.0, repeats=20)
    exact = lo.gaits.displacement(swimmer, gait)
    assert fitted.cycles == 9 and fitted.names == ("front", "rear")
    assert abs(fitted.displacement(gait).log - exact.log).max() < 0.1 * exact.distance


def test_sentences(swimmer, gait):
    t = np.arange(1000) / 100
    record = (t, np.zeros((1000, 2)), np.zeros((1000, 3)))
    for words, wrong in (
        ("positive time", lambda: lo.gaits.fit(record, period=0.0)),
        ("hold 1 cycles", lambda: lo.gaits.fit(tuple(a[:90] for a in record), period=1.0)),
        ("expected a run, or", lambda: lo.gaits.fit((t, t), period=1.0)),
        ("not finite", lambda: lo.gaits.fit((t, np.full((1000, 2), np.nan), record[2]), period=1.0)),
        ("expected (N,), (N, k), (N, 3)", lambda: lo.gaits.fit((t, record[1], t), period=1.0)),
        ("no group named", lambda: lo.gaits.fit(record, period=1.0, group="U(1)")),
        ("the records over shape_0", lambda: lo.gaits.fit(record, period=1.0, repeats=1).displacement(gait)),
    ):
        with pytest.raises((TypeError, ValueError, lo.LocomoteError)) as raised:
            wrong()
        assert words in str(raised.value), str(raised.value)
