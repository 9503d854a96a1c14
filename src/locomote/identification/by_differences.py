"""Rows of measurements from rollouts over contacts, whose slopes are differences: all runs of an iteration side by side.

slope by a number p  =  (m(p + e) - m(p - e)) / 2 e ,   e = STEP of its size                                           (1)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.compiled.rollout import rollout
from locomote.errors import LocomoteError
from locomote.gradients.channels import Instant, channel_of
from locomote.identification.by_run import Experiments, Refused, read
from locomote.identification.measured import Measured
from locomote.identification.rows import Rows
from locomote.identification.sensors import Sensors
from locomote.identification.unknowns import Unknowns
from locomote.symbolic.plain import boxed
from locomote.symbolic.trace import Trace, evaluate

STEP = 1e-4


@dataclass
class ByDifferences:
    """Rows by rollouts, and differences of these."""

    unknowns: Unknowns
    sensors: Sensors
    rows: Rows
    experiments: Experiments
    options: dict[str, Any]
    passes: int = 0  # runs of one experiment
    exact = False

    @classmethod
    def of(
        cls, unknowns: Unknowns, data: Sequence[Measured], sensors: Sensors, rows: Rows, *, step: float | None, method: str,
        start: str, threads: int,
    ) -> "ByDifferences":  # fmt: skip
        """From measurements."""
        for name in sensors.channels:
            if channel_of(unknowns.problem, name).forces:
                raise ValueError(
                    f"{name!r} jumps over contacts and has no value at an instant of a rollout: measure positions or velocities"
                )
        options = {"method": method, "start": start, "threads": threads, "progress": False}
        return cls(unknowns, sensors, rows, Experiments.of(unknowns, data, step), options)

    @property
    def sizes(self) -> tuple[int, int, int]:
        """How many unknowns are of parameters, of starts and of sensors."""
        E, _, S = self.experiments.basis.shape
        return len(self.unknowns.numbers), E * S, len(self.sensors.names)

    def at(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows (R,), and their slopes (R, unknowns)."""
        runs, (P, Z, _) = self.experiments, self.sizes
        E, S = len(runs.q), runs.basis.shape[2]
        values, chain = self.unknowns.natural(x[:P])
        z = x[P : P + Z].reshape(E, S)
        sizes = STEP * np.where(values != 0.0, abs(values), 1.0)
        changes = [np.zeros(P + S)]
        for k, e in enumerate([*sizes, *[STEP] * S]):
            changes += [e * np.eye(P + S)[k], -e * np.eye(P + S)[k]]
        try:
            found = self.run(values, z, np.array(changes))
        except (ValueError, ArithmeticError, LocomoteError) as error:
            raise Refused(str(error)) from None
        ways = np.array([*sizes, *[STEP] * S])
        slopes = np.moveaxis((found[:, 1::2] - found[:, 2::2]) / (2.0 * ways[:, None, None]), 1, -1)  # (1)
        return read(self, x, found[:, 0], slopes, chain)

    def run(self, values: np.ndarray, z: np.ndarray, changes: np.ndarray) -> np.ndarray:
        """Channels (E, changes, steps, C) of runs whose numbers and starts are changed."""
        runs, P, model = self.experiments, len(values), self.experiments.problem.model
        E, nv, N = len(runs.q), model.nv, len(changes)
        moved = np.einsum("eij,enj->eni", runs.basis, z[:, None] + changes[None, :, P:])
        q = np.array([model.integrate(runs.q[e], moved[e, n, :nv]) for e in range(E) for n in range(N)])
        v = (runs.v[:, None] + moved[..., nv:]).reshape(E * N, nv)
        each = [self.unknowns.parameters(values + change[:P]) for change in changes]
        parameters = {name: np.array([own[name] for own in each] * E) for name in each[0]}
        controls = None if runs.controls is None else runs.controls.repeat(N, 0)
        duration = None if controls is not None else runs.steps * runs.step
        self.passes += N
        found = rollout(
            runs.problem, controls, q=q, v=v, parameters=parameters or None, duration=duration, step=runs.step,
            joints=runs.joints, keep=1, **self.options,
        )  # fmt: skip
        return self.channels(found.t[:-1], found.q[:, :-1], found.v[:, :-1]).reshape(E, N, runs.steps, -1)

    def channels(self, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(N, steps, C) channels of states (N, steps, ...)."""
        problem, trace = self.experiments.problem, Trace()
        (time,), x, u = trace.input(1), boxed(trace.input(problem.model.nq)), boxed(trace.input(problem.model.nv))
        now = Instant(problem, None, time, x, u)
        places = [trace.place(channel_of(problem, name).of(now)) for name in self.sensors.channels]
        times = np.tile(t, len(q))
        inputs = np.vstack([times, q.reshape(len(times), -1).T, v.reshape(len(times), -1).T])
        return evaluate(trace, places, inputs).reshape(len(q), len(t), -1)
