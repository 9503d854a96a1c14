"""The regressor of inverse dynamics for one configuration: what each inertial parameter of each named body takes of each joint.

In the frame of a named body, with w, alpha, acc its angular velocity, angular acceleration and acceleration less gravity, and
J_k the twist that coordinate k gives it, a body whose c-th parameter is one and whose others are zero takes the wrench F_c, and

    Y[k, body, c] = J_k . F_c                                                                    (1)

    mass              F = (acc, 0)
    first moments     F = (A e_c, e_c x acc) ,    A = alpha^ + w^ w^                             (2)
    second moments    F = (0, n_c(alpha) + w x n_c(w)) ,    n_c(x) = dI/dI_c x                    (3)
"""

from locomote.compiler.source import helper, routine
from locomote.kernels.bodies import swirl
from locomote.kernels.common_frame import take
from locomote.kernels.kinematics import LOCAL, TWIST, axes_in_world, frame_pose, poses_in_world, seen_from
from locomote.kernels.motion import RATE, in_frame, motions_in_bodies
from locomote.model.columns import GRAVITY, PARENT, V_COUNT, V
from locomote.spatial.algebra import add, angular, cross, dot, linear, subtract, unrotate
from locomote.spatial.rows import load, load6


@helper
def second_moments(x):
    """n_c(x) of (3) for Ixx, Ixy, Iyy, Ixz, Iyz, Izz."""
    zero = 0.0
    return (
        (x[0], zero, zero),
        (x[1], x[0], zero),
        (zero, x[1], zero),
        (x[2], zero, x[0]),
        (zero, x[2], x[1]),
        (zero, zero, x[2]),
    )


@routine
def put_columns(topology, axes, bodies, i, frame, w, alpha, acc, n, Y):
    """(1) for the ten parameters of named body n, whose frame is fixed to body i."""
    world = topology.shape[0] - 1
    R, p = frame_pose(bodies, i, frame)
    A, turning, still = swirl(w, alpha), second_moments(w), second_moments(alpha)
    n0, n1, n2 = add(still[0], cross(w, turning[0])), add(still[1], cross(w, turning[1])), add(still[2], cross(w, turning[2]))
    n3, n4, n5 = add(still[3], cross(w, turning[3])), add(still[4], cross(w, turning[4])), add(still[5], cross(w, turning[5]))
    while i < world:
        for k in range(topology[i, V], topology[i, V] + topology[i, V_COUNT]):
            t = seen_from(LOCAL, R, p, take(axes, 0, k))
            u, z = linear(t), angular(t)
            lever = cross(acc, z)  # z . (e_c x acc) = e_c . (acc x z)
            Y[k, n, 0] = dot(u, acc)
            Y[k, n, 1] = u[0] * A[0] + u[1] * A[3] + u[2] * A[6] + lever[0]  # (2)
            Y[k, n, 2] = u[0] * A[1] + u[1] * A[4] + u[2] * A[7] + lever[1]
            Y[k, n, 3] = u[0] * A[2] + u[1] * A[5] + u[2] * A[8] + lever[2]
            Y[k, n, 4], Y[k, n, 5], Y[k, n, 6] = dot(z, n0), dot(z, n1), dot(z, n2)  # (3)
            Y[k, n, 7], Y[k, n, 8], Y[k, n, 9] = dot(z, n3), dot(z, n4), dot(z, n5)
        i = topology[i, PARENT]


@routine
def regressor(topology, constants, nq, carrier, placement, q, v, a, room, Y):
    """Fill Y (nv, named bodies, 10), which must be zero; `room` is a Motions."""
    world, bodies, axes = topology.shape[0] - 1, room.bodies, room.axes
    poses_in_world(topology, constants, nq, q, room)
    axes_in_world(topology, constants, bodies, axes)
    motions_in_bodies(topology, constants, q, v, a, room)
    for b in range(carrier.shape[0]):
        i, frame = carrier[b], placement[b]
        if i < world:
            twist, rate = in_frame(frame, load6(bodies, i, TWIST)), in_frame(frame, load6(bodies, i, RATE))
            R, p = frame_pose(bodies, i, frame)
            u, w, alpha = linear(twist), angular(twist), angular(rate)
            acc = subtract(add(linear(rate), cross(w, u)), unrotate(R, load(constants, world, GRAVITY)))
            put_columns(topology, axes, bodies, i, frame, w, alpha, acc, b, Y)
