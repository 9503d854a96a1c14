"""Are samples what the problem makes of those before them? Intervals are run again, each from the sample at its start, by the
method and the tolerances of the run; what comes out at its end is compared with the sample there, column by column:

    off  =  largest difference of a column / largest value of all columns of its kind and unit                      (1)

of q and of work their largest change in one interval. This sees what no equation of one sample tells: times and work, however
far samples are apart. `Audit.deep` repeats all intervals in which nothing happened.

A step over contacts knows what arrived in the one before; where contacts change, and on soft ground, some intervals may be off.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from locomote.constraints.kinds import is_left_open
from locomote.dynamics.matrices import mass_matrix
from locomote.errors import LocomoteError
from locomote.ground.spots import ROLLING, SHEAR, TORSION
from locomote.runs.audit_neighbours import quiet_intervals
from locomote.runs.audit_steps import of_contacts
from locomote.runs.checks import Check
from locomote.runs.run import Runner
from locomote.runs.saved import OPTIONS
from locomote.runs.schedule import Schedule
from locomote.runs.trajectory import Trajectory
from locomote.simulation.controllers import PD, Sampled, clocked
from locomote.simulation.options import METHODS, Options
from locomote.simulation.state import MET

ALLOWED, ROUGHLY_ALLOWED = 2e-3, 1e-2  # (1); where contacts act
SOME, MUCH = 0.5, 20.0  # part of all intervals that may be off where contacts act, and by how many times what is allowed
LEAST_EXCHANGED = 1e-3  # of the energy that a run exchanges: less is not looked at
ROUNDING = 1e-9  # of what a column is measured by at least
OVER_CONTACTS = ("timestep", "rosenbrock")
SWITCHES = ("open", "close")  # events after which other constraints hold than a run starts with


def check_repeats(run: Trajectory, usable: np.ndarray, exchanged: float) -> tuple[list[Check], list[str]]:
    """Repeat intervals of a run. exchanged : energy that it moves about, J"""
    why = not_repeatable(run)
    if why:
        return [], [f"that steps can be repeated: {why}"]
    rows = quiet_intervals(run, usable, ticks=False)
    if not len(rows):
        return [], []
    scales, found = scales_of(run, exchanged), {}
    for k in rows:
        for name, x in compared(run, int(k), scales):
            found.setdefault(name, []).append(x)
    value, worst = max((judged(run, rows, np.array(x)), name) for name, x in found.items())
    allowed = ROUGHLY_ALLOWED if run.info["method"] in OVER_CONTACTS else ALLOWED
    note = f"in {len(rows)} intervals" if value <= allowed else f"{worst} is not what the problem gives from the sample before"
    return [Check("steps repeated", value, allowed, note)], []


def judged(run: Trajectory, rows: np.ndarray, off: np.ndarray) -> float:
    """How far a column is off, of how far it is in each interval."""
    if run.info["method"] not in OVER_CONTACTS or not len(off):
        return float(off.max(initial=0.0))
    many = float(np.interp((1 - SOME) * (len(off) - 1), np.arange(len(off)), np.sort(off)))
    touching = (run.contact_forces != 0).any(axis=2)
    steady = (touching[rows] == touching[rows + 1]).all(axis=1)
    return max(many, float(off[steady].max(initial=0.0)) / MUCH)


def not_repeatable(run: Trajectory) -> str:
    """Why intervals cannot be run again; empty if they can."""
    problem, info = run.problem, run.info
    if problem is None or not all(name in info for name in (*OPTIONS, "t0")) or info["method"] not in METHODS:
        return run.problem_missing or "the run does not hold its problem, or how it was integrated"
    ticking = clocked(problem.controllers)
    if len(ticking) > 1 or any(c.between == "line" or not forgets(c) for c in ticking):
        return f"controller {ticking[0].title!r} remembers more than samples hold"
    if len(problem.plan.fed):
        return "the copy of the robot that feed-forward moves is not in the samples"
    if any(map(is_left_open, problem.constraints)) and run.t[0] != info["t0"]:
        return "constraints are where the bodies were at the start, which is not in the run"
    if problem.plan.spot_laws[:, SHEAR].any():
        return "ground that is sheared remembers how far"
    if any(event.kind in SWITCHES for event in run.events) or info.get("ignore"):
        return "constraints were switched on the way"
    return ""


def forgets(controller: Any) -> bool:
    """Whether what a controller gives follows from the state at its tick."""
    return isinstance(controller, PD) or (
        isinstance(controller, Sampled) and controller.state is None and not controller.remembers
    )


def repeated(run: Trajectory, k: int) -> Trajectory:
    """The run from sample k to the next one."""
    info, problem = run.info, run.problem
    options = Options(**{name: info[name] for name in OPTIONS})
    state = run.model.normalize(run.q[k]), run.v[k]
    runner = Runner(problem, Schedule(run.t[k : k + 2]), options, [], state, float(run.t[k]), anchor=run.q[0])
    if len(runner.state.given):  # torques of the tick before
        runner.state.given[0] = np.where(problem.imposed, 0.0, run.tau[k])
    runner.go()
    if runner.status != "finished":
        raise LocomoteError(runner.message)
    return runner.trajectory()


def compared(run: Trajectory, k: int, scales: dict[str, Any]) -> Iterator[tuple[str, float]]:
    """(1) of every column at the end of the interval after sample k."""
    try:
        again = repeated(run, k)
    except (LocomoteError, ValueError, ArithmeticError):
        yield "a state", np.inf
        return
    yield "q", part(run.model.difference(again.q[-1], run.model.normalize(run.q[k + 1])), scales["q"])
    for name in ("v", "a", "tau", "reactions", "kinetic", "elastic"):
        yield name, part(getattr(again, name)[-1] - getattr(run, name)[k + 1], scales[name])
    yield "potential", part(np.diff(again.potential[[0, -1]]) - np.diff(run.potential[k : k + 2]), scales["potential"])
    for name, done in run.work.items():
        yield f"work of {name}", part(np.diff(again.work[name][[0, -1]]) - np.diff(done[k : k + 2]), scales["work"])
    for name, load in run.loads.items():
        yield f"force of {name}", part(again.loads[name][-1] - load[k + 1], scales[f"loads {name}"])
    if run.contact_forces.size and not run.problem.plan.spot_laws[:, [ROLLING, TORSION]].any():  # moments are not kept
        here, there = (of_contacts(x, n, x.q[n])[0] for x, n in ((run, k + 1), (again, -1)))
        yield "force of contacts", part(there - here, scales["contacts"])


def part(off: np.ndarray, scale: Any) -> float:
    """The largest of some differences as a part of their scales; NaN counts as infinite."""
    return float(np.nan_to_num(np.max(abs(off) / scale, initial=0.0), nan=np.inf))


def scales_of(run: Trajectory, exchanged: float) -> dict[str, Any]:
    """What columns are measured by."""
    turning, scales = run.model._turns, {}
    # what is left of the law of contacts is velocity, and by the step acceleration and force
    step = float(run.info.get("mean_step") or 1.0)
    apart, slow = float(np.diff(run.t).max(initial=0.0)), MET / ALLOWED
    left = {"q": slow * apart, "v": slow, "a": slow / step} if run.info["method"] == "timestep" else {}
    with np.errstate(invalid="ignore"):
        moves = run.model.difference(*(run.model.normalize(x) for x in (run.q[:-1], run.q[1:])))
        columns = {"q": moves, "v": run.v, "a": run.a, "tau": run.tau}
    for name, x in columns.items():
        most = np.nanmax(abs(x), axis=0, initial=0.0)
        turns, others = (float(most[same].max(initial=0.0)) for same in (turning, ~turning))
        scales[name] = np.where(turning, turns, others) + ROUNDING * max(1.0, turns, others) + left.get(name, 0.0)
    scales["reactions"] = float(np.nanmax(abs(run.reactions), initial=0.0)) + ROUNDING
    done = [np.nanmax(abs(np.diff(x)), initial=0.0) for x in run.work.values()]
    changes = [np.nanmax(abs(np.diff(x)), initial=0.0) for x in (run.kinetic, run.potential, run.elastic)]
    energy = max(*changes, *done, LEAST_EXCHANGED * exchanged, 1e-300)
    scales |= dict.fromkeys(("kinetic", "potential", "elastic", "work"), float(energy))
    for name, load in run.loads.items():
        scales[f"loads {name}"] = float(np.nanmax(abs(load), initial=0.0)) + ROUNDING
    inertia = np.diag(mass_matrix(run.model, run.model.normalize(run.q[0]))) if run.contact_forces.size else 1.0
    weight = np.sqrt(inertia * run.model.mass) * float(np.linalg.norm(run.model.gravity))  # at the lever of each coordinate
    scales["contacts"] = inertia * scales["a"] + weight + ROUNDING
    return scales
