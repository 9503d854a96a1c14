"""Momentum, centre of mass and energies of the whole mechanism."""

import numpy as np

from locomote.dynamics import flexible
from locomote.dynamics.dispatch import (
    INTS,
    MATRIX,
    NONE,
    NV,
    PLAIN_TREE,
    SPRUNG_TREE,
    VECTOR,
    Entry,
    Result,
    broadcast,
    checked_state,
    refuse_overflow,
    run_rows,
)
from locomote.dynamics.wrenches import gathered
from locomote.kernels import single, single_forces, single_motion
from locomote.model import columns as col
from locomote.model.model import Model, common_lead

_MATRIX = Entry(single.momentum_matrix_one, (INTS, MATRIX, VECTOR, MATRIX), [Result((6, NV), zeros=True)])
_MOMENTUM = Entry(single_motion.momentum_one, (INTS, MATRIX, VECTOR, VECTOR, VECTOR), [Result((6,))])
_RATE = Entry(single.momentum_rate_one, (INTS, MATRIX, VECTOR, VECTOR, VECTOR, NONE, VECTOR), [Result((6,))], held=PLAIN_TREE)
_RATE_LOADED = Entry(single.momentum_rate_one, (INTS, MATRIX, VECTOR, VECTOR, VECTOR, MATRIX, VECTOR))
_CENTER = Entry(single.center_of_mass_one, (INTS, MATRIX, VECTOR, VECTOR), [Result((3,))])
_KINETIC = Entry(single.kinetic_energy_one, (INTS, MATRIX, VECTOR, VECTOR, VECTOR), [Result(())])
_POTENTIAL = Entry(single.potential_energy_one, (INTS, MATRIX, VECTOR, VECTOR), [Result(())])
_SPRINGS = Entry(single_forces.spring_energy_one, (INTS, MATRIX, MATRIX, VECTOR, VECTOR), [Result(())], held=SPRUNG_TREE)
_SPRINGS_BATCH = Entry(single_forces.spring_energy_rows, (INTS, MATRIX, MATRIX, MATRIX, VECTOR))


def momentum_matrix(model: Model, q) -> np.ndarray:
    """(..., 6, nv) matrix A with momentum = A v: (linear, angular about the centre of mass), world axes.

    The centroidal map of other programs. Armature is not in it: its spin belongs to no body.
    """
    if (result := _MATRIX.call(model, q)) is not None:
        return result
    (q,) = checked_state(model, q)
    if not moves_mass(model):
        return np.zeros((*q.shape[:-1], 6, model.nv))
    if model.coupling:
        return momentum_matrix(model.unfolded, model.coupling.expand_q(q)) @ model.coupling.v_matrix
    if model.flexible:
        return momentum_about_center(model, flexible.mass_matrix(model, q)[1], q)
    return _rows(model, _MATRIX, [q], (6, model.nv), "momentum matrix")


def momentum(model: Model, q, v) -> np.ndarray:
    """(..., 6) linear momentum (kg m/s) and angular momentum about the centre of mass (kg m^2/s), world axes."""
    if (result := _MOMENTUM.call(model, q, v)) is not None:
        return result
    q, v = checked_state(model, q, v=v)
    if not moves_mass(model):
        return np.zeros((*common_lead([q, v]), 6))
    full = model.coupling.expand_v(v) if model.coupling else v
    if model.unfolded.flexible:
        return (momentum_matrix(model.unfolded, _full_q(model, q)) @ full[..., None])[..., 0]
    return _rows(model.unfolded, _MOMENTUM, [_full_q(model, q), full], (6,), "momentum")


def momentum_rate(model: Model, q, v, a) -> np.ndarray:
    """(..., 6) time derivative of `momentum`: the total external force and moment about the centre of mass."""
    if (result := _RATE.call(model, q, v, a)) is not None:
        return result
    arrays = checked_state(model, q, v=v, a=a)
    if not moves_mass(model):
        return np.zeros((*common_lead(arrays), 6))
    if model.coupling:
        c = model.coupling
        return momentum_rate(model.unfolded, c.expand_q(arrays[0]), c.expand_v(arrays[1]), c.expand_v(arrays[2]))
    if model.flexible:
        return flexible.momentum_rate(model, arrays, None)
    none = gathered(model, None)
    lead, rows = broadcast(arrays)
    rate = np.empty((len(rows[0]), 6))
    entry, f = (_RATE, None) if none is None else (_RATE_LOADED, np.zeros((len(rate), *none.shape)))
    run_rows(entry, (model._topology, model._constants), [*rows, f], [rate])
    refuse_overflow(model, [rate], "momentum rate")
    return rate.reshape(*lead, 6)


def center_of_mass(model: Model, q) -> np.ndarray:
    """(..., 3) centre of all moving mass in the world, m. Mass that is fixed to the world does not count."""
    if (result := _CENTER.call(model, q)) is not None:
        return result
    q = _full_q(model, q)
    if not moves_mass(model):
        raise ValueError(f"model {model.name!r} has no moving mass, so no centre of mass")
    if model.unfolded.flexible:
        return _of_energies(model, q, np.zeros(model.unfolded.nv), slice(2, 5), "centre of mass")
    return _rows(model.unfolded, _CENTER, [q], (3,), "centre of mass")


def kinetic_energy(model: Model, q, v) -> np.ndarray:
    """(...) kinetic energy of all bodies and armatures, J."""
    if (result := _KINETIC.call(model, q, v)) is not None:
        return result
    q, v = checked_state(model, q, v=v)
    full = model.coupling.expand_v(v) if model.coupling else v
    if model.unfolded.flexible:
        return _of_energies(model, _full_q(model, q), full, 0, "kinetic energy")
    return _rows(model.unfolded, _KINETIC, [_full_q(model, q), full], (1,), "kinetic energy")[..., 0]


def potential_energy(model: Model, q) -> np.ndarray:
    """(...) potential energy of all moving bodies in gravity, zero at the world origin, J."""
    if (result := _POTENTIAL.call(model, q)) is not None:
        return result
    q = _full_q(model, q)
    if model.unfolded.flexible:
        return _of_energies(model, q, np.zeros(model.unfolded.nv), 1, "potential energy")
    return _rows(model.unfolded, _POTENTIAL, [q], (1,), "potential energy")[..., 0]


def spring_energy(model: Model, q) -> np.ndarray:
    """(...) energy in the springs of the joints and in flexible bodies, J."""
    if (result := _SPRINGS.call(model, q)) is not None:
        return result
    (q,) = checked_state(model, q)
    if model.coupling or model.flexible:
        away = model.difference(model.neutral(), q) - model.rest
        energy = 0.5 * (model.stiffness * away**2).sum(axis=-1)
        if model.unfolded.flexible:
            full = _full_q(model, q)
            energy = energy + flexible.elastic(model.unfolded, full, np.zeros(model.unfolded.nv))[1][..., 0]
    else:
        lead, rows = broadcast([q])
        energy = np.empty(len(rows[0]))
        _SPRINGS.ready()
        _SPRINGS_BATCH.ready()(*(model._sprung_tree or ()), *rows, energy)
        energy = energy.reshape(lead)
    refuse_overflow(model, [energy], "spring energy")
    return energy


def momentum_about_center(model: Model, momentum: np.ndarray, q) -> np.ndarray:
    """Momentum (..., 6, nv) about the world origin, seen from the centre of mass."""
    center = flexible.energies(model, q, np.zeros(model.nv))[..., 2:]
    result = momentum.copy()
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):  # less centre x linear momentum
        result[..., 3 + i, :] -= center[..., j, None] * momentum[..., k, :] - center[..., k, None] * momentum[..., j, :]
    return result


def moves_mass(model: Model) -> bool:
    """Whether there is moving mass, and so a centre to take moments about; the momentum of a model without is zero."""
    if model.constants[:-1, col.MASS].sum() > 0:
        return True
    if model.constants.shape[1] > col.CONSTANTS_WIDTH:
        raise ValueError(f"model {model.name!r} has added inertia but no moving mass, so no centre of mass")
    return False


def _full_q(model: Model, q) -> np.ndarray:
    (q,) = checked_state(model, q)
    return model.coupling.expand_q(q) if model.coupling else q


def _of_energies(model: Model, q: np.ndarray, v: np.ndarray, part, what: str) -> np.ndarray:
    """What is asked of energies and centre of mass of a model with flexible bodies."""
    found = flexible.energies(model.unfolded, q, v)[..., part]
    refuse_overflow(model, [found], what)
    return found


def _rows(model: Model, entry: Entry, arrays, shape: tuple[int, ...], what: str) -> np.ndarray:
    """Run an entry over rows of checked inputs."""
    lead, rows = broadcast(arrays)
    out = np.zeros((len(rows[0]), *shape))
    run_rows(entry, (model._topology, model._constants), rows, [out])
    refuse_overflow(model, [out], what)
    return out.reshape(*lead, *shape)
