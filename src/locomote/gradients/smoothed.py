"""Contacts that give way, in the place of hard ones: a motion without hits, whose slopes are those of a smooth run.

Each point that may touch gets a spring and damper after Hunt and Crossley, and regularised friction (`forces.soft_ground`):

    k d^1.5 = m g / points  at the depth d that was asked for ;   f_n = k d^1.5 (1 + c d') ,  c = 3 s/m ;   slow = 100 d / s

so that d alone says how smooth it is. Slopes are those of this motion, not of the hard one: what the goal is off by is measured
in the same call and said, and goes to zero with d. Steps must be short enough for the springs and for the friction:

    h < 2 / max(sqrt(1.5 k sqrt(4 d) w) , 3 mu m g w / (points slow))        w how a point answers to an impulse, 1/kg
"""

import numpy as np

from locomote.contact.touch import Touch
from locomote.forces.soft_ground import SoftGround
from locomote.gradients.contact_case import SMALL, ContactCase
from locomote.locomotion.problem import Locomotion
from locomote.model.flexible.along import Along

DAMPING, SLOW = 3.0, 100.0  # s/m; 1/s
STABLE = 2.0


def smoothed(case: ContactCase, depth: float) -> Locomotion:
    """The problem of runs over contacts (`contact_case`) with ground that gives way by a depth (m) under its weight."""
    problem = case.problem
    if not (np.isfinite(depth) and depth > 0.0):
        raise ValueError(f"depth is {depth!r}, expected how far contacts give way under the weight, m, above 0")
    model, answers = problem.model, case.rolled.small / SMALL
    load = float(model.mass * np.linalg.norm(model.gravity)) / len(answers)
    if not load > 0.0:
        raise ValueError(f"{problem.name!r} has no weight, by which the depth of contacts that give way is measured")
    stiffness, slow = load / depth**1.5, SLOW * depth
    friction = max(float(touch.ground.friction) for touch in problem.contacts)
    springs = np.sqrt(1.5 * stiffness * np.sqrt(4.0 * depth) * answers.max())
    longest = STABLE / max(springs, 3.0 * friction * load * answers.max() / slow)
    step = float(case.times[1])
    if step > longest:
        raise ValueError(
            f"steps of {1e3 * step:g} ms are too long for contacts that give way by {1e3 * depth:g} mm: take "
            f"{1e3 * longest:.2g} ms or less, or a larger depth"
        )
    given = {"stiffness": stiffness, "damping": DAMPING, "normal": "hunt-crossley", "slow": slow}
    soft = [
        SoftGround(feet_of(touch), friction=touch.ground.friction, surface=touch.ground.surface, name=touch.title,
                   radius=radius_of(touch), **given)
        for touch in problem.contacts
    ]  # fmt: skip
    return problem.replaced(contacts=(), environment=[*problem.environment, *soft])


def feet_of(touch: Touch) -> dict:
    """The points that may touch, or centers of balls, by body."""
    if isinstance(touch.body, Along) or touch.start is not None or touch.disc is not None or touch.shape is not None:
        raise ValueError(f"{touch.title!r} has no smoothed law: points, balls, boxes and capsules of bodies have")
    at = np.asarray(touch.at, dtype=float)
    R, o = (at[:3, :3], at[:3, 3]) if at.ndim == 2 else (np.eye(3), at)
    if touch.points:
        return {touch.body: list(touch.points)}
    places = [(0.0, 0.0, 0.0)]
    if touch.capsule is not None:
        places = [(0.0, 0.0, side * touch.capsule[1]) for side in (-1.0, 1.0)]
    elif touch.box is not None:
        x, y, z = touch.box
        places = [(a * x, b * y, c * z) for a in (-1.0, 1.0) for b in (-1.0, 1.0) for c in (-1.0, 1.0)]
    return {touch.body: [tuple((R @ np.array(place) + o).tolist()) for place in places]}


def radius_of(touch: Touch) -> float | None:
    """That of balls."""
    return touch.sphere if touch.sphere is not None else touch.capsule[0] if touch.capsule is not None else None
