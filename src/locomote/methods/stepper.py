"""Steps by hand: for loops of the user's own, which give torques and look at the state after every step."""

from typing import Any

import numpy as np
from numba import config, float64, int64, typeof

from locomote.actuation.controllers import clocked
from locomote.compiler.calls import Result, direct_call
from locomote.compiler.indirect import address_of, call_compiled
from locomote.compiler.source import kernel, routine
from locomote.errors import LocomoteError
from locomote.evaluation.chart import chart_rate
from locomote.evaluation.protocol import Problem
from locomote.methods import state as at
from locomote.methods.choice import refuse
from locomote.methods.events.stops import PAST_STOP, past_stops, refuse_beyond
from locomote.methods.explicit import explicit_attempt
from locomote.methods.integrators.rk4 import RK4
from locomote.methods.integrators.timestep import TIMESTEP
from locomote.methods.options import is_positive
from locomote.methods.stepping import DONE, INCOMPATIBLE, MISFIT, NOT_FINITE, SINGULAR, begin, commit, finite, land
from locomote.methods.timestep.by_hand import touching_state, touching_step_one
from locomote.spatial.numbers import integer

METHODS = {RK4.name: 0, "euler": 1, TIMESTEP.name: 2}
SHORT_WAY = (int64[::1], float64[::1], float64[::1], float64[::1])
FAULTS = {
    SINGULAR: "some motion that the constraints leave free moves no mass",
    INCOMPATIBLE: "no motion meets the constraints any more",
    PAST_STOP: "a joint would pass its limit, and steps by hand have no stops: use simulate, or give the problem limits=False",
    NOT_FINITE: "a value is not finite: a torque, a drive or a function gave NaN, or the step is too long",
}


@routine
def euler_attempt(plan, work, state, h):
    """Velocities by the accelerations at the start, the configuration by the new velocities."""
    nv = state.v.shape[0]
    for n in range(nv, state.y.shape[0]):
        state.y_end[n] = state.y[n] + h * state.k[0, n]
    for k in range(nv):
        state.v_end[k], state.y_try[k] = state.y_end[nv + k], 0.0
    chart_rate(plan.topology, state.q, state.y_try, state.v_end, work.dx)
    for k in range(nv):
        state.y_end[k] = h * work.dx[k]


@routine
def step(plan, work, state, tau, h, method):
    """One step with torques tau on free coordinates; returns DONE, or why there is none: then nothing has changed."""
    for k in range(tau.shape[0]):
        work.input[k] = tau[k] if plan.imposed[k] == 0 else 0.0
    rank = begin(plan, work, state)
    if rank < 0:
        return SINGULAR if rank > MISFIT else INCOMPATIBLE
    if method == 0:
        explicit_attempt(plan, work, state, state.clock[at.TIME], h)
    else:
        euler_attempt(plan, work, state, h)
    if not finite(state.y_end):
        return NOT_FINITE
    land(plan, work, state, state.clock[at.TIME], h)
    if past_stops(plan, state.q_end):
        return PAST_STOP
    commit(plan, work, state)
    return DONE


@kernel
def step_one(plan, work, state, tau, h, method):
    """`step`."""
    return step(plan, work, state, tau, h, method)


@kernel
def step_at(address, plan, work, state, tau, h, method):
    """`step_one` by its address, with records by their addresses: Numba takes 20 us to look at three records."""
    return call_compiled(address, (plan, work, state, tau, h, method))


@kernel
def step_packed(places, h, tau, length):
    """The same, with all that stays the same from step to step in two arrays: places has the address of `step_one`, those of
    the records, which method, and how many torques there are. Fills length with that of the step; returns DONE, or that
    Python must look closer."""
    if tau.shape[0] != places[5]:
        return NOT_FINITE
    code = call_compiled(places[0], (places[1], places[2], places[3], tau, h[0], places[4]))
    length[0] = h[0]
    return code


class Stepper:
    """A problem that goes on step by step; see `Locomotion.stepper`.

    t : s ; q, v : (nq,), (nv,) the state, copies
    contact_forces, contact_points : (spots, 3) of lo.Touch in the last step, in world axes, N and m, in the order of
        `problem.contact_names`: means over the step, zero before the first
    start_change : {"q": (nv,), "v": (nv,)} by which the start differs from the one that was given, or None
    """

    def __init__(self, problem: Problem, q, v, t: float, step: float, method: str, start: str):
        if method not in METHODS:
            raise ValueError(f"unknown method {method!r}; known for steps by hand: {', '.join(METHODS)}")
        if not is_positive(step) or not np.isfinite(step):
            raise ValueError(f"step is {step!r}, expected a positive number of seconds")
        if problem.contacts and method == "euler":
            raise ValueError(f"{problem.name!r} has contacts with friction, which method='timestep' steps over, not 'euler'")
        method = TIMESTEP.name if problem.contacts else method
        self.problem, self._h, self._method = problem, np.array([float(step)]), METHODS[method]
        self._nv, self._none = problem.model.nv, np.zeros(problem.model.nv)
        self.reset(q, v, t, start=start)

    def reset(self, q=None, v=None, t: float = 0.0, *, start: str = "check") -> None:
        """Go to a state near q, v that meets drives and constraints, at time t (s).

        start : "check" refuses q or v of which little would be left (InconsistentStart), "project" takes the nearest
        """
        (q, v), change = self.problem.started(q, v, t, start=start)
        self.start_change = change and {name: np.array(x) for name, x in change.items()}
        refuse_beyond(self.problem, q)
        self._plan = plan = self.problem.run_plan(q)
        if clocked(self.problem.controllers):
            raise ValueError(
                f"{self.problem.name!r} has controllers with a clock, which steps by hand do not call: give torques"
            )
        if len(plan.fed):
            raise ValueError(
                f"{self.problem.name!r} has feed-forward, whose copy of the robot steps by hand do not move: use simulate"
            )
        if plan.unilateral:
            raise ValueError(
                f"{self.problem.name!r} has contacts that open and close, which steps by hand do not look after: use simulate"
            )
        self._work, over = self.problem.work_for(plan), self._method == METHODS[TIMESTEP.name]
        if over:
            refuse(TIMESTEP.name, plan, self.problem.name)
        self._state = touching_state(plan, self._work) if over else RK4.state_for(plan)
        one = touching_step_one if over else step_one
        self._state.q[:], self._state.v[:] = q, v
        self._state.clock[at.TIME], self._state.clock[at.NEAREST] = t, 1.0
        self._state.choices[:] = 1, 1, 0
        records = (plan, self._work, self._state)
        self._direct, self._places = None, np.zeros(0, dtype=np.int64)
        self._call: Any = one
        self._given: tuple[Any, ...] = records
        if not config.DISABLE_JIT:  # type: ignore[attr-defined]
            kinds = tuple(typeof(x) for x in (*records, self._none, self.step, self._method))
            self._call, self._given = step_at, (address_of(one, kinds), *(x.address for x in records))
            self._places = np.array([*self._given, self._method, self._nv], dtype=np.int64)
            self._direct = direct_call(step_packed, SHORT_WAY, [Result(())])

    @property
    def step(self) -> float:
        """Length of a step, s"""
        return float(self._h[0])

    @property
    def t(self) -> float:
        """s"""
        return float(self._state.clock[at.TIME])

    @property
    def q(self) -> np.ndarray:
        """(nq,)"""
        return self._state.q.copy()

    @property
    def v(self) -> np.ndarray:
        """(nv,)"""
        return self._state.v.copy()

    @property
    def contact_forces(self) -> np.ndarray:
        """(spots, 3) N"""
        return self._loads(at.FORCE)

    @property
    def contact_points(self) -> np.ndarray:
        """(spots, 3) m"""
        return self._loads(at.FORCE_POINT)

    def _loads(self, first: int) -> np.ndarray:
        if not self.problem.contacts:
            return np.zeros((0, 3))
        return self._state.touch[:, first : first + 3].copy()

    def advance(self, tau=None, steps: int = 1) -> None:
        """Go on by some steps with constant torques.

        tau : (nv,) N or N m, added to those of the problem; has no effect where a drive imposes the motion
        """
        tau = self._none if tau is None else tau
        if type(steps) is not int or steps != 1:
            steps = integer(steps, "steps", 0)
        for _ in range(steps):
            if self._direct is None or self._direct(self._places, self._h, tau) is None:
                tau = self._step(tau)
            if self._plan.callbacks:
                self._plan.raise_faults()

    def _step(self, tau) -> np.ndarray:
        """A step that looks closer at its torques, which it gives back as an array, and at why there is none."""
        if type(tau) is not np.ndarray or tau.shape != (self._nv,) or tau.dtype != np.float64 or not tau.flags.carray:
            tau = np.ascontiguousarray(self.problem.model.checked_v(tau, "tau")).copy()
            if tau.shape != (self._nv,):
                raise ValueError(f"tau has shape {tau.shape}, expected ({self._nv},): one torque for each coordinate of v")
        code = self._call(*self._given, tau, self.step, self._method)
        self._plan.raise_faults()
        if code != DONE:
            raise LocomoteError(f"{self.problem.name!r} cannot go on at t = {self.t:.6g} s: {FAULTS[code]}")
        return tau

    def __repr__(self) -> str:
        return f"<Stepper of {self.problem.name!r} at t = {self.t:.6g} s, step {self.step:g} s>"
