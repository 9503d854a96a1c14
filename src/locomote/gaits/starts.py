"""Where searches for gaits begin: a circle, a wave that runs along the coordinates, a given gait, or random curves."""

import numpy as np

from locomote.gaits.gait import Gait
from locomote.gaits.local_form import LocalForm
from locomote.gaits.search import Search


def room(search: Search, form: LocalForm, amplitude: float | None) -> tuple[np.ndarray, np.ndarray]:
    """(k,) middles of coordinates in a first trial, and how far they go: 1 rad or 0.1 m, less of many, and within bounds."""
    usual = np.where([unit == "m" for unit in form.coordinates.units], 0.1, 1.0) * min(1.0, 2.0 / form.size)
    size = usual if amplitude is None else np.full(form.size, float(amplitude))
    if search.low is None or search.high is None:
        return np.zeros(form.size), size
    size = np.minimum(size, 0.45 * (search.high - search.low))
    return np.clip(0.0, search.low + 1.05 * size, search.high - 1.05 * size), size


def first_numbers(search: Search, form: LocalForm, start: Gait | None, amplitude: float | None) -> np.ndarray:
    """Numbers of the first curve: the given gait, a circle, or a wave that runs along the coordinates."""
    k = form.size
    if start is not None:
        if start.names != form.coordinates.names:
            raise ValueError(f"start goes over {', '.join(start.names)}, expected {', '.join(form.coordinates.names)}")
        t = np.arange(256) / 256
        series = np.fft.rfft(start.shapes(t * start.period)[0], axis=0) / 256
        count = min(search.curves.basis.harmonics, 100)
        c = np.zeros((k, 1 + 2 * count))
        c[:, 0], c[:, 1::2], c[:, 2::2] = series[0].real, 2 * series[1 : count + 1].real.T, -2 * series[1 : count + 1].imag.T
        return search.curves.nearest(c)
    (middle, size), c = room(search, form, amplitude), np.zeros((k, 3))
    lag = np.pi / 2 if k == 2 else 2 * np.pi / (k + 1)
    c[:, 0], c[:, 1], c[:, 2] = middle, size * np.cos(lag * np.arange(k)), size * np.sin(lag * np.arange(k))
    return search.curves.nearest(c)


def random_numbers(search: Search, form: LocalForm, amplitude: float | None, rng: np.random.Generator) -> np.ndarray:
    """Numbers of a random curve: a harmonic with random phases and middles, and a little of the next."""
    (middle, size), k = room(search, form, amplitude), form.size
    c, far = np.zeros((k, 5)), size * rng.uniform(0.4, 1.2, k)
    phase = rng.uniform(0.0, 2 * np.pi, k)
    c[:, 1], c[:, 2] = far * np.cos(phase), far * np.sin(phase)
    c[:, 3:] = rng.normal(scale=0.1, size=(k, 2)) * size[:, None]
    c[:, 0] = middle + rng.normal(scale=0.5, size=k) * size
    if search.low is not None and search.high is not None:
        far = np.minimum(far, 0.45 * (search.high - search.low))
        c[:, 0] = np.clip(c[:, 0], search.low + far, search.high - far)
    return search.curves.nearest(c)
