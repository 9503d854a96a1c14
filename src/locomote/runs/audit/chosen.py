"""Some samples of a run, and what several checks of an audit ask of the same ones: each is computed once.

Couplings are taken apart, so that there is a velocity for every joint.
"""

from functools import cached_property

import numpy as np

from locomote.denoc.inertia import coordinate_inertias
from locomote.denoc.links import at
from locomote.dynamics import flexible
from locomote.dynamics.kinematics import forward_kinematics
from locomote.dynamics.momentum import kinetic_energy, momentum_about_center, momentum_matrix, momentum_rate
from locomote.model.model import Model
from locomote.runs.trajectory import Trajectory

MANY = 40  # coordinates, whose energies one by one take longer than a recursion in Python


class Chosen:
    """Some samples: q with unit quaternions, v and a.

    rows : their numbers in the run
    """

    def __init__(self, run: Trajectory, rows: np.ndarray):
        self.rows, self.model, q = rows, run.model.unfolded, run.model.normalize(run.q[rows])
        c, v, a = run.model.coupling, run.v[rows], run.a[rows]
        self.q, self.v, self.a = (c.expand_q(q), c.expand_v(v), c.expand_v(a)) if c else (q, v, a)

    @cached_property
    def places(self) -> np.ndarray:
        """(n, bodies, 3) of all bodies, m."""
        return forward_kinematics(self.model, self.q)[..., :3, 3]

    @cached_property
    def _mass(self) -> tuple[np.ndarray, np.ndarray]:
        """Mass matrices of flexible bodies, and momentum about the origin: one recursion gives both."""
        mass, momentum = flexible.MASS(self.model, [self.q])
        return mass, momentum

    @cached_property
    def momentum(self) -> np.ndarray:
        """(n, 6, nv) momentum of unit velocities."""
        if self.model.flexible:
            return momentum_about_center(self.model, self._mass[1], self.q)
        return momentum_matrix(self.model, self.q)

    @cached_property
    def momentum_rate(self) -> np.ndarray:
        """(n, 6) what forces from outside change of momentum, N and N m."""
        return momentum_rate(self.model, self.q, self.v, self.a)

    @cached_property
    def inertia(self) -> np.ndarray:
        """(nv,) what each coordinate moves when it moves alone, in the first of them."""
        return np.diagonal(self._mass[0][0]) if self.model.flexible else inertia_of_each(self.model, self.q[0])


def spread(rows: np.ndarray, most: int) -> np.ndarray:
    """At most `most` of the rows, evenly spread, with the first and the last."""
    return rows if len(rows) <= most else rows[np.arange(most) * (len(rows) - 1) // (most - 1)]


def inertia_of_each(model: Model, q: np.ndarray) -> np.ndarray:
    """(nv,) what each coordinate of a rigid model moves when it moves alone: the diagonal of the mass matrix, without it."""
    if model.coupling is None and model.nv > MANY:
        return coordinate_inertias(at(model, q))
    return 2 * kinetic_energy(model, np.tile(q, (model.nv, 1)), np.eye(model.nv))
