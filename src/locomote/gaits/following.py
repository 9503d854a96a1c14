"""Shape motions that lead a body along a given curve, from the constraints themselves: also through singular shapes.

A body with a blade is led along a curve at a speed: its place p stays on the curve, its x axis along the tangent. With C the
rows of the constraints and J the velocity of the body,

    [ C ]        [ 0                       ]
    [ J ] v  =   [ tangent speed + pull    ]        for the velocities v of base and shape together                        (1)

The connection is singular where axles meet (C-shapes of the kinematic snake); (1) is not, since what leads is
the body itself and all others follow it like trailers. Constraints are met exactly, the curve by pulling along it and steering:

    turn + 2 a off + a^2 / speed aside      off, aside : heading and place from the curve; both fade at the rate a          (2)
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.drives.drive import Drive
from locomote.drives.kinds.spline import Spline
from locomote.dynamics.kinematics import forward_kinematics, jacobian
from locomote.errors import LocomoteError, UnknownName
from locomote.forces.numbers import a_number
from locomote.gaits.coordinates import coordinate_name, place_in_q
from locomote.linear.rank import own_lengths, rank_of
from locomote.locomotion.problem import Locomotion
from locomote.spatial.numbers import as_numbers, integer

PULL = 5.0  # 1/s, how fast errors fade
LOST = 1e-7  # relative size of a pivot of (1) below which the curve does not decide the motion


@brief
@dataclass(frozen=True, eq=False)
class Followed:
    """A motion along a curve.

    t : (N,) s ; q, v : (N, nq), (N, nv) ; error : (N,) m, of the body from the curve
    sound : (N,) smallest over largest singular value of the rows of constraints by the base: small at singular shapes
    """

    problem: Locomotion
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    error: np.ndarray
    sound: np.ndarray

    def drives(self) -> dict[Any, Drive]:
        """Drives of the joints, as `drives` of a problem."""
        model, base = self.problem.model, self.problem.external
        slots = [slot for slot in model.layout() if slot.vector == "v"]
        found: dict[Any, Drive] = {}
        for k in range(model.nv):
            if k not in base:
                name = coordinate_name(model, slots, k)
                found[name] = Spline(self.t, self.q[:, place_in_q(self.problem, k)], order=5, outside="error")
        return found


def follow(
    problem: Locomotion, body: str, curve: Callable[[float], Any], *, speed: float = 1.0, duration: float = 1.0,
    q: Any = None, samples: int = 401,
) -> Followed:  # fmt: skip
    """The motion of base and shape together in which a body goes along a curve in the plane.

    body : that leads, its x axis along the curve ; curve : function of the way s, m, to a place (x, y), m; s need not be arc
        length, only `speed` is then not in m/s
    speed : of s, m/s ; duration : s ; q : (nq,) start, that of the problem if None, the body on the curve there

    Raises a LocomoteError where the curve does not decide the motion, with the shape that it had come to.
    """
    model = problem.model
    if body not in model.body_names:
        raise UnknownName("body", body, model.body_names, model.name)
    if not callable(curve):
        raise TypeError(f"curve is {curve!r:.60}, expected a function of the way, m, that gives (x, y), m")
    speed, duration = a_number("speed", speed), a_number("duration", duration, above=0.0)
    bare = problem.replaced(drives={}, torques=None)
    start = np.array(model.checked_q(bare.initial()[0] if q is None else q), dtype=float)
    h = duration / (count := integer(samples, "samples", 5) - 1)
    states, rates, errors, sound = [start], [], [], []

    def rate(t: float, now: np.ndarray) -> tuple[np.ndarray, float, float]:
        (p, along, turn), pose = course(curve, speed, t), forward_kinematics(model, now)[model.body_names.index(body)]
        away = p - pose[:2, 3]
        heading = np.arctan2(pose[1, 0], pose[0, 0])
        off = (np.arctan2(along[1], along[0]) - heading + np.pi) % (2 * np.pi) - np.pi
        J = jacobian(model, now, body)[[0, 1, 5]]  # body axes
        R = pose[:2, :2]
        ahead, aside = R.T @ away
        fast = float(np.linalg.norm(along))
        steer = turn + 2 * PULL * off + PULL**2 / fast * aside if fast else 0.0  # (2)
        wanted = np.array([(R.T @ along)[0] + PULL * ahead, (R.T @ along)[1], steer])
        C = bare.rows(t, now)[0]
        rows = np.concatenate([C, J])
        if rank_of(rows, own_lengths(rows), LOST) < model.nv:
            raise LocomoteError(
                f"{body!r} along the curve does not decide how {problem.name!r} moves at t = {t:.4g} s: a joint is folded by a "
                f"quarter turn, or a part has nothing that holds it; shape {np.round(now[3:], 3).tolist()}"
            )
        free = np.linalg.svd(C)[2][rank_of(C, own_lengths(C), LOST) :].T  # constraints are met, the curve as well as can be
        v = free @ np.linalg.lstsq(J @ free, wanted, rcond=1e-12)[0]
        base = C[:, sorted(problem.external)]
        sizes = np.linalg.svd(base, compute_uv=False)
        return v, float(np.linalg.norm(away)), float(sizes[-1] / sizes[0])

    for j in range(count + 1):
        t, now = j * h, states[-1]
        one, error, well = rate(t, now)
        rates.append(one)
        errors.append(error)
        sound.append(well)
        if j == count:
            break
        two = rate(t + h / 2, model.integrate(now, h / 2 * one))[0]
        three = rate(t + h / 2, model.integrate(now, h / 2 * two))[0]
        four = rate(t + h, model.integrate(now, h * three))[0]
        states.append(model.integrate(now, h / 6.0 * (one + 2 * two + 2 * three + four)))
    return Followed(problem, h * np.arange(count + 1), *map(np.array, (states, rates, errors, sound)))


def course(curve: Callable[[float], Any], speed: float, t: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Place, velocity and rate of turn of a curve, by differences of order four."""
    step = 1e-3 * max(abs(speed), 1e-3)
    s = speed * t
    found = [as_numbers(curve(s + k * step), "what the curve gives", "(2,)") for k in (-2, -1, 0, 1, 2)]
    p = np.array([place[:2] if place.ndim == 1 and len(place) > 1 else (np.nan, np.nan) for place in found])
    if not np.isfinite(p).all():
        raise ValueError(f"the curve gives {curve(s)!r:.60} at {s:.4g} m, expected a place (x, y), m")
    slope = (p[0] - 8 * p[1] + 8 * p[3] - p[4]) / (12 * step)
    bend = (-p[0] + 16 * p[1] - 30 * p[2] + 16 * p[3] - p[4]) / (12 * step**2)
    squared = float(slope @ slope)
    if squared < 1e-12:
        raise ValueError(f"the curve stands still at {s:.4g} m: give one without such places")
    return p[2], speed * slope, speed * float(slope[0] * bend[1] - slope[1] * bend[0]) / squared
