"""Swimming in a perfect fluid at rest, with interaction of the bodies: momentum of bodies and fluid is zero and stays so.

With J_i the Jacobian of body i and M_ij the added inertia of all outlines at their places (`forces.water.panels`),

    M(q) = mass matrix of the model + sum_ij J_i^T M_ij J_j                                                          (1)
    eta = -A r' ,   A = M_gg^-1 M_gr                                                                                 (2)

M depends on the shape as a whole, so that this is no term of a `Locomotion` with inertias of single bodies; it is a model by
itself, and says how far those can be trusted (Kanso, Marsden, Rowley, Melli-Huber, J. Nonlinear Sci. 15 (2005)).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.drives.drive import as_drive
from locomote.dynamics.kinematics import forward_kinematics, jacobian
from locomote.dynamics.matrices import mass_matrix
from locomote.forces.numbers import a_number, whole_number
from locomote.forces.water.panels import Outline, added_inertia
from locomote.model.model import Model

PLANE = (0, 1, 5)  # components of a twist in the plane: u_x, u_y, w_z


@brief
@dataclass(frozen=True)
class PerfectFluid:
    """A model with a planar base in a perfect fluid at rest.

    outlines : lo.water.Outline of every body that is in the fluid, by name, in its frame ; density : kg/m^3, and masses of
    the model those of one metre across the plane
    """

    model: Model
    outlines: Mapping[str, Outline]
    density: float = 1000.0

    def __post_init__(self) -> None:
        a_number("density", self.density, above=0.0)
        if not self.outlines:
            raise ValueError("no body has an outline; give outlines={body: lo.water.Outline...}")
        for name, outline in self.outlines.items():
            self.model.body_index(name)
            if not isinstance(outline, Outline):
                raise TypeError(f"outline of {name!r} is {outline!r:.60}, expected lo.water.Outline")
        roots = [body for body in self.model.description.bodies if body.parent is None]
        planar = len(roots) == 1 and [joint.kind for joint in roots[0].joints] == ["planar"]
        if not planar or self.model.nq != self.model.nv:
            raise ValueError(f"{self.model.name!r} has no planar base, or joints out of the plane; build it with base='planar'")

    def added_inertia(self, q) -> np.ndarray:
        """(3 N, 3 N) of all bodies with outlines, velocities u_x, u_y, w in their own frames."""
        poses = forward_kinematics(self.model, self.model.checked_q(q))
        places = np.array([[*pose[:2, 3], np.arctan2(pose[1, 0], pose[0, 0])] for pose in poses])
        rows = [self.model.body_index(name) for name in self.outlines]
        return added_inertia(list(self.outlines.values()), places[rows], self.density)

    def mass_matrix(self, q) -> np.ndarray:
        """(nv, nv) of model and fluid (1)."""
        J = np.concatenate([jacobian(self.model, q, name, frame="local")[list(PLANE)] for name in self.outlines])
        return mass_matrix(self.model, q) + J.T @ self.added_inertia(q) @ J

    def connection(self, q) -> np.ndarray:
        """(3, shape) A of (2): the base moves with -A r' while there is no momentum."""
        M = self.mass_matrix(q)
        return np.linalg.solve(M[:3, :3], M[:3, 3:])

    def swim(self, path: Mapping[Any, Any], duration: float, *, q=None, steps: int = 100) -> tuple[np.ndarray, np.ndarray]:
        """Times (steps + 1,) and configurations (steps + 1, nq) along a path of shapes, from rest.

        path : drives of all joints, by name, as `drives` of a problem ; duration : s ; steps : by Runge and Kutta
        """
        model, count = self.model, whole_number("steps", steps)
        drives: list[Any] = [None] * (model.nv - 3)
        if not drives:
            raise ValueError(f"model {model.name!r} has no joint beside its base: its shape cannot change, so it cannot swim")
        for name, given in path.items():
            drives[model.joint(name).v.start - 3] = as_drive(given)
        if None in drives:
            raise ValueError("path must impose every joint")
        q = model.neutral() if q is None else model.checked_q(q).copy()
        t, h = np.linspace(0.0, a_number("duration", duration, above=0.0), count + 1), duration / count

        def rate(now: float, base: np.ndarray) -> np.ndarray:
            shape = np.array([drive(now) for drive in drives])
            eta = -self.connection(np.concatenate([base, shape[:, 0]])) @ shape[:, 1]
            c, s = np.cos(base[2]), np.sin(base[2])
            return np.array([c * eta[0] - s * eta[1], s * eta[0] + c * eta[1], eta[2]])

        base, found = q[:3].copy(), []
        for k, now in enumerate(t):
            found.append([*base, *(drive(now)[0] for drive in drives)])
            if k < count:
                a = rate(now, base)
                b = rate(now + h / 2, base + h / 2 * a)
                c = rate(now + h / 2, base + h / 2 * b)
                base = base + h / 6 * (a + 2 * b + 2 * c + rate(now + h, base + h * c))
        return t, np.array(found)

    def net_displacement(self, path: Mapping[Any, Any], duration: float, *, q=None, steps: int = 100) -> np.ndarray:
        """(3,) x, y, angle of the base after its shape went along a path, as `Locomotion.net_displacement`."""
        return self.swim(path, duration, q=q, steps=steps)[1][-1, :3]
