"""Added mass on a body, in a fluid that may flow.

In still fluid the added inertia joins that of the body, without weight. In a flow U that hardly changes over the body, with W
= u - U the velocity relative to the fluid, M the added masses, G the gradient of U and D the acceleration of the fluid, all in
axes of the shape, the fluid around the body has the energy 1/2 W . M W, and Lagrange's equations give

    force  = -(M W' + w x M W) - G^T M W + rho V D          moment = -W x M W   (and the rotary part)                (1)

of which -(M u' + w x M u) and -u x M u come with the inertia. With E = dU/dt + G u, the rate of U where the body goes, the rest
is a force:

    force  =  M (E - w x U) + w x M U - G^T M W + rho V D   moment = u x M u - W x M W                                 (2)

For a sphere it is M (D - u') and the lift M (U - u) x curl U of Auton, Hunt, Prud'homme, J. Fluid Mech. 197 (1988), exact to
first order in the gradient.
"""

from dataclasses import dataclass

import numpy as np

from locomote.arguments import Numbers
from locomote.brief import brief
from locomote.forces.kinds import Kind
from locomote.forces.numbers import Vector, a_vector, pose_of
from locomote.forces.terms import Place, Term
from locomote.forces.water.added_mass import EllipticCylinder, added_of
from locomote.forces.water.fluid import Fluid
from locomote.geometry.shapes.ellipsoid import Ellipsoid
from locomote.model.flexible.along import Along
from locomote.model.model import Model
from locomote.model.packing import moved_matrix
from locomote.spatial.algebra import add, cross, rotate, scale, subtract, unrotate
from locomote.spatial.rotations_arrays import split_rotation


def carried_along(t, R, o, u, w, U, G, D, M, displaced):
    """(2)."""
    flow, rate = unrotate(R, U), unrotate(R, D)
    W = subtract(u, flow)
    seen = add(rate, unrotate(R, rotate(G, rotate(R, W))))
    turned = subtract(seen, cross(w, flow))
    drift = (M[0] * flow[0], M[1] * flow[1], M[2] * flow[2])
    push = (M[0] * turned[0], M[1] * turned[1], M[2] * turned[2])
    own, relative = (M[0] * u[0], M[1] * u[1], M[2] * u[2]), (M[0] * W[0], M[1] * W[1], M[2] * W[2])
    uphill = unrotate(R, unrotate(G, rotate(R, relative)))
    force = subtract(add(add(push, cross(w, drift)), scale(displaced, rate)), uphill)
    return force, subtract(cross(u, own), cross(W, relative))


@brief
@dataclass(frozen=True)
class AddedMass:
    """The inertia of the fluid around a body, or on a section of a rod, lo.rods.Along(rod, X).

    shape : lo.Ellipsoid((a, b, c)) or lo.water.EllipticCylinder(length, (b, c)), m, at `point` of the body frame, with axes
    `rotation`
        (3, 3), those of the body if None
    """

    body: str | Along
    fluid: Fluid
    shape: Ellipsoid | EllipticCylinder
    point: Vector = (0.0, 0.0, 0.0)
    rotation: Numbers | None = None
    name: str = ""

    @property
    def pose(self) -> np.ndarray:
        """(4, 4) pose of the shape on its body."""
        turn = np.eye(3) if self.rotation is None else np.array(self.rotation, dtype=float)
        split_rotation(turn, f"rotation of the shape around {self.body!r}")
        return pose_of(turn, a_vector("point", self.point))

    def added_inertia(self, model: Model) -> dict[str | Along, np.ndarray]:
        """(6, 6) of the body."""
        model.body_index(self.body.rod if isinstance(self.body, Along) else self.body)
        masses, moments, _ = added_of(self.shape)
        return {self.body: self.fluid.density * moved_matrix(np.diag([*masses, *moments]), self.pose)}

    def term(self, model: Model) -> Term | None:
        """(2) as a force term; none in still fluid."""
        if not self.fluid.moves:
            return None
        masses, _, volume = added_of(self.shape)
        kind = Kind("added mass", carried_along, (3, 0), flow=self.fluid.law)
        numbers = (*self.fluid.numbers, *(self.fluid.density * masses).tolist(), self.fluid.density * volume)
        return Term(self.name or f"added mass {self.body}", kind, (Place(self.body, self.pose),), numbers)
