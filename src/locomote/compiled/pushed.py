"""Pushes: wrenches on bodies from outside, as what acts on coordinates:  J^T w."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.dynamics.kinematics import jacobian
from locomote.locomotion.problem import Locomotion
from locomote.spatial.numbers import as_numbers
from locomote.symbolic.functions import Numbers, outputs
from locomote.symbolic.problem import Equations, State


@dataclass(frozen=True)
class Pushed(Equations):
    """Equations with wrenches (bodies, 6), force and moment at the origin of each body along the axes of the world."""

    bodies: tuple[str, ...] = ()
    wrenches: Any = None

    @staticmethod
    def of(equations: Equations, bodies: tuple[str, ...], wrenches: np.ndarray) -> "Pushed":
        """Equations with numbers of any kind for wrenches."""
        return Pushed(equations.problem, equations.plan, equations.rows, bodies, wrenches)

    def state(self, q, v, a, force, t: Any = 0.0) -> State:
        state, pull = super().state(q, v, a, force, t), self.pull(q)
        state.work.passive, state.force = state.work.passive + pull, state.force + pull
        return state

    def settled(self, q, v, force, t=0.0) -> np.ndarray:
        return super().settled(q, v, force + self.pull(q), t)

    def pull(self, q) -> np.ndarray:
        """(nv,) what pushes are to the coordinates."""
        model, total = self.problem.model, 0.0
        numbers = Numbers.of(model)._replace(constants=np.asarray(self.plan.constants).astype(object))
        for body, wrench in zip(self.bodies, self.wrenches, strict=True):
            (J,) = outputs(model, "jacobian", {"q": q}, numbers, body=body, frame="aligned")
            total = total + J.T @ wrench
        return np.asarray(total)


@dataclass(frozen=True)
class Pushes:
    """Wrenches of runs: bodies by name, (runs, steps, 6 a body); none where all are zero."""

    bodies: tuple[str, ...]
    wrenches: np.ndarray

    @staticmethod
    def of(problem: Locomotion, given: Mapping[str, Any] | None, count: int, steps: int) -> "Pushes | None":
        """From what a caller gives: name of a body -> (steps, 3 or 6) or (runs, steps, 3 or 6)."""
        if given is None or (isinstance(given, Mapping) and not given):
            return None
        if not isinstance(given, Mapping):
            raise TypeError(f"pushes are given by body, as {{'trunk': wrenches}}, not as {given!r:.60}")
        found = np.zeros((count, steps, 6 * len(given)))
        for n, (body, values) in enumerate(given.items()):
            problem.model.body_index(body)  # an unknown name is told here
            array = as_numbers(values, f"pushes[{body!r}]", "(batch, steps, 6) or (steps, 6)")
            wanted = [(*lead, steps, width) for lead in ((), (count,)) for width in (3, 6)]
            if array.shape not in wanted:
                raise ValueError(
                    f"pushes[{body!r}] have shape {array.shape}, expected ({steps}, 6), or ({count}, {steps}, 6) with wrenches "
                    f"of each run: force and moment along axes of the world, or 3 columns of force alone"
                )
            if not np.isfinite(array).all():
                raise ValueError(f"pushes[{body!r}] have a value that is not finite")
            found[:, :, 6 * n : 6 * n + array.shape[-1]] = array
        return Pushes(tuple(given), found)

    def pull(self, problem: Locomotion, step: int, start: int, stop: int, q: np.ndarray) -> np.ndarray:
        """(runs, nv) what pushes in a step are to the coordinates of runs from `start` to `stop`, at q (runs, nq)."""
        found = np.zeros((stop - start, problem.model.nv))
        for n, body in enumerate(self.bodies):
            wrench = self.wrenches[start:stop, step, 6 * n : 6 * n + 6]
            hit = np.flatnonzero(wrench.any(axis=1) & np.isfinite(q).all(axis=1))
            if len(hit):
                J = jacobian(problem.model, q[hit], body, frame="aligned")
                found[hit] += np.einsum("nij,ni->nj", J, wrench[hit])
        return found

    def reaching(self, problem: Locomotion, q: np.ndarray) -> np.ndarray:
        """Coordinates of v that feel pushes."""
        maps = [jacobian(problem.model, q, body, frame="aligned") for body in self.bodies]
        return np.flatnonzero(np.abs(maps).sum(axis=(0, 1)))
