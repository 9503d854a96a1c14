"""Departures from a motion between its limits: linear equations, at the nodes of Gauss of panels.

    xi' = nu - ad_v xi ,   nu' = a_q xi + a_v nu + a_tau du + a_p                                                   (1)
    z'  = c_q xi + c_v nu + c_tau du + c_p                     of integrals of channels c                           (2)

du are torques of controllers (`ticks`), held between their calls; p are parameters. What these do at given states (to
accelerations, channels, gaps, impacts, calls of controllers) is a table of numbers, differentiated as tables of plans are
(`parameters`). A coordinate that a drive moves follows its drive: what that does to others is in a_p.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from locomote.actuation.controllers import Sampled, clocked
from locomote.gradients.parameters import Direction, Tables, directions_of
from locomote.gradients.readings import Readings, State
from locomote.gradients.ticks import Departing
from locomote.locomotion.clocked import given_at
from locomote.locomotion.closed import plan_with_closed
from locomote.locomotion.derivatives import derivatives_with
from locomote.locomotion.linearization import drag
from locomote.locomotion.problem import Locomotion
from locomote.locomotion.return_map import NODES, STAGES, WEIGHTS, normal_row, panel_rates, struck
from locomote.methods.events.unilateral import Contacts

if TYPE_CHECKING:
    from locomote.gradients.along import Along

ROUNDING = 1e-13  # of what a table has from accelerations and impacts
STAYS = 1e-9  # of the largest number, by which what must not move may do so


class Flow:
    """Departures along a run (`along.Along`), with so many panels between each two of its limits."""

    def __init__(self, along: "Along", panels: int):
        self.along, self.problem, self.panels, self.nv = along, along.problem, panels, along.problem.model.nv
        self.pairs = along.pairs
        parts = [(a + (b - a) / panels * (np.arange(panels)[:, None] + NODES)).ravel() for a, b in self.pairs]
        self.states: list[State] = along.path(np.concatenate(parts))
        self.pushes = [along.ticks.push(t) for t, _, _ in self.states]
        self.readings = Readings(along.problem, along.integrands)

    def interval(self, k: int) -> range:
        """Numbers of the nodes of an interval."""
        return range(3 * self.panels * k, 3 * self.panels * (k + 1))

    def integrals(self) -> np.ndarray:
        """(m,) the integrals themselves."""
        total = np.zeros(len(self.along.integrands))
        for k, (a, b) in enumerate(self.pairs):
            values = self.read(self.problem, k, forces=False)[1].reshape(self.panels, 3, -1)
            total += (b - a) / self.panels * np.einsum("i,pim->m", WEIGHTS, values)
        return total

    def read(self, problem: Locomotion, k: int, *, forces: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """(n, nv) accelerations, and (n, m) channels, at the nodes of an interval; of a problem with other numbers, those that
        numbers can change."""
        own = self.interval(k)
        states, acting = [self.states[n] for n in own], []
        if forces or self.readings.needed:
            acting = self.forces(problem, self.along.closed[k], states, [self.pushes[n] for n in own])
        values = np.zeros((len(states), len(self.along.integrands)))
        for m, channel in enumerate(self.along.integrands):
            there = self.along.channel_in(problem, channel)
            if problem is self.problem or channel.forces or there is not channel:  # others stay where the state stays
                values[:, m] = Readings(problem, (there,)).values(states, acting)[:, 0]
        return np.array([a for a, _ in acting]).reshape(-1, self.nv), values

    @staticmethod
    def forces(problem: Locomotion, closed, states: Sequence[State], pushes) -> list[tuple[np.ndarray, np.ndarray]]:
        """(a, tau) at states, each (nv,), with torques of controllers."""
        plan, found = plan_with_closed(problem, closed)[0], []
        with problem.scratch(plan) as work:
            for (t, q, v), push in zip(states, pushes, strict=True):
                work.input[:] = push
                try:
                    a, _, _ = problem.evaluate_with(plan, work, t, q.copy(), v.copy())
                finally:
                    work.input[:] = 0.0
                found.append((a, np.where(problem.imposed, work.tau, work.active).copy()))
        return found

    def tables(self, problem: Locomotion) -> Tables:
        """What a problem that has other numbers makes of the same states."""
        along, found = self.along, {}
        for k in range(len(self.pairs)):
            found[f"a {k}"], found[f"c {k}"] = self.read(problem, k)
        for n, (event, before) in enumerate(along.hits):
            plan, taking = struck(problem, event, before)
            with problem.scratch(plan) as work:
                contacts = Contacts(problem, plan, work)
                errors = problem.rows_of(plan, work, event.t, event.q, event.v)[3]
                found[f"gap {n}"] = np.array([errors[normal_row(contacts, event)]])
            found[f"hit {n}"] = problem.impact(event.q, event.v, closed=taking, t=event.t).v
        for c, calls in zip(clocked(problem.controllers), along.ticks.calls, strict=True):
            for call in calls if not isinstance(c, Sampled) else ():
                found[f"call {call.n} {call.j}"] = given_at(problem, c, call.t, call.q, call.v, call.state)[0]
        looks = [(along.channel_in(problem, channel), state) for channel, state in along.looks]
        ends = [Readings(problem, (channel,)).values([state], [])[0, 0] for channel, state in looks]
        drives = [problem.imposed_motions[k] for k in along.held]
        return found | {
            "ends": np.array(ends), "begins": np.array([drive(0.0)[:2] for drive in drives]).reshape(-1, 2),
            "misses": self.misses(problem), "clocks": np.array(problem.plan.clocks),
        }  # fmt: skip

    def misses(self, problem: Locomotion) -> np.ndarray:
        """What constraints miss at the start, in position and velocity."""
        plan, present = plan_with_closed(problem, self.along.closed[0])
        q, v = self.along.start
        with problem.scratch(plan) as work:
            A, _, b, errors = problem.rows_of(plan, work, 0.0, q, v)
        return np.concatenate([errors[present & (plan.holonomic != 0)], (A @ v + b)[present]])

    def directions(self) -> list[Direction]:
        """One for each number of the parameters."""
        found = [x for name in self.along.parameters for x in directions_of(self.problem, name, self.tables, ROUNDING)]
        for x in found:
            if x.slopes["clocks"].any():
                raise ValueError(f"slopes by {x.name!r} are not known: it says when a controller is called")
            if abs(x.slopes["misses"] + self.followed(x)).max(initial=0.0) > STAYS * abs(x.slopes["misses"]).max(initial=1.0):
                raise ValueError(
                    f"slopes of {self.problem.name!r} by {x.name!r} do not go through events: constraints of the start move "
                    f"with it; take method='rk4' of a motion without events"
                )
        return found

    def followed(self, x: Direction) -> np.ndarray:
        """What constraints miss at the start where drives take it."""
        plan, present = plan_with_closed(self.problem, self.along.closed[0])
        if not present.any():
            return np.zeros(0)
        q, v = self.along.start
        begin = self.begun(x)
        change = derivatives_with(self.problem, plan, 0.0, q, v)
        with self.problem.scratch(plan) as work:
            A = self.problem.rows_of(plan, work, 0.0, q, v)[0]
        speeds = change.rows.q @ begin[: self.nv] + change.rows.v @ begin[self.nv :]
        return np.concatenate([(A @ begin[: self.nv])[present & (plan.holonomic != 0)], speeds[present]])

    def begun(self, x: Direction) -> np.ndarray:
        """(2 nv,) how the start follows drives."""
        begin, held = np.zeros(2 * self.nv), list(self.along.held)
        begin[held], begin[[self.nv + k for k in held]] = x.slopes["begins"].T
        return begin

    def starts(self, basis: np.ndarray, directions: Sequence[Direction]) -> np.ndarray:
        """(2 nv, k) departures of the start: of a basis, then by parameters."""
        return np.column_stack([basis, *(self.begun(x) for x in directions)])

    def over(self, k: int, d: np.ndarray, z: np.ndarray, given: Departing, directions: Sequence[Direction]):
        """Departures (2 nv, columns) and integrals (m, columns) at the end of interval k, from those at its start."""
        nv, (a, b), own = self.nv, self.pairs[k], self.interval(k)
        bare, plan = self.along.bare, plan_with_closed(self.along.bare, self.along.closed[k])[0]
        first, columns, imposed = d.shape[1] - len(directions), d.shape[1], self.problem.imposed
        L, pushes = np.zeros((len(own), 2 * nv, 2 * nv)), np.zeros((len(own), 2 * nv, columns))
        changes = []
        for i, n in enumerate(own):
            t, q, v = self.states[n]
            change = derivatives_with(bare, plan, t, q, v, push=self.pushes[n])
            changes.append(change)
            L[i] = np.block([[-drag(bare.model, v), np.eye(nv)], [change.a.q, change.a.v]])
            L[i, nv:, np.flatnonzero(np.tile(imposed, 2))] = 0.0
            du = given.push(t)
            du[abs(change.value[1]) >= plan.effort] = 0.0  # a motor at its limit gives no more
            pushes[i, nv:] = change.a.tau @ du
            for j, x in enumerate(directions):
                pushes[i, nv:, first + j] += x.slopes[f"a {k}"][i]
        read, h = self.readings.read([self.states[n] for n in own], changes), (b - a) / self.panels
        for p in range(self.panels):
            part = slice(3 * p, 3 * p + 3)
            rates = panel_rates(L[part], h, d, pushes[part])
            for i in range(3):
                n = 3 * p + i
                there = d + h * np.einsum("j,jab->ab", STAGES[i], rates)
                du = given.push(self.states[own[n]][0])
                du[abs(changes[n].value[1]) >= plan.effort] = 0.0
                rate = read.by_state[n] @ there + read.by_push[n] @ du
                for j, x in enumerate(directions):
                    rate[:, first + j] += x.slopes[f"c {k}"][n]
                z = z + h * WEIGHTS[i] * rate
            d = d + h * np.einsum("i,iab->ab", WEIGHTS, rates)
        return d, z
