"""Derivatives of inverse and forward dynamics, by analytic recursions."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from locomote.dynamics import flexible
from locomote.dynamics.dispatch import (
    INTS,
    MATRIX,
    NONE,
    NV,
    PLAIN_TREE,
    VECTOR,
    WHOLE,
    Entry,
    Result,
    broadcast,
    checked_state,
    checked_threads,
    few,
    refuse_overflow,
    refuse_singular,
    run_lanes,
    run_rows,
    run_specialised,
)
from locomote.dynamics.forces import forward_dynamics
from locomote.dynamics.matrices import mass_matrix
from locomote.dynamics.wrenches import gathered, packed
from locomote.kernels import batch, single
from locomote.model.model import Model

WIDE = 64  # coordinates from which on inverting mass matrices is faster one by one: those of all lanes leave the cache

_ONE = (INTS, MATRIX, VECTOR, VECTOR, VECTOR, NONE, MATRIX, MATRIX, MATRIX)
_ONE_LOADED = (INTS, MATRIX, VECTOR, VECTOR, VECTOR, MATRIX, MATRIX, MATRIX, MATRIX)
_BATCH = (INTS, MATRIX, MATRIX, MATRIX, MATRIX, NONE, MATRIX, MATRIX, MATRIX, WHOLE, WHOLE, WHOLE)
_BATCH_LOADED = (INTS, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, WHOLE, WHOLE, WHOLE)


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


_MATRICES = [Result((NV, NV), zeros=True)] * 3
_INVERSE = Entry(single.inverse_dynamics_derivatives_one, _ONE, _MATRICES, InverseDerivatives, PLAIN_TREE)
_INVERSE_LOADED = Entry(single.inverse_dynamics_derivatives_one, _ONE_LOADED, _MATRICES, InverseDerivatives)
_FORWARD = Entry(single.forward_dynamics_derivatives_one, _ONE, [Result((NV, NV))] * 3, ForwardDerivatives, PLAIN_TREE)
_FORWARD_LOADED = Entry(single.forward_dynamics_derivatives_one, _ONE_LOADED, [Result((NV, NV))] * 3, ForwardDerivatives)
_MANY, _MANY_LOADED = Entry(batch.derivatives_batch, _BATCH), Entry(batch.derivatives_batch, _BATCH_LOADED)


def inverse_dynamics_derivatives(model: Model, q, v, a, *, wrenches=None, threads: int = 1) -> InverseDerivatives:
    """Derivatives of `inverse_dynamics` with respect to q (along the tangent, as `model.integrate` moves it), v and a.

    The last one is the mass matrix. External wrenches are held constant in body frames.
    """
    if type(threads) is int and threads == 1:
        if wrenches is None:
            result = _INVERSE.call(model, q, v, a)
        else:
            result = _INVERSE_LOADED.call(model, q, v, a, packed(model, wrenches))
        if result is not None:
            return result
    arrays, threads = checked_state(model, q, v=v, a=a), checked_threads(threads)
    if wrenches is None and (special := _specialised(model, "inverse_dynamics_derivatives", arrays, threads)):
        refuse_overflow(model, special, "derivative of inverse dynamics")
        return InverseDerivatives(*special)
    if model.coupling:
        c, G = model.coupling, model.coupling.v_matrix
        full = inverse_dynamics_derivatives(
            model.unfolded,
            c.expand_q(arrays[0]),
            c.expand_v(arrays[1]),
            c.expand_v(arrays[2]),
            wrenches=wrenches,
            threads=threads,
        )
        return InverseDerivatives(*(G.T @ part @ G for part in full))
    if model.flexible:
        dq, dv = flexible.inverse_derivatives(model, arrays, gathered(model, wrenches))
        refuse_overflow(model, [dq, dv], "derivative of inverse dynamics")
        M = np.broadcast_to(mass_matrix(model, arrays[0], threads=threads), dq.shape).copy()
        return InverseDerivatives(dq, dv, M)
    dq, dv, M = _run(model, False, arrays, wrenches, threads)
    refuse_overflow(model, [dq, dv, M], "derivative of inverse dynamics")
    return InverseDerivatives(dq, dv, M)


def forward_dynamics_derivatives(model: Model, q, v, tau, *, wrenches=None, threads: int = 1) -> ForwardDerivatives:
    """Derivatives of `forward_dynamics` with respect to q (along the tangent), v and tau; the last one is M^-1."""
    if type(threads) is int and threads == 1:
        if wrenches is None:
            result = _FORWARD.call(model, q, v, tau)
        else:
            result = _FORWARD_LOADED.call(model, q, v, tau, packed(model, wrenches))
        if result is not None:
            return result
    arrays, threads = checked_state(model, q, v=v, tau=tau), checked_threads(threads)
    special = _specialised(model, "forward_dynamics_derivatives", arrays, threads) if wrenches is None else None
    if (model.coupling or model.flexible) and not special:
        a = forward_dynamics(model, *arrays, wrenches=wrenches, threads=threads)
        inverse = inverse_dynamics_derivatives(model, arrays[0], arrays[1], a, wrenches=wrenches, threads=threads)
        mass = np.linalg.inv(inverse.a)
        return ForwardDerivatives(-mass @ inverse.q, -mass @ inverse.v, mass)
    dq, dv, inverse = special or _run(model, True, arrays, wrenches, threads)
    if not np.isfinite(inverse).all():
        bad = ~np.isfinite(inverse).all(axis=(-1, -2))
        refuse_singular(model, mass_matrix(model, np.broadcast_to(arrays[0], (*bad.shape, model.nq))[bad][0]))
    refuse_overflow(model, [dq, dv], "derivative of forward dynamics")
    return ForwardDerivatives(dq, dv, inverse)


def _specialised(model: Model, name: str, arrays, threads: int) -> list[np.ndarray] | None:
    """Three matrices (..., nv, nv), if there is a specialised function for them."""
    results = run_specialised(model, name, arrays, threads)
    return [x.reshape(*x.shape[:-1], model.nv, model.nv) for x in results] if results else None


def _run(model: Model, forward: bool, arrays, wrenches, threads):
    loads = gathered(model, wrenches)
    if loads is not None:
        arrays = [*arrays, loads.reshape(*loads.shape[:-2], 6 * loads.shape[-2])]
    lead, rows = broadcast(arrays)
    outputs = [np.zeros((len(rows[0]), model.nv, model.nv)) for _ in range(3)]
    fill(model, forward, rows, outputs, threads)
    return [out.reshape(*lead, model.nv, model.nv) for out in outputs]


def fill(model: Model, forward: bool, rows: Sequence[np.ndarray], outputs: Sequence[np.ndarray], threads: int = 1) -> None:
    """Fill three zero matrices (N, nv, nv) from rows of q, v, a or tau, and of wrenches if there are any."""
    n, fixed, loaded = len(rows[0]), (model._topology, model._constants), len(rows) > 3
    if few(n) or (forward and model.nv > WIDE):
        f = rows[3].reshape(n, len(model.topology) - 1, 6) if loaded else None
        entries = (_FORWARD, _FORWARD_LOADED) if forward else (_INVERSE, _INVERSE_LOADED)
        run_rows(entries[loaded], fixed, [*rows[:3], f], outputs, threads)
    else:
        f = rows[3] if loaded else None
        flat = [out.reshape(n, -1) for out in outputs]
        run_lanes(_MANY_LOADED if loaded else _MANY, fixed, [*rows[:3], f, *flat, int(forward)], n, threads)
