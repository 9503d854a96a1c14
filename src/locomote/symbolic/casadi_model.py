"""The functions of a model as CasADi functions, for derivatives, optimisation and code of other tools."""

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from locomote.errors import UnknownName
from locomote.model.model import Model, checked_model
from locomote.runs.optional import package
from locomote.symbolic.coordinates import difference, integrate
from locomote.symbolic.functions import FUNCTIONS, times
from locomote.symbolic.parameters import Parameters
from locomote.symbolic.plain import boxed
from locomote.symbolic.record import recorded, recorded_call

MANIFOLD = ("integrate", "difference")


def casadi() -> ModuleType:
    """The package, or the sentence that says how to get it."""
    return package("casadi", "a model on symbols", "locomote[symbolic]")


class SymbolicModel:
    """Every function of a model as a `casadi.Function`, made when first asked for.

    model : the Model ; parameter_names : names of the parameters that are symbols ; slots : place of each in p
    values : (parameters,) their values in the model, to be passed as p

    `s.inverse_dynamics` and all others have the inputs of the public functions by name (q, v, a, ...), and p last if there are
    parameters. `s.integrate` and `s.difference` are those of the model.
    """

    def __init__(self, model: Model, parameters: Sequence[str] = ()):
        self.model = model
        self._parameters = Parameters.of(model, parameters)
        self._made: dict[tuple, Any] = {}

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return self._parameters.names

    @property
    def slots(self) -> dict[str, slice]:
        """Where in p each parameter stands."""
        return self._parameters.slots

    @property
    def values(self) -> np.ndarray:
        """p with the values of the model."""
        return self._parameters.values

    def vector(self, changes: dict) -> np.ndarray:
        """p with the values of the model, but for the given changes: a mapping from names to values."""
        return self._parameters.vector(changes)

    def __repr__(self) -> str:
        return f"<SymbolicModel {self.model.name!r}: nq={self.model.nq}, nv={self.model.nv}, parameters {self.parameter_names}>"

    def __dir__(self):
        return [*super().__dir__(), *FUNCTIONS, *MANIFOLD]

    def __getattr__(self, name: str):
        if name in FUNCTIONS or name in MANIFOLD:
            return self.function(name)
        raise AttributeError(f"no function {name!r} of a symbolic model; known: {', '.join([*FUNCTIONS, *MANIFOLD])}")

    def function(self, name: str, *, wrenches: bool = False, **place) -> Any:
        """A function by name, as `casadi.Function`.

        wrenches : whether it takes external wrenches too, (bodies, 6) in body frames, after the other inputs
        body, point, frame : of the functions that take them, as there; these are fixed numbers, not symbols
        Poses of bodies come as one matrix (4 bodies, 4), body by body.
        """
        key = ("function", name, wrenches, *(f"{k}={v!r}" for k, v in sorted(place.items())))
        if key not in self._made:
            symbols, results = self._expressions(name, wrenches, place)
            self._made[key] = casadi().Function(name, [*symbols.values()], [*results.values()], [*symbols], [*results])
        return self._made[key]

    def derivative(self, name: str, by: str, *, wrenches: bool = False, **place) -> Any:
        """The derivative of a function by one of its inputs, as `casadi.Function`: sparse, one matrix for each result.

        by : q, v, a, tau, wrenches or p. The derivative by q is along the tangent, one column for each coordinate of v, as
            that of `inverse_dynamics_derivatives`; quaternions need no care.
        Entries of a matrix are taken column by column, as CasADi does. Results are named as in d_tau_by_q.
        """
        key = ("derivative", name, by, wrenches, *(f"{k}={v!r}" for k, v in sorted(place.items())))
        if key not in self._made:
            ca = casadi()
            symbols, results = self._expressions(name, wrenches, place)
            if by not in symbols:
                raise UnknownName("input", by, symbols, f"function {name!r}")
            parts = {f"d_{what}_by_{by}": ca.jacobian(ca.vec(x), ca.vec(symbols[by])) for what, x in results.items()}
            if by == "q":
                parts = {what: ca.mtimes(part, self._tangent(symbols["q"])) for what, part in parts.items()}
            parts = dict(zip(parts, ca.cse([*parts.values()]), strict=True))
            made = ca.Function(f"{name}_by_{by}", [*symbols.values()], [*parts.values()], [*symbols], [*parts])
            self._made[key] = made
        return self._made[key]

    def _tangent(self, q):
        """(nq, nv) how q moves with v: the derivative of integrate(q, dv) at dv = 0."""
        ca = casadi()
        symbols, moved = self._expressions("integrate", False, {})
        rate = ca.jacobian(moved["q1"], symbols["dv"])
        return ca.sparsify(ca.substitute(rate, ca.vertcat(*symbols.values()), ca.vertcat(q, ca.DM.zeros(self.model.nv))))

    def _moved(self, q, dv):
        """Where dv leads from q."""
        model, c = self.model, self.model.coupling
        if c is None:
            return integrate(model.coordinates, q, dv)
        return integrate(model.coordinates, times(c.q_matrix, q) + c.offset, times(c.v_matrix, dv))[c.own_q]

    def _between(self, q0, q1):
        """The velocity from q0 to q1."""
        model, c = self.model, self.model.coupling
        if c is None:
            return difference(model.coordinates, q0, q1)
        full = [times(c.q_matrix, q) + c.offset for q in (q0, q1)]
        return difference(model.coordinates, *full)[c.own_v]

    def _expressions(self, name: str, wrenches: bool, place: dict) -> tuple[dict, dict]:
        """Symbols of the inputs and expressions of the results, by name."""
        nq, nv = self.model.nq, self.model.nv
        if name == "integrate":
            record = recorded_call(self._moved, ("q", "dv"), (nq, nv), "q1")
        elif name == "difference":
            record = recorded_call(self._between, ("q0", "q1"), (nq, nq), "dv")
        else:
            record = recorded(self.model, name, wrenches=wrenches, parameters=self._parameters, **place)
        ca = casadi()
        symbols = {label: ca.SX.sym(label, *shape) for label, shape in record.inputs.items()}
        results = record.again({label: entries(symbol) for label, symbol in symbols.items()}, ca)
        return symbols, {label: matrix_of(result) for label, result in results.items()}


def entries(symbol) -> np.ndarray:
    """A CasADi matrix as an array of objects; a column as a vector."""
    rows, columns = symbol.shape
    if columns == 1:
        return boxed([symbol[k] for k in range(rows)])
    return boxed([symbol[i, j] for i in range(rows) for j in range(columns)]).reshape(rows, columns)


def matrix_of(array: np.ndarray):
    """An array of objects as a CasADi matrix without zeros; more than two dimensions are stacked, the last kept."""
    ca = casadi()
    array = array.reshape(-1, 1) if array.ndim == 1 else array.reshape(int(np.prod(array.shape[:-1])), array.shape[-1])
    stacked = ca.vertcat(ca.SX(0, 1), *[ca.SX(x) for x in array.T.ravel()])
    return ca.sparsify(ca.reshape(stacked, *array.shape))


def symbolic(model: Model, parameters: Sequence[str] = ()) -> SymbolicModel:
    """A model on symbols: every function as a `casadi.Function`, with numbers of the model as symbols where wanted.

    parameters : names such as "leg.mass" (kg), "leg.center" (3, m), "leg.inertia" (6: xx xy xz yy yz zz about the
        center, kg m^2), "knee.origin" (3: displacement of the joint's body in its parent, m), "knee.stiffness", "knee.rest",
        "knee.damping", "gravity" (3, m/s^2). They are passed as one vector p; `values` has those of the model.
    """
    casadi()
    if isinstance(parameters, str) or not isinstance(parameters, Sequence) or not all(isinstance(x, str) for x in parameters):
        raise TypeError(f"parameters must be a list of names, such as ['leg.mass'], not {parameters!r:.60}")
    return SymbolicModel(checked_model(model), parameters)
