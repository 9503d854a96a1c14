"""The functions of a model with flexible bodies on numbers of any kind, through the entries of `kernels.flexible`.

Each fills what the entry of the same name in `kernels.single` fills for a rigid model. Derivatives come of jets
(`spatial.jets`): numbers with slopes, over numbers of any kind.
"""

import types
from typing import Any

import numpy as np

from locomote.dynamics.flexible import commutators
from locomote.model.coordinates import Coordinates
from locomote.model.joints import V_SIZE
from locomote.model.model import Model
from locomote.spatial.jets import Jet
from locomote.symbolic.coordinates import rate_of
from locomote.symbolic.plain import boxed, objects, run_flexible, zeros


class FlexibleKernels:
    """Entries for one flexible model, whose constants may be symbols."""

    def __init__(self, model: Model, constants: np.ndarray):
        tree: Any = model._soft
        names = {name: getattr(tree, name) for name in type(tree).FIELDS}
        self.tree, self.strain = types.SimpleNamespace(**names | {"constants": constants}), model._strain
        self.coordinates: Coordinates = model.coordinates
        self.nv, self.rows = model.nv, len(model.topology)

    def _loads(self, wrenches: np.ndarray | None) -> np.ndarray:
        """Wrenches on rows (rows - 1, 6) as the entries take them."""
        loads = zeros((1, 6 * self.rows))
        if wrenches is not None:
            loads[0, : 6 * len(wrenches)] = wrenches.ravel()
        return loads

    def _run(self, entry: str, *arguments) -> None:
        run_flexible(entry, self.tree, self.strain, *arguments)

    def inverse_dynamics(self, q, v, a, wrenches, tau):
        self._run("inverse_dynamics_rows", q[None], v[None], a[None], self._loads(wrenches), tau[None])

    def forward_dynamics(self, q, v, tau, wrenches, a):
        self.hybrid_dynamics(q, v, np.zeros(self.nv, int), wrenches, tau.copy(), a)

    def hybrid_dynamics(self, q, v, imposed, wrenches, tau, a):
        self._run("hybrid_dynamics_rows", q[None], v[None], imposed, self._loads(wrenches), tau[None], a[None])

    def mass_matrix(self, q, M):
        self._run("mass_matrix_rows", q[None], M[None], zeros((1, 6, self.nv)))

    def forward_kinematics(self, carrier, placement, q, poses):
        self._run("forward_kinematics_rows", carrier, placement, q[None], poses[None], zeros((1, 1)))

    def jacobian(self, body, frame, kind, q, J):
        self._run("jacobian_rows", body, frame, kind, q[None], J[None])

    def jacobian_rate(self, body, frame, kind, q, v, J):
        out = zeros(J.shape)
        self.jacobian(body, frame, kind, self._departing(q, v), out)
        put_slopes(out, "a", J)

    def momentum_matrix(self, q, A):
        self._run("mass_matrix_rows", q[None], zeros((1, self.nv, self.nv)), A[None])
        center = objects(3)
        self.center_of_mass(q, center)
        x, y, z = center
        for k in range(self.nv):
            f, g, h = A[:3, k]
            A[3:, k] = A[3, k] - (y * h - z * g), A[4, k] - (z * f - x * h), A[5, k] - (x * g - y * f)

    def momentum_rate(self, q, v, a, wrenches, rate):
        self._run("momentum_rate_rows", q[None], v[None], a[None], self._loads(wrenches), rate[None])

    def _energies(self, q, v) -> np.ndarray:
        energy = objects((1, 5))
        self._run("energies_rows", q[None], v[None], energy)
        return energy[0]

    def center_of_mass(self, q, center):
        center[:] = self._energies(q, zeros(self.nv))[2:]

    def kinetic_energy(self, q, v, energy):
        energy[0] = self._energies(q, v)[0]

    def potential_energy(self, q, energy):
        energy[0] = self._energies(q, zeros(self.nv))[1]

    def elastic(self, q, v) -> tuple[np.ndarray, Any]:
        """Forces of elasticity and damping (nv,), and the energy."""
        force, energy = zeros((1, self.nv)), objects((1, 2))
        run_flexible("elastic_rows", self.tree, q[None], v[None], force, energy)
        return force[0], energy[0, 0]

    def inverse_dynamics_derivatives(self, q, v, a, wrenches, dq, dv, M):
        for k, unit in enumerate(np.eye(self.nv)):
            tau = objects(self.nv)
            rates = boxed([Jet(x, 0.0, s) for x, s in zip(v, unit, strict=True)])
            self.inverse_dynamics(self._departing(q, boxed(unit.tolist())), rates, a, wrenches, tau)
            put_slopes(tau, "a", dq[:, k])
            put_slopes(tau, "b", dv[:, k])
        self.mass_matrix(q, M)

    def coriolis_matrix(self, q, v, C):
        """As `dynamics.flexible.coriolis_matrix`: half of the slope of the force by v, and half of M [v, .]."""
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
        """q with the slopes that a velocity gives it."""
        return boxed([Jet(x, s) for x, s in zip(q, rate_of(self.coordinates, q, v), strict=True)])


def put_slopes(jets: np.ndarray, part: str, out: np.ndarray) -> None:
    """One of the slopes of numbers of which some have none."""
    for place, x in np.ndenumerate(jets):
        out[place] = getattr(x, part) if isinstance(x, Jet) else 0.0
