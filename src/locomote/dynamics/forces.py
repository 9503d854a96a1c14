"""Inverse, forward and hybrid dynamics, and the forces that make them up."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from locomote.dynamics import flexible
from locomote.dynamics.dispatch import INT_VECTOR, refuse_overflow, refuse_singular
from locomote.dynamics.function import ModelFunction, columns
from locomote.dynamics.matrices import mass_matrix
from locomote.dynamics.wrenches import packed
from locomote.kernels import forward_dynamics as articulated
from locomote.kernels import inverse_dynamics as newton
from locomote.kernels import springs
from locomote.kernels.entries import NV, Output, Recursion
from locomote.model.model import Model, checked_model
from locomote.spatial.numbers import all_finite

BOOLEAN = np.dtype(bool)


class HybridDynamics(NamedTuple):
    """Accelerations and forces of all coordinates, each (..., nv)."""

    a: np.ndarray
    tau: np.ndarray


INVERSE = ModelFunction(
    __name__,
    Recursion(
        "inverse_dynamics", newton.inverse_dynamics, newton.Newton, ("q", "v", "a"), (Output("tau", (NV,)),), loaded=True
    ),
    "inverse dynamics",
    folded=columns,
    flexible=flexible.INVERSE,
    many="lanes",
    formula=r"\tau = M(q)\, a + b(q, v) - \sum_i J_i^T w_i",
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
            result = INVERSE.one.call(model, q, v, a)
        else:
            result = INVERSE.loaded.call(model, q, v, a, packed(model, wrenches))
        if result is not None:
            return result
    return INVERSE.checked(model, q, v, a, wrenches=wrenches, threads=threads)


def _by_mass(model: Model, arrays, wrenches, threads: int, fixed) -> list[np.ndarray]:
    """Forward dynamics through the mass matrix, for models with coupled joints."""
    q, v, tau = arrays
    force = tau - bias_force(model, q, v, wrenches=wrenches, threads=threads)
    return [_solved(model, mass_matrix(model, q, threads=threads), force)]


def _without_force(model: Model, arrays, loads, threads: int, fixed) -> list[np.ndarray]:
    """Forward dynamics of models with flexible bodies: nothing is imposed."""
    still = np.zeros(model.nv)
    return flexible.HYBRID(model, [*arrays, still], loads, threads, [np.zeros(model.nv, dtype=np.int64)])[:1]


def _refuse(model: Model, arrays, results, fixed) -> None:
    """Say whether accelerations are not finite since the mass matrix of free coordinates is singular."""
    a = results[0]
    if not all_finite(a):
        bad = ~np.isfinite(a).all(axis=-1)
        mass = mass_matrix(model, np.broadcast_to(arrays[0], (*a.shape[:-1], model.nq))[bad][0])
        free = fixed[0] == 0 if fixed else np.ones(model.nv, dtype=bool)
        if np.linalg.cond(mass[free][:, free]) > 1e14:
            refuse_singular(model, mass)
        refuse_overflow(model, [a], "hybrid dynamics" if fixed else "forward dynamics")
    refuse_overflow(model, results[1:], "hybrid dynamics")


FORWARD = ModelFunction(
    __name__,
    Recursion(
        "forward_dynamics", articulated.free_dynamics, articulated.Articulated, ("q", "v", "tau"), (Output("a", (NV,)),),
        loaded=True,
    ),
    "forward dynamics",
    coupled=_by_mass,
    flexible=_without_force,
    many="lanes",
    refuse=_refuse,
    formula=r"a = M(q)^{-1} \left( \tau + \sum_i J_i^T w_i - b(q, v) \right)",
)  # fmt: skip


def forward_dynamics(model: Model, q, v, tau, *, wrenches=None, threads: int = 1) -> np.ndarray:
    """Accelerations that joint forces cause, at cost O(n).

    q : (..., nq) ; v : (..., nv) ; tau : (..., nv), N or N m ; wrenches, threads : as for `inverse_dynamics`
    Returns a : (..., nv). Raises SingularMassMatrix where a joint moves no mass.
    """
    if type(threads) is int and threads == 1:
        if wrenches is None:
            result = FORWARD.one.call(model, q, v, tau)
        else:
            result = FORWARD.loaded.call(model, q, v, tau, packed(model, wrenches))
        if result is not None:
            return result
    return FORWARD.checked(model, q, v, tau, wrenches=wrenches, threads=threads)


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


def bias_force(model: Model, q, v, *, wrenches=None, threads: int = 1) -> np.ndarray:
    """(..., nv) joint forces that keep accelerations at zero: Coriolis, centrifugal, gravity, minus external.

    q : (..., nq) configuration ; v : (..., nv) velocity
    """
    still = np.zeros(checked_model(model).nv)
    return inverse_dynamics(model, q, v, still, wrenches=wrenches, threads=threads)


def gravity_force(model: Model, q, *, threads: int = 1) -> np.ndarray:
    """(..., nv) joint forces that hold the mechanism still; the gradient of the potential energy.

    q : (..., nq) configuration
    """
    still = np.zeros(checked_model(model).nv)
    return inverse_dynamics(model, q, still, still, threads=threads)


def _hybrid_coupled(model: Model, arrays, wrenches, threads: int, fixed) -> tuple[np.ndarray, np.ndarray]:
    """Hybrid dynamics through the mass matrix, for models with coupled joints."""
    q, v, tau, a = arrays
    lead = np.broadcast_shapes(*(x.shape[:-1] for x in arrays))
    mass, bias = mass_matrix(model, q), bias_force(model, q, v, wrenches=wrenches)
    tau, a = (np.broadcast_to(x, (*lead, model.nv)).copy() for x in (tau, a))
    mask = fixed[0] > 0
    free = ~mask
    known = (mass[..., :, mask] @ a[..., mask, None])[..., 0] + bias
    if free.any():
        a[..., free] = _solved(model, mass[..., free, :][..., free], tau[..., free] - known[..., free])
    tau[..., mask] = ((mass @ a[..., None])[..., 0] + bias)[..., mask]
    return a, tau


HYBRID = ModelFunction(
    __name__,
    Recursion(
        "hybrid_dynamics", articulated.hybrid_dynamics, articulated.Articulated, ("q", "v", "tau", "a"),
        (Output("all_a", (NV,)), Output("all_tau", (NV,))), fixed={"imposed": INT_VECTOR}, loaded=True,
    ),
    "hybrid dynamics",
    group=HybridDynamics,
    coupled=_hybrid_coupled,
    flexible=flexible.HYBRID,
    refuse=_refuse,
    options=("imposed",),
    arranged=lambda model, imposed: [imposed_mask(model, imposed).astype(np.int64)],
)  # fmt: skip


def hybrid_dynamics(model: Model, q, v, tau, a, imposed, *, wrenches=None) -> HybridDynamics:
    """Some joints imposed, others free, in one O(n) sweep.

    q : (..., nq) configuration ; v : (..., nv) velocity
    imposed : names of joints whose acceleration is given, or (nv,) booleans
    tau : (..., nv) forces, used where free ; a : (..., nv) accelerations, used where imposed
    Returns (a, tau), both complete: accelerations of free coordinates and forces of imposed ones are filled in.
    """
    which = imposed_numbers(model, imposed)
    if wrenches is None:
        result = HYBRID.one.call(model, which, q, v, tau, a)
    else:
        result = HYBRID.loaded.call(model, which, q, v, tau, a, packed(model, wrenches))
    if result is not None:
        return result
    mask = imposed_mask(checked_model(model), imposed)
    return HYBRID.checked(model, q, v, tau, a, wrenches=wrenches, fixed=[mask.astype(np.int64)])


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


def _sprung(model: Model, arrays, *_) -> list[np.ndarray]:
    """Passive forces where joints are coupled or bodies flexible."""
    q, v = arrays
    away = model.difference(model.neutral(), q) - model.rest
    force = model.pulled_back(away, -model.stiffness * away) - model.damping * v - model.friction * np.sign(v)
    if model.unfolded.flexible:
        c = model.coupling
        full = (q, v) if c is None else (c.expand_q(q), c.expand_v(v))
        own = flexible.ELASTIC(model.unfolded, full)[0]
        force = force + (own if c is None else own @ c.v_matrix)
    refuse_overflow(model, [force], "passive force")
    return [force]


PASSIVE = ModelFunction(
    __name__,
    Recursion(
        "passive_force", springs.passive_force, springs.Departure, ("q", "v"), (Output("tau", (NV,)),), held=("springs",)
    ),
    "passive force",
    coupled=_sprung,
    flexible=_sprung,
    many="rows",
)


def passive_force(model: Model, q, v) -> np.ndarray:
    """(..., nv) force of the joints' own springs, dampers and dry friction: -k (q - rest) - d v - friction sign(v).

    The spring of a planar, spherical or free joint acts on the difference from its neutral place, and has the energy of
    `spring_energy`. Flexible bodies add their elasticity and damping: -K r - D r'.
    """
    if (result := PASSIVE.one.call(model, q, v)) is not None:
        return result
    return PASSIVE.checked(model, q, v)
