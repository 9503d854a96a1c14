"""The mass matrix and the Coriolis matrix."""

import numpy as np

from locomote.dynamics import flexible
from locomote.dynamics.dispatch import (
    INTS,
    MATRIX,
    NV,
    VECTOR,
    WHOLE,
    Entry,
    Result,
    broadcast,
    checked_state,
    checked_threads,
    few,
    refuse_overflow,
    run_lanes,
    run_rows,
    run_specialised,
)
from locomote.kernels import batch, single
from locomote.model.model import Model

_MASS = Entry(single.mass_matrix_one, (INTS, MATRIX, VECTOR, MATRIX), [Result((NV, NV), zeros=True)])
_MASS_BATCH = Entry(batch.mass_matrix_batch, (INTS, MATRIX, MATRIX, MATRIX, WHOLE, WHOLE))
_CORIOLIS = Entry(single.coriolis_matrix_one, (INTS, MATRIX, VECTOR, VECTOR, MATRIX), [Result((NV, NV), zeros=True)])


def mass_matrix(model: Model, q, *, threads: int = 1) -> np.ndarray:
    """(..., nv, nv) symmetric mass matrix, armature included; kg, kg m, kg m^2."""
    if type(threads) is int and threads == 1 and (result := _MASS.call(model, q)) is not None:
        return result
    (q,), threads = checked_state(model, q), checked_threads(threads)
    if special := run_specialised(model, "mass_matrix", [q], threads):
        refuse_overflow(model, special, "mass matrix")
        return special[0].reshape(*q.shape[:-1], model.nv, model.nv)
    if model.coupling:
        G = model.coupling.v_matrix
        return G.T @ mass_matrix(model.unfolded, model.coupling.expand_q(q), threads=threads) @ G
    if model.flexible:
        return flexible.mass_matrix(model, q, threads)[0]
    lead, (rows,) = broadcast([q])
    M = np.zeros((len(rows), model.nv, model.nv))
    if few(len(rows)):
        run_rows(_MASS, (model._topology, model._constants), [rows], [M])
    else:
        run_lanes(_MASS_BATCH, (model._topology, model._constants), [rows, M.reshape(len(rows), -1)], len(rows), threads)
    refuse_overflow(model, [M], "mass matrix")
    return M.reshape(*lead, model.nv, model.nv)


def coriolis_matrix(model: Model, q, v) -> np.ndarray:
    """(..., nv, nv) matrix C with C v + gravity_force = bias_force and dM/dt - 2 C skew-symmetric."""
    if (result := _CORIOLIS.call(model, q, v)) is not None:
        return result
    q, v = checked_state(model, q, v=v)
    if model.coupling:
        c, G = model.coupling, model.coupling.v_matrix
        return G.T @ coriolis_matrix(model.unfolded, c.expand_q(q), c.expand_v(v)) @ G
    if model.flexible:
        return flexible.coriolis_matrix(model, q, v)
    lead, rows = broadcast([q, v])
    C = np.zeros((len(rows[0]), model.nv, model.nv))
    run_rows(_CORIOLIS, (model._topology, model._constants), rows, [C])
    refuse_overflow(model, [C], "Coriolis matrix")
    return C.reshape(*lead, model.nv, model.nv)
