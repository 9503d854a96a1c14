"""Coordinates of joints: moves along them, differences, charts about a start, and what of them turns with the body."""

from locomote.compiler.source import helper
from locomote.model.columns import KIND, Q, V
from locomote.model.joints.numbers import ATTACHED, FLEX
from locomote.model.joints.paste import each, having
from locomote.model.joints.table import for_all_kinds


@helper
def is_flexible(kind):
    """Whether a row of this kind belongs to a flexible body, not to a joint."""
    return kind == FLEX or kind == ATTACHED


@helper
@for_all_kinds
def has_quaternion(kind):
    """Whether a joint of this kind has a quaternion among its coordinates."""
    return having(kind).QUATERNION_TURN


@helper
@for_all_kinds
def quaternion_start(topology, i):
    """Where in q the quaternion of joint i starts, if it has one."""
    kind, k = topology[i, KIND], topology[i, Q]
    start = each(kind).past_place(k)
    return start


@helper
@for_all_kinds
def past_place(topology, i):
    """The first coordinate of v of joint i that is not a shift of a free body."""
    kind, k = topology[i, KIND], topology[i, V]
    first = each(kind).past_place(k)
    return first


@for_all_kinds
def joint_rate(topology, i, q, v, out):
    """Rate of the coordinates of joint i in q; for numbers of any kind, not compiled."""
    kind, k, j = topology[i, KIND], topology[i, Q], topology[i, V]
    each(kind).rate(topology, i, k, j, q, v, out)


@helper
@for_all_kinds
def joint_moved(topology, i, start, u, q):
    """Coordinates of joint i at chart coordinates u about `start`: shifts along world axes of the joint, rotation vectors."""
    kind, k, j = topology[i, KIND], topology[i, Q], topology[i, V]
    each(kind).move(topology, i, k, j, start, u, q)


@helper
@for_all_kinds
def joint_chart(topology, i, start, q, u):
    """Chart coordinates of joint i, which is at q, about `start`."""
    kind, k, j = topology[i, KIND], topology[i, Q], topology[i, V]
    each(kind).chart(topology, i, k, j, start, q, u)


@helper
@for_all_kinds
def joint_chart_rate(topology, i, q, u, v, out):
    """Rate of the chart coordinates of joint i, which moves with v and is now at q."""
    kind, k, j = topology[i, KIND], topology[i, Q], topology[i, V]
    each(kind).chart_rate(topology, i, k, j, q, u, v, out)


@helper
@for_all_kinds
def joint_turned_back(topology, i, q_from, q_to, v):
    """Keep the shift of body i what it is in the world while its axes go from one configuration to another."""
    kind, k, j = topology[i, KIND], topology[i, Q], topology[i, V]
    each(kind).keep_shift(k, j, q_from, q_to, v)


@helper
@for_all_kinds
def joint_coasting(topology, i, v, a):
    """Accelerations of the shifts of joint i in turning axes, while nothing accelerates in the world."""
    kind, j = topology[i, KIND], topology[i, V]
    each(kind).coast(j, v, a)
