"""The state in a run file, looked at before compiled code goes on from it.

Nothing of a file reaches compiled code that was not checked against the problem: every entry has a shape, a kind of number
and a rule, in the tables below. What follows from the problem is not taken from the file at all: the steps of methods whose
steps are fixed, and all numbers of constraints but places where contacts closed and those that were left open and taken
from the start.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.constraints import columns as col
from locomote.constraints.kinds import Distance, LoopClosure, PointContact, SurfaceContact, is_left_open
from locomote.evaluation.plan import SOURCES
from locomote.evaluation.protocol import Problem
from locomote.methods import state as at
from locomote.methods.events.ignored import checked_ignored, standing_of
from locomote.methods.options import Options
from locomote.methods.registry import METHODS
from locomote.runs.amounts import check_fits, checked_steps, row_bytes
from locomote.runs.checkpoints import copy_of
from locomote.runs.files.files import RunFileError
from locomote.runs.running import Running
from locomote.runs.schedule import Schedule
from locomote.runs.trajectory import Trajectory

OPTIONS = ("method", "step", "rtol", "atol", "max_step", "projection", "singular")
SAME_TIME = 1e-8  # s, relative to the length of the run: samples at the end of a step are where the step ends
SAME_NUMBER = 1e-9  # tolerance of constraints of one problem made by two versions of the library
LARGEST = 1e300  # stands for infinite in compiled code
MOST = 2**62


@dataclass(frozen=True)
class Known:
    """What a saved state is held against: the run as the problem and the options make it, and the samples in the file."""

    running: Running
    earlier: Trajectory

    @property
    def slack(self) -> float:
        """How far a sample may be from the time at which it was to be taken, s."""
        return SAME_TIME * max(1.0, float(self.running.times[-1] - self.running.t0))

    @property
    def last(self) -> float:
        """The time of the last sample in the file, or of the start."""
        return max(float(self.running.t0), float(self.earlier.t[-1])) if len(self.earlier) else float(self.running.t0)

    def can_be_at(self, time: float) -> bool:
        """Whether a run with these samples can be at this time."""
        return self.last - self.slack <= time <= float(self.running.times[-1]) + self.slack

    def can_be_next(self, number: int, time: float) -> bool:
        """Whether a run at this time can have this of its scheduled times before it: those before have a sample each."""
        times, t = self.running.times, self.earlier.t
        if not 0 <= number <= min(len(times), len(t)):
            return False
        place = np.clip(np.searchsorted(t, times[:number]), 1, max(len(t) - 1, 1))
        near = np.minimum(abs(t[place - 1] - times[:number]), abs(t[np.minimum(place, len(t) - 1)] - times[:number]))
        ahead = number == len(times) or time < times[number] or time == times[number] == self.running.t0
        return bool((near <= self.slack).all() and ahead)


@dataclass(frozen=True)
class Entry:
    """One number of a saved state: its place, its name, what it must be in words, and as a test of it and what is known."""

    place: int
    name: str
    words: str
    fits: Callable[[Any, Known], bool]


CLOCK = (
    Entry(at.TIME, "the time", "between the last sample and the end", lambda x, k: k.can_be_at(x)),
    Entry(at.STEP, "the step", "positive", lambda x, k: 0.0 < x <= LARGEST),
    Entry(at.ERROR, "the error of the last step", "from 0 to 10^6", lambda x, k: 0.0 <= x <= 1e6),
    Entry(at.LIMIT, "the limit of the next step", "positive", lambda x, k: 0.0 < x <= LARGEST),
    Entry(at.TYPICAL, "the remainder of the rows", "0 or more", lambda x, k: 0.0 <= x <= LARGEST),
    Entry(at.DOUBT, "the number of steps that end at samples", "0 or more", lambda x, k: 0.0 <= x <= LARGEST),
)
COUNTS = (
    Entry(at.STEPS, "the number of steps", "0 or more", lambda x, k: 0 <= x < MOST),
    Entry(at.REJECTED, "the number of rejected steps", "0 or more", lambda x, k: 0 <= x < MOST),
    Entry(at.EVALUATIONS, "the number of evaluations", "0 or more", lambda x, k: 0 <= x < MOST),
    Entry(at.RANK, "the rank", "-1 to the number of rows", lambda x, k: -1 <= x <= len(k.running.plan.holonomic)),
    Entry(at.FILLED, "the number of samples", "that of those in the file", lambda x, k: x == len(k.earlier)),
    Entry(at.FRESH, "whether it starts anew", "0 or 1", lambda x, k: x in (0, 1)),
)


# what is in a state beside the arrays that its method keeps: name -> shape for a run, and kind of number
SHAPES: dict[str, tuple[Callable[[Running], tuple[int, ...]], str]] = {
    "controllers": (lambda r: (sum(held.state.size for held in r.controllers if held.state is not None),), "f"),
    "copy": (lambda r: copy_of(r).shape, "f"),
    "active": (lambda r: (len(r.plan.integers),), "i"),
    "numbers": (lambda r: r.plan.numbers.shape, "f"),
    "stops": (lambda r: (len(r.plan.stops),), "i"),
    "wall": (lambda r: (), "f"),
}


def checked_options(path, info: Mapping[str, Any]) -> Options:
    """How the run of a file is integrated."""
    missing = [name for name in (*OPTIONS, "samples", "t0", "events") if name not in info]
    if missing:
        raise RunFileError(path, f"it does not say {missing[0]!r}, without which the run cannot go on")
    try:
        return Options(**{name: info[name] for name in OPTIONS}).checked()
    except (ValueError, TypeError) as fault:
        raise RunFileError(path, f"the run cannot go on as the file says: {fault}") from fault


def checked_schedule(path, info: Mapping[str, Any], options: Options, earlier: Trajectory) -> Schedule:
    """When the run of a file is sampled, if that fits into memory and its steps come to an end."""
    record, t0 = info["samples"], info["t0"]
    count = len(record["times"]) if "times" in record else record["count"]
    row = row_bytes(earlier.model.nq, earlier.model.nv, earlier.reactions.shape[1])
    try:
        check_fits(count + len(earlier), row, "its samples", "Run it on a larger machine")
        schedule = Schedule.of_record(record)
        times = schedule.times
        if not len(times) or not np.isfinite(times).all() or (np.diff(times) <= 0).any() or times[0] < t0:
            raise ValueError("the times of its samples do not increase from its start on")
        length = float(times[-1]) - t0
        checked_steps(length, options.max_step, "max_step")
        checked_steps(length, schedule.spacing, "the least distance of its samples")
        if options.step is not None and not METHODS[options.method].chooses:
            checked_steps(length, options.step)
    except ValueError as fault:
        raise RunFileError(path, f"the run cannot go on as the file says: {fault}") from fault
    return schedule


def checked_ignore(path, problem: Problem, info: Mapping[str, Any]) -> dict[str, float | None]:
    """What the run of a file did not look at from its start on."""
    try:
        return checked_ignored(problem, info.get("ignore") or {}, info["t0"])
    except (ValueError, TypeError, KeyError) as fault:
        raise RunFileError(path, f"the run cannot go on as the file says: {fault}") from fault


def check_fit(path, problem: Problem, earlier: Trajectory) -> None:
    """Refuse a problem that is not that of the run in a file."""
    ours, theirs = problem.model, earlier.model
    for what, one, two in (
        ("coordinates", (ours.nq, ours.nv), (theirs.nq, theirs.nv)),
        ("joints", ours.joint_names, theirs.joint_names),
        ("constraints", tuple(problem.constraint_labels), earlier.constraint_labels),
        ("imposed coordinates", list(problem.imposed), list(earlier.imposed)),
        ("sources of work", sorted([*SOURCES, *(term.name for term in problem.terms)]), sorted(earlier.work)),
    ):
        if one != two:
            raise RunFileError(path, f"the run in it is not one of {problem.name!r}: {what} are {two!r:.80}, not {one!r:.80}")


def checked_start(path, problem: Problem, earlier: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """The first sample in a file as the start of its run; neutral and at rest if there is none."""
    model = problem.model
    if not len(earlier):
        return model.neutral(), np.zeros(model.nv)
    try:
        return model.checked_q(earlier.q[0]), model.checked_v(earlier.v[0])
    except ValueError as fault:
        raise RunFileError(path, f"the run cannot go on from the samples in the file: {fault}") from fault


def checked_state(path, saved: Mapping[str, Any], running: Running, earlier: Trajectory) -> dict[str, Any]:
    """A saved state for `running` to go on from after the samples of `earlier`, or a RunFileError that says what is wrong."""
    known = Known(running, earlier)
    try:
        arrays = {name: getattr(running.state, name) for name in running.method.all_kept}
        values = {name: plain_array(name, saved, own.shape, own.dtype.kind) for name, own in arrays.items()}
        values |= {name: plain_array(name, saved, shape(running), kind) for name, (shape, kind) in SHAPES.items()}
        if unknown := [name for name in saved if name not in values]:
            raise ValueError(f"{unknown[0]!r:.40} is not part of a state")
        clock, counts = running.state.clock.copy(), running.state.counts.copy()
        fixed = not running.method.chooses
        for entry in (entry for entry in CLOCK if not (fixed and entry.place == at.STEP)):
            clock[entry.place] = of(entry, values["clock"], known)
        for entry in COUNTS:
            counts[entry.place] = of(entry, values["counts"], known)
        following = counts[at.NEXT] = values["counts"][at.NEXT].item()
        if not known.can_be_next(following, float(clock[at.TIME])):
            raise ValueError(f"the next sample is number {following}, which does not fit the samples in the file")
        check_peaks(values["peaks"], float(clock[at.TIME]), known)
        check_ticks(running, values["ticks"], float(clock[at.TIME]))
        numbers, active = checked_constraints(running, values["numbers"], values["active"])
        if not np.isin(values["stops"], (0, 1)).all():
            raise ValueError("'stops' holds a number that is neither 1 (a joint lies on its stop) nor 0")
        if values["wall"] < 0:
            raise ValueError(f"the time spent is {values['wall']}")
    except ValueError as fault:
        raise RunFileError(path, f"the run cannot go on from the state in the file: {fault}") from fault
    clock[at.END] = clock[at.TIME]
    return values | {"clock": clock, "counts": counts, "numbers": numbers, "active": active, "wall": float(values["wall"])}


def plain_array(name: str, saved: Mapping[str, Any], shape: tuple[int, ...], kind: str) -> np.ndarray:
    """One array of a state: finite numbers of a kind and a shape."""
    if name not in saved:
        raise ValueError(f"it has no {name!r}")
    array = np.asarray(saved[name])
    if array.shape != shape:
        raise ValueError(f"{name!r} has shape {array.shape}, expected {shape}")
    if array.dtype.kind not in ("iu" if kind == "i" else "f"):
        raise ValueError(f"{name!r} holds numbers of kind {array.dtype}")
    if name != "peaks" and not np.isfinite(array).all():
        raise ValueError(f"{name!r} holds a number that is not finite")
    return array


def of(entry: Entry, array: np.ndarray, known: Known):
    """One number, if its rule says so."""
    value = array[entry.place].item()
    if not entry.fits(value, known):
        raise ValueError(f"{entry.name} is {value!r}, it must be {entry.words}")
    return value


def check_peaks(peaks: np.ndarray, time: float, known: Known) -> None:
    """Extreme values so far: the largest is none yet (-inf), or not below the smallest; the times are those of the run."""
    most, least, times = peaks[at.MOST], peaks[at.LEAST], peaks[[at.MOST_AT, at.LEAST_AT]]
    none = (most == -np.inf) & (least == np.inf)
    if not (none | (np.isfinite(most) & np.isfinite(least) & (least <= most))).all():
        raise ValueError("'peaks' holds a largest value below the smallest")
    if not (np.isnan(times) | ((times >= known.running.t0 - known.slack) & (times <= time + known.slack))).all():
        raise ValueError("'peaks' holds a time outside the run")


def check_ticks(running: Running, ticks: np.ndarray, time: float) -> None:
    """Controllers have been called as often as their clocks say: the next time lies ahead, at most a period away."""
    for (period, start, _), count in zip(running.plan.clocks, ticks, strict=True):
        ahead = (start + period * float(count) - time) / period
        if count < 0 or (count > 0 and ahead > 1 + 1e-6) or ahead < -1e-6:
            raise ValueError(f"a controller was called {count} times until t = {time:g} s, which its clock does not allow")


def checked_constraints(running: Running, numbers: np.ndarray, active: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the constraints and which of them hold: those of the problem but for what a run changes or its start says."""
    plan, problem = running.plan, running.problem
    own, holds = plan.numbers.copy(), standing_of(plan)
    for c in range(len(own)):
        unilateral = plan.integers[c, col.UNILATERAL] != 0
        name = problem.constraint_labels[plan.integers[c, col.FIRST]][0]
        taken = from_the_run(problem.constraints[plan.integers[c, col.OWNER]], unilateral)
        same = abs(numbers[c] - own[c]) <= SAME_NUMBER * np.maximum(1.0, abs(own[c]))
        if not (same | taken).all():
            raise ValueError(f"constraint {name!r} is another one there")
        own[c, taken] = numbers[c, taken]
        if taken[col.LENGTH] and not own[c, col.LENGTH] > 0.0:
            raise ValueError(f"a distance is {own[c, col.LENGTH]:g} m, it must be positive")
        turn = own[c, col.FRAME_A : col.FRAME_A + 9].reshape(3, 3)
        if taken[col.FRAME_A] and not (abs(turn @ turn.T - np.eye(3)).max() < 1e-6 and np.linalg.det(turn) > 0):
            raise ValueError("a frame of a contact is not a rotation")
        if active[c] not in (1, *([0] if unilateral else []), *([-1] if name in running.switched else [])):
            raise ValueError(f"constraint {name!r} is {active[c]}: not 1 (closed), nor 0 (open) or -1 (ignored) if it can be")
        holds[c] = active[c]
    return own, holds


def from_the_run(constraint, unilateral: bool) -> np.ndarray:
    """Which numbers of an elementary constraint are not known before a run starts."""
    taken = np.zeros(col.NUMBERS, dtype=bool)
    if isinstance(constraint, PointContact) and (unilateral or constraint.target is None):
        taken[col.FRAME_A + 9 : col.FRAME_A + 12] = True
    elif isinstance(constraint, (SurfaceContact, LoopClosure)) and is_left_open(constraint):
        taken[col.FRAME_A : col.FRAME_A + 12] = True
    elif is_left_open(constraint):
        taken[col.LENGTH if isinstance(constraint, Distance) else col.OFFSET] = True
    return taken
