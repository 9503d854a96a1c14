"""Geometry of screws, the elementary joints that turn about z of the packed frame, shift along it, or both.

R0 = Rz(fork) Rx(lean) Rz(start), as `frames` chose them, and `start` is part of the angle.
"""

from locomote.compiler.source import helper
from locomote.model.columns import COS_FORK, COS_LEAN, DISPLACEMENT, SIN_FORK, SIN_LEAN
from locomote.spatial.algebra import (
    add,
    angular,
    cross,
    join,
    linear,
    turn_about_x,
    turn_about_z,
    unturn_about_x,
    unturn_about_z,
)
from locomote.spatial.rows import load


@helper
def screw_turn(constants, i, s, c):
    """R in its parent of a body on a screw, from the sine and cosine of its angle."""
    a, b = constants[i, SIN_LEAN], constants[i, COS_LEAN]
    R = (c, -s, 0.0, b * s, b * c, -a, a * s, a * c, b)
    if constants[i, SIN_FORK] != 0.0:
        s, c = constants[i, SIN_FORK], constants[i, COS_FORK]
        x, y, z = turn_about_z(s, c, (R[0], R[3], R[6])), turn_about_z(s, c, (R[1], R[4], R[7])), (s * a, -c * a, b)
        R = (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])
    return R


@helper
def origin_along(constants, i, shift):
    """o in its parent of a body that is shifted along its axis."""
    o, a = load(constants, i, DISPLACEMENT), constants[i, SIN_LEAN] * shift
    return (o[0] + constants[i, SIN_FORK] * a, o[1] - constants[i, COS_FORK] * a, o[2] + constants[i, COS_LEAN] * shift)


@helper
def turned(constants, i, s, c, a, b, forked):
    """R a and R b, of a body on a screw, from the sine and cosine of its angle; `forked` is None if its fork is zero."""
    x, y = constants[i, SIN_LEAN], constants[i, COS_LEAN]
    a, b = turn_about_x(x, y, turn_about_z(s, c, a)), turn_about_x(x, y, turn_about_z(s, c, b))
    if forked is not None:
        x, y = constants[i, SIN_FORK], constants[i, COS_FORK]
        a, b = turn_about_z(x, y, a), turn_about_z(x, y, b)
    return a, b


@helper
def unturned(constants, i, s, c, a, b, forked):
    """R^T a and R^T b."""
    if forked is not None:
        x, y = constants[i, SIN_FORK], constants[i, COS_FORK]
        a, b = unturn_about_z(x, y, a), unturn_about_z(x, y, b)
    x, y = constants[i, SIN_LEAN], constants[i, COS_LEAN]
    return unturn_about_z(s, c, unturn_about_x(x, y, a)), unturn_about_z(s, c, unturn_about_x(x, y, b))


@helper
def unturned_three(constants, i, s, c, a, b, d, forked):
    """R^T a, R^T b and R^T d."""
    if forked is not None:
        x, y = constants[i, SIN_FORK], constants[i, COS_FORK]
        a, b, d = unturn_about_z(x, y, a), unturn_about_z(x, y, b), unturn_about_z(x, y, d)
    x, y = constants[i, SIN_LEAN], constants[i, COS_LEAN]
    a, b, d = unturn_about_x(x, y, a), unturn_about_x(x, y, b), unturn_about_x(x, y, d)
    return unturn_about_z(s, c, a), unturn_about_z(s, c, b), unturn_about_z(s, c, d)


@helper
def wrench_over_screw(constants, i, s, c, o, f, forked):
    """A wrench on body i, which hangs by a screw, seen from its parent; `forked` is None if it is `in_line`."""
    force, turn = turned(constants, i, s, c, linear(f), angular(f), forked)
    if forked is not None:
        turn = add(turn, cross(o, force))
    else:  # o = (x, 0, z)
        turn = (turn[0] - o[2] * force[1], turn[1] + o[2] * force[0] - o[0] * force[2], turn[2] + o[0] * force[1])
    return join(force, turn)
