"""Rods as users say them: section, material, which strains, and in which shapes these may vary along the rod.

A rod lies along x of its body frame, from the origin. Its strain xi(X) = (stretch, shear y, shear z, torsion, bending y,
bending z) is the twist per length that leads from a section to the next: (1, 0, 0, 0, 0, 0) where it is straight and at rest.

    xi(X) = rest(X) + B(X) r          r the deformation coordinates, B the basis
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log2, pi
from numbers import Real
from typing import Any

import numpy as np

STRAINS = ("stretch", "shear_y", "shear_z", "torsion", "bending_y", "bending_z")
SETS = {
    "all": STRAINS,
    "kirchhoff": STRAINS[3:],
    "planar": ("stretch", "shear_y", "bending_z"),
    "bending": ("bending_y", "bending_z"),
    "shear": ("shear_y", "shear_z"),
} | {name: (name,) for name in STRAINS}
EARTH = 9.81  # m/s^2
MOST_NATURAL = 20
MOST_NODES = 2000
STRAIGHT = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Section:
    """A cross-section: numbers about its centre, axes y and z of the section.

    area : m^2 ; about_y, about_z : integrals of z^2 and y^2 over it, m^4 ; torsion : torsion constant, m^4
    shear_y, shear_z : shear factors ; size : (y, z) half sizes to look at, m
    mass_about_y, mass_about_z : second moments that inertia has, if they are not those of stiffness, m^4
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

    def __post_init__(self):
        numbers = (self.area, self.about_y, self.about_z, self.torsion, self.shear_y, self.shear_z)
        if not all(isinstance(x, (int, float, np.number)) and np.isfinite(x) and x > 0 for x in numbers):
            raise ValueError(
                f"a section needs a positive area (m^2), second moments and torsion constant (m^4), not {numbers}; "
                f"lo.Section.circle(radius) makes a round one"
            )

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

    def __post_init__(self):
        good = [
            isinstance(x, Real) and not isinstance(x, bool) and 0.0 < x < np.inf for x in (self.root, self.tip, self.length)
        ]
        if not all(good):
            raise ValueError(
                f"a Cone has radii {self.root!r:.40} and {self.tip!r:.40} and the length {self.length!r:.40}, expected "
                f"positive numbers, m; for sections of other shapes give lo.Rod a function of X, or lo.Tabulated"
            )

    def __call__(self, x: float) -> Section:
        """The section at X, m."""
        return Section.circle(self.root + (self.tip - self.root) * x / self.length)


@dataclass(frozen=True)
class Material:
    """What a rod is made of.

    density : kg/m^3 ; young : Young's modulus, Pa ; poisson : Poisson's ratio ; shear : shear modulus, Pa, from both if None
    damping : Kelvin-Voigt time, s: stress = modulus (strain + damping * rate of strain)
    """

    density: float
    young: float
    poisson: float = 0.5
    shear: float | None = None
    damping: float = 0.0

    def __post_init__(self):
        if not float(self.density) == 0.0:  # of what has no inertia
            positive(self.density, "density of a material")
        positive(self.young, "Young's modulus of a material")
        for x, what in ((self.poisson, "Poisson's ratio"), (self.damping, "damping of a material")):
            if isinstance(x, bool) or not isinstance(x, (int, float, np.number)):
                raise ValueError(f"{what} must be a number, not {x!r:.40}")
        if not -1.0 < float(self.poisson) <= 0.5:
            raise ValueError(f"Poisson's ratio must be above -1 and at most 0.5, not {self.poisson!r:.40}")
        if self.shear is not None:
            positive(self.shear, "shear modulus of a material")
        if not float(self.damping) >= 0.0:
            raise ValueError(f"damping of a material must be a time from 0, s, not {self.damping!r:.40}")

    @property
    def shear_modulus(self) -> float:
        """G, Pa."""
        return float(self.shear) if self.shear is not None else float(self.young) / (2.0 * (1.0 + float(self.poisson)))


def positive(x: Any, what: str) -> float:
    """A finite positive number, or an error."""
    if isinstance(x, bool) or not isinstance(x, (int, float, np.number)) or not np.isfinite(x) or not x > 0:
        raise ValueError(f"{what} must be a positive number, not {x!r:.40}")
    return float(x)


@dataclass(frozen=True)
class Rod:
    """A slender body that bends, twists, stretches and shears.

    length : m, along x of the body frame ; section : lo.Section, or a function X -> lo.Section ; material : lo.Material, or
    a function X -> lo.Material
    strains : "all", "kirchhoff", "planar", or words of stretch, shear, shear_y, shear_z, torsion, bending, bending_y,
        bending_z; what is not there does not change
    order : highest degree of the Legendre polynomials, for all strains or by name: {"bending": 5, "stretch": 1}; if None, what
        the rod needs under its own weight, clamped and let go (`natural_order`)
    basis : None for Legendre; lo.Pieces, lo.BSplines, lo.BeamModes; functions of X (a list, or lists by name of strain)
    rest : strain without load: None for straight, three numbers (torsion, bending y, bending z, 1/m), six numbers, or a
        function of X that gives such
    nodes : number of mass nodes, by default four more than the highest degree (twice the degree if `order` is None), and at
        least 8
    breaks : X where section, material or load jump, m: integrals are taken on either side
    """

    length: float
    section: Section | Callable[[float], Section] = field(default_factory=lambda: Section.circle(0.01))
    material: Material | Callable[[float], Material] = field(default_factory=lambda: Material(1000.0, 1e6))
    strains: str = "bending torsion"
    order: int | Mapping[str, int] | None = None
    basis: Any = None
    rest: Any = None
    nodes: int | None = None
    breaks: tuple[float, ...] = ()

    def __post_init__(self):
        positive(self.length, "length of a rod")
        for part, kind in ((self.section, Section), (self.material, Material)):
            if not isinstance(part, kind) and not callable(part):
                raise ValueError(f"a rod takes a lo.{kind.__name__} or a function of X that gives one, not {part!r:.60}")
        if not self.active:
            raise ValueError("a rod needs a strain that may change; for a body that does not deform, use inertia= instead")
        if self.nodes is not None and (isinstance(self.nodes, bool) or not isinstance(self.nodes, int) or self.nodes < 2):
            raise ValueError(f"nodes of a rod must be a whole number from 2, not {self.nodes!r:.40}")
        if not isinstance(self.breaks, (tuple, list, np.ndarray)):
            raise ValueError(f"breaks of a rod must be several numbers, such as (0.5,), m, not {self.breaks!r:.40}")
        if self.nodes is not None and self.nodes > MOST_NODES:
            raise ValueError(f"nodes of a rod must be at most {MOST_NODES}, not {self.nodes}: some tens are many")
        for x in self.breaks:
            if not 0.0 < positive(x, "a break of a rod") < self.length:
                raise ValueError(f"a break of a rod must be inside it, between 0 and {self.length:g} m, not {x!r:.40}")
        if isinstance(self.order, Mapping):
            for name in self.order:
                if name not in SETS:
                    raise ValueError(f"order of a rod: no strain is named {name!r}; known: {', '.join(SETS)}")
        for name in self.active:
            self.order_of(name)

    @property
    def active(self) -> tuple[str, ...]:
        """Names of the strains that may change, in the order of the six."""
        if not isinstance(self.strains, str):
            raise ValueError(f"strains of a rod must be words, such as 'bending torsion', not {self.strains!r:.60}")
        words = self.strains.replace(",", " ").split()
        for word in words:
            if word not in SETS:
                raise ValueError(f"a rod has no strain {word!r}; known: {', '.join(SETS)}")
        chosen = {name for word in words for name in SETS[word]}
        return tuple(name for name in STRAINS if name in chosen)

    def order_of(self, strain: str) -> int:
        """The highest degree for one strain."""
        order: Any = self.order
        if order is None:
            return natural_order(self.softness, strain)
        if isinstance(order, Mapping):
            own = [value for name, value in order.items() if strain in SETS[name]]
            order = own[-1] if own else 1
        if isinstance(order, bool) or not isinstance(order, (int, np.integer)) or not 0 <= order <= 60:
            raise ValueError(f"order of a rod must be a whole number from 0 to 60, not {order!r:.40}")
        return int(order)

    @property
    def softness(self) -> float:
        """Weight times length squared over bending stiffness, in gravity of 9.81 m/s^2: half of it is how far, in radians, its
        own weight would bend a nearly stiff rod."""
        length, worst = float(self.length), 0.0
        for x in (0.0, 0.25 * length, 0.5 * length):
            section, stiffness = self.section_at(x), self.stiffness_at(x)
            worst = max(worst, float(self.material_at(x).density) * section.area / min(stiffness[4:]))
        return EARTH * length**3 * worst

    def section_at(self, x: float) -> Section:
        """The section at X."""
        return self._at(self.section, x, Section)

    def material_at(self, x: float) -> Material:
        """The material at X."""
        return self._at(self.material, x, Material)

    def _at(self, part, x, kind):
        value = part if isinstance(part, kind) else part(float(x))
        if not isinstance(value, kind):
            raise ValueError(f"a rod's function of X must give a lo.{kind.__name__}; at X = {x:g} m it gives {value!r:.60}")
        return value

    def rest_at(self, x: float) -> np.ndarray:
        """(6,) strain without load at X."""
        value = self.rest(float(x)) if callable(self.rest) else self.rest
        strain = np.array(STRAIGHT)
        if value is not None:
            try:
                numbers = np.asarray(value, dtype=float)
            except (TypeError, ValueError):
                numbers = np.zeros(0)
            if numbers.shape not in ((3,), (6,)) or not np.isfinite(numbers).all():
                raise ValueError(
                    f"rest of a rod must be three numbers (torsion, bending y, bending z, 1/m) or six, not {value!r:.60}"
                )
            strain[6 - len(numbers) :] = numbers
        if not strain[0] > 0:
            raise ValueError(f"the rest strain of a rod at X = {x:g} m has a stretch of {strain[0]:g}; it must be positive")
        return strain

    def stiffness_at(self, x: float) -> np.ndarray:
        """(6,) EA, kGA, kGA, GJ, EI, EI at X: N, N m^2."""
        s, m = self.section_at(x), self.material_at(x)
        e, g = float(m.young), m.shear_modulus
        shear = (s.shear_y * g * s.area, s.shear_z * g * s.area)
        return np.array([e * s.area, *shear, g * s.torsion, e * s.about_y, e * s.about_z])


def natural_order(softness: float, strain: str) -> int:
    """The highest degree that a rod of a softness needs for one of its strains.

    Measured on a cantilever that is let go under its own weight, so that its tip is right to a thousandth of the length and a
    hundredth of the deflection, at softness 0.1 to 100: softer rods fold, and waves of stretch and shear run along them.
    """
    folds = log2(1.0 + softness / 4.0)
    start, slope = {"bending_y": (3, 2.0), "bending_z": (3, 2.0), "torsion": (1, 1.0)}.get(strain, (1, 1.5))
    return min(start + int(slope * folds), MOST_NATURAL)


def checked_functions(given: Any, strain: str) -> list[Callable[[float], float]]:
    """Functions of X of a user's basis for one strain."""
    own = given.get(strain, ()) if isinstance(given, Mapping) else given
    own = [own] if callable(own) else own
    if not isinstance(own, Sequence) or not all(callable(f) for f in own):
        raise ValueError(f"the basis of a rod must be functions of X, or lists of them by name of strain, not {given!r:.60}")
    return list(own)
