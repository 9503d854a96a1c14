"""What a rod is made of at a place: a section of a material, or the constants of a section as they were measured.

Strains are (stretch, shear y, shear z, torsion, bending y, bending z), and so are the six stiffnesses

    EA, kGA, kGA (N), GJ, EI_y, EI_z (N m^2)

and the six damping times: stress = stiffness (strain + time * rate of strain), after Kelvin and Voigt.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from math import pi
from numbers import Real
from typing import Any

import numpy as np

from locomote.brief import brief

STRAINS = ("stretch", "shear_y", "shear_z", "torsion", "bending_y", "bending_z")
SETS = {
    "all": STRAINS,
    "kirchhoff": STRAINS[3:],
    "planar": ("stretch", "shear_y", "bending_z"),
    "bending": ("bending_y", "bending_z"),
    "shear": ("shear_y", "shear_z"),
} | {name: (name,) for name in STRAINS}
LARGEST = sys.float_info.max


@dataclass(frozen=True)
class Section:
    """A cross-section: numbers about its center, axes y and z of the section.

    area : m^2 ; about_y, about_z : integrals of z^2 and y^2 over it, m^4 ; torsion : torsion constant, m^4
    shear_y, shear_z : shear factors ; size : (y, z) half sizes to look at, m
    mass_about_y, mass_about_z : second moments that inertia has, if they are not those of stiffness, m^4; 0 for none
    """

    area: float
    about_y: float
    about_z: float
    torsion: float
    shear_y: float = 5 / 6
    shear_z: float = 5 / 6
    size: tuple[float, float] = (0.0, 0.0)
    mass_about_y: float | None = None
    mass_about_z: float | None = None

    def __post_init__(self) -> None:
        numbers = (self.area, self.about_y, self.about_z, self.torsion, self.shear_y, self.shear_z)
        if not all(isinstance(x, (int, float, np.number)) and 0.0 < x <= LARGEST for x in numbers):
            raise ValueError(
                f"a section needs a positive area (m^2), second moments and torsion constant (m^4), not {numbers}; "
                f"lo.Section.circle(radius) makes a round one"
            )
        for x, what in ((self.mass_about_y, "mass_about_y"), (self.mass_about_z, "mass_about_z")):
            if x is not None:
                not_negative(x, f"{what} of a section, m^4,")
        checked_size(self.size)

    @classmethod
    def circle(cls, radius: float) -> "Section":
        """A disc of a radius, m."""
        return cls.tube(radius, 0.0)

    @classmethod
    def tube(cls, outer: float, inner: float) -> "Section":
        """A ring between two radii, m."""
        outer, inner = positive(outer, "radius of a section"), float(inner)
        if not 0.0 <= inner < outer:
            raise ValueError(f"the inner radius of a tube must be between 0 and the outer one ({outer:g} m), not {inner:g}")
        second = pi / 4 * (outer**4 - inner**4)
        return cls(pi * (outer**2 - inner**2), second, second, 2 * second, 27 / 28, 27 / 28, (outer, outer))

    @classmethod
    def ellipse(cls, y: float, z: float) -> "Section":
        """An ellipse with semi-axes y and z, m."""
        y, z = positive(y, "semi-axis y of a section"), positive(z, "semi-axis z of a section")
        torsion = pi * y**3 * z**3 / (y**2 + z**2)
        return cls(pi * y * z, pi / 4 * y * z**3, pi / 4 * z * y**3, torsion, 0.9, 0.9, (y, z))

    @classmethod
    def rectangle(cls, y: float, z: float) -> "Section":
        """A rectangle with sides y and z, m."""
        y, z = positive(y, "side y of a section"), positive(z, "side z of a section")
        long, short = max(y, z) / 2, min(y, z) / 2
        ratio = short / long
        torsion = (
            long * short**3 * (16 / 3 - 3.36 * ratio * (1 - ratio**4 / 12))
        )  # Young, Roark's Formulas for Stress and Strain
        return cls(y * z, y * z**3 / 12, z * y**3 / 12, torsion, 5 / 6, 5 / 6, (y / 2, z / 2))


@dataclass(frozen=True)
class Cone:
    """Round sections whose radius changes from root to tip: a function of X for `Rod(section=...)` that files can hold.

    root, tip : radii, m ; length : of the rod, m
    """

    root: float
    tip: float
    length: float

    def __post_init__(self) -> None:
        sizes = (self.root, self.tip, self.length)
        if not all(isinstance(x, Real) and not isinstance(x, bool) and 0.0 < x < np.inf for x in sizes):
            raise ValueError(
                f"a Cone has radii {self.root!r:.40} and {self.tip!r:.40} and the length {self.length!r:.40}, expected "
                f"positive numbers, m; for sections of other shapes give lo.Rod a function of X, or lo.rods.Tabulated"
            )

    def __call__(self, x: float) -> Section:
        """The section at X, m."""
        return Section.circle(self.root + (self.tip - self.root) * x / self.length)


@brief
@dataclass(frozen=True)
class Material:
    """What a rod is made of.

    density : kg/m^3 ; young : Young's modulus, Pa ; poisson : Poisson's ratio ; shear : shear modulus, Pa, from both if None
    young 0 is a material without elasticity.
    damping : Kelvin-Voigt time, s: stress = modulus (strain + damping * rate of strain); one for all strains, or by strain,
        {"bending": 0.02, "stretch": 0.01}, none where nothing is said, or six numbers
    """

    density: float
    young: float
    poisson: float = 0.5
    shear: float | None = None
    damping: Any = 0.0

    def __post_init__(self) -> None:
        not_negative(self.density, "density of a material")
        not_negative(self.young, "Young's modulus of a material")
        object.__setattr__(self, "damping", checked_damping(self.damping, "damping of a material"))
        if isinstance(self.poisson, bool) or not isinstance(self.poisson, (int, float, np.number)):
            raise ValueError(f"Poisson's ratio must be a number, not {self.poisson!r:.40}")
        if not -1.0 < float(self.poisson) <= 0.5:
            raise ValueError(f"Poisson's ratio must be above -1 and at most 0.5, not {self.poisson!r:.40}")
        if self.shear is not None:
            not_negative(self.shear, "shear modulus of a material")

    @property
    def shear_modulus(self) -> float:
        """G, Pa."""
        return float(self.shear) if self.shear is not None else float(self.young) / (2.0 * (1.0 + float(self.poisson)))


def positive(x: Any, what: str) -> float:
    """A finite positive number, or an error."""
    if isinstance(x, bool) or not isinstance(x, (int, float, np.number)) or not 0.0 < x <= LARGEST:
        raise ValueError(f"{what} must be a positive number, not {x!r:.40}")
    return float(x)


def not_negative(x: Any, what: str) -> float:
    """A finite number from 0, or an error."""
    if isinstance(x, bool) or not isinstance(x, (int, float, np.number)) or not 0.0 <= x <= LARGEST:
        raise ValueError(f"{what} must be a finite number from 0, not {x!r:.40}")
    return float(x)


def checked_size(size: Any) -> None:
    """Refuse half sizes that are none."""
    if not isinstance(size, (tuple, list, np.ndarray)) or len(size) != 2:
        raise ValueError(f"size of a section must be two half sizes (y, z), m, not {size!r:.40}")
    for x in size:
        not_negative(x, "a half size of a section, m,")


def checked_damping(given: Any, what: str) -> float | tuple[float, ...]:
    """One time for all strains, or six, s."""
    if isinstance(given, Mapping):
        times: dict[str, float] = dict.fromkeys(STRAINS, 0.0)
        for name, time in given.items():
            if name not in SETS:
                raise ValueError(f"{what}: no strain is named {name!r:.40}; known: {', '.join(SETS)}")
            times.update(dict.fromkeys(SETS[name], not_negative(time, f"{what}, s, for {name}")))
        return tuple(times.values())
    if isinstance(given, (tuple, list, np.ndarray)) and len(given) == 6:
        return tuple(not_negative(time, f"{what}, s,") for time in given)
    if isinstance(given, bool) or not isinstance(given, (int, float, np.number)):
        raise ValueError(f"{what} must be a number, s, numbers by strain, or six of them, not {given!r:.40}")
    return not_negative(given, f"{what}, s,")


@brief
@dataclass(frozen=True)
class SectionConstants:
    """A cross-section by its constants, as experiments and papers give them; stands for lo.Section and lo.Material together.

    mass : rho A, kg/m ; stretch : EA, N ; shear : kGA, N ; torsion : GJ, N m^2 ; bending : EI, N m^2
    inertia : rho I, kg m, that sections turn with about y and z, about x with the sum
    shear, bending, inertia : one number for y and z, or two ; 0 for no elasticity ; what is None does not matter, because the
        rod does not have that strain
    damping : Kelvin-Voigt time, s, one for all strains, or by strain, as of lo.Material
    area : m^2, that buoyancy displaces ; size : (y, z) half sizes to look at, m
    """

    mass: float
    stretch: float | None = None
    shear: float | tuple[float, float] | None = None
    torsion: float | None = None
    bending: float | tuple[float, float] | None = None
    inertia: float | tuple[float, float] = 0.0
    damping: Any = 0.0
    area: float = 0.0
    size: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        for name in ("mass", "area", "stretch", "torsion"):
            if (x := getattr(self, name)) is not None:
                not_negative(x, f"{name} of a section")
        for name in ("shear", "bending", "inertia"):
            x = getattr(self, name)
            pair = (x,) if np.ndim(x) == 0 else tuple(x)
            if x is not None and len(pair) not in (1, 2):
                raise ValueError(f"{name} of a section must be one number, or two about y and z, not {x!r:.60}")
            if x is not None:
                pair = tuple(not_negative(one, f"{name} of a section") for one in pair)
                object.__setattr__(self, name, pair if len(pair) == 2 else pair[0])
        object.__setattr__(self, "damping", checked_damping(self.damping, "damping of a section"))
        checked_size(self.size)

    @property
    def stiffness(self) -> tuple[float | None, ...]:
        """The six stiffnesses, None where nothing is said."""
        return (self.stretch, *both(self.shear), self.torsion, *both(self.bending))


def both(x: Any) -> tuple[Any, Any]:
    """One value for y and z, or the two."""
    return tuple(x) if isinstance(x, (tuple, list)) else (x, x)  # type: ignore[return-value]


@dataclass(frozen=True)
class Slice:
    """A rod at one X, per length.

    stiffness : (6,) N, N m^2, None where a section by its constants says nothing ; damping : (6,) s
    mass : kg/m ; inertia : (rho I_y, rho I_z), kg m ; area : m^2 ; size : (y, z), m
    """

    stiffness: tuple[float | None, ...]
    damping: tuple[float, ...]
    mass: float
    inertia: tuple[float, float]
    area: float
    size: tuple[float, float]


def slice_of(section: Section | SectionConstants, material: Material | None) -> Slice:
    """A section of a material, or a section by its constants, as numbers."""
    if isinstance(section, SectionConstants):
        return Slice(
            section.stiffness, six(section.damping), float(section.mass), both(section.inertia), float(section.area),
            section.size,
        )  # fmt: skip
    assert material is not None
    s, e, g, density = section, float(material.young), material.shear_modulus, float(material.density)
    stiffness = (e * s.area, s.shear_y * g * s.area, s.shear_z * g * s.area, g * s.torsion, e * s.about_y, e * s.about_z)
    about_y = s.about_y if s.mass_about_y is None else s.mass_about_y
    about_z = s.about_z if s.mass_about_z is None else s.mass_about_z
    inertia = density * float(about_y), density * float(about_z)
    return Slice(stiffness, six(material.damping), density * s.area, inertia, float(s.area), s.size)


def six(damping: Any) -> tuple[float, ...]:
    """A time for each strain."""
    return tuple(damping) if isinstance(damping, tuple) else (float(damping),) * 6
