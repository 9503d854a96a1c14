"""Rods as users say them: section, material, which strains, and in which shapes these may vary along the rod.

A rod lies along x of its body frame, from the origin. Its strain xi(X) = (stretch, shear y, shear z, torsion, bending y,
bending z) is the twist per length that leads from a section to the next: (1, 0, 0, 0, 0, 0) where it is straight and at rest.

    xi(X) = rest(X) + B(X) r          r the deformation coordinates, B the basis
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, log2
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.model.flexible.cross_sections import SETS, STRAINS, Material, Section, SectionConstants, Slice, positive, slice_of
from locomote.model.flexible.cross_sections import Cone as Cone

EARTH = 9.81  # m/s^2
MOST_NATURAL = 20
MOST_NODES = 2000
STRAIGHT = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@brief
@dataclass(frozen=True)
class Rod:
    """A slender body that bends, twists, stretches and shears.

    length : m, along x of the body frame ; section : lo.Section, or a function X -> lo.Section ; material : lo.Material, or
    a function X -> lo.Material; soft rubber (1000 kg/m^3, 1 MPa) if None. A section by its constants, lo.rods.SectionConstants,
    says both
    strains : "all", "kirchhoff", "planar", or words of stretch, shear, shear_y, shear_z, torsion, bending, bending_y,
        bending_z; what is not there does not change
    order : highest degree of the Legendre polynomials, for all strains or by name: {"bending": 5, "stretch": 1}; if None, what
        the rod needs under its own weight, clamped and let go (`natural_order`)
    basis : None for Legendre; lo.rods.Pieces, lo.rods.BSplines, lo.rods.BeamModes; functions of X (a list, or lists by name of
    strain) rest : strain without load: None for straight, three numbers (torsion, bending y, bending z, 1/m), six numbers, or a
        function of X that gives such
    nodes : number of mass nodes, by default four more than the highest degree (twice the degree if `order` is None), and at
        least 8
    breaks : X where section, material or load jump, m: integrals are taken on either side
    """

    length: float
    section: Section | SectionConstants | Callable[[float], Section | SectionConstants] = field(
        default_factory=lambda: Section.circle(0.01)
    )
    material: Material | Callable[[float], Material] | None = None
    strains: str = "bending torsion"
    order: int | Mapping[str, int] | None = None
    basis: Any = None
    rest: Any = None
    nodes: int | None = None
    breaks: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        positive(self.length, "length of a rod")
        for part, kinds in ((self.section, (Section, SectionConstants)), (self.material, (Material, type(None)))):
            if not isinstance(part, kinds) and not callable(part):
                raise ValueError(f"a rod takes a lo.{kinds[0].__name__} or a function of X that gives one, not {part!r:.60}")
        if not self.active:
            raise ValueError("a rod needs a strain that may change; for a body that does not deform, use inertia= instead")
        if self.nodes is not None and (isinstance(self.nodes, bool) or not isinstance(self.nodes, int) or self.nodes < 2):
            raise ValueError(f"nodes of a rod must be an integer from 2, not {self.nodes!r:.40}")
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
        said = self.section_at(0.0)
        if isinstance(said, SectionConstants):
            self._refuse_unsaid(said)
        elif self.material is None:
            object.__setattr__(self, "material", Material(1000.0, 1e6))
        for name in self.active:
            self.order_of(name)

    def _refuse_unsaid(self, section: SectionConstants) -> None:
        """An error where a section by its constants does not say all that the rod needs, or a material says it again."""
        if self.material is not None:
            raise ValueError(
                "lo.rods.SectionConstants says mass and stiffness of a rod already: leave material out, or give a lo.Section"
            )
        for name in self.active:
            if section.stiffness[STRAINS.index(name)] is None:
                word = name.split("_")[0]
                raise ValueError(
                    f"the rod has the strain {name}, but its section says no stiffness for it: give {word}= to "
                    f"lo.rods.SectionConstants, 0 for none, or leave {name} out of strains"
                )

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
            raise ValueError(f"order of a rod must be an integer from 0 to 60, not {order!r:.40}")
        return int(order)

    @property
    def softness(self) -> float:
        """Weight times length squared over bending stiffness, in gravity of 9.81 m/s^2: half of it is how far, in radians, its
        own weight would bend a nearly stiff rod."""
        length, worst = float(self.length), 0.0
        for x in (0.0, 0.25 * length, 0.5 * length):
            here = self.at(x)
            bending = [inf if k is None else k for k in here.stiffness[4:]]
            if here.mass > 0.0:
                worst = max(worst, here.mass / min(bending) if min(bending) > 0.0 else inf)
        return EARTH * length**3 * worst

    def section_at(self, x: float) -> Section | SectionConstants:
        """The section at X."""
        return self._at(self.section, x, (Section, SectionConstants))

    def material_at(self, x: float) -> Material:
        """The material at X; of a section by its constants there is none."""
        return self._at(self.material, x, (Material,))

    def _at(self, part, x, kinds):
        value = part(float(x)) if callable(part) else part
        if not isinstance(value, kinds):
            raise ValueError(f"a rod's function of X must give a lo.{kinds[0].__name__}; at X = {x:g} m it gives {value!r:.60}")
        return value

    def at(self, x: float) -> Slice:
        """What the rod is at X, per length: stiffness, damping, mass, inertia, area and size."""
        section = self.section_at(x)
        return slice_of(section, None if isinstance(section, SectionConstants) else self.material_at(x))

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
        """(6,) EA, kGA, kGA, GJ, EI, EI at X: N, N m^2; 0 where a section by its constants says nothing."""
        return np.array([0.0 if k is None else k for k in self.at(x).stiffness])

    def damping_at(self, x: float) -> np.ndarray:
        """(6,) damping times of the strains at X, s."""
        return np.array(self.at(x).damping)


def natural_order(softness: float, strain: str) -> int:
    """The highest degree that a rod of a softness needs for one of its strains.

    Measured on a cantilever that is let go under its own weight, so that its tip is right to a thousandth of the length and a
    hundredth of the deflection, at softness 0.1 to 100: softer rods fold, and waves of stretch and shear run along them.
    """
    if not softness < inf:
        raise ValueError(
            "a rod without stiffness against bending folds as finely as it may: say how finely, order= with the highest degree "
            "of its strains"
        )
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
