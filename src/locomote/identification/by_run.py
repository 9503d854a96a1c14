"""Rows of measurements from runs: what a problem with some parameters and starts gives, and the exact slopes of all rows.

    x = (coordinates of parameters, starts of each experiment, offsets and delays of sensors)

One pass forwards (`gradients.sampled`) gives everything, whatever the number of rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from locomote.gradients.sampled import Departure, Sampled, moved_along
from locomote.identification.measured import Measured
from locomote.identification.rows import STENCIL, Rows, weights
from locomote.identification.sensors import Sensors
from locomote.identification.unknowns import Unknowns
from locomote.locomotion.problem import Locomotion
from locomote.locomotion.return_map import departures
from locomote.symbolic.problem import Equations

HELD = 1e-9  # of a step, by which a time of an input may be late


class Refused(Exception):
    """Numbers that a problem cannot have, or with which a run does not end."""


@dataclass
class Experiments:
    """Starts, controls and times of runs that were measured.

    q, v : (E, nq), (E, nv) ; basis : (E, 2 nv, S) how starts may depart ; controls : (E, steps, columns), or None
    """

    problem: Locomotion
    q: np.ndarray
    v: np.ndarray
    basis: np.ndarray
    controls: np.ndarray | None
    joints: tuple[str, ...] | None
    steps: int
    step: float

    @classmethod
    def of(cls, unknowns: Unknowns, data: Sequence[Measured], step: float | None) -> "Experiments":
        """From measurements; steps divide the time between samples."""
        problem = unknowns.problem
        q0, v0 = problem.initial()
        q, v = (np.array([z if x is None else np.asarray(x, dtype=float) for x in own], dtype=float)
                for own, z in (([x.q for x in data], q0), ([x.v for x in data], v0)))  # fmt: skip
        if step is None:
            between = min(float(np.median(np.diff(x.t))) for x in data)
            step = between / max(1.0, np.ceil(between / LONGEST - 1e-9))
        steps = max(STENCIL, int(np.ceil(max(x.t[-1] for x in data) / step - 1e-6)) + 1)
        joints = tuple(data[0].inputs)
        if any(tuple(x.inputs) != joints for x in data):
            raise ValueError(f"all measurements of {problem.name!r} must have the same inputs, in the same order")
        controls = np.array([acting(x, steps, step) for x in data]) if joints else None
        basis = np.array([departures(problem, a, b, unknowns.starts) for a, b in zip(q, v, strict=True)])
        return cls(problem, q, v, basis, controls, joints or None, steps, float(step))

    def split(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Departures (E, nv) of q and v."""
        moved = np.einsum("eij,ej->ei", self.basis, z.reshape(self.basis.shape[0], self.basis.shape[2]))
        return moved[:, : self.v.shape[1]], moved[:, self.v.shape[1] :]


LONGEST = 2e-3  # s, of steps that nobody chose


def acting(data: Measured, steps: int, step: float) -> np.ndarray:
    """(steps, columns) inputs, each constant from its time to the next, none before the first."""
    values = np.concatenate(list(data.inputs.values()), axis=1)
    n = np.searchsorted(data.t, step * (np.arange(steps) + HELD), side="right") - 1
    return np.where((n >= 0)[:, None], values[np.maximum(n, 0)], 0.0)


@dataclass
class ByRun:
    """Rows by runs with exact slopes."""

    unknowns: Unknowns
    sensors: Sensors
    rows: Rows
    experiments: Experiments
    sampled: Sampled
    passes: int = 0  # forwards, each with all slopes
    equations: Equations | None = field(default=None)
    exact = True

    @classmethod
    def of(
        cls, unknowns: Unknowns, data: Sequence[Measured], sensors: Sensors, rows: Rows, *, step: float | None, method: str,
        start: str, threads: int,
    ) -> "ByRun":  # fmt: skip
        """From measurements."""
        runs = Experiments.of(unknowns, data, step)
        sampled = Sampled.of(
            unknowns.problem, sensors.channels, unknowns.numbers, controls=runs.controls, joints=runs.joints, q=runs.q,
            v=runs.v, steps=runs.steps, step=runs.step, method=method, start=start, threads=threads,
        )  # fmt: skip
        runs.q, runs.v = (x.copy() for x in sampled.case.starts)
        return cls(unknowns, sensors, rows, runs, sampled)

    @property
    def sizes(self) -> tuple[int, int, int]:
        """How many unknowns are of parameters, of starts and of sensors."""
        E, _, S = self.experiments.basis.shape
        return len(self.unknowns.numbers), E * S, len(self.sensors.names)

    def starts(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[Departure]]:
        """q, v and their departures."""
        runs = self.experiments
        if not runs.basis.shape[2]:
            return runs.q, runs.v, []
        if self.equations is None:
            self.equations = self.sampled.step.equations
        nv, (u, w) = runs.v.shape[1], runs.split(z)
        q, dq = moved_along(self.equations, runs.q, u, runs.basis[:, :nv])
        ways = [Departure(dq[:, :, k], runs.basis[:, nv:, k]) for k in range(runs.basis.shape[2])]
        return q, runs.v + w, ways

    def at(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows (R,), and their slopes (R, unknowns)."""
        P, Z, _ = self.sizes
        values, chain = self.unknowns.natural(x[:P])
        q, v, ways = self.starts(x[P : P + Z])
        try:
            self.sampled = self.sampled.moved(self.unknowns.problem_of(values), (q, v))
            self.passes += 1
            channels, slopes = self.sampled.run(ways)
        except (ValueError, ArithmeticError) as error:
            raise Refused(str(error)) from None
        return read(self, x, channels, slopes, chain)


def read(way, x: np.ndarray, channels: np.ndarray, slopes: np.ndarray, chain: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows and slopes by all unknowns, from channels (E, steps, C) and slopes (E, steps, C, P + S) of runs."""
    rows, sensors, runs = way.rows, way.sensors, way.experiments
    P, Z, U = way.sizes
    own = x[P + Z :]
    offset = np.where(sensors.offset_of >= 0, np.append(own, 0.0)[sensors.offset_of], sensors.offsets)
    delay = np.where(sensors.delay_of >= 0, np.append(own, 0.0)[sensors.delay_of], sensors.delays)
    if (delay < 0).any() or (delay > sensors.most + 1e-12).any():
        raise Refused("a delay left its range")
    first, w, dw = weights(rows.times - delay[rows.channels], runs.step, runs.steps)
    place = (rows.experiments[:, None], first[:, None] + np.arange(STENCIL), rows.channels[:, None])
    seen = channels[place]
    y = (w * seen).sum(axis=1) + offset[rows.channels]
    if not np.isfinite(y).all():
        raise Refused("a run left what numbers can hold")
    J = np.zeros((len(rows), P + Z + U))
    by_run = np.einsum("rk,rkp->rp", w, slopes[place])
    J[:, :P] = by_run[:, :P] @ chain
    S = by_run.shape[1] - P
    for e in range(len(runs.q) if S else 0):
        J[rows.experiments == e, P + e * S : P + (e + 1) * S] = by_run[rows.experiments == e, P:]
    late = -(dw * seen).sum(axis=1)
    for r, (c, slope) in enumerate(zip(rows.channels, late, strict=True)) if U else ():
        if sensors.offset_of[c] >= 0:
            J[r, P + Z + sensors.offset_of[c]] = 1.0
        if sensors.delay_of[c] >= 0:
            J[r, P + Z + sensors.delay_of[c]] = slope
    return y, J
