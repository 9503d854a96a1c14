"""Controllers with a clock in a run that is differentiated: what they gave at their ticks, and how that follows departures.

A controller sees the state d at a tick, and its torques stay, or go on a line, until the next:

    du_j = f_x d + f_s ds_j ,   ds_j+1 = g_x d + g_s ds_j        (tau, next state) = (f, g)(t, q, v, state)             (1)
    held    du(t) = du_j ;      on a line   du(t) = du_j-1 + (du_j - du_j-1) (t - t_j) / period                       (2)

Slopes of f and g are those that a controller gives (`lo.Sampled(slopes=)`); or come from dual numbers, if its function takes
them; or from differences of eighth order, which is said.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.actuation.controllers import Controller, Sampled, clocked
from locomote.locomotion.carried import by_differences, with_slopes
from locomote.locomotion.clocked import given_at
from locomote.locomotion.problem import Locomotion

SOON = 1e-9  # of a period, by which a tick may miss the time that is asked for


@dataclass(frozen=True)
class Call:
    """Controller n at its tick j: the state that it saw, its own before, and what it gave."""

    n: int
    j: int
    t: float
    q: np.ndarray
    v: np.ndarray
    state: Any
    given: np.ndarray


class Ticks:
    """All calls of the controllers of a problem from 0 to `end`, s. states : times -> states (t, q, v) of the run"""

    def __init__(self, problem: Locomotion, end: float, states: Callable):
        self.problem, self.controllers = problem, clocked(problem.controllers)
        self.said: dict[str, None] = {}
        self._slopes: dict[tuple[int, int], np.ndarray] = {}
        for controller in self.controllers:
            if isinstance(controller, Sampled) and controller.remembers:
                raise ValueError(
                    f"controller {controller.title!r} of {problem.name!r} knows its state itself, which has no slopes: "
                    f"give the state as numbers (lo.Sampled(state=)), or torques as controls"
                )
        self.times = [ticks_of(controller, end) for controller in self.controllers]
        self.calls = [self._called(n, states) for n in range(len(self.controllers))]

    def _called(self, n: int, states: Callable) -> list[Call]:
        """Calls of a controller, each with the state that the one before left."""
        controller, found = self.controllers[n], []
        state = getattr(controller, "state", None)
        for j, (t, q, v) in enumerate(states(self.times[n]) if len(self.times[n]) else []):
            given, following = given_at(self.problem, controller, t, q, v, state)
            found.append(Call(n, j, t, q, v, state, given))
            state = following
        return found

    def due(self, t: float) -> list[Call]:
        """Those at a time."""
        near = [abs(times - t) <= SOON * c.every for times, c in zip(self.times, self.controllers, strict=True)]
        return [self.calls[n][int(j)] for n, own in enumerate(near) for j in np.flatnonzero(own)]

    def push(self, t: float) -> np.ndarray:
        """(nv,) what controllers give between ticks, at t."""
        return self.summed(t, [[call.given for call in calls] for calls in self.calls], self.problem.model.nv)

    def summed(self, t: float, given: Sequence[Sequence[np.ndarray]], *shape: int) -> np.ndarray:
        """(2) of what each controller gave at its ticks."""
        total = np.zeros(shape)
        for controller, times, own in zip(self.controllers, self.times, given, strict=True):
            j = int(np.searchsorted(times, t, side="right")) - 1
            if j < 0 or j >= len(own):
                continue
            if controller.between == "line":
                before = own[j - 1] if j else np.zeros(shape)
                total = total + before + (own[j] - before) * ((t - times[j]) / controller.every)
            else:
                total = total + own[j]
        return total

    def slopes(self, call: Call, sizes: np.ndarray) -> np.ndarray:
        """(nv + n, 2 nv + n) of (1)."""
        if (call.n, call.j) not in self._slopes:
            self._slopes[call.n, call.j] = self._slopes_of(self.controllers[call.n], call, sizes)
        return self._slopes[call.n, call.j]

    def _slopes_of(self, controller: Controller, call: Call, sizes: np.ndarray) -> np.ndarray:
        model, count = self.problem.model, 0 if call.state is None else np.size(call.state)
        shape = (model.nv + count, 2 * model.nv + count)
        state = None if call.state is None else np.asarray(call.state, dtype=float)
        if isinstance(controller, Sampled) and controller.slopes is not None:
            arguments = (call.t, call.q.copy(), call.v.copy()) + (() if state is None else (state.copy(),))
            found = np.asarray(controller.slopes(*arguments), dtype=float)
            if found.shape != shape:
                raise ValueError(f"slopes of controller {controller.title!r} are {found.shape}, expected {shape}")
        else:
            function = self._function(controller)
            exact = with_slopes(model, function, call.t, call.q, call.v, state) if isinstance(controller, Sampled) else None
            if exact is None:
                own = np.concatenate([sizes, np.maximum(1.0, abs(np.ravel(state)))]) if state is not None else sizes
                exact = by_differences(model, function, call.t, call.q, call.v, own, state)
                if isinstance(controller, Sampled):
                    self.said[f"controller {controller.title!r} is differentiated by differences of eighth order"] = None
            found = exact[:, 1:].copy()
        if not np.isfinite(found).all():
            raise ValueError(f"controller {controller.title!r} has no finite slopes at t = {call.t:.6g} s")
        found[: model.nv][self.problem.imposed] = 0.0
        return found

    def _function(self, controller: Controller) -> Callable:
        """What is differentiated: (t, q, v[, state]) -> tau or (tau, state)."""
        if isinstance(controller, Sampled):
            return controller.function
        return lambda t, q, v: given_at(self.problem, controller, t, q, v, None)[0]


def ticks_of(controller: Controller, end: float) -> np.ndarray:
    """Times of its calls before the end, s."""
    count = max(0, int(np.ceil((end - controller.start) / controller.every - SOON)))
    times = controller.start + controller.every * np.arange(count)
    return np.where(abs(times) < SOON * controller.every, 0.0, times)


class Departing:
    """What departures (2 nv, k) make controllers give, from tick to tick. by_parameters : (call) -> (nv, k), or None"""

    def __init__(self, ticks: Ticks, sizes: np.ndarray, columns: int, by_parameters: Callable[[Call], Any]):
        self.ticks, self.sizes, self.columns, self.by_parameters = ticks, sizes, columns, by_parameters
        self.given: list[list[np.ndarray]] = [[] for _ in ticks.controllers]
        states = [getattr(c, "state", None) for c in ticks.controllers]
        self.states = [np.zeros((0 if state is None else np.size(state), columns)) for state in states]

    def tick(self, t: float, d: np.ndarray) -> None:
        """(1) of the controllers that are called at t."""
        nv = self.ticks.problem.model.nv
        for call in self.ticks.due(t):
            found = self.ticks.slopes(call, self.sizes) @ np.vstack([d, self.states[call.n]])
            self.given[call.n].append(found[:nv] + self.by_parameters(call))
            self.states[call.n] = found[nv:]

    def push(self, t: float) -> np.ndarray:
        """(nv, k) (2) at t."""
        return self.ticks.summed(t, self.given, self.ticks.problem.model.nv, self.columns)
