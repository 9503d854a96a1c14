"""The functions of a model on numbers of any kind: the same names, inputs and results as the public ones, without batches.

Each function takes a Mechanism and arrays of objects, and returns its results as arrays of objects. Coupled coordinates are
expanded before and forces gathered after, as the public functions do.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from locomote.compiler.scalars import select
from locomote.dynamics.forces import imposed_mask
from locomote.dynamics.kinematics import _frame
from locomote.errors import UnknownName
from locomote.linear.symbols import solved
from locomote.model import columns as col
from locomote.model.model import Model
from locomote.symbolic.coordinates import departure, pulled_back
from locomote.symbolic.flexible import FlexibleKernels
from locomote.symbolic.plain import boxed, objects, run, zeros


class Passive(NamedTuple):
    """Springs and dampers of the joints, (nv,) each, of numbers of any kind."""

    stiffness: np.ndarray
    rest: np.ndarray
    damping: np.ndarray

    @classmethod
    def of(cls, model: Model) -> "Passive":
        """Those of a model."""
        return cls(*(boxed(values.tolist()) for values in (model.stiffness, model.rest, model.damping)))


@dataclass(frozen=True)
class Mechanism:
    """A model whose constants may be symbols."""

    model: Model
    constants: np.ndarray  # as those of the model, of numbers of any kind
    passive: Passive

    @cached_property
    def soft(self) -> FlexibleKernels | None:
        """Entries of a model with flexible bodies; None if it is rigid."""
        return FlexibleKernels(self.model.unfolded, self.constants) if self.model.unfolded.flexible else None

    def run(self, name: str, *arguments) -> None:
        """Run the entry of a function of the uncoupled model: it fills its last arguments."""
        if self.soft:
            getattr(self.soft, name)(*arguments)
        else:
            run(f"{name}_one", self.model.topology, self.constants, *arguments)

    @property
    def nv(self) -> int:
        """Number of velocities of the uncoupled model."""
        return self.model.unfolded.nv

    def full_q(self, q: np.ndarray) -> np.ndarray:
        """Coordinates of the uncoupled model."""
        c = self.model.coupling
        return q if c is None else times(c.q_matrix, q) + c.offset

    def full_v(self, v: np.ndarray) -> np.ndarray:
        """Velocities, or accelerations, of the uncoupled model."""
        c = self.model.coupling
        return v if c is None else times(c.v_matrix, v)

    def own_force(self, tau: np.ndarray) -> np.ndarray:
        """Forces on the own coordinates."""
        c = self.model.coupling
        return tau if c is None else times(c.v_matrix.T, tau)

    def own_columns(self, matrix: np.ndarray) -> np.ndarray:
        """A matrix (..., nv) on the own velocities."""
        c = self.model.coupling
        return matrix if c is None else times(c.v_matrix.T, matrix.T).T

    def own_square(self, matrix: np.ndarray) -> np.ndarray:
        """A matrix (nv, nv) on the own velocities."""
        return self.own_columns(self.own_columns(matrix).T).T

    def loads(self, wrenches: np.ndarray | None) -> np.ndarray | None:
        """Wrenches on named bodies as kernels take them; None if there are none and none are needed."""
        model = self.model
        count = len(model.topology) - 1
        if wrenches is None:
            return None if self.constants.shape[1] == col.CONSTANTS_WIDTH else zeros((count, 6))
        result = zeros((count + 1, 6))
        for k, wrench in enumerate(wrenches):
            turn, o = model.placement[k, :3, :3], model.placement[k, :3, 3]
            force = times(turn, wrench[:3])
            moment = times(turn, wrench[3:])
            swing = (o[1] * force[2] - o[2] * force[1], o[2] * force[0] - o[0] * force[2], o[0] * force[1] - o[1] * force[0])
            result[model.carrier[k], :3] += force
            result[model.carrier[k], 3:] += moment + boxed(swing)
        return result[:count]


def times(matrix: np.ndarray, x: np.ndarray) -> np.ndarray:
    """matrix x, terms of zeros left out; x a vector or a matrix."""
    result = zeros((len(matrix), *x.shape[1:]))
    for i, row in enumerate(matrix):
        for j in np.flatnonzero(row):
            result[i] = result[i] + x[j] * float(row[j])
    return result


def inverse_dynamics(m: Mechanism, q, v, a, wrenches=None):
    tau = objects(m.nv)
    m.run("inverse_dynamics", m.full_q(q), m.full_v(v), m.full_v(a), m.loads(wrenches), tau)
    return (m.own_force(tau),)


def forward_dynamics(m: Mechanism, q, v, tau, wrenches=None):
    if m.model.coupling:
        return forward_dynamics_by_mass(m, q, v, tau, wrenches)
    a = objects(m.nv)
    m.run("forward_dynamics", q, v, tau, m.loads(wrenches), a)
    return (a,)


def forward_dynamics_by_mass(m: Mechanism, q, v, tau, wrenches=None):
    (bias,), (M,) = bias_force(m, q, v, wrenches), mass_matrix(m, q)
    return (solved(M, tau - bias),)


def hybrid_dynamics(m: Mechanism, q, v, tau, a, wrenches=None, *, imposed):
    held, tau, a = imposed_mask(m.model, imposed), tau.copy(), a.copy()
    if m.model.coupling:
        (bias,), (M,), free = bias_force(m, q, v, wrenches), mass_matrix(m, q), ~held
        known = bias + M[:, held] @ a[held]
        a[free] = solved(M[free][:, free], (tau - known)[free])
        tau[held] = (M @ a + bias)[held]
    else:
        m.run("hybrid_dynamics", q, v, held.astype(int), m.loads(wrenches), tau, a)
    return a, tau


def bias_force(m: Mechanism, q, v, wrenches=None):
    return inverse_dynamics(m, q, v, zeros(m.model.nv), wrenches)


def gravity_force(m: Mechanism, q):
    return bias_force(m, q, zeros(m.model.nv))


def mass_matrix(m: Mechanism, q):
    M = zeros((m.nv, m.nv))
    m.run("mass_matrix", m.full_q(q), M)
    return (m.own_square(M),)


def coriolis_matrix(m: Mechanism, q, v):
    C = zeros((m.nv, m.nv))
    m.run("coriolis_matrix", m.full_q(q), m.full_v(v), C)
    return (m.own_square(C),)


def inverse_dynamics_derivatives(m: Mechanism, q, v, a, wrenches=None):
    out = [zeros((m.nv, m.nv)) for _ in range(3)]
    full = (m.full_q(q), m.full_v(v), m.full_v(a))
    m.run("inverse_dynamics_derivatives", *full, m.loads(wrenches), *out)
    return tuple(m.own_square(part) for part in out)


def forward_dynamics_derivatives(m: Mechanism, q, v, tau, wrenches=None):
    if m.model.coupling or m.soft:
        (a,) = forward_dynamics(m, q, v, tau, wrenches)
        dq, dv, M = inverse_dynamics_derivatives(m, q, v, a, wrenches)
        one = np.eye(m.model.nv).astype(object)
        return -solved(M, dq), -solved(M, dv), solved(M, one)
    out = [zeros((m.nv, m.nv)) for _ in range(3)]
    m.run("forward_dynamics_derivatives", q, v, tau, m.loads(wrenches), *out)
    return tuple(out)


def forward_kinematics(m: Mechanism, q):
    poses = objects((len(m.model.body_names), 4, 4))
    m.run("forward_kinematics", *m.model.frames, m.full_q(q), poses)
    return (poses,)


def jacobian(m: Mechanism, q, *, body, point=(0.0, 0.0, 0.0), frame="local"):
    J = zeros((6, m.nv))
    m.run("jacobian", *_frame(m.model, body, point, frame), m.full_q(q), J)
    return (m.own_columns(J),)


def jacobian_rate(m: Mechanism, q, v, *, body, point=(0.0, 0.0, 0.0), frame="local"):
    J = zeros((6, m.nv))
    m.run("jacobian_rate", *_frame(m.model, body, point, frame), m.full_q(q), m.full_v(v), J)
    return (m.own_columns(J),)


def velocity(m: Mechanism, q, v, **place):
    (J,) = jacobian(m, q, **place)
    return (J @ v,)


def acceleration(m: Mechanism, q, v, a, **place):
    (J,), (rate,) = jacobian(m, q, **place), jacobian_rate(m, q, v, **place)
    return (J @ a + rate @ v,)


def momentum_matrix(m: Mechanism, q):
    A = zeros((6, m.nv))
    m.run("momentum_matrix", m.full_q(q), A)
    return (m.own_columns(A),)


def momentum(m: Mechanism, q, v):
    return (momentum_matrix(m, q)[0] @ v,)


def momentum_rate(m: Mechanism, q, v, a):
    rate = objects(6)
    m.run("momentum_rate", m.full_q(q), m.full_v(v), m.full_v(a), m.loads(None), rate)
    return (rate,)


def center_of_mass(m: Mechanism, q):
    center = objects(3)
    m.run("center_of_mass", m.full_q(q), center)
    return (center,)


def kinetic_energy(m: Mechanism, q, v):
    energy = objects(1)
    m.run("kinetic_energy", m.full_q(q), m.full_v(v), energy)
    return (energy,)


def potential_energy(m: Mechanism, q):
    energy = objects(1)
    m.run("potential_energy", m.full_q(q), energy)
    return (energy,)


def passive_force(m: Mechanism, q, v):
    stiffness, rest, damping = m.passive
    away = departure(m.model, q) - rest
    force = pulled_back(m.model, away, -stiffness * away) - damping * v
    for k in np.flatnonzero(m.model.friction):
        force[k] = force[k] - float(m.model.friction[k]) * sign(v[k])
    if m.soft:
        force = force + m.own_force(m.soft.elastic(m.full_q(q), m.full_v(v))[0])
    return (force,)


def sign(x):
    """-1, 0 or 1."""
    return select(x > 0.0, 1.0, select(x < 0.0, -1.0, 0.0))


def spring_energy(m: Mechanism, q):
    away = departure(m.model, q) - m.passive.rest
    energy = 0.5 * sum(m.passive.stiffness * away * away)
    if m.soft:
        energy = energy + m.soft.elastic(m.full_q(q), zeros(m.nv))[1]
    return (boxed([energy]),)


class Function(NamedTuple):
    """What a function takes and gives, by the names that the public one has."""

    of: Callable
    inputs: tuple[str, ...]
    results: tuple[str, ...]
    loaded: bool = False  # whether it takes wrenches too
    options: tuple[str, ...] = ()  # names of further arguments that are no numbers, the first of which must be given
    other: Callable | None = None  # another way to the same, for models where it is shorter


PLACE = ("body", "point", "frame")
FUNCTIONS = {
    "inverse_dynamics": Function(inverse_dynamics, ("q", "v", "a"), ("tau",), loaded=True),
    "forward_dynamics": Function(forward_dynamics, ("q", "v", "tau"), ("a",), loaded=True, other=forward_dynamics_by_mass),
    "hybrid_dynamics": Function(
        hybrid_dynamics, ("q", "v", "tau", "a"), ("all_a", "all_tau"), loaded=True, options=("imposed",)
    ),
    "bias_force": Function(bias_force, ("q", "v"), ("tau",), loaded=True),
    "gravity_force": Function(gravity_force, ("q",), ("tau",)),
    "mass_matrix": Function(mass_matrix, ("q",), ("M",)),
    "coriolis_matrix": Function(coriolis_matrix, ("q", "v"), ("C",)),
    "inverse_dynamics_derivatives": Function(
        inverse_dynamics_derivatives, ("q", "v", "a"), ("dtau_dq", "dtau_dv", "dtau_da"), loaded=True
    ),
    "forward_dynamics_derivatives": Function(
        forward_dynamics_derivatives, ("q", "v", "tau"), ("da_dq", "da_dv", "da_dtau"), loaded=True
    ),
    "forward_kinematics": Function(forward_kinematics, ("q",), ("poses",)),
    "jacobian": Function(jacobian, ("q",), ("J",), options=PLACE),
    "jacobian_rate": Function(jacobian_rate, ("q", "v"), ("J_rate",), options=PLACE),
    "velocity": Function(velocity, ("q", "v"), ("twist",), options=PLACE),
    "acceleration": Function(acceleration, ("q", "v", "a"), ("rate",), options=PLACE),
    "momentum_matrix": Function(momentum_matrix, ("q",), ("A",)),
    "momentum": Function(momentum, ("q", "v"), ("momentum",)),
    "momentum_rate": Function(momentum_rate, ("q", "v", "a"), ("rate",)),
    "center_of_mass": Function(center_of_mass, ("q",), ("center",)),
    "kinetic_energy": Function(kinetic_energy, ("q", "v"), ("energy",)),
    "potential_energy": Function(potential_energy, ("q",), ("energy",)),
    "passive_force": Function(passive_force, ("q", "v"), ("tau",)),
    "spring_energy": Function(spring_energy, ("q",), ("energy",)),
}


def function_named(name: str) -> Function:
    """A function of the table, or the error that suggests one."""
    if not isinstance(name, str) or name not in FUNCTIONS:
        raise UnknownName("function", name, FUNCTIONS, "the library")
    return FUNCTIONS[name]


def input_shape(model: Model, name: str) -> tuple[int, ...]:
    """Shape of an input by its name."""
    return {"q": (model.nq,), "wrenches": (len(model.body_names), 6)}.get(name, (model.nv,))


def outputs(
    model: Model, name: str, inputs: dict[str, np.ndarray], constants=None, passive: Passive | None = None, other=False, **place
) -> tuple[np.ndarray, ...]:
    """Results of a function on arrays of objects, one for each name of its inputs (and wrenches, if given).

    other : go the function's other way
    """
    function = function_named(name)
    constants = model.unfolded.constants if constants is None else constants
    mechanism = Mechanism(model, constants, Passive.of(model) if passive is None else passive)
    return (function.other if other and function.other else function.of)(mechanism, **inputs, **place)
