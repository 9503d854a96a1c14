"""Exact derivatives of functions of a tree with flexible bodies: their routines on dual numbers, WIDTH directions at a time.

`room` is a record of scratch whose arrays are Duals, all but those that are given and filled. Directions are moves of the
configuration along each coordinate of v, then changes of each velocity.
"""

from typing import Annotated

from locomote.compiler.duals.directions import along
from locomote.compiler.duals.numbers import slope_of, with_slope
from locomote.compiler.lanes import WIDTH, extract
from locomote.compiler.records import Floats, Matrix, Record
from locomote.compiler.scratch_layout import NQ, NV, Like
from locomote.compiler.source import kernel
from locomote.kernels.batch import sizes
from locomote.kernels.flexible.jacobian import jacobian
from locomote.kernels.flexible.motion import inverse_dynamics
from locomote.kernels.flexible.scratch import Carried, Placed
from locomote.model.moves import integrated
from locomote.model.status import OK


class Room(Record):
    """Dual numbers: scratch of the recursions, their arguments and results."""

    u: Annotated[Floats, NV, "moves of the configuration"]
    q: Annotated[Floats, NQ, "the configuration, moved"]
    v: Annotated[Floats, NV, "velocities"]
    a: Annotated[Floats, NV, "accelerations"]
    sine: Annotated[Floats, Like(Placed, "sine"), "as in Placed, and so are the next five"]
    cosine: Annotated[Floats, Like(Placed, "cosine"), "as in Placed"]
    steps: Annotated[Matrix, Like(Placed, "steps"), "as in Placed"]
    work: Annotated[Matrix, Like(Placed, "work"), "as in Placed"]
    bodies: Annotated[Matrix, Like(Placed, "bodies"), "as in Placed"]
    rates: Annotated[Matrix, Like(Placed, "rates"), "as in Placed"]
    tau: Annotated[Floats, NV, "forces, by inverse dynamics"]
    J: Annotated[Matrix, 6, NV, "Jacobian, by `jacobian`"]


@kernel
def inverse_dynamics_slopes(tree, strain, room, q, v, a, wrenches, dq, dv):
    """dq, dv (nv, nv): derivatives of inverse dynamics along moves of the configuration, and by velocities."""
    n = sizes(tree.topology)
    nv, carried = n.nv, Carried(room.sine, room.cosine, room.steps, room.work)
    for first in range(0, 2 * nv, WIDTH):
        for k in range(nv):
            room.u[k] = with_slope(0.0, along(k - first))
            room.v[k] = with_slope(v[k], along(nv + k - first))
            room.a[k] = a[k]
        integrated(tree.topology, q, room.u, room.q)
        inverse_dynamics(tree, strain, n.nq, room.q, room.v, room.a, wrenches, carried, room.tau)
        for k in range(nv):
            slope = slope_of(room.tau[k])
            for lane in range(WIDTH):
                j = first + lane
                if j < nv:
                    dq[k, j] = extract(slope, lane)
                elif j < 2 * nv:
                    dv[k, j - nv] = extract(slope, lane)
    return OK


@kernel
def jacobian_slopes(tree, strain, room, body, frame, kind, q, v, rate):
    """rate (6, nv): the time derivative of the Jacobian of a frame along v."""
    n = sizes(tree.topology)
    nv, placed = n.nv, Placed(room.sine, room.cosine, room.steps, room.work, room.bodies, room.rates)
    for k in range(nv):
        room.u[k] = with_slope(0.0, v[k] * along(0))
        for r in range(6):
            room.J[r, k] = 0.0
    integrated(tree.topology, q, room.u, room.q)
    jacobian(tree, strain, n.nq, room.q, body, frame, kind, placed, room.J)
    for r in range(6):
        for k in range(nv):
            rate[r, k] = extract(slope_of(room.J[r, k]), 0)
    return OK
