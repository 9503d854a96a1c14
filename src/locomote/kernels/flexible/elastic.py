"""Elasticity of flexible bodies: exactly linear in their coordinates, with constant matrices.

force -K r - D r' ,   energy r . K r / 2 ,   power of the damping -r' . D r'
"""

from locomote.compiler.source import routine
from locomote.kernels.flexible.columns import BAND, FIRST_Q, FIRST_V, MATRIX, SIZE


@routine
def elastic_forces(tree, q, v, out):
    """Add the forces to `out` (nv,); returns the power of the damping."""
    power = 0.0
    for n in range(tree.rods.shape[0]):
        size, at, k, j = tree.rods[n, SIZE], tree.rods[n, MATRIX], tree.rods[n, FIRST_V], tree.rods[n, FIRST_Q]
        band = tree.rods[n, BAND]
        if band == 0:
            for r in range(size):
                pull = tree.elastic[at + r * (size + 1)] * q[j + r]
                drag = tree.viscous[at + r * (size + 1)] * v[k + r]
                out[k + r] -= pull + drag
                power -= drag * v[k + r]
            continue
        for r in range(size):
            pull, drag = 0.0, 0.0
            for c in range(max(0, r - band), min(size, r + band + 1)):
                stiffness, damping = tree.elastic[at + r * size + c], tree.viscous[at + r * size + c]
                if stiffness != 0.0:  # matrices of most rods are diagonal, or of few blocks
                    pull += stiffness * q[j + c]
                if damping != 0.0:
                    drag += damping * v[k + c]
            out[k + r] -= pull + drag
            power -= drag * v[k + r]
    return power


@routine
def elastic_energy(tree, q):
    """Energy in all flexible bodies, J."""
    energy = 0.0
    for n in range(tree.rods.shape[0]):
        size, at, j, band = tree.rods[n, SIZE], tree.rods[n, MATRIX], tree.rods[n, FIRST_Q], tree.rods[n, BAND]
        for r in range(size):
            for c in range(max(0, r - band), min(size, r + band + 1)):
                stiffness = tree.elastic[at + r * size + c]
                if stiffness != 0.0:
                    energy += 0.5 * stiffness * q[j + r] * q[j + c]
    return energy
