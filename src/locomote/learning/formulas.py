"""The functions of a task as formulas: written down once, compiled, and run on all copies of a tick in one call.

controls   of actions, state and time
seen       what is observed, the reward, whether it ended, whether it is cut off, and a number that is finite if all of the
           state is
"""

import hashlib
from typing import Any

import numpy as np

from locomote.compiled.bound import Bound
from locomote.compiled.copies import Copies
from locomote.compiled.kernel import RowKernel, code_of
from locomote.compiled.library import kept, key_of
from locomote.compiled.program import Program
from locomote.compiled.vectors import Lanes
from locomote.compiler.lanes import WIDTH
from locomote.learning.task import Task, TaskError
from locomote.methods.state import FORCE, TOUCH
from locomote.symbolic.batch_arrays import batch, numbers_of
from locomote.symbolic.trace import Trace

SAME = 1e-9  # by which a formula and the function that it is of may differ, of the largest number
LARGE = 1e300


class TracedCopies:
    """One copy whose numbers are recorded."""

    count = 1

    def __init__(self, trace: Trace, copies: Copies):
        self.trace, self.problem = trace, copies.problem
        self.q, self.v, self.t = (self.taken(n) for n in (copies.q.shape[1], copies.v.shape[1], 1))
        self.t = self.t[0]
        self.contact_forces = self.taken(3 * copies.touch.shape[1] // TOUCH).reshape(1, -1, 3)

    def taken(self, count: int):
        """(1, count) inputs."""
        return batch(self.trace.input(count)).reshape(1, count)


class Formulas:
    """Those of a task, for copies with persistent arrays."""

    def __init__(self, task: Task, copies: Copies):
        self.task, self.copies, count = task, copies, copies.count
        self.actions = np.zeros((count, task.size))
        self.arrived = self.actions if task.longest == 0 else np.zeros((count, task.size))
        task.told(copies, self.actions)
        task.observed(copies)  # shapes that do not fit are told here
        task.checked("reward", task.reward(copies, self.actions), (count,))
        task.checked("ended", task.ended(copies), (count,))
        state = [copies.q, copies.v, copies.t[:, None], np.zeros((count, 3 * copies.touch.shape[1] // TOUCH))]
        self._forces, touch = state[3].reshape(count, -1, 3), copies.touch.reshape(count, -1, TOUCH)
        self._touching = touch[:, :, FORCE : FORCE + 3]
        self._told, self._seen = (
            Bound(self._made("told"), [*state, self.arrived]),
            Bound(self._made("seen"), [*state, self.actions]),
        )
        table, size = self._seen.out[0], self._seen.out[0].shape[1] - 4
        self.observed, (self.rewards, self.ended, self.cut, self.alarm) = table[:, :size], table[:, size:].T
        self._check()

    def told(self) -> np.ndarray:
        """(count, columns) controls for the actions that arrived."""
        self._told()
        return self._told.out[0]

    def look(self) -> None:
        """Fill the table with what is seen."""
        if self._forces.size:
            self._forces[:] = self._touching
        self._seen()

    def _made(self, which: str) -> RowKernel:
        trace, lanes = Trace(), Lanes(WIDTH)
        copies: Any = TracedCopies(trace, self.copies)
        actions = copies.taken(self.task.size)
        results = self._controls(copies, actions) if which == "told" else self._looked(copies, actions)
        places = tuple(trace.place(x) for x in results)
        sizes = (copies.q.size, copies.v.size, 1, copies.contact_forces.size, self.task.size)
        said = hashlib.sha256(repr((trace.nodes, sorted(trace.values.items()), places, sizes)).encode()).hexdigest()
        code, _ = kept(key_of(lanes, "task", said), lambda: code_of(Program(trace, sizes, (places,)), ((len(places),),), lanes))
        return RowKernel(lanes, code)

    def _controls(self, copies, actions) -> list:
        return self._numbers("gait", lambda: self.task.told(copies, actions), (1, self.task.size))

    def _looked(self, copies, actions) -> list:
        task = self.task
        seen = self._numbers("observe", lambda: task.observe(copies), None)
        reward = self._numbers("reward", lambda: task.reward(copies, actions), (1,))
        (ended,) = self._numbers("ended", lambda: task.ended(copies), (1,))
        late = np.where(copies.t >= task.duration - 0.5 * task.tick, 1.0, 0.0)
        cut = np.where(batch([ended]), 0.0, late)
        lost = np.where(np.abs(copies.q.sum() + copies.v.sum()) < LARGE, 0.0, 1.0)  # what is not finite is not below
        return [*seen, *reward, ended, *numbers_of(cut), *numbers_of(lost + np.where(batch([ended]), 1.0, late))]

    def _numbers(self, name: str, function, shape) -> list:
        try:
            found = function()
            if shape is not None and np.shape(found) != shape:
                raise TypeError(f"its shape is {np.shape(found)}, expected {shape}")
            return list(numbers_of(found))
        except (TypeError, ValueError, AttributeError, IndexError, NotImplementedError) as fault:
            raise TaskError(
                f"{name} of task {self.task.name!r} cannot be written down as a formula of q, v, t, contact_forces and "
                f"actions: {fault}; give the task compiled=False"
            ) from None

    def _check(self) -> None:
        """Formulas give what functions give, on numbers that are drawn."""
        task, copies, random = self.task, self.copies, np.random.default_rng(0)
        arrays = [copies.q, copies.v, copies.t, copies.touch]
        before = [x.copy() for x in arrays]
        for x in arrays:
            x += random.normal(size=x.shape) * random.integers(0, 2, x.shape)
        self.actions[:] = random.uniform(-1.2, 1.2, self.actions.shape)
        self.arrived[:] = self.actions
        self.look()
        pairs = {
            "gait": (self.told(), task.told(copies, self.actions)), "observe": (self.observed, task.observe(copies)),
            "reward": (self.rewards, task.reward(copies, self.actions)), "ended": (self.ended, task.ended(copies)),
        }  # fmt: skip
        for name, (ours, theirs) in pairs.items():
            theirs = np.asarray(theirs, float)
            off = np.abs(np.nan_to_num(ours) - np.nan_to_num(theirs)).max(initial=0.0)
            if not off <= SAME * max(1.0, np.abs(np.nan_to_num(theirs)).max(initial=0.0)):
                raise TaskError(
                    f"{name} of task {task.name!r} gives other numbers than the formula that was written down, by {off:.2g}: "
                    f"it may draw numbers, or remember some; give the task compiled=False"
                )
        for x, value in zip(arrays, before, strict=True):
            x[:] = value
        self.actions[:], self.arrived[:] = 0.0, 0.0
