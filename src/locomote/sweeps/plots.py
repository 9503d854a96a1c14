"""Pictures of a sweep: a measure over an axis, a map over two axes, all columns side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from locomote.runs.optional import package
from locomote.runs.plots import written
from locomote.sweeps.axes import SweepError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from locomote.sweeps.table import SweepTable

LINES = 12  # curves of a second axis that can still be told apart


def plot(table: SweepTable, x: str | None, y: str | None, color: str | None, *, path=None) -> Figure:
    """See `SweepTable.plot`."""
    package("matplotlib", "plotting", "'locomote[view]'")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 4.6), layout="constrained")
    axes = figure.add_subplot()
    if x is None:
        parallel(table, axes)
    elif y is None:
        raise SweepError(f"plot of {x!r}: over what? give a measure too, such as table.plot({x!r}, {first_measure(table)!r})")
    elif color is None:
        curves(table, x, y, axes)
    else:
        colored(table, x, y, color, axes)
    return written(figure, path)


def first_measure(table: SweepTable) -> str:
    return next(iter(table.measures), "wall")


def numbers(table: SweepTable, name: str) -> np.ndarray:
    """A column as numbers; words by the order in which they appear."""
    values = table[name]
    if values.dtype.kind in "fiub":
        return values.astype(float)
    return np.unique(values.astype(str), return_inverse=True)[1].astype(float)


def curves(table: SweepTable, x: str, y: str, axes: Axes) -> None:
    """y over x: a curve for each combination of the other axes of a grid, if they are few; else points."""
    across, up = numbers(table, x), numbers(table, y)
    others = [name for name in table.axes if name not in (x, y)]
    groups = np.unique(np.stack([numbers(table, name) for name in others]), axis=1, return_inverse=True) if others else None
    if x not in table.axes or (groups is not None and groups[0].shape[1] > LINES):
        axes.plot(across, up, ".", markersize=4)
    else:
        member = np.zeros(len(table), int) if groups is None else np.ravel(groups[1])
        for k in np.unique(member):
            rows = np.flatnonzero(member == k)
            rows = rows[np.argsort(across[rows], kind="stable")]
            label = ", ".join(f"{name} {shown(table[name][rows[0]])}" for name in others)
            axes.plot(across[rows], up[rows], ".-", label=label or None)
        if others:
            axes.legend(fontsize="small")
    axes.set(xlabel=x, ylabel=y)
    axes.grid(alpha=0.3)


def colored(table: SweepTable, x: str, y: str, color: str, axes: Axes) -> None:
    """A heat map over a grid of two axes; else points in colours. What failed stays white."""
    across, up, value = (numbers(table, name) for name in (x, y, color))
    if list(table.points.grid) in ([x, y], [y, x]):
        levels = [np.unique(across), np.unique(up)]
        shade = np.full([len(level) for level in levels], np.nan)
        shade[np.searchsorted(levels[0], across), np.searchsorted(levels[1], up)] = value
        drawn = axes.pcolormesh(levels[0], levels[1], shade.T, shading="nearest")
    else:
        drawn = axes.scatter(across, up, c=value, s=14)
    axes.figure.colorbar(drawn, ax=axes, label=color)
    axes.set(xlabel=x, ylabel=y)


def parallel(table: SweepTable, axes: Axes) -> None:
    """Every axis and measure as a vertical line, every point as a path across them; coloured by the last measure."""
    names = [*table.axes, *table.measures]
    columns = np.stack([numbers(table, name) for name in names])
    good = np.isfinite(columns).all(axis=0)
    if not good.any():
        raise SweepError("no point has numbers to draw; table['error'] says why")
    low, high = columns[:, good].min(axis=1), columns[:, good].max(axis=1)
    scaled = (columns[:, good] - low[:, None]) / np.where(high > low, high - low, 1.0)[:, None]
    from matplotlib import colormaps

    shades = colormaps["viridis"](scaled[-1])
    for k in range(scaled.shape[1]):
        axes.plot(range(len(names)), scaled[:, k], color=shades[k], alpha=0.5, linewidth=0.8)
    labels = [f"{name}\n{a:.3g} to {b:.3g}" for name, a, b in zip(names, low, high, strict=True)]
    axes.set(yticks=[], xlim=(0, max(1, len(names) - 1)))
    axes.set_xticks(range(len(names)), labels, fontsize="small")
    axes.grid(axis="x")


def shown(value) -> str:
    return f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)
