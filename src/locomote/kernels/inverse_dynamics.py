"""Joint forces of a tree for a given motion: recursive Newton-Euler in body frames.

i is a body, p its parent, (R, o) its pose in the parent. w, alpha, acc are angular velocity, angular acceleration and
acceleration of the origin of a body, F the wrench on it; all in body axes. Gravity enters as an acceleration of the world.

    outward   w   = R^T w_p                     then the joint's own motion is added        (1)
              acc = R^T (acc_p + alpha_p x o + w_p x (w_p x o))                             (2)
              F   = wrench of Newton and Euler (w, alpha, acc) - external wrench            (3)
    inward    tau_i = S_i^T F ,   F_p += R F, moved by o                                    (4)

A body with added inertia also needs its velocity u, and has no weight from it (5). The world is the body after the last:
its row of the scratch array starts the recursion, and ends with the wrench that the tree exerts on the world.
"""

from locomote.engine.source import routine
from locomote.engine.trigonometry import sines
from locomote.kernels.added import added_wrench, has_added
from locomote.kernels.bodies import newton_euler
from locomote.model.columns import GRAVITY, PARENT
from locomote.model.joints import joint_force, joint_motion, joint_pose, joint_twist
from locomote.spatial.algebra import add, cross, linear, minus, plus, subtract, unrotate
from locomote.spatial.rows import load, load6, store, store6

ACC, WRENCH, VELOCITY, UP = 6, 9, 15, 18  # columns of the scratch array, after w and alpha
WORK = 21


@routine
def inverse_dynamics(topology, constants, nq, q, v, a, wrenches, sine, cosine, work, tau):
    """Fill tau. `wrenches` (bodies, 6) are external ones in packed frames; None: there are none, and no added inertia."""
    world = topology.shape[0] - 1
    sines(q, nq, sine, cosine)
    for k in range(WORK):
        work[world, k] = 0.0
    for k in range(3):
        work[world, ACC + k] = work[world, UP + k] = -constants[world, GRAVITY + k]
    for i in range(world):
        p = topology[i, PARENT]
        w, alpha, acc = load(work, p, 0), load(work, p, 3), load(work, p, ACC)
        w, alpha, acc = joint_motion(topology, constants, i, q, sine, cosine, v, a, w, alpha, acc)  # (1) (2)
        F = newton_euler(constants, i, w, alpha, acc)  # (3)
        if wrenches is not None:
            F = minus(F, load6(wrenches, i, 0))
            if has_added(constants):
                R, o = joint_pose(topology, constants, i, q, sine, cosine)
                u = unrotate(R, add(load(work, p, VELOCITY), cross(load(work, p, 0), o)))
                u = add(u, linear(joint_twist(topology, constants, i, v)))
                up = unrotate(R, load(work, p, UP))
                F = plus(F, added_wrench(constants, i, u, w, alpha, subtract(acc, up)))  # (5)
                store(work, i, VELOCITY, u)
                store(work, i, UP, up)
        store(work, i, 0, w)
        store(work, i, 3, alpha)
        store(work, i, ACC, acc)
        store6(work, i, WRENCH, F)
    for i in range(world - 1, -1, -1):
        p = topology[i, PARENT]
        F = joint_force(topology, constants, i, q, sine, cosine, a, load6(work, i, WRENCH), tau)  # (4)
        store6(work, p, WRENCH, plus(load6(work, p, WRENCH), F))
