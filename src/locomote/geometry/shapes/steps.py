"""Stairs, up along x of their own frame. Numbers: run, rise, count.

The gap is the distance to the nearest tread, riser or edge; within the stairs that to the nearest face.
"""

from dataclasses import dataclass

import numpy as np

from locomote.compiler.scalars import sqrt
from locomote.compiler.source import helper
from locomote.geometry import meshes
from locomote.geometry.shape import COUNT, RISE, SIZE, Row, Surface, Vector, framed

STEPS = 4
MOST_STEPS = 1000


@dataclass(frozen=True)
class Steps(Surface):
    """Stairs that go up along x from x = 0 and are of unlimited width: `count` steps of equal run and rise, flat before and
    after. They have edges, so nothing can roll on them by a constraint.

    run, rise : length and height of a step, m ; point : the foot of the first step ; heading : of the way up, rad from x
    """

    run: float
    rise: float
    count: int = 1
    point: Vector = (0.0, 0.0, 0.0)
    heading: float = 0.0


def frame(steps: Steps) -> np.ndarray:
    """(4, 4) pose."""
    pose, c, s = framed(at=steps.point), np.cos(steps.heading), np.sin(steps.heading)
    pose[:2, :2] = [[c, -s], [s, c]]
    return pose


def pack(steps: Steps):
    if not (steps.run > 0 and steps.rise > 0 and 1 <= steps.count <= MOST_STEPS):
        raise ValueError(
            f"steps have run {steps.run!r}, rise {steps.rise!r}, count {steps.count!r}: lengths must be positive, "
            f"and there must be 1 to {MOST_STEPS} steps"
        )
    return (steps.run, steps.rise, int(steps.count)), frame(steps)


@helper
def gap(surface, y):
    """Outside, the nearest place is below, or on a riser ahead or its edge."""
    run, rise, count = surface[SIZE], surface[RISE], surface[COUNT]
    level = min(max(y[0] // run + 1.0, 0.0), count)
    depth = level * rise - y[2]
    if depth > 0.0:
        riser = y[2] // rise
        back = y[0] - riser * run if riser >= 0.0 else 1e300
        return ((-1.0, 0.0, 0.0), -back) if back < depth else ((0.0, 0.0, 1.0), -depth)
    n, away = (0.0, 0.0, 1.0), -depth
    while level < count and level * run - y[0] < away:
        x, z = y[0] - level * run, max(y[2] - (level + 1.0) * rise, 0.0)
        length = sqrt(x * x + z * z)
        if length < away:
            n, away = ((x / length, 0.0, z / length) if length > 0.0 else (-1.0, 0.0, 0.0)), length
        level += 1.0
    return n, away


def mesh(steps: Steps, around):
    """Boxes that stand on each other, with the flat ground before and after as far as the motion goes."""
    low, high = around
    span = float(max((high - low).max(), 1e-3))
    parts = [meshes.plate(span, span).moved(framed(at=(-span / 2, 0.0, 0.0)))]
    for k in range(steps.count):
        long = steps.run if k + 1 < steps.count else span
        top = (k + 1) * steps.rise
        parts.append(meshes.box(long, span, abs(top)).moved(framed(at=(k * steps.run + long / 2, 0.0, top / 2))))
    return meshes.joined(parts), frame(steps)


ROW = Row(Steps, STEPS, pack, gap, mesh=mesh, smooth=False, drawn=True)
