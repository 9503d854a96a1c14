"""Imposed strains of rods: any field over X and t, or a travelling wave.

The strain must have the basis lo.rods.Points: then its coordinates are the strains at the points where the rod is integrated.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import tau
from numbers import Real
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.drives.drive import Drive, put, rate_of
from locomote.drives.drive_inputs import told
from locomote.drives.kinds.function import Function
from locomote.drives.kinds.sine import Sine
from locomote.model.flexible.rods import STRAINS


@brief
@dataclass(frozen=True)
class StrainField:
    """A strain over X (m) and t (s): function(X, t) -> value, or (value, rate, second rate), 1/m or without unit.

    strain : which of the six: "bending_z", ...; the value is the whole strain: a straight rod at rest has 1 in "stretch" and
        0 in all others
    """

    function: Callable[[float, float], Any]
    strain: str = "bending_z"

    def drive_at(self, x: float, rest: float) -> Drive:
        """The drive of the coordinate at X, whose strain without load is `rest`."""

        if isinstance(self.function(x, 0.0), (tuple, list)):
            parts = [lambda t, k=k: told(self.function, self.function(x, t)[k]) for k in range(3)]
            return Function(lambda t: parts[0](t) - rest, parts[1], parts[2])
        return Function(lambda t: told(self.function, self.function(x, t)) - rest)


@brief
@dataclass(frozen=True, init=False)
class StrainWave:
    """A travelling wave of strain: offset + amplitude sin(rate t - 2 pi X / wavelength + phase), from root to tip.

    amplitude, offset : 1/m (bending, torsion) or without unit, numbers or functions of X
    wavelength : m, negative for a wave from tip to root ; rate : rad/s, or frequency : Hz ; phase : rad ; ramp : s, see lo.Sine
    """

    amplitude: float | Callable[[float], float]
    wavelength: float
    rate: float
    strain: str = "bending_z"
    phase: float = 0.0
    offset: float | Callable[[float], float] = 0.0
    ramp: float = 0.0

    def __init__(
        self,
        amplitude: float | Callable[[float], float],
        wavelength: float,
        rate: float | None = None,
        strain: str = "bending_z",
        phase: float = 0.0,
        offset: float | Callable[[float], float] = 0.0,
        ramp: float = 0.0,
        *,
        frequency: float | None = None,
    ):
        rate = rate_of(rate, frequency, "a StrainWave")
        if isinstance(wavelength, Real) and wavelength == 0.0:
            raise ValueError("wavelength of a StrainWave is 0 m, expected another number, m")
        put(self, amplitude=amplitude, wavelength=wavelength, rate=rate, strain=strain, phase=phase, offset=offset, ramp=ramp)

    @property
    def frequency(self) -> float:
        """Periods per second, Hz."""
        return self.rate / tau

    def drive_at(self, x: float, rest: float) -> Drive:
        """The drive of the coordinate at X, whose strain without load is `rest`."""
        size = told(self.amplitude, self.amplitude(x) if callable(self.amplitude) else self.amplitude)
        middle = told(self.offset, self.offset(x) if callable(self.offset) else self.offset)
        phase = self.phase - tau * x / self.wavelength
        return Sine(size, self.rate, phase=phase, offset=middle - rest, ramp=self.ramp)


def strain_drives(model, name: str, fields) -> dict[int, Drive]:
    """Drives, by coordinate of v, of the strain fields of a rod."""
    rods = model.flexible.rods if model.flexible else {}
    if name not in rods:
        known = ", ".join(map(repr, rods)) or "none"
        raise ValueError(f"drives[{name!r}] is a strain field, but {name!r} is no flexible body; there are: {known}")
    rod, first, found = rods[name], model.joint(name).v.start, {}
    for field in fields:
        if field.strain not in STRAINS:
            raise ValueError(f"drives[{name!r}]: a rod has no strain {field.strain!r}; known: {', '.join(STRAINS)}")
        c = STRAINS.index(field.strain)
        own = [k for k, label in enumerate(rod.names) if label.startswith(field.strain + " at ")]
        if not own:
            raise ValueError(
                f"drives[{name!r}]: the strain {field.strain!r} of this rod is not over points; give it "
                f"basis={{{field.strain!r}: lo.rods.Points()}}, so that any field can be imposed"
            )
        for k, x, rest in zip(own, rod.points.ravel(), rod.strain[:, :, c].ravel(), strict=True):
            found[first + k] = field.drive_at(float(x), float(rest))
    return found


def several(given: Any) -> list:
    """One or several as a list."""
    return list(given) if isinstance(given, (list, tuple)) else [given]


def are_strains(given: Any) -> bool:
    """Whether what is given as drives are strain fields."""
    if isinstance(given, (list, tuple)):
        return bool(given) and all(isinstance(x, (StrainField, StrainWave)) for x in given)
    return isinstance(given, (StrainField, StrainWave))


def refuse_free_points(model, imposed: np.ndarray) -> None:
    """Raise if a strain over points is not imposed: there are more of them than nodes with mass."""
    for name, rod in (model.flexible.rods if model.flexible else {}).items():
        first = model.joint(name).v.start
        for k, label in enumerate(rod.names):
            if " at " in label and not imposed[first + k]:
                raise ValueError(
                    f"the strain {label.split()[0]!r} of rod {name!r} is over points (lo.rods.Points) and must be imposed: "
                    f"give "
                    f"drives={{{name!r}: lo.StrainField(...)}}, or another basis"
                )
