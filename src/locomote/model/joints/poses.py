"""Poses of bodies on their joints, and twists and wrenches seen from the other end.

The pose of a body in its parent is (R, o) = (R0, o0) times the joint's own motion, (R0, o0) being constants of the model.
"""

from locomote.compiler.scalars import is_zero
from locomote.compiler.source import helper
from locomote.compiler.trigonometry import sines_ahead
from locomote.model import columns as col
from locomote.model.columns import DISPLACEMENT, KIND, PARENT, ROTATION, Q
from locomote.model.joints.numbers import REVOLUTE
from locomote.model.joints.paste import each, having
from locomote.model.joints.screws import origin_along, screw_turn, unturned, wrench_over_screw
from locomote.model.joints.table import for_all_kinds
from locomote.spatial import algebra as al
from locomote.spatial.rows import load, load9


@helper
@for_all_kinds
def is_screw(kind):
    """Whether a joint of this kind has one coordinate that turns about its axis, shifts along it, or both."""
    return having(kind).SCREW


@helper
@for_all_kinds
def joint_sines(topology, constants, nq, q, sine, cosine):
    """Fill `sine` and `cosine` with those of angles of joints. A prismatic joint has the angle `start`."""
    sines_ahead(q, nq, sine, cosine)
    for i in range(topology.shape[0] - 1):
        kind, k = topology[i, KIND], topology[i, Q]
        each(kind).sines(constants, i, k, q, sine, cosine)


@helper
@for_all_kinds
def joint_pose(topology, constants, i, q, sine, cosine):
    """Pose (R, o) of body i in its parent."""
    kind, k = topology[i, KIND], topology[i, Q]
    o = load(constants, i, DISPLACEMENT)
    if is_screw(kind):
        R = screw_turn(constants, i, sine[k], cosine[k])
        o = each(kind).advanced(constants, i, k, q, R, o)
    else:
        R0 = load9(constants, i, ROTATION)
        R, o = each(kind).placed_by(R0, o, k, q, sine, cosine)
    return R, o


@helper
@for_all_kinds
def screw_origin(topology, constants, i, q):
    """o in its parent of a body on a screw."""
    kind, k = topology[i, KIND], topology[i, Q]
    if kind == REVOLUTE:
        o = load(constants, i, DISPLACEMENT)
    else:
        shift = each(kind).shift(constants, i, k, q)
        o = origin_along(constants, i, shift)
    return o


@helper
def in_line(topology, constants, i):
    """Whether body i hangs on the body before it by a revolute joint without fork, with o = (x, 0, z)."""
    straight = constants[i, col.SIN_FORK] == 0.0 and is_zero(constants[i, DISPLACEMENT + 1])
    return straight and topology[i, KIND] == REVOLUTE and topology[i, PARENT] == i - 1


@helper
def twist_in_line(topology, constants, i, sine, cosine, t):
    """`twist_from_parent` for a body that is `in_line`."""
    k, x, z = topology[i, Q], constants[i, DISPLACEMENT], constants[i, DISPLACEMENT + 2]
    u = (t[0] + t[4] * z, t[1] + t[5] * x - t[3] * z, t[2] - t[4] * x)
    u, w = unturned(constants, i, sine[k], cosine[k], u, al.angular(t), None)
    return al.join(u, w)


@helper
def twist_from_parent(topology, constants, i, q, sine, cosine, t):
    """A twist of the parent of body i, seen from its frame."""
    if is_screw(topology[i, KIND]):
        o, k = screw_origin(topology, constants, i, q), topology[i, Q]
        u, w = unturned(constants, i, sine[k], cosine[k], al.add(al.linear(t), al.cross(al.angular(t), o)), al.angular(t), True)
        t = al.join(u, w)
    else:
        R, o = joint_pose(topology, constants, i, q, sine, cosine)
        t = al.twist_to_child(R, o, t)
    return t


@helper
def wrench_on_parent(topology, constants, i, q, sine, cosine, f):
    """A wrench on body i, seen from its parent."""
    if is_screw(topology[i, KIND]):
        k = topology[i, Q]
        f = wrench_over_screw(constants, i, sine[k], cosine[k], screw_origin(topology, constants, i, q), f, True)
    else:
        R, o = joint_pose(topology, constants, i, q, sine, cosine)
        f = al.wrench_to_parent(R, o, f)
    return f


@helper
def placed(topology, constants, i, q, sine, cosine, P, o_p):
    """Pose (R, o) of body i, from that of its parent."""
    if is_screw(topology[i, KIND]):
        k, o = topology[i, Q], screw_origin(topology, constants, i, q)
        R, o = P, al.add(o_p, al.rotate(P, o))
        if constants[i, col.SIN_FORK] != 0.0:
            R = al.turned_about_z(R, constants[i, col.SIN_FORK], constants[i, col.COS_FORK])
        R = al.turned_about_z(al.turned_about_x(R, constants[i, col.SIN_LEAN], constants[i, col.COS_LEAN]), sine[k], cosine[k])
    else:
        R, o = joint_pose(topology, constants, i, q, sine, cosine)
        R, o = al.compose(P, R), al.add(o_p, al.rotate(P, o))
    return R, o
