"""The steps that a run took: their ends, by the method and tolerances of `simulate`, with one step a call of compiled code."""

from collections.abc import Sequence

import numpy as np

from locomote.compiler.indirect import compiled
from locomote.locomotion.problem import Locomotion
from locomote.methods import state as at
from locomote.methods.advance import ADVANCE, advance
from locomote.methods.choice import refuse
from locomote.methods.options import Options
from locomote.methods.registry import METHODS
from locomote.runs.endings import act
from locomote.runs.files.runfile import RunWriter
from locomote.runs.progress import Bar
from locomote.runs.runner import Runner
from locomote.runs.running import Running
from locomote.runs.schedule import schedule_of


class Happened(Exception):
    """Something switched within a run."""


class Noting(Runner):
    """A runner that notes the end of every step."""

    def __init__(self, run: Running):
        super().__init__(run)
        self.ends: list[float] = []

    def go(self, bar: Bar | None = None, writer: RunWriter | None = None, interval: float = 5.0) -> None:
        """Run to the end, step by step."""
        run = self.run
        run.kept = run.method.fill_calls(run.plan, run.work, run.state, run.problem.terms)
        compiled(*ADVANCE)
        while run.status == "running":
            run.state.choices[at.BUDGET] = 1
            code = advance(run.plan, run.work, run.state.common, run.samples)
            if not self._broken_off() and not self._helped(code):
                act(run, code)
            self.ends.append(float(run.state.clock[at.TIME]))


def accepted_steps(
    problem: Locomotion, q: np.ndarray, v: np.ndarray, stops: Sequence[float], method: str, rtol, atol
) -> np.ndarray:
    """(steps + 1,) times of the ends of all steps of a run from a start that meets all constraints; steps end at `stops`."""
    refuse(method, problem.plan, problem.name)
    usual = problem.tolerances or METHODS[method].tolerances
    options = Options(method, None, rtol or usual[0], atol or usual[1], np.inf, True, "continue", "raise").checked()
    times, begin = [0.0], 0.0
    for end in sorted({float(stop) for stop in stops if stop > 0.0}):
        running = Running(problem, schedule_of(begin, end - begin, None, [begin, end]), options, (), (q, v), begin)
        noting = Noting(running)
        noting.whole(False, None, 5.0)
        if running.events:
            raise Happened(running.events[0].description)
        times += [t for t in noting.ends if t > times[-1]]
        times[-1] = end
        q, v, begin = running.state.q.copy(), running.state.v.copy(), end
    return np.array(times)
