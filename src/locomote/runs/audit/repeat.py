"""Are samples what the problem makes of those before them? Intervals are run again, each from the sample at its start, by the
method and the tolerances of the run; q, v, energies and work at its end are compared with the sample there:

    off  =  largest difference of a column / largest value of all columns of its kind and unit                      (1)

of q and of work their largest change in one interval. This sees what no equation of one sample tells: times and work, however
far samples are apart. Accelerations and forces follow from each state alone (`audit.states`, `audit.steps`), those of stiff
bodies far better than a tolerance lets them be repeated. `Audit.deep` repeats all intervals in which nothing happened.

A step over contacts knows what arrived in the one before; where contacts change, and on soft ground, some intervals may be off.
"""

import collections
from collections.abc import Iterator
from typing import Any

import numpy as np

from locomote.actuation.controllers import PD, Sampled, clocked
from locomote.constraints.kinds import is_left_open
from locomote.contact.spots import SHEAR
from locomote.dynamics.matrices import mass_matrix
from locomote.errors import LocomoteError
from locomote.methods.options import Options
from locomote.methods.registry import METHODS, method_of
from locomote.methods.state import MET
from locomote.runs.audit.checks import Check
from locomote.runs.audit.known import solved
from locomote.runs.audit.neighbours import quiet_intervals
from locomote.runs.checkpoints import trajectory
from locomote.runs.files.saved import OPTIONS
from locomote.runs.runner import Runner
from locomote.runs.running import Running
from locomote.runs.schedule import Schedule
from locomote.runs.trajectory import Trajectory

ALLOWED, ROUGHLY_ALLOWED = 2e-3, 1e-2  # (1); where contacts act
SOME, MUCH = 0.5, 20.0  # part of all intervals that may be off where contacts act, and by how many times what is allowed
LEAST_EXCHANGED, LEAST_OF_SOFT = 1e-3, 0.3  # shares of what a run exchanges and moves: less is not judged
COLLOCATED = 20.0  # rtol of flexible bodies, that samples within steps are off
FINER, MARGIN = 0.1, 10.0  # part of a tolerance by which its errors are known, and how many times these samples may be off
LEAST_RTOL = 1e-13
ROUNDING = 1e-9  # share of the least scale of a column
SWITCHES = ("open", "close")  # events after which other constraints hold than a run starts with


def check_repeats(run: Trajectory, usable: np.ndarray, exchanged: float) -> tuple[list[Check], list[str]]:
    """Repeat intervals of a run. exchanged : energy that it moves about, J"""
    why = not_repeatable(run)
    if why:
        return [], [f"that steps can be repeated: {why}"]
    rows = quiet_intervals(run, usable, ticks=False)
    if not len(rows):
        return [], []
    root = root_of_mass(run) if run.model.flexible else None
    scales, found, slack = scales_of(run, exchanged, root), collections.defaultdict(list), collections.defaultdict(float)
    for k in rows:
        for name, off, loose in compared(run, int(k), scales, root):
            found[name].append(off)
            slack[name] = max(slack[name], MARGIN * loose)
    offs = {name: np.maximum(np.array(x) - slack[name], 0.0) for name, x in found.items()}
    value, worst = max((judged(run, rows, x), name) for name, x in offs.items())
    allowed = ROUGHLY_ALLOWED if over_contacts(run) else ALLOWED
    if method_of(run.info).long:
        allowed = max(allowed, COLLOCATED * float(run.info["rtol"]))
    note = f"in {len(rows)} intervals" if value <= allowed else f"{worst} is not what the problem gives from the sample before"
    return [Check("steps repeated", value, allowed, note)], []


def judged(run: Trajectory, rows: np.ndarray, off: np.ndarray) -> float:
    """How far a column is off, of how far it is in each interval."""
    if not over_contacts(run) or not len(off):
        return float(off.max(initial=0.0))
    many = float(np.interp((1 - SOME) * (len(off) - 1), np.arange(len(off)), np.sort(off)))
    touching = (run.contact_forces != 0).any(axis=2)
    steady = (touching[rows] == touching[rows + 1]).all(axis=1)
    return max(many, float(off[steady].max(initial=0.0)) / MUCH)


def over_contacts(run: Trajectory) -> bool:
    """Whether steps may be longer than what contacts do."""
    return method_of(run.info).impulsive or method_of(run.info).rough


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


def repeated(run: Trajectory, k: int, tolerance: float = 1.0) -> Trajectory:
    """The run from sample k to the next one. tolerance : part of its own"""
    problem, options = solved(run), Options(**{name: run.info[name] for name in OPTIONS})
    options.rtol, options.atol = max(tolerance * options.rtol, LEAST_RTOL), tolerance * options.atol
    state = run.model.normalize(run.q[k]), run.v[k]
    again = Running(problem, Schedule(run.t[k : k + 2]), options, [], state, float(run.t[k]), anchor=run.q[0])
    if len(again.state.given):  # torques of the tick before
        again.state.given[0] = np.where(problem.imposed, 0.0, run.tau[k])
    Runner(again).go()
    if again.status != "finished":
        raise LocomoteError(again.message)
    return trajectory(again)


def compared(run: Trajectory, k: int, scales: dict[str, Any], root: np.ndarray | None) -> Iterator[tuple[str, float, float]]:
    """(1) of every column at the end of the interval after sample k, and what the tolerances of flexible bodies make of it."""
    try:
        again = changes(repeated(run, k), 0, -1, root)
        finer = changes(repeated(run, k, FINER), 0, -1, root) if method_of(run.info).long else again
    except (LocomoteError, ValueError, ArithmeticError):
        yield "a state", np.inf, 0.0
        return
    for name, x in changes(run, k, k + 1, root).items():
        scale = scales[name.partition(" of ")[0]]
        yield name, part(again[name] - x, scale), part(again[name] - finer[name], scale)


def changes(run: Trajectory, one: int, two: int, root: np.ndarray | None) -> dict[str, np.ndarray]:
    """What is compared: columns at sample two, of q, potential energy and work their change since sample one.

    root : of the mass matrix, by which coordinates of flexible bodies are weighed, as tolerances of their steps do
    """
    q = run.model.normalize(run.q[[one, two]])
    found = {"q": run.model.difference(q[0], q[1]), "v": run.v[two], "kinetic": run.kinetic[two], "elastic": run.elastic[two]}
    if root is not None:
        found |= {name: root @ found[name] for name in ("q", "v")}
    found["potential"] = run.potential[two] - run.potential[one]
    return found | {f"work of {name}": done[two] - done[one] for name, done in run.work.items()}


def part(off: np.ndarray, scale: Any) -> float:
    """The largest of some differences as a part of their scales; NaN counts as infinite."""
    return float(np.nan_to_num(np.max(abs(off) / scale, initial=0.0), nan=np.inf))


def tracked_span(run: Trajectory, name: str) -> np.ndarray:
    """(nv,) how far q or v went, as the run tracked it; zero of coordinates on a group."""
    span, place = np.zeros(run.model.nv), run.model.coordinates
    if run.tracked and f"{name}.max" in run.tracked and not run.model.coupling:
        went = run.tracked[f"{name}.max"] - run.tracked[f"{name}.min"]
        span[place.plain_v] = went[place.plain_q] if name == "q" else went[place.plain_v]
    return span


def root_of_mass(run: Trajectory) -> np.ndarray:
    """(nv, nv) R with R^T R the mass matrix at the start."""
    values, vectors = np.linalg.eigh(mass_matrix(run.model, run.model.normalize(run.q[0])))
    return np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T


def scales_of(run: Trajectory, exchanged: float, root: np.ndarray | None) -> dict[str, Any]:
    """What columns are measured by."""
    turning, scales = run.model._turns, {}
    # the residual of the contact law is a velocity
    apart, slow = float(np.diff(run.t).max(initial=0.0)), MET / ALLOWED
    left = {"q": slow * apart, "v": slow} if method_of(run.info).impulsive else {}
    with np.errstate(invalid="ignore"):
        moves = run.model.difference(*(run.model.normalize(x) for x in (run.q[:-1], run.q[1:])))
    for name, x in (("q", moves), ("v", run.v)):
        if root is not None:
            most = float(np.nanmax(np.linalg.norm(x @ root.T, axis=1), initial=0.0)) + ROUNDING + left.get(name, 0.0)
            scales[name] = max(most, LEAST_OF_SOFT * float(np.linalg.norm(root @ tracked_span(run, name))))
            continue
        most = np.nanmax(abs(x), axis=0, initial=0.0)
        turns, others = (float(most[same].max(initial=0.0)) for same in (turning, ~turning))
        scales[name] = np.where(turning, turns, others) + ROUNDING * max(1.0, turns, others) + left.get(name, 0.0)
    done = [np.nanmax(abs(np.diff(x)), initial=0.0) for x in run.work.values()]
    changes = [np.nanmax(abs(np.diff(x)), initial=0.0) for x in (run.kinetic, run.potential, run.elastic)]
    least = LEAST_OF_SOFT if method_of(run.info).long else LEAST_EXCHANGED
    energy = max(*changes, *done, least * exchanged, 1e-300)
    scales |= dict.fromkeys(("kinetic", "potential", "elastic", "work"), float(energy))
    return scales
