"""Gaits for legs of any kind: joints over one period from places of the feet, by Newton's method on the legs.

The trunk stays where it is in q and feet move below it as `foot_motion` says: x forward along the trunk, z up. From sample to
sample each leg takes the least change of its joints that puts the feet in place:

    J dq = place - place(q) ,   dq of least norm                                                                     (1)
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from locomote.control.gaits import Gait, foot_motion
from locomote.control.laws import driven_coordinates
from locomote.dynamics.inverse_kinematics import Unreachable
from locomote.dynamics.kinematics import forward_kinematics, jacobian
from locomote.model.model import Model, checked_model
from locomote.spatial.numbers import integer

ROUNDS, NEAR = 30, 1e-9
MOST_SAMPLES = 100_000


def stepping(
    model: Model, feet: Sequence[str], rhythm: Gait, q, *, speed: float, height: float, samples: int = 80
) -> dict[str, Any]:
    """Joint name -> periodic drive, for a robot whose feet stand below its trunk in q.

    q : (nq,) configuration
    feet : bodies, one for each leg of the gait, in its order (rear to front, left before right)
    speed : of the trunk, m/s ; height : that feet are lifted to, m ; samples : of a period
    """
    from locomote.drives.kinds.spline import Spline

    model, q = checked_model(model), np.array(checked_model(model).checked_q(q))
    samples = integer(samples, "samples", 3, MOST_SAMPLES)
    if len(feet) != len(rhythm.phases):
        raise ValueError(f"gait {rhythm.name!r} has {len(rhythm.phases)} legs, {len(feet)} feet are given")
    driven, rows = driven_coordinates(model), [model.body_index(foot) for foot in feet]
    trunk = forward_kinematics(model, q)[0, :3, :3]
    start = forward_kinematics(model, q)[rows, :3, 3]
    times, found = np.linspace(0.0, rhythm.period, samples + 1), []
    for t in times[:-1]:
        moves = np.array([foot_motion(rhythm, leg, t, speed=speed, height=height)[0] for leg in range(len(feet))])
        q = reached(model, feet, rows, driven, q, start + np.outer(moves[:, 0], trunk[:, 0]) + np.outer(moves[:, 1], [0, 0, 1]))
        found.append(q[driven.q])
    columns = np.array([*found, found[0]]).T
    drives = [Spline(times, column, end="periodic") for column in columns]
    table, k = {}, 0
    for name in driven.joints:
        count = model.joint(name).v.stop - model.joint(name).v.start
        table[name] = drives[k] if count == 1 else drives[k : k + count]
        k += count
    return table


def reached(model: Model, feet, rows, driven, q: np.ndarray, places: np.ndarray) -> np.ndarray:
    """(1) until the feet are in place."""
    for _ in range(ROUNDS):
        miss = (places - forward_kinematics(model, q)[rows, :3, 3]).ravel()
        if abs(miss).max() < NEAR:
            return q
        J = np.vstack([jacobian(model, q, foot, frame="aligned")[:3, driven.v] for foot in feet])
        q = np.array(q)
        q[driven.q] += np.clip(np.linalg.lstsq(J, miss, rcond=1e-8)[0], -0.3, 0.3)
    worst = feet[int(np.argmax(abs(miss)) // 3)]
    raise Unreachable(
        f"foot {worst!r} does not reach its place, it stays {abs(miss).max():.3g} m away: step shorter or stand lower"
    )
