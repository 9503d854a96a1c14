"""Functions of models with flexible bodies, on checked inputs: through `kernels.flexible`.

`dynamics.forces`, `.kinematics`, `.matrices` and `.momentum` come here with what they have checked.
"""

from collections.abc import Sequence

import numpy as np
from numba import config

from locomote.compiler.lanes import WIDTH
from locomote.compiler.scratch_layout import declared, shape_of
from locomote.dynamics.differences import derivative
from locomote.dynamics.dispatch import broadcast, few, in_shares, refuse_overflow
from locomote.kernels.flexible import batch, single
from locomote.kernels.flexible.scratch import tree_sizes
from locomote.model.coordinates import Coordinates
from locomote.model.joints import AXES_OF_V, V_SIZE
from locomote.model.model import Model

STEP = 1e-3  # of differences of eighth order, in units of the scale of a coordinate


def over_rows(
    model: Model, arrays: Sequence[np.ndarray], shapes: Sequence[tuple[int, ...]], call, what: str, looked=True
) -> list[np.ndarray]:
    """Results (..., *shape) of `call(*inputs, *results)` for all states of checked inputs (..., n), as rows.

    what : they are, for the error if they are not finite; empty where the caller looks itself
    looked : refuse shapes that no rod can have
    """
    lead, rows = broadcast(arrays)
    if looked:
        refuse_torn(model, rows[0])
    results = [np.zeros((len(rows[0]), *shape)) for shape in shapes]
    call(*rows, *results)
    if what:
        refuse_overflow(model, results, what)
    return [out.reshape(*lead, *out.shape[1:]) for out in results]


def refuse_torn(model: Model, q: np.ndarray) -> None:
    """Raise if a rod is turned or pressed, in some of many configurations (N, nq), beyond what it can be."""
    limits = model.flexible.limits if model.flexible else None
    if limits is not None and (said := limits.why_not(q)):
        raise ValueError(f"model {model.name!r}: {said}")


def _loads(model: Model, loads: np.ndarray | None) -> np.ndarray:
    """External wrenches (..., rows, 6) as (..., 6 rows), zero where there are none."""
    count = len(model.topology)
    if loads is None:
        return np.zeros(6 * count)
    padded = np.zeros((*loads.shape[:-2], count, 6))
    padded[..., : loads.shape[-2], :] = loads
    return padded.reshape(*loads.shape[:-2], 6 * count)


def run(one, many, model: Model, arrays, threads: int) -> None:
    """A kernel for rows one by one, or that for lanes if there are enough of them."""
    count = len(arrays[0])
    if few(count):
        one(model._soft, model._strain, *arrays)
        return
    flat = [x.reshape(count, -1) if x.ndim > 2 else x for x in arrays]
    in_shares(lambda start, stop: many(model._soft, model._strain, *flat, start, stop), count, WIDTH, threads)


def inverse_dynamics(model: Model, arrays, loads, threads: int = 1) -> np.ndarray:
    """tau (..., nv)."""

    def call(q, v, a, f, tau):
        run(single.inverse_dynamics_rows, batch.inverse_dynamics_batch, model, (q, v, a, f, tau), threads)

    (tau,) = over_rows(model, [*arrays, _loads(model, loads)], [(model.nv,)], call, "inverse dynamics")
    return tau


def hybrid_dynamics(model: Model, q, v, tau, a, mask: np.ndarray, loads, threads: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """(a, tau), complete."""
    imposed = mask.astype(np.int64)

    def call(q, v, given_tau, given_a, f, a, tau):
        a[:], tau[:] = np.where(mask, given_a, 0.0), given_tau
        run(single.hybrid_dynamics_rows, batch.hybrid_dynamics_batch, model, (q, v, imposed, f, tau, a), threads)

    found = over_rows(model, [q, v, tau, a, _loads(model, loads)], [(model.nv,)] * 2, call, "")
    return found[0], found[1]


def mass_matrix(model: Model, q, threads: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """(..., nv, nv), and momentum about the world origin (..., 6, nv)."""

    def call(q, M, momentum):
        run(single.mass_matrix_rows, batch.mass_matrix_batch, model, (q, M, momentum), threads)

    M, momentum = over_rows(model, [q], [(model.nv, model.nv), (6, model.nv)], call, "mass matrix")
    return M, momentum


def forward_kinematics(model: Model, q) -> np.ndarray:
    """(..., bodies, 4, 4)."""

    def call(q, poses, turn):
        single.forward_kinematics_rows(model._soft, model._strain, *model.frames, q, poses, turn)

    poses, _ = over_rows(model, [q], [(len(model.body_names), 4, 4), (1,)], call, "forward kinematics")
    return poses


def jacobian(model: Model, q, place) -> np.ndarray:
    """(..., 6, nv)."""

    def call(q, J):
        single.jacobian_rows(model._soft, model._strain, *place, q, J)

    (J,) = over_rows(model, [q], [(6, model.nv)], call, "Jacobian")
    return J


def jacobian_rate(model: Model, q, v, place) -> np.ndarray:
    """(..., 6, nv), exact; without a compiler by differences of eighth order along v."""

    def call(q, v, J):
        if config.DISABLE_JIT:  # type: ignore[attr-defined]
            for one, rate, out in zip(q, v, J, strict=True):
                speed = max(1.0, float(abs(rate).max(initial=0.0)))
                along = rate / speed
                out[:] = speed * derivative(lambda s, q=one, u=along: jacobian(model, model.integrate(q, s * u), place), 4e-3)
            return
        kernels, room = with_slopes(model)
        for one, rate, out in zip(q, v, J, strict=True):
            kernels.jacobian_slopes(model._soft, model._strain, room, *place, one, rate, out)

    (J,) = over_rows(model, [q, v], [(6, model.nv)], call, "rate of the Jacobian")
    return J


def with_slopes(model: Model):
    """The kernels on dual numbers, and scratch for them."""
    import locomote.compiler.duals.functions  # noqa: F401
    from locomote.compiler.duals.arrays import DualRecord, Duals
    from locomote.kernels.flexible import slopes

    sizes = tree_sizes(model._soft)
    shapes = {field.name: shape_of(field, sizes) for field in declared(slopes.Room)}
    own = slopes.Room(**{name: np.zeros(shape) for name, shape in shapes.items()})
    return slopes, DualRecord(own, {name: Duals(shape) for name, shape in shapes.items()})


def motion(model: Model, q, v, a, kind: int, frames=None) -> list[np.ndarray]:
    """Poses, twists and accelerations of all named bodies, or of given frames."""
    carrier, placement = model.frames if frames is None else frames

    def call(q, v, a, poses, twists, rates):
        single.motion_rows(model._soft, model._strain, carrier, placement, kind, q, v, a, poses, twists, rates)

    found = over_rows(model, [q, v, a], [(len(carrier), 4, 4), (len(carrier), 6), (len(carrier), 6)], call, "motion")
    return found


def energies(model: Model, q, v) -> np.ndarray:
    """(..., 5) kinetic and potential energy, and the centre of mass, which is not finite where there is no mass."""

    def call(q, v, energy):
        run(single.energies_rows, batch.energies_batch, model, (q, v, energy), 1)

    return over_rows(model, [q, v], [(5,)], call, "", looked=False)[0]


def momentum_rate(model: Model, arrays, loads) -> np.ndarray:
    """(..., 6)."""

    def call(q, v, a, f, rate):
        single.momentum_rate_rows(model._soft, model._strain, q, v, a, f, rate)

    return over_rows(model, [*arrays, _loads(model, loads)], [(6,)], call, "momentum rate")[0]


def elastic(model: Model, q, v) -> tuple[np.ndarray, np.ndarray]:
    """Forces of elasticity and damping (..., nv), and (..., 2) energy and power."""

    def call(q, v, force, energy):
        single.elastic_rows(model._soft, q, v, force, energy)

    found = over_rows(model, [q, v], [(model.nv,), (2,)], call, "elasticity", looked=False)
    return found[0], found[1]


def inverse_derivatives(model: Model, arrays, loads) -> list[np.ndarray]:
    """Derivatives of inverse dynamics by q (along moves of the configuration) and v, (..., nv, nv) each, exact; without a
    compiler by differences of eighth order."""

    def call(q, v, a, f, dq, dv):
        kernels, room = (None, None) if config.DISABLE_JIT else with_slopes(model)  # type: ignore[attr-defined]
        for n in range(len(q)):
            load = f[n].reshape(-1, 6)
            if kernels is None:
                own = lambda *state, load=load: inverse_dynamics(model, state, load)  # noqa: E731
                dq[n], dv[n] = by_differences(own, model, q[n], v[n], a[n])
            else:
                kernels.inverse_dynamics_slopes(model._soft, model._strain, room, q[n], v[n], a[n], load, dq[n], dv[n])

    return over_rows(model, [*arrays, _loads(model, loads)], [(model.nv, model.nv)] * 2, call, "derivative of inverse dynamics")


def coriolis_matrix(model: Model, q, v) -> np.ndarray:
    """(..., nv, nv) that of the connection which keeps M and has no torsion: C(v) w = B(v, w) + M [v, w] / 2.

    B is the symmetric form whose B(v, v) is the force, so that d/dv of the force is 2 B(v, .); [v, w] is the commutator of
    velocities, zero but for those of a pose.
    """
    _, slope = inverse_derivatives(model, [q, v, np.zeros(model.nv)], None)
    C = 0.5 * (slope + mass_matrix(model, q)[0] @ commutators(model.coordinates, v))
    refuse_overflow(model, [C], "Coriolis matrix")
    return C


def commutators(coordinates: Coordinates, v: np.ndarray) -> np.ndarray:
    """(..., nv, nv) matrix of w -> [v, w], of numbers of any kind."""
    result = np.zeros((*v.shape, coordinates.nv), v.dtype)
    for kind, _, first in coordinates.groups:
        axes, own = list(AXES_OF_V[kind]), slice(first, first + V_SIZE[kind])
        twist, both = np.zeros((*v.shape[:-1], 6), v.dtype), np.zeros((*v.shape[:-1], 6, 6), v.dtype)
        twist[..., axes] = v[..., own]
        across = np.cross(twist.reshape(*v.shape[:-1], 2, 1, 3), np.eye(3)).swapaxes(-1, -2)  # u x and w x, as matrices
        both[..., :3, :3] = both[..., 3:, 3:] = across[..., 1, :, :]
        both[..., :3, 3:] = across[..., 0, :, :]
        result[..., own, own] = both[..., axes, :][..., axes]
    return result


def by_differences(function, model: Model, q, v, x) -> tuple[np.ndarray, np.ndarray]:
    """d/dq and d/dv of function(q, v, x), along moves of the configuration, by differences of eighth order, (nv, nv) each."""
    scale = np.ones(model.nv)
    for name, rod in model.flexible.rods.items() if model.flexible else ():
        scale[model.joint(name).v] = rod.scale
    along_q, along_v = np.zeros((2, model.nv, model.nv))
    for k in range(model.nv):
        e = np.zeros(model.nv)
        e[k] = scale[k]
        along_q[:, k] = derivative(lambda s, e=e: function(model.integrate(q, s * e), v, x), 5 * STEP) / scale[k]
        along_v[:, k] = derivative(lambda s, e=e: function(q, v + s * e, x), 5 * STEP) / scale[k]
    return along_q, along_v
