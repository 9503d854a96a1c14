"""A run as plain data, for `--json`: what the summary says, with all digits."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from locomote.locomotion.case import Case
from locomote.runs.peaks import peaks as peaks_of
from locomote.runs.trajectory import Trajectory


def gathered(run: Trajectory) -> dict[str, Any]:
    """All that a script needs of a run: SI units, angles in rad; a number that is not finite is null."""
    info = dict(run.info)
    return plain(
        {
            "name": run.problem.name if run.problem is not None else run.model.name,
            "status": info.pop("status", ""),
            "message": info.pop("message", ""),
            "t": [run.t[0], run.t[-1]] if len(run) else [],
            "samples": len(run),
            "classification": info.pop("classification", ""),
            "net_motion": net_motion(run),
            "forces": peaks(run, "tau"),
            "reactions": peaks(run, "reactions"),
            "work": {name: values[-1] - values[0] for name, values in run.work.items() if len(run)},
            "energy": {name: ends(getattr(run, name)) for name in ("kinetic", "potential", "elastic", "total")},
            "end": {"q": run.q[-1], "v": run.v[-1]} if len(run) else {},
            "audit": audit(run),
            "events": [{"t": e.t, "kind": e.kind, "description": e.description, "data": e.data} for e in run.events],
            "computing": info,
            "channels": {channel.name: channel.unit for channel in run.channels},
        }
    )


def ends(values: np.ndarray) -> list[float]:
    """The first and the last."""
    return [values[0], values[-1]] if len(values) else []


def net_motion(run: Trajectory) -> dict[str, Any] | None:
    """Where the base went; None if it is fixed."""
    net = run.net_motion
    if net is None:
        return None
    turns = dict(zip(("yaw", "pitch", "roll"), net.turns, strict=True))
    return {"body": net.body, "displacement": net.displacement, "distance": net.distance, "path": net.length, "turns": turns,
            "path_at_least": net.is_coarse}  # fmt: skip


def peaks(run: Trajectory, array: str) -> dict[str, Any]:
    """The value of largest magnitude of every column, with its time and unit."""
    found = peaks_of(run, array) if len(run) else []
    return {p.name: {"value": p.value, "unit": p.unit, "t": p.t, "at_least": p.at_least} for p in found}


def audit(run: Trajectory) -> dict[str, Any]:
    """The checks of a run."""
    checks = [{"name": c.name, "value": c.value, "allowed": c.allowed, "passed": c.passed} for c in run.audit.checks]
    return {"passed": run.audit.ok, "checks": checks, "conserved": list(run.audit.conserved)}


def classification(case: Case) -> dict[str, Any]:
    """A case of the reduction with its numbers."""
    numbers = ("external", "passive", "rows", "rank", "locked_rank", "free", "self_stress", "mobility")
    names = {"kinematic": list(case.kinematic), "dynamic": list(case.dynamic)}
    return {"name": case.name, "text": str(case), **{name: int(getattr(case, name)) for name in numbers}, **names}


def plain(value: Any) -> Any:
    """A value as JSON knows it."""
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
