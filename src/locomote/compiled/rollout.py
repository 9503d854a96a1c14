"""Many runs of one problem side by side, step by step, in straight-line vector code."""

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from locomote.actuation.controllers import Sampled
from locomote.compiled.beginning import Beginning, Begun, Controls
from locomote.compiled.kernel import RowKernel, code_of
from locomote.compiled.library import kept, key_of
from locomote.compiled.lots import lots_of
from locomote.compiled.program import Program
from locomote.compiled.rollouts import Rollouts, looked_at, warn_of_lost
from locomote.compiled.vectors import Lanes
from locomote.compiler.background import expect
from locomote.compiler.lanes import WIDTH
from locomote.compiler.scalars import select
from locomote.dynamics.dispatch import in_shares
from locomote.errors import UnknownName
from locomote.evaluation.plan import UNLIMITED
from locomote.locomotion.problem import Locomotion
from locomote.methods.choice import refuse
from locomote.methods.needed import of_rollouts
from locomote.methods.stepped_runs import RunsInRows
from locomote.methods.timestep.runs import CHUNK, SteppedRuns, in_lanes
from locomote.runs.progress import Bar, shown_progress
from locomote.spatial.numbers import as_numbers
from locomote.symbolic.entries import Entries
from locomote.symbolic.plain import boxed, zeros
from locomote.symbolic.problem import STEPS, Equations
from locomote.symbolic.trace import Trace

MEETING = 1e-6  # m or rad, within which runs share what they close
MOST_STEPS = 1e12  # most steps of a rollout: more would take weeks


def rollout(
    problem: Locomotion,
    controls=None,
    batch: int | None = None,
    *,
    q=None,
    v=None,
    duration: float | None = None,
    step: float = 1e-3,
    joints: Sequence[Any] | None = None,
    keep: int | None = None,
    method: str = "rk4",
    parameters: Mapping[Any, Any] | None = None,
    threads: int = 1,
    progress: bool | None = None,
    start: str = "check",
) -> Rollouts:
    """Run many copies of a problem at once, with fixed steps.

    controls : (batch, steps, joints) or (steps, joints), constant within a step: the torque of a joint (N, N m), or the
        acceleration of one that is driven (m/s^2, rad/s^2), which then follows it instead of its drive
    joints : names of the joints that the columns of controls are for; by default all driven ones, or if there are none all
        but a base of several coordinates
    batch : how many runs, if neither controls nor q, v nor parameters say it
    parameters : numbers of each run, by the names and patterns of `problem.parameters`: (batch,), or (batch, 3) of a vector, or
        one value for all; lo.sweeps.draws(...).columns gives random ones
    q, v : (nq,) or (batch, nq) start; by default that of the problem
    duration : s, if there are no controls ; keep : the state is kept every `keep` steps; by default the last only
    method : "rk4", "euler" (semi-implicit, one evaluation a step), or "timestep", which problems with contacts take instead of
        the first; see `contact_law` of the result
    progress : show a bar; by default if there is a terminal
    start : "check" refuses q or v of which little would be left once constraints are met (InconsistentStart); "project" takes
        the nearest state that meets them, however far; `start_change` of the result says what was changed

    Drives and torques that are functions of time act on all runs alike. Constraints are kept by correction at every step.
    A problem with functions of its own cannot be done: `simulate` can. One whose step is too much for one formula, as of rods
    with many coordinates, is run row by row in compiled code. Runs that leave what numbers can hold, end in nonsense, or
    pass limits of joints that the method has no stops for, are warned about and marked in `lost`; see `balance` of the result.
    Ctrl-C ends all runs and gives what was kept.
    """
    if not isinstance(problem, Locomotion):
        raise TypeError(f"expected a lo.Locomotion, not {problem!r:.60}; a system of the catalogue has one as .problem()")
    controls = None if controls is None else as_numbers(controls, "controls", "(batch, steps, joints) or (steps, joints)")
    steps = step_count(controls, duration, step)
    if method not in (*STEPS, "timestep"):
        raise UnknownName("method", method, (*STEPS, "timestep"), "rollout")
    if problem.contacts and method == "euler":
        raise ValueError(f"{problem.name!r} has contacts with friction, which method='timestep' steps over, not 'euler'")
    method = "timestep" if problem.contacts else method
    problem, lots, batch = lots_of(problem, parameters, batch)
    begin = Beginning(q, v, batch, controls, joints, start, steps)
    begun = begin.of(problem) if lots is None else begin.of_lots(lots)
    kernel = None
    if method != "timestep":
        entries = None if lots is None else lots.entries
        kernel = step_kernel(begun.problem_of(0), begun.plan, float(step), method, entries)
    course = Course(begun.problem_of(0), begun.starts, steps, float(step), steps if keep is None else checked_keep(keep))
    how = threads, shown_progress(progress)
    found = traced(course, begun, kernel, *how) if kernel is not None else stepped(course, begun, method, *how)
    runs = replace(found, start_change=begun.change)
    if course.interrupted:
        warnings.warn(f"interrupted: {problem.name!r} has run for {runs.t[-1]:g} of {steps * step:g} s", stacklevel=3)
    else:
        runs = looked_at(runs, begun.again(course.states, steps, float(step), method))
    warn_of_lost(problem, runs, float(step), method)
    return runs


class Course:
    """Many runs on their way: states (N, times, ...) that are kept of all, and how far each has come.

    starts : (N, nq) and (N, nv) ; keep : how many steps lie between states that are kept
    """

    def __init__(self, problem: Locomotion, starts: tuple[np.ndarray, np.ndarray], steps: int, step: float, keep: int):
        self.problem, self.starts, self.steps, self.step = problem, starts, steps, step
        self.last = np.unique([*range(keep, steps, keep), steps])  # after which steps states are kept
        self.states = [np.empty((len(x), len(self.last) + 1, x.shape[-1])) for x in starts]
        for target, start in zip(self.states, starts, strict=True):
            target[:, 0] = start
        self.interrupted: list[KeyboardInterrupt] = []
        self._places = {int(n): k + 1 for k, n in enumerate(self.last)}
        self._done, self._begin = np.ones(len(starts[0]), dtype=int), 0.0  # how many states of each run are there

    def go(self, share: Callable[[int, int], None], block: int, threads: int, shown: bool) -> None:
        """All runs, by a function of (start, stop) that takes all steps of a share; Ctrl-C in one ends the others too."""

        def until_interrupted(start: int, stop: int) -> None:
            try:
                share(start, stop)
            except KeyboardInterrupt as interrupt:
                self.interrupted.append(interrupt)

        count, self._begin = len(self.starts[0]), time.perf_counter()
        with Bar(f"{count} x {self.problem.name}", np.array([0.0, self.steps * self.step]), shown) as self._bar:
            try:
                in_shares(until_interrupted, count, block, threads)
            except KeyboardInterrupt as interrupt:
                self.interrupted.append(interrupt)

    def reached(self, n: int, start: int, stop: int, rows: Sequence[np.ndarray]) -> None:
        """Keep the states (q, v) of a share after n steps, if they are to be, and show how far it is."""
        place = self._places.get(n)
        if place is not None:
            for target, x in zip(self.states, rows, strict=False):
                target[start:stop, place] = x
            self._done[start:stop] = place + 1
        if start == 0:
            self._bar.show(n * self.step, time.perf_counter() - self._begin)

    def part(self, problem: Locomotion, rows: np.ndarray) -> "Course":
        """The course of some of the runs, with a problem of their own."""
        part = Course(problem, (self.starts[0][rows], self.starts[1][rows]), self.steps, self.step, self.steps)
        part.last, part._places = self.last, self._places
        part.states = [np.empty((len(rows), *x.shape[1:])) for x in self.states]
        for target, start in zip(part.states, part.starts, strict=True):
            target[:, 0] = start
        part.interrupted = self.interrupted
        return part

    def take(self, part: "Course", rows: np.ndarray) -> None:
        """Take what a part has come to."""
        for target, x in zip(self.states, part.states, strict=True):
            target[rows] = x
        self._done[rows] = part._done

    def found(self, **more: Any) -> Rollouts:
        """What all runs have come to."""
        complete = self._done.min()
        q, v = (x[:, :complete] for x in self.states)
        return Rollouts(np.array([0.0, *self.last * self.step])[:complete], q, v, **more)


def traced(course: Course, begun: Begun, kernel: RowKernel, threads: int, shown: bool) -> Rollouts:
    """Rollouts by a step that is one formula."""
    step, starts, values = course.step, course.starts, begun.values
    past = [np.zeros((len(starts[0]), 1))] if len(course.problem.plan.stops) else []  # how far joints are beyond limits

    def share(start: int, stop: int) -> None:
        """All steps of some runs."""
        rows, count, plan = [x[start:stop] for x in (*starts, *past)], stop - start, begun.controls.part(start, stop)
        buffers, own = [kernel.empty(count), kernel.empty(count)], [x[start:stop] for x in begun.own]
        for n in range(course.steps):
            if course.interrupted:
                return
            signals = np.broadcast_to(plan.signals(n * step, step), (count, 3 * len(begun.plan.timed)))
            given = np.empty((count, 0)) if values is None else values[start:stop, n]
            now = np.broadcast_to(n * step, (count, 1))
            rows = kernel.run([*rows[:2], given, signals, now, *rows[2:], *own], out=buffers[n % 2])
            plan.impose((n + 1) * step, *rows[:2])
            course.reached(n + 1, start, stop, rows)
        for target, x in zip(past, rows[2:], strict=True):
            target[start:stop] = x

    course.go(share, kernel.lanes.width, threads, shown)
    return course.found(beyond=past[0][:, 0] if past else None)


def stepped(course: Course, begun: Begun, method: str, threads: int, shown: bool) -> Rollouts:
    """Rollouts over contacts, on lanes if that can be, or row by row of what is too much for one formula, in compiled code; lot
    by lot, where runs have numbers of their own."""
    if begun.lots is None:
        return course.found(contact_law=stepped_alike(course, begun.plan, begun.values, method, threads, shown))
    law = np.zeros((len(course.starts[0]), 2)) if method == "timestep" else None
    for lot, rows in enumerate(begun.lots.rows):
        part, values = course.part(begun.problem_of(lot), rows), None if begun.values is None else begun.values[rows]
        found = stepped_alike(part, begun.plan, values, method, threads, shown)
        course.take(part, rows)
        if law is not None:
            law[rows] = found
        if course.interrupted:
            break
    return course.found(contact_law=law)


def stepped_alike(course: Course, plan: Controls, values, method: str, threads: int, shown: bool) -> np.ndarray | None:
    """`stepped` of runs with the same numbers; how well they meet the law of contacts."""
    problem, N, steps = course.problem, len(course.starts[0]), course.steps
    which = "over contacts" if method == "timestep" else f"of a model as large as {problem.model.name!r}"
    refuse_unable(problem, method, which)
    if plan.held & set(plan.given):
        raise ValueError(f"controls of driven joints are accelerations, which rollouts {which} do not take")
    controls = np.zeros((N, steps, 0)) if values is None else values
    together = method == "timestep" and in_lanes(problem.plan, N)
    if method == "timestep":
        expect("run", lambda: of_rollouts(problem.plan, together))
    given = (problem, *course.starts, controls, np.array(plan.given, np.int64), course.step)
    runs = SteppedRuns(*given) if method == "timestep" else RunsInRows(*given, method)
    ends = np.unique([*course.last, *range(CHUNK, steps, CHUNK)]).tolist()

    def share(start: int, stop: int) -> None:
        """All steps of some runs."""
        worker = runs.worker()
        for before, end in zip([0, *ends], ends, strict=False):
            if course.interrupted:
                return
            runs.go(worker, start, stop, before, end)
            course.reached(end, start, stop, (runs.q[start:stop], runs.v[start:stop]))

    course.go(share, WIDTH if together else 1, threads, shown)
    return runs.law


def refuse_unable(problem: Locomotion, method: str, which: str) -> None:
    """Raise if a problem has what compiled steps without events and without Python do not know. which : such rollouts"""
    called = [c.title for c in problem.controllers if isinstance(c, Sampled)]
    if called:
        raise ValueError(
            f"{problem.name!r} has the sampled controller {called[0]!r}, a function that rollouts {which} cannot call; "
            f"`simulate` can, or give its torques as controls"
        )
    if problem.plan.callbacks:
        raise ValueError(f"{problem.name!r} has functions of its own, which rollouts {which} cannot call; `simulate` can")
    opening = [c.title for c in problem.constraints if getattr(c, "unilateral", False)]
    if opening:
        raise ValueError(
            f"{problem.name!r} has the contact {opening[0]!r}, which opens and closes at events that rollouts {which} do not "
            f"look for; `simulate` does, or take lo.Touch in its place"
        )
    refuse("timestep" if method == "timestep" else "rk4", problem.plan, problem.name)


def step_kernel(problem: Locomotion, plan: Controls, step: float, method: str, entries: Entries | None = None):
    """The compiled step of a problem; None if it takes more operations than make sense as one formula, or if entries of its
    plan that differ between runs decide branches."""
    equations, lanes = Equations.of(problem), Lanes(WIDTH)
    same, key = (equations, "") if entries is None else (entries.without(equations), entries.key)
    key = key_of(lanes, same.digest, method, repr((plan.given, plan.timed, step)), key)
    try:
        code, _ = kept(key, lambda: code_of(*traced_step(equations, plan, step, method, entries), lanes))
    except TypeError:  # a number that differs has no value to decide by
        if entries is None:
            raise
        return None
    return RowKernel(lanes, code) if code.binary else None


def traced_step(equations: Equations, plan: Controls, step: float, method: str, entries: Entries | None = None):
    """A step as a program of q, v, controls, signals, time and numbers of each run, and the shapes of its results."""
    trace, model, limits = Trace(), equations.problem.model, equations.plan
    sizes = (model.nq, model.nv, len(plan.given), 3 * len(plan.timed), 1, *[1] * bool(len(limits.stops)))
    q, v, given, timed, (t,), *past = (boxed(trace.input(n)) for n in sizes)
    if entries is not None:
        sizes = (*sizes, entries.values.shape[1])
        equations = entries.put(equations, trace.input(sizes[-1], entries.nonzero))
    results: list[Any] = list(STEPS[method](equations, q, v, step, *acting(equations, plan, given, timed), t))
    for (most,) in past:  # how far a joint is beyond a limit, at most
        for k, (sign, end, _) in zip(limits.stops, equations.plan.stop_laws, strict=True):
            over = sign * (end - results[0][limits.q_of_v[k]])
            most = select(over > most, over, most)
        results.append([most])
    places = tuple(tuple(trace.place(x) for x in result) for result in results)
    return Program(trace, sizes, places), ((model.nq,), (model.nv,), *[(1,)] * len(past))


def acting(equations: Equations, plan: Controls, given, timed, stages: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Accelerations and forces (stages, nv) at the start, middle and end of a step, or at its stages, from controls and
    signals."""
    nv = equations.problem.model.nv
    accelerations, forces = zeros((stages, nv)), zeros((stages, nv))
    for when in range(stages):
        for slots, values in ((plan.given, given), (plan.timed, timed[when * len(plan.timed) :])):
            for k, value in zip(slots, values, strict=False):
                if k in plan.held:
                    accelerations[when, k] = value
                else:
                    most = float(equations.plan.effort[k])
                    limited = select(value > most, most, select(value < -most, -most, value)) if most < UNLIMITED else value
                    forces[when, k] = limited
    return accelerations, forces


def step_count(controls, duration, step) -> int:
    """Number of steps, from the controls or the duration."""
    if not (isinstance(step, (int, float)) and np.isfinite(step) and step > 0):
        raise ValueError(f"step must be a positive number of seconds, not {step!r}")
    if controls is not None:
        shape = np.shape(controls)
        if len(shape) not in (2, 3):
            raise ValueError(f"controls has shape {shape}, expected (batch, steps, joints) or (steps, joints)")
        steps = shape[-2]
        if duration is not None and abs(duration - steps * step) > 1e-9 * max(duration, step):
            raise ValueError(f"controls are {steps} steps of {step:g} s, that is {steps * step:g} s and not {duration:g} s")
        return steps
    if duration is None or not (np.isfinite(duration) and duration > 0):
        raise ValueError(f"without controls, rollout needs a duration (s) above 0, not {duration!r}")
    if duration / step > MOST_STEPS:
        raise ValueError(f"{duration:g} s in steps of {step:g} s are {duration / step:.3g} steps, more than {MOST_STEPS:g}")
    return max(1, round(duration / step))


def checked_keep(keep) -> int:
    """How many steps lie between states that are kept."""
    if isinstance(keep, bool) or not isinstance(keep, (int, np.integer)) or keep < 1:
        raise ValueError(f"keep must be an integer from 1, not {keep!r}")
    return int(keep)
