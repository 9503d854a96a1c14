"""Goals: what of a run is to be differentiated. Values at instants and integrals, and arithmetic on these.

    lo.at_end("board.x") ** 2 + 0.1 * lo.integral("power.drives")

A goal knows its terms, and from their values its own and its slopes by them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

Values = Mapping["Term", np.ndarray]
Slopes = dict["Term", np.ndarray]


class Goal:
    """A number that a run has, made of terms. Goals are added, multiplied, raised to powers; NumPy's functions take them."""

    terms: tuple["Term", ...]
    text: str

    def at(self, values: Values) -> tuple[Any, Slopes]:
        """The value, and slopes by terms, from values of the terms."""
        raise NotImplementedError

    def __add__(self, other):
        return _joined(self, other, lambda a, b: (a + b, 1.0, 1.0), "{} + {}")

    def __sub__(self, other):
        return _joined(self, other, lambda a, b: (a - b, 1.0, -1.0), "{} - ({})")

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        return _joined(self, other, lambda a, b: (a * b, b, a), "({}) * ({})")

    def __truediv__(self, other):
        return _joined(self, other, lambda a, b: (a / b, 1.0 / b, -a / (b * b)), "({}) / ({})")

    def __rtruediv__(self, other):
        return self._of(lambda a: (other / a, -other / (a * a)), f"{other} / ({{}})")

    __radd__, __rmul__ = __add__, __mul__

    def __pow__(self, power):
        if not isinstance(power, Real):
            raise TypeError(f"a goal is raised to a number, not to {power!r:.40}")
        n = float(power)
        return self._of(lambda a: (a**n, n * a ** (n - 1.0) if n else 0.0 * a), f"({{}})**{power}")

    def __neg__(self):
        return self * -1.0

    def _of(self, function: Callable, text: str) -> "Goal":
        return Expression((self,), function, text.format(self.text))

    def sin(self):
        return self._of(lambda a: (np.sin(a), np.cos(a)), "sin({})")

    def cos(self):
        return self._of(lambda a: (np.cos(a), -np.sin(a)), "cos({})")

    def exp(self):
        return self._of(lambda a: (np.exp(a), np.exp(a)), "exp({})")

    def log(self):
        return self._of(lambda a: (np.log(a), 1.0 / a), "log({})")

    def sqrt(self):
        return self._of(lambda a: (np.sqrt(a), 0.5 / np.sqrt(a)), "sqrt({})")

    def __repr__(self):
        return f"<Goal {self.text:.80}>"


@dataclass(frozen=True)
class Mixed:
    """A function of some channels."""

    function: Callable
    names: tuple[str, ...]

    @property
    def __name__(self) -> str:
        return f"{getattr(self.function, '__name__', 'function')}({', '.join(self.names)})"


@dataclass(frozen=True, repr=False)
class Term(Goal):
    """A channel, or a function of (t, q, v) or of channels, at the end (kind "end"), at a time ("time"), or integrated
    ("integral")."""

    kind: str
    what: str | Callable | Mixed
    time: float | None = None

    @property
    def terms(self):
        return (self,)

    @property
    def text(self) -> str:
        name = self.what if isinstance(self.what, str) else getattr(self.what, "__name__", "function")
        return f"{self.kind} of {name}" + ("" if self.time is None else f" at {self.time:g} s")

    def at(self, values: Values) -> tuple[Any, Slopes]:
        return values[self], {self: np.ones_like(values[self])}


@dataclass(frozen=True, repr=False)
class Expression(Goal):
    """A function of goals that gives its value and its slopes by each of them."""

    parts: tuple[Goal, ...]
    function: Callable
    text: str

    @property
    def terms(self):
        return tuple(dict.fromkeys(term for part in self.parts for term in part.terms))

    def at(self, values: Values) -> tuple[Any, Slopes]:
        found = [part.at(values) for part in self.parts]
        value, *rates = self.function(*(x for x, _ in found))
        slopes: Slopes = {}
        for rate, (_, own) in zip(rates, found, strict=True):
            for term, slope in own.items():
                slopes[term] = slopes.get(term, 0.0) + rate * slope
        return value, slopes


def _joined(one: Goal, other: Any, function: Callable, text: str) -> Goal:
    if isinstance(other, Goal):
        return Expression((one, other), function, text.format(one.text, other.text))
    if not isinstance(other, Real):
        raise TypeError(f"a goal and {other!r:.40} have no {text.format('sum', 'product')}: numbers and goals have")
    number = float(other)
    return Expression((one,), lambda a: function(a, number)[:2], text.format(one.text, number))


def _named(what: Any, of: Sequence[str], call: str) -> str | Callable | Mixed:
    names = (of,) if isinstance(of, str) else tuple(of)
    if names and not (callable(what) and all(isinstance(name, str) for name in names)):
        raise TypeError(f"{call} with of={of!r:.60} takes a function of these channels, by name, not {what!r:.60}")
    if isinstance(what, str):
        return what
    if not callable(what):
        raise TypeError(f"{call} takes the name of a channel or a function (t, q, v) -> number, not {what!r:.60}")
    return Mixed(what, names) if names else what


def at_end(what: str | Callable, *, of: str | Sequence[str] = ()) -> Goal:
    """The value of a channel at the end of a run, as a goal of `lo.gradient`.

    what : name of a channel, as in `run.channels`, or a function (t, q, v) -> number, made of arithmetic and of NumPy's sin,
        cos, sqrt, exp and log
    of : names of channels that the function takes in the place of t, q and v
    """
    return Term("end", _named(what, of, "at_end"))


def at_time(what: str | Callable, t: float, *, of: str | Sequence[str] = ()) -> Goal:
    """The value of a channel at time t (s) of a run, as a goal of `lo.gradient`. what, of : as of `lo.at_end`"""
    if not isinstance(t, Real) or not np.isfinite(float(t)):
        raise TypeError(f"at_time takes a time in s, not {t!r:.40}")
    return Term("time", _named(what, of, "at_time"), float(t))


def integral(what: str | Callable, *, of: str | Sequence[str] = ()) -> Goal:
    """The integral of a channel over the time of a run, as a goal of `lo.gradient`, in its unit times s.

    what, of : as of `lo.at_end`; also torques, accelerations, and "power.drives" and "power.torques"
    """
    return Term("integral", _named(what, of, "integral"))


def goal(function: Callable, parts: Sequence[Goal]) -> Goal:
    """A function of several goals whose derivative you know.

    function : (x,) of shape (parts,) -> (value, slopes (parts,))
    """
    parts = tuple(parts)
    if not callable(function) or not parts or not all(isinstance(part, Goal) for part in parts):
        raise TypeError("goal takes a function (x) -> (value, slopes) and a sequence of goals, such as lo.at_end('board.x')")

    def spread(*values) -> tuple:
        rows = np.stack(np.broadcast_arrays(*values), axis=-1)
        found = [checked(function(row)) for row in rows.reshape(-1, len(parts))]
        shape = rows.shape[:-1]
        slopes = np.array([slope for _, slope in found]).reshape(*shape, len(parts))
        return np.array([value for value, _ in found]).reshape(shape), *np.moveaxis(slopes, -1, 0)

    def checked(given: Any) -> tuple[float, np.ndarray]:
        pair = isinstance(given, (tuple, list)) and len(given) == 2
        if not pair or np.shape(given[0]) != () or np.shape(given[1]) != (len(parts),):
            raise ValueError(f"the function of the goal gave {given!r:.80}, expected (value, slopes) with {len(parts)} slopes")
        return float(given[0]), np.asarray(given[1], dtype=float)

    return Expression(parts, spread, getattr(function, "__name__", "function"))
