"""Derivatives of inverse and forward dynamics, by analytic recursions."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from locomote.dynamics import flexible
from locomote.dynamics.dispatch import INTS, MATRIX, NONE, WHOLE, Entry, few, refuse_overflow, refuse_singular, run_lanes
from locomote.dynamics.forces import forward_dynamics
from locomote.dynamics.function import ModelFunction, square
from locomote.dynamics.matrices import mass_matrix
from locomote.dynamics.wrenches import packed
from locomote.kernels.batch import derivatives_batch
from locomote.kernels.derivatives import Sloping
from locomote.kernels.dynamics_derivatives import Forces, Inverting, of_forward, of_inverse
from locomote.kernels.entries import NV, Output, Recursion
from locomote.model.model import Model

WIDE = 64  # coordinates from which on inverting mass matrices is faster one by one: those of all lanes leave the cache
MANY, MANY_LOADED = (
    Entry(derivatives_batch, (INTS, *[MATRIX] * 4, loads, *[MATRIX] * 3, WHOLE, WHOLE, WHOLE)) for loads in (NONE, MATRIX)
)


class InverseDerivatives(NamedTuple):
    """How tau of inverse dynamics changes; each (..., nv, nv), row: force, column: what changes."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray


class ForwardDerivatives(NamedTuple):
    """How a of forward dynamics changes; each (..., nv, nv), row: acceleration, column: what changes."""

    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray


class Derivatives(ModelFunction):
    """Derivatives of inverse or of forward dynamics, whose kernel for lanes is one."""

    @property
    def entries(self) -> list[Entry]:
        return [*super().entries, MANY, MANY_LOADED]

    def fill(self, model: Model, rows: Sequence[np.ndarray], found: Sequence[np.ndarray], threads: int = 1, fixed=()) -> None:
        """Fill three zero matrices (N, nv, nv) from rows of q, v, a or tau, and of wrenches if there are any."""
        count, forward, loaded = len(rows[0]), self is FORWARD, len(rows) > 3
        if few(count) or (forward and model.nv > WIDE):
            super().fill(model, rows, found, threads)
            return
        flat = [out.reshape(count, -1) for out in found]
        arguments = [*rows[:3], rows[3] if loaded else None, *flat, int(forward)]
        run_lanes(MANY_LOADED if loaded else MANY, (model._topology, model._constants), arguments, count, threads)


def outputs(names: str, zeros: bool) -> tuple[Output, ...]:
    """Three matrices, which are finite if the forces or accelerations of the same state are."""
    return tuple(Output(name, (NV, NV), zeros, status=None) for name in names.split())


def _of_flexible(model: Model, arrays, loads, threads: int, fixed) -> list[np.ndarray]:
    dq, dv = flexible.inverse_derivatives(model, arrays, loads)
    return [dq, dv, np.broadcast_to(mass_matrix(model, arrays[0], threads=threads), dq.shape).copy()]


INVERSE = Derivatives(
    __name__,
    Recursion(
        "inverse_dynamics_derivatives", of_inverse, (Sloping, Forces), ("q", "v", "a"),
        outputs("dtau_dq dtau_dv dtau_da", True), loaded=True, looks=("room_1.tau",),
    ),
    "derivative of inverse dynamics",
    group=InverseDerivatives,
    folded=square,
    flexible=_of_flexible,
)  # fmt: skip


def inverse_dynamics_derivatives(model: Model, q, v, a, *, wrenches=None, threads: int = 1) -> InverseDerivatives:
    """Derivatives of `inverse_dynamics` with respect to q (along the tangent, as `model.integrate` moves it), v and a.

    q : (..., nq) configuration ; v : (..., nv) velocity ; a : (..., nv) acceleration
    The last one is the mass matrix. External wrenches are held constant in body frames.
    """
    if type(threads) is int and threads == 1:
        if wrenches is None:
            result = INVERSE.one.call(model, q, v, a)
        else:
            result = INVERSE.loaded.call(model, q, v, a, packed(model, wrenches))
        if result is not None:
            return result
    return INVERSE.checked(model, q, v, a, wrenches=wrenches, threads=threads)


def _by_inverse(model: Model, arrays, wrenches, threads: int, fixed) -> list[np.ndarray]:
    """Derivatives of forward dynamics from those of inverse dynamics."""
    a = forward_dynamics(model, *arrays, wrenches=wrenches, threads=threads)
    inverse = inverse_dynamics_derivatives(model, arrays[0], arrays[1], a, wrenches=wrenches, threads=threads)
    mass = np.linalg.inv(inverse.a)
    return [-mass @ inverse.q, -mass @ inverse.v, mass]


def _refuse(model: Model, arrays, results, fixed) -> None:
    dq, dv, inverse = results
    if not np.isfinite(inverse).all():
        bad = ~np.isfinite(inverse).all(axis=(-1, -2))
        refuse_singular(model, mass_matrix(model, np.broadcast_to(arrays[0], (*bad.shape, model.nq))[bad][0]))
    refuse_overflow(model, [dq, dv], "derivative of forward dynamics")


FORWARD = Derivatives(
    __name__,
    Recursion(
        "forward_dynamics_derivatives", of_forward, (Sloping, Inverting), ("q", "v", "tau"),
        outputs("da_dq da_dv da_dtau", False), loaded=True, looks=("room_1.a",),
    ),
    "derivative of forward dynamics",
    group=ForwardDerivatives,
    coupled=_by_inverse,
    refuse=_refuse,
)  # fmt: skip


def forward_dynamics_derivatives(model: Model, q, v, tau, *, wrenches=None, threads: int = 1) -> ForwardDerivatives:
    """Derivatives of `forward_dynamics` with respect to q (along the tangent), v and tau; the last one is M^-1.

    q : (..., nq) configuration ; v : (..., nv) velocity ; tau : (..., nv) joint forces, N or N m
    """
    if type(threads) is int and threads == 1:
        if wrenches is None:
            result = FORWARD.one.call(model, q, v, tau)
        else:
            result = FORWARD.loaded.call(model, q, v, tau, packed(model, wrenches))
        if result is not None:
            return result
    return FORWARD.checked(model, q, v, tau, wrenches=wrenches, threads=threads)
