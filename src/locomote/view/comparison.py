"""Several runs in one report: what was different, what came of it, and their ways from above in one drawing."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from locomote.quantities import value_words
from locomote.runs.peaks import peaks
from locomote.runs.summary import number
from locomote.runs.trajectory import Trajectory
from locomote.view.colors import RUNS
from locomote.view.frames import net_path
from locomote.view.page_words import as_html, element
from locomote.view.small_drawings import frame, legend, line, placed

DIFFERENCES = 20  # numbers of problems that are listed
LONGEST = 40  # letters of a value in a table
ALIKE = 1e-9  # share of a number below which two are the same


def colors_of(runs: Mapping[str, Trajectory]) -> dict[str, str]:
    """A colour for each run."""
    if len(runs) > len(RUNS):
        most = f"it takes {len(RUNS)}; `locomote report FOLDER` takes any number"
        raise ValueError(f"{len(runs)} runs are too many for one report: {most}")
    return dict(zip(runs, RUNS, strict=False))


def comparison(runs: Mapping[str, Trajectory]) -> str:
    """The table of all runs; per cents are those by which a number differs from that of the first one."""
    colors = colors_of(runs)
    marks = {name: f'<b style="color: {color}">&#9632;</b> {as_html(name)}' for name, color in colors.items()}
    head = "".join(f"<th>{marks[name]}</th>" for name in runs)
    lines, results = "", [results_of(run) for run in runs.values()]
    for what in dict.fromkeys(name for found in results for name in found):
        own = [found.get(what) for found in results]
        lines += f"<tr>{element('th', what)}{''.join(element('td', said(x, own[0])) for x in own)}</tr>"
    rows, more = differences(runs)
    if rows:
        lines += f'<tr><th colspan="{len(runs) + 1}">what was given</th></tr>'
    for name, values in rows:
        lines += f"<tr>{element('th', name)}{''.join(element('td', x) for x in values)}</tr>"
    end = element("p", f"and {more} more numbers that differ") if more else ""
    return f'<div class="compared"><h2>Compared</h2><table><tr><th></th>{head}</tr>{lines}</table>{end}</div>'


def results_of(run: Trajectory) -> dict[str, tuple[float, str] | str]:
    """What came of a run: numbers with units, or words."""
    found: dict[str, tuple[float, str] | str] = {"length of the run": (float(run.t[-1] - run.t[0]), "s")}
    if (net := run.net_motion) is not None:
        found["net distance"], found["path"] = (float(net.distance), "m"), (float(net.length), "m")
    for array, what in (("tau", "largest joint force"), ("reactions", "largest reaction")):
        largest = {}
        for peak in peaks(run, array):
            largest[peak.unit] = max(largest.get(peak.unit, 0.0), abs(peak.value))
        found |= {f"{what}, {unit}": (value, unit) for unit, value in largest.items() if value > 0}
    found |= {f"work, {name}": (float(work[-1]), "J") for name, work in run.work.items() if len(work) and abs(work[-1]) > 0}
    if (fluid := run.energetics) is not None:
        numbers = {"speed in the end": (fluid.speed, "m/s"), "Strouhal number": (fluid.strouhal, ""),
                   "efficiency": (fluid.efficiency, ""), "lift over weight": (fluid.lift, "")}  # fmt: skip
        found |= {name: (float(x), unit) for name, (x, unit) in numbers.items() if x is not None and np.isfinite(x)}
    failed = [check.name for check in run.audit.failed]
    return found | {"audit": f"failed: {', '.join(failed)}" if failed else "passed"}


def said(value: tuple[float, str] | str | None, first: tuple[float, str] | str | None) -> str:
    """A result, with the per cents by which it differs from the first one."""
    if value is None or isinstance(value, str):
        return value or ""
    x, unit = value
    text = f"{number(x)} {unit}".rstrip()
    if first is None or isinstance(first, str) or not abs(first[0]) > 0 or abs(x - first[0]) <= ALIKE * abs(first[0]):
        return text
    return f"{text} ({100 * (x / first[0] - 1):+.3g} %)"


def differences(runs: Mapping[str, Trajectory]) -> tuple[list[tuple[str, list[str]]], int]:
    """Numbers that were given and are not the same in all runs, as words, and how many more there are."""
    given = [given_of(run) for run in runs.values()]
    rows = []
    for name in dict.fromkeys(name for one in given for name in one):
        own = [one.get(name, "") for one in given]
        if any(x != own[0] for x in own):
            rows.append((name, own))
    return rows[:DIFFERENCES], max(0, len(rows) - DIFFERENCES)


def given_of(run: Trajectory) -> dict[str, str]:
    """Parameters of the system of a run, or else the numbers of its problem, and what computed it, as words."""
    origin: Mapping[str, Any] = (run.problem.statement.origin if run.problem is not None else None) or {}
    found: dict[str, str] = {"system": str(origin.get("system", run.model.name))}
    if "system" in origin:
        from locomote.systems import catalogue

        units = {p.name: p.unit for p in catalogue.parameters(origin["system"])}
        found |= {name: f"{shortly(value)} {units.get(name, '')}".rstrip() for name, value in origin["parameters"].items()}
        found |= {name: shortly(value) for name, value in origin.get("changed", {}).items()}
    elif run.problem is not None:
        found |= {x.name: f"{value_words(x.value)} {x.unit}".rstrip() for x in run.problem.parameters.quantities()}
    return found | {name: shortly(run.info[name]) for name in ("method", "rtol", "atol") if run.info.get(name) is not None}


def shortly(value: Any) -> str:
    """A value that was given, in a few letters."""
    text = f"{value:.6g}" if isinstance(value, float) else value_words(value) if isinstance(value, np.ndarray) else str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."


def ways_from_above(runs: Mapping[str, Trajectory]) -> str:
    """The ways of all bases in one plane, a ring where each ends; nothing if none travels."""
    ways = {name: points for name, run in runs.items() if (points := net_path(run)[0]) is not None}
    if not ways or all(np.ptp(points[:, :2], axis=0).max() < 1e-9 for points in ways.values()):
        return ""
    colors, ends = colors_of(runs), np.cumsum([len(points) for points in ways.values()])
    together = np.concatenate(list(ways.values()))
    x, y, across, up = placed(together[:, 0], together[:, 1], equal=True)
    drawn = ""
    for name, a, b in zip(ways, [0, *ends[:-1]], ends, strict=True):
        drawn += line(x[a:b], y[a:b], colors[name])
        drawn += f'<circle cx="{x[b - 1]:.1f}" cy="{y[b - 1]:.1f}" r="4" fill="none" stroke="{colors[name]}" stroke-width="2"/>'
    names = legend(list(ways), [colors[name] for name in ways])
    return frame("paths from above", drawn + names, across, up, ("x, m", "y, m"))
