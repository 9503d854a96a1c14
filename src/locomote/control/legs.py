"""Angles of legs from places of their feet, in closed form, with velocities and accelerations.

A planar leg of thigh a and shank b, x forward and z up from the hip, u(angle) = (cos, sin):

    p = a u(A) + b u(A + K)                                        A the thigh from x towards z, K the knee                 (1)
    cos K = (p.p - a^2 - b^2) / (2 a b) ,   A = angle of p - angle of (a + b cos K, b sin K)                                (2)
    p' = J (A', K') ,   p'' = J (A'', K'') + J' (A', K') ,   J = [ n(p), b n(A + K) ] ,   n the quarter turn                 (3)

K > 0 or K < 0 by `bend`. Everything is an array of any shape, or a number.
"""

import numpy as np

from locomote.control.given import motion
from locomote.dynamics.inverse_kinematics import Unreachable


def planar_leg(x, z, thigh: float, shank: float, *, bend: int = -1) -> np.ndarray:
    """(3, 2, ...) angles of thigh and knee, their rates and accelerations, for motions x and z of the ankle from the hip.

    x, z : (position, velocity, acceleration) of the ankle, m ; thigh, shank : lengths, m ; bend : sign of the knee angle
    """
    return _in_plane(x, z, thigh, shank, bend)


def _in_plane(x, z, thigh: float, shank: float, bend: int) -> np.ndarray:
    """As `planar_leg`, for legs that are called in loops."""
    (x, dx, ddx), (z, dz, ddz) = motion(x, "x of a leg"), motion(z, "z of a leg")
    if bend not in (1, -1):
        raise ValueError(f"bend must be 1 or -1, the sign of the knee angle, not {bend!r}")
    reach = np.hypot(x, z)
    if not ((reach < thigh + shank) & (reach > abs(thigh - shank))).all():
        worst = float(np.asarray(reach).flat[np.argmax(abs(np.asarray(reach) - (thigh + shank) / 2))])
        raise Unreachable(
            f"the ankle is {worst:.4g} m from the hip, a leg of {thigh:g} m and {shank:g} m reaches from more than "
            f"{abs(thigh - shank):.4g} m to less than {thigh + shank:.4g} m"
        )
    K = bend * np.arccos(np.clip((reach**2 - thigh**2 - shank**2) / (2 * thigh * shank), -1.0, 1.0))
    A = np.arctan2(z, x) - np.arctan2(shank * np.sin(K), thigh + shank * np.cos(K))  # (2)
    c, s = shank * np.cos(A + K), shank * np.sin(A + K)
    det = -z * c + s * x  # determinant of J = [[-z, -s], [x, c]]

    def solved(f, g):
        return (c * f + s * g) / det, (-x * f - z * g) / det

    dA, dK = solved(dx, dz)
    turn = dA + dK
    ddA, ddK = solved(ddx + dz * dA + c * turn * dK, ddz - dx * dA + s * turn * dK)  # (3)
    return np.array([[A, K], [dA, dK], [ddA, ddK]])


def hip_knee_ankle(x, z, pitch, thigh: float, shank: float, *, bend: int = -1) -> np.ndarray:
    """(3, 3, ...) angles of thigh, knee and ankle, rates and accelerations; `pitch` is the motion of the foot's angle, rad."""
    leg = _in_plane(x, z, thigh, shank, bend)
    foot = np.broadcast_arrays(*motion(pitch, "pitch of a foot"), leg[0, 0])[:3]
    return np.concatenate([leg, (np.array(foot) - leg.sum(axis=1))[:, None]], axis=1)


def roll_pitch_knee(x, y, z, thigh: float, shank: float, *, bend: int = -1) -> np.ndarray:
    """(3, 3, ...) angles of a leg in space, rates and accelerations: roll about x, then thigh and knee in the rolled plane.

    x, y, z : motions of the ankle from the hip, forward, left, up, m; the hip's axes meet. Roll is zero with the foot below.
    """
    (y, dy, ddy), (n, dn, ddn) = motion(y, "y of a leg"), -motion(z, "z of a leg")
    r = np.hypot(y, n)
    if not (r > 0).all():
        raise Unreachable("the ankle is on the roll axis of the hip, where any roll will do")
    dr = (y * dy + n * dn) / r
    ddr = (dy**2 + dn**2 + y * ddy + n * ddn - dr**2) / r
    roll, rate = np.arctan2(y, n), (n * dy - y * dn) / r**2
    second = (n * ddy - y * ddn) / r**2 - 2 * rate * dr / r
    leg = _in_plane(x, (-r, -dr, -ddr), thigh, shank, bend)
    return np.concatenate([np.array([roll, rate, second])[:, None], leg], axis=1)
