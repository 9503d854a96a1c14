"""Shapes in which the strain of a rod may vary along it.

A basis answers `functions(strain, order, length)`: a list of functions of an array of X (m), and `breaks(length)`: places
between which they are smooth.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import legendre

from locomote.brief import brief
from locomote.model.flexible.cross_sections import Section, SectionConstants, slice_of
from locomote.model.flexible.timoshenko import CURVATURE, SHEAR, Beam

Shape = Callable[[np.ndarray], np.ndarray]


def whole(x, least: int, what: str) -> int:
    """An integer, or an error."""
    if isinstance(x, bool) or not isinstance(x, (int, np.integer)) or x < least:
        raise ValueError(f"{what} must be an integer from {least}, not {x!r:.40}")
    return int(x)


def polynomial(degree: int, start: float, stop: float) -> Shape:
    """A Legendre polynomial over an interval, zero elsewhere."""
    coefficients = np.eye(degree + 1)[degree]

    def shape(x):
        inside = (x >= start) & (x < stop)
        return np.where(inside, legendre.legval((2 * x - start - stop) / (stop - start), coefficients), 0.0)

    return shape


@dataclass(frozen=True)
class Legendre:
    """Legendre polynomials over the whole rod: degrees 0 to order."""

    def functions(self, strain: str, order: int, length: float) -> list[Shape]:
        """Degrees 0 to order."""
        return [polynomial(k, 0.0, np.nextafter(length, np.inf)) for k in range(order + 1)]

    def breaks(self, length: float) -> list[float]:
        """None."""
        return []


@dataclass(frozen=True)
class Pieces:
    """Pieces of equal length, each with Legendre polynomials of its own up to a degree.

    count : how many ; degree : of each, 0 for constant strain
    """

    count: int
    degree: int = 0

    def __post_init__(self) -> None:
        whole(self.count, 1, "count of pieces")
        whole(self.degree, 0, "degree of pieces")

    def functions(self, strain: str, order: int, length: float) -> list[Shape]:
        """Piece by piece."""
        edges = np.linspace(0.0, length, self.count + 1)
        edges[-1] = np.nextafter(length, np.inf)
        return [polynomial(d, a, b) for a, b in zip(edges[:-1], edges[1:], strict=True) for d in range(self.degree + 1)]

    def breaks(self, length: float) -> list[float]:
        """Where pieces meet."""
        return list(np.linspace(0.0, length, self.count + 1)[1:-1])


@dataclass(frozen=True)
class BSplines:
    """B-splines over equal intervals.

    count : how many functions ; degree : of their polynomials
    """

    count: int
    degree: int = 3

    def __post_init__(self) -> None:
        whole(self.degree, 1, "degree of B-splines")
        whole(self.count, self.degree + 1, "count of B-splines (at least one more than their degree)")

    def functions(self, strain: str, order: int, length: float) -> list[Shape]:
        """All, from root to tip."""
        from scipy.interpolate import BSpline

        inner = np.linspace(0.0, length, self.count - self.degree + 1)
        knots = np.r_[[0.0] * self.degree, inner, [length] * self.degree]
        return [BSpline(knots, np.eye(self.count)[k], self.degree) for k in range(self.count)]

    def breaks(self, length: float) -> list[float]:
        """Inner knots."""
        return list(np.linspace(0.0, length, self.count - self.degree + 1)[1:-1])


# characteristic equations of uniform beams over beta L, in a form without large numbers
EQUATIONS = {
    "cantilever": lambda b: np.cos(b) + 1.0 / np.cosh(b),
    "free": lambda b: np.cos(b) - 1.0 / np.cosh(b),
    "clamped_pinned": lambda b: np.sin(b) - np.tanh(b) * np.cos(b),
}


def roots(kind: str, count: int) -> list[float]:
    """The first beta L of a uniform beam: cantilever, free (both ends), pinned (both ends), clamped_pinned."""
    if kind == "pinned":
        return [float(np.pi * k) for k in range(1, count + 1)]
    from scipy.optimize import root_scalar

    first = {"cantilever": 0.5, "free": 1.5, "clamped_pinned": 1.25}[kind]
    places = [(first + k) * np.pi for k in range(count)]
    found = [root_scalar(EQUATIONS[kind], bracket=(x - 0.5, x + 0.5), xtol=1e-15, rtol=1e-15, method="brentq") for x in places]
    return [float(x.root) for x in found]


def curvature(kind: str, b: float, length: float) -> Shape:
    """phi'' of a mode of a uniform beam, times a constant that makes it about one."""

    def decaying(s, ratio):
        """cosh - ratio sinh without cancellation, for ratio near one."""
        return 0.5 * (1.0 - ratio) * np.exp(b * s) + 0.5 * (1.0 + ratio) * np.exp(-b * s)

    def shape(x):
        s = np.asarray(x) / length
        if kind == "pinned":
            return np.sin(b * s)
        if kind == "cantilever":  # phi = cosh - cos - ratio (sinh - sin)
            e = np.exp(-b)
            ratio = (0.5 * (1 - e * e) - e * np.sin(b)) / (0.5 * (1 + e * e) + e * np.cos(b))
            rest = -e * (np.cos(b) + np.sin(b) + e) / (0.5 * (1 + e * e) + e * np.cos(b))  # ratio - 1
            growing = -0.5 * rest * np.exp(b * s)
            return growing + 0.5 * (1 + ratio) * np.exp(-b * s) + np.cos(b * s) - ratio * np.sin(b * s)
        ratio = (np.cosh(b) - np.cos(b)) / (np.sinh(b) - np.sin(b))
        if kind == "free":  # phi'' is that of a beam clamped at both ends
            return decaying(s, ratio) - np.cos(b * s) + ratio * np.sin(b * s)
        ratio = 1.0 / np.tanh(b) if b > 0 else 1.0
        return decaying(s, ratio) + np.cos(b * s) - ratio * np.sin(b * s)

    return shape


def deflections(count: int, length: float, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Modes phi (count, len(x)) of a uniform cantilever and their derivatives, 1/m; the tip moves by two.

    phi = cosh b s - cos b s - ratio (sinh b s - sin b s) ,   s = x / length
    """
    s, found = np.asarray(x, dtype=float) / length, []
    for b in roots("cantilever", count):
        e = np.exp(-b)
        below = 0.5 * (1 + e * e) + e * np.cos(b)
        ratio, rest = (0.5 * (1 - e * e) - e * np.sin(b)) / below, -e * (np.cos(b) + np.sin(b) + e) / below
        up, down = -0.5 * rest * np.exp(b * s), 0.5 * (1 + ratio) * np.exp(-b * s)
        phi = up + down - np.cos(b * s) + ratio * np.sin(b * s)
        found.append((phi, b / length * (up - down + np.sin(b * s) + ratio * np.cos(b * s))))
    phi, slope = zip(*found, strict=True)
    return np.array(phi), np.array(slope)


@brief
@dataclass(frozen=True)
class BeamModes:
    """Curvatures of the modes of a uniform beam, for bending; torsion and stretch get the sines and cosines of a bar.

    count : modes of each strain ; ends : "cantilever", "free", "pinned", "clamped_pinned"
    section, material : lo.Section and lo.Material of the beam, or lo.rods.SectionConstants alone, whose modes are then
        Timoshenko's: curvatures for bending, and shears for the strain that goes with it, from deformation by shear and inertia
        of sections
    """

    count: int
    ends: str = "cantilever"
    section: Any = None
    material: Any = None

    def __post_init__(self) -> None:
        whole(self.count, 1, "count of modes")
        if self.ends not in ("cantilever", "free", "pinned", "clamped_pinned"):
            raise ValueError(f"ends of a beam must be cantilever, free, pinned or clamped_pinned, not {self.ends!r:.40}")
        said = self.section is None if self.material is None else isinstance(self.section, Section)
        if not (said or (isinstance(self.section, SectionConstants) and self.material is None)):
            raise ValueError(
                "modes of a beam that shears need a lo.Section and a lo.Material, constant along it, or "
                "lo.rods.SectionConstants"
            )

    def functions(self, strain: str, order: int, length: float) -> list[Shape]:
        """phi'' of bending modes, or strains of the modes of a bar."""
        if self.section is not None and strain.startswith(("bending", "shear")):
            return self._sheared(strain, length)
        if strain.startswith("bending"):
            return [curvature(self.ends, b, length) for b in roots(self.ends, self.count)]
        fixed = self.ends in ("cantilever", "clamped_pinned")

        def bar(k):
            wave = (k + 0.5 if fixed else k + 1.0) * np.pi / length
            return (lambda x: np.cos(wave * np.asarray(x))) if fixed else (lambda x: np.sin(wave * np.asarray(x)))

        return [bar(k) for k in range(self.count)]

    def _sheared(self, strain: str, length: float) -> list[Shape]:
        """Curvatures or shears of Timoshenko's modes; those of bending about z go with shear along y."""
        here, about_z = slice_of(self.section, self.material), strain in ("bending_z", "shear_y")
        shear, bending, inertia = (here.stiffness[1], here.stiffness[5], here.inertia[1]) if about_z else (
            here.stiffness[2], here.stiffness[4], here.inertia[0]
        )  # fmt: skip
        if not (shear and bending and here.mass > 0.0 and inertia > 0.0):
            raise ValueError("modes of a beam that shears need a section with mass, inertia, shear and bending above 0")
        second = inertia / here.mass  # second moment of a section of unit area
        beam = Beam(length, here.mass, bending / second, shear, 1.0, second, self.ends)
        part = CURVATURE if strain.startswith("bending") else SHEAR
        return [lambda x, w=w: beam.mode(w, x)[part] for w in beam.rates(self.count)]

    def breaks(self, length: float) -> list[float]:
        """None."""
        return []


@dataclass(frozen=True)
class Harmonics:
    """Cosines and sines of a wavelength along the rod, and of its fractions: travelling waves of strain on few coordinates.

    wavelength : m ; count : cos and sin of wavelength / 1, ..., wavelength / count
    """

    wavelength: float
    count: int = 1

    def __post_init__(self) -> None:
        whole(self.count, 1, "count of harmonics")
        if isinstance(self.wavelength, bool) or not 0 < self.wavelength < np.inf:
            raise ValueError(f"wavelength of harmonics must be a positive number, m, not {self.wavelength!r:.40}")

    def functions(self, strain: str, order: int, length: float) -> list[Shape]:
        """cos, sin of the wavelength, then of its half, ..."""
        waves = [2 * np.pi * k / self.wavelength for k in range(1, self.count + 1)]
        return [lambda x, f=f, w=w: f(w * np.asarray(x)) for w in waves for f in (np.cos, np.sin)]

    def breaks(self, length: float) -> list[float]:
        """None."""
        return []


@dataclass(frozen=True)
class Points:
    """The strain at each of the points where the rod is integrated is a coordinate of its own.

    For strains that are imposed: any field may be given there (lo.StrainField, lo.StrainWave), since nothing else of it is ever
    used. The forces of these coordinates, over the lengths that they stand for, are the internal forces and moments.
    """
