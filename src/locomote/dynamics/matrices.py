"""The mass matrix and the Coriolis matrix."""

import numpy as np

from locomote.dynamics import flexible
from locomote.dynamics.function import ModelFunction, square
from locomote.kernels import coriolis
from locomote.kernels import mass_matrix as composite
from locomote.kernels.derivatives import Sloping
from locomote.kernels.entries import NV, Output, Recursion
from locomote.model.model import Model

MASS = ModelFunction(
    __name__,
    Recursion(
        "mass_matrix", composite.mass_matrix, composite.Composite, ("q",),
        (Output("M", (NV, NV), zeros=True, status="diagonal_status"),),
    ),
    "mass matrix",
    folded=square,
    flexible=lambda *given: flexible.MASS(*given)[:1],
    many="lanes",
    formula=r"M(q) = \sum_i J_i^T I_i J_i",
)  # fmt: skip
CORIOLIS = ModelFunction(
    __name__,
    Recursion(
        "coriolis_matrix", coriolis.coriolis_matrix, (Sloping, coriolis.Still), ("q", "v"),
        (Output("C", (NV, NV), zeros=True),),
    ),
    "Coriolis matrix",
    folded=square,
    flexible=flexible.coriolis_matrix,
    formula=r"C(q, v)\, v + g(q) = b(q, v), \qquad \dot M - 2 C = -(\dot M - 2 C)^T",
)  # fmt: skip


def mass_matrix(model: Model, q, *, threads: int = 1) -> np.ndarray:
    """(..., nv, nv) symmetric mass matrix, armature included; kg, kg m, kg m^2.

    q : (..., nq) configuration
    """
    if type(threads) is int and threads == 1 and (result := MASS.one.call(model, q)) is not None:
        return result
    return MASS.checked(model, q, threads=threads)


def coriolis_matrix(model: Model, q, v) -> np.ndarray:
    """(..., nv, nv) matrix C with C v + gravity_force = bias_force and dM/dt - 2 C skew-symmetric.

    q : (..., nq) configuration ; v : (..., nv) velocity
    """
    if (result := CORIOLIS.one.call(model, q, v)) is not None:
        return result
    return CORIOLIS.checked(model, q, v)
