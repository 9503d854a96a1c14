"""Channels of a run as formulas of the state, to be differentiated: coordinates, velocities, torques, energies, power.

Names are those of runs (`run.channels`). What a user's function (t, q, v) -> number makes of the state is a channel too.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.errors import UnknownName
from locomote.evaluation.plan import SOURCES
from locomote.gradients.goals import Mixed
from locomote.locomotion.problem import Locomotion
from locomote.model.base import moving_root
from locomote.runs.channels import NET_MOTION, columns_of_q, columns_of_v
from locomote.symbolic.functions import Numbers, outputs
from locomote.symbolic.plain import boxed
from locomote.symbolic.problem import Equations
from locomote.symbolic.trace import Number, Trace


@dataclass(frozen=True)
class Instant:
    """What channels are made of, of numbers of any kind; equations, state : (`symbolic.problem`) None where none are known."""

    problem: Locomotion
    equations: Equations | None
    t: Any
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray | None = None
    state: Any = None


@dataclass(frozen=True)
class Channel:
    """A channel: its name, unit, formula, a name for the formula, whether it needs accelerations, and, if it is a function of
    others, these and the function."""

    name: str
    unit: str
    of: Callable[[Instant], Any]
    key: str
    forces: bool = False
    parts: tuple["Channel", ...] = ()
    mix: Callable | None = None


def channel_of(problem: Locomotion, what: str | Callable | Mixed) -> Channel:
    """The channel of a name, of a function (t, q, v) -> number, or of one of channels."""
    if isinstance(what, Mixed):
        return mixed(problem, what)
    if callable(what):
        return of_function(problem, what)
    known = known_channels(problem)
    if what not in known:
        raise UnknownName("channel", what, known, f"the goals of {problem.name!r}")
    return known[what]


def known_channels(problem: Locomotion) -> dict[str, Channel]:
    """Every channel that has a formula."""
    model, found = problem.model, {}

    def put(name: str, unit: str, of: Callable, forces: bool = False) -> None:
        found.setdefault(name, Channel(name, unit, of, name, forces))

    for k, (name, unit) in enumerate(columns_of_q(model)):
        put(name, unit, lambda now, k=k: now.q[k])
    for k, (name, unit) in enumerate(columns_of_v(model, "v")):
        put(name, unit, lambda now, k=k: now.v[k])
    if problem.inertia:
        for k, (name, unit) in enumerate(columns_of_v(model, "a")):
            put(name, unit, lambda now, k=k: now.a[k], True)
        for k, (name, unit) in enumerate(columns_of_v(model, "tau")):
            put(name, unit, lambda now, k=k: now.state.torques()[k], True)
        put(f"power.{SOURCES[0]}", "W", lambda now: power(now, problem.imposed), True)
        put(f"power.{SOURCES[1]}", "W", lambda now: power(now, ~problem.imposed), True)
    if moving_root(model) is not None:
        for k, name in enumerate(list(NET_MOTION)[:3]):
            put(f"net.{name}", "m", lambda now, k=k: base_place(now)[k])
    put("energy.kinetic", "J", kinetic)
    return found


def power(now: Instant, which: np.ndarray) -> Any:
    """Torques times velocities of some coordinates."""
    return sum((tau * v for tau, v, own in zip(now.state.torques(), now.v, which, strict=True) if own), 0.0)


def kinetic(now: Instant) -> Any:
    """v^T M v / 2, with added mass of what moves in water."""
    (M,) = outputs(now.problem.model, "mass_matrix", {"q": now.q}, own_numbers(now))
    return 0.5 * sum((v * row for v, row in zip(now.v, M @ now.v, strict=True)), 0.0)


def own_numbers(now: Instant) -> Numbers:
    """Constants of the plan, which may be traced, in place of those of the model."""
    own = Numbers.of(now.problem.model)
    return own if now.equations is None else own._replace(constants=np.asarray(now.equations.plan.constants).astype(object))


def base_place(now: Instant) -> np.ndarray:
    """(3,) where the origin of the base body is."""
    model = now.problem.model
    root = moving_root(model)
    assert root is not None
    poses = outputs(model, "forward_kinematics", {"q": now.q}, own_numbers(now))[0]
    return poses[model.body_index(root.name)][:3, 3]


def of_function(problem: Locomotion, function: Callable) -> Channel:
    """A function of the user on traced numbers."""
    name = getattr(function, "__name__", "function")

    def of(now: Instant) -> Any:
        try:
            found = function(now.t, now.q, now.v)
        except TypeError as fault:
            raise TypeError(
                f"the goal {name!r} must be arithmetic and NumPy's sin, cos, sqrt, exp and log on t, q and v, so that it has "
                f"slopes; it was stopped by: {fault}"
            ) from None
        return one_number(found, name)

    return Channel(name, "-", of, formula_key(problem, of))


def mixed(problem: Locomotion, what: Mixed) -> Channel:
    """A function of channels."""
    parts = tuple(channel_of(problem, name) for name in what.names)

    def mix(*values: Any) -> Any:
        try:
            return one_number(what.function(*values), what.__name__)
        except TypeError as fault:
            raise TypeError(
                f"the goal {what.__name__!r} must be arithmetic and NumPy's sin, cos, sqrt, exp and log on {len(parts)} "
                f"numbers, so that it has slopes; it was stopped by: {fault}"
            ) from None

    trace = Trace()
    place = trace.place(mix(*trace.input(len(parts))))
    key = repr((trace.nodes, sorted(trace.values.items()), place, [part.key for part in parts]))
    forces = any(part.forces for part in parts)
    own = hashlib.sha256(key.encode()).hexdigest()[:32]
    return Channel(what.__name__, "-", lambda now: mix(*(part.of(now) for part in parts)), own, forces, parts, mix)


def one_number(found: Any, name: str) -> Any:
    """What a function of the user gave, if it is one."""
    if isinstance(found, np.ndarray) and found.ndim == 0:
        found = found[()]
    if not isinstance(found, (Number, int, float, np.number)):
        raise TypeError(f"the goal {name!r} gave {found!r:.60}, expected one number")
    return found


def formula_key(problem: Locomotion, of: Callable[[Instant], Any]) -> str:
    """A name for what a function does: the operations that it records, whatever it reads them from."""
    trace, model = Trace(), problem.model
    (t,), q, v = trace.input(1), boxed(trace.input(model.nq)), boxed(trace.input(model.nv))
    place = trace.place(of(Instant(problem, None, t, q, v)))
    return hashlib.sha256(repr((trace.nodes, sorted(trace.values.items()), place)).encode()).hexdigest()[:32]
