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
from locomote.dynamics.function import all_functions, columns, same, shape_at, square
from locomote.errors import UnknownName
from locomote.linear.symbols import solved
from locomote.model import columns as col
from locomote.model.model import Model
from locomote.symbolic.coordinates import departure, pulled_back
from locomote.symbolic.flexible import FlexibleKernels
from locomote.symbolic.plain import boxed, objects, run, zeros

declarations = all_functions()


class Passive(NamedTuple):
    """Springs and dampers of the joints, (nv,) each, of numbers of any kind."""

    stiffness: np.ndarray
    rest: np.ndarray
    damping: np.ndarray

    @classmethod
    def of(cls, model: Model) -> "Passive":
        """Those of a model."""
        return cls(*(boxed(values.tolist()) for values in (model.stiffness, model.rest, model.damping)))


class Numbers(NamedTuple):
    """Constants of a model, of numbers of any kind: packed ones, those of springs, inertias of named bodies."""

    constants: np.ndarray
    passive: Passive
    inertias: np.ndarray

    @classmethod
    def of(cls, model: Model) -> "Numbers":
        """Those of a model, as Python's numbers, which are quicker than those of NumPy."""
        return cls(model.unfolded.constants.astype(object), Passive.of(model), model.named[1].astype(object))


@dataclass(frozen=True)
class Mechanism:
    """A model whose constants may be symbols."""

    model: Model
    constants: np.ndarray  # as those of the model, of numbers of any kind
    passive: Passive
    inertias: np.ndarray  # of named bodies, the same way

    @cached_property
    def soft(self) -> FlexibleKernels | None:
        """Entries of a model with flexible bodies; None if it is rigid."""
        return FlexibleKernels(self.model.unfolded, self.constants, self.held) if self.model.unfolded.flexible else None

    def run(self, name: str, *arguments) -> None:
        """Run the entry of a function of the uncoupled model: it fills its last arguments."""
        function = declarations[name]
        if self.soft:
            self.soft.run(function, *arguments)
            return
        held = [self.held[name] for name in function.recursion.held]
        run(function.one.need[0], self.model.topology, self.constants, *held, *arguments)

    @property
    def held(self) -> dict[str, np.ndarray]:
        """Arrays of the model that recursions ask for by name."""
        (carrier, placement), parents = self.model.frames, self.model.named[0]
        return {"carrier": carrier, "placement": placement, "parents": parents, "inertias": self.inertias}

    def shape_of(self, output) -> tuple[int, ...]:
        """The shape of a result of the uncoupled model, as its entry fills it."""
        return shape_at(output, self.model.unfolded) or (1,)

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

    def own_columns(self, matrix: np.ndarray) -> np.ndarray:
        """Forces (nv,), or a matrix (..., nv), on the own velocities."""
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


def declared(name: str) -> Callable:
    """The function of a declaration: coordinates expanded, its recursion run, results gathered."""
    function = declarations[name]

    def of(m: Mechanism, *given, wrenches=None, **named):
        q, *rates = (*given, *(named.pop(x) for x in function.recursion.inputs[len(given) :]))
        out = [(zeros if x.zeros else objects)(m.shape_of(x)) for x in function.recursion.outputs]
        fixed = function.arranged(m.model, **named) if function.arranged else ()
        r = function.recursion
        loads = [wrenches if r.on_named else m.loads(wrenches)] if r.loaded else []
        m.run(name, *fixed, m.full_q(q), *map(m.full_v, rates), *loads, *out)
        return tuple(OWN[function.folded](m, x) for x in out)

    return of


inverse_dynamics, mass_matrix = declared("inverse_dynamics"), declared("mass_matrix")
jacobian, jacobian_rate, momentum_matrix = declared("jacobian"), declared("jacobian_rate"), declared("momentum_matrix")
inverse_dynamics_derivatives = declared("inverse_dynamics_derivatives")


def forward_dynamics(m: Mechanism, q, v, tau, wrenches=None):
    if m.model.coupling:
        return forward_dynamics_by_mass(m, q, v, tau, wrenches)
    return declared("forward_dynamics")(m, q, v, tau, wrenches=wrenches)


def forward_dynamics_by_mass(m: Mechanism, q, v, tau, wrenches=None):
    (bias,), (M,) = bias_force(m, q, v, wrenches), mass_matrix(m, q)
    return (solved(M, tau - bias),)


def hybrid_dynamics(m: Mechanism, q, v, tau, a, wrenches=None, *, imposed):
    if not m.model.coupling:
        return declared("hybrid_dynamics")(m, q, v, tau, a, wrenches=wrenches, imposed=imposed)
    held, tau, a = imposed_mask(m.model, imposed), tau.copy(), a.copy()
    (bias,), (M,), free = bias_force(m, q, v, wrenches), mass_matrix(m, q), ~held
    known = bias + M[:, held] @ a[held]
    a[free] = solved(M[free][:, free], (tau - known)[free])
    tau[held] = (M @ a + bias)[held]
    return a, tau


def bias_force(m: Mechanism, q, v, wrenches=None):
    return inverse_dynamics(m, q, v, zeros(m.model.nv), wrenches=wrenches)


def gravity_force(m: Mechanism, q):
    return bias_force(m, q, zeros(m.model.nv))


def forward_dynamics_derivatives(m: Mechanism, q, v, tau, wrenches=None):
    if m.model.coupling or m.soft:
        (a,) = forward_dynamics(m, q, v, tau, wrenches)
        dq, dv, M = inverse_dynamics_derivatives(m, q, v, a, wrenches=wrenches)
        one = np.eye(m.model.nv).astype(object)
        return -solved(M, dq), -solved(M, dv), solved(M, one)
    return declared("forward_dynamics_derivatives")(m, q, v, tau, wrenches=wrenches)


def velocity(m: Mechanism, q, v, **place):
    (J,) = jacobian(m, q, **place)
    return (J @ v,)


def acceleration(m: Mechanism, q, v, a, **place):
    (J,), (rate,) = jacobian(m, q, **place), jacobian_rate(m, q, v, **place)
    return (J @ a + rate @ v,)


def momentum(m: Mechanism, q, v):
    return (momentum_matrix(m, q)[0] @ v,)


def passive_force(m: Mechanism, q, v):
    stiffness, rest, damping = m.passive
    away = departure(m.model, q) - rest
    force = pulled_back(m.model, away, -stiffness * away) - damping * v
    for k in np.flatnonzero(m.model.friction):
        force[k] = force[k] - float(m.model.friction[k]) * sign(v[k])
    if m.soft:
        force = force + m.own_columns(m.soft.elastic(m.full_q(q), m.full_v(v))[0])
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


OWN = {
    same: lambda m, x: x,
    columns: lambda m, x: m.own_columns(x),
    square: lambda m, x: m.own_square(x),
}


class Function(NamedTuple):
    """What a function takes and gives, by the names that the public one has."""

    of: Callable
    inputs: tuple[str, ...]
    results: tuple[str, ...]
    loaded: bool = False  # whether it takes wrenches too
    options: tuple[str, ...] = ()  # names of further arguments that are not numeric, the first of which must be given
    other: Callable | None = None  # another way to the same, for models where it is shorter


# functions that go another way on symbols, or are made of others
OTHERWISE = {
    "forward_dynamics": forward_dynamics, "hybrid_dynamics": hybrid_dynamics, "velocity": velocity,
    "acceleration": acceleration, "momentum": momentum, "forward_dynamics_derivatives": forward_dynamics_derivatives,
    "passive_force": passive_force, "spring_energy": spring_energy,
}  # fmt: skip
OTHER = {"forward_dynamics": forward_dynamics_by_mass}


def table() -> dict[str, Function]:
    """All functions: those that are declared, and two that are inverse dynamics at rest."""
    found = {
        "bias_force": Function(bias_force, ("q", "v"), ("tau",), loaded=True),
        "gravity_force": Function(gravity_force, ("q",), ("tau",)),
    }
    for name, x in declarations.items():
        if x.traced:
            r, of = x.recursion, OTHERWISE.get(name) or declared(name)
            results = tuple(output.name for output in r.outputs)
            found[name] = Function(of, r.inputs, results, x.takes_wrenches, x.options, OTHER.get(name))
    return found


FUNCTIONS = table()


def function_named(name: str) -> Function:
    """A function of the table, or the error that suggests one."""
    if not isinstance(name, str) or name not in FUNCTIONS:
        raise UnknownName("function", name, FUNCTIONS, "the library")
    return FUNCTIONS[name]


def input_shape(model: Model, name: str) -> tuple[int, ...]:
    """Shape of an input by its name."""
    return {"q": (model.nq,), "wrenches": (len(model.body_names), 6)}.get(name, (model.nv,))


def outputs(
    model: Model, name: str, inputs: dict[str, np.ndarray], numbers: Numbers | None = None, other=False, **place
) -> tuple[np.ndarray, ...]:
    """Results of a function on arrays of objects, one for each name of its inputs (and wrenches, if given).

    numbers : those of the model, if not its own ; other : go the function's other way
    """
    function = function_named(name)
    mechanism = Mechanism(model, *(Numbers.of(model) if numbers is None else numbers))
    return (function.other if other and function.other else function.of)(mechanism, **inputs, **place)
