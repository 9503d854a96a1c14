"""All configurations of an arm that put its hand at a pose: closed for six revolute joints with a wrist, else from many starts.

Axes e_i through points o_i at q = 0, and w the point where the last three meet (the wrist). Turns about axes 1, 2, 3 must bring
w to p, where the target has it. With x(q3) = w turned about axis 3, and y = x turned about axis 2 = p turned back about axis 1,

    y . e2 = x . e2 ,   y . e1 = p . e1 ,   |y - o2| = |x - o2| ,   |y - o1| = |p - o1|                                   (1)

o1 and o2 being where the common perpendicular of axes 1 and 2 stands. If they are apart, the difference of the last two is
linear in y, so y is linear in (cos q3, sin q3) and the last equation a trigonometric polynomial of degree 2 in q3: at most
four roots. If the axes meet, the difference tells q3 (two roots), and each has two y. If they are parallel, the first two tell
q3.
Then q2 from x to y, q1 from y to p, and the wrist:

    turns about e4, e5, e6 that make the rotation that is left:  e6 tells q4 and q5 (two ways), any other vector q6          (2)
"""

from dataclasses import dataclass

import numpy as np

from locomote.brief import brief
from locomote.dynamics.inverse_kinematics import Target, inverse_kinematics, rotation_of
from locomote.dynamics.kinematics import forward_kinematics, jacobian
from locomote.model.model import Model, checked_model
from locomote.spatial.inertia import skew
from locomote.spatial.numbers import as_numbers, generator, integer, several

MEET = 1e-9  # m and rad: axes that are nearer than this meet, or are parallel
SAME = 1e-6  # rad: configurations that are nearer than this are one


@brief
@dataclass(frozen=True)
class ArmSolutions:
    """All configurations found.

    q : (count, nq), by distance from `start` ; closed : whether they are all there are, by formulas
    singular : whether the wrist is straight in one of them, which then stands for a whole family
    beyond_limits : how many were left out because of joint limits
    """

    q: np.ndarray
    closed: bool
    singular: bool
    beyond_limits: int


def all_inverse_kinematics(
    model: Model, pose, body: str | None = None, *, start=None, limits: bool = True, starts: int = 200, seed: int = 0
) -> ArmSolutions:
    """All configurations that put a body at a pose (4, 4): up to eight of six revolute joints with a wrist, by formulas.

    body : the last one if not given ; start : (nq,) what other joints keep, and what angles are taken near to
    limits : leave out what is beyond joint limits ; starts : random starts for arms without formulas, then as many as are found
    """
    body = checked_model(model).body_names[-1] if body is None else body
    pose = as_numbers(pose, "pose", "(4, 4)")
    if pose.shape != (4, 4) or not np.isfinite(pose).all():
        raise ValueError(f"pose must be a (4, 4) array of finite numbers, not {pose!r:.80}")
    rotation_of(pose[:3, :3], f"pose of body {body!r}")
    q0 = model.neutral() if start is None else model.checked_q(start, "start")
    chain = _six_with_wrist(model, body, q0)
    if chain is None:
        return _numeric(model, pose, body, q0, limits, starts, seed)
    slots, e, o, zero, wrist = chain
    R, singular, rows = pose[:3, :3] @ zero[:3, :3].T, False, []
    p = pose[:3, 3] + R @ (wrist - zero[:3, 3])
    for q1, q2, q3 in _places(e, o, wrist, p):
        left = (_turn(e[0], q1) @ _turn(e[1], q2) @ _turn(e[2], q3)).T @ R
        for q4, q5, straight in _swings(e[3], e[4], e[5], left @ e[5]):  # (2)
            rest = (_turn(e[3], q4) @ _turn(e[4], q5)).T @ left
            across = np.cross(e[5], e[4] if abs(e[5] @ e[4]) < 0.9 else e[3])
            q = np.array(q0)
            q[slots] = q1, q2, q3, q4, q5, _angle(e[5], across, rest @ across)
            singular = singular or straight
            rows.append(q)
    good = []
    for q in rows:
        polished = inverse_kinematics(
            model, Target(body, pose[:3, 3], pose[:3, :3]), start=q, limits=False, starts=0, steps=8, tolerance=1e-12, best=True
        )
        q = polished.q if max(polished.errors[0]) < 1e-7 else q
        reached = forward_kinematics(model, q)[model.body_index(body)]
        if np.allclose(reached, pose, atol=1e-6):
            good.append(q)
    return _sorted(model, good, q0, slots, limits, True, singular)


def workspace(
    model: Model, body: str | None = None, *, point=(0.0, 0.0, 0.0), samples: int = 10_000, seed: int = 0
) -> np.ndarray:
    """(samples, 3) places that a point of a body reaches, for random configurations within joint limits, m."""
    index = checked_model(model).body_index(model.body_names[-1] if body is None else body)
    samples, place = integer(samples, "samples", 1), np.array(several(point, 3, "point"))
    if not np.isfinite(place).all():
        raise ValueError(f"point must be 3 finite numbers, not {point!r:.60}")
    poses = forward_kinematics(model, model.random(seed, samples))[:, index]
    return poses[:, :3, :3] @ place + poses[:, :3, 3]


def _six_with_wrist(model: Model, body: str, q0):
    """Slots of q, axes, points of the axes, pose at zero angles, and the wrist; None for any other arm."""
    chain, at = [], body
    while at is not None:
        view = model.body(at)
        chain = [*view.joints, *chain]
        at = view.parent
    views = [model.joint(name) for name in chain]
    if len(views) != 6 or any(view.kind != "revolute" or view.coupled for view in views):
        return None
    slots, zero = [view.q.start for view in views], np.array(q0)
    zero[slots] = 0.0
    J = jacobian(model, zero, body, frame="world")[:, [view.v.start for view in views]]
    e, o = J[3:].T, np.cross(J[3:].T, J[:3].T)
    # the point nearest to the last three axes, and how far it is from them
    planes = [np.eye(3) - np.outer(x, x) for x in e[3:]]
    wrist = np.linalg.lstsq(np.vstack(planes), np.concatenate([A @ x for A, x in zip(planes, o[3:], strict=True)]), rcond=None)[
        0
    ]
    away = max(np.linalg.norm(A @ (wrist - x)) for A, x in zip(planes, o[3:], strict=True))
    bent = min(np.linalg.norm(np.cross(e[3], e[4])), np.linalg.norm(np.cross(e[4], e[5])))
    if away > MEET or bent < MEET:
        return None
    return slots, e, o, forward_kinematics(model, zero)[model.body_index(body)], wrist


def _places(e, o, w, p):
    """Angles of the first three joints that bring the wrist from w to p, by (1)."""
    across = np.cross(e[0], e[1])
    parallel = np.linalg.norm(across) < MEET
    o1, o2 = (o[0], o[1]) if parallel else _feet(e[0], o[0], e[1], o[1])
    apart = not parallel and np.linalg.norm(o1 - o2) > MEET

    def turned(angle):
        return o[2] + _turn(e[2], angle) @ (w - o[2])

    def y_of(x):
        rows = np.array([e[1], e[0], 2 * (o1 - o2)])
        sides = [x @ e[1], p @ e[0], (x - o2) @ (x - o2) - (p - o1) @ (p - o1) + o1 @ o1 - o2 @ o2]
        return np.linalg.solve(rows, sides)

    if apart:

        def miss(angle):
            y = y_of(turned(angle))
            return (y - o1) @ (y - o1) - (p - o1) @ (p - o1)

        angles = _roots(miss, 2)
    elif parallel:
        angles = _roots(lambda angle: turned(angle) @ e[1] - p @ e[0], 1)
    else:
        angles = _roots(lambda angle: (turned(angle) - o2) @ (turned(angle) - o2) - (p - o1) @ (p - o1), 1)
    for q3 in angles:
        x = turned(q3)
        if apart:
            candidates = [y_of(x)]
        elif parallel:
            candidates = _circles(e[0], o1, p, o2, x)
        else:
            candidates = _two_planes(e[0], p @ e[0], e[1], x @ e[1], o1, (p - o1) @ (p - o1))
        for y in candidates:
            yield _angle(e[0], y - o[0], p - o[0]), _angle(e[1], x - o[1], y - o[1]), q3


def _roots(function, degree: int) -> list[float]:
    """Angles at which a trigonometric polynomial is zero, from as many values as it has coefficients."""
    count = 2 * degree + 1
    values = np.array([function(2 * np.pi * k / count) for k in range(count)])
    coefficients = np.fft.fft(values) / count  # coefficients of exp(i k angle), k = 0, 1, ..., -degree, ..., -1
    ordered = np.concatenate([coefficients[degree + 1 :], coefficients[: degree + 1]])
    scale = abs(ordered).max()
    if scale == 0 or abs(ordered[np.arange(count) != degree]).max() < 1e-14 * scale:
        return []
    zeros = np.roots(ordered[::-1])
    return [float(np.angle(z)) for z in zeros if abs(abs(z) - 1) < 1e-5]


def _feet(e1, p1, e2, p2):
    """Points of two lines where their common perpendicular stands."""
    across = np.cross(e1, e2)
    s, t, _ = np.linalg.solve(np.column_stack([e1, -e2, across]), p2 - p1)
    return p1 + s * e1, p2 + t * e2


def _two_planes(e1, d1, e2, d2, center, square):
    """Points of a sphere on two planes y . e = d."""
    across = np.cross(e1, e2)
    base = np.linalg.solve(np.array([e1, e2, across]), [d1, d2, across @ center])
    rest = square - (base - center) @ (base - center)
    if rest < -1e-9 * max(1.0, square):
        return []
    step = np.sqrt(max(rest, 0.0)) * across / np.linalg.norm(across)
    return [base + step, base - step]


def _circles(e, o1, p, o2, x):
    """Points on two circles about parallel axes, through p about o1 and through x about o2."""
    flat = np.eye(3) - np.outer(e, e)
    c1, c2 = o1 + e * (e @ (p - o1)), o2 + e * (e @ (p - o2))
    r1, r2, gap = np.linalg.norm(p - c1), np.linalg.norm(flat @ (x - o2)), c2 - c1
    distance = np.linalg.norm(gap)
    if distance < MEET:
        return []
    along = (distance**2 + r1**2 - r2**2) / (2 * distance)
    rest = r1**2 - along**2
    if rest < -1e-9 * max(1.0, r1**2):
        return []
    u = gap / distance
    side = np.sqrt(max(rest, 0.0)) * np.cross(e, u)
    return [c1 + along * u + side, c1 + along * u - side]


def _swings(e4, e5, e6, target):
    """Turns about e4 and e5 that bring e6 to a direction, and whether the wrist is straight."""
    if np.linalg.norm(np.cross(target, e4)) < 1e-7:
        between = _two_planes(e4, e4 @ target, e5, e5 @ e6, np.zeros(3), 1.0)[:1]
        return [(0.0, _angle(e5, e6, y), True) for y in between]
    return [
        (_angle(e4, y, target), _angle(e5, e6, y), False) for y in _two_planes(e4, e4 @ target, e5, e5 @ e6, np.zeros(3), 1.0)
    ]


def _turn(axis, angle) -> np.ndarray:
    """The rotation about a unit axis."""
    K = skew(axis)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def _angle(axis, a, b) -> float:
    """The turn about an axis that brings a to b."""
    a, b = a - axis * (axis @ a), b - axis * (axis @ b)
    return float(np.arctan2(axis @ np.cross(a, b), a @ b))


def _numeric(model, pose, body, q0, limits, starts, seed) -> ArmSolutions:
    """As many different configurations as random starts lead to."""
    target, rng, found = Target(body, pose[:3, 3], pose[:3, :3]), generator(seed, "seed"), []
    for trial in range(integer(starts, "starts", 0)):
        start = q0 if trial == 0 else model.random(rng)
        done = inverse_kinematics(model, target, start=start, limits=limits, starts=0, best=True)
        if done.reached:
            found.append(done.q)
    slots = [
        model.joint(n).q.start for n in model.joint_names if model.joint(n).kind == "revolute" and not model.joint(n).coupled
    ]
    return _sorted(model, found, q0, slots, limits, False, False)


def _sorted(model, rows, q0, slots, limits, closed, singular) -> ArmSolutions:
    """Without what is there twice or beyond limits, angles within a turn of the start, nearest first."""
    kept, beyond = [], 0
    for q in rows:
        q = np.array(q)
        q[slots] = q0[slots] + (q[slots] - q0[slots] + np.pi) % (2 * np.pi) - np.pi
        for k in slots if limits else ():
            for other in (q[k] - 2 * np.pi, q[k] + 2 * np.pi):
                if not model.lower[k] <= q[k] <= model.upper[k] and model.lower[k] <= other <= model.upper[k]:
                    q[k] = other
        if any(_near(model, q, other) for other in kept):
            continue
        if limits and ((q < model.lower - 1e-9) | (q > model.upper + 1e-9)).any():
            beyond += 1
            continue
        kept.append(q)
    kept.sort(key=lambda q: float(np.linalg.norm(model.difference(q0, q))))
    return ArmSolutions(np.array(kept).reshape(-1, model.nq), closed, singular, beyond)


def _near(model, q, other) -> bool:
    away = model.difference(q, other)
    return bool(np.max(abs((away + np.pi) % (2 * np.pi) - np.pi), initial=0.0) < SAME)
