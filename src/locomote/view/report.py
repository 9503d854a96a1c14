"""The report of a run: one HTML file that opens anywhere, without a network."""

import importlib.metadata
import platform
import shlex
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from locomote import __version__
from locomote.gradients.sensitivity import SHOWN, Sensitivity
from locomote.quantities import value_words
from locomote.runs.asked import apart
from locomote.runs.bearing_loads import bearing_loads, loaded_bodies, unknown
from locomote.runs.compare import named_runs
from locomote.runs.files.files import whole_file
from locomote.runs.summary import number, parts
from locomote.runs.trajectory import Trajectory
from locomote.view.build import scene_of
from locomote.view.comparison import colors_of, comparison, ways_from_above
from locomote.view.curves import packed_curves, together
from locomote.view.first_sight import drawings, verdict
from locomote.view.frames import frames_of, shown
from locomote.view.pack import packed_scene
from locomote.view.page_words import as_html, as_script, element
from locomote.view.scene import Tube

BUDGET = 1_500_000  # bytes of poses
FRAMES = (60, 1200)  # least and most
MOST_NUMBERS = 400
SHORT = 24  # letters of a number with its unit that stay on a line
BEARINGS = 12  # joints in the table of loads
PACKAGES = ("numpy", "scipy", "numba", "h5py")


def report(run: Trajectory, path, *, tubes: tuple[Tube, ...] = (), sensitivity: bool = False, beside=None, runs=None) -> Path:
    """Write the report of a run; see Trajectory.report. runs : instead of beside, all of them by name, this one first."""
    path = Path(path)
    if path.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"{path}: a report is an .html file")
    runs = compared(run, beside) if runs is None else runs
    page = report_page(run, tubes=tubes, sensitivity=sensitivity, runs=runs)
    with whole_file(path) as stream:
        stream.write(page.encode())
    return path


def report_page(
    run: Trajectory, *, tubes: tuple[Tube, ...] = (), sensitivity: bool = False, runs: Mapping[str, Trajectory] | None = None
) -> str:
    """The text of the page; runs : all that are compared, by name, this one first."""
    changes = run.sensitivity() if sensitivity else None
    runs = runs or {"": run}
    colors = colors_of(runs)
    run = apart(run)
    if not unknown(run):
        _ = run.joint_wrenches  # among the curves from here on
    share = BUDGET // len(runs)
    run, data, missing = moving(run, tubes=tubes, budget=share)
    if len(runs) > 1:
        first, *rest = runs
        runs = {first: run} | {name: shown(runs[name]) for name in rest}
        data["curves"] = together(runs, colors)
        data["tints"] = list(colors.values())
        data["others"] = [moving(runs[name], budget=share, curves=False)[1]["scene"] for name in rest]
    folder = resources.files("locomote.view") / "pages"
    page = (folder / "report.html").read_text(encoding="utf-8")
    script = "\n".join((folder / name).read_text(encoding="utf-8") for name in ("scene.js", "curves.js", "report.js"))
    for word, value in {
        "TITLE": as_html(title(run)),
        "WORDS": words(run, missing, changes, runs),
        "SCRIPT": script,
        "DATA": as_script(data),
    }.items():
        page = page.replace(f"<!--{word}-->", value, 1)
    return page


def compared(run: Trajectory, beside) -> dict[str, Trajectory]:
    """All runs of the page with names, the run itself first."""
    if beside is None:
        return {"": run}
    if isinstance(beside, Trajectory):
        beside = [beside]
    if isinstance(beside, Mapping):
        if "this run" in beside:
            raise ValueError("'this run' is the name of the run whose report it is; choose another one for what is beside it")
        runs = named_runs({"this run": run, **beside})
    else:
        runs = named_runs([run, *beside])
    return runs


def moving(
    run: Trajectory, *, tubes: tuple[Tube, ...] = (), budget: int = BUDGET, curves: bool = True
) -> tuple[Trajectory, dict[str, Any], tuple[str, ...]]:
    """The run as it is shown, its scene over time and its curves as data for a page, and what could not be drawn."""
    run = shown(run)
    scene = scene_of(run.model, run.problem, run.q, tubes=tubes)
    most = budget // (20 * max(1, len(scene.bodies)) + sum(24 * np.shape(tube.radius)[0] for tube in scene.tubes))
    count = int(np.clip(most, *FRAMES)) if run.t[-1] > run.t[0] else 1
    frames = frames_of(scene, run, np.linspace(run.t[0], run.t[-1], count), forces=True)
    drawn = {"scene": packed_scene(scene, frames)}
    return run, drawn | {"curves": packed_curves(run)[0]} if curves else drawn, scene.missing


def title(run: Trajectory) -> str:
    """What ran."""
    return run.problem.name if run.problem is not None else run.model.name


def words(run: Trajectory, missing: tuple[str, ...], changes: Sensitivity | None, runs: Mapping[str, Trajectory]) -> str:
    """What was simulated, in words and tables; runs : all that are compared."""
    several = len(runs) > 1
    blocks = [element("h1", title(run))]
    origin = (run.problem.statement.origin if run.problem is not None else None) or {}
    if "system" in origin:
        from locomote.systems import catalogue

        blocks.append(element("p", catalogue.title(origin["system"])))
    blocks.append(f'<div id="verdict">{element("p", verdict(run))}</div>')
    blocks.append(drawings(run, ways_from_above(runs) if several else None))
    if several:
        blocks.append(comparison(runs))
    rows = [(word, said) for word, said in classified(run) if said]
    blocks.append(table(rows))
    left = [
        section("Parameters", parameters(origin)),
        section("All numbers", numbers(run)),
        section("Bearing loads", bearings(run)),
        section("Sensitivity", bars(changes) if changes is not None else ""),
        section("Audit", audit(run)),
        section("How to repeat it", repeat(run, origin)),
    ]
    if missing:
        left.append(section("Not drawn", "".join(element("p", line) for line in missing[:20])))
    return "\n".join(blocks) + "\n".join(filter(None, left))


def classified(run: Trajectory) -> list[tuple[str, str]]:
    """The rows of the summary, with the classification even if the run does not have it."""
    rows = dict(parts(run))
    if not rows.get("classification") and run.problem is not None:
        rows["classification"] = str(run.problem.classify(float(run.t[0]), run.q[0]))
    events = "\n".join(str(event) for event in run.events[:12])
    return [*rows.items(), ("events", events)]


def table(rows) -> str:
    """Two columns."""
    lines = "".join(f"<tr>{element('th', word)}{element('td', said)}</tr>" for word, said in rows)
    return f"<table>{lines}</table>"


def section(heading: str, body: str) -> str:
    """A part of the page; empty if there is nothing in it."""
    return f"<section>{element('h2', heading)}{body}</section>" if body else ""


def parameters(origin: Mapping[str, Any]) -> str:
    """The parameters of a system of the catalogue with their units."""
    if "system" not in origin:
        return ""
    from locomote.systems import catalogue

    known = {p.name: p for p in catalogue.parameters(origin["system"])}
    lines = ""
    for name, value in origin["parameters"].items():
        unit, meaning = (known[name].unit, known[name].meaning) if name in known else ("", "")
        text = f"{value:.6g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
        unit = "" if unit == "1" else unit
        lines += f"<tr>{element('th', name)}{element('td', together_on_a_line(f'{text} {unit}'))}{element('td', meaning)}</tr>"
    return f"<table>{lines}</table>"


def together_on_a_line(text: str) -> str:
    """A short text with spaces at which no line ends."""
    return text.rstrip().replace(" ", "\u00a0") if len(text) < SHORT else text


def numbers(run: Trajectory) -> str:
    """Every number of the problem by name, with its unit, folded away."""
    if run.problem is None:
        return ""
    named = run.problem.parameters.quantities()
    rows = [(x.name, f"{value_words(x.value)} {x.unit}, {x.origin}") for x in named[:MOST_NUMBERS]]
    more = len(named) - len(rows)
    end = element("p", f"and {more} more: print(run.problem.parameters)") if more else ""
    return f"<details>{element('summary', f'{len(named)} numbers')}{table(rows)}{end}</details>"


def bars(changes: Sensitivity) -> str:
    """Percent per percent of the parameters that matter most, in words and as bars."""
    most = max(float(abs(changes.percent).max(initial=0.0)), 1e-9)
    rows = []
    for name, row in zip(changes.parameters[:SHOWN], changes.percent, strict=False):
        cells = "".join(
            f"<td><svg width='90' height='12'><rect x='{45 - 44 * max(-x, 0) / most:.1f}' y='1' "
            f"width='{44 * abs(x) / most:.1f}' height='10' fill='{'#d55e00' if x < 0 else '#0072b2'}'/></svg> {x:+.2f}</td>"
            for x in row.tolist()
        )
        rows.append(f"<tr>{element('th', name)}{cells}</tr>")
    head = "".join(element("th", word) for word in changes.head)
    said = "".join(element("p", line) for line in changes.words(3))
    return f"{said}<table><tr>{head}</tr>{''.join(rows)}</table>"


def bearings(run: Trajectory) -> str:
    """The largest force and moment of each joint, with their times."""
    if run.problem is None or not loaded_bodies(run.model):
        return ""
    if reason := unknown(run):
        return element("p", f"Not computed: {reason}.")
    loads = bearing_loads(run)
    head = "".join(element("th", word) for word in ("joint of", "force, N", "at, s", "moment, N m", "at, s"))
    lines = ""
    for load in loads[:BEARINGS]:
        lines += f"<tr>{element('th', load.body)}{''.join(element('td', number(x, load.force)) for x in load[1:])}</tr>"
    left = len(loads) - BEARINGS
    more = f" Of {len(loads)} joints, those with the largest forces." if left > 0 else ""
    what = "Largest force and moment that bodies get from their joints, about the origins of the bodies, drives included."
    return element("p", what + more) + f"<table><tr>{head}</tr>{lines}</table>"


def audit(run: Trajectory) -> str:
    """The checks of the run."""
    rows = [(c.name, f"{c.value:.3g}, allowed {c.allowed:.1e}: {'passed' if c.passed else 'FAILED'}") for c in run.audit.checks]
    return element("p", run.audit.headline) + table(rows)


def repeat(run: Trajectory, origin: Mapping[str, Any]) -> str:
    """The command, or the call, and versions."""
    info, blocks = run.info, []
    if "system" in origin:
        from locomote.systems import catalogue

        defaults = {p.name: p.default for p in catalogue.parameters(origin["system"])}
        command = ["locomote", "run", origin["system"], "--duration", f"{run.t[-1] - run.t[0]:.12g}"]
        for name, value in origin["parameters"].items():
            if name in defaults and not np.array_equal(value, defaults[name]):
                said = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
                command += ["--set", f"{name}={said}"]
        for name, value in origin.get("changed", {}).items():
            if np.ndim(value) <= 1:
                command += ["--set", f"{name}={','.join(f'{x:.12g}' for x in np.atleast_1d(value))}"]
        for name in ("method", "rtol", "atol"):
            if info.get(name) is not None:
                command += [f"--{name}", f"{info[name]:.6g}" if isinstance(info[name], float) else str(info[name])]
        blocks.append(element("pre", shlex.join(command)))
    else:
        blocks.append(element("pre", 'run = lo.open_run("run.h5"); run.problem.simulate(...)'))
    versions = [f"locomote {__version__}", f"Python {platform.python_version()}"]
    versions += [f"{name} {importlib.metadata.version(name)}" for name in PACKAGES]
    date = str(info.get("date", ""))
    blocks.append(element("p", ", ".join(versions) + (f"; computed {date}" if date else "")))
    return "".join(blocks)
