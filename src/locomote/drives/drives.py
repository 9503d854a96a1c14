"""Drives: imposed motions of one coordinate. Each gives position, velocity and acceleration at a time.

Units are those of the coordinate, written u: rad for angles, m for shifts; times are in s. Drives are values: they compare,
print as code that makes them again, and are added and scaled with + - * /. A number is a Constant, a function of t
a Function and a pair (times, values) a Spline wherever a drive is expected.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from math import tau
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from locomote.brief import brief
from locomote.compiler.callbacks import Callback, shortened, table_of
from locomote.compiler.numba_private import CFunc
from locomote.drives import signals as packed
from locomote.drives.drive_inputs import number, one_of, row, told
from locomote.dynamics.differences import FIRST_RATE, SECOND_RATE
from locomote.errors import UnknownName

SMALLEST_STEP = 1e-12  # s, of differences of a function
FEW = 200  # times that are faster done in Python than by loading compiled code
DIFFERENCE_STEP = 2.0**-8  # s; a power of two, so that t + k step is exact
OUTSIDE = {"hold": packed.HOLD, "error": packed.ERROR, "repeat": packed.REPEAT}
ENDS: dict[str, dict[int, Any]] = {  # by order, as SciPy wants it: (derivative, value) at the first and at the last sample
    "natural": {3: ((2, 0.0), (2, 0.0)), 5: ([(3, 0.0), (4, 0.0)], [(3, 0.0), (4, 0.0)])},
    "clamped": {3: ((1, 0.0), (1, 0.0)), 5: ([(1, 0.0), (2, 0.0)], [(1, 0.0), (2, 0.0)])},
    "periodic": {3: "periodic", 5: "periodic"},
}
CLOSED = 1e-12  # how far the ends of a periodic spline may differ, relative to its largest value


Row = Any  # numbers in a row: a list, tuple or array is taken, a tuple of floats is kept


class Term(NamedTuple):
    """What one row of packed signals is made of."""

    kind: int
    ramps: tuple[float, ...]
    numbers: tuple[float, ...] | np.ndarray
    callback: Callback | None = None


class Drive(ABC):
    """An imposed motion of one coordinate. `drive(t)` gives (position, velocity, acceleration); t may be an array."""

    ramp: float
    __array_ufunc__ = None  # NumPy's numbers leave + and * to the methods below

    @abstractmethod
    def _terms(self) -> list[Term]:
        """The rows of packed signals that the drive is made of, its ramp included."""

    @abstractmethod
    def _scaled(self, factor: float) -> "Drive":
        """The drive times a number."""

    def _gap(self, t: float) -> str:
        """Why the drive has no value at t, or nothing."""
        return ""

    def _breaks(self) -> tuple[float, ...]:
        """Times, s, at which it is not smooth, so that long steps end there."""
        return ramp_breaks(self)

    def __call__(self, t: Any) -> tuple:
        """Position, velocity and acceleration at t (s), each of the shape of t. What a Function raises comes out here."""
        times = np.asarray(t, dtype=float)
        flat = np.ascontiguousarray(times).reshape(-1)
        motion = np.empty((3, flat.size))
        signals = self._packed
        if flat.size > FEW:
            given = flat if flat.flags.writeable else flat.copy()
            packed.compiled_history(signals.rows, signals.numbers, signals.table, given, motion)
        else:
            packed.history(signals.rows, signals.numbers, signals.table, flat, motion, np.empty(packed.SCRATCH))
        signals.raise_fault()
        if times.ndim == 0:
            return tuple(motion[:, 0].tolist())
        return tuple(row.reshape(times.shape) for row in motion)

    @cached_property
    def _packed(self) -> "Signals":
        return pack_signals({0: self})

    def __add__(self, other):
        return Sum((self, as_drive(other))) if isinstance(other, (Drive, Real)) or callable(other) else NotImplemented

    def __radd__(self, other):
        return Sum((as_drive(other), self)) if isinstance(other, (Drive, Real)) or callable(other) else NotImplemented

    def __neg__(self):
        return self._scaled(-1.0)

    def __sub__(self, other):
        return self + -as_drive(other) if isinstance(other, (Drive, Real)) or callable(other) else NotImplemented

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, factor):
        return self._scaled(number("factor", factor, "a drive")) if isinstance(factor, Real) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, factor):
        return self._scaled(1.0 / number("divisor", factor, "a drive")) if isinstance(factor, Real) else NotImplemented

    def __getstate__(self):
        return {part.name: getattr(self, part.name) for part in fields(self)}  # type: ignore[arg-type]

    def to_record(self) -> dict[str, Any]:
        """The drive as numbers and words that JSON can hold; see `drive_from_record`."""
        return {"kind": type(self).__name__} | {name: storable(value) for name, value in self.__getstate__().items()}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Drive":
        """The drive of a record that `to_record` made."""
        drive = drive_from_record(record)
        if not isinstance(drive, cls):
            raise ValueError(f"the record is of a {type(drive).__name__}, not of a {cls.__name__}")
        return drive


@dataclass(frozen=True, init=False)
class Sine(Drive):
    """offset + amplitude sin(rate t + phase); amplitude and offset in u, rate in rad/s (or frequency in Hz), phase in rad."""

    amplitude: float
    rate: float
    phase: float = 0.0
    offset: float = 0.0
    ramp: float = 0.0

    def __init__(
        self,
        amplitude: float,
        rate: float | None = None,
        phase: float = 0.0,
        offset: float = 0.0,
        *,
        frequency: float | None = None,
        ramp: float = 0.0,
    ):
        rate = rate_of(rate, frequency, "a Sine")
        put(self, amplitude=amplitude, rate=rate, phase=phase, offset=offset, ramp=ramp)
        settle(self, "amplitude", "rate", "phase", "offset", "ramp")

    @property
    def frequency(self) -> float:
        """Periods per second, Hz."""
        return self.rate / tau

    def _terms(self):
        return [Term(packed.SINE, ramps(self), (self.amplitude, self.rate, self.phase, self.offset))]

    def _scaled(self, factor):
        return replace(self, amplitude=factor * self.amplitude, offset=factor * self.offset)


@dataclass(frozen=True)
class Constant(Drive):
    """One value for all times, in u; with a ramp it is gone to from zero."""

    value: float
    ramp: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        settle(self, "value", "ramp")

    def _terms(self):
        return [Term(packed.POLYNOMIAL, ramps(self), (self.value,))]

    def _scaled(self, factor):
        return replace(self, value=factor * self.value)


@brief
@dataclass(frozen=True)
class Polynomial(Drive):
    """c0 + c1 t + c2 t^2 + ...; coefficients in u, u/s, u/s^2, ..."""

    coefficients: Row
    ramp: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        settle(self, "ramp")
        put(self, coefficients=row("coefficients", self.coefficients, "a Polynomial", least=1))

    def _terms(self):
        return [Term(packed.POLYNOMIAL, ramps(self), self.coefficients)]

    def _scaled(self, factor):
        return replace(self, coefficients=tuple(factor * c for c in self.coefficients))


@dataclass(frozen=True)
class Cycloid(Drive):
    """From start at t = 0 to end at t = duration, at rest before and after; two continuous rates. start and end in u."""

    start: float
    end: float
    duration: float
    ramp: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        settle(self, "start", "end", "duration", "ramp")
        if self.duration <= 0.0:
            raise ValueError(f"duration of a Cycloid must be more than 0 s, not {self.duration:g}")

    def _terms(self):
        return [Term(packed.CYCLOID, ramps(self), (self.start, self.end, self.duration))]

    def _breaks(self):
        return (*ramp_breaks(self), 0.0, self.duration)

    def _scaled(self, factor):
        return replace(self, start=factor * self.start, end=factor * self.end)


@brief
@dataclass(frozen=True)
class Spline(Drive):
    """Samples joined by polynomials of order 3 (acceleration continuous) or 5 (its two rates too).

    times, values : s and u; at least two, times strictly increasing
    end : "natural": straight ends, second derivative zero (order 5: third and fourth);
        "clamped": velocity zero (order 5: acceleration too); "periodic": joined to a loop, last value = first
    outside : "hold": the end value, at rest; "error": no value, a simulation stops with a sentence; "repeat": a periodic spline
        again and again. Without a word: "repeat" if periodic, else "hold"
    """

    times: Row
    values: Row
    end: str = field(default="natural", kw_only=True)
    outside: str | None = field(default=None, kw_only=True)
    order: int = field(default=3, kw_only=True)
    ramp: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        settle(self, "ramp")
        times = row("times", self.times, "a Spline", least=2)
        values = row("values", self.values, "a Spline", least=2)
        put(self, times=times, values=values, outside=self.outside or ("repeat" if self.end == "periodic" else "hold"))
        if len(times) != len(values):
            raise ValueError(f"a Spline needs as many values as times, not {len(values)} values at {len(times)} times")
        for k, (earlier, later) in enumerate(zip(times, times[1:], strict=False)):
            if not later > earlier:
                raise ValueError(f"times of a Spline must increase: times[{k + 1}] = {later!r} follows {earlier!r}")
        if self.order not in (3, 5):
            raise ValueError(f"order of a Spline must be 3 or 5, not {self.order!r}")
        put(self, order=int(self.order))
        one_of("end", self.end, ENDS)
        one_of("outside", self.outside, OUTSIDE)
        if self.outside == "repeat" and self.end != "periodic":
            raise ValueError("outside='repeat' needs end='periodic', or the motion would jump")
        if self.end == "periodic" and abs(values[-1] - values[0]) > CLOSED * max(map(abs, values)):
            raise ValueError(f"a periodic Spline ends where it starts, but goes from {values[0]!r} to {values[-1]!r}")
        if (self.order, self.end, len(times)) == (5, "natural", 2):
            raise ValueError("a natural Spline of order 5 needs three samples; give one more, or end='clamped'")
        try:
            sound = bool(np.isfinite(self._pieces).all())
        except (ValueError, np.linalg.LinAlgError):  # SciPy's words for the same
            sound = False
        if not sound:
            raise ValueError("the coefficients of this Spline are too large for float64: samples are too near or too large")

    @cached_property
    def _pieces(self) -> np.ndarray:
        """Coefficients (pieces, order + 1) of powers of t - times[i], lowest first."""
        from scipy.interpolate import CubicSpline, make_interp_spline

        times, values, end = np.array(self.times), np.array(self.values), ENDS[self.end][self.order]
        if self.end == "periodic":
            values[-1] = values[0]
        with np.errstate(all="ignore"):
            curve = (
                CubicSpline(times, values, bc_type=end)
                if self.order == 3
                else make_interp_spline(times, values, 5, bc_type=end)
            )
            return np.stack([curve(times[:-1], n) / math.factorial(n) for n in range(self.order + 1)], axis=1)

    def _terms(self):
        head = (self.order + 1, OUTSIDE[str(self.outside)], len(self.times) - 1)
        return [Term(packed.SPLINE, ramps(self), np.concatenate([head, self.times, self._pieces.ravel()]))]

    def _breaks(self):
        return (*ramp_breaks(self), *(() if self.outside == "repeat" else (self.times[0], self.times[-1])))

    def _scaled(self, factor):
        return replace(self, values=tuple(factor * value for value in self.values))

    def _gap(self, t):
        if self.outside == "error" and not self.times[0] <= t <= self.times[-1]:
            return f"its samples go from {self.times[0]:g} to {self.times[-1]:g} s; give more, or outside='hold'"
        return ""


@brief
@dataclass(frozen=True)
class Function(Drive):
    """Python functions of t (one number in, one number out), called back from compiled code.

    position, velocity, acceleration : u, u/s, u/s^2. What is missing is found by eighth-order central differences of what is
        given: in the first 10 s of motions of 1 to 20 rad/s, velocities to 1e-11 and accelerations to 1e-10 of the largest.
        Functions are then asked at times up to 4 steps before and after t
    step : s, of these differences; shorter for faster motions
    factor : all of it is multiplied by this
    breaks : times, s, at which it is not smooth: steps of rods, which are long, end there

    `position` may also be a `numba.cfunc` with the signature `locomote.compiler.callbacks.C_SIGNATURE`, which stores all three
    in `out` and runs without Python.
    """

    position: Callable
    velocity: Callable | None = None
    acceleration: Callable | None = None
    step: float = field(default=DIFFERENCE_STEP, kw_only=True)
    factor: float = field(default=1.0, kw_only=True)
    breaks: Row = field(default=(), kw_only=True)
    ramp: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        settle(self, "step", "factor", "ramp")
        put(self, breaks=row("breaks", self.breaks, "a Function", least=0))
        if self.step <= 0.0:
            raise ValueError(f"step of a Function must be more than 0 s, not {self.step:g}")
        if self.step < SMALLEST_STEP:
            raise ValueError(f"step of a Function must be at least {SMALLEST_STEP:g} s, not {self.step:g}")
        for name in ("position", "velocity", "acceleration"):
            given = getattr(self, name)
            if not callable(given) and (given is not None or name == "position"):
                raise TypeError(f"{name} of a Function must be a function of t, not {shortened(given)}")
        if isinstance(self.position, CFunc) and not self.velocity is self.acceleration is None:
            raise ValueError("a cfunc gives position, velocity and acceleration; leave the other two out")

    def _terms(self):
        compiled = isinstance(self.position, CFunc)
        name = str(getattr(self.position, "__qualname__", type(self.position).__qualname__))
        callback = Callback(self.position if compiled else self._motion, (1, 1, 3), name=f"drive {name}")
        return [Term(packed.FUNCTION, ramps(self), (self.factor,), callback)]

    def _motion(self, t: float, q: Any = None, v: Any = None) -> tuple[float, float, float]:
        position, velocity, acceleration, step = self.position, self.velocity, self.acceleration, self.step
        x = told(position, position(t))
        pairs = []
        if velocity is None:
            pairs = [(float(position(t + k * step)), float(position(t - k * step))) for k in range(1, 5)]
            dx = sum(c * (after - before) for c, (after, before) in zip(FIRST_RATE, pairs, strict=True)) / step
        else:
            dx = told(velocity, velocity(t))
        if acceleration is not None:
            ddx = told(acceleration, acceleration(t))
        elif velocity is not None:
            speeds = [(float(velocity(t + k * step)), float(velocity(t - k * step))) for k in range(1, 5)]
            ddx = sum(c * (after - before) for c, (after, before) in zip(FIRST_RATE, speeds, strict=True)) / step
        else:
            bends = [c * ((after - x) + (before - x)) for c, (after, before) in zip(SECOND_RATE, pairs, strict=True)]
            ddx = sum(bends) / (step * step)
        return x, dx, ddx

    def _breaks(self):
        return (*ramp_breaks(self), *self.breaks)

    def _scaled(self, factor):
        return replace(self, factor=factor * self.factor)

    def to_record(self):
        name = getattr(self.position, "__qualname__", type(self.position).__qualname__)
        raise ValueError(f"the drive {name!r} cannot be stored, since it is a Python function; store a Spline of its samples")


@brief
@dataclass(frozen=True)
class Sum(Drive):
    """Several drives at once; what + makes."""

    terms: tuple[Drive, ...]
    ramp: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        settle(self, "ramp")
        if isinstance(self.terms, (str, bytes, Drive)) or not isinstance(self.terms, Iterable):
            raise TypeError(f"terms of a Sum must be a sequence of drives, not {shortened(self.terms)}")
        given = [as_drive(term) for term in self.terms]
        if not given:
            raise ValueError("a Sum needs at least one drive; Constant(0.0) is no motion")
        nested = [term.terms if isinstance(term, Sum) and not term.ramp else (term,) for term in given]
        put(self, terms=tuple(term for inner in nested for term in inner))

    def _terms(self):
        own = ramps(self)
        return [part._replace(ramps=own + part.ramps) for term in self.terms for part in term._terms()]

    def _breaks(self):
        return (*ramp_breaks(self), *(x for term in self.terms for x in term._breaks()))

    def _scaled(self, factor):
        return replace(self, terms=tuple(term._scaled(factor) for term in self.terms))

    def _gap(self, t):
        return next(filter(None, (term._gap(t) for term in self.terms)), "")


@brief
@dataclass(frozen=True, eq=False)
class Signals:
    """Packed drives, for `drives.signals`.

    rows : (terms, 5) int64, whose SPARE is a row of a table that begins with `functions`; numbers : float64
    functions : the callbacks of that table, from row `first` on; drives : index -> drive, as they were given
    """

    rows: np.ndarray
    numbers: np.ndarray
    functions: list[Callback]
    drives: dict[int, Drive]
    first: int = 0

    @cached_property
    def table(self) -> np.ndarray:
        """The table of functions of these drives alone; good as long as this object lives."""
        return table_of([*[None] * self.first, *self.functions])

    @property
    def breaks(self) -> list[float]:
        """Times, s, at which some drive is not smooth."""
        return [x for drive in self.drives.values() for x in drive._breaks()]

    def raise_fault(self) -> None:
        """Raise what a Function of the user raised, if one did."""
        for callback in self.functions:
            callback.raise_fault()

    def gap(self, t: float) -> tuple[int, str] | None:
        """The first index whose drive is not finite at t, and a sentence on it; None if all are well."""
        for index, drive in self.drives.items():
            motion = drive(t)
            if not all(map(math.isfinite, motion)):
                return index, f"its drive has no value at t = {t:g} s: {drive._gap(t) or f'it gives {motion}'}"
        return None

    def __reduce__(self):
        return pack_signals, (self.drives, self.first)


def pack_signals(drives: Mapping[int, Any], first: int = 0) -> Signals:
    """Drives by the index of their coordinate, as arrays for compiled code; their functions stand in a table from row `first`
    on."""
    rows, numbers, functions, kept = [], [], [], {}
    for index, given in drives.items():
        if not isinstance(index, Integral) or index < 0:
            raise ValueError(f"drives are packed by indices from 0, not by {index!r}")
        drive = kept[int(index)] = as_drive(given)
        for term in drive._terms():
            own = [len(term.ramps), *term.ramps, *term.numbers]
            rows.append([int(index), term.kind, len(numbers), len(own), first + len(functions) if term.callback else 0])
            numbers.extend(own)
            functions.extend([term.callback] if term.callback else [])
    shape = (len(rows), packed.COLUMNS)
    return Signals(np.array(rows, dtype=np.int64).reshape(shape), np.array(numbers, dtype=float), functions, kept, first)


def as_drive(given: Any) -> Drive:
    """A drive as it is; a number as Constant, a function of t as Function, a pair (times, values) as Spline."""
    if isinstance(given, Drive):
        return given
    if isinstance(given, type):
        raise TypeError(f"expected a drive, not the class {given.__name__}; give it its values, as in {given.__name__}(...)")
    if isinstance(given, Real) or isinstance(given, np.ndarray) and given.ndim == 0:
        return Constant(given)  # type: ignore[arg-type]
    if callable(given):
        return Function(given)
    if isinstance(given, (tuple, list, np.ndarray)) and len(given) == 2 and all(np.ndim(part) == 1 for part in given):
        return Spline(*given)
    raise TypeError(f"expected a drive, a number, a function of t or a pair (times, values), not {shortened(given)}")


def drive_from_record(record: Mapping[str, Any]) -> Drive:
    """The drive of a record that `to_record` made."""
    if not isinstance(record, Mapping) or "kind" not in record:
        raise ValueError(f"the record of a drive is a table with a 'kind', not {shortened(record)}")
    own = (kind for kind in Drive.__subclasses__() if kind.__module__ == __name__ and kind is not Function)
    stored = {kind.__name__: kind for kind in own}
    label = record["kind"]
    if not isinstance(label, str) or label not in stored:
        raise UnknownName("drive", label, stored, "records of drives")
    kind = stored[label]
    names = {part.name for part in fields(kind)}  # type: ignore[arg-type]
    values = {name: value for name, value in record.items() if name != "kind"}
    for name in values:
        if name not in names:
            raise UnknownName("value", name, sorted(names), f"a {label}")
    if kind is Sum and isinstance(values.get("terms"), (list, tuple)):
        values["terms"] = [drive_from_record(term) for term in values["terms"]]
    try:
        return kind(**values)
    except TypeError as error:
        raise ValueError(f"the record of a {label} is not complete or has a wrong value: {error}") from error


def storable(value: Any) -> Any:
    """A value of a drive as JSON knows it."""
    if isinstance(value, tuple):
        return [storable(part) for part in value]
    return value.to_record() if isinstance(value, Drive) else value


def ramps(drive: Drive) -> tuple[float, ...]:
    """The ramp of a drive, if it has one."""
    return (drive.ramp,) if drive.ramp else ()


def ramp_breaks(drive: Drive) -> tuple[float, ...]:
    """Where the ramp of a drive begins and ends, if it has one."""
    return (0.0, drive.ramp) if drive.ramp else ()


def put(drive: Any, **values: Any) -> None:
    """Set values of a frozen record while it is made."""
    for name, value in values.items():
        object.__setattr__(drive, name, value)


def rate_of(rate: float | None, frequency: float | None, owner: str) -> float:
    """The rate (rad/s) of what was given one of the two: its rate, or its frequency (Hz)."""
    if (rate is None) == (frequency is None):
        raise TypeError(f"{owner} takes either rate, rad/s, or frequency, Hz; {'none' if rate is None else 'both'} was given")
    return tau * number("frequency", frequency, owner) if rate is None else rate


def settle(drive: Drive, *names: str) -> None:
    """Make plain finite floats of the named values; a ramp must not be negative."""
    owner = f"a {type(drive).__name__}"
    put(drive, **{name: number(name, getattr(drive, name), owner) for name in names})
    if "ramp" in names and drive.ramp < 0.0:
        raise ValueError(f"ramp of {owner} must be 0 s or more, not {drive.ramp:g}")
