"""`locomote gait`: the best gait of a system for a goal, as numbers, a file of Fourier coefficients, and a picture."""

import json
from pathlib import Path
from typing import Any

from locomote.cli.settings import Mistake
from locomote.files import whole_file
from locomote.gaits.fields import connection_field
from locomote.gaits.local_form import NoConnection
from locomote.gaits.optimisation import Best, optimize
from locomote.runs.optional import MissingPackage
from locomote.systems.catalogue import System


def found(
    system: System, goal: str | None, options: dict[str, Any], joints: list[str] | None, out: Path, plot: bool
) -> dict[str, Any]:
    """Search, write, and gather what is shown."""
    problem = system.problem()
    best = optimize(problem, goal, coordinates=joints or None, **options)
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{system.name}_{best.goal}.json"
    with whole_file(path) as part:
        part.write(f"{json.dumps(record(best), indent=2)}\n".encode())
    picture = drawn(problem, best, path.with_suffix(".png")) if plot else None
    return record(best) | {"system": system.name, "file": str(path), "picture": picture}


def record(best: Best) -> dict[str, Any]:
    """A gait with its values, ready for JSON."""
    net = best.displacement
    return {
        "goal": best.goal, "cost": best.cost, "value": best.value, "amount": best.amount, "period": best.gait.period,
        "net motion": None if net is None else dict(zip(net.axes, net.log.tolist(), strict=True)),
        "other optima": [value for value, _ in best.others], "starts": best.starts,
        "paths": {name: drive.to_record() for name, drive in best.gait.paths.items()},
    }  # fmt: skip


def drawn(problem, best: Best, path: Path) -> str | None:
    """The gait over the curvature of two coordinates; nothing if there are others, or no plots."""
    names = best.gait.names
    if len(names) != 2 or best.gait.modes:
        return None
    x = best.gait.shapes([k * best.gait.period / 200 for k in range(200)])[0]
    low, high = x.min(axis=0), x.max(axis=0)
    room = 0.3 * (high - low)
    region = {name: (low[k] - room[k], high[k] + room[k], 81) for k, name in enumerate(names)}
    try:
        connection_field(problem, region).plot(best.gait, path=path)
    except (MissingPackage, NoConnection):
        return None
    return str(path)


def options_of(
    cost: str | None, harmonics: int, starts: int, bound: float | None, seed: int, torque: float | None = None
) -> dict[str, Any]:
    """Options of the search, checked."""
    for name, value in (("harmonics", harmonics), ("starts", starts)):
        if value < 1:
            raise Mistake(f"--{name} is {value}, expected an integer from 1")
    if bound is not None and not bound > 0.0:
        raise Mistake(f"--bound is {bound}, expected a number above 0")
    if cost == "speed" and torque is None:
        raise Mistake("--cost speed needs --torque, N m or N, which says how short a period may be")
    if torque is not None and not torque > 0.0:
        raise Mistake(f"--torque is {torque}, expected a number above 0, N m or N")
    bounds = None if bound is None else (-bound, bound)
    return {"cost": cost, "harmonics": harmonics, "starts": starts, "bounds": bounds, "seed": seed, "torques": torque}
