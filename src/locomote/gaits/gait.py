"""A gait: a closed path of shapes, gone through once a period.

Each coordinate has a drive: a Fourier series, a periodic spline, a sine, a function. Coordinates are joints, or modes that
move several joints together.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.drives.drive import Drive, as_drive
from locomote.drives.kinds.constant import Constant
from locomote.drives.kinds.fourier import Fourier
from locomote.drives.kinds.sine import Sine
from locomote.drives.kinds.spline import Spline
from locomote.drives.kinds.sum import Sum
from locomote.gaits.coordinates import joined
from locomote.gaits.path_ordered import Panels
from locomote.spatial.numbers import as_numbers

CLOSED = 1e-9  # of the size of a path: how far its ends may lie apart
LEAST = 8  # panels of a period, at least


@brief
@dataclass(frozen=True)
class Gait:
    """A closed path of shapes.

    paths : name of a joint, or of a mode -> lo.Fourier, lo.Spline, lo.Sine, a sum of them, a number, a function of t
    period : s; that of the drives if None
    modes : name of a mode -> {joint: how far it turns by a unit of the mode}, for names in paths that are no joints
    corners : times, s, at which a function among the paths is not smooth
    """

    paths: Mapping[Any, Any]
    period: float = field(default=None, kw_only=True)  # type: ignore[assignment]
    modes: Mapping[str, Mapping[Any, float]] = field(default_factory=dict, kw_only=True)
    corners: tuple[float, ...] = field(default=(), kw_only=True)

    def __post_init__(self):
        if not isinstance(self.paths, Mapping) or not self.paths:
            raise TypeError(f"paths of a Gait is {self.paths!r:.60}, expected {{joint: drive}}")
        put = object.__setattr__
        put(self, "paths", {joined(name): as_drive(drive) for name, drive in self.paths.items()})
        period = common_period(self.paths) if self.period is None else self.period
        if isinstance(period, bool) or not isinstance(period, (int, float, np.number)) or not 0.0 < period < np.inf:
            raise ValueError(f"period of a Gait is {period!r:.60}, expected a number of seconds above 0")
        put(self, "period", float(period))
        if not isinstance(self.modes, Mapping) or not all(isinstance(weights, Mapping) for weights in self.modes.values()):
            raise TypeError(f"modes of a Gait is {self.modes!r:.60}, expected {{name: {{joint: weight}}}}")
        if unknown := [name for name in self.modes if name not in self.paths]:
            raise ValueError(f"mode {unknown[0]!r} has no path; the paths are of {', '.join(self.paths)}")
        corners = as_numbers(self.corners, "corners of a Gait", "times, s")
        if corners.ndim != 1 or not np.isfinite(corners).all():
            raise ValueError(f"corners of a Gait is {self.corners!r:.60}, expected times, s")
        self._refuse_open()

    @property
    def names(self) -> tuple[str, ...]:
        """Coordinates that it goes over."""
        return tuple(self.paths)

    @property
    def coordinates(self) -> dict[str, Any]:
        """Coordinates as fields and local forms take them: modes with their weights."""
        return {name: dict(self.modes.get(name, {name: 1.0})) for name in self.paths}

    def shapes(self, t) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values, rates and second rates (..., k) of the coordinates at times t (...), s."""
        found = [motion_of(drive, np.asarray(t, dtype=float)) for drive in self.paths.values()]
        x, dx, ddx = (np.stack([np.asarray(part[j], dtype=float) for part in found], axis=-1) for j in range(3))
        return x, dx, ddx

    def drives(self) -> dict[str, Drive]:
        """Drives of joints, as `drives` of a problem: `problem.replaced(drives=gait.drives())` runs it."""
        found: dict[str, Drive] = {}
        for name, drive in self.paths.items():
            for joint, weight in self.modes.get(name, {name: 1.0}).items():
                own = drive if weight == 1.0 else float(weight) * drive
                found[joined(joint)] = found[joined(joint)] + own if joined(joint) in found else own
        return found

    def panels(self, count: int = 0) -> Panels:
        """Pieces of a period within which the path is smooth, at least `count`."""
        least = max(LEAST, 4 * max(map(harmonics, self.paths.values())), count)
        inside = sorted({0.0, self.period, *(x % self.period for x in self._breaks)})
        pieces = [max(1, int(np.ceil(least * (b - a) / self.period - 1e-9))) for a, b in zip(inside, inside[1:], strict=False)]
        parts = [np.linspace(a, b, n + 1)[:-1] for a, b, n in zip(inside, inside[1:], pieces, strict=False)]
        return Panels(np.concatenate([*parts, [self.period]]))

    def shifted(self, part: float) -> "Gait":
        """The same path from another starting point; part : of the period, 0 to 1"""
        return Gait(
            {name: Later(drive, part * self.period, self.period) for name, drive in self.paths.items()},
            period=self.period, modes=self.modes, corners=tuple((c - part * self.period) % self.period for c in self.corners),
        )  # fmt: skip

    @cached_property
    def _breaks(self) -> list[float]:
        return [*self.corners, *(x for drive in self.paths.values() for x in knots(drive))]

    def _refuse_open(self) -> None:
        """Say which coordinate does not come back."""
        first, last = (self.shapes(t)[0] for t in (0.0, self.period))
        many = self.shapes(np.linspace(0.0, self.period, 65))[0]
        if not np.isfinite(many).all():
            raise ValueError(
                f"the path of {self.names[int(np.argmin(np.isfinite(many).all(axis=0)))]!r} is not finite everywhere"
            )
        gap = abs(last - first)
        size = np.maximum(abs(many).max(axis=0), 1.0)
        if (gap > CLOSED * size).any():
            k = int(np.argmax(gap / size))
            raise ValueError(
                f"the path of {self.names[k]!r} does not close: it starts at {first[k]:.6g} and is at {last[k]:.6g} after the "
                f"period of {self.period:g} s; give drives that come back, or the period that they have"
            )
        for name, drive in self.paths.items():
            for own in (p for p in periods(drive) if not isinstance(drive, Spline)):
                if abs(self.period / own - round(self.period / own)) > CLOSED * self.period / own:
                    raise ValueError(
                        f"the path of {name!r} has a period of {own:.6g} s, and the gait one of {self.period:.6g} s, which is "
                        f"no multiple of it, so that its rate does not come back; give rates that fit, or period="
                    )


@dataclass(frozen=True)
class Later(Drive):
    """A periodic drive from a later time on."""

    drive: Drive
    delay: float
    period: float
    ramp: float = 0.0

    def __call__(self, t):
        return self.drive((np.asarray(t, dtype=float) + self.delay) % self.period)

    def _terms(self):
        raise ValueError("a shifted gait is for net motions; give drives with phases of their own to run it")

    def _scaled(self, factor):
        return Later(self.drive._scaled(factor), self.delay, self.period)


def motion_of(drive: Drive, t: np.ndarray) -> tuple:
    """Position, rate and second rate of a drive at times (...); of a Fourier series by arrays, which takes no compiling."""
    if not isinstance(drive, Fourier) or drive.ramp:
        return drive(t)
    n = drive.rate * np.arange(1, len(drive.cosines) + 1)
    a, b = np.array(drive.cosines), np.array(drive.sines)
    c, s = np.cos(t[..., None] * n), np.sin(t[..., None] * n)
    return drive.mean + c @ a + s @ b, c @ (n * b) - s @ (n * a), -c @ (n * n * a) - s @ (n * n * b)


def common_period(paths: Mapping[Any, Drive]) -> float:
    """The period of drives that have one."""
    found = [p for drive in paths.values() for p in periods(drive)]
    if not found:
        raise ValueError(f"the paths of {', '.join(paths)} have no period of their own; give period=, s")
    return max(found)


def periods(drive: Drive) -> list[float]:
    """Periods of the parts of a drive."""
    if isinstance(drive, (Sine, Fourier)):
        return [2 * np.pi / abs(drive.rate)] if drive.rate else []
    if isinstance(drive, Spline):
        return [drive.times[-1] - drive.times[0]]
    return [p for term in drive.terms for p in periods(term)] if isinstance(drive, Sum) else []


def harmonics(drive: Drive) -> int:
    """How many waves a drive has in a period, about."""
    if isinstance(drive, Fourier):
        return len(drive.cosines)
    if isinstance(drive, Sum):
        return max(map(harmonics, drive.terms))
    return 0 if isinstance(drive, Constant) else 2


def knots(drive: Drive) -> list[float]:
    """Times at which a drive is not smooth."""
    if isinstance(drive, Spline):
        return list(drive.times)
    if isinstance(drive, Later):
        return [x - drive.delay for x in knots(drive.drive)]
    return [x for term in drive.terms for x in knots(term)] if isinstance(drive, Sum) else list(drive._breaks())
