"""Entries from Python for one configuration: how bodies move. As in `single`, each returns a status."""

from locomote.engine.scratch import scratch
from locomote.engine.source import kernel
from locomote.kernels.kinematics import poses_in_world
from locomote.kernels.motion import MOTION, frame_rate, frame_twist, motions_in_bodies
from locomote.kernels.single import (
    AXES_WORK,
    MM_WORK,
    _momentum,
    input_status,
    named_poses,
    place_status,
    sizes,
    value_status,
    values_status,
)
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
    nq, nv = sizes(topology)
    if q.shape[0] != nq or v.shape[0] != nv:
        return SHAPE
    sine, cosine, bodies = scratch(nq), scratch(nq), scratch((topology.shape[0], MOTION))
    poses_in_world(topology, constants, nq, q, sine, cosine, bodies)
    motions_in_bodies(topology, constants, q, v, None, sine, cosine, bodies)
    twist[0], twist[1], twist[2], twist[3], twist[4], twist[5] = frame_twist(bodies, body, frame, kind)
    return max(input_status(topology, q), max(value_status(v, nv), value_status(twist, 6)))


@kernel
def acceleration_one(topology, constants, body, frame, kind, q, v, a, rate):
    nq, nv = sizes(topology)
    if q.shape[0] != nq or v.shape[0] != nv or a.shape[0] != nv:
        return SHAPE
    sine, cosine, bodies = scratch(nq), scratch(nq), scratch((topology.shape[0], MOTION))
    poses_in_world(topology, constants, nq, q, sine, cosine, bodies)
    motions_in_bodies(topology, constants, q, v, a, sine, cosine, bodies)
    rate[0], rate[1], rate[2], rate[3], rate[4], rate[5] = frame_rate(bodies, body, frame, kind)
    return max(max(input_status(topology, q), values_status(v, a, v, nv)), value_status(rate, 6))


@kernel
def motion_one(topology, constants, carrier, placement, kind, q, v, a, poses, twists, rates):
    nq, nv = sizes(topology)
    if q.shape[0] != nq or v.shape[0] != nv or a.shape[0] != nv:
        return SHAPE
    sine, cosine, bodies = scratch(nq), scratch(nq), scratch((topology.shape[0], MOTION))
    poses_in_world(topology, constants, nq, q, sine, cosine, bodies)
    motions_in_bodies(topology, constants, q, v, a, sine, cosine, bodies)
    named_poses(carrier, placement, bodies, poses)
    for n in range(carrier.shape[0]):
        store6(twists, n, 0, frame_twist(bodies, carrier[n], placement[n], kind))
        store6(rates, n, 0, frame_rate(bodies, carrier[n], placement[n], kind))
    count = 6 * carrier.shape[0]
    status = values_status(twists.reshape(-1), rates.reshape(-1), rates.reshape(-1), count)
    return max(max(max(input_status(topology, q), place_status(poses)), status), values_status(v, a, v, nv))


@kernel
def momentum_one(topology, constants, q, v, total):
    nq, nv = sizes(topology)
    if q.shape[0] != nq or v.shape[0] != nv or nv == 0:
        return SHAPE
    sine, cosine, work = scratch(nq), scratch(nq), scratch((topology.shape[0], MM_WORK))
    A = scratch((6, nv))
    A[:] = 0.0
    _momentum(topology, constants, nq, q, sine, cosine, work, scratch((AXES_WORK, nv)), A)
    for r in range(6):
        total[r] = 0.0
        for k in range(nv):
            total[r] += A[r, k] * v[k]
    return max(input_status(topology, q), max(value_status(v, nv), value_status(total, 6)))
