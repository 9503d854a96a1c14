"""Entries from Python for one configuration: how bodies move. As in `single`, each returns a status."""

from locomote.compiler.scratch import scratch, scratch_of
from locomote.compiler.source import kernel
from locomote.kernels.kinematics import poses_in_world
from locomote.kernels.mass_matrix import Composite
from locomote.kernels.momentum import momentum_matrix
from locomote.kernels.motion import Motions, frame_rate, frame_twist, motions_in_bodies
from locomote.kernels.single import input_status, named_poses, place_status, sizes, value_status, values_status
from locomote.model.status import SHAPE
from locomote.spatial.algebra import add, rotate
from locomote.spatial.rows import load9, store6


@kernel
def point_frame_one(topology, constants, carrier, placement, named, point, frame):
    """The frame (12 numbers) at a point of a named body, in its axes, as seen from the moving body that carries it."""
    if point.shape[0] != 3 or not 0 <= named < carrier.shape[0]:
        return SHAPE
    for k in range(9):
        frame[k] = placement[named, k]
    away = rotate(load9(placement, named, 0), (point[0], point[1], point[2]))
    frame[9], frame[10], frame[11] = add(away, (placement[named, 9], placement[named, 10], placement[named, 11]))
    return value_status(frame, 12)


@kernel
def velocity_one(topology, constants, body, frame, kind, q, v, twist):
    n = sizes(topology)
    if q.shape[0] != n.nq or v.shape[0] != n.nv:
        return SHAPE
    room = scratch_of(Motions, n)
    poses_in_world(topology, constants, n.nq, q, room)
    motions_in_bodies(topology, constants, q, v, None, room)
    twist[0], twist[1], twist[2], twist[3], twist[4], twist[5] = frame_twist(room.bodies, body, frame, kind)
    return max(input_status(topology, q), max(value_status(v, n.nv), value_status(twist, 6)))


@kernel
def acceleration_one(topology, constants, body, frame, kind, q, v, a, rate):
    n = sizes(topology)
    if q.shape[0] != n.nq or v.shape[0] != n.nv or a.shape[0] != n.nv:
        return SHAPE
    room = scratch_of(Motions, n)
    poses_in_world(topology, constants, n.nq, q, room)
    motions_in_bodies(topology, constants, q, v, a, room)
    rate[0], rate[1], rate[2], rate[3], rate[4], rate[5] = frame_rate(room.bodies, body, frame, kind)
    return max(max(input_status(topology, q), values_status(v, a, v, n.nv)), value_status(rate, 6))


@kernel
def motion_one(topology, constants, carrier, placement, kind, q, v, a, poses, twists, rates):
    n = sizes(topology)
    if q.shape[0] != n.nq or v.shape[0] != n.nv or a.shape[0] != n.nv:
        return SHAPE
    room = scratch_of(Motions, n)
    poses_in_world(topology, constants, n.nq, q, room)
    motions_in_bodies(topology, constants, q, v, a, room)
    named_poses(carrier, placement, room.bodies, poses)
    for b in range(carrier.shape[0]):
        store6(twists, b, 0, frame_twist(room.bodies, carrier[b], placement[b], kind))
        store6(rates, b, 0, frame_rate(room.bodies, carrier[b], placement[b], kind))
    count = 6 * carrier.shape[0]
    status = values_status(twists.reshape(-1), rates.reshape(-1), rates.reshape(-1), count)
    return max(max(max(input_status(topology, q), place_status(poses)), status), values_status(v, a, v, n.nv))


@kernel
def momentum_one(topology, constants, q, v, total):
    n = sizes(topology)
    if q.shape[0] != n.nq or v.shape[0] != n.nv or n.nv == 0:
        return SHAPE
    A = scratch((6, n.nv))
    A[:] = 0.0
    momentum_matrix(topology, constants, n.nq, q, scratch_of(Composite, n), A)
    for r in range(6):
        total[r] = 0.0
        for k in range(n.nv):
            total[r] += A[r, k] * v[k]
    return max(input_status(topology, q), max(value_status(v, n.nv), value_status(total, 6)))
