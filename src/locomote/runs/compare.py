"""Several runs in one picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from locomote.runs.optional import package
from locomote.runs.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def compare(runs: Sequence[Trajectory] | Mapping[str, Trajectory], channels: str | Sequence[str], *, path=None) -> Figure:
    """A matplotlib Figure with the same channels of several runs, a panel for each unit.

    runs : a list, or a table from what the legend calls them to runs
    channels : names, one or several, that all runs have ; "net path" is the path of the base seen from above
    path : where to write it too (.png, .pdf, .svg)
    """
    package("matplotlib", "plotting", "'locomote[view]'")
    from locomote.runs.plots import add_lines, page, panels_of, thinning, written

    named = named_runs(runs)
    first = next(iter(named.values()))
    panels = []
    for title, names in panels_of(first, channels):
        for run in named.values():
            panels_of(run, names)  # a channel that a run does not have is named here

        def draw(axes, names=names) -> None:
            for n, (label, run) in enumerate(named.items()):
                add_lines(run, names, axes, label if len(names) == 1 else f"{label}: ", style=n)

        panels.append((title, draw))
    notes = {thinning(run) for run in named.values()} - {""}
    return written(page(panels, "; ".join([f"{len(named)} runs", *sorted(notes)])), path)


def named_runs(runs) -> dict[str, Trajectory]:
    """Runs with names for a legend: given ones, those of their models if these differ, else numbers."""
    if not isinstance(runs, Mapping):
        if isinstance(runs, Trajectory):
            raise TypeError("compare takes a list of runs, as in lo.compare([run1, run2], ...); one alone has run.plot(...)")
        runs = list(runs)
        names = [run.model.name if isinstance(run, Trajectory) else "" for run in runs]
        if len(set(names)) < len(names):
            names = [f"{name}, run {k + 1}" for k, name in enumerate(names)]
        runs = dict(zip(names, runs, strict=True))
    for name, run in runs.items():
        if not isinstance(run, Trajectory):
            raise TypeError(f"compare takes runs, not {run!r:.60}")
        if not len(run):
            raise ValueError(f"{name!r} has no samples to plot")
    if not runs:
        raise ValueError("compare needs at least one run")
    return {str(name): run for name, run in runs.items()}
