"""Forces of given stresses at the points of a step on the coordinates of a rod."""

from locomote.compiler.source import routine
from locomote.kernels.flexible.columns import FIRST_V, SIZE
from locomote.kernels.flexible.shape import pulled


@routine
def add_forces(tree, n, s, steps, v, out):
    """Add to `out` (nv,) what columns Z of the step to station s of rod n do to its coordinates; returns their power."""
    power = 0.0
    for j in range(tree.rods[n, SIZE]):
        k = tree.rods[n, FIRST_V] + j
        force = pulled(tree, n, s, steps, j)
        out[k] += force
        power += force * v[k]
    return power
