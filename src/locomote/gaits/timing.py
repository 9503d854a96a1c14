"""The fastest timing of a shape path within limits of joint forces.

The net motion of a connection depends on the path alone, so that its timing s(t) is free. With x(s) the path, G the metric and
F the curvature, l the momentum of the whole (zero of what floats),

    tau = a s'' + b s'^2 ,   a = G x_s ,   b = G x_ss + (dG x_s) x_s - (x_s dG x_s)/2 - l F x_s         with inertia       (1)
    tau = G x_s s'                                                                                  without                 (2)

(2) is inverted at once. With y = s'^2 as unknown, s'' = y_s / 2 and |tau| <= limit are linear in y and s'': the largest y that
can still stop is found backwards, the largest that can be reached forwards (reachability, Pham and Pham 2018).
"""

from dataclasses import replace
from typing import Any

import numpy as np

from locomote.errors import LocomoteError
from locomote.gaits.inverse_locomotion import Plan
from locomote.gaits.local_form import LocalForm, local_form
from locomote.gaits.path_ordered import Ordered, Panels
from locomote.gaits.reachability import RestToRest
from locomote.gaits.torques import pushed, torque_limits

POINTS = 161  # of the path
STILL = 1e-12
FASTEST = 1e12  # largest y
ROUNDED = 9  # points over which switches are rounded off


def fastest(plan: Plan, torques: Any) -> Plan:
    """The same path gone through as fast as limits let it, from rest to rest; torques : N m or N, {coordinate: limit}, or one
    for all. Its net motion is the same."""
    if isinstance(plan.holonomy, RestToRest):
        raise LocomoteError(
            f"{plan.problem.name!r} has a momentum, so that its net motion depends on the timing of its shape; slower() is the "
            f"same motion at another speed"
        )
    limits = torque_limits(plan.names, torques)
    form = local_form(plan.problem, {name: dict(plan.modes[name]) for name in plan.names}, plan.at)
    s, x, dx, ddx = by_length(plan)
    a, b = pushed(form, x, dx, ddx)
    if plan.problem.inertia:
        y = swept(s, a, b, limits)
        speed = np.sqrt(np.maximum(y, 0.0))
        mean = 0.5 * (speed[1:] + speed[:-1])
    else:
        need = (abs(a) / limits).max(axis=1)
        mean = 0.5 * (1.0 / np.maximum(need[1:], STILL) + 1.0 / np.maximum(need[:-1], STILL))
    if not (np.isfinite(mean).all() and (mean > 0.0).all()):
        raise LocomoteError(
            f"no timing of this path keeps the forces of {', '.join(plan.names)} below their limits; raise them"
        )
    t = np.concatenate([[0.0], np.cumsum(np.diff(s) / mean)])
    timed = replace(plan, times=t, values=x, rest=False)
    over = float((abs(forces(timed, form, np.linspace(0.0, t[-1], 8 * POINTS))) / limits).max())
    return measured(timed.slower(np.sqrt(over) if plan.problem.inertia else over), form)  # splines round off what switches


def forces(plan: Plan, form: LocalForm, t: np.ndarray) -> np.ndarray:
    """(N, k) forces of the coordinates along a plan, N m or N, at times (N,)."""
    paths = [drive(t) for drive in plan.paths().values()]
    a, b = pushed(form, *(np.stack([np.asarray(path[j]) for path in paths], axis=1) for j in range(3)))
    return b if plan.problem.inertia else a


def swept(s: np.ndarray, a: np.ndarray, b: np.ndarray, limits: np.ndarray) -> np.ndarray:
    """(N,) the largest y = s'^2 within |a u + b y| <= limits, with y' = 2 u, zero at both ends."""
    from scipy.optimize import linprog

    step, count, bound = np.diff(s), len(s), np.isfinite(limits)
    a, b, limits = a[:, bound], b[:, bound], limits[bound]
    top = np.zeros(count)
    for i in range(count - 2, -1, -1):  # the largest from which it can still stop
        rows = np.stack([np.append(a[i], [-a[i]]), np.append(b[i], [-b[i]])], axis=1)
        rows = np.concatenate([rows, [[2 * step[i], 1.0], [-2 * step[i], -1.0]]])
        right = np.concatenate([limits, limits, [top[i + 1], 0.0]])
        found = linprog([0.0, -1.0], A_ub=rows, b_ub=right, bounds=[(None, None), (0.0, FASTEST)], method="highs")
        if found.status != 0:
            raise LocomoteError("no timing of this path keeps its forces below their limits; raise them")
        top[i] = found.x[1]
    y = np.zeros(count)
    for i in range(count - 1):
        room = [(np.sign(p) * m - q * y[i]) / p for p, q, m in zip(a[i], b[i], limits, strict=True) if abs(p) > STILL]
        y[i + 1] = min(max(y[i] + 2 * step[i] * min(room, default=FASTEST), 0.0), top[i + 1])
    round_off = np.hanning(ROUNDED + 2)[1:-1]
    inside = slice(ROUNDED, -ROUNDED)
    y[inside] = np.convolve(y, round_off / round_off.sum(), mode="same")[inside]
    return y


def by_length(plan: Plan) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Lengths (N,), and shapes with two derivatives by length (N, k), along the path of a plan."""
    from scipy.interpolate import make_interp_spline

    t = np.linspace(0.0, plan.duration, 20 * POINTS)
    x = np.stack([np.asarray(drive(t)[0]) for drive in plan.paths().values()], axis=1)
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(x, axis=0), axis=1))])
    if not way[-1] > STILL:
        raise LocomoteError("the shape does not move, so that there is nothing to time")
    s = np.linspace(0.0, way[-1], POINTS)
    curve = make_interp_spline(s, np.stack([np.interp(s, way, column) for column in x.T], axis=1), k=5)
    return s, curve(s), curve(s, 1), curve(s, 2)


def measured(plan: Plan, form: LocalForm) -> Plan:
    """The plan with pose, effort and length of its timing."""
    panels = Panels(plan.times)
    t = panels.nodes.ravel()
    paths = [drive(t) for drive in plan.paths().values()]
    x, dx = (np.stack([np.asarray(path[j]) for path in paths], axis=1) for j in range(2))
    local = form(x)
    xi = -np.einsum("pnk,pk->pn", local.A, dx).reshape(-1, 3, form.group.size)
    ordered = Ordered(form.group, panels, xi)
    squared = np.einsum("pj,pjk,pk->p", dx, local.G, dx)
    error = float(np.linalg.norm(form.group.log(np.linalg.inv(plan.pose) @ ordered.pose))) + plan.error
    shares = panels.shares.ravel()
    return replace(
        plan, pose=ordered.pose, poses=ordered.poses, error=error, effort=float(shares @ squared),
        length=float(shares @ np.sqrt(np.maximum(squared, 0.0))),
    )  # fmt: skip
