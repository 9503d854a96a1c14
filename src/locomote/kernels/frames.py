"""Entries from Python about frames of named bodies: wrenches in them, and points. As in `kernels.entries`, each returns a
status."""

from locomote.compiler.source import kernel
from locomote.model.status import SHAPE, value_status
from locomote.spatial.algebra import add, plus, rotate, wrench_to_parent
from locomote.spatial.rows import load, load6, load9, store6


@kernel
def gather_one(topology, constants, carrier, placement, wrenches, loads):
    """Wrenches on named bodies (named, 6), each in the frame of its body, as wrenches on the moving bodies that kernels know
    (moving + 1, 6), in packed frames; the last row is that of the world, which needs no help."""
    if wrenches.shape[0] != carrier.shape[0] or wrenches.shape[1] != 6:
        return SHAPE
    loads[:] = 0.0
    for n in range(carrier.shape[0]):
        f = wrench_to_parent(load9(placement, n, 0), load(placement, n, 9), load6(wrenches, n, 0))
        store6(loads, carrier[n], 0, plus(load6(loads, carrier[n], 0), f))
    return max(value_status(wrenches.reshape(-1), wrenches.size), value_status(loads.reshape(-1), loads.size))


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
