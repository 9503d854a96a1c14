"""Steps by hand: for loops of the user's own, which give torques and look at the state after every step."""

import numpy as np
from numba import config, typeof

from locomote.engine.islands import address_of, call_compiled
from locomote.engine.source import kernel, routine
from locomote.errors import LocomoteError
from locomote.simulation import state as at
from locomote.simulation.chart import chart_rate
from locomote.simulation.explicit import explicit_attempt
from locomote.simulation.options import is_positive
from locomote.simulation.state import state_of
from locomote.simulation.stepping import DONE, INCOMPATIBLE, MISFIT, NOT_FINITE, SINGULAR, begin, commit, finite, land

METHODS = {"rk4": 0, "euler": 1}
FAULTS = {
    SINGULAR: "some motion that the constraints leave free moves no mass",
    INCOMPATIBLE: "no motion meets the constraints any more",
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


@kernel
def step_one(plan, work, state, tau, h, method):
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
    commit(state)
    return DONE


@kernel
def step_at(address, plan, work, state, tau, h, method):
    """`step_one` by its address, with records by theirs: Numba takes 20 us to look at three records."""
    return call_compiled(address, (plan, work, state, tau, h, method))


class Stepper:
    """A problem that goes on step by step; see `Locomotion.stepper`.

    t : s ; q, v : (nq,), (nv,) the state, copies
    """

    def __init__(self, problem, q, v, t: float, step: float, method: str):
        if method not in METHODS:
            raise ValueError(f"unknown method {method!r}; known for steps by hand: {', '.join(METHODS)}")
        if not is_positive(step) or not np.isfinite(step):
            raise ValueError(f"step is {step!r}, expected a positive number of seconds")
        self.problem, self.step, self._method = problem, float(step), METHODS[method]
        self._nv, self._none = problem.model.nv, np.zeros(problem.model.nv)
        self.reset(q, v, t)

    def reset(self, q=None, v=None, t: float = 0.0) -> None:
        """Go to a state near q, v that meets drives and constraints, at time t (s)."""
        q, v = self.problem.initial(q, v, t)
        self._plan = plan = self.problem.run_plan(q)
        if self.problem.controllers:
            raise ValueError(
                f"{self.problem.name!r} has controllers with a clock, which steps by hand do not call: give torques"
            )
        if plan.unilateral:
            raise ValueError(
                f"{self.problem.name!r} has contacts that open and close, which steps by hand do not look after: use simulate"
            )
        self._work, self._state = self.problem.work_for(plan), state_of(plan, method=at.FIXED)
        self._state.q[:], self._state.v[:] = q, v
        self._state.clock[at.TIME], self._state.clock[at.NEAREST] = t, 1.0
        self._state.choices[:] = at.FIXED, 1, 1, 0
        records = (plan, self._work, self._state)
        self._call, self._given = step_one, records
        if not config.DISABLE_JIT:  # type: ignore[attr-defined]
            kinds = tuple(typeof(x) for x in (*records, self._none, self.step, self._method))
            self._call, self._given = step_at, (address_of(step_one, kinds), *(x.address for x in records))

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

    def advance(self, tau=None, steps: int = 1) -> None:
        """Go on by some steps with constant torques.

        tau : (nv,) N or N m, added to those of the problem; has no effect where a drive imposes the motion
        """
        if type(tau) is not np.ndarray or tau.shape != (self._nv,) or tau.dtype != np.float64 or not tau.flags.carray:
            tau = self._none if tau is None else self.problem.model.checked_v(tau, "tau").copy()
        for _ in range(steps):
            code = self._call(*self._given, tau, self.step, self._method)
            if self._plan.callbacks:
                self._plan.raise_faults()
            if code != DONE:
                raise LocomoteError(f"{self.problem.name!r} cannot go on at t = {self.t:.6g} s: {FAULTS[code]}")

    def __repr__(self):
        return f"<Stepper of {self.problem.name!r} at t = {self.t:.6g} s, step {self.step:g} s>"
