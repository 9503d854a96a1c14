"""Terms of one tick: poses, mass matrix, bias, momentum; rows of contacts and of tasks, and the motions that contacts leave.

    contacts   J_c a = -J_c' v - kd (V - V_ref) + A_ref                                                     (1)
               a = a0 + Z y ,   rows of Z^T are the last of the orthogonal factor of J_c^T                  (2)
    tasks      T a = a_ref + kd (v_ref - v) + kp (x_ref - x) - T' v                                         (3)

Velocity terms are accelerations of bodies for a = 0, so no rate of a Jacobian is formed.
"""

from locomote.control.qp.active_set import add_row, carried, minimum, tail
from locomote.control.whole_body.tables import (
    CARRIER,
    CENTROIDAL,
    COMPONENT,
    DAMPING,
    FRAME,
    KIND,
    POSTURE,
    ROWS,
    STIFFNESS,
    TASK,
)
from locomote.engine.source import helper, routine
from locomote.kernels.inverse_dynamics import inverse_dynamics, wrench_on_world
from locomote.kernels.kinematics import ALIGNED, axes_in_world, frame_pose, jacobian, poses_in_world
from locomote.kernels.mass_matrix import mass_matrix
from locomote.kernels.momentum import center_of_mass, momentum_matrix
from locomote.kernels.motion import frame_rate, frame_twist, motions_in_bodies
from locomote.model.columns import GRAVITY, Q
from locomote.model.moves import differed
from locomote.spatial.algebra import add, angular, compose, cross, dot, linear, rotate, scale, subtract
from locomote.spatial.rotations import quaternion_log, quaternion_of_matrix
from locomote.spatial.rows import load, load9

SMALL_PIVOT = 1e-9


@routine
def dynamics_terms(k):
    """Poses, axes, motions for a = 0, mass matrix, bias, momentum matrix and its drift, centre of mass."""
    world = k.topology.shape[0] - 1
    nq = k.topology[world, Q]
    inverse_dynamics(k.topology, k.constants, nq, k.q, k.v, k.zero, None, k.sine, k.cosine, k.newton, k.h)
    F = wrench_on_world(k.topology, k.constants, k.q, k.sine, k.cosine, k.newton)
    poses_in_world(k.topology, k.constants, nq, k.q, k.sine, k.cosine, k.bodies)
    center, mass = center_of_mass(k.topology, k.constants, k.bodies)
    axes_in_world(k.topology, k.constants, k.bodies, k.axes)
    motions_in_bodies(k.topology, k.constants, k.q, k.v, k.zero, k.sine, k.cosine, k.bodies)
    mass_matrix(k.topology, k.constants, nq, k.q, k.sine, k.cosine, k.composite, k.composite_axes, k.M)
    momentum_matrix(k.topology, k.constants, nq, k.q, k.sine, k.cosine, k.composite, k.composite_axes, k.momentum)
    force = add(linear(F), scale(mass, load(k.constants, world, GRAVITY)))
    turn = subtract(angular(F), cross(center, linear(F)))
    for c in range(3):
        k.center[c], k.momentum_drift[c], k.momentum_drift[3 + c] = center[c], force[c], turn[c]
    return mass


@helper
def six_rows(k, body, frame, J, first, nv):
    """Rows of a frame of a body, world axes at the frame, into J from `first`; the frame's pose, twist and drift."""
    for r in range(6):
        for j in range(nv):
            J[first + r, j] = 0.0
    jacobian(k.topology, k.bodies, k.axes, body, frame, ALIGNED, J[first : first + 6])
    R, o = frame_pose(k.bodies, body, frame)
    return R, o, frame_twist(k.bodies, body, frame, ALIGNED), frame_rate(k.bodies, body, frame, ALIGNED)


@routine
def contact_rows(k, nv):
    """J_c and its right-hand side (1); returns how many rows there are."""
    count = 0
    for c in range(k.contact.shape[0]):
        R, o, V, A = six_rows(k, k.contact[c, 0], k.contact_frame[c], k.jacobians, 6 * c, nv)
        for r in range(k.contact[c, ROWS]):
            for j in range(nv):
                k.Jc[count, j] = k.jacobians[6 * c + r, j]
            k.bc[count] = -A[r] - k.number[2] * (V[r] - k.contact_rate[c, r]) + k.contact_rate[c, 6 + r]
            count += 1
    return count


@routine
def free_motions(k, count, nv):
    """Z and a0 of (2): rows of Q from the rank on, and a0; returns the rank."""
    for i in range(nv):
        for j in range(nv):
            k.Q[i, j] = 0.0
        k.Q[i, i] = 1.0
    d, bound, rank = k.vector[0], k.vector[1], 0
    for r in range(count):
        carried(k.Q, k.Jc, r, 1.0, nv, d)
        rest = tail(d, rank, nv)
        if rank < nv and rest > SMALL_PIVOT * (rest + tail(d, 0, rank)):
            add_row(k.Q, k.Rc, d, rank, nv, k.vector[2])
            bound[rank] = k.bc[r]
            rank += 1
    minimum(k.Q, k.Rc, k.zero, bound, rank, nv, k.vector[2], k.vector[3], k.vector[4], k.a0)
    return rank


@helper
def turn_between(R, goal):
    """The rotation vector, world axes, that takes an attitude R to a goal."""
    back = compose(goal, (R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]))
    return quaternion_log(quaternion_of_matrix(back))


@routine
def task_rows(k, mass, nv):
    """T and b of (3)."""
    last = -1
    goal, twist, drift = k.vector[3], k.vector[4], k.vector[5]
    for r in range(k.row.shape[0]):
        task, c = k.row[r, TASK], k.row[r, COMPONENT]
        kind, kp, kd = k.task[task, KIND], k.gain[task, STIFFNESS], k.gain[task, DAMPING]
        if kind == POSTURE:
            if task != last:
                differed(k.topology, k.q, k.posture[task], k.away)
            for j in range(nv):
                k.T[r, j] = 0.0
            k.T[r, c] = 1.0
            k.b[r] = kp * k.away[c] + kd * (k.posture_rate[task, c] - k.v[c])
            last = task
            continue
        if task != last:
            if kind == CENTROIDAL:
                for i in range(6):
                    s, share = 0.0, 1.0 / mass if i < 3 else 1.0
                    for j in range(nv):
                        k.six[i, j] = share * k.momentum[i, j]
                        s += k.six[i, j] * k.v[j]
                    twist[i], drift[i] = s, share * k.momentum_drift[i]
                    goal[i] = kp * (k.goal[task, i] - k.center[i]) if i < 3 else kd * (k.goal[task, i] - s)
            else:
                R, o, V, A = six_rows(k, k.task[task, CARRIER], k.frame[task], k.six, 0, nv)
                for i in range(6):
                    twist[i], drift[i] = V[i], A[i]
                if kind == FRAME:
                    turn = turn_between(R, load9(k.goal, task, 3))
                    for i in range(3):
                        goal[i], goal[3 + i] = kp * (k.goal[task, i] - o[i]), kp * turn[i]
                else:  # LOOK: turn the axis d to the direction e of the target, leave turns about d alone
                    d = rotate(R, load(k.goal, task, 3))
                    e = subtract(load(k.goal, task, 0), o)
                    e = scale(1.0 / max(dot(e, e) ** 0.5, 1e-9), e)
                    turn = cross(d, e)
                    for i in range(3):
                        goal[i], goal[3 + i] = 0.0, kp * turn[i]
                    spin, more = twist[3] * d[0] + twist[4] * d[1] + twist[5] * d[2], A[3] * d[0] + A[4] * d[1] + A[5] * d[2]
                    for i in range(3):
                        twist[3 + i] -= spin * d[i]
                        drift[3 + i] -= more * d[i]
                    for j in range(nv):
                        s = k.six[3, j] * d[0] + k.six[4, j] * d[1] + k.six[5, j] * d[2]
                        for i in range(3):
                            k.six[3 + i, j] -= s * d[i]
            last = task
        for j in range(nv):
            k.T[r, j] = k.six[c, j]
        rate = kd * (k.goal_rate[task, c] - twist[c])
        if kind == CENTROIDAL and c > 2:
            rate = 0.0  # of an angular momentum: its goal is in `goal` already
        k.b[r] = k.goal_acceleration[task, c] + rate + goal[c] - drift[c]
