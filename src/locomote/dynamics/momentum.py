"""Momentum, center of mass and energies of the whole mechanism."""

import numpy as np

from locomote.dynamics import flexible
from locomote.dynamics.dispatch import refuse_overflow
from locomote.dynamics.function import ModelFunction, columns
from locomote.kernels import momentum as sums
from locomote.kernels import springs
from locomote.kernels.entries import NV, Output, Recursion
from locomote.kernels.inverse_dynamics import Newton
from locomote.kernels.kinematics import Places
from locomote.kernels.mass_matrix import Composite
from locomote.model import columns as col
from locomote.model.model import Model, common_lead

ENERGY = Output("energy", ())


def _at_rest(shape: str):
    """What there is without moving mass: zeros, (6,) or with a column for each velocity."""

    def found(model: Model, arrays) -> np.ndarray | None:
        own = (6, model.nv) if shape == "matrix" else (6,)
        return None if moves_mass(model) else np.zeros((*common_lead(arrays), *own))

    return found


def _matrix(model: Model, arrays, *_) -> list[np.ndarray]:
    return [momentum_about_center(model, flexible.MASS(model, arrays)[1], arrays[0])]


def _product(model: Model, arrays, *_) -> list[np.ndarray]:
    q, v = arrays
    return [(momentum_matrix(model, q) @ v[..., None])[..., 0]]


def _refuse_massless(model: Model, arrays) -> None:
    if not moves_mass(model):
        raise ValueError(f"model {model.name!r} has no moving mass, so no center of mass")


def _of_energies(part):
    """What is asked of energies and center of mass of a model with flexible bodies."""

    def found(model: Model, arrays, *_) -> list[np.ndarray]:
        q, v = arrays if len(arrays) == 2 else (arrays[0], np.zeros(model.nv))
        return [flexible.ENERGIES(model, [q, v])[0][..., part]]

    return found


MATRIX = ModelFunction(
    __name__,
    Recursion("momentum_matrix", sums.momentum_matrix, Composite, ("q",), (Output("A", (6, NV), zeros=True),)),
    "momentum matrix",
    folded=columns,
    flexible=_matrix,
    instead=_at_rest("matrix"),
    formula=r"h = A(q)\, v",
)
MOMENTUM = ModelFunction(
    __name__,
    Recursion("momentum", sums.momentum_at, (Composite, sums.Map), ("q", "v"), (Output("momentum", (6,)),)),
    "momentum",
    flexible=_product,
    instead=_at_rest("vector"),
    formula=r"h = A(q)\, v",
)
RATE = ModelFunction(
    __name__,
    Recursion(
        "momentum_rate", sums.momentum_rate, (Newton, Places, sums.Taken), ("q", "v", "a"), (Output("rate", (6,)),), loaded=True
    ),
    "momentum rate",
    flexible=flexible.MOMENTUM_RATE,
    instead=_at_rest("vector"),
    formula=r"\dot h = A(q)\, a + \dot A(q, v)\, v",
)
CENTER = ModelFunction(
    __name__,
    Recursion("center_of_mass", sums.center_at, Places, ("q",), (Output("center", (3,)),)),
    "center of mass",
    flexible=_of_energies(slice(2, 5)),
    instead=_refuse_massless,
    formula=r"c(q) = \frac{1}{m} \sum_i m_i\, c_i(q)",
)
KINETIC = ModelFunction(
    __name__,
    Recursion("kinetic_energy", sums.kinetic_energy, Places, ("q", "v"), (ENERGY,)),
    "kinetic energy",
    flexible=_of_energies(0),
    formula=r"E_\mathrm{kin} = \frac{1}{2}\, v^T M(q)\, v",
)
POTENTIAL = ModelFunction(
    __name__,
    Recursion("potential_energy", sums.potential_energy_at, Places, ("q",), (ENERGY,)),
    "potential energy",
    flexible=_of_energies(1),
    formula=r"E_\mathrm{pot} = -\sum_i m_i\, g^T c_i(q)",
)


def momentum_matrix(model: Model, q) -> np.ndarray:
    """(..., 6, nv) matrix A with momentum = A v: (linear, angular about the center of mass), world axes.

    q : (..., nq) configuration
    The centroidal map of other programs. Armature is not in it: its spin belongs to no body.
    """
    if (result := MATRIX.one.call(model, q)) is not None:
        return result
    return MATRIX.checked(model, q)


def momentum(model: Model, q, v) -> np.ndarray:
    """(..., 6) linear momentum (kg m/s) and angular momentum about the center of mass (kg m^2/s), world axes.

    q : (..., nq) configuration ; v : (..., nv) velocity
    """
    if (result := MOMENTUM.one.call(model, q, v)) is not None:
        return result
    return MOMENTUM.checked(model, q, v)


def momentum_rate(model: Model, q, v, a) -> np.ndarray:
    """(..., 6) time derivative of `momentum`: the total external force and moment about the center of mass.

    q : (..., nq) configuration ; v : (..., nv) velocity ; a : (..., nv) acceleration
    """
    if (result := RATE.one.call(model, q, v, a)) is not None:
        return result
    return RATE.checked(model, q, v, a)


def center_of_mass(model: Model, q) -> np.ndarray:
    """(..., 3) center of all moving mass in the world, m. Mass that is fixed to the world does not count.

    q : (..., nq) configuration
    """
    if (result := CENTER.one.call(model, q)) is not None:
        return result
    return CENTER.checked(model, q)


def kinetic_energy(model: Model, q, v) -> np.ndarray:
    """(...) kinetic energy of all bodies and armatures, J.

    q : (..., nq) configuration ; v : (..., nv) velocity
    """
    if (result := KINETIC.one.call(model, q, v)) is not None:
        return result
    return KINETIC.checked(model, q, v)


def potential_energy(model: Model, q) -> np.ndarray:
    """(...) potential energy of all moving bodies in gravity, zero at the world origin, J.

    q : (..., nq) configuration
    """
    if (result := POTENTIAL.one.call(model, q)) is not None:
        return result
    return POTENTIAL.checked(model, q)


def _in_springs(model: Model, arrays, *_) -> list[np.ndarray]:
    """Energy of springs where joints are coupled or bodies flexible."""
    (q,) = arrays
    away = model.difference(model.neutral(), q) - model.rest
    energy = 0.5 * (model.stiffness * away**2).sum(axis=-1)
    if model.unfolded.flexible:
        full = model.coupling.expand_q(q) if model.coupling else q
        energy = energy + flexible.ELASTIC(model.unfolded, [full, np.zeros(model.unfolded.nv)])[1][..., 0]
    refuse_overflow(model, [energy], "spring energy")
    return [energy]


SPRINGS = ModelFunction(
    __name__,
    Recursion("spring_energy", springs.spring_energy, springs.Departure, ("q",), (ENERGY,), held=("springs",)),
    "spring energy",
    coupled=_in_springs,
    flexible=_in_springs,
    many="rows",
    formula=r"E_\mathrm{el} = \frac{1}{2} \sum_k k_k (q_k - r_k)^2",
)


def spring_energy(model: Model, q) -> np.ndarray:
    """(...) energy in the springs of the joints and in flexible bodies, J.

    q : (..., nq) configuration
    """
    if (result := SPRINGS.one.call(model, q)) is not None:
        return result
    return SPRINGS.checked(model, q)


def momentum_about_center(model: Model, momentum: np.ndarray, q) -> np.ndarray:
    """Momentum (..., 6, nv) about the world origin, seen from the center of mass."""
    center = flexible.ENERGIES(model, [q, np.zeros(model.nv)])[0][..., 2:]
    result = momentum.copy()
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):  # less center x linear momentum
        result[..., 3 + i, :] -= center[..., j, None] * momentum[..., k, :] - center[..., k, None] * momentum[..., j, :]
    return result


def moves_mass(model: Model) -> bool:
    """Whether there is moving mass, and so a center to take moments about; the momentum of a model without is zero."""
    if model.constants[:-1, col.MASS].sum() > 0:
        return True
    if model.constants.shape[1] > col.CONSTANTS_WIDTH:
        raise ValueError(f"model {model.name!r} has added inertia but no moving mass, so no center of mass")
    return False
