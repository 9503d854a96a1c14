"""The compiled entry into paths: lengths of many, and what a tension of 1 in each does to the bodies."""

from locomote.compiler.source import kernel
from locomote.forces.paths import put_unit_pull
from locomote.spatial.algebra import add, cross, rotate
from locomote.spatial.rows import load


@kernel
def all_paths(places, first, numbers, begin, bodies, own, lengths, on_bodies, wrenches):
    """Lengths (paths,) and wrenches on bodies (paths, bodies, 6), in body frames; own : (places, 4, 4) in bodies."""
    for p in range(len(lengths)):
        count = first[p + 1] - first[p]
        length, _ = put_unit_pull(places, first[p], count, numbers, begin[p], wrenches)
        lengths[p] = length
        for n in range(first[p], first[p] + count):
            b = bodies[n]
            if b < 0:
                continue
            R = (
                own[n, 0, 0], own[n, 0, 1], own[n, 0, 2], own[n, 1, 0], own[n, 1, 1], own[n, 1, 2],
                own[n, 2, 0], own[n, 2, 1], own[n, 2, 2],
            )  # fmt: skip
            force = rotate(R, load(wrenches, n, 0))
            moment = add(rotate(R, load(wrenches, n, 3)), cross((own[n, 0, 3], own[n, 1, 3], own[n, 2, 3]), force))
            for k in range(3):
                on_bodies[p, b, k] += force[k]
                on_bodies[p, b, 3 + k] += moment[k]
