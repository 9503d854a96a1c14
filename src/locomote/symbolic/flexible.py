"""The functions of a model with flexible bodies on numbers of any kind, through the recursions of `kernels.flexible`.

Those that flexible bodies compute in another way than by one recursion are methods here. Derivatives come of jets
(`spatial.jets`): dual numbers over numbers of any kind.
"""

import types
from typing import Any

import numpy as np

from locomote.dynamics import flexible
from locomote.dynamics.flexible import commutators
from locomote.dynamics.function import ModelFunction
from locomote.model.coordinates import Coordinates
from locomote.model.joints import V_SIZE
from locomote.model.model import Model
from locomote.spatial.jets import Jet
from locomote.symbolic.coordinates import rate_of
from locomote.symbolic.plain import boxed, objects, run, zeros


class FlexibleKernels:
    """Entries for one flexible model, whose constants may be symbols."""

    def __init__(self, model: Model, constants: np.ndarray, held: dict[str, np.ndarray]):
        tree: Any = model._soft
        names = {name: getattr(tree, name) for name in type(tree).FIELDS}
        self.tree, self.strain = types.SimpleNamespace(**names | {"constants": constants}), model._strain
        self.coordinates: Coordinates = model.coordinates
        self.nv, self.rows, self.frames, self.held = model.nv, len(model.topology), model.frames, held

    def _loads(self, wrenches: np.ndarray | None, on_named: bool) -> np.ndarray:
        """Wrenches on rows (rows - 1, 6), or on named bodies, as the entries take them."""
        loads = zeros((1, 6 * (len(self.frames[0]) if on_named else self.rows)))
        if wrenches is not None:
            loads[0, : 6 * len(wrenches)] = wrenches.ravel()
        return loads

    def run(self, function: ModelFunction, *arguments) -> None:
        """Fill the last arguments: by a method here of its name, or by the recursion that is declared for flexible bodies."""
        own = getattr(self, function.name, None)
        if own is not None:
            own(*arguments)
            return
        r = function.recursion
        first, end = len(r.fixed), len(r.fixed) + len(r.inputs)
        held = [self.held[name] for name in r.held]
        loads = [arguments[end]] if r.loaded else []
        self._run(function.flexible, (*held, *arguments[:first]), arguments[first:end], loads, arguments[end + len(loads) :])

    def _run(self, function, fixed, inputs, loads, outputs) -> None:
        """The recursion of a FlexibleFunction on one state."""
        loads = [self._loads(x, function.recursion.on_named) for x in loads]
        run(function.kernel, self.tree, self.strain, *fixed, *(x[None] for x in inputs), *loads, *(x[None] for x in outputs))

    def inverse_dynamics(self, q, v, a, wrenches, tau) -> None:
        self._run(flexible.INVERSE, (), (q, v, a), [wrenches], [tau])

    def forward_dynamics(self, q, v, tau, wrenches, a) -> None:
        still, all_tau = zeros(self.nv), objects(self.nv)
        self._run(flexible.HYBRID, [np.zeros(self.nv, int)], (q, v, tau, still), [wrenches], [a, all_tau])

    def mass_matrix(self, q, M) -> None:
        self._run(flexible.MASS, (), [q], [], [M, zeros((6, self.nv))])

    def forward_kinematics(self, q, poses) -> None:
        self._run(flexible.POSES, self.frames, [q], [], [poses])

    def jacobian_rate(self, body, frame, kind, q, v, J) -> None:
        out = zeros(J.shape)
        self._run(flexible.JACOBIAN, (body, frame, kind), [self._departing(q, v)], [], [out])
        put_slopes(out, "a", J)

    def momentum_matrix(self, q, A) -> None:
        self._run(flexible.MASS, (), [q], [], [zeros((self.nv, self.nv)), A])
        center = objects(3)
        self.center_of_mass(q, center)
        x, y, z = center
        for k in range(self.nv):
            f, g, h = A[:3, k]
            A[3:, k] = A[3, k] - (y * h - z * g), A[4, k] - (z * f - x * h), A[5, k] - (x * g - y * f)

    def _energies(self, q, v) -> np.ndarray:
        energy = objects(5)
        self._run(flexible.ENERGIES, (), (q, v), [], [energy])
        return energy

    def center_of_mass(self, q, center) -> None:
        center[:] = self._energies(q, zeros(self.nv))[2:]

    def kinetic_energy(self, q, v, energy) -> None:
        energy[0] = self._energies(q, v)[0]

    def potential_energy(self, q, energy) -> None:
        energy[0] = self._energies(q, zeros(self.nv))[1]

    def elastic(self, q, v) -> tuple[np.ndarray, Any]:
        """Forces of elasticity and damping (nv,), and the energy."""
        force, energy = zeros(self.nv), objects(2)
        self._run(flexible.ELASTIC, (), (q, v), [], [force, energy])
        return force, energy[0]

    def inverse_dynamics_derivatives(self, q, v, a, wrenches, dq, dv, M) -> None:
        for k, unit in enumerate(np.eye(self.nv)):
            tau = objects(self.nv)
            rates = boxed([Jet(x, 0.0, s) for x, s in zip(v, unit, strict=True)])
            self.inverse_dynamics(self._departing(q, boxed(unit.tolist())), rates, a, wrenches, tau)
            put_slopes(tau, "a", dq[:, k])
            put_slopes(tau, "b", dv[:, k])
        self.mass_matrix(q, M)

    def coriolis_matrix(self, q, v, C) -> None:
        """As `dynamics.flexible.coriolis_matrix`: half of the derivative of the force by v, and half of M [v, .]."""
        for k, unit in enumerate(np.eye(self.nv)):
            tau = objects(self.nv)
            rates = boxed([Jet(x, s) for x, s in zip(v, unit, strict=True)])
            self.inverse_dynamics(q, rates, zeros(self.nv), None, tau)
            put_slopes(tau, "a", C[:, k])
        turns, M = commutators(self.coordinates, v), zeros((self.nv, self.nv))
        self.mass_matrix(q, M)
        for kind, _, first in self.coordinates.groups:
            own = slice(first, first + V_SIZE[kind])
            C[:, own] += M[:, own] @ turns[own, own]
        C *= 0.5

    def _departing(self, q, v) -> np.ndarray:
        """q with the derivatives that a velocity gives it."""
        return boxed([Jet(x, s) for x, s in zip(q, rate_of(self.coordinates, q, v), strict=True)])


def put_slopes(jets: np.ndarray, part: str, out: np.ndarray) -> None:
    """One of the derivatives of numbers, some of which are constant."""
    for place, x in np.ndenumerate(jets):
        out[place] = getattr(x, part) if isinstance(x, Jet) else 0.0
