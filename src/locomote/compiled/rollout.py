"""Many runs of one problem side by side, step by step, in straight-line vector code."""

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from locomote.actuation.controllers import Sampled
from locomote.compiled.beginning import Beginning, Begun
from locomote.compiled.lots import lots_of
from locomote.compiled.outputs import Look, Outputs
from locomote.compiled.pushed import Pushes
from locomote.compiled.rollouts import Rollouts, looked_at, warn_of_lost
from locomote.compiled.scan import in_rows
from locomote.compiled.step_loop import StepLoop
from locomote.compiled.step_loop import acting as acting
from locomote.compiled.targets import refuse_limited, sprung
from locomote.compiled.who import Controls
from locomote.compiler.background import expect
from locomote.compiler.lanes import WIDTH
from locomote.dynamics.dispatch import in_shares
from locomote.errors import UnknownName
from locomote.locomotion.problem import Locomotion
from locomote.methods.choice import refuse
from locomote.methods.needed import of_rollouts
from locomote.methods.state import FORCE, TOUCH
from locomote.methods.stepped_runs import RunsInRows
from locomote.methods.timestep.runs import CHUNK, SteppedRuns, in_lanes
from locomote.runs.progress import Bar, Shown, shown_progress
from locomote.spatial.numbers import as_numbers
from locomote.symbolic.problem import STEPS

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
    stiffness: Any = None,
    damping: Any = 0.0,
    pushes: Mapping[str, Any] | None = None,
    outputs: Sequence[Any] | None = None,
    threads: int = 1,
    progress: bool | None = None,
    start: str = "check",
) -> Rollouts:
    """Run many copies of a problem at once, with fixed steps.

    controls : (batch, steps, joints) or (steps, joints), constant within a step: the torque of a joint (N, N m), or the
        acceleration of one that is driven (m/s^2, rad/s^2), which then follows it instead of its drive; with a `stiffness`,
        targets (m, rad) that springs pull the joints to
    joints : names of the joints that the columns of controls are for; by default all driven ones, or if there are none all
        but a base of several coordinates
    batch : how many runs, if neither controls nor q, v nor parameters say it
    parameters : numbers of each run, by the names and patterns of `problem.parameters`: (batch,), or (batch, 3) of a vector, or
        one value for all; lo.sweeps.draws(...) gives random ones
    stiffness, damping : of these springs (N/m, N m/rad; N s/m, N m s/rad), one number or one a joint: PD control at every
        instant, tau = stiffness (target - q) - damping v
    pushes : name of a body -> (batch, steps, 6) or (steps, 6): force (N) and moment (N m) on it from outside, at its origin,
        along axes of the world, constant within a step; (..., 3) is force alone
    outputs : names of channels of runs, functions (t, q, v) -> number, and lo.integral(...) of either, that `outputs` of the
        result has at the times that are kept; over contacts it has `contact_forces` in any case
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
    problem, controls = sprung(problem, controls, joints, stiffness, damping)
    problem, lots, batch = lots_of(problem, parameters, batch)
    asked = Outputs.of(problem, outputs, method == "timestep")
    begin = Beginning(q, v, batch, controls, joints, start, steps, float(step))
    begun = begin.of(problem) if lots is None else begin.of_lots(lots)
    pushed = Pushes.of(problem, pushes, len(begun.starts[0]), steps)
    timed, bodies = begun.timed, () if pushed is None else pushed.bodies
    loop = StepLoop(
        begun.sample, begun.plan, float(step), "rk4" if method == "timestep" else method, begun.entries,
        timed.own_drives, timed.spread, bodies, tuple(asked.integrals.values()), asked.instant,
    )  # fmt: skip
    every = steps if keep is None else checked_keep(keep)
    course = Course(begun.sample, begun.starts, steps, float(step), every, pushed, len(asked.integrals))
    how: tuple[int, Any] = threads, shown_progress(progress)
    by_formula = method != "timestep" and loop.scan is not None
    if not by_formula and asked.integrals:
        raise ValueError(f"integrals of {problem.name!r} are not outputs of rollouts: its step is no single formula")
    found = traced(course, begun, loop, *how) if by_formula else stepped(course, begun, method, *how)
    runs = replace(found, start_change=begun.change)
    if course.interrupted:
        warnings.warn(f"interrupted: {problem.name!r} has run for {runs.t[-1]:g} of {steps * step:g} s", stacklevel=3)
    else:
        runs = looked_at(runs, begun.again(course.states, steps, float(step), method, pushed is not None))
    warn_of_lost(problem, runs, float(step), method)
    return replace(runs, outputs=given_out(runs, course, begun, asked, loop)) if outputs is not None else runs


def given_out(runs: Rollouts, course: "Course", begun: Begun, asked: Outputs, loop: StepLoop) -> dict[str, np.ndarray]:
    """Channels at the times that were kept, and integrals up to them; name -> (N, K)."""
    K, found = len(runs.t), {}
    if asked.channels:
        at = np.minimum(np.array([0, *course.last])[:K], course.steps - 1)  # the step that begins there, or the last
        values = np.zeros((len(runs.q), K, 0)) if begun.values is None else begun.values[:, at]
        own = begun.own[0] if begun.own else None
        with np.errstate(all="ignore"):
            found = Look(loop, asked.channels).at(runs.t, runs.q, runs.v, values, begun.timed.now(runs.t, len(runs.q)), own)
    return found | {name: course.totals[0][:, :K, n] for n, name in enumerate(asked.integrals)}


class Course:
    """Many runs on their way: states (N, times, ...) that are kept of all, and how far each has come.

    starts : (N, nq) and (N, nv) ; keep : how many steps lie between states that are kept
    pushes : from outside ; integrals : how many go along
    """

    def __init__(
        self, problem: Locomotion, starts: tuple[np.ndarray, np.ndarray], steps: int, step: float, keep: int,
        pushes: Pushes | None = None, integrals: int = 0,
    ):  # fmt: skip
        self.problem, self.starts, self.steps, self.step, self.keep, self.pushes = problem, starts, steps, step, keep, pushes
        self.last = np.unique([*range(keep, steps, keep), steps])  # after which steps states are kept
        self.states = [np.empty((len(x), len(self.last) + 1, x.shape[-1])) for x in starts]
        for target, start in zip(self.states, starts, strict=True):
            target[:, 0] = start
        self.totals = [np.zeros((len(starts[0]), len(self.last) + 1, integrals))]
        places = len(problem.plan.spots) if problem.contacts else 0
        self.forces = [np.zeros((len(starts[0]), len(self.last) + 1, places, 3))]  # of contacts
        self.interrupted: list[KeyboardInterrupt] = []
        self._done, self._begin = np.ones(len(starts[0]), dtype=int), 0.0  # how many states of each run are there

    def go(self, share: Callable[[int, int], None], block: int, threads: int, shown: Shown) -> None:
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

    def reached(self, n: int, start: int, stop: int, rows: Sequence[np.ndarray], more: Sequence[np.ndarray] = ()) -> None:
        """Keep states (runs, times, ...) of a share up to step n, the last of which is that after n steps, if it is to be kept,
        and show how far it is. more : arrays (N, times, ...) for what comes after q and v in rows"""
        place = int(np.searchsorted(self.last, n)) + 1
        if self.last[place - 1] == n:
            for target, x in zip((*self.states, *more), rows, strict=False):
                target[start:stop, place + 1 - x.shape[1] : place + 1] = x
            self._done[start:stop] = place + 1
        if start == 0:
            self._bar.show(n * self.step, time.perf_counter() - self._begin)

    def part(self, problem: Locomotion, rows: np.ndarray) -> "Course":
        """The course of some of the runs, with a problem of their own."""
        starts = self.starts[0][rows], self.starts[1][rows]
        pushes = None if self.pushes is None else replace(self.pushes, wrenches=self.pushes.wrenches[rows])
        part = Course(problem, starts, self.steps, self.step, self.keep, pushes)
        part.interrupted = self.interrupted
        return part

    def take(self, part: "Course", rows: np.ndarray) -> None:
        """Take what a part has come to."""
        for target, x in zip((*self.states, *self.forces), (*part.states, *part.forces), strict=True):
            target[rows] = x
        self._done[rows] = part._done

    def found(self, **more: Any) -> Rollouts:
        """What all runs have come to."""
        complete = self._done.min()
        q, v, forces = (x[:, :complete] for x in (*self.states, *self.forces))
        touched = {"contact_forces": forces} if self.problem.contacts else {}
        return Rollouts(np.array([0.0, *self.last * self.step])[:complete], q, v, **touched, **more)


def traced(course: Course, begun: Begun, loop: StepLoop, threads: int, shown: Shown) -> Rollouts:
    """Rollouts by a step that is one formula, in a compiled loop over time."""
    given = [x for x in (begun.values, None if course.pushes is None else course.pushes.wrenches) if x is not None]
    count, nq, nv, totals = len(course.starts[0]), loop.sizes["q"], loop.sizes["v"], course.totals
    past, own = np.zeros(count), [*begun.own, *([] if begun.timed.weights is None else [begun.timed.weights])]

    def share(start: int, stop: int) -> None:
        """All steps of some runs."""
        runs, timed = slice(start, stop), begun.timed.part(start, stop)
        carry = loop.carry(*(x[runs] for x in (*course.starts, *own)))
        for first, last in loop.chunks(course.steps, course.keep, stop - start):
            if course.interrupted:
                return
            kept = loop.run(carry, (first, last), course.keep, [x[runs, first:last] for x in given], timed)
            rows = in_rows(kept, stop - start)
            course.reached(last, start, stop, (rows[:, :, :nq], rows[:, :, nq : nq + nv], rows[:, :, nq + nv :]), totals)
        if loop.stops:
            past[runs] = loop.past(carry, stop - start)

    course.go(share, WIDTH, threads, shown)
    return course.found(beyond=past if loop.stops else None)


def stepped(course: Course, begun: Begun, method: str, threads: int, shown: Shown) -> Rollouts:
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


def stepped_alike(course: Course, plan: Controls, values, method: str, threads: int, shown: Shown) -> np.ndarray | None:
    """`stepped` of runs with the same numbers; how well they meet the law of contacts."""
    problem, N, steps = course.problem, len(course.starts[0]), course.steps
    which = "over contacts" if method == "timestep" else f"of a model as large as {problem.model.name!r}"
    refuse_unable(problem, method, which)
    if plan.held & set(plan.given):
        raise ValueError(f"controls of driven joints are accelerations, which rollouts {which} do not take")
    controls, slots = np.zeros((N, steps, 0)) if values is None else values, list(plan.given)
    if course.pushes is not None:  # what they are to each coordinate is written behind the controls, step by step
        controls = np.concatenate([controls, np.zeros((N, steps, problem.model.nv))], axis=2)
        slots += range(problem.model.nv)
        refuse_limited(problem, course.pushes.reaching(problem, course.starts[0][0]), "pushes")
    together = method == "timestep" and in_lanes(problem.plan, N)
    if method == "timestep":
        expect("run", lambda: of_rollouts(problem.plan, together))
    given = (problem, *course.starts, controls, np.array(slots, np.int64), course.step)
    runs = SteppedRuns(*given) if method == "timestep" else RunsInRows(*given, method)
    ends = np.unique([*course.last, *range(CHUNK, steps, CHUNK), *pushed_steps(course.pushes)]).tolist()

    def share(start: int, stop: int) -> None:
        """All steps of some runs."""
        worker = runs.worker()
        for before, end in zip([0, *ends], ends, strict=False):
            if course.interrupted:
                return
            if course.pushes is not None:
                pull = course.pushes.pull(problem, before, start, stop, runs.q[start:stop])
                runs.controls[start:stop, before, -problem.model.nv :] = pull
            runs.go(worker, start, stop, before, end)
            rows = [runs.q[start:stop, None], runs.v[start:stop, None]]
            if isinstance(runs, SteppedRuns):
                rows.append(runs.touch[start:stop].reshape(stop - start, 1, -1, TOUCH)[..., FORCE : FORCE + 3])
            course.reached(end, start, stop, rows, course.forces)

    course.go(share, WIDTH if together else 1, threads, shown)
    return runs.law


def pushed_steps(pushes: Pushes | None) -> list[int]:
    """Ends of the steps before and in which something is pushed: these are taken one by one."""
    if pushes is None:
        return []
    pushed = np.flatnonzero(pushes.wrenches.any(axis=(0, 2)))
    return [int(n) for n in np.unique([*pushed, *(pushed + 1)]) if n > 0]


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
