"""Rows of measured torques from inverse dynamics along a measured motion: no run, and torques linear in what bodies weigh.

tau = Y(q, v, a) pi(p) - passive(q, v; p) ,   pi = m, m c, I about the origin of each body                                (1)
by mass, centre and inertia of a body:  Y dpi/dp ;  by others, in which (1) must be linear:  a difference, exact           (2)
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from locomote.dynamics.forces import inverse_dynamics, passive_force
from locomote.dynamics.regressor import regressor
from locomote.errors import LocomoteError
from locomote.identification.by_run import Refused
from locomote.identification.inertial import inertial
from locomote.identification.measured import Measured
from locomote.identification.rows import Rows
from locomote.identification.sensors import Sensors
from locomote.identification.unknowns import Unknowns
from locomote.locomotion.problem import Locomotion
from locomote.runs.channels import columns_of_q, columns_of_v

LINEAR = 1e-8  # of a change of torques, by which two halves of it may differ


@dataclass
class ByRegressor:
    """Rows of torques."""

    unknowns: Unknowns
    sensors: Sensors
    rows: Rows
    motion: tuple[np.ndarray, np.ndarray, np.ndarray]  # q, v, a at all times of all experiments
    places: np.ndarray  # (R, 2) time and coordinate of each row
    passes: int = 0
    exact = True
    kept: dict[int, np.ndarray] = field(default_factory=dict)  # slopes that are the same everywhere

    @classmethod
    def of(cls, unknowns: Unknowns, data: Sequence[Measured], sensors: Sensors, rows: Rows) -> "ByRegressor":
        """From measurements of positions, velocities and accelerations of all coordinates, and of some torques."""
        problem = unknowns.problem
        refuse(problem, unknowns, sensors)
        names = [[c.name for c in x] for x in (columns_of_q(problem.model), *(columns_of_v(problem.model, w) for w in "va"))]
        motion = [np.concatenate([read(x, own, problem) for x in data]) for own in names]
        torques = [c.name for c in columns_of_v(problem.model, "tau")]
        firsts = np.cumsum([0, *(len(x) for x in data)])
        when = [firsts[e] + int(np.searchsorted(data[e].t, t)) for e, t in zip(rows.experiments, rows.times, strict=True)]
        which = [torques.index(sensors.channels[c]) for c in rows.channels]
        used = ~np.isnan(np.concatenate(motion, axis=1)).any(axis=1)
        keep = used[when]
        kept = Rows(rows.values[keep], rows.times[keep], rows.channels[keep], rows.experiments[keep])
        states = [np.where(used[:, None], x, 0.0) for x in motion]
        if not len(kept):
            raise ValueError("no torque was measured at a time at which all positions, velocities and accelerations were")
        return cls(unknowns, sensors, kept, (states[0], states[1], states[2]), np.column_stack([when, which])[keep])

    @property
    def sizes(self) -> tuple[int, int, int]:
        """How many unknowns are of parameters, of starts and of sensors."""
        return len(self.unknowns.numbers), 0, len(self.sensors.names)

    def torques(self, problem: Locomotion) -> np.ndarray:
        """(R,) of (1)."""
        q, v, a = self.motion
        tau = inverse_dynamics(problem.model, q, v, a) - passive_force(problem.model, q, v)
        return tau[self.places[:, 0], self.places[:, 1]]

    def at(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows (R,), and their slopes (R, unknowns)."""
        P, _, U = self.sizes
        values, chain = self.unknowns.natural(x[:P])
        try:
            problem = self.unknowns.problem_of(values)
        except (ValueError, LocomoteError) as error:
            raise Refused(str(error)) from None
        offsets = np.where(self.sensors.offset_of >= 0, np.append(x[P:], 0.0)[self.sensors.offset_of], self.sensors.offsets)
        tau = self.torques(problem)
        J = np.zeros((len(tau), P + U))
        J[:, :P] = np.column_stack([self.column(problem, values, k, tau) for k in range(P)]) @ chain
        which = self.sensors.offset_of[self.rows.channels]
        J[np.flatnonzero(which >= 0), P + which[which >= 0]] = 1.0
        return tau + offsets[self.rows.channels], J

    def column(self, problem: Locomotion, values: np.ndarray, k: int, tau: np.ndarray) -> np.ndarray:
        """(R,) slopes (2) by one number."""
        parts = [inertial(problem, *place) for place in self.unknowns.numbers[k]]
        if all(part is not None for part in parts):
            return sum(self.regressor(problem)[:, body] @ slope for body, slope in parts)  # type: ignore[misc]
        change = 1e-2 * max(1.0, abs(values[k]))
        halves = []
        for size in (0.5 * change, change):
            moved = values.copy()
            moved[k] += size
            halves.append((self.torques(self.unknowns.problem_of(moved)) - tau) / size)
        if abs(halves[1] - halves[0]).max() > LINEAR * max(abs(halves[1]).max(), abs(tau).max() / max(abs(values[k]), 1e-2)):
            raise ValueError(f"torques of {problem.name!r} are not linear in {self.unknowns.names[k]!r}: take way='run'")
        return halves[1]

    def regressor(self, problem: Locomotion) -> np.ndarray:
        """(R, bodies, 10)"""
        if 0 not in self.kept or "gravity" in {name for number in self.unknowns.numbers for name, _ in number}:
            Y = regressor(problem.model, *self.motion)[self.places[:, 0], self.places[:, 1]]
            bodies = len(problem.model.body_names)
            self.kept[0] = Y[:, : 10 * bodies].reshape(len(Y), bodies, 10)
        return self.kept[0]


def read(data: Measured, names: Sequence[str], problem: Locomotion) -> np.ndarray:
    """(n, columns) of channels that must be there."""
    missing = [name for name in names if name not in data.channels]
    if missing:
        raise ValueError(
            f"way='regressor' needs the whole motion of {problem.name!r}, and {missing[0]!r} was not measured: measure it, or "
            f"take way='run', which finds the motion itself"
        )
    return np.column_stack([data.channels[name] for name in names])


def refuse(problem: Locomotion, unknowns: Unknowns, sensors: Sensors) -> None:
    """Raise if torques are not those of inverse dynamics alone."""
    there = {
        "constraints": problem.constraints, "contacts": problem.contacts, "forces of its surroundings": problem.environment,
        "springs of its own": problem.springs, "actuators": problem.actuators,
    }  # fmt: skip
    faults = [word for word, things in there.items() if things]
    if faults or not problem.inertia:
        what = faults[0] if faults else "no inertia"
        raise ValueError(f"{problem.name!r} has {what}, of which inverse dynamics of its model knows nothing: take way='run'")
    if unknowns.starts:
        raise ValueError(f"way='regressor' has no start to find ({unknowns.starts[0]!r}): the motion is measured")
    if (sensors.delay_of >= 0).any() or sensors.delays.any():
        raise ValueError("way='regressor' takes torques at the times of the motion: delays go by way='run'")
