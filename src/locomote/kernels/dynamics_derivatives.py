"""Derivatives of inverse and of forward dynamics at one state.

With dq, dv and M those of inverse dynamics at the acceleration that forward dynamics gives, the latter has

    da/dq = -M^-1 dq ,   da/dv = -M^-1 dv ,   da/dtau = M^-1                                                     (1)
"""

from typing import Annotated, NamedTuple

import numpy as np

from locomote.compiler.scratch_layout import NV
from locomote.compiler.source import inlined_routine
from locomote.kernels.derivatives import inverse_dynamics_derivatives
from locomote.kernels.factor import apply_inverse
from locomote.kernels.forward_dynamics import DOFS, Articulated, forward_dynamics
from locomote.linear.dots import copy_row
from locomote.linear.products import GROUP, grouped


class Forces(NamedTuple):
    """Scratch of derivatives of inverse dynamics, beside that of the recursion."""

    tau: Annotated[np.ndarray, NV, "forces of the motion"]


class Inverting(NamedTuple):
    """Scratch of derivatives of forward dynamics, beside that of the recursions."""

    a: Annotated[np.ndarray, NV, "accelerations, by forward dynamics"]
    force: Annotated[np.ndarray, NV, "forces of these, which are those given"]
    M: Annotated[np.ndarray, NV, NV, "mass matrix, and its factors afterwards"]
    B: Annotated[np.ndarray, NV, grouped(NV), "inverse of the mass matrix"]
    X: Annotated[np.ndarray, NV, 2 * NV, "derivatives of inverse dynamics by q and by v, then of forward dynamics"]
    dofs: Annotated[np.ndarray, NV, DOFS, "those of forward dynamics, whose bodies stand where derivatives have theirs later"]
    rows: Annotated[np.ndarray, 4, grouped(NV), "rows under way in `invert_symmetric`"]
    block: Annotated[np.ndarray, NV, GROUP, "columns under way in `remove_product`"]


@inlined_routine
def of_inverse(topology, constants, nq, q, v, a, wrenches, room, dtau_dq, dtau_dv, dtau_da):
    """Fill three matrices (nv, nv), which must be zero; `room` is a Sloping and a Forces."""
    tau = room[1].tau
    inverse_dynamics_derivatives(topology, constants, nq, q, v, a, wrenches, room[0], dtau_da, dtau_dq, 0, dtau_dv, 0, tau)


@inlined_routine
def of_forward(topology, constants, nq, q, v, tau, wrenches, room, da_dq, da_dv, da_dtau):
    """Fill three matrices (nv, nv); `room` is a Sloping and an Inverting."""
    nv, sloping, (a, force, M, B, X, dofs, rows, block) = v.shape[0], room[0], room[1]
    M[:], B[:], rows[:], X[:] = 0.0, 0.0, 0.0, 0.0  # unrelated coordinates, and what vectors take along beyond the last
    articulated = Articulated(sloping.sine, sloping.cosine, sloping.bodies, dofs)
    forward_dynamics(topology, constants, nq, q, v, tau, wrenches, None, articulated, a)
    inverse_dynamics_derivatives(topology, constants, nq, q, v, a, wrenches, sloping, M, X, 0, X, nv, force)
    apply_inverse(topology, M, B, 0, nv, X, nv + 1, rows, block)  # (1)
    for j in range(nv):
        copy_row(X, j, 0, nv, da_dq, j, 0)
        copy_row(X, j, nv, 2 * nv, da_dv, j, -nv)
        copy_row(B, j, 0, nv, da_dtau, j, 0)
