"""Pictures of a run: net path, shape, forces, reactions, energies and audit on one page, or chosen channels over time.

matplotlib is used through its objects alone: no window opens and no global of it changes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from locomote.model.base import moving_root
from locomote.runs.files.files import whole_file
from locomote.runs.netmotion import NetMotion
from locomote.runs.optional import package
from locomote.runs.thinning import extremes, misses, parts_of, thinned, thinning
from locomote.runs.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6a3d9a", "#7f7f7f")  # for color-blind eyes too
LINES = len(COLORS)  # in one panel; more columns become a picture of colored rows
ROWS = 24  # most rows of such a picture that still get their names
DASHES = ("-", "--", ":", "-.")
NET_PATH = "net path"
ARROWS = 14
EVENTS = 30
ROUND = 4 * math.pi  # rad, an angle that goes further goes round, and is drawn apart from those that do not
USUAL, PEAK = 98, 4.0  # per cent of all values; how much more than they all may span before the rest leaves the scale
LEVEL = 0.2  # level part of a unit vector that still has a direction
ZERO = 1e-17  # the lowest place on a logarithmic scale
LETTERS = 100  # most letters of a legend in one line
INK, PALE = "#333333", "#dddddd"
HEADING: dict[str, Any] = {"loc": "left", "fontsize": 10, "color": INK, "fontweight": "bold"}
SUFFIXES = (".png", ".pdf", ".svg", ".jpg", ".jpeg", ".eps")

Panel = tuple[str, "Callable[[Axes], None]"]


def plot(run: Trajectory, channels: str | Sequence[str] | None = None, *, path=None, ax=None, label=None) -> Figure:
    """The figure of a run; see Trajectory.plot."""
    package("matplotlib", "plotting", "'locomote[view]'")
    if not len(run):
        raise ValueError(f"the run of {run.model.name!r} has no samples to plot")
    if ax is not None:
        if channels is None:
            raise ValueError("ax takes one channel, or some of one unit, as in plot('rotor.angle', ax=ax); not the whole page")
        ((_, names),) = panels_of(run, channels, one=True)
        add_lines(run, names, ax, label)
        return written(ax.figure, path)
    if channels is None:
        panels = overview(run)
    else:
        panels = [(title, partial(draw_channels, run, names)) for title, names in panels_of(run, channels)]
        if run.net_motion is not None:
            net = partial(draw_path, run.net_motion)
            panels = [(title, draw if title != NET_PATH else net) for title, draw in panels]
    figure = page(panels, title_of(run))
    for axes in figure.axes:
        if axes.get_xlabel() == "t, s":
            mark_events(run, axes)
    return written(figure, path)


def written(figure: Figure, path) -> Figure:
    """The figure, after it was written to a file if there is a path."""
    if path is not None:
        with whole_file(path) as stream:
            figure.savefig(stream, format=Path(path).suffix.removeprefix(".").lower() or "png", dpi=150)
    return figure


def page(panels: list[Panel], title: str) -> Figure:
    """Panels in two columns (one if there are at most two)."""
    from locomote.runs.picture import Picture

    across = 2 if len(panels) > 2 else 1
    down = math.ceil(len(panels) / across)
    figure = Picture(figsize=(6.8 * across if across > 1 else 9.0, 3.3 * down + 0.5), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.1)  # type: ignore[union-attr]
    figure.suptitle(title, fontsize=12, color=INK, x=0.012, ha="left")
    for n, (name, draw) in enumerate(panels):
        axes = figure.add_subplot(down, across, n + 1)
        axes.set_title(name, **HEADING)
        dress(axes)
        draw(axes)
    return figure


def overview(run: Trajectory) -> list[Panel]:
    """The panels of a whole run, without those that have nothing to show."""
    base = moving_root(run.model)
    names = {
        array: [name for name, column in run._columns.items() if column.array == array] for array in ("q", "tau", "reactions")
    }
    of_base = {joint.name for joint in base.joints} if base else set()
    shape = [name for name in names["q"] if name.rsplit(".", 1)[0] not in of_base]
    forces = [name for name in names["tau"] if np.any(run[name])]
    panels: list[Panel] = []
    if run.net_motion is not None:
        net = run.net_motion
        panels.append(
            ("net path from above", lambda axes: draw_path(net, axes)) if net.is_flat else ("net motion", over_time(net))
        )
    round_and_round = [name for name in shape if run.unit(name) == "rad" and np.ptp(np.nan_to_num(run[name])) > ROUND]
    if len(round_and_round) == len(shape):
        round_and_round = []
    still = [name for name in shape if name not in round_and_round]
    if still:
        panels.append(("shape", lambda axes: draw_channels(run, still, axes)))
    if round_and_round:
        panels.append(("angles that go round", lambda axes: draw_channels(run, round_and_round, axes)))
    if forces:
        panels.append(("joint forces", lambda axes: draw_channels(run, forces, axes)))
    if names["reactions"]:
        panels.append(("reactions of the constraints", lambda axes: draw_channels(run, names["reactions"], axes)))
    panels.append(("energy and work", lambda axes: draw_energies(run, axes)))
    panels.append((f"audit {'passed' if run.audit.ok else 'FAILED'}", lambda axes: draw_audit(run, axes)))
    return panels


def panels_of(run: Trajectory, channels: str | Sequence[str], *, one: bool = False) -> list[tuple[str, list[str]]]:
    """Title and channels of the panels: one for each unit among the channels, and one for the net path.

    one : refuse more than one panel
    """
    names = [channels] if isinstance(channels, str) else list(channels)
    if wrong := [name for name in names if not isinstance(name, str)]:
        raise TypeError(f"channels are names, such as {next(iter(run._columns))!r}, not {wrong[0]!r:.60}")
    if len(names) == 1 and str(names[0]).lower().endswith(SUFFIXES) and names[0] not in run._columns:
        raise ValueError(f"{names[0]!r} looks like a file: say plot(path={names[0]!r})")
    if NET_PATH in names and run.net_motion is None:
        raise ValueError(f"the base of {run.model.name!r} is fixed: it has no net path")
    units: dict[str, list[str]] = {}
    for name in names:
        units.setdefault(NET_PATH if name == NET_PATH else run.unit(name), []).append(name)
    if not units:
        raise ValueError("plot needs at least one channel; run.channels lists them")
    if one and len(units) > 1:
        raise ValueError(f"channels of one panel must have one unit, these have {', '.join(units)}")
    return [(NET_PATH if unit == NET_PATH else "", some) for unit, some in units.items()]


def add_lines(run: Trajectory, names: Sequence[str], axes: Axes, label: str | None = None, *, style: int | None = None) -> None:
    """Lines of a run beside those that are in a panel already, told apart by color, and by dashes if `style` is given.

    label : in the legend; the name of the channel if None; put before it if it ends in a colon and a space
    """
    across, up = ("x, m", "y, m") if names[0] == NET_PATH else ("t, s", run.unit(names[0]))
    if axes.lines and (axes.get_xlabel(), axes.get_ylabel()) != (across, up):
        raise ValueError(f"these axes show {axes.get_ylabel()} over {axes.get_xlabel()}, not {up} over {across}")
    for name in names:
        text = label if label and not label.endswith(": ") else f"{label or ''}{name}"
        count = len(axes.lines)
        dashes = DASHES[(count // LINES if style is None else style) % len(DASHES)]
        net = run.net_motion
        x, y = (net.x, net.y) if name == NET_PATH and net is not None else (run.t, run[name])
        axes.plot(*thinned(x, y), dashes, color=COLORS[count % LINES], linewidth=1.6, label=text)
    axes.set(xlabel=across, ylabel=up)
    if names[0] == NET_PATH:
        axes.set(aspect="equal", adjustable="datalim")
    legend(axes, axes.get_lines())


# panels


def draw_path(net: NetMotion, axes: Axes) -> None:
    """x and y of the base, with arrows along its own x axis if that lies level enough to point somewhere."""
    axes.plot(*thinned(net.x, net.y), color=COLORS[0], linewidth=1.6, zorder=2)
    way = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(net.x), np.diff(net.y)))])
    rows = np.unique(np.searchsorted(way, np.linspace(0.0, way[-1], ARROWS)).clip(0, len(way) - 1))
    ahead = net.poses[:, :2, 0]
    points = bool(np.median(np.hypot(*ahead.T)) > LEVEL)
    if points:
        length = max(np.ptp(net.x), np.ptp(net.y)) / 18
        axes.quiver(
            net.x[rows], net.y[rows], *(length * ahead[rows].T),
            angles="xy", scale_units="xy", scale=1.0, color=COLORS[1], width=0.005, headwidth=4.0, zorder=3,
        )  # fmt: skip
    ends = axes.plot(net.x[0], net.y[0], "o", color="white", markeredgecolor=INK, markersize=7, zorder=4, label="start")
    ends += axes.plot(net.x[-1], net.y[-1], "o", color=INK, markersize=7, zorder=4, label="end")
    if points:
        ends += axes.plot([], [], linestyle="", marker=r"$\rightarrow$", markersize=12, color=COLORS[1], label="heading")
    axes.set(xlabel="x, m", ylabel="y, m", aspect="equal", adjustable="datalim")
    axes.margins(0.08)
    legend(axes, ends)


def over_time(net: NetMotion) -> Callable[[Axes], None]:
    """Position since the start at the left, orientation at the right."""

    def draw(axes: Axes) -> None:
        shifts = [(axis, x - x[0]) for axis, x in zip("xyz", net.position.T, strict=True)]
        turns = [(name, np.degrees(x - x[0])) for name, x in (("yaw", net.yaw), ("pitch", net.pitch), ("roll", net.roll))]
        both = [[(name, x) for name, x in some if np.ptp(np.nan_to_num(x)) > 1e-9] for some in (shifts, turns)]
        if not any(both):
            axes.text(0.5, 0.5, "the base did not move", transform=axes.transAxes, ha="center", color=INK)
        draw_sides(net.t, both, ["position since start, m", "turned since start, deg"], axes)

    return draw


def draw_channels(run: Trajectory, names: Sequence[str], axes: Axes) -> None:
    """Lines if they are few, rows of color if they are many of one unit, else the lines that vary most."""
    units = list(dict.fromkeys(run.unit(name) for name in names))
    if len(names) > LINES and len(units) == 1:
        draw_rows(run, names, units[0], axes)
        return
    extent = {name: np.ptp(np.nan_to_num(run[name])) for name in names}
    chosen = set(sorted(names, key=lambda name: -extent[name])[:LINES])
    groups = [[(name, run[name]) for name in names if name in chosen and run.unit(name) == unit] for unit in units]
    left = len(names) - len(chosen)
    note = f"and {left} more that vary less" if left else None
    if len(units) == 2:
        draw_sides(run.t, groups, units, axes, note)
    else:
        draw_sides(run.t, [sum(groups, [])], [" or ".join(units)], axes, note)


def draw_sides(t: np.ndarray, groups: list, units: list[str], axes: Axes, note: str | None = None) -> None:
    """Lines over time: the first group on the scale at the left, the second, broken, on one at the right."""
    lines, filled = [], [(group, unit) for group, unit in zip(groups, units, strict=True) if group]
    for n, (group, unit) in enumerate(filled):
        side = axes if n == 0 else axes.twinx()
        if n:
            dress(side)
            side.grid(False)
        side.set_ylabel(unit)
        drawn: list[np.ndarray] = []
        for name, values in group:
            color = COLORS[len(lines) % LINES]
            covers = any(np.allclose(values, other, equal_nan=True) for other in drawn)  # then let the other show between dots
            style = ":" if covers else "--" if n else "-"
            lines += side.plot(*thinned(t, values), style, color=color, linewidth=2.4 if covers else 1.6, label=name)
            drawn.append(values)
        low, high, peaks = scale_of([values for _, values in group])
        if peaks:
            side.set_ylim(low - 0.1 * (high - low), high + 0.1 * (high - low))
            note = "; ".join(filter(None, [note, f"peaks: {peaks} {unit}"]))
    axes.set_xlabel("t, s")
    legend(axes, lines, note)


def scale_of(columns: Sequence[np.ndarray]) -> tuple[float, float, str]:
    """Lowest and highest value of all columns; of their usual values if a few peaks would make these invisible, and the peaks
    in words."""
    part = (100 - USUAL) / 2
    values = [column[np.isfinite(column)] for column in columns if np.isfinite(column).any()]
    if not values:
        return 0.0, 0.0, ""
    lowest, highest = min(x.min() for x in values), max(x.max() for x in values)
    low, high = min(np.percentile(x, part) for x in values), max(np.percentile(x, 100 - part) for x in values)
    if not highest - lowest > PEAK * (high - low) > 0:
        return float(lowest), float(highest), ""
    beyond = [f"{x:.3g}" for x, out in ((lowest, low - lowest), (highest, highest - high)) if out > 0.1 * (high - low)]
    return float(low), float(high), ", ".join(beyond)


def draw_rows(run: Trajectory, names: Sequence[str], unit: str, axes: Axes) -> None:
    """One row of color a channel."""
    starts = parts_of(len(run))
    values = np.array([extremes(run[name], starts) for name in names])
    low, high, peaks = scale_of(list(values))
    options: dict[str, Any] = {"cmap": "viridis", "vmin": low, "vmax": high}
    if low < 0 < high:
        options = {"cmap": "RdBu_r", "vmin": -max(-low, high), "vmax": max(-low, high)}
    places = np.arange(len(names))
    colors = axes.pcolormesh(run.t[starts], places, values, shading="nearest", rasterized=True, **options)
    bar = axes.figure.colorbar(colors, ax=axes, pad=0.02)
    bar.set_label(f"{unit}, peaks: {peaks}" if peaks else unit, fontsize=9, color=INK)
    bar.outline.set_visible(False)  # type: ignore[operator]
    bar.ax.tick_params(labelsize=8, colors=INK)
    step = max(1, math.ceil(len(names) / ROWS))
    axes.set_yticks(places[::step], [str(names[k]) for k in places[::step]], fontsize=8 if len(names) <= ROWS / 2 else 6)
    axes.set(xlabel="t, s", ylim=(len(names) - 0.5, -0.5))
    axes.grid(False)


def draw_energies(run: Trajectory, axes: Axes) -> None:
    """Energies as lines (potential and total since the start), work by source as broken lines."""
    parts = [("kinetic", run.kinetic, 0), ("potential", run.potential - run.potential[0], 1)]
    parts += [("elastic", run.elastic, 2), ("total", run.total - run.total[0], None)]
    for name, values, color in parts:
        if np.any(values) or name in ("kinetic", "total"):
            label = f"{name}, since start" if name in ("potential", "total") else name
            ink = INK if color is None else COLORS[color]
            axes.plot(*thinned(run.t, values), color=ink, linewidth=1.8 if color is not None else 1.2, label=label)
    sources = [(name, values - values[0]) for name, values in run.work.items() if np.any(values != values[0])]
    for (name, values), color in zip(sources, COLORS[3:] + COLORS[:3], strict=False):
        axes.plot(*thinned(run.t, values), "--", color=color, linewidth=1.4, label=f"work of {name}")
    axes.set(xlabel="t, s", ylabel="J")
    legend(axes, axes.get_lines())


def draw_audit(run: Trajectory, axes: Axes) -> None:
    """What should be zero, on a logarithmic scale."""
    lines = [("power balance, relative", run.audit.relative)]
    if run.constraint_labels:
        lines += [("constraint velocity, m/s or rad/s", run.residual), ("constraint position, m or rad", run.position_residual)]
    axes.set_yscale("log")
    for (name, values), color in zip(lines, COLORS, strict=False):
        label = name if np.any(values) else f"{name}: exactly zero"
        axes.plot(*thinned(run.t, np.maximum(np.abs(values), ZERO)), color=color, linewidth=1.4, label=label)
    highest = max((np.nanmax(np.abs(values), initial=0.0) for _, values in lines), default=0.0)
    axes.set_ylim(ZERO, max(1e-5, 10 * highest if np.isfinite(highest) else 1.0))
    axes.set_xlim(run.t[0], max(run.t[-1], run.t[0] + 1e-9))
    axes.set(xlabel="t, s", ylabel="should be zero")
    legend(axes, axes.get_lines())


# looks


def title_of(run: Trajectory) -> str:
    """What ran, for how long, how far it came, and how it ended if not well."""
    parts, status = [f"{run.t[-1] - run.t[0]:.4g} s"], str(run.info.get("status", ""))
    if run.net_motion is not None:
        parts.append(f"net motion {run.net_motion.distance:.4g} m")
    if run.events:
        parts.append(f"{len(run.events)} event{'s' * (len(run.events) > 1)}{' (dotted)' if len(run.events) <= EVENTS else ''}")
    if status not in ("", "finished"):
        parts.append(status)
    parts += filter(None, [thinning(run), "samples too far apart to show the motion between them" if misses(run) else ""])
    name = run.model.name.replace("$", r"\$")  # else matplotlib takes it for a formula
    return f"{name}: {', '.join(parts)}"


def dress(axes: Axes) -> None:
    """Quiet frame, light grid, small labels."""
    axes.grid(True, color=PALE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.margins(x=0.01)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color("#999999")
    axes.tick_params(labelsize=8, labelcolor=INK, color="#999999", length=3)
    for axis in (axes.xaxis, axes.yaxis):
        axis.label.set_fontsize(9)
        axis.label.set_color(INK)


def legend(axes: Axes, lines: Sequence[Any], note: str | None = None) -> None:
    """A legend between the title and the panel, where it hides nothing, and a note in words at its end."""
    if note:
        lines = [*lines, *axes.plot([], [], linestyle="", label=note)]
    if not lines:
        return
    longest = max(len(str(line.get_label())) for line in lines)
    across = int(np.clip(LETTERS // (longest + 6), 1, len(lines)))
    axes.legend(
        handles=list(lines), loc="lower left", bbox_to_anchor=(-0.01, 1.0), ncols=across, borderaxespad=0.1, fontsize=8,
        frameon=False, labelcolor=INK, handlelength=1.6, columnspacing=1.4, labelspacing=0.3,
    )  # fmt: skip
    axes.set_title(axes.get_title(loc="left"), pad=8 + 12.5 * math.ceil(len(lines) / across), **HEADING)


def mark_events(run: Trajectory, axes: Axes) -> None:
    """Thin lines where something happened, unless that is everywhere."""
    if 0 < len(run.events) <= EVENTS:
        for event in run.events:
            axes.axvline(event.t, color="#999999", linewidth=0.8, linestyle=":", zorder=0)
