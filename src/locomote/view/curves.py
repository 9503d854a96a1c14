"""The curves of a page: which channels go together, and few enough points that a file stays small."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from locomote.model.base import moving_root
from locomote.runs.asked import is_held
from locomote.runs.bearing_loads import loaded_bodies
from locomote.runs.trajectory import Trajectory
from locomote.view.pack import text

POINTS = 2000  # points of a curve
CURVES = 12  # curves of a panel: those that vary most
COMPARED = 3  # of a panel of several runs
BUDGET = 1_200_000  # bytes of all curves


def panels(run: Trajectory) -> list[tuple[str, str, list[str]]]:
    """Title, unit and channels of the panels of a page."""
    base = moving_root(run.model)
    of_base = {joint.name for joint in base.joints} if base else set()
    found: list[tuple[str, str, list[str]]] = []

    def put(title: str, names: list[str]) -> None:
        units: dict[str, list[str]] = {}
        for name in names:
            if np.ptp(np.nan_to_num(run[name])) > 0:
                units.setdefault(run.unit(name), []).append(name)
        for unit, some in units.items():
            extent = {name: float(np.ptp(np.nan_to_num(run[name]))) for name in some}
            chosen = set(sorted(some, key=lambda name: -extent[name])[:CURVES])
            left = len(some) - len(chosen)
            more = f", and {left} more that vary less" if left else ""
            found.append((f"{title}{more}", unit, [name for name in some if name in chosen]))

    columns = run._columns
    if run.net_motion is not None:
        put("net motion", [name for name in columns if name.startswith("net.")])
    arrays = {name: column.array for name, column in columns.items()}
    put("shape", [n for n, array in arrays.items() if array == "q" and n.rsplit(".", 1)[0] not in of_base])
    put("joint velocities", [n for n, array in arrays.items() if array == "v" and n.rsplit(".", 1)[0] not in of_base])
    put("joint forces", [n for n, array in arrays.items() if array == "tau"])
    put("reactions of the constraints", [n for n, array in arrays.items() if array == "reactions"])
    if is_held(run, "joint_wrenches"):
        loaded = {run.model.body_index(name) for name in loaded_bodies(run.model)}
        put("what joints carry", [n for n, x in columns.items() if x.array == "joint_wrenches" and x.index[0] in loaded])  # type: ignore[index]
    put("energy and work", [n for n in columns if n.startswith(("energy.", "work."))])
    put("audit: should be zero", ["audit.balance"])
    return found


def thinned_rows(count: int, points: int) -> np.ndarray:
    """Where each of some parts of a number of samples starts."""
    return np.unique(np.linspace(0, count, min(count, points // 2) + 1).astype(int)[:-1])


def packed_curves(run: Trajectory) -> list[dict[str, Any]]:
    """The panels with their numbers. Of a long run each part gives its lowest and highest value, so that no peak is lost."""
    chosen = panels(run)
    total = sum(len(names) for _, _, names in chosen)
    points = int(np.clip(BUDGET / 6 / max(1, total), 100, POINTS))
    long = len(run) > points
    starts = thinned_rows(len(run), points) if long else np.arange(len(run))
    t = run.t[starts]
    if long:
        t = np.column_stack([t, (t + np.append(t[1:], run.t[-1])) / 2]).ravel()
    packed = []
    for title, unit, names in chosen:
        series = []
        for name in names:
            y = np.asarray(run[name])
            if long:
                y = np.column_stack([np.fmin.reduceat(y, starts), np.fmax.reduceat(y, starts)]).ravel()
            series.append({"name": name, "y": text(y, "<f4")})
        packed.append({"title": title, "unit": unit, "series": series})
    return [{"t": text(t - run.t[0], "<f4"), "start": float(run.t[0]), "panels": packed, "thinned": long}]


def together(runs: Mapping[str, Trajectory], colors: Mapping[str, str]) -> dict[str, Any]:
    """The panels of the first run with the same channels of all: a colour a run, a dash a channel; each from its start on."""
    run = next(iter(runs.values()))
    points = int(np.clip(BUDGET / 6 / len(runs) / max(1, COMPARED * len(panels(run))), 100, POINTS))
    t = np.linspace(0.0, max(float(x.t[-1] - x.t[0]) for x in runs.values()), points)
    packed = []
    for title, unit, names in panels(run):
        extent = {name: float(np.ptp(np.nan_to_num(run[name]))) for name in names}
        most = set(sorted(names, key=lambda name: -extent[name])[:COMPARED])
        chosen, series = [name for name in names if name in most], []
        for dash, name in enumerate(chosen):
            for label, other in runs.items():
                if name not in other._columns:
                    continue
                y = np.interp(t, other.t - other.t[0], np.asarray(other[name], dtype=float), left=np.nan, right=np.nan)
                series.append({"name": f"{label}: {name}", "y": text(y, "<f4"), "color": colors[label], "dash": dash})
        left = len(names) - len(chosen)
        more = f", and {left} more that vary less" if left else ""
        packed.append({"title": title.partition(", and ")[0] + more, "unit": unit, "series": series})
    return {"t": text(t, "<f4"), "start": float(run.t[0]), "panels": packed, "thinned": True}
