"""The gradient of runs over contacts: `fixed.Case` with steps of `contact_step`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np

from locomote.contact import spots as at
from locomote.geometry.shapes.plane import PLANE
from locomote.gradients.channels import Channel
from locomote.gradients.contact_runs import LEFT, ContactRuns
from locomote.gradients.contact_step import ContactStep, Middle
from locomote.gradients.fixed import Case
from locomote.gradients.forwards import Way
from locomote.gradients.goals import Term
from locomote.gradients.parameters import Entries, entries_of
from locomote.gradients.slopes import Switch
from locomote.locomotion.problem import Locomotion
from locomote.methods.timestep.runs import SteppedRuns
from locomote.symbolic.plain import boxed
from locomote.symbolic.problem import Equations, obstacles, plain_calls

SMALL = 1e-6  # of how a contact answers to an impulse: what stands for zero in `contact_matrix`
WAYS = ("saltation", "discrete", "smooth")


@dataclass(frozen=True)
class ContactCase(Case):
    """Runs over contacts, and a goal. contacts : "saltation", slopes of the motion ; "discrete", of the steps as such"""

    contacts: str = "saltation"

    @cached_property
    def channels(self) -> dict[Term, Channel]:
        """Channels of the terms: none of them has accelerations or torques."""
        found = super().channels
        for channel in found.values():
            if channel.forces:
                raise ValueError(f"{channel.name!r} is not differentiated over contacts: take a function of q and v")
        return found

    @cached_property
    def step(self) -> ContactStep:
        """The step with its integrals."""
        problem = self.problem
        refuse_unable(problem)
        functions = np.zeros_like(problem.plan.functions)
        plan = problem.plan.changed(
            torque_rows=problem.plan.torque_rows[:0], functions=functions, calls=plain_calls(problem.plan)
        )
        channels = tuple(self.channels[term] for term in self.integrals)
        parts = Equations(problem, plan, ()), self.plan, self.length, self.method, channels, entries_of(self.directions)
        return ContactStep(*parts, discrete=self.contacts == "discrete")

    def shared_by(self, drives: Sequence[Any]) -> np.ndarray:
        """(steps, columns) torques over time at the middle of steps, and time."""
        t = self.times[:-1]
        return np.ascontiguousarray(np.stack([*(drive(t + 0.5 * np.diff(self.times))[0] for drive in drives), t], axis=1))

    @cached_property
    def rolled(self) -> Any:
        """The runs."""
        q, v = self.starts[0][:1], self.starts[1][:1]
        one = SteppedRuns(self.problem, q, v, np.zeros((1, 1, 0)), np.zeros(0, np.int64), 1.0)
        typical = one.worker()[1].typical.copy()
        small, axes = contact_numbers(replace(self.step, entries=Entries()), typical, q[0], v[0])
        rest = self.threads, self.memory, typical, small, axes
        return ContactRuns(self.step, np.hstack(self.starts), self.controls, self.shared, *rest)

    def rates_along(self, ways: Sequence[Way]) -> dict[int, np.ndarray]:
        """(ways, N, numbers) rates of states, of copies of the runs."""
        K, (N, T) = len(ways), (len(self.starts[0]), self.steps)
        many = replace(
            self, starts=(np.tile(self.starts[0], (K, 1)), np.tile(self.starts[1], (K, 1))), memory=np.inf,
            controls=np.tile(self.controls, (K, 1, 1)),
        )  # fmt: skip

        def all_of(name: str, columns: int) -> np.ndarray:
            rows = [np.zeros((T, columns)) if (own := getattr(way, name)) is None else own for way in ways]
            return np.repeat(rows, N, axis=0)

        starts, entries = np.concatenate([way.starts for way in ways]), np.repeat([way.entries for way in ways], N, axis=0)
        controls, shared = all_of("controls", self.controls.shape[2]), all_of("shared", self.shared.shape[1])
        found = many.rolled.along(starts, controls, shared, entries, self.places)
        return {n: x.reshape(K, N, -1) for n, x in found.items()}

    def by_duration(self) -> np.ndarray:
        """(N,) slope of the goal when runs go on as in their last step."""
        seeds, by_time = self.end_slopes
        x, h, nq = self.rolled.states, float(self.times[-1] - self.times[-2]), self.problem.model.nq
        two = nq + self.problem.model.nv
        rates = (x[-1] - x[-2]) / h
        q, v = x[-1][:, :nq], x[-1][:, nq:two]
        rates[:, :nq] = self.step.kernel("path", self.step.path).run([q, np.zeros_like(v), v])[0]
        return (seeds * rates).sum(axis=1) + by_time

    def switches(self) -> tuple[Switch, ...]:
        """What switched: motors at limits, and contacts; and steps that are not at their law."""
        found, runs = [*super().switches(), *self.rolled.switches()], self.rolled
        for n in np.flatnonzero((runs.left > LEFT).any(axis=1)):
            text = f"contacts miss their law, by {runs.left[n].max():.1g} m/s: slopes through this step are not exact"
            found.append(Switch(float(self.times[n]), text, True))
        return tuple(sorted(found, key=lambda switch: switch.t))


def contact_numbers(step: ContactStep, typical: np.ndarray, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(S,) a small part of the inverse of the mass that each contact has at a state, and (S, 3, 3) its axes."""
    counts = {"e": 0, "u": step.sizes["controls"], "s": step.sizes["shared"], "small": step.spots}
    given = {"q": q, "v": v, "typical": typical} | {name: np.zeros(n) for name, n in counts.items()}
    now = SimpleNamespace(h=step.length, **{name: boxed(x.tolist()) for name, x in given.items()})
    middle = Middle(step, step.equations, now)
    J, M = middle.J.astype(float), middle.inertia().astype(float)
    answers = np.einsum("cik,kl,cil->c", J, np.linalg.inv(M), J) / 3.0
    return SMALL * answers, np.array(middle.axes, dtype=float).reshape(-1, 3, 3)


def refuse_unable(problem: Locomotion) -> None:
    """Raise for what steps over contacts have no derivative for."""
    plan, laws = problem.plan, problem.plan.spot_laws
    bare = problem.replaced(contacts=())
    others = laws[:, [at.RESTITUTION, at.ROLLING, at.TORSION, at.STIFFNESS, at.SHEAR, at.ADHESION]]
    parts = laws[:, [at.ALONG_PART, at.ACROSS_PART]] != 1.0
    reasons = {
        "it has rods": len(plan.rods) > 0,
        "it has constraints": len(plan.holonomic) > 0,
        "drives move its joints; torques over time and controls can": bool(problem.imposed.any()),
        "it has no inertia": not problem.inertia,
        "a ground is curved or moves, or a rim or an edge touches; points, balls, boxes and capsules on planes can": bool(
            (plan.spots[:, at.SURFACE] != PLANE).any() or laws[:, at.RIM].any() or laws[:, at.MOTION : at.MOTION + 3].any()
            or (plan.spots[:, at.OTHER] != len(plan.topology) - 1).any()
        ),
        "a ground has restitution, rolling friction, stiffness or adhesion; hard ones with friction can": bool(others.any()),
        "friction depends on the speed or the direction": bool(
            (laws[:, at.STATIC] != laws[:, at.FRICTION]).any() or parts.any()
        ),
    }  # fmt: skip
    found = [reason for reason, holds in reasons.items() if holds] or obstacles(bare)
    if found:
        raise ValueError(f"steps of {problem.name!r} over contacts are not differentiated: {found[0]}")
