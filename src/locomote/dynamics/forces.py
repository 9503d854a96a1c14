"""Inverse, forward and hybrid dynamics, and the forces that make them up."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from locomote.dynamics import flexible
from locomote.dynamics.dispatch import (
    INT_VECTOR,
    INTS,
    MATRIX,
    NONE,
    NV,
    PLAIN_TREE,
    SPRUNG_TREE,
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
from locomote.dynamics.matrices import mass_matrix
from locomote.dynamics.wrenches import gathered, packed
from locomote.kernels import batch, single, single_forces
from locomote.model.model import Model, checked_model

BOOLEAN = np.dtype(bool)


class HybridDynamics(NamedTuple):
    """Accelerations and forces of all coordinates, each (..., nv)."""

    a: np.ndarray
    tau: np.ndarray


_ONE = (INTS, MATRIX, VECTOR, VECTOR, VECTOR, NONE, VECTOR)
_INVERSE = Entry(single.inverse_dynamics_one, _ONE, [Result((NV,))], held=PLAIN_TREE)
_ONE_LOADED = (INTS, MATRIX, VECTOR, VECTOR, VECTOR, MATRIX, VECTOR)
_INVERSE_LOADED = Entry(single.inverse_dynamics_one, _ONE_LOADED, [Result((NV,))])
_INVERSE_BATCH = Entry(batch.inverse_dynamics_batch, (INTS, MATRIX, MATRIX, MATRIX, MATRIX, NONE, MATRIX, WHOLE, WHOLE))
_INVERSE_BATCH_LOADED = Entry(
    batch.inverse_dynamics_batch, (INTS, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, WHOLE, WHOLE)
)
_FORWARD = Entry(single.forward_dynamics_one, _ONE, [Result((NV,))], held=PLAIN_TREE)
_FORWARD_LOADED = Entry(single.forward_dynamics_one, _ONE_LOADED, [Result((NV,))])
_FORWARD_BATCH = Entry(batch.forward_dynamics_batch, (INTS, MATRIX, MATRIX, MATRIX, MATRIX, NONE, MATRIX, WHOLE, WHOLE))
_FORWARD_BATCH_LOADED = Entry(
    batch.forward_dynamics_batch, (INTS, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, WHOLE, WHOLE)
)


def inverse_dynamics(model: Model, q, v, a, *, wrenches=None, threads: int = 1) -> np.ndarray:
    """Joint forces that a motion takes: M(q) a + bias(q, v) - external.

    q : (..., nq) ; v, a : (..., nv) velocity and acceleration
    wrenches : mapping of body names to (..., 6), or array (..., bodies, 6): external (force, moment) in the body frame, N, N m
    threads : how many share a batch
    Returns tau : (..., nv), N or N m. Springs, dampers and friction of joints are not in it: see `passive_force`.
    """
    if type(threads) is int and threads == 1:
        if wrenches is None:
            result = _INVERSE.call(model, q, v, a)
        else:
            result = _INVERSE_LOADED.call(model, q, v, a, packed(model, wrenches))
        if result is not None:
            return result
    arrays, threads = checked_state(model, q, v=v, a=a), checked_threads(threads)
    if wrenches is None and (special := run_specialised(model, "inverse_dynamics", arrays, threads)):
        refuse_overflow(model, special, "inverse dynamics")
        return special[0]
    if model.coupling:
        c = model.coupling
        full = [c.expand_q(arrays[0]), c.expand_v(arrays[1]), c.expand_v(arrays[2])]
        return inverse_dynamics(model.unfolded, *full, wrenches=wrenches, threads=threads) @ c.v_matrix
    if model.flexible:
        return flexible.inverse_dynamics(model, arrays, gathered(model, wrenches), threads)
    tau = _checked_force(model, (_INVERSE, _INVERSE_LOADED, _INVERSE_BATCH, _INVERSE_BATCH_LOADED), arrays, wrenches, threads)
    refuse_overflow(model, [tau], "inverse dynamics")
    return tau


def forward_dynamics(model: Model, q, v, tau, *, wrenches=None, threads: int = 1) -> np.ndarray:
    """Accelerations that joint forces cause, at cost O(n).

    q : (..., nq) ; v : (..., nv) ; tau : (..., nv), N or N m ; wrenches, threads : as for `inverse_dynamics`
    Returns a : (..., nv). Raises SingularMassMatrix where a joint moves no mass.
    """
    if type(threads) is int and threads == 1:
        if wrenches is None:
            result = _FORWARD.call(model, q, v, tau)
        else:
            result = _FORWARD_LOADED.call(model, q, v, tau, packed(model, wrenches))
        if result is not None:
            return result
    arrays, threads = checked_state(model, q, v=v, tau=tau), checked_threads(threads)
    special = run_specialised(model, "forward_dynamics", arrays, threads) if wrenches is None else None
    if model.coupling and not special:
        force = arrays[2] - bias_force(model, arrays[0], arrays[1], wrenches=wrenches, threads=threads)
        mass = mass_matrix(model, arrays[0], threads=threads)
        return _solved(model, mass, force)
    if special:
        a = special[0]
    elif model.flexible:
        q, v, tau = arrays
        none = np.zeros(model.nv)
        a = flexible.hybrid_dynamics(model, q, v, tau, none, none > 0, gathered(model, wrenches), threads)[0]
    else:
        entries = (_FORWARD, _FORWARD_LOADED, _FORWARD_BATCH, _FORWARD_BATCH_LOADED)
        a = _checked_force(model, entries, arrays, wrenches, threads)
    if not np.isfinite(a).all():
        bad = ~np.isfinite(a).all(axis=-1)
        q_bad = np.broadcast_to(arrays[0], (*a.shape[:-1], model.nq))[bad][0]
        mass = mass_matrix(model, q_bad)
        if np.linalg.cond(mass) > 1e14:
            refuse_singular(model, mass)
        refuse_overflow(model, [a], "forward dynamics")
    return a


def _solved(model: Model, mass: np.ndarray, force: np.ndarray) -> np.ndarray:
    """mass^-1 force over batches, or the error that says why not."""
    try:
        a = np.linalg.solve(mass, force[..., None])[..., 0]
    except np.linalg.LinAlgError:
        worst = mass.reshape(-1, model.nv, model.nv)
        refuse_singular(model, worst[np.argmax(np.linalg.cond(worst))])
        raise
    refuse_overflow(model, [a], "forward dynamics")
    return a


def _checked_force(model: Model, entries, arrays, wrenches, threads: int) -> np.ndarray:
    """Run inverse or forward dynamics on checked inputs, one or many, loaded or not."""
    one, one_loaded, many, many_loaded = entries
    fixed, loads = (model._topology, model._constants), gathered(model, wrenches)
    if loads is None:
        lead, rows = broadcast(arrays)
    else:
        lead, rows = broadcast([*arrays, loads.reshape(*loads.shape[:-2], 6 * loads.shape[-2])])
    entry = (one, many) if loads is None else (one_loaded, many_loaded)
    out = np.empty((len(rows[0]), model.nv))
    if few(len(out)):
        f = None if loads is None else rows[3].reshape(len(out), len(model.topology) - 1, 6)
        run_rows(entry[0], fixed, [*rows[:3], f], [out])
    else:
        run_lanes(entry[1], fixed, [*rows[:3], None if loads is None else rows[3], out], len(out), threads)
    return out.reshape(*lead, model.nv)


def bias_force(model: Model, q, v, *, wrenches=None, threads: int = 1) -> np.ndarray:
    """(..., nv) joint forces that keep accelerations at zero: Coriolis, centrifugal, gravity, minus external."""
    still = np.zeros(checked_model(model).nv)
    return inverse_dynamics(model, q, v, still, wrenches=wrenches, threads=threads)


def gravity_force(model: Model, q, *, threads: int = 1) -> np.ndarray:
    """(..., nv) joint forces that hold the mechanism still; the gradient of the potential energy."""
    still = np.zeros(checked_model(model).nv)
    return inverse_dynamics(model, q, still, still, threads=threads)


_STATES = (INTS, MATRIX, VECTOR, VECTOR, VECTOR, VECTOR, INT_VECTOR)
_HYBRID = Entry(
    single_forces.hybrid_one, (*_STATES, NONE, VECTOR, VECTOR), [Result((NV,))] * 2, HybridDynamics, held=PLAIN_TREE
)
_HYBRID_LOADED = Entry(single_forces.hybrid_one, (*_STATES, MATRIX, VECTOR, VECTOR), [Result((NV,))] * 2, HybridDynamics)


def hybrid_dynamics(model: Model, q, v, tau, a, imposed, *, wrenches=None) -> HybridDynamics:
    """Some joints imposed, others free, in one O(n) sweep.

    imposed : names of joints whose acceleration is given, or (nv,) booleans
    tau : (..., nv) forces, used where free ; a : (..., nv) accelerations, used where imposed
    Returns (a, tau), both complete: accelerations of free coordinates and forces of imposed ones are filled in.
    """
    which = imposed_numbers(model, imposed)
    if wrenches is None:
        result = _HYBRID.call(model, q, v, tau, a, which)
    else:
        result = _HYBRID_LOADED.call(model, q, v, tau, a, which, packed(model, wrenches))
    if result is not None:
        return result
    arrays = checked_state(model, q, v=v, tau=tau, a=a)
    mask = imposed_mask(model, imposed)
    if model.coupling:
        return _hybrid_coupled(model, arrays, mask, wrenches)
    loads = gathered(model, wrenches)
    if model.flexible:
        q, v, tau, a = arrays
        found = HybridDynamics(*flexible.hybrid_dynamics(model, q, v, tau, a, mask, loads))
        refuse_overflow(model, found, "hybrid dynamics")
        return found
    if loads is not None:
        arrays.append(loads.reshape(*loads.shape[:-2], 6 * loads.shape[-2]))
    lead, rows = broadcast(arrays)
    fixed = (model._topology, model._constants)
    f = None if loads is None else rows[4].reshape(len(rows[0]), len(model.topology) - 1, 6)
    a, tau = np.empty((2, len(rows[0]), model.nv))
    which = np.broadcast_to(mask.astype(np.int64), a.shape).copy()
    run_rows(_HYBRID if f is None else _HYBRID_LOADED, fixed, [*rows[:4], which, f], [a, tau])
    if not np.isfinite(a).all():
        mass = mass_matrix(model, rows[0][~np.isfinite(a).all(axis=-1)][0])[np.ix_(~mask, ~mask)]
        if np.linalg.cond(mass) > 1e14:
            refuse_singular(model, mass_matrix(model, rows[0][0]))
    refuse_overflow(model, [a, tau], "hybrid dynamics")
    return HybridDynamics(a.reshape(*lead, model.nv), tau.reshape(*lead, model.nv))


def _hybrid_coupled(model: Model, arrays, mask, wrenches):
    """Hybrid dynamics through the mass matrix, for models with coupled joints."""
    q, v, tau, a = arrays
    lead = np.broadcast_shapes(*(x.shape[:-1] for x in arrays))
    mass, bias = mass_matrix(model, q), bias_force(model, q, v, wrenches=wrenches)
    tau, a = (np.broadcast_to(x, (*lead, model.nv)).copy() for x in (tau, a))
    free = ~mask
    known = (mass[..., :, mask] @ a[..., mask, None])[..., 0] + bias
    if free.any():
        a[..., free] = _solved(model, mass[..., free, :][..., free], tau[..., free] - known[..., free])
    tau[..., mask] = ((mass @ a[..., None])[..., 0] + bias)[..., mask]
    return HybridDynamics(a, tau)


def _of_rods(model: Model, q, v) -> np.ndarray:
    """(..., nv) forces of elasticity and damping of flexible bodies."""
    if (c := model.coupling) is None:
        return flexible.elastic(model, q, v)[0]
    return flexible.elastic(model.unfolded, c.expand_q(q), c.expand_v(v))[0] @ c.v_matrix


MASKS = 64  # how many sets of names are remembered for a model


def imposed_numbers(model: Model, imposed) -> np.ndarray | None:
    """(nv,) zeros and ones from a plain array of booleans, or from names of joints that were given before; None otherwise."""
    if type(imposed) is np.ndarray:
        return imposed.astype(np.int64) if imposed.dtype is BOOLEAN else None
    if type(imposed) is not list and type(imposed) is not tuple or type(model) is not Model:
        return None
    known, names = model._masks, tuple(imposed)
    try:
        return known[names]
    except (KeyError, TypeError):  # not yet there, or no names at all
        pass
    if all(type(name) is str and name in model._joints for name in names) and len(known) < MASKS:
        known[names] = imposed_mask(model, names).astype(np.int64)
    return None


def imposed_mask(model: Model, imposed) -> np.ndarray:
    """(nv,) booleans from joint names or booleans."""
    names: list[Any]
    try:
        names = [imposed] if isinstance(imposed, (str, Mapping)) else list(imposed)
    except TypeError:  # not several of anything
        names = [imposed]
    if all(isinstance(x, (bool, np.bool_)) for x in names) and names:
        if len(names) != model.nv:
            raise ValueError(f"imposed has {len(names)} booleans, expected nv = {model.nv}, or names of joints")
        return np.array(names, dtype=bool)
    if not all(isinstance(x, str) for x in names):
        raise ValueError(f"imposed must be names of joints, such as ['knee'], or (nv,) booleans, not {imposed!r:.60}")
    mask = np.zeros(model.nv, dtype=bool)
    for name in names:
        mask[model.joint(name).v] = True
    return mask


_PASSIVE = Entry(
    single_forces.passive_force_one, (INTS, MATRIX, MATRIX, VECTOR, VECTOR, VECTOR), [Result((NV,))], held=SPRUNG_TREE
)
_PASSIVE_BATCH = Entry(single_forces.passive_force_rows, (INTS, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX))


def passive_force(model: Model, q, v) -> np.ndarray:
    """(..., nv) force of the joints' own springs, dampers and dry friction: -k (q - rest) - d v - friction sign(v).

    The spring of a planar, spherical or free joint acts on the difference from its neutral place, and has the energy of
    `spring_energy`. Flexible bodies add their elasticity and damping: -K r - D r'.
    """
    if (result := _PASSIVE.call(model, q, v)) is not None:
        return result
    q, v = checked_state(model, q, v=v)
    if model.coupling or model.flexible:
        away = model.difference(model.neutral(), q) - model.rest
        force = model.pulled_back(away, -model.stiffness * away) - model.damping * v - model.friction * np.sign(v)
        if model.unfolded.flexible:
            force = force + _of_rods(model, q, v)
    else:
        lead, rows = broadcast([q, v])
        force = np.empty((len(rows[0]), model.nv))
        _PASSIVE.ready()
        _PASSIVE_BATCH.ready()(*(model._sprung_tree or ()), *rows, force)
        force = force.reshape(*lead, model.nv)
    refuse_overflow(model, [force], "passive force")
    return force
