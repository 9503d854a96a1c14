"""References: functions of time that give positions, velocities and accelerations of driven coordinates.

Each is a function t -> (q, v, a), three arrays of one length, that can be pickled.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from locomote.control.gaits import Gait, foot_motion
from locomote.control.given import finite, row
from locomote.control.legs import hip_knee_ankle, roll_pitch_knee
from locomote.control.pendulum import PendulumWalk

Reference = Callable[[float], tuple[np.ndarray, np.ndarray, np.ndarray]]


def held(q) -> Reference:
    """A reference that stands still at q (n,), rad or m."""
    return partial(_held, row(q, "q of lo.control.held"))


def _held(q, t):
    return q, np.zeros_like(q), np.zeros_like(q)


def ramped(start, end, time: float) -> Reference:
    """From rest to rest along a cycloid in `time` (s), and still before and after."""
    if not 0 < time < np.inf:
        raise ValueError(f"time of a ramped reference must be a number of seconds above 0, not {time!r}")
    start, end = row(start, "start of a ramped reference"), row(end, "end of a ramped reference")
    if start.shape != end.shape and start.ndim and end.ndim:
        raise ValueError(f"start {start.shape} and end {end.shape} of a ramped reference are not of one length")
    return partial(_ramped, start, end, float(time))


@finite
def _ramped(start, end, time, t):
    s, w = min(max(t / time, 0.0), 1.0), 2 * np.pi / time
    way, moving = end - start, 0.0 < s < 1.0
    turn = 2 * np.pi * s
    return (
        start + way * (s - np.sin(turn) / (2 * np.pi)),
        way * (1 - np.cos(turn)) / time * moving,
        way * w * np.sin(turn) / time * moving,
    )


def biped_reference(walk: PendulumWalk, *, thigh: float = 0.5, shank: float = 0.5, hip_height: float = 0.71) -> Reference:
    """Joints of a planar biped that walks: thigh, knee and ankle of leg 1, then of leg 2, relative angles as in the paper.

    The trunk is upright (its axis at pi/2 from x towards z), thighs count from its downward axis, feet stay level.
    """
    return partial(_biped, walk, float(thigh), float(shank), float(hip_height))


@finite
def _biped(walk, thigh, shank, hip_height, t):
    trunk, legs = walk.trunk(t), []
    for group in (0, 1):
        foot = walk.foot(t, group)
        z = foot[:, 1] - (hip_height, 0.0, 0.0)
        leg = hip_knee_ankle(foot[:, 0] - trunk, z, (0.0, 0.0, 0.0), thigh, shank)
        leg[0, 0] += np.pi / 2  # from the downward axis of the trunk
        legs.append(leg)
    q, v, a = np.concatenate(legs, axis=1)
    return q, v, a


def legs_reference(
    motion: PendulumWalk | Gait,
    legs: Sequence[float],
    *,
    thigh: float,
    shank: float,
    hip_height: float,
    speed: float = 0.0,
    foot_height: float = 0.05,
    bend: int = -1,
) -> Reference:
    """Joints of legs in space: roll, thigh, knee of each, for a trunk that is level at `hip_height` (m).

    motion : a PendulumWalk (then every leg's number in `legs` is its group, 0 or 1), or a Gait (then the numbers are not read,
        and the trunk goes at `speed`, m/s, feet lifted to `foot_height`, m)
    Thighs count from straight down, forward positive; knees bend by `bend`; roll from straight down, to the left positive.
    """
    if isinstance(motion, Gait) and len(legs) != len(motion.phases):
        raise ValueError(f"gait {motion.name!r} has {len(motion.phases)} legs, not {len(legs)}")
    lengths = float(thigh), float(shank), float(hip_height)
    return partial(_legs, motion, tuple(legs), *lengths, float(speed), float(foot_height), bend)


@finite
def _legs(motion, legs, thigh, shank, hip_height, speed, foot_height, bend, t):
    rows, still = [], (0.0, 0.0, 0.0)
    for number, group in enumerate(legs):
        if isinstance(motion, PendulumWalk):
            foot = motion.foot(t, int(group))
            x, z = foot[:, 0] - motion.trunk(t), foot[:, 1] - (hip_height, 0.0, 0.0)
        else:
            foot = foot_motion(motion, number, t, speed=speed, height=foot_height)
            x, z = foot[:, 0], foot[:, 1] - (hip_height, 0.0, 0.0)
        leg = roll_pitch_knee(x, still, z, thigh, shank, bend=bend)
        leg[0, 1] += np.pi / 2  # from straight down
        rows.append(leg)
    q, v, a = np.concatenate(rows, axis=1)
    return q, v, a
