"""Connections from records: body velocities around a gait, fitted to noisy cycles, and the net motions that they predict.

Around the mean path r0(phi) of many cycles a shape is r = r0 + d, and to first order (Bittner, Hatton and Revzen 2018)

    xi(phi) = c(phi) + B(phi) d + E(phi) d'          c = -A r0' ,   B d = -(dA d) r0' ,   E = -A                        (1)

with Fourier series in the phase phi = 2 pi t / period for c, B and E: a linear regression. Its spread is that of fits to cycles
drawn anew from those that were recorded (a bootstrap over cycles, since noise within a cycle hangs together).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.errors import LocomoteError, UnknownName
from locomote.gaits.coordinates import coordinates_of
from locomote.gaits.gait import Gait
from locomote.gaits.path_ordered import Ordered, Panels
from locomote.spatial.groups_arrays import GROUPS, Group
from locomote.spatial.numbers import as_numbers, generator, integer

WINDOW = 0.18  # of a period, over which deviations are smoothed
PANELS = 24  # of a period, for predictions
FEWEST = 4  # cycles
MOST = 1000  # harmonics


@brief
@dataclass(frozen=True, eq=False)
class Predicted:
    """A net motion with its interval.

    pose : (4, 4) ; log : (n,) its logarithm, m and rad ; low, high : (n,) bounds of the interval ; level : its probability
    """

    pose: np.ndarray
    log: np.ndarray
    low: np.ndarray
    high: np.ndarray
    level: float


@brief
@dataclass(frozen=True, eq=False)
class Fitted:
    """Body velocities around a gait (1).

    names : of the shape coordinates ; period : s ; mean : (2 m + 1, k) Fourier coefficients of the mean path
    coefficients : (columns, n) of (1) ; draws : (repeats, columns, n) of cycles drawn anew
    residual : (n,) root of the mean square of what is left, m/s and rad/s ; cycles : how many there were
    """

    group: Group
    names: tuple[str, ...]
    period: float
    mean: np.ndarray
    coefficients: np.ndarray
    draws: np.ndarray
    residual: np.ndarray
    cycles: int

    def displacement(self, gait: Gait | None = None, *, level: float = 0.95) -> Predicted:
        """The net motion of a gait near the recorded one, of the mean path itself if None, with its interval."""
        if not 0.0 < level < 1.0:
            raise ValueError(f"level is {level!r:.40}, expected a probability between 0 and 1")
        panels = Panels(np.linspace(0.0, self.period, PANELS + 1))
        t = panels.nodes.ravel()
        away = np.zeros((2, len(t), len(self.names)))
        if gait is not None:
            if set(gait.names) != set(self.names):
                raise ValueError(f"the gait goes over {', '.join(gait.names)}, the records over {', '.join(self.names)}")
            x, rates, _ = gait.shapes(t * gait.period / self.period)
            order = [gait.names.index(name) for name in self.names]
            waves, slopes = series(t, self.period, (len(self.mean) - 1) // 2)
            away = np.stack([x[:, order] - waves @ self.mean, rates[:, order] * gait.period / self.period - slopes @ self.mean])
        columns = design(t, self.period, away[0], away[1], self._harmonics)
        poses = [
            Ordered(self.group, panels, (columns @ own).reshape(-1, 3, self.group.size)).pose
            for own in (self.coefficients, *self.draws)
        ]
        logs = np.array([self.group.log(pose) for pose in poses])
        spread = logs[1:] - logs[1:].mean(axis=0)
        low, high = np.quantile(spread, [(1 - level) / 2, (1 + level) / 2], axis=0)
        return Predicted(poses[0], logs[0], logs[0] + low, logs[0] + high, level)

    @property
    def _harmonics(self) -> int:
        return (len(self.coefficients) // (1 + 2 * len(self.names)) - 1) // 2


def fit(
    records: Any, *, period: float, coordinates: Any = None, group: str = "SE(2)", harmonics: int = 4, repeats: int = 200,
    seed: int = 0,
) -> Fitted:  # fmt: skip
    """The connection around a gait, from records of many cycles with noise.

    records : a run or several (`simulate` of a gait with some variation), or (t (N,), shapes (N, k), velocities (N, n)) with
        body velocities of the base, m/s and rad/s; evenly sampled, several in a list
    period : s, of the gait ; coordinates : joints of runs, or names of the columns of shapes
    group : of the velocities given as arrays: "SE(2)" (x, y, turn), "SO(3)", "SE(3)" ; harmonics : of the series (1)
    repeats : fits to cycles drawn anew, for intervals
    """
    if not (isinstance(period, int | float | np.number) and 0.0 < period < np.inf):
        raise ValueError(f"period is {period!r:.40}, expected a positive time, s")
    harmonics, repeats, rng = integer(harmonics, "harmonics", 1, MOST), integer(repeats, "repeats", 1), generator(seed, "seed")
    parts, names, own = gathered(records, coordinates, group)
    shapes = np.concatenate([part[1] for part in parts])
    phases, velocities = np.concatenate([part[0] for part in parts]), np.concatenate([part[2] for part in parts])
    cycle = np.concatenate([np.floor(part[0] / period) + 1e6 * k for k, part in enumerate(parts)])
    which = np.unique(cycle)
    if len(which) < FEWEST:
        raise ValueError(f"the records hold {len(which)} cycles of {period:g} s, expected at least {FEWEST}")
    waves, _ = series(phases, period, harmonics)
    mean = np.linalg.lstsq(waves, shapes, rcond=None)[0]
    away, rates = (np.concatenate(x) for x in zip(*(smoothed(part, mean, period, harmonics) for part in parts), strict=True))
    columns = design(phases, period, away, rates, harmonics)
    if len(columns) < 2 * columns.shape[1]:
        raise ValueError(f"{len(columns)} samples are too few for {columns.shape[1]} numbers; give more, or fewer harmonics")
    squares = np.array([columns[cycle == c].T @ columns[cycle == c] for c in which])
    rights = np.array([columns[cycle == c].T @ velocities[cycle == c] for c in which])
    size = np.sqrt(np.maximum(np.diagonal(squares.sum(axis=0)), 1e-300))

    def solved(weights: np.ndarray) -> np.ndarray:
        left = np.einsum("c,cij->ij", weights, squares) / size / size[:, None]
        right = np.einsum("c,cin->in", weights, rights) / size[:, None]
        return np.linalg.lstsq(left, right, rcond=1e-9)[0] / size[:, None]

    found = solved(np.ones(len(which)))
    drawn = rng.multinomial(len(which), np.full(len(which), 1.0 / len(which)), size=repeats)
    left = velocities - columns @ found
    return Fitted(
        own, names, float(period), mean, found, np.array([solved(weights) for weights in drawn]),
        np.sqrt(np.square(left).mean(axis=0)), len(which),
    )  # fmt: skip


def series(t: np.ndarray, period: float, harmonics: int) -> tuple[np.ndarray, np.ndarray]:
    """(N, 2 m + 1) Fourier columns at times, and their rates."""
    n = 2 * np.pi / period * np.arange(1, harmonics + 1)
    c, s = np.cos(t[:, None] * n), np.sin(t[:, None] * n)
    one = np.ones((len(t), 1))
    return np.concatenate([one, c, s], axis=1), np.concatenate([0 * one, -n * s, n * c], axis=1)


def design(t: np.ndarray, period: float, away: np.ndarray, rates: np.ndarray, harmonics: int) -> np.ndarray:
    """(N, columns) of (1)."""
    waves, _ = series(t, period, harmonics)
    parts = [waves, *(waves * x[:, None] for x in away.T), *(waves * x[:, None] for x in rates.T)]
    return np.concatenate(parts, axis=1)


def smoothed(part, mean: np.ndarray, period: float, harmonics: int) -> tuple[np.ndarray, np.ndarray]:
    """Deviations from the mean path and their rates, by polynomials of order three over a part of the period."""
    from scipy.signal import savgol_filter

    t, shapes, _ = part
    step = float(np.median(np.diff(t)))
    window = max(5, int(WINDOW * period / step) // 2 * 2 + 1)
    if len(t) <= window:
        raise ValueError(f"a record of {len(t)} samples is too short; give several periods of {period:g} s")
    away = shapes - series(t, period, harmonics)[0] @ mean
    return savgol_filter(away, window, 3, axis=0), savgol_filter(away, window, 3, deriv=1, delta=step, axis=0)


def gathered(records: Any, coordinates: Any, group: str) -> tuple[list[tuple], tuple[str, ...], Group]:
    """Times, shapes and velocities of all records, names of the coordinates, and the group."""
    several = list(records) if isinstance(records, list) else [records]
    if not several:
        raise ValueError("there is no record to fit to")
    if all(hasattr(one, "problem") for one in several):
        return of_runs(several, coordinates)
    if group not in GROUPS:
        raise UnknownName("group", group, GROUPS, "records")
    own, parts, k = GROUPS[group], [], 0
    for one in several:
        if not isinstance(one, Sequence) or len(one) != 3:
            raise TypeError(f"a record is {one!r:.60}, expected a run, or (t, shapes, velocities)")
        t, x, v = (as_numbers(a, name, "(N, ...)") for a, name in zip(one, ("t", "shapes", "velocities"), strict=True))
        if t.ndim != 1 or x.ndim != 2 or v.shape != (len(t), own.size) or len(x) != len(t):
            raise ValueError(f"a record has shapes {t.shape}, {x.shape}, {v.shape}, expected (N,), (N, k), (N, {own.size})")
        if not all(np.isfinite(a).all() for a in (t, x, v)) or (np.diff(t) <= 0).any():
            raise ValueError("a record is not finite, or its times do not increase")
        parts.append((t, x, v))
        k = x.shape[1]
    if coordinates is not None and (isinstance(coordinates, str | bytes) or not isinstance(coordinates, Iterable)):
        raise TypeError(f"coordinates is {coordinates!r:.60}, expected names of the columns of shapes")
    names = tuple(map(str, coordinates)) if coordinates is not None else tuple(f"shape_{j}" for j in range(k))
    if len(names) != k or any(part[1].shape[1] != k for part in parts):
        raise ValueError(f"{len(names)} names for {k} columns of shapes; give one for each")
    return parts, names, own


def of_runs(runs: list, coordinates: Any) -> tuple[list[tuple], tuple[str, ...], Group]:
    """Records of runs: shapes and velocities of the base."""
    from locomote.gaits.local_form import group_of

    problem = runs[0].problem
    if problem is None:
        raise LocomoteError("the run does not hold its problem; give (t, shapes, velocities) instead")
    made = coordinates_of(problem, coordinates)
    inverse, base = np.linalg.pinv(made.directions), np.array(sorted(problem.external), dtype=int)
    parts = [(np.asarray(r.t), (r.q[:, made.places] - made.at[made.places]) @ inverse.T, r.v[:, base]) for r in runs]
    return parts, made.names, group_of(problem, base)
