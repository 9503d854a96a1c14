"""Configurations that bring frames of bodies to given places: damped least squares on the group, within joint limits.

e stacks the errors of all targets, J its derivative by the coordinates that may move:

    place      x - x_target ,             J = R_body J_linear          (axes of the world)                               (1)
    turn       phi = log(R_target^T R) ,  J = Jr(phi)^-1 J_angular     (axes of the target)                              (2)
    step       (J^T J + mu) dv = -J^T e ,  mu going to zero with e^2, coordinates at a limit left out if they push it      (3)

From the given start first, then from random ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from locomote.brief import brief
from locomote.dynamics.kinematics import forward_kinematics, jacobian
from locomote.errors import LocomoteError
from locomote.model.joints import is_floating
from locomote.model.model import Model, checked_model
from locomote.spatial.inertia import skew
from locomote.spatial.numbers import as_numbers, generator, integer

LETTERS = "xyzabc"
FARTHEST = 1e100  # m: squares of larger distances overflow


@brief
@dataclass(frozen=True)
class Target:
    """Where a frame of a body shall be.

    position : (3,) place of `point` in the world, m ; orientation : (3, 3) rotation, or quaternion (x, y, z, w), of the body
    held : what of it counts: letters x y z (along axes of the world) and a b c (turns about axes of the target orientation);
        all that is given if not said. "xyzab" leaves the turn about the target's z free.
    point : in the body frame, m
    """

    body: str
    position: Any = None
    orientation: Any = None
    held: str = ""
    point: Any = (0.0, 0.0, 0.0)


@brief
@dataclass(frozen=True)
class Reached:
    """What inverse kinematics found.

    q : (nq,) ; reached : whether all targets are met ; errors : for each target its largest errors (m, rad)
    steps : of the start that led there ; starts : how many were tried ; at_limits : names of joints that stand at a limit
    """

    q: np.ndarray
    reached: bool
    errors: tuple[tuple[float, float], ...]
    steps: int
    starts: int
    at_limits: tuple[str, ...]


class Unreachable(LocomoteError, ArithmeticError):
    """No configuration was found that meets all targets; `best` is the nearest one, a Reached."""

    def __init__(self, message: str, best: Reached | None = None):
        super().__init__(message)
        self.best = best

    def __reduce__(self):
        return Unreachable, (self.args[0], self.best)


def inverse_kinematics(
    model: Model,
    targets: Target | Sequence[Target],
    *,
    start=None,
    joints: Sequence[str] | None = None,
    limits: bool = True,
    tolerance: float = 1e-9,
    steps: int = 100,
    starts: int = 30,
    seed: int = 0,
    best: bool = False,
) -> Reached:
    """A configuration that meets all targets, near `start` if there is one.

    targets : one `Target` or several, on any bodies ; start : (nq,), the neutral one if not given
    joints : names of joints that may move; all but a free or planar root if not given ; limits : keep joint limits
    tolerance : largest error, m and rad ; steps : of one start ; starts : how many random ones are tried after the first
    best : return the nearest configuration, with `reached` False, instead of raising Unreachable
    """
    checked_model(model)
    targets = [targets] if isinstance(targets, Target) else list(targets)
    if not tolerance > 0:
        raise ValueError(f"tolerance must be above 0, not {tolerance!r}")
    steps, starts = integer(steps, "steps", 0), integer(starts, "starts", 0)
    if not targets:
        raise ValueError("inverse kinematics needs at least one lo.Target")
    goals = [_Goal.of(model, target) for target in targets]
    moving = _moving(model, joints)
    lower, upper = _limits(model) if limits else (np.full(model.nv, -np.inf), np.full(model.nv, np.inf))
    q0 = model.neutral() if start is None else model.checked_q(start, "start")
    if q0.ndim != 1:
        raise ValueError(f"start has shape {q0.shape}, expected ({model.nq},)")
    if not moving.any():
        raise ValueError("no joint may move: name some in joints=")
    rng, found, trial = generator(seed, "seed"), (q0, np.inf, 0), 0
    for trial in range(starts + 1):
        q = q0 if trial == 0 else _other_start(model, q0, moving, rng)
        q, error, count = _descend(
            model, goals, _within(model, q, lower, upper, moving), moving, lower, upper, tolerance, steps
        )
        if error < found[1]:
            found = q, error, count
        if error <= tolerance:
            break
    q, error, count = found
    done = Reached(
        q, bool(error <= tolerance), tuple(g.errors(model, q) for g in goals), count, trial + 1, _at(model, q, limits)
    )
    if not done.reached and not best:
        worst = max(range(len(goals)), key=lambda k: max(done.errors[k]))
        shift, turn = done.errors[worst]
        held = f"; at their limits: {', '.join(done.at_limits)}" if done.at_limits else ""
        raise Unreachable(
            f"body {targets[worst].body!r} of model {model.name!r} stays {shift:.3g} m and {turn:.3g} rad from its target "
            f"after {done.starts} starts{held}; the nearest configuration is .best.q (best=True returns it)",
            done,
        )
    return done


@dataclass(frozen=True)
class _Goal:
    """A target, checked."""

    body: int
    point: np.ndarray
    position: np.ndarray
    R: np.ndarray
    rows: list[int]

    @classmethod
    def of(cls, model: Model, target: Target) -> "_Goal":
        if not isinstance(target, Target):
            raise ValueError(f"targets must be lo.Target, not {target!r:.60}")
        place = f"target of body {target.body!r}"
        given = ("xyz" if target.position is not None else "") + ("abc" if target.orientation is not None else "")
        held = target.held or given
        if not held or set(held) - set(LETTERS):
            raise ValueError(f"{place} says neither position nor orientation, or held={target.held!r} is not of {LETTERS}")
        if set(held) - set(given):
            raise ValueError(f"{place} holds {held!r}, but only {given!r} is given")
        position = np.zeros(3) if target.position is None else as_numbers(target.position, f"position of the {place}", "(3,)")
        R = np.eye(3) if target.orientation is None else rotation_of(target.orientation, place)
        point = as_numbers(target.point, f"point of the {place}", "(3,)")
        if position.shape != (3,) or point.shape != (3,) or not (abs(np.array([*position, *point])) < FARTHEST).all():
            raise ValueError(f"position and point of the {place} must be three finite numbers (m), not {position} and {point}")
        return cls(model.body_index(target.body), point, position, R, [LETTERS.index(x) for x in held])

    def error(self, model: Model, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """e and J of (1) and (2)."""
        pose = forward_kinematics(model, q)[self.body]
        local = jacobian(model, q, self.body, point=tuple(map(float, self.point)))
        phi = Rotation.from_matrix(self.R.T @ pose[:3, :3]).as_rotvec()
        e = np.concatenate([pose[:3, :3] @ self.point + pose[:3, 3] - self.position, phi])
        J = np.vstack([pose[:3, :3] @ local[:3], _log_rate(phi) @ local[3:]])
        return e[self.rows], J[self.rows]

    def errors(self, model: Model, q: np.ndarray) -> tuple[float, float]:
        """Largest errors of place and turn."""
        e = np.zeros(6)
        e[self.rows] = self.error(model, q)[0]
        return float(abs(e[:3]).max()), float(abs(e[3:]).max())


def rotation_of(value, place: str) -> np.ndarray:
    """A rotation from a matrix or a quaternion."""
    array = as_numbers(value, f"orientation of the {place}", "(3, 3) or (4,)")
    if array.shape == (4,) and abs(np.linalg.norm(array) - 1) < 1e-6:
        return Rotation.from_quat(array).as_matrix()
    if array.shape == (3, 3) and np.allclose(array @ array.T, np.eye(3), atol=1e-6) and np.linalg.det(array) > 0:
        return array
    raise ValueError(
        f"orientation of the {place} must be a rotation (3, 3) or a unit quaternion (x, y, z, w), not {value!r:.80}"
    )


def _log_rate(phi: np.ndarray) -> np.ndarray:
    """Jr(phi)^-1: the rate of a rotation vector by the angular velocity in turned axes."""
    angle, K = float(np.linalg.norm(phi)), skew(phi)
    factor = 1 / 12 if angle < 1e-4 else 1 / angle**2 - (1 + np.cos(angle)) / (2 * angle * np.sin(min(angle, np.pi - 1e-9)))
    return np.eye(3) + K / 2 + factor * K @ K


def _descend(model, goals, q, moving, lower, upper, tolerance, steps):
    """(3): configuration, largest error and number of steps."""
    mu, count = 1e-2, 0
    e, J = _stacked(model, goals, q)
    for count in range(1, steps + 1):
        if abs(e).max() <= tolerance:
            return q, float(abs(e).max()), count - 1
        gradient, x = J.T @ e, _flat(model, q)
        use = moving & ~((x <= lower) & (gradient > 0)) & ~((x >= upper) & (gradient < 0))
        damping = mu * min(1.0, float(e @ e)) + 1e-14
        step = np.zeros(model.nv)
        part = J[:, use]
        step[use] = -part.T @ np.linalg.solve(part @ part.T + damping * np.eye(len(e)), e)
        longest = abs(step).max(initial=0.0)
        if longest < 1e-15:
            break
        ahead = _within(model, model.integrate(q, step / max(1.0, longest)), lower, upper, moving)
        e_ahead, J_ahead = _stacked(model, goals, ahead)
        if e_ahead @ e_ahead < e @ e:
            q, e, J, mu = ahead, e_ahead, J_ahead, max(mu / 4, 1e-9)
        else:
            mu *= 8
            if mu > 1e12:
                break
    return q, float(abs(e).max()), count


def _stacked(model, goals, q):
    """e and J of all targets."""
    pairs = [goal.error(model, q) for goal in goals]
    return np.concatenate([e for e, _ in pairs]), np.vstack([J for _, J in pairs])


def _moving(model: Model, joints) -> np.ndarray:
    """(nv,) coordinates that may move."""
    if joints is None:
        root = model.joint_names[0] if model.joint_names else None
        fixed = root is not None and is_floating(model.joint(root).kind)
        joints = [name for name in model.joint_names if not (fixed and name == root)]
    moving = np.zeros(model.nv, dtype=bool)
    for name in joints:
        moving[model.joint(name).v] = True
    return moving


def _plain(model: Model):
    """q and v slices of the joints whose coordinates have limits: all without a quaternion."""
    views = [model.joint(name) for name in model.joint_names]
    return [(x.q, x.v) for x in views if not x.coupled and x.q.stop - x.q.start == x.v.stop - x.v.start]


def _limits(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """(nv,) limits of coordinates."""
    lower, upper = np.full(model.nv, -np.inf), np.full(model.nv, np.inf)
    for q, v in _plain(model):
        lower[v], upper[v] = model.lower[q], model.upper[q]
    return lower, upper


def _flat(model: Model, q: np.ndarray) -> np.ndarray:
    """(nv,) coordinates with limits, zero elsewhere."""
    x = np.zeros(model.nv)
    for of_q, of_v in _plain(model):
        x[of_v] = q[of_q]
    return x


def _within(model: Model, q: np.ndarray, lower, upper, moving) -> np.ndarray:
    """The configuration with coordinates that may move brought back to their limits."""
    q = np.array(q)
    for of_q, of_v in _plain(model):
        kept = np.clip(q[of_q], lower[of_v], upper[of_v])
        q[of_q] = np.where(moving[of_v], kept, q[of_q])
    return q


def _other_start(model: Model, q0, moving, rng) -> np.ndarray:
    """A random configuration of what may move."""
    drawn, q = model.random(rng), np.array(q0)
    for name in model.joint_names:
        view = model.joint(name)
        if not view.coupled and moving[view.v].all():
            q[view.q] = drawn[view.q]
    return q


def _at(model: Model, q: np.ndarray, limits: bool) -> tuple[str, ...]:
    """Joints that stand at a limit."""
    if not limits:
        return ()
    names = [name for name in model.joint_names if not model.joint(name).coupled]
    views = [model.joint(name) for name in names]
    return tuple(view.name for view in views if ((q[view.q] <= model.lower[view.q]) | (q[view.q] >= model.upper[view.q])).any())
