"""A run from start to end: compiled code steps, Python looks after events, progress, files and faults."""

import contextlib
import math
import time
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from locomote.compiler.callbacks import held_interrupts
from locomote.compiler.indirect import compiled
from locomote.errors import LocomoteError
from locomote.methods import state as at
from locomote.methods import stepping
from locomote.methods.advance import ADVANCE, advance
from locomote.methods.stalling import Progress
from locomote.methods.stiffness import LONG, why_so_many
from locomote.runs.checkpoints import go_back, saved_state, tracked, trajectory
from locomote.runs.endings import act, stall
from locomote.runs.events import settle_start
from locomote.runs.files.runfile import RunFileError, RunWriter
from locomote.runs.progress import Bar, Shown, shown_progress
from locomote.runs.running import Running
from locomote.runs.spinning import warn_of_spin
from locomote.runs.trajectory import Trajectory

CHUNK = 0.2  # seconds between looks at the clock
STUCK = (stepping.NOT_FINITE, stepping.STEP_TOO_SMALL)  # how steps end that become shorter and shorter
AGAIN = 1.0  # s: a second Ctrl-C within this time ends more than the run
_interrupted = [-math.inf]  # when Ctrl-C last ended a run


class RunFailed(LocomoteError, RuntimeError):
    """A run that could not go on; `run` holds what was computed until then."""

    def __init__(self, message: str, run: Trajectory):
        super().__init__(message)
        self.run = run


class Runner:
    """Goes through with a run."""

    def __init__(self, run: Running):
        self.run = run
        self.written, self.written_events = int(run.state.counts[at.FILLED]), len(run.events)  # what the file has

    def whole(self, progress: Shown | None, checkpoint, interval: float, earlier: Trajectory | None = None) -> Trajectory:
        """Run, with a progress bar and a file if asked; the Trajectory, or RunFailed. earlier : the part that was there."""
        run = self.run
        writer = None if checkpoint is None else RunWriter(checkpoint, run.problem, info=run.info(), earlier=earlier)
        with writer or contextlib.nullcontext():
            with Bar(run.problem.name, run.times, shown_progress(progress)) as bar:
                self.go(bar, writer, interval)
            if writer is not None and not isinstance(run.fault, RunFileError):
                writer.close(info=run.info())
        found = trajectory(run)
        warn_of_spin(found)
        if run.status == "interrupted":
            now, before = time.monotonic(), _interrupted[0]
            _interrupted[0] = now
            if run.options.on_interrupt == "raise" or now - before < AGAIN:
                raise KeyboardInterrupt(run.message)
        if run.status == "failed":
            raise RunFailed(f"{run.problem.name!r}: {run.message}", found) from run.fault
        return found

    def go(self, bar: Bar | None = None, writer: RunWriter | None = None, interval: float = 5.0) -> None:
        """Run to the end, an end set by an event, a fault or Ctrl-C. interval : s between checkpoints"""
        run = self.run
        run.kept = run.method.fill_calls(run.plan, run.work, run.state, run.problem.terms)
        if run.contacts and not run.goes_on:
            settle_start(run)
        compiled(*ADVANCE)
        begun, saved = time.perf_counter() - run.wall, time.perf_counter()
        self._choose_step()
        state, budget = run.state, max(1, int(run.state.choices[at.BUDGET]))  # steps may have used it up
        progressing = Progress(float(state.clock[at.TIME]), int(state.counts[at.STEPS]))
        with held_interrupts(self._pause) as pressed:
            while run.status == "running":
                tick = time.perf_counter()
                state.choices[at.BUDGET] = min(budget, progressing.left(int(state.counts[at.STEPS])))
                before = saved_state(run) if run.plan.callbacks else {}
                code = advance(run.plan, run.work, run.state.common, run.samples)
                spent = time.perf_counter() - tick
                if self._broken_off():
                    self._take_back(before)
                elif not self._helped(code):
                    act(run, code)
                if pressed and run.status == "running":  # what a step found has been looked after
                    self._interrupt()
                if run.status == "running" and progressing.stalls(int(state.counts[at.STEPS]), float(state.clock[at.TIME])):
                    run.end("failed", stall(run))
                if code == stepping.PAUSED and spent < 0.5 * CHUNK:
                    budget = min(10**9, 2 * budget)
                elif code == stepping.PAUSED and spent > 2 * CHUNK:
                    budget = max(1, budget // 2)
                self._look_for_stiffness()
                run.wall = time.perf_counter() - begun
                if bar is not None:
                    bar.show(float(state.clock[at.TIME]), run.wall)
                if writer is not None and (run.status != "running" or time.perf_counter() - saved > interval):
                    self._write(writer)
                    saved = time.perf_counter()

    def _pause(self) -> None:
        """Have compiled code stop at the end of its step."""
        self.run.state.choices[at.BUDGET] = 0

    def _interrupt(self) -> None:
        self.run.end("interrupted", f"interrupted at t = {float(self.run.state.clock[at.TIME]):.6g} s")

    def _broken_off(self) -> bool:
        """Whether a function of the problem raised something, and how the run ends for that."""
        run = self.run
        try:
            run.plan.raise_faults()
        except KeyboardInterrupt:
            self._interrupt()
        except Exception as error:
            run.fault, t = error, float(run.state.clock[at.TIME])
            run.end("failed", f"a function of the problem raised {type(error).__name__} at t = {t:.6g} s: {error}")
        for callback in run.plan.callbacks:
            callback.forget()
        return run.status != "running"

    def _take_back(self, before: Mapping[str, Any]) -> None:
        """A step that a function broke off is as if it had not begun: back to where compiled code was called, and again up to
        that step. So nothing that the function spoilt is left in samples, or in the state that a resumed run starts from."""
        run = self.run
        steps = int(run.state.counts[at.STEPS]) - int(before["counts"][at.STEPS]) - 1  # the last may have been taken with it
        go_back(run, before)
        if steps > 0:
            run.state.choices[at.BUDGET] = steps
            advance(run.plan, run.work, run.state.common, run.samples)
            try:
                run.plan.raise_faults()
            except BaseException:  # it does not say the same twice
                go_back(run, before)

    def _look_for_stiffness(self) -> None:
        """Say once, for a run by the method that was chosen for it, why it takes so many steps."""
        run, state = self.run, self.run.state
        if run.chosen and run.stiff is None and state.counts[at.STEPS] >= LONG and run.method.explicit:
            span = float(run.times[-1] - run.t0)
            run.stiff = why_so_many(run.problem, run.plan, run.work, float(state.clock[at.TIME]), state.q, state.v, span)
            run.work.known[0] = 0
            if run.stiff:
                warnings.warn(run.stiff, RuntimeWarning, stacklevel=5)

    def _helped(self, code: int) -> bool:
        """Give exact tangents to a run that wants them; whether that lets it go on where it was stuck."""
        run, stuck = self.run, code in STUCK
        if run.kept is None:
            run.kept = run.method.help(run.plan, run.work, run.state, run.problem.terms, stuck)
            return stuck and run.kept is not None
        return False

    def _write(self, writer: RunWriter) -> None:
        """Write what has come since the last time; a file that cannot be written ends the run."""
        run, filled = self.run, int(self.run.state.counts[at.FILLED])
        arrays, events = run.arrays(self.written, filled), run.events[self.written_events :]
        try:
            writer.append(arrays, state=saved_state(run), events=events, tracked=tracked(run))
            self.written, self.written_events = filled, len(run.events)
        except RunFileError as error:  # what was computed stays here, what was written stays there
            run.fault = error
            run.end("failed", str(error))

    def _choose_step(self) -> None:
        """Fixed steps must meet the samples: as many whole steps between two as their distance takes."""
        run, times = self.run, self.run.times
        if run.method.chooses or len(times) < 2:
            return
        gaps = np.diff(times)
        if np.ptp(gaps) < 1e-9 * gaps.max():
            gap = float(gaps.mean())
            run.state.clock[at.STEP] = gap / max(1, math.ceil(gap / run.state.clock[at.STEP] - 1e-9))
