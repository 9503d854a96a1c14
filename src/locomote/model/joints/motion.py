"""Relative motion of bodies on their joints, S v, and joint forces of wrenches, S^T f."""

from locomote.compiler.source import helper
from locomote.model.columns import ARMATURE, KIND, PITCH, V_COUNT, V
from locomote.model.joints.numbers import NAN, REVOLUTE
from locomote.model.joints.paste import each, having
from locomote.model.joints.poses import joint_pose
from locomote.model.joints.table import for_all_kinds
from locomote.spatial.algebra import add, angular, cross, linear, rotate, scale, unrotate


@helper
@for_all_kinds
def is_simple_screw(kind):
    """Whether a joint of this kind only turns about its axis, or only shifts along it."""
    return having(kind).SIMPLE


@helper
@for_all_kinds
def has_pitch(kind):
    """Whether S of such a joint is a unit twist and its pitch along vz."""
    return having(kind).PITCHED


@helper
@for_all_kinds
def joint_twist(topology, constants, i, v):
    """S v: twist of body i relative to its parent, in the body frame. With a for v: S a."""
    kind, j = topology[i, KIND], topology[i, V]
    t = each(kind).twist(constants, i, j, v)
    return t


@helper
def joint_motion(topology, constants, i, q, sine, cosine, v, a, w, alpha, acc, A):
    """Angular velocity, angular acceleration and acceleration of the origin, from those of the parent to those of body i.

    First carried along, with A = alpha^ + w^ w^ of the parent; then, for a relative twist (u, z) = S v of rate (du, dz) = S a:

        w <- w + z ,   alpha <- alpha + dz + w x z ,   acc <- acc + du + 2 w x u + z x u       (right-hand w: the parent's)
    """
    R, o = joint_pose(topology, constants, i, q, sine, cosine)
    w, alpha, acc = unrotate(R, w), unrotate(R, alpha), unrotate(R, add(acc, rotate(A, o)))
    t, d = joint_twist(topology, constants, i, v), joint_twist(topology, constants, i, a)
    u, z = linear(t), angular(t)
    acc = add(add(acc, linear(d)), add(scale(2.0, cross(w, u)), cross(z, u)))
    alpha = add(add(alpha, angular(d)), cross(w, z))
    return add(w, z), alpha, acc


@helper
def joint_force(topology, constants, i, a, f, tau):
    """Store S^T f, the part of the wrench f on body i that its joint must provide, and what its armature takes."""
    kind, k = topology[i, KIND], topology[i, V]
    if is_simple_screw(kind):
        tau[k] = (f[5] if kind == REVOLUTE else f[2]) + constants[i, ARMATURE] * a[k]
    else:
        project(topology, constants, i, f, tau)
        for j in range(topology[i, V_COUNT]):
            tau[k + j] = tau[k + j] + constants[i, ARMATURE + j] * a[k + j]


@helper
@for_all_kinds
def project(topology, constants, i, f, tau):
    """Store S^T f, the part of a wrench that acts on the coordinates of joint i."""
    kind, j = topology[i, KIND], topology[i, V]
    each(kind).project(topology, constants, i, j, f, tau)


@helper
@for_all_kinds
def put_axes(topology, constants, i, R, o, axes):
    """Motion axes of joint i, from the pose of its body, into columns of `axes`."""
    kind, j = topology[i, KIND], topology[i, V]
    x, y, z = (R[0], R[3], R[6]), (R[1], R[4], R[7]), (R[2], R[5], R[8])
    each(kind).put_axes(topology, constants, i, j, x, y, z, o, axes)


@helper
@for_all_kinds
def axis_number(kind, j):
    """Which unit twist coordinate j of a joint moves along."""
    n = each(kind).axis(j)
    return n


@helper
def entry(t, k):
    """Entry k of a twist or wrench."""
    if k == 5:
        return t[5]
    elif k == 4:
        return t[4]
    elif k == 3:
        return t[3]
    elif k == 2:
        return t[2]
    elif k == 1:
        return t[1]
    elif k == 0:
        return t[0]
    return NAN * t[0]


@helper
def along_axis(topology, constants, i, j, t):
    """S_j . t"""
    value = entry(t, axis_number(topology[i, KIND], j))
    if has_pitch(topology[i, KIND]):
        value = value + constants[i, PITCH] * t[2]
    return value


@helper
def moved_along(topology, constants, i, j, A, a):
    """A + S_j a"""
    k = axis_number(topology[i, KIND], j)
    if k == 5:
        A = (A[0], A[1], A[2], A[3], A[4], A[5] + a)
    elif k == 4:
        A = (A[0], A[1], A[2], A[3], A[4] + a, A[5])
    elif k == 3:
        A = (A[0], A[1], A[2], A[3] + a, A[4], A[5])
    elif k == 2:
        A = (A[0], A[1], A[2] + a, A[3], A[4], A[5])
    elif k == 1:
        A = (A[0], A[1] + a, A[2], A[3], A[4], A[5])
    elif k == 0:
        A = (A[0] + a, A[1], A[2], A[3], A[4], A[5])
    else:
        A = (NAN * A[0], NAN * A[1], NAN * A[2], NAN * A[3], NAN * A[4], NAN * A[5])
    if has_pitch(topology[i, KIND]):
        A = (A[0], A[1], A[2] + constants[i, PITCH] * a, A[3], A[4], A[5])
    return A
