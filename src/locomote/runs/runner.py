"""A run from start to end: compiled code steps, Python looks after events, progress, files and faults."""

import contextlib
import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from locomote.actuation.controllers import Held, Sampled, clocked, said_by
from locomote.compiler.callbacks import Callback, held_interrupts, table_of
from locomote.compiler.indirect import compiled
from locomote.constraints.kinds import Rolling
from locomote.dynamics.idle import idle_motions
from locomote.dynamics.matrices import mass_matrix
from locomote.errors import LocomoteError
from locomote.evaluation import plan as fields
from locomote.evaluation.bending_limits import why_too_far
from locomote.evaluation.clocks import EARLY, PERIOD, START, WEIGHT
from locomote.evaluation.plan import SOURCES
from locomote.evaluation.protocol import Problem
from locomote.later import later
from locomote.methods import state as at
from locomote.methods import stepping
from locomote.methods.advance import ADVANCE, LARGE_CORRECTION, advance
from locomote.methods.entries import assemble_one, fill_matrices, record_one
from locomote.methods.events.event import Event
from locomote.methods.events.ignored import checked_names, ends_of, held_rows, without
from locomote.methods.events.switching import switch
from locomote.methods.events.unilateral import Contacts
from locomote.methods.events.when import When, as_when
from locomote.methods.options import Options
from locomote.methods.recorded import places_of, read_fields, write_fields
from locomote.methods.registry import METHODS
from locomote.methods.stalling import Progress
from locomote.methods.state import samples_of
from locomote.methods.stiffness import LONG, why_so_many
from locomote.runs.amounts import MOST_TICKS, checked_steps
from locomote.runs.audit.known import audited
from locomote.runs.channels import commands_of
from locomote.runs.diverged import grown, why_diverged, why_exploded
from locomote.runs.files.kept_state import go_back, saved_state
from locomote.runs.files.runfile import RunFileError, RunWriter
from locomote.runs.progress import Bar, shown_progress
from locomote.runs.schedule import Schedule
from locomote.runs.spinning import warn_of_spin
from locomote.runs.trajectory import Trajectory

CHUNK = 0.2  # seconds between looks at the clock
MOST_EVENTS = 100_000
BEYOND = 1e3  # times the velocities of the run until then: a motion that has blown up
NEXT_TO_NOTHING = 1e-6  # what a motion moves of the mass that its joints move one by one
MOST_JUMPS, NOWHERE = 20, 1e-3  # so many corrections of velocities within this part of a run are no progress
STUCK = (stepping.NOT_FINITE, stepping.STEP_TOO_SMALL)  # how steps end that become shorter and shorter
EXTREMES = ("max", "max_at", "min", "min_at")  # rows of `peaks`
SPARE = 64  # samples that there is room for beyond those that are scheduled
AGAIN = 1.0  # s: a second Ctrl-C within this time ends more than the run
NOT_YET = object()
_interrupted = [-math.inf]  # when Ctrl-C last ended a run


class RunFailed(LocomoteError, RuntimeError):
    """A run that could not go on; `run` holds what was computed until then."""

    def __init__(self, message: str, run: Trajectory):
        super().__init__(message)
        self.run = run


class Runner:
    """One run of a problem.

    start : (q, v) at time t ; anchor : the configuration that targets and lengths which were left open are taken from; start
    ignore : name of a constraint that does not hold -> time until then, or None
    """

    def __init__(
        self,
        problem: Problem,
        schedule: Schedule,
        options: Options,
        events: Sequence[When | Callable],
        start,
        t: float,
        anchor=None,
        ignore: Mapping[str, float | None] | None = None,
    ):
        self.problem, self.options, self.schedule, self.times = problem, options.checked(), schedule, schedule.times
        self.t0, self.method = t, METHODS[options.method]
        self._refuse_endless()
        self.ignore = dict(ignore or {})
        self.classification = str(problem.classify(t, start[0], ignore=list(self.ignore)))
        if not isinstance(events, Sequence):
            raise TypeError(f"events must be a list, such as events=[...], not {events!r:.60}")
        self.watched, self.users = [as_when(event) for event in events] + ends_of(self.ignore), len(events)
        named = [checked_names(problem, names, label) for w in self.watched for label, names in w.switches]
        self.switched = {*self.ignore, *(name for names in named for name in names)}  # constraints that may not hold
        self.chosen, self.reason = False, ""  # whether the method was chosen for the user, and why
        self.stiff: str | None = None  # why there are so many steps, once that was asked
        self.start_change: dict[str, list[float]] | None = None  # how far the start is from the one that was given
        plan, callbacks = problem.run_plan(start[0] if anchor is None else anchor), []
        if self.watched:
            sizes = problem.model.nq, problem.model.nv, len(self.watched)
            callbacks.append(Callback(self._watch, sizes, name="events"))
            plan.functions[fields.EVENTS] = callbacks[0].row
        self.controllers = [Held(c, problem.model.nq, problem.model.nv) for c in problem.controllers if isinstance(c, Sampled)]
        callbacks += [held.callback for held in self.controllers]
        if callbacks:
            functions = np.vstack([plan.functions, table_of([held.callback for held in self.controllers])])
            plan = plan.changed(callbacks, functions=functions)
        self.plan = without(problem, plan, self.ignore)
        self.work = problem.work_for(self.plan)
        if self.plan.clock_kinds[:, WEIGHT].any():
            fill_matrices(self.plan)
        self.contacts = Contacts(problem, self.plan, self.work, stops=not self.method.impulsive)
        self.state = self.method.state_for(self.plan, len(self.watched))
        self.samples = samples_of(self.plan, self.times, len(self.times) + SPARE)
        self.places = places_of(self.plan, problem.terms)
        self.events: list[Event] = []
        self._written_events, self._correcting, self.goes_on = 0, -2, False  # goes_on : not from its start
        self._jumps: list[float] = []
        self._kept: Any = NOT_YET  # what the step of the method needs, once it has been made
        self.wall, self.status, self.message, self.fault = 0.0, "running", "", None
        state, users = self.state, len(self.watched)
        state.q[:], state.v[:] = start
        state.clock[[at.TIME, at.END]], state.clock[at.STEP], state.clock[at.ERROR] = t, self._first_step(), 1e-4
        state.clock[at.NEAREST], state.clock[at.LIMIT] = 1.0, 1e300
        state.counts[at.RANK], state.counts[at.FRESH] = -1, 1
        reach = self.method.reach(options.rtol)
        state.settings[:] = options.rtol, options.atol, min(options.max_step, 1e300), 1e-14, schedule.spacing, reach
        state.choices[:] = options.projection, 1000, options.singular == "stop"
        self.plan.options[fields.DENSE] = self.method.by_mass
        if not self.method.local:  # which looks at what elimination as a whole leaves behind
            self.plan.options[fields.LOCAL] = 0.0
        state.directions[:users] = [w.direction for w in self.watched]
        state.directions[users:] = -1
        period, first = self.plan.clocks[:, PERIOD], self.plan.clocks[:, START]
        state.ticks[:] = np.maximum(0, np.ceil((t - first) / period - EARLY))

    def _refuse_endless(self) -> None:
        """Refuse steps, or ticks of controllers, that would never come to an end."""
        options, length = self.options, float(self.times[-1]) - self.t0 if len(self.times) else 0.0
        checked_steps(length, options.max_step, "max_step")
        if options.step is not None and not self.method.chooses:
            checked_steps(length, options.step)
        for controller in clocked(self.problem.controllers):
            checked_steps(length, controller.every, f"every of {controller.title}", MOST_TICKS)

    def _first_step(self) -> float:
        if self.options.step is not None:
            return self.options.step
        if not self.method.chooses:
            return 1e-3
        return min(self.method.first_step, 0.1 * (float(self.times[-1] - self.t0) or 1.0))

    def _watch(self, t, q, v):
        return np.array([when(t, q, v) for when in self.watched])

    # running

    def go(self, progress=None, writer=None, checkpoint: float = 5.0) -> None:
        """Run to the end, an end set by an event, a fault or Ctrl-C."""
        self._kept = self.method.fill_calls(self.plan, self.work, self.state, self.problem.terms)
        if self.contacts and not self.goes_on:
            self._settle_start()
        compiled(*ADVANCE)
        begun, written, saved = time.perf_counter() - self.wall, int(self.state.counts[at.FILLED]), time.perf_counter()
        self._choose_step()
        state, budget = self.state, max(1, int(self.state.choices[at.BUDGET]))  # steps may have used it up
        progressing = Progress(float(state.clock[at.TIME]), int(state.counts[at.STEPS]))
        with held_interrupts(self._pause) as pressed:
            while self.status == "running":
                tick = time.perf_counter()
                state.choices[at.BUDGET] = min(budget, progressing.left(int(state.counts[at.STEPS])))
                before = self.saved_state() if self.plan.callbacks else {}
                code = advance(self.plan, self.work, self.state.common, self.samples)
                spent = time.perf_counter() - tick
                if self._broken_off():
                    self._take_back(before)
                elif not self._helped(code):
                    self._act(code)
                if pressed and self.status == "running":  # what a step found has been looked after
                    self._interrupt()
                if self.status == "running" and progressing.stalls(int(state.counts[at.STEPS]), float(state.clock[at.TIME])):
                    self._end("failed", self._stall())
                if code == stepping.PAUSED and spent < 0.5 * CHUNK:
                    budget = min(10**9, 2 * budget)
                elif code == stepping.PAUSED and spent > 2 * CHUNK:
                    budget = max(1, budget // 2)
                self._look_for_stiffness()
                self.wall = time.perf_counter() - begun
                if progress is not None:
                    progress(float(self.state.clock[at.TIME]), self)
                if writer is not None and (self.status != "running" or time.perf_counter() - saved > checkpoint):
                    try:
                        written, saved = self._write(writer, written), time.perf_counter()
                    except RunFileError as error:  # what was computed stays here, what was written stays there
                        self.fault = error
                        self._end("failed", str(error))

    def _pause(self) -> None:
        """Have compiled code stop at the end of its step."""
        self.state.choices[at.BUDGET] = 0

    def _interrupt(self) -> None:
        self._end("interrupted", f"interrupted at t = {float(self.state.clock[at.TIME]):.6g} s")

    def _broken_off(self) -> bool:
        """Whether a function of the problem raised something, and how the run ends for that."""
        try:
            self.plan.raise_faults()
        except KeyboardInterrupt:
            self._interrupt()
        except Exception as error:
            self.fault, t = error, float(self.state.clock[at.TIME])
            self._end("failed", f"a function of the problem raised {type(error).__name__} at t = {t:.6g} s: {error}")
        for callback in self.plan.callbacks:
            callback.forget()
        return self.status != "running"

    def _take_back(self, before: Mapping[str, Any]) -> None:
        """A step that a function broke off is as if it had not begun: back to where compiled code was called, and again up to
        that step. So nothing that the function spoilt is left in samples, or in the state that a resumed run starts from."""
        steps = int(self.state.counts[at.STEPS]) - int(before["counts"][at.STEPS]) - 1  # the last may have been taken with it
        go_back(self, before)
        if steps > 0:
            self.state.choices[at.BUDGET] = steps
            advance(self.plan, self.work, self.state.common, self.samples)
            try:
                self.plan.raise_faults()
            except BaseException:  # it does not say the same twice
                go_back(self, before)

    def _look_for_stiffness(self) -> None:
        """Say once, of a run by the method that was chosen for it, why its steps are so many."""
        state = self.state
        if self.chosen and self.stiff is None and state.counts[at.STEPS] >= LONG and self.method.explicit:
            span = float(self.times[-1] - self.t0)
            self.stiff = why_so_many(self.problem, self.plan, self.work, float(state.clock[at.TIME]), state.q, state.v, span)
            self.work.known[0] = 0
            if self.stiff:
                warnings.warn(self.stiff, RuntimeWarning, stacklevel=5)

    def _helped(self, code: int) -> bool:
        """Give exact tangents to a run that wants them; whether that lets it go on where it was stuck."""
        stuck = code in STUCK
        if self._kept is None:
            self._kept = self.method.help(self.plan, self.work, self.state, self.problem.terms, stuck)
            return stuck and self._kept is not None
        return False

    def whole(self, progress: bool | None, checkpoint, interval: float, earlier: Trajectory | None = None) -> Trajectory:
        """Run, with a progress bar and a file if asked; the Trajectory, or RunFailed. earlier : the part that was there."""
        writer = None if checkpoint is None else RunWriter(checkpoint, self.problem, info=self.info(), earlier=earlier)
        with writer or contextlib.nullcontext():
            with Bar(self.problem.name, self.times, shown_progress(progress)) as bar:
                self.go(lambda t, runner: bar.show(t, runner.wall), writer, interval)
            if writer is not None and not isinstance(self.fault, RunFileError):
                writer.close(info=self.info())
        run = self.trajectory()
        warn_of_spin(run)
        if self.status == "interrupted":
            now, before = time.monotonic(), _interrupted[0]
            _interrupted[0] = now
            if self.options.on_interrupt == "raise" or now - before < AGAIN:
                raise KeyboardInterrupt(self.message)
        if self.status == "failed":
            raise RunFailed(f"{self.problem.name!r}: {self.message}", run) from self.fault
        return run

    def _write(self, writer, written: int) -> int:
        filled = int(self.state.counts[at.FILLED])
        events = self.events[self._written_events :]
        writer.append(self.arrays(written, filled), state=self.saved_state(), events=events, tracked=self.tracked())
        self._written_events = len(self.events)
        return filled

    def _choose_step(self) -> None:
        """Fixed steps must meet the samples: as many whole steps between two as their distance takes."""
        if self.method.chooses or len(self.times) < 2:
            return
        gaps = np.diff(self.times)
        if np.ptp(gaps) < 1e-9 * gaps.max():
            gap = float(gaps.mean())
            self.state.clock[at.STEP] = gap / max(1, math.ceil(gap / self.state.clock[at.STEP] - 1e-9))

    def _act(self, code: int) -> None:
        t = float(self.state.clock[at.TIME])
        if code == stepping.DONE:
            self._end("finished", "")
        elif code == stepping.FULL:
            self.make_room(len(self.samples.t))
        elif code == stepping.EVENT_FOUND:
            self._events(t)
        elif code == stepping.RANK_CHANGED:
            rank = int(self.state.counts[at.RANK])
            case = self.problem.classify(t, self.state.q, closed=self.contacts.closed(), ignore=self.contacts.ignored())
            text = f"the constraints have rank {rank} from here on: {case.name}"
            self.events.append(self._event(t, "rank", text, rank=rank))
            if self.options.singular == "stop":
                self._end("stopped", f"the rank of the constraints changed at t = {t:.6g} s")
        elif code == stepping.SINGULAR_PASSED:
            when = float(self.state.clock[at.PASSED])
            rank = int(self.state.counts[at.RANK])
            self.events.append(
                Event(when, "rank", f"the constraints, of rank {rank}, pass a singular configuration", {"rank": rank})
            )
            if self.options.singular == "stop":
                self._end("stopped", f"the constraints are singular at t = {when:.6g} s")
        elif code == stepping.CORRECTED:
            self._corrected(t, *(float(x) for x in self.work.result[[fields.CHANGED, fields.TAKEN]]))
        elif code == stepping.STEP_TOO_SMALL:
            self._end("failed", self._stall() if self._idle() else f"the step became too small at t = {t:.6g} s: {self._why()}")
        elif code == stepping.NOT_FINITE:
            self._end("failed", f"a value is not finite after t = {t:.6g} s: {self._why_not_finite()}")
        elif code == stepping.SINGULAR:
            why = self._unresisted() or "some motion that the constraints leave free moves no mass"
            self._end("failed", f"no acceleration at t = {t:.6g} s: {why}")
        elif code == stepping.INCOMPATIBLE:
            self._end("failed", self._misfit(t))
        elif code == stepping.TOO_FAR:
            self._end("failed", why_too_far(self.problem.model, self.state.q, t, self._diverged()))
        elif code == stepping.NO_CONVERGENCE:
            self._end("failed", f"the implicit equations did not converge at t = {t:.6g} s; use a smaller step")

    def _misfit(self, t: float) -> str:
        work = self.work
        error = np.where(held_rows(self.plan), work.error, 0.0)
        residual = np.where(abs(error) > 1e-6, error, work.A @ self.state.v + work.speed)
        rows = self.problem.worst_rows(residual, 1e-7)
        if self.problem.imposed.any():
            return f"the imposed motion does not fit the constraints at t = {t:.6g} s: {rows}"
        return f"no motion meets the constraints any more at t = {t:.6g} s{self._how()}: {rows}"

    def _how(self) -> str:
        """Why constraints cannot be met, if it is clear: a wheel that lies flat, or a motion that has grown without bound."""
        if not self.method.chooses and (v := grown(self.state, self.samples, BEYOND)):
            return f" (velocities have grown to {v:.2g}: the step is too long)"
        return (
            ", such as those of a wheel that lies flat" if any(isinstance(c, Rolling) for c in self.problem.constraints) else ""
        )

    def _why(self) -> str:
        t = float(self.state.clock[at.TIME])
        case = self.problem.classify(t, self.state.q, closed=self.contacts.closed(), ignore=self.contacts.ignored())
        least = min(case.singular_values, default=1.0)
        if least < 1e-3:
            return f"the constraints are close to singular (smallest singular value {least:.2g})"
        return why_exploded(self.state, self.samples) or (
            "the motion is too fast for the tolerance, or jumps; loosen rtol and atol, or use method='implicit' if it is stiff"
        )

    def _stall(self) -> str:
        t, step = float(self.state.clock[at.TIME]), float(self.state.clock[at.STEP])
        said = f"steps become shorter without end at t = {t:.6g} s, now {step:.2g} s: the motion becomes infinitely stiff"
        if not (idle := self._idle()):
            return f"{said}; use method='implicit', or loosen rtol and atol"
        return f"{said}: {idle} here, or next to none, as in the gimbal lock of angles; use other joints or no damper"

    def _unresisted(self) -> str:
        """Words about motions that move no mass, or that nothing resists; empty if there are none."""
        q = self.state.q
        return later("locomotion.unresisted", "why_no_motion")(self.problem, 0.0, q.copy()) if np.isfinite(q).all() else ""

    def _idle(self) -> str:
        """Words about motions that move next to no mass; empty if there are none, or nothing has mass."""
        if self.plan.options[fields.CREEPING] != 0.0 or not np.isfinite(self.state.q).all():
            return ""
        M = mass_matrix(self.problem.model, self.state.q)
        scale = np.sqrt(np.maximum(np.diag(M), np.finfo(float).tiny))
        heavy = np.linalg.eigvalsh(M / scale / scale[:, None])[0] > NEXT_TO_NOTHING
        return "" if heavy else idle_motions(self.problem.model, M, share=0.01)

    def _diverged(self) -> str:
        if len(self.samples.t) == self.state.counts[at.FILLED]:
            self.make_room(SPARE)
        return why_diverged(self.plan, self.work, self.state, self.samples, self.options)

    def _why_not_finite(self) -> str:
        for which, value in ((k, g[k]) for g in (self.state.g, self.state.g_end) for k in range(len(self.watched))):
            if not math.isfinite(value):
                return f"event {self._name(which)!r} gave {value}"
        t, step = float(self.state.clock[at.TIME]), float(self.state.clock[at.STEP])
        gap = next(filter(None, (self.problem.drive_gap(t + ahead) for ahead in (step, 1e-6, 1e-3))), "")
        return (
            gap
            or self._unresisted()
            or self._diverged()
            or "a drive, a torque or a function gave NaN, or the motion grew without bound"
        )

    def _end(self, status: str, message: str) -> None:
        self.status, self.message = status, message

    # events and contacts

    def _events(self, t: float) -> None:
        """All that happened at one time: events of the user, then contacts."""
        if len(self.events) >= MOST_EVENTS:
            self._end("failed", f"{MOST_EVENTS} events until t = {t:.6g} s; something chatters")
            return
        state, users = self.state, len(self.watched)
        met = [int(k) for k in np.flatnonzero(state.met)]
        touched = [self.contacts.numbered[k - users] for k in met if k >= users]
        opening, hitting = ([c for c in touched if self.contacts.is_closed(c) == closed] for closed in (True, False))
        acted = any(self.watched[k].acts for k in met if k < users)
        if hitting or acted:
            self._keep_sample()  # velocities jump: a sample before, and one after
        for number in (k for k in met if k < users):
            self._users_event(t, number)
        if hitting and not acted:  # or contacts have been settled with what the event did
            self.events += self.contacts.hit(t, state.q, state.v, state.done, hitting)
        for c in opening:
            if self.contacts.is_closed(c) and not acted:
                self.events += self.contacts.release(t, state.q, state.v, c)
        if self.contacts.jam:
            self._end("failed", self.contacts.jam)
        elif touched:
            self._fresh()
        if hitting or self.status != "running" or acted:
            self._keep_sample(anew=acted)

    def _settle_start(self) -> None:
        """Contacts that are closed, or hit, at the start."""
        state, t = self.state, float(self.state.clock[at.TIME])
        hitting = self.contacts.touch(t, state.q, state.v)
        sampled = bool(hitting) and self.times[0] <= t
        if sampled:
            self._keep_sample()  # before the impact, with those open that hit
        found = self.contacts.meet(t, state.q, state.v, state.done, hitting)
        if sampled:
            self._keep_sample()
        self.events += found
        if self.contacts.jam:
            self._end("failed", self.contacts.jam)
            return
        self._fresh()

    def make_room(self, more: int) -> None:
        """Room for more samples."""
        self.samples = samples_of(self.plan, self.times, len(self.samples.t) + more, self.samples)

    def _keep_sample(self, *, anew: bool = False) -> None:
        """A sample of the state as it is now, unless the last one is just that; anew : also if only reactions differ."""
        state, samples, n, now = self.state, self.samples, int(self.state.counts[at.FILLED]), self.state.clock[at.TIME]
        if (
            not anew
            and n
            and samples.t[n - 1] == now
            and all(np.array_equal(getattr(samples, x)[n - 1], getattr(state, x)) for x in "qv")
        ):
            return
        if len(samples.t) - n < len(self.times) - state.counts[at.NEXT] + 2:
            self.make_room(SPARE)
        record_one(self.plan, self.work, self.state.common, self.samples)
        while state.counts[at.NEXT] < len(self.times) and self.times[state.counts[at.NEXT]] <= now:
            state.counts[at.NEXT] += 1

    def _event(self, t: float, kind: str, text: str, **data) -> Event:
        """Something that happens in the state as it is now."""
        return Event(t, kind, text, data | {"q": self.state.q.tolist(), "v": self.state.v.tolist()})

    def _name(self, number: int) -> str:
        """What an event of the user is called."""
        return self.watched[number].name or getattr(self.watched[number].function, "__name__", f"event {number}")

    def _users_event(self, t: float, number: int) -> None:
        watched, state, name = self.watched[number], self.state, self._name(number)
        self.events.append(self._event(t, "event", f"{name} is zero", number=number, velocity=watched.then is not None))
        if watched.open or watched.close:
            self.events += switch(self.contacts, t, state.q, state.v, state.done, watched.open, watched.close)
            self._fresh()
        if watched.then is not None:
            try:
                v = self.problem.model.checked_v(watched.then(t, state.q.copy(), state.v.copy()), f"what {name!r} gives")
            except Exception as error:
                self.fault = error
                self._end("failed", f"event {name!r} at t = {t:.6g} s: {type(error).__name__}: {error}")
                return
            self._change_velocity(t, v)
        if watched.terminal:
            self._end("stopped", f"{name} is zero at t = {t:.6g} s")

    def _change_velocity(self, t: float, v: np.ndarray) -> None:
        """Go on with another velocity, as far as drives and constraints allow; its energy comes from the surroundings."""
        state, M = self.state, mass_matrix(self.problem.model, self.state.q)
        sources = slice(0, len(SOURCES))
        before, counted = 0.5 * state.v @ M @ state.v, state.done[sources].sum()
        state.v[self.plan.free] = v[self.plan.free]
        self.events += self.contacts.settle(t, state.q, state.v, state.done) if self.contacts else []
        asked = state.v.copy()
        assemble_one(self.plan, self.work, t, state.q, state.v, state.a, state.scratch_q, state.scratch_v)
        change, most = state.v - asked, max(asked @ M @ asked, state.v @ M @ state.v)
        part = math.sqrt(max(0.0, change @ M @ change) / most) if most > 0 else 0.0
        if part > LARGE_CORRECTION:
            text = f"the velocity that was given changes by {100 * part:.2g} % to meet drives and constraints"
            self.events.append(self._event(t, "correction", text, part=part))
        state.done[fields.SURROUNDINGS] += 0.5 * state.v @ M @ state.v - before - (state.done[sources].sum() - counted)
        self._fresh()

    def _corrected(self, t: float, part: float, energy: float) -> None:
        """Say that velocities jump onto the constraints, once for steps in a row that do; a run that does it again and again
        while it gets nowhere ends."""
        before, self._correcting = self._correcting, int(self.state.counts[at.STEPS])
        if self._correcting - before > 1:
            went = f"{energy:.3g} J are lost" if energy >= 0 else f"{-energy:.3g} J are gained"
            text = f"velocities jump by {100 * part:.2g} % to meet the constraints again, {went}"
            self.events.append(self._event(t, "correction", text, part=part, energy=-energy))
        self._jumps = [*self._jumps, t][-MOST_JUMPS:]
        if len(self._jumps) == MOST_JUMPS and t - self._jumps[0] < NOWHERE * (self.times[-1] - self.t0):
            self._end(
                "failed",
                f"velocities jump again and again to meet the constraints at t = {t:.6g} s: no smooth motion does, as for a "
                f"wheel that lies flat; the events say when this began",
            )

    def _fresh(self) -> None:
        """Go on from a changed velocity or changed contacts."""
        state = self.state
        state.counts[at.FRESH], state.counts[at.RANK] = 1, -1
        self.take_plan()
        if self.contacts:
            state.clock[at.LIMIT] = min(1e300, self.contacts.longest_step(float(state.clock[at.TIME]), state.q, state.v))

    def take_plan(self) -> None:
        """Go on with other coordinates held than before, if joints came onto their stops or left them."""
        if self.contacts.plan is not self.plan:
            self.plan = self.contacts.plan
            self.method.changed(self.state)
            if self._kept is not NOT_YET:
                self._kept = self.method.fill_calls(self.plan, self.work, self.state, self.problem.terms)

    # results

    def arrays(self, first: int, last: int) -> dict[str, Any]:
        """Samples from first to last as the arrays of a Trajectory."""
        found = read_fields(self.samples, self.places, slice(first, last))
        return found | {"commands": commands_of(self.problem.actuators, found["t"])}

    def saved_state(self) -> dict[str, Any]:
        """All that a run needs to go on exactly as if it had not stopped."""
        return saved_state(self)

    def restore(self, saved: Mapping[str, Any], earlier: Trajectory) -> None:
        """Go back to a saved state; the samples before it are those of an earlier part of the run."""
        go_back(self, saved)
        self.wall, self.events, self.goes_on = float(saved["wall"]), list(earlier.events), True
        self.reason, self.start_change = str(earlier.info.get("reason", "")), earlier.info.get("start change")
        self.make_room(len(earlier))
        write_fields(self.samples, self.places, slice(0, len(earlier)), earlier)
        self._written_events = len(self.events)

    def info(self) -> dict[str, Any]:
        """How it was computed."""
        o, counts = self.options, self.state.counts
        steps, passed = int(counts[at.STEPS]), float(self.state.clock[at.TIME]) - self.t0
        spoken = {
            "reason": self.reason,
            "stiff": self.stiff,
            "said": said_by(self.controllers),
            "start change": self.start_change,
        }
        return {
            "method": o.method, "rtol": o.rtol, "atol": o.atol, "step": o.step, "max_step": o.max_step,
            "mean_step": passed / steps if steps else None,
            "projection": o.projection, "singular": o.singular, "steps": steps,
            "rejected": int(counts[at.REJECTED]), "evaluations": int(counts[at.EVALUATIONS]), "wall": self.wall,
            "status": self.status, "message": self.message,
            "classification": self.classification, "samples": self.schedule.to_record(), "t0": self.t0,
            "events": self.users, "ignore": self.ignore,
        } | {name: text for name, text in (spoken | audited(self.problem)).items() if text}  # fmt: skip

    def trajectory(self) -> Trajectory:
        """What was computed so far."""
        return Trajectory(
            model=self.problem.model, problem=self.problem, events=self.events, info=self.info(),
            state=self.saved_state(), tracked=self.tracked(), **self.arrays(0, int(self.state.counts[at.FILLED])),
        )  # fmt: skip

    def tracked(self) -> dict[str, np.ndarray]:
        """What was followed through all steps: the path of the base, m, and extreme values of all columns with their times."""
        result = {"path": self.state.done[[fields.PATH]]} if len(self.plan.base) else {}
        result |= self.method.tracked(self.state)
        first = 0
        for name in at.PEAKED:
            peaks = self.state.peaks[:, first : first + getattr(self.samples, name).shape[1]]
            first += peaks.shape[1]
            result |= {f"{name}.{label}": row for label, row in zip(EXTREMES, peaks, strict=True)}
        return result
