"""Control laws as functions law(t, q, v, state) -> (tau, state), for fixed and for floating bases.

With e = q_d - q of the driven coordinates, and everything else (a base that floats, passive joints) without a force:

    PD                 tau = K_p e + K_d e'                                                                              (1)
    PID                tau = K_p e + K_d e' + K_i (integral of e)                                                        (2)
    computed torque    al = q_d'' + K_p e + K_d e' ;  the base's acceleration al_0 from its own row of the equations,
                       tau = I_t0 al_0 + I_t al + h_t                                                                    (3)
    feed-forward       tau = (inverse dynamics of the desired motion) + K_p e + K_d e'                                   (4)

(3) and the inverse dynamics of (4) are `lo.hybrid_dynamics` with the driven coordinates imposed. In (4) the base is where the
desired motion of the joints would have taken it from the start: a copy of the base's state, part of the state of the law, which
goes on with each call. Forces of the ground enter both by `wrenches`, a function (t, q, v) -> wrenches as functions of the
library take them. After S.V. Shah, S.K. Saha, J.K. Dutt (2012), (26) to (37).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from locomote.arguments import Numbers
from locomote.control.given import finite, row
from locomote.control.references import Reference
from locomote.dynamics.forces import gravity_force, hybrid_dynamics
from locomote.model.joints import has_rates, is_floating
from locomote.model.model import Model, checked_model
from locomote.spatial.numbers import as_numbers

Law = Callable[[float, np.ndarray, np.ndarray, Any], tuple[np.ndarray, Any]]
Loads = Callable[[float, np.ndarray, np.ndarray], Any]  # wrenches at (t, q, v)


@dataclass(frozen=True)
class Driven:
    """Driven joints: their names, and where their coordinates stand in q and v."""

    joints: tuple[str, ...]
    q: np.ndarray
    v: np.ndarray


def driven_coordinates(model: Model, joints: Sequence[str] | None = None) -> Driven:
    """Where the coordinates of joints stand.

    If no names are given, of all but a free or planar root and the coordinates of rods and modal bodies, which have no motor.
    """
    names = checked_model(model).joint_names if joints is None else tuple(joints)
    if joints is None and names and is_floating(model.joint(names[0]).kind):
        names = names[1:]
    if joints is None:
        names = tuple(name for name in names if model.joint(name).kind != "flex")
    views = [model.joint(name) for name in names]
    for view in views:
        if view.coupled or not has_rates(view.kind):
            raise ValueError(f"joint {view.name!r} ({view.kind}) has no position of its own for each velocity; drive others")
    if not views:
        raise ValueError(f"no joint of model {model.name!r} is driven")
    q, v = (np.concatenate([np.arange(getattr(x, k).start, getattr(x, k).stop) for x in views]) for k in ("q", "v"))
    return Driven(tuple(names), q, v)


def pd(model: Model, reference: Reference, *, stiffness: Numbers, damping: Numbers, joints: Sequence[str] | None = None) -> Law:
    """(1); stiffness, damping : one number, or one for each driven coordinate.

    reference : t -> positions, velocities and accelerations of the driven coordinates, (n,) each
    """
    driven = driven_coordinates(model, joints)
    return partial(_pd, model, driven, reference, *_gains(driven, stiffness=stiffness, damping=damping))


@finite
def _pd(model, driven, reference, kp, kd, t, q, v, state=None):
    tau = np.zeros(model.nv)
    desired, rate, _ = wanted(driven, reference, t)
    tau[driven.v] = kp * (desired - q[driven.q]) + kd * (rate - v[driven.v])
    return tau, state


def pid(
    model: Model, reference: Reference, *, stiffness: Numbers, damping: Numbers, integral: Numbers,
    limit: float = np.inf, joints: Sequence[str] | None = None,
) -> Law:  # fmt: skip
    """(2); the state is the time of the last call and the integral, which stays within `limit` (no wind-up).

    reference : t -> positions, velocities and accelerations of the driven coordinates, (n,) each
    """
    if not limit >= 0:
        raise ValueError(f"limit of the integral must be a number from 0, not {limit!r}")
    driven = driven_coordinates(model, joints)
    gains = _gains(driven, stiffness=stiffness, damping=damping, integral=integral)
    return partial(_pid, model, driven, reference, *gains, float(limit))


@finite
def _pid(model, driven, reference, kp, kd, ki, limit, t, q, v, state=None):
    tau, _ = _pd(model, driven, reference, kp, kd, t, q, v)
    before, total = (t, np.zeros(len(driven.v))) if state is None else state
    total = np.clip(total + (t - before) * (wanted(driven, reference, t)[0] - q[driven.q]), -limit, limit)
    tau[driven.v] += ki * total
    return tau, (t, total)


def gravity_compensation(model: Model, law: Law | None = None, *, joints: Sequence[str] | None = None) -> Law:
    """What holds driven joints against gravity, added to another law or alone. A base that floats is not held.

    law : (t, q (nq,), v (nv,), state) -> (tau (nv,), state), to which it is added
    """
    return partial(_gravity, model, driven_coordinates(model, joints), law)


@finite
def _gravity(model, driven, law, t, q, v, state=None):
    tau = np.zeros(model.nv)
    if law is not None:
        given = law(t, q, v, state)
        if not isinstance(given, tuple) or len(given) != 2:
            raise TypeError(f"the law gave {given!r:.60} at t = {t:g} s, expected (tau, state)")
        tau, state = np.array(model.checked_v(given[0], "tau of the law")), given[1]
    tau[driven.v] += gravity_force(model, q)[driven.v]
    return tau, state


def computed_torque(
    model: Model, reference: Reference, *, stiffness: Numbers, damping: Numbers, wrenches: Loads | None = None,
    joints: Sequence[str] | None = None,
) -> Law:  # fmt: skip
    """(3): errors of the driven coordinates obey e'' + K_d e' + K_p e = 0 if the model and its wrenches are right.

    reference : t -> positions, velocities and accelerations of the driven coordinates, (n,) each ; wrenches : as of
        `inverse_dynamics`, (6,) each
    """
    driven = driven_coordinates(model, joints)
    return partial(_computed, model, driven, reference, *_gains(driven, stiffness=stiffness, damping=damping), wrenches)


@finite
def _computed(model, driven, reference, kp, kd, wrenches, t, q, v, state=None):
    desired, rate, second = wanted(driven, reference, t)
    a = np.zeros(model.nv)
    a[driven.v] = second + kp * (desired - q[driven.q]) + kd * (rate - v[driven.v])
    return _imposed(model, driven, wrenches, t, q, v, a)[1], state


def feed_forward(
    model: Model, reference: Reference, *, stiffness: Numbers, damping: Numbers, wrenches: Loads | None = None,
    joints: Sequence[str] | None = None, step: float = 1e-3,
) -> Law:  # fmt: skip
    """(4); the state is (t, q, v) of the desired motion. step : the longest one (s) that the base's copy goes on with

    reference : t -> positions, velocities and accelerations of the driven coordinates, (n,) each ; wrenches : as of
        `inverse_dynamics`, (6,) each
    """
    if not 0 < step < np.inf:
        raise ValueError(f"step of feed-forward must be a number of seconds above 0, not {step!r}")
    driven = driven_coordinates(model, joints)
    return partial(
        _forward, model, driven, reference, *_gains(driven, stiffness=stiffness, damping=damping), wrenches, float(step)
    )


@finite
def _forward(model, driven, reference, kp, kd, wrenches, step, t, q, v, state=None):
    desired, rate, second = wanted(driven, reference, t)
    then, q_d, v_d = (t, np.array(q), np.array(v)) if state is None else state
    if t > then:
        count = max(1, int(np.ceil((t - then) / step - 1e-9)))
        for k in range(count):
            q_d, v_d = _moved(model, driven, reference, wrenches, then + k * (t - then) / count, (t - then) / count, q_d, v_d)
    q_d, v_d = np.array(q_d), np.array(v_d)
    q_d[driven.q], v_d[driven.v] = desired, rate
    a = np.zeros(model.nv)
    a[driven.v] = second
    tau = _imposed(model, driven, wrenches, t, q_d, v_d, a)[1]
    tau[driven.v] += kp * (desired - q[driven.q]) + kd * (rate - v[driven.v])
    return tau, (t, q_d, v_d)


def _moved(model, driven, reference, wrenches, t, h, q, v):
    """The desired motion a step later: joints as told, the rest by a midpoint step."""

    def placed(t, q, v):
        desired, rate, second = wanted(driven, reference, t)
        q, v, a = np.array(q), np.array(v), np.zeros(model.nv)
        q[driven.q], v[driven.v], a[driven.v] = desired, rate, second
        return q, v, _imposed(model, driven, wrenches, t, q, v, a)[0]

    q, v, a = placed(t, q, v)
    q_mid, v_mid, a_mid = placed(t + h / 2, model.integrate(q, h / 2 * v), v + h / 2 * a)
    q, v, _ = placed(t + h, model.integrate(q, h * v_mid), v + h * a_mid)
    return q, v


def _imposed(model, driven, wrenches, t, q, v, a):
    """Accelerations and forces with the driven coordinates imposed."""
    loads = None if wrenches is None else wrenches(t, q, v)
    result = hybrid_dynamics(model, q, v, np.zeros(model.nv), a, list(driven.joints), wrenches=loads)
    return np.array(result[0]), np.array(result[1])


def wanted(driven: Driven, reference: Reference, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What a reference asks for, checked."""
    given = reference(t)
    if not isinstance(given, (tuple, list, np.ndarray)):
        raise TypeError(f"the reference gave {given!r:.60} at t = {t:g} s, expected (q, v, a)")
    found = tuple(as_numbers(x, "what the reference gave", f"({len(driven.v)},)") for x in given)
    if len(found) != 3 or any(x.shape != (len(driven.v),) for x in found):
        shapes = ", ".join(str(x.shape) for x in found)
        raise ValueError(f"the reference gave shapes {shapes} at t = {t:g} s, expected three of ({len(driven.v)},)")
    if not all(np.isfinite(x).all() for x in found):
        raise ValueError(f"the reference gave a value that is not finite at t = {t:g} s")
    return found


def _gains(driven: Driven, **given: Any) -> list[np.ndarray]:
    """Gains by name, one number each, or one for each driven coordinate."""
    gains = [row(value, f"gain {name!r}") for name, value in given.items()]
    for name, gain in zip(given, gains, strict=True):
        if gain.ndim and len(gain) != len(driven.v):
            raise ValueError(
                f"gain {name!r} has {len(gain)} numbers, expected one, or one for each of {len(driven.v)} coordinates"
            )
    return gains
