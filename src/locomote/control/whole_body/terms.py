"""Terms of one tick: poses, mass matrix, bias, momentum; rows of contacts and of tasks, and the motions that contacts leave.

    contacts   J_c a = -J_c' v - kd (V - V_ref) + A_ref ,  of a body against what it touches                (1)
               of a ball of radius r on a plane:  A_ref + w x (w x (-r n)) ,  w of the ball against the plane
               a = a0 + Z^T y ,   rows of Z are the last of the orthogonal factor of J_c^T                  (2)
    tasks      T a = a_ref + kd (v_ref - v) + kp (x_ref - x) - T' v                                         (3)

Velocity terms are accelerations of bodies for a = 0, so no rate of a Jacobian is formed.
"""

import math

from locomote.compiler.source import helper, routine
from locomote.control.whole_body import tables as col
from locomote.kernels.inverse_dynamics import Newton, inverse_dynamics, wrench_on_world
from locomote.kernels.kinematics import ALIGNED, axes_in_world, frame_pose, jacobian, poses_in_world
from locomote.kernels.mass_matrix import Composite, mass_matrix
from locomote.kernels.momentum import center_of_mass, momentum_matrix
from locomote.kernels.motion import Motions, frame_rate, frame_twist, motions_in_bodies
from locomote.linear.orthogonal import eliminate, reflect, solve_rows, turn_out
from locomote.linear.rank import NEARLY_DEPENDENT, SHORTEST
from locomote.linear.rows import row_dot, rows_dot
from locomote.locomotion import springs
from locomote.model.columns import GRAVITY, Q
from locomote.model.moves import differed
from locomote.spatial.algebra import add, angular, compose, cross, dot, linear, rotate, scale, subtract, unrotate
from locomote.spatial.rotations import quaternion_log, quaternion_of_matrix
from locomote.spatial.rows import load, load9

CONTRADICTION, ROUNDING = 1e-4, 1e-9  # share of what contacts ask for, and m/s^2, by which dependent rows may differ


@routine
def dynamics_terms(k):
    """Poses, axes, motions for a = 0, mass matrix, bias with what springs, dampers and friction of joints take, momentum matrix
    and its drift, center of mass."""
    world = k.topology.shape[0] - 1
    nq = k.topology[world, Q]
    newton, motions = Newton(k.sine, k.cosine, k.newton), Motions(k.sine, k.cosine, k.bodies, k.axes)
    composite = Composite(k.sine, k.cosine, k.composite, k.composite_axes)
    inverse_dynamics(k.topology, k.constants, nq, k.q, k.v, k.zero, None, newton, k.h)
    for i in range(k.sprung.shape[0]):
        j = k.sprung[i, 0]
        v, friction = k.v[j], k.passive[springs.FRICTION, j]
        k.h[j] += k.passive[springs.DAMPING, j] * v
        if friction > 0.0:
            k.h[j] += friction * v / math.sqrt(v * v + k.number[9] * k.number[9])
        if k.passive[springs.STIFFNESS, j] != 0.0:
            k.h[j] += k.passive[springs.STIFFNESS, j] * (k.q[k.sprung[i, 1]] - k.passive[springs.REST, j])
    F = wrench_on_world(k.topology, k.constants, k.q, newton)
    poses_in_world(k.topology, k.constants, nq, k.q, motions)
    center, mass = center_of_mass(k.topology, k.constants, k.bodies)
    axes_in_world(k.topology, k.constants, k.bodies, k.axes)
    motions_in_bodies(k.topology, k.constants, k.q, k.v, k.zero, motions)
    mass_matrix(k.topology, k.constants, nq, k.q, composite, k.M)
    momentum_matrix(k.topology, k.constants, nq, k.q, composite, k.momentum)
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
def contact_motion(k, c, nv):
    """Rows of a contact, a body against what it touches, into `jacobians`, and its axes; the twist, and the acceleration less
    that of a point that rolls on."""
    world, other, radius = k.topology.shape[0] - 1, k.contact[c, col.OTHER], k.ball[c]
    body, frame, theirs, axes = k.contact[c, 0], k.contact_frame[c], k.near[1], k.axes_now
    for i in range(9):
        axes[c, i] = k.contact_axes[c, i]
    for i in range(3):
        theirs[9 + i] = 0.0
    if other != world:
        turned = compose(frame_pose(k.bodies, other, theirs)[0], load9(k.contact_axes, c, 0))
        for i in range(9):
            axes[c, i] = turned[i]
    arm = scale(-radius, (axes[c, 2], axes[c, 5], axes[c, 8]))
    if radius > 0.0:
        frame = k.near[0]
        for i in range(3):
            frame[9 + i] = 0.0
        own = add(load(k.contact_frame, c, 9), unrotate(frame_pose(k.bodies, body, frame)[0], arm))
        for i in range(3):
            frame[9 + i] = own[i]
    R, o, V, A = six_rows(k, body, frame, k.jacobians, 6 * c, nv)
    if other != world:
        S, p = frame_pose(k.bodies, other, theirs)
        place = unrotate(S, subtract(o, p))
        for i in range(3):
            theirs[9 + i] = place[i]
        S, p, U, B = six_rows(k, other, theirs, k.six, 0, nv)
        V = (V[0] - U[0], V[1] - U[1], V[2] - U[2], V[3] - U[3], V[4] - U[4], V[5] - U[5])
        A = (A[0] - B[0], A[1] - B[1], A[2] - B[2], A[3] - B[3], A[4] - B[4], A[5] - B[5])
        for i in range(6):
            for j in range(nv):
                k.jacobians[6 * c + i, j] -= k.six[i, j]
    rolls = cross(angular(V), cross(angular(V), arm))
    return V, (A[0] - rolls[0], A[1] - rolls[1], A[2] - rolls[2], A[3], A[4], A[5])


@routine
def contact_rows(k, nv):
    """J_c and its right-hand side (1); returns how many rows there are."""
    count = 0
    k.clash[col.DRIFT] = k.clash[col.ASKED] = 0.0
    for c in range(k.contact.shape[0]):
        V, A = contact_motion(k, c, nv)
        for r in range(k.contact[c, col.ROWS]):
            for j in range(nv):
                k.Jc[count, j] = k.jacobians[6 * c + r, j]
            k.bc[count] = -A[r] - k.number[2] * (V[r] - k.contact_rate[c, r]) + k.contact_rate[c, 6 + r]
            k.clash[col.DRIFT] = max(k.clash[col.DRIFT], abs(A[r]))
            k.clash[col.ASKED] = max(k.clash[col.ASKED], abs(k.bc[count]))
            count += 1
    return count


@routine
def contradicts(clash):
    """Whether contacts ask for motions that exclude each other.

    Those that depend on each other only where they are now, or at speeds that they forbid, differ by drifts, which is no one's
    wish, and the first hold.
    """
    return clash[col.CLASH] > CONTRADICTION * clash[col.ASKED] + clash[col.DRIFT] + ROUNDING


@routine
def measure_contacts(k, count, nv, lengths):
    """Lengths to which what is left of rows of J_c is compared (`linear.rank`): of the three translations of a contact, and of
    its three turns, the longest."""
    first, most = 0, 0.0
    for r in range(count):
        lengths[r] = math.sqrt(rows_dot(k.Jc, r, k.Jc, r, nv))
        most = max(most, lengths[r])
    for c in range(k.contact.shape[0]):
        for part in range(0, k.contact[c, col.ROWS], 3):
            last, longest = first + min(3, k.contact[c, col.ROWS] - part), SHORTEST * most
            for r in range(first, last):
                longest = max(longest, lengths[r])
            for r in range(first, last):
                lengths[r] = longest if longest > 0.0 else 1.0
            first = last


@routine
def free_motions(k, count, nv, lengths):
    """Z and a0 of (2): rows of Z, of which there are nv less the rank, and a0; returns the rank.

    Rows of J_c hold in the order of their contacts. One that those before it already hold must ask for what follows from them;
    by how much it does not, at most, goes into `clash`. J_c is replaced by its factor R.
    """
    mirrors, R, Z, a0, clash = k.mirror, k.Jc, k.Z, k.a0, k.clash
    for r in range(count):
        share = 1.0 / lengths[r]
        for j in range(nv):
            R[r, j] *= share
    rank = eliminate(R, count, nv, NEARLY_DEPENDENT, False, R, mirrors, k.order)
    for j in range(nv):
        a0[j] = k.bc[k.order[j]] / lengths[k.order[j]] if j < rank else 0.0
    solve_rows(R, rank, a0)
    clash[col.CLASH], clash[col.CLASH_ROW] = 0.0, -1.0
    for j in range(rank, count):
        r = k.order[j]
        miss = abs(k.bc[r] - lengths[r] * row_dot(R, j, a0, rank))
        if miss > clash[col.CLASH]:
            clash[col.CLASH], clash[col.CLASH_ROW] = miss, float(r)
    turn_out(mirrors, rank, nv, a0)
    for c in range(nv - rank):
        for j in range(nv):
            Z[c, j] = 0.0
        Z[c, rank + c] = 1.0
    for i in range(rank - 1, -1, -1):  # loops over rows are inside: what they do does not wait for one another
        for c in range(nv - rank):
            reflect(mirrors, i, nv, Z[c])
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
        task, c = k.row[r, col.TASK], k.row[r, col.COMPONENT]
        kind, kp, kd = k.task[task, col.KIND], k.gain[task, col.STIFFNESS], k.gain[task, col.DAMPING]
        if kind == col.POSTURE:
            if task != last:
                differed(k.topology, k.q, k.posture[task], k.away)
            for j in range(nv):
                k.T[r, j] = 0.0
            k.T[r, c] = 1.0
            k.b[r] = kp * k.away[c] + kd * (k.posture_rate[task, c] - k.v[c]) + k.posture_acceleration[task, c]
            last = task
            continue
        if task != last:
            if kind == col.CENTROIDAL:
                for i in range(6):
                    s, share = 0.0, 1.0 / mass if i < 3 else 1.0
                    for j in range(nv):
                        k.six[i, j] = share * k.momentum[i, j]
                        s += k.six[i, j] * k.v[j]
                    twist[i], drift[i] = s, share * k.momentum_drift[i]
                    goal[i] = kp * (k.goal[task, i] - k.center[i]) if i < 3 else kd * (k.goal[task, i] - s)
            else:
                R, o, V, A = six_rows(k, k.task[task, col.CARRIER], k.frame[task], k.six, 0, nv)
                for i in range(6):
                    twist[i], drift[i] = V[i], A[i]
                if kind == col.FRAME:
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
        if kind == col.CENTROIDAL and c > 2:
            rate = 0.0  # rate of an angular momentum: its goal is in `goal` already
        k.b[r] = k.goal_acceleration[task, c] + rate + goal[c] - drift[c]
