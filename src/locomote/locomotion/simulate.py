"""A run of a problem: its method, times and start, and the runner that goes through with it."""

from collections.abc import Callable, Sequence

import numpy as np

from locomote.compiler.background import expect
from locomote.evaluation.protocol import Problem
from locomote.locomotion.inputs import checked_method, checked_time
from locomote.locomotion.start import started
from locomote.methods.choice import choose, refuse
from locomote.methods.events.ignored import Ignored, checked_ignored
from locomote.methods.events.stops import refuse_beyond
from locomote.methods.events.when import When
from locomote.methods.needed import of_run
from locomote.methods.options import Options
from locomote.methods.registry import METHODS, lists_methods
from locomote.runs.progress import Shown
from locomote.runs.runner import Runner
from locomote.runs.running import Running
from locomote.runs.schedule import schedule_of
from locomote.runs.trajectory import Trajectory


@lists_methods
def simulate(
    problem: Problem,
    duration: float,
    *,
    q=None,
    v=None,
    t: float = 0.0,
    method: str = "auto",
    step: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    max_step: float = np.inf,
    every: float | None = None,
    samples=None,
    events: Sequence[When | Callable] = (),
    projection: bool = True,
    singular: str = "continue",
    progress: Shown | None = None,
    on_interrupt: str = "return",
    checkpoint=None,
    checkpoint_interval: float = 5.0,
    ignore: Ignored = (),
    start: str = "check",
) -> Trajectory:
    """Run for a duration (s) from a start near q, v.

    method : "auto" (chosen by the bodies and contacts that there are; `run.info["reason"]` says why), or one of
        {methods}
    step : s, of methods with fixed steps; the first step of others
    rtol, atol, max_step : of methods that choose steps; if None `tolerances` of the problem, or else those of the method
    every : distance of samples, s ; samples : their times ; if neither is given 500 intervals, and more samples where the
        motion is fast. Impacts are sampled before and after, and a terminal event in its state, whatever is asked for.
    events : functions (t, q, v) -> number, or lo.When
    projection : keep constraints met at every step ; singular : "continue" or "stop" when their rank changes
    ignore : names of constraints that do not hold, and of unilateral contacts that stay open whatever their gap (a foot
        that swings through), until an event closes them (lo.When); or {name: time until which, s}
    start : "check" refuses q or v of which little would be left once drives and constraints are met (InconsistentStart);
        "project" takes the nearest state that meets them, however far; `run.start_change` says what was changed
    progress : show a bar, by default if there is a terminal; or a function that is told which share of the time is done
    checkpoint : file that the run is written to as it goes on, at least every `checkpoint_interval` seconds; `lo.resume(file)`
        goes on with it

    Ctrl-C ends the run and gives what was computed, so that what follows goes on; a second one within a second, or
    on_interrupt="raise", ends that too. A run that cannot go on raises RunFailed, with what was computed.
    """
    why, chosen = "", method == "auto"
    if chosen:
        method, why = choose(problem.plan, problem.terms)
    method = checked_method(problem, method)
    refuse(method, problem.plan, problem.name, problem.terms)
    expect("run", lambda plan=problem.plan: of_run(plan, method))
    usual = problem.tolerances or METHODS[method].tolerances
    rtol, atol = usual[0] if rtol is None else rtol, usual[1] if atol is None else atol
    options = Options(method, step, rtol, atol, max_step, projection, singular, on_interrupt).checked()
    t = checked_time(t)
    schedule = schedule_of(t, duration, every, samples)
    ignored = checked_ignored(problem, ignore, t)
    begun, change = started(problem, q, v, t, ignore=ignored, start=start)
    refuse_beyond(problem, begun[0])
    running = Running(problem, schedule, options, events, begun, t, ignore=ignored)
    running.chosen, running.reason, running.start_change = chosen, why, change
    return Runner(running).whole(progress, checkpoint, checkpoint_interval)
