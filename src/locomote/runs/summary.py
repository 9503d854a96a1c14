"""A run in a few lines of plain text."""

import numpy as np

from locomote.methods.registry import method_of
from locomote.runs.changes import words_of
from locomote.runs.limits import reached
from locomote.runs.netmotion import is_way, size_of
from locomote.runs.peaks import peaks
from locomote.runs.rod_accuracy import accuracy_in_words
from locomote.runs.trajectory import Trajectory
from locomote.tables import table

WIDTH = 18  # columns of the words at the left
SHOWN = 4  # forces, reactions and events that are listed before "and n more"
REMAINDER = 1e-8  # share of a size that is as good as zero
LEVEL = 0.5  # part of a net motion that must be level to be a way along the ground


def summary(run: Trajectory) -> str:
    """What ran, where it went, what it cost, and whether to believe it."""
    return "\n".join(
        f"{word if not n else '':<{WIDTH}}{line}".rstrip()
        for word, text in (*parts(run), ("audit", str(run.audit)), *ending(run))
        if text
        for n, line in enumerate(text.splitlines())
    )


def summary_table(run: Trajectory) -> str:
    """The same as a table for a notebook, with the audit in one line."""
    rows = [(word, text) for word, text in (*parts(run), ("audit", run.audit.headline), *ending(run)) if text]
    return table(rows, title=f"run of {run.model.name}")


def parts(run: Trajectory) -> list[tuple[str, str]]:
    """What ran, where it went and what it cost: a word and some lines of text each."""
    return [
        ("run", first_line(run)),
        ("classification", str(run.info.get("classification", ""))),
        ("start", of_start(run)),
        ("net motion", of_net_motion(run)),
        ("largest forces", of_peaks(run, "tau")),
        ("largest commands", of_peaks(run, "commands")),
        ("largest reactions", of_peaks(run, "reactions")),
        ("largest loads", of_loads(run)),
        ("limits reached", listed(reached(run))),
        ("work", of_work(run)),
        ("energy", of_energy(run)),
        ("cost of transport", of_transport(run)),
        ("in the fluid", of_fluid(run)),
        ("rods", accuracy_in_words(run)),
        ("controller", str(run.info.get("said", ""))),
    ]


def ending(run: Trajectory) -> list[tuple[str, str]]:
    """What happened and how it was computed."""
    return [
        ("events", of_events(run)),
        ("computing", of_computing(run)),
        ("problem", f"not in the file: {run.problem_missing}" if run.problem_missing else ""),
    ]


def number(value: float, beside: float = 0.0) -> str:
    """Four digits, and no tiny remainder of zero: of something of the size `beside`, if that is given."""
    return f"{value:.4g}" if abs(value) > max(1e-12, REMAINDER * abs(beside)) else "0"


def first_line(run: Trajectory) -> str:
    extent = f"{number(run.t[-1] - run.t[0])} s from t = {number(run.t[0])} s" if len(run) else "no time at all"
    status = str(run.info.get("status", ""))
    text = f"{run.model.name}, {extent}, {len(run)} samples{', ' + status if status else ''}"
    message = str(run.info.get("message", ""))
    return f"{text}\n{message}" if message else text


def of_start(run: Trajectory) -> str:
    """What was changed in the start that was given."""
    change = run.start_change
    if change is None or any(len(x) != run.model.nv for x in change.values()):
        return ""
    said = [words_of(run.model, x, vector) for vector, x in change.items() if x.any()]
    return f"moved to meet drives and constraints: {'; '.join(said)}" if said else ""


def of_net_motion(run: Trajectory) -> str:
    net = run.net_motion
    if net is None or not len(run):
        return "none: the base is fixed" if net is None else ""
    place = ", ".join(f"{axis} {number(x, net.length)}" for axis, x in zip("xyz", net.displacement, strict=True))
    angles = zip(("yaw", "pitch", "roll"), np.degrees(net.turns), strict=True)
    turn = ", ".join(f"{name} {number(x, 180.0)}" for name, x in angles)
    least = "at least " if net.is_coarse else ""
    text = f"{net.body} moved {number(net.distance, net.length)} m ({place}) on a path of {least}{number(net.length)} m"
    text += f"\nand turned by {turn} deg"
    return f"{text}\n(between samples it went further than they show; take more of them)" if least else text


def of_peaks(run: Trajectory, array: str) -> str:
    """The largest magnitudes of the columns of tau or of reactions, each with its time."""
    found = sorted([peak for peak in peaks(run, array) if abs(peak.value) > 0], key=lambda peak: -abs(peak.value))
    if not found:
        return zero(run, array) if getattr(run, array).size else ""
    shown = [
        f"{peak.name} {'at least ' * peak.at_least}{number(peak.value)} {(peak.unit + ' ').lstrip('- ')}at {number(peak.t)} s"
        for peak in found
    ]
    return listed(shown)


def zero(run: Trajectory, array: str) -> str:
    """What holds joints, if no motor and no drive does."""
    springs = {} if run.problem is None or array != "tau" else run.problem.springs
    held = [name for name in springs if isinstance(name, str)]
    bodies = [b for b in run.model.description.bodies if held and any(joint.name == held[0] for joint in b.joints)]
    hint = (
        f"; springs of joints hold it: run['{bodies[0].name}.joint moment x'] and so on have what they carry" if bodies else ""
    )
    return f"all zero{hint}"


def of_loads(run: Trajectory) -> str:
    """The largest forces of contacts with friction at samples, each with its time."""
    sizes = np.linalg.norm(run.contacts[:, :, :3], axis=2) if len(run) else np.zeros((0, 0))
    rows = sizes.argmax(axis=0) if sizes.size else []
    found = sorted([(float(sizes[k, c]), c, k) for c, k in enumerate(rows) if sizes[k, c] > 0.0], key=lambda x: -x[0])
    return listed([f"{run.contact_labels[c]} {number(size)} N at {number(float(run.t[k]))} s" for size, c, k in found])


def listed(lines: list[str]) -> str:
    """The first of some lines, and how many more there are."""
    return "\n".join(lines[:SHOWN] + ([f"and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []))


def of_work(run: Trajectory) -> str:
    if not len(run):
        return ""
    done = [(name, values[-1] - values[0]) for name, values in run.work.items() if np.any(values != values[0])]
    return ", ".join(f"{name} {number(value, run.audit.scale)} J" for name, value in done) or ("none" if run.work else "")


def of_energy(run: Trajectory) -> str:
    if not len(run):
        return ""
    parts = [(name, getattr(run, name)) for name in ("kinetic", "potential", "elastic")]
    return ", ".join(f"{name} {number(x[0])} to {number(x[-1])} J" for name, x in parts if name == "kinetic" or np.any(x))


def gross_work(run: Trajectory) -> float:
    """Work of all joint forces with its sign left out, J: what motors without recovery would spend (trapezoids)."""
    power = abs(run.tau * run.v).sum(axis=1)
    return float(np.sum(np.diff(run.t) * (power[1:] + power[:-1])) / 2)


def of_transport(run: Trajectory) -> str:
    """Gross work over weight and distance along the ground, where something carries the weight along it."""
    net, gravity = run.net_motion, run.model.gravity
    weight = run.model.mass * float(np.linalg.norm(gravity))
    if net is None or not len(run) or weight == 0 or falls(run):
        return ""
    fluid = run.energetics
    if fluid is not None and fluid.cost_of_transport is not None:  # one run, one cost
        return ""
    up = gravity / np.linalg.norm(gravity)
    distance = float(np.linalg.norm(net.displacement - up * (up @ net.displacement)))
    work = gross_work(run)
    if not (work > 0 and is_way(distance, net.length, size_of(run.model)) and distance >= LEVEL * net.distance):
        return ""
    parts = f"{number(work)} J of joint work of either sign, {number(weight)} N, {number(distance)} m along the ground"
    return f"{number(work / weight / distance)} ({parts})"


def of_fluid(run: Trajectory) -> str:
    """Power to the fluid, and what swimmers and fliers are compared by."""
    found = run.energetics
    return "" if found is None else str(found)


def falls(run: Trajectory) -> bool:
    """Whether nothing carries the weight: momentum along gravity changes by weight alone."""
    along = "xyz"[int(np.argmax(abs(run.model.gravity)))]
    return f"linear {along}" in run.audit.conserved


def of_events(run: Trajectory) -> str:
    return listed([str(event) for event in run.events])


def of_computing(run: Trajectory) -> str:
    info, parts = run.info, []
    if "method" in info:
        of_method = ("rtol", "atol", "step") if method_of(info).chooses else ("step",)
        options = [f"{name} {info[name]:.3g}" for name in of_method if isinstance(info.get(name), int | float)]
        parts.append(f"{info['method']}{' (' + ', '.join(options) + ')' if options else ''}")
    if info.get("reason"):
        parts[-1:] = [f"{part}: {info['reason']}" for part in parts[-1:]]
    if info.get("stiff"):
        parts.append(str(info["stiff"]))
    if "steps" in info:
        mean = info.get("mean_step")
        parts.append(f"{info['steps']} steps" + (f" of {mean:.3g} s on average" if isinstance(mean, int | float) else ""))
    if info.get("evaluations"):
        parts.append(f"{info['evaluations']} evaluations")
    wall = info.get("wall")
    if isinstance(wall, int | float) and wall > 0 and len(run):
        parts.append(f"{wall:.3g} s of computing, {(run.t[-1] - run.t[0]) / wall:.3g} times real time")
    return ", ".join(parts)
