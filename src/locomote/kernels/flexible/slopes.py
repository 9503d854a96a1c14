"""Exact derivatives of functions of a tree with flexible bodies: their routines on dual numbers, WIDTH directions at a time.

`room` is a record of scratch whose arrays are Duals, all but those that are given and filled. Directions are moves of the
configuration along each coordinate of v, then changes of each velocity.
"""

from locomote.duals.directions import along
from locomote.duals.numbers import slope_of, with_slope
from locomote.engine.lanes import WIDTH, extract
from locomote.engine.records import Floats, Matrix, Record
from locomote.engine.source import kernel
from locomote.kernels.flexible.jacobian import jacobian
from locomote.kernels.flexible.motion import inverse_dynamics
from locomote.kernels.single import OK, sizes
from locomote.model.moves import integrated


class Room(Record):
    """Numbers with slopes: moves u, state q, v, a; sines, steps, rows, bodies in the world; forces, Jacobian."""

    u: Floats
    q: Floats
    v: Floats
    a: Floats
    sine: Floats
    cosine: Floats
    steps: Matrix
    work: Matrix
    bodies: Matrix
    tau: Floats
    J: Matrix


@kernel
def inverse_dynamics_slopes(tree, strain, room, q, v, a, wrenches, dq, dv):
    """dq, dv (nv, nv): derivatives of inverse dynamics along moves of the configuration, and by velocities."""
    nq, nv = sizes(tree.topology)
    for first in range(0, 2 * nv, WIDTH):
        for k in range(nv):
            room.u[k] = with_slope(0.0, along(k - first))
            room.v[k] = with_slope(v[k], along(nv + k - first))
            room.a[k] = a[k]
        integrated(tree.topology, q, room.u, room.q)
        inverse_dynamics(
            tree, strain, nq, room.q, room.v, room.a, wrenches, room.sine, room.cosine, room.steps, room.work, room.tau
        )
        for k in range(nv):
            slope = slope_of(room.tau[k])
            for lane in range(WIDTH):
                n = first + lane
                if n < nv:
                    dq[k, n] = extract(slope, lane)
                elif n < 2 * nv:
                    dv[k, n - nv] = extract(slope, lane)
    return OK


@kernel
def jacobian_slopes(tree, strain, room, body, frame, kind, q, v, rate):
    """rate (6, nv): the time derivative of the Jacobian of a frame along v."""
    nq, nv = sizes(tree.topology)
    for k in range(nv):
        room.u[k] = with_slope(0.0, v[k] * along(0))
        for r in range(6):
            room.J[r, k] = 0.0
    integrated(tree.topology, q, room.u, room.q)
    jacobian(tree, strain, nq, room.q, body, frame, kind, room.sine, room.cosine, room.steps, room.work, room.bodies, room.J)
    for r in range(6):
        for k in range(nv):
            rate[r, k] = extract(slope_of(room.J[r, k]), 0)
    return OK
