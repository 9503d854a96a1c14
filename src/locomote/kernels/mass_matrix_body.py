"""The mass matrix of a tree of short branches: composite bodies in body frames.

    inward    b = I_i S_k for each coordinate k of joint i, carried from body to body towards the root: M_kj = S_j . b   (1)
              I_p += I_i, seen from p                                                                                   (2)

Fewer operations than in a common frame as long as the way to the root is short; more where axes are many joints away.
"""

from locomote.engine.source import helper, routine
from locomote.engine.trigonometry import sines
from locomote.kernels.bodies import first_moment, second_moment
from locomote.kernels.common_frame import FIRST, MASS_, ORIGIN, ROTATION, SECOND, inertia_seen_from
from locomote.model.columns import ARMATURE, KIND, MASS, PARENT, PITCH, V_COUNT, V
from locomote.model.joints import HELICAL, along_axis, axis_number, joint_pose
from locomote.spatial.algebra import add, plus, times, wrench_to_parent
from locomote.spatial.rows import load, load6, load9, store, store6, store9


@helper
def rigid_column(m, c, I, k):
    """Column k of the inertia of a rigid body: its momentum along unit twist k."""
    if k == 5:
        return (-c[1], c[0], 0.0, I[2], I[4], I[5])
    elif k == 4:
        return (c[2], 0.0, -c[0], I[1], I[3], I[4])
    elif k == 3:
        return (0.0, -c[2], c[1], I[0], I[1], I[2])
    elif k == 2:
        return (0.0, 0.0, m, c[1], -c[0], 0.0)
    elif k == 1:
        return (0.0, m, 0.0, -c[2], 0.0, c[0])
    return (m, 0.0, 0.0, 0.0, c[2], -c[1])


@helper
def put_along(topology, constants, j, b, k, M):
    """(1): entries of row and column k for the coordinates of joint j."""
    first = topology[j, V]
    for n in range(topology[j, V_COUNT]):
        value = along_axis(topology, constants, j, n, b)
        M[k, first + n] = value
        M[first + n, k] = value


@routine
def mass_matrix_body(topology, constants, nq, q, sine, cosine, bodies, M):
    """Fill M, of which the places of unrelated coordinates must be zero already. No body has added inertia."""
    world = topology.shape[0] - 1
    sines(q, nq, sine, cosine)
    for i in range(world):
        R, o = joint_pose(topology, constants, i, q, sine, cosine)
        store9(bodies, i, ROTATION, R)
        store(bodies, i, ORIGIN, o)
        bodies[i, MASS_] = constants[i, MASS]
        store(bodies, i, FIRST, first_moment(constants, i))
        store6(bodies, i, SECOND, second_moment(constants, i))
    for i in range(world - 1, -1, -1):
        first, p = topology[i, V], topology[i, PARENT]
        m, c, I = bodies[i, MASS_], load(bodies, i, FIRST), load6(bodies, i, SECOND)
        for n in range(topology[i, V_COUNT]):
            k, j = first + n, i
            b = rigid_column(m, c, I, axis_number(topology[i, KIND], n))
            if topology[i, KIND] == HELICAL:
                b = plus(b, times(constants[i, PITCH], rigid_column(m, c, I, 2)))
            put_along(topology, constants, i, b, k, M)
            M[k, k] = M[k, k] + constants[i, ARMATURE + n]
            while topology[j, PARENT] < world:
                b = wrench_to_parent(load9(bodies, j, ROTATION), load(bodies, j, ORIGIN), b)
                j = topology[j, PARENT]
                put_along(topology, constants, j, b, k, M)
        if p < world:
            c, I = inertia_seen_from(m, c, I, load9(bodies, i, ROTATION), load(bodies, i, ORIGIN))  # (2)
            bodies[p, MASS_] = bodies[p, MASS_] + m
            store(bodies, p, FIRST, add(load(bodies, p, FIRST), c))
            store6(bodies, p, SECOND, plus(load6(bodies, p, SECOND), I))
