"""Drives: imposed motions of one coordinate. Each gives position, velocity and acceleration at a time.

Units are those of the coordinate, written u: rad for angles, m for shifts; times are in s. Drives are values: they compare,
print as code that makes them again, and are added and scaled with + - * /. A number is a Constant, a function of t
a Function and a pair (times, values) a Spline wherever a drive is expected. This is what all kinds share.
"""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from functools import cached_property
from math import tau
from numbers import Real
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from locomote.compiler.callbacks import Callback, shortened
from locomote.drives.drive_inputs import number

if TYPE_CHECKING:
    from locomote.drives.packing import Signals

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
        return self._packed.motion(t)

    @cached_property
    def _packed(self) -> "Signals":
        from locomote.drives.packing import pack_signals

        return pack_signals({0: self})

    def __add__(self, other):
        return _sum(self, other) if _is_summand(other) else NotImplemented

    def __radd__(self, other):
        return _sum(other, self) if _is_summand(other) else NotImplemented

    def __neg__(self):
        return self._scaled(-1.0)

    def __sub__(self, other):
        return -(-self + other) if _is_summand(other) else NotImplemented

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
        """The drive as numbers and words that JSON can hold; see `from_record`."""
        return {"kind": type(self).__name__} | {name: storable(value) for name, value in self.__getstate__().items()}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Drive":
        """The drive of a record that `to_record` made."""
        from locomote.drives.table import drive_from_record

        drive = drive_from_record(record)
        if not isinstance(drive, cls):
            raise ValueError(f"the record is of a {type(drive).__name__}, not of a {cls.__name__}")
        return drive


def _is_summand(given: Any) -> bool:
    """Whether something can be added to a drive; a pair (times, values) is a tuple, which has a + of its own."""
    return isinstance(given, (Drive, Real)) or callable(given)


def _sum(*terms: Any) -> Drive:
    from locomote.drives.kinds.sum import Sum

    return Sum(terms)


def as_drive(given: Any) -> Drive:
    """A drive as it is; a number as Constant, a function of t as Function, a pair (times, values) as Spline."""
    if isinstance(given, Drive):
        return given
    if isinstance(given, type):
        raise TypeError(f"expected a drive, not the class {given.__name__}; give it its values, as in {given.__name__}(...)")
    from locomote.drives.kinds.constant import Constant
    from locomote.drives.kinds.function import Function
    from locomote.drives.kinds.spline import Spline

    if isinstance(given, Real) or isinstance(given, np.ndarray) and given.ndim == 0:
        return Constant(given)  # type: ignore[arg-type]
    if callable(given):
        if (count := needed(given)) > 1:
            raise TypeError(
                f"a function of one joint gets the time alone, f(t); this one asks for {count} things. "
                "A controller of all joints is torques=function, with function(t, q, v) -> (nv,)"
            )
        return Function(given)
    if isinstance(given, (tuple, list, np.ndarray)) and len(given) == 2 and all(np.ndim(part) == 1 for part in given):
        return Spline(*given)
    raise TypeError(f"expected a drive, a number, a function of t or a pair (times, values), not {shortened(given)}")


def needed(function: Any) -> int:
    """How many things a function of Python has to be given, in order; one for other callables, compiled ones among them."""
    if not isinstance(function, FunctionType | MethodType):
        return 1
    asked = inspect.signature(function).parameters.values()
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(x.kind in plain and x.default is inspect.Parameter.empty for x in asked)


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
