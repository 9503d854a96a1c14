"""Inertia of a rigid body: ten numbers, and the test whether a real body can have them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.spatial.numbers import as_numbers, several
from locomote.spatial.rotations_arrays import split_rotation

PHYSICAL_TOLERANCE = 1e-6  # share of the largest moment: files round their numbers
SMALLEST_GYRATION = 1e-6  # m; moments below mass times its square are rounding of zero


def skew(v) -> np.ndarray:
    """The (3, 3) matrix that crosses with v: skew(v) @ u = v x u."""
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def number_of(axis, what: str) -> int:
    """0, 1 or 2 of the axis "x", "y" or "z" that something lies along."""
    if axis not in ("x", "y", "z"):
        raise ValueError(f"axis of {what} must be 'x', 'y' or 'z', not {axis!r:.60}")
    return "xyz".index(axis)


@brief
@dataclass(frozen=True, eq=False)
class Inertia:
    """Mass (kg), center of mass (m) and moment of inertia about it (kg m^2), in axes of the body frame.

    moment : (3, 3), or three numbers (diagonal), or six (xx, xy, xz, yy, yz, zz)
    """

    mass: float
    com: Any = (0.0, 0.0, 0.0)
    moment: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        (mass,) = several(self.mass, 1, "mass of an inertia")
        com = np.array(as_numbers(self.com, "com of an inertia", "(3,)"))
        moment = np.array(as_numbers(self.moment, "moment of an inertia", "(3,), (6,) or (3, 3)"))
        if moment.shape == (3,):
            moment = np.diag(moment)
        elif moment.shape == (6,):
            xx, xy, xz, yy, yz, zz = moment
            moment = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if com.shape != (3,) or moment.shape != (3, 3):
            raise ValueError(
                f"inertia needs a center of 3 numbers and a moment of 3, 6 or 3x3, not shapes {com.shape} and {moment.shape}"
            )
        com.flags.writeable = moment.flags.writeable = False
        object.__setattr__(self, "mass", mass)
        object.__setattr__(self, "com", com)
        object.__setattr__(self, "moment", moment)

    @classmethod
    def box(cls, mass: float, size) -> "Inertia":
        """A full box with edges `size` (m) about its center."""
        (mass,), (x, y, z) = several(mass, 1, "mass"), several(size, 3, "size")
        return cls(mass, moment=mass / 12 * np.array([y * y + z * z, x * x + z * z, x * x + y * y]))

    @classmethod
    def sphere(cls, mass: float, radius: float) -> "Inertia":
        """A full ball about its center."""
        mass, radius = several((mass, radius), 2, "mass and radius")
        return cls(mass, moment=np.full(3, 0.4 * mass * radius**2))

    @classmethod
    def ellipsoid(cls, mass: float, semi_axes) -> "Inertia":
        """A full ellipsoid about its center."""
        (mass,), (x, y, z) = several(mass, 1, "mass"), several(semi_axes, 3, "semi_axes")
        return cls(mass, moment=mass / 5 * np.array([y * y + z * z, x * x + z * z, x * x + y * y]))

    @classmethod
    def cylinder(cls, mass: float, radius: float, length: float, axis: str = "z") -> "Inertia":
        """A full cylinder along `axis` about its center."""
        mass, radius, length = several((mass, radius, length), 3, "mass, radius and length")
        moment = np.full(3, mass * (3 * radius**2 + length**2) / 12)
        moment[number_of(axis, "a cylinder")] = mass * radius**2 / 2
        return cls(mass, moment=moment)

    @classmethod
    def capsule(cls, mass: float, radius: float, length: float, axis: str = "z") -> "Inertia":
        """A full capsule along `axis` about its center; `length` is that of the cylinder between the two half balls."""
        mass, radius, length = several((mass, radius, length), 3, "mass, radius and length")
        ball, tube = 4 / 3 * radius, length  # volumes over pi radius^2
        ball_mass = mass * ball / (ball + tube)
        tube_mass = mass - ball_mass
        across = tube_mass * (3 * radius**2 + length**2) / 12
        across += ball_mass * (0.4 * radius**2 + length**2 / 4 + 3 / 8 * length * radius)
        moment = np.full(3, across)
        moment[number_of(axis, "a capsule")] = tube_mass * radius**2 / 2 + ball_mass * 0.4 * radius**2
        return cls(mass, moment=moment)

    @classmethod
    def rod(cls, mass: float, length: float, axis: str = "x") -> "Inertia":
        """A slender rod from the origin along `axis`, its center at half `length`."""
        mass, length = several((mass, length), 2, "mass and length")
        along = number_of(axis, "a rod")
        moment, com = np.full(3, mass * length**2 / 12), np.zeros(3)
        moment[along], com[along] = 0.0, length / 2
        return cls(mass, com, moment)

    @classmethod
    def from_parameters(cls, parameters) -> "Inertia":
        """From (m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz), I about the frame origin."""
        m, hx, hy, hz, xx, xy, yy, xz, yz, zz = several(parameters, 10, "parameters")
        first = np.array([hx, hy, hz])
        com = first / m if m else np.zeros(3)
        about_origin = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return cls(m, com, about_origin + m * skew(com) @ skew(com))

    @property
    def about_origin(self) -> np.ndarray:
        """(3, 3) moment about the origin of the body frame, kg m^2."""
        return self.moment - self.mass * skew(self.com) @ skew(self.com)

    @property
    def parameters(self) -> np.ndarray:
        """(m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz), I about the frame origin: what dynamics is linear in."""
        moment = self.about_origin
        upper = moment[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]
        return np.concatenate([[self.mass], self.mass * self.com, upper])

    @property
    def matrix(self) -> np.ndarray:
        """(6, 6) matrix over twists (linear, angular): kinetic energy is half twist @ matrix @ twist."""
        cross = self.mass * skew(self.com)
        return np.block([[self.mass * np.eye(3), -cross], [cross, self.about_origin]])

    def moved(self, pose) -> "Inertia":
        """The same body seen from a frame in which its own frame has `pose` (4, 4)."""
        pose = as_numbers(pose, "pose", "(4, 4)")
        if pose.shape != (4, 4):
            raise ValueError(f"pose has shape {pose.shape}, expected (4, 4)")
        turn = pose[:3, :3]
        split_rotation(turn, "rotation of the pose")
        return Inertia(self.mass, turn @ self.com + pose[:3, 3], turn @ self.moment @ turn.T)

    def __add__(self, other: "Inertia") -> "Inertia":
        """Both bodies as one, in the same frame."""
        mass = self.mass + other.mass
        if mass == 0:
            return Inertia(0.0, self.com, self.moment + other.moment)
        com = (self.mass * self.com + other.mass * other.com) / mass
        moment = np.zeros((3, 3))
        for part in (self, other):
            away = skew(part.com - com)
            moment = moment + part.moment - part.mass * away @ away
        return Inertia(mass, com, moment)

    def __eq__(self, other) -> bool:
        if not isinstance(other, Inertia):
            return NotImplemented
        return self.mass == other.mass and np.array_equal(self.com, other.com) and np.array_equal(self.moment, other.moment)

    __hash__ = None  # type: ignore[assignment]

    def is_usable(self) -> bool:
        """Whether it can be computed with: finite, and no negative mass."""
        return bool(np.isfinite([self.mass, *self.com, *self.moment.ravel()]).all()) and self.mass >= 0

    def fault(self) -> str | None:
        """Why no real body can have this inertia, in words, or None if one can."""
        return faults_of([self])[0]


def faults_of(inertias: Sequence[Inertia]) -> list[str | None]:
    """Why no real body can have each of these inertias, in words, or None if one can.

    The mass must not be negative, the moment symmetric, its principal values not negative, and none of them larger than the
    sum of the other two.
    """
    if not inertias:
        return []
    mass, moment = np.array([x.mass for x in inertias]), np.array([x.moment for x in inertias])
    finite = np.isfinite(mass) & np.isfinite([x.com for x in inertias]).all(axis=1) & np.isfinite(moment).all(axis=(1, 2))
    moment = np.where(finite[:, None, None], moment, 0.0)
    largest = abs(moment).max(axis=(1, 2))
    skewed = abs(moment - moment.transpose(0, 2, 1)).max(axis=(1, 2)) > PHYSICAL_TOLERANCE * largest
    principal = np.linalg.eigvalsh(moment)
    allowed = PHYSICAL_TOLERANCE * np.maximum(principal[:, 2], 0.0)
    matters = largest > mass * SMALLEST_GYRATION**2
    negative = matters & (principal[:, 0] < -allowed)
    impossible = matters & (principal[:, 2] > principal[:, 0] + principal[:, 1] + allowed)
    faults: list[str | None] = [None] * len(inertias)
    for k in np.flatnonzero(~finite | (mass < 0) | skewed | negative | impossible):
        shown = ", ".join(f"{value:.6g}" for value in principal[k])
        if not finite[k]:
            faults[k] = "has a value that is not finite"
        elif mass[k] < 0:
            faults[k] = f"has negative mass {mass[k]:g} kg"
        elif skewed[k]:
            faults[k] = "has a moment of inertia that is not symmetric"
        elif negative[k]:
            faults[k] = f"has a negative principal moment of inertia ({shown} kg m^2)"
        else:
            faults[k] = f"has principal moments {shown} kg m^2: the largest exceeds the sum of the other two, which no body can"
    return faults


def general_fault(matrix) -> str | None:
    """Why a (6, 6) added inertia is not usable, in words, or None: it must be symmetric with no negative eigenvalue."""
    try:
        matrix = as_numbers(matrix, "added inertia", "(6, 6)")
    except ValueError as error:
        return f"has a wrong added inertia: {error}"
    if matrix.shape != (6, 6):
        return f"has an added inertia of shape {matrix.shape}, expected (6, 6)"
    if not np.isfinite(matrix).all():
        return "has an added inertia with a value that is not finite"
    scale = abs(matrix).max()
    if not np.allclose(matrix, matrix.T, rtol=0, atol=1e-9 * scale):
        return "has an added inertia that is not symmetric"
    lowest = np.linalg.eigvalsh(matrix)[0]
    if lowest < -1e-9 * scale:
        return f"has an added inertia with negative eigenvalue {lowest:.6g}"
    return None
