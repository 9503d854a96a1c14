"""A run in a few lines of plain text."""

import numpy as np

from locomote.simulation.trajectory import Trajectory

WIDTH = 18  # columns of the words at the left
SHOWN = 4  # forces, reactions and events that are listed before "and n more"
LEAST_DISTANCE = 1e-6  # m


def summary(run: Trajectory) -> str:
    """What ran, where it went, what it cost, and whether to believe it."""
    lines = [
        ("run", first_line(run)),
        ("classification", str(run.info.get("classification", ""))),
        ("net motion", of_net_motion(run)),
        ("largest forces", of_peaks(run, "tau")),
        ("largest reactions", of_peaks(run, "reactions")),
        ("work", of_work(run)),
        ("energy", of_energy(run)),
        ("cost of transport", of_transport(run)),
        ("audit", str(run.audit)),
        ("events", of_events(run)),
        ("computing", of_computing(run)),
        ("problem", f"not in the file: {run.problem_missing}" if run.problem_missing else ""),
    ]
    return "\n".join(
        f"{word if not n else '':<{WIDTH}}{line}".rstrip()
        for word, text in lines
        if text
        for n, line in enumerate(text.splitlines())
    )


def number(value: float) -> str:
    """Four digits, and no tiny remainder of zero."""
    return f"{value:.4g}" if abs(value) > 1e-12 else "0"


def first_line(run: Trajectory) -> str:
    extent = f"{number(run.t[-1] - run.t[0])} s from t = {number(run.t[0])} s" if len(run) else "no time at all"
    status = str(run.info.get("status", ""))
    text = f"{run.model.name}, {extent}, {len(run)} samples{', ' + status if status else ''}"
    message = str(run.info.get("message", ""))
    return f"{text}\n{message}" if message else text


def of_net_motion(run: Trajectory) -> str:
    net = run.net_motion
    if net is None or not len(run):
        return "none: the base is fixed" if net is None else ""
    place = ", ".join(f"{axis} {number(x)}" for axis, x in zip("xyz", net.displacement, strict=True))
    turn = ", ".join(f"{name} {number(np.degrees(x))}" for name, x in zip(("yaw", "pitch", "roll"), net.turns, strict=True))
    text = f"{net.body} moved {number(net.distance)} m ({place}) on a path of {number(net.length)} m"
    return f"{text}\nand turned by {turn} deg"


def of_peaks(run: Trajectory, array: str) -> str:
    """The largest magnitudes of the columns of tau or of reactions, each with its time."""
    values = getattr(run, array)
    if not values.size:
        return ""
    size = abs(np.nan_to_num(values))
    names = [(name, column) for name, column in run._columns.items() if column.array == array]
    peaks = [(size[:, column.index].max(), name, column) for name, column in names]
    peaks = sorted([peak for peak in peaks if peak[0] > 0], key=lambda peak: -peak[0])
    if not peaks:
        return "all zero"
    shown = [
        f"{name} {number(values[row, column.index])} {column.unit} at {number(run.t[row])} s"
        for _, name, column in peaks[:SHOWN]
        for row in [int(np.argmax(size[:, column.index]))]
    ]
    return "\n".join(shown + ([f"and {len(peaks) - SHOWN} more"] if len(peaks) > SHOWN else []))


def of_work(run: Trajectory) -> str:
    if not len(run):
        return ""
    return ", ".join(f"{name} {number(values[-1] - values[0])} J" for name, values in run.work.items())


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
    """Gross work over weight and net distance, where there is a weight and a distance."""
    net, weight = run.net_motion, run.model.mass * float(np.linalg.norm(run.model.gravity))
    if net is None or not len(run) or weight == 0 or not net.distance > LEAST_DISTANCE:
        return ""
    work = gross_work(run)
    if not work > 0:
        return ""
    parts = f"{number(work)} J of joint work of either sign, {number(weight)} N, {number(net.distance)} m"
    return f"{number(work / weight / net.distance)} ({parts})"


def of_events(run: Trajectory) -> str:
    shown = [str(event) for event in run.events[:SHOWN]]
    return "\n".join(shown + ([f"and {len(run.events) - SHOWN} more"] if len(run.events) > SHOWN else []))


def of_computing(run: Trajectory) -> str:
    info, parts = run.info, []
    if "method" in info:
        options = [f"{name} {info[name]:.3g}" for name in ("rtol", "atol", "step") if isinstance(info.get(name), int | float)]
        parts.append(f"{info['method']}{' (' + ', '.join(options) + ')' if options else ''}")
    if "steps" in info:
        mean = info.get("mean_step")
        parts.append(f"{info['steps']} steps" + (f" of {mean:.3g} s on average" if isinstance(mean, int | float) else ""))
    if "evaluations" in info:
        parts.append(f"{info['evaluations']} evaluations")
    wall = info.get("wall")
    if isinstance(wall, int | float) and wall > 0 and len(run):
        parts.append(f"{wall:.3g} s of computing, {(run.t[-1] - run.t[0]) / wall:.3g} times real time")
    return ", ".join(parts)
