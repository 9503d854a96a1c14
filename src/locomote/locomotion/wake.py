"""Momentum of a swimmer and of the fluid that it has left behind: the balance (24) of Boyer and Porez (2014), along a run.

In world axes about the world's origin, with w_body the momentum of bodies and of the water that moves along with them (added
inertia), and w_k what the fluid force k has given to the fluid since the start,

    w_body(t) + sum_k w_k(t) - (impulse of weight, of constraints and of what else acts) = w_body(0)                (1)
    w_k(t) = -int F_k dt                                                                                            (2)

Of Lighthill's reactive force, F_k is the momentum that passes the tail: w_k is the impulse of the vortices behind it, p_v and
sigma_v of the paper; of a wing it is that of its bound and shed vortices, of drag that of a viscous wake. What is left of (1)
says how well run and samples close it: F_k is evaluated at the states of the run, apart from the equations that made them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.dynamics.kinematics import forward_kinematics
from locomote.dynamics.matrices import mass_matrix
from locomote.forces.terms import ForceTerm
from locomote.locomotion.connection import base_axes, base_body
from locomote.locomotion.problem import Locomotion
from locomote.runs.trajectory import Trajectory

WAKES = ("lighthill", "wing", "plate")  # kinds of forces that leave vortices, not only a viscous wake


@brief
@dataclass(frozen=True, eq=False)
class WakeBalance:
    """The balance (1) along a run, in world axes about the origin: (force, moment) parts of all impulses, N s and N m s.

    t : (samples,) ; body : (samples, 6) momentum of bodies with added inertia
    fluid : by name of a force, (samples, 6), what it has given to the fluid ; other : (samples, 6) impulse of all else
    wake_names : of those forces whose wake is vortices
    """

    t: np.ndarray
    body: np.ndarray
    fluid: dict[str, np.ndarray]
    other: np.ndarray
    wake_names: tuple[str, ...]

    @property
    def wake(self) -> np.ndarray:
        """(samples, 6) impulse of the vortices: p_v and sigma_v."""
        return sum((self.fluid[name] for name in self.wake_names), np.zeros(self.body.shape))

    @property
    def residual(self) -> np.ndarray:
        """(samples, 6) what is left of (1)."""
        return self.body - self.body[0] + sum(self.fluid.values(), np.zeros(self.body.shape)) - self.other

    @property
    def error(self) -> float:
        """Largest residual over the largest of what it is a sum of, linear and angular apart."""
        parts = [self.body, self.other, *self.fluid.values()]
        shares = []
        for part in (slice(0, 3), slice(3, 6)):
            size = max(abs(x[:, part]).max(initial=0.0) for x in parts)
            shares.append(abs(self.residual[:, part]).max(initial=0.0) / size if size > 0.0 else 0.0)
        return float(max(shares))


def wake_balance(run: Trajectory) -> WakeBalance:
    """Momentum of a swimmer or flyer and of its wake along a run, with what its forces have given to the fluid.

    The base must be free to move (planar, free, ...). Samples should be dense enough to integrate forces over them: `error`
    says what is left.
    """
    problem: Any = run.problem
    if not isinstance(problem, Locomotion):
        raise ValueError("this run has no problem to ask for its forces; open it with one, or run it again")
    if not problem.inertia:
        raise ValueError(f"{problem.name!r} has no inertia: forces balance at every instant, and nothing is left in the water")
    base = np.array(sorted(problem.external), dtype=int)
    if not len(base) or problem.imposed[base].any():
        raise ValueError(f"{problem.name!r} has no base that moves freely, and so no momentum of its own to balance")
    if problem.contacts or problem.controllers:
        raise ValueError(f"{problem.name!r} has contacts or controllers with a clock, whose impulses are not known here")
    fluids = {term.name: e for term, e in zip(problem.terms, with_terms(problem), strict=True) if is_fluid(e)}
    alone = {name: problem.replaced(environment=[e]) for name, e in fluids.items()}
    bare, frame = problem.replaced(environment=[]), Frame(problem, base)
    count = len(run.t)
    body, total = np.zeros((count, 6)), np.zeros((count, 6))
    own = {name: np.zeros((count, 6)) for name in alone}
    for k, (t, q, v) in enumerate(zip(run.t, run.q, run.v, strict=True)):
        outward = frame.outward(q)
        body[k] = outward @ (mass_matrix(problem.model, q) @ v)[base]
        rest = bare.balance(t, q, v)[base]
        for name, one in alone.items():
            own[name][k] = outward @ (one.balance(t, q, v)[base] - rest)
        force = problem.balance(t, q, v)
        if len(problem.constraint_labels):
            force = force + problem.rows(t, q, v)[0].T @ run.reactions[k]
        total[k] = outward @ force[base]
    kinds = {term.name: term.kind.name for term in problem.terms}
    wakes = tuple(name for name in alone if any(kinds[name].endswith(word) for word in WAKES))
    other = total - sum(own.values(), np.zeros((count, 6)))
    fluid = {name: -integrated(run.t, force) for name, force in own.items()}
    return WakeBalance(np.array(run.t), body, fluid, integrated(run.t, other), wakes)


class Frame:
    """The frame of the base: forces on its coordinates as wrenches in world axes about the origin."""

    def __init__(self, problem: Locomotion, base: np.ndarray):
        self.model, self.axes = problem.model, base_axes(problem, base)
        self.root = problem.model.body_index(base_body(problem.model))

    def outward(self, q: np.ndarray) -> np.ndarray:
        """(6, n)"""
        pose = forward_kinematics(self.model, q)[self.root]
        R, (x, y, z) = pose[:3, :3], pose[:3, 3]
        arm = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        return np.block([[R, np.zeros((3, 3))], [arm @ R, R]]) @ self.axes.T


def with_terms(problem: Locomotion) -> list[ForceTerm]:
    """Members of the environment that have a term, in the order of the terms."""
    given: list[Any] = [e for e in problem.environment if isinstance(e, ForceTerm)]
    return [e for e in given if e.term(problem.model) is not None]


def is_fluid(force: Any) -> bool:
    """Whether a force is that of a fluid on a body."""
    return type(force).__module__.startswith("locomote.forces.water.")


def integrated(t: np.ndarray, values: np.ndarray) -> np.ndarray:
    """(samples, n) integrals from the first sample on: by splines, piece by piece where a time stands twice (events)."""
    from scipy.interpolate import CubicSpline

    result, edges = np.zeros(values.shape), [0, *(np.flatnonzero(np.diff(t) == 0.0) + 1), len(t)]
    for first, last in zip(edges, edges[1:], strict=False):
        start = result[first - 1] if first else np.zeros(values.shape[1])
        part = slice(first, last)
        if last - first > 1:
            result[part] = start + CubicSpline(t[part], values[part]).antiderivative()(t[part])
        else:
            result[part] = start
    return result
