"""Pictures of connections and gaits, as users of sysplotter know them: arrows of the connection, its curvature as heights with
zero contours, gaits over both; net motions from all starting points; families."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from locomote.errors import UnknownName
from locomote.gaits.gait import Gait
from locomote.runs.optional import package

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from locomote.gaits.fields import ConnectionField

HEIGHTS = ("curvature", "exterior", "bracket")
ARROWS = 15  # along a side
USUAL = 98  # per cent of all heights that the colours span
ROUNDING = 1e-9  # share of the largest part of a connection below which others are zero
POINTS = 400  # of a gait


def plot_field(field: ConnectionField, gait: Any, what: str, path) -> Figure:
    """The figure of a field; see ConnectionField.plot."""
    package("matplotlib", "plotting", "'locomote[view]'")
    if what not in HEIGHTS:
        raise UnknownName("height", what, HEIGHTS, "plots of connection fields")
    from locomote.runs.picture import Picture
    from locomote.runs.plots import HEADING, INK, dress, written

    gaits, count = gaits_over(field, gait), len(field.base)
    figure = Picture(figsize=(4.4 * count + 0.4, 7.8), layout="constrained")
    frame = " in its best frame" if field.frame is not None else ""
    words = f"{field.name}: {field.kind} connection{frame}, and its {what}"
    figure.suptitle(f"{words}\n{field.missing}" if field.missing else words, fontsize=11, color=INK, x=0.012, ha="left")
    for k, name in enumerate(field.base):
        for row, draw in enumerate((draw_arrows, draw_heights)):
            axes = figure.add_subplot(2, count, row * count + k + 1)
            dress(axes)
            axes.grid(False)
            axes.set_title(f"{name}: {('connection, arrows -A', what)[row]}", **HEADING)
            draw(field, k, what, figure, axes)
            for curve in gaits:
                draw_gait(curve, axes)
            axes.set(xlabel=f"{field.names[0]}, {field.units[0]}", ylabel=f"{field.names[1]}, {field.units[1]}")
            axes.set(xlim=(field.x[0], field.x[-1]), ylim=(field.y[0], field.y[-1]))
    return written(figure, path)


def gaits_over(field: ConnectionField, given: Any) -> list[np.ndarray]:
    """Curves (P, 2) of gaits over the two coordinates of a field."""
    if given is None:
        return []
    found = []
    for gait in given if isinstance(given, Sequence) and not isinstance(given, str) else [given]:
        gait = getattr(gait, "gait", gait)  # also what `optimize` gives
        if not isinstance(gait, Gait):
            raise TypeError(f"gait is {gait!r:.60}, expected a lo.gaits.Gait, or several")
        if lost := [name for name in field.names if name not in gait.names]:
            raise ValueError(f"the gait goes over {', '.join(gait.names)}, and has no {lost[0]!r} to be drawn over this field")
        x = gait.shapes(np.linspace(0.0, gait.period, POINTS))[0]
        found.append(x[:, [gait.names.index(name) for name in field.names]])
    return found


def draw_arrows(field: ConnectionField, k: int, what: str, figure, axes) -> None:
    """The change of shape that moves the base fastest, as arrows."""
    from locomote.runs.plots import INK

    step = max(1, len(field.x) // ARROWS), max(1, len(field.y) // ARROWS)
    part = (slice(step[0] // 2, None, step[0]), slice(step[1] // 2, None, step[1]))
    arrows = -field.A[(*part, k)]
    size = np.linalg.norm(arrows, axis=-1, keepdims=True)
    finite = size[np.isfinite(size)]
    top = float(np.percentile(finite, USUAL)) if len(finite) else 1.0
    if top <= ROUNDING * float(np.max(abs(field.A), initial=0.0, where=np.isfinite(field.A))):
        axes.set(xlim=(field.x[0], field.x[-1]), ylim=(field.y[0], field.y[-1]))
        axes.text(0.5, 0.5, "zero", transform=axes.transAxes, ha="center", color=INK)
        return
    arrows = np.where(size > top, arrows / np.maximum(size, 1e-300) * top, arrows)  # near singular shapes the longest are cut
    axes.quiver(field.x[part[0]], field.y[part[1]], arrows[..., 0].T, arrows[..., 1].T, color=INK, width=0.004)


def draw_heights(field: ConnectionField, k: int, what: str, figure, axes) -> None:
    """Heights as colours, with their zero contours."""
    from locomote.runs.plots import INK

    heights = np.array(getattr(field, what)[..., k])
    finite = heights[np.isfinite(heights)]
    if not len(finite):
        return
    top = float(np.percentile(abs(finite), USUAL)) or 1.0
    colors = axes.pcolormesh(field.x, field.y, heights.T, cmap="RdBu_r", vmin=-top, vmax=top, shading="nearest")
    if finite.min() < -1e-9 * top and finite.max() > 1e-9 * top and top > 1e-12:
        axes.contour(field.x, field.y, heights.T, levels=[0.0], colors=[INK], linewidths=0.8)
    bar = figure.colorbar(colors, ax=axes, pad=0.02)
    bar.ax.tick_params(labelsize=8, colors=INK)


def draw_gait(curve: np.ndarray, axes) -> None:
    """A closed curve with its start and the way it is gone through."""
    from locomote.runs.plots import COLORS

    axes.plot(*curve.T, color=COLORS[2], linewidth=2.0)
    axes.plot(*curve[0], "o", color=COLORS[2], markersize=5)
    for part in (0.12, 0.62):
        n = int(part * len(curve))
        axes.annotate(
            "", xy=curve[n + 4], xytext=curve[n], arrowprops={"arrowstyle": "-|>", "color": COLORS[2], "linewidth": 2.0}
        )
