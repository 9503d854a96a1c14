"""Derivatives of functions of a state that users write, (t, q, v) -> numbers: exact where they take dual numbers.

A dual number is a value and its derivatives along n directions; arithmetic and NumPy's functions go on with both. What
asks for floats (a kernel, `math.sin`, `problem.impact`) refuses such numbers, and then derivatives are central differences of
eighth order, with steps in proportion to the sizes that the state has: a robot of a millimetre has other steps than one of a
metre. Steps get shorter until two give the same, so that a root or a limit nearby does no harm.

Directions are the time, departures of the configuration along v, and velocities.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from locomote.dynamics.differences import derivative
from locomote.model.joints import PLACES
from locomote.model.model import Model

STEP, SHORTER, TRIES = 4e-3, 4.0, 8  # first step, over the size of a coordinate; ratio of steps; how many
SAME = 1e-12  # relative change that is rounding


class Sloped:
    """A value, and its derivatives (n,)."""

    __slots__ = ("slope", "value")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: float, slope: np.ndarray):
        self.value, self.slope = value, slope

    def __float__(self):
        raise TypeError("a dual number is no float: the result would lose its derivatives")

    __int__ = __index__ = __complex__ = __float__

    def __bool__(self) -> bool:
        return self.value != 0.0

    def __repr__(self) -> str:
        return f"Sloped({self.value!r})"

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        result = getattr(ufunc, method)(*map(_boxed, inputs), **options)
        return result[()] if isinstance(result, np.ndarray) and result.ndim == 0 else result

    def _with(self, value: float, rate: float) -> "Sloped":
        return Sloped(value, rate * self.slope)

    def __add__(self, other):
        b, db = _parts(other)
        return Sloped(self.value + b, self.slope + db)

    def __sub__(self, other):
        b, db = _parts(other)
        return Sloped(self.value - b, self.slope - db)

    def __mul__(self, other):
        b, db = _parts(other)
        return Sloped(self.value * b, self.slope * b + self.value * db)

    def __truediv__(self, other):
        b, db = _parts(other)
        return Sloped(self.value / b, (self.slope - self.value / b * db) / b)

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        b, _ = _parts(other)
        return self._with(b / self.value, -b / self.value**2)

    __radd__, __rmul__ = __add__, __mul__

    def __pow__(self, other):
        if isinstance(other, Sloped):
            return (self.log() * other).exp()
        return self._with(self.value**other, other * self.value ** (other - 1) if other else 0.0)

    def __rpow__(self, other):
        return self._with(other**self.value, float(np.log(other)) * other**self.value)

    def __mod__(self, other):
        b, db = _parts(other)
        return Sloped(self.value % b, self.slope - (self.value // b) * db)

    def __neg__(self):
        return Sloped(-self.value, -self.slope)

    def __pos__(self):
        return self

    def __abs__(self):
        return -self if self.value < 0.0 else self

    def __eq__(self, other) -> bool:
        return self.value == _parts(other)[0]

    def __lt__(self, other):
        return self.value < _parts(other)[0]

    def __le__(self, other):
        return self.value <= _parts(other)[0]

    def __gt__(self, other):
        return self.value > _parts(other)[0]

    def __ge__(self, other):
        return self.value >= _parts(other)[0]

    def conjugate(self):
        return self

    def hypot(self, other):
        b, db = _parts(other)
        length = float(np.hypot(self.value, b))
        return Sloped(length, (self.value * self.slope + b * db) / length)

    def arctan2(self, other):
        b, db = _parts(other)
        square = self.value**2 + b**2
        return Sloped(float(np.arctan2(self.value, b)), (b * self.slope - self.value * db) / square)


RATES: dict[str, Callable[[float], float]] = {
    "sin": np.cos, "cos": lambda x: -np.sin(x), "tan": lambda x: 1.0 / np.cos(x) ** 2,
    "arcsin": lambda x: 1.0 / np.sqrt(1.0 - x * x), "arccos": lambda x: -1.0 / np.sqrt(1.0 - x * x),
    "arctan": lambda x: 1.0 / (1.0 + x * x), "sinh": np.cosh, "cosh": np.sinh, "tanh": lambda x: 1.0 / np.cosh(x) ** 2,
    "exp": np.exp, "log": lambda x: 1.0 / x, "expm1": np.exp, "log1p": lambda x: 1.0 / (1.0 + x),
    "sqrt": lambda x: 0.5 / np.sqrt(x), "radians": lambda x: np.pi / 180.0, "degrees": lambda x: 180.0 / np.pi,
    "deg2rad": lambda x: np.pi / 180.0, "rad2deg": lambda x: 180.0 / np.pi,
}  # fmt: skip


def _method(name: str, rate: Callable[[float], float]):
    function = getattr(np, name)
    return lambda self: self._with(float(function(self.value)), float(rate(self.value)))


for _name, _rate in RATES.items():
    setattr(Sloped, _name, _method(_name, _rate))


def _parts(x: Any) -> tuple[float, Any]:
    return (x.value, x.slope) if isinstance(x, Sloped) else (x, 0.0)


def _boxed(x: Any) -> Any:
    """What NumPy's functions go through element by element."""
    if isinstance(x, Sloped):
        box = np.empty((), dtype=object)
        box[()] = x
        return box
    return np.asarray(x, dtype=object) if isinstance(x, np.ndarray) else x


def tangents(model: Model, q: np.ndarray) -> np.ndarray:
    """(nq, nv) how q changes along departures."""
    turned = np.array(q, dtype=float)
    groups = np.ones(model.nq, dtype=bool)
    groups[model.coordinates.plain_q] = False
    turned[~groups] = 0.0  # places move as they are pushed, wherever they are: nothing is lost to their size
    for kind, first, _ in model.coordinates.groups:
        turned[first : first + PLACES[kind]] = 0.0
    return np.array([derivative(lambda s, d=d: model.integrate(turned, s * d), 0.02) for d in np.eye(model.nv)]).T


def with_slopes(
    model: Model, function: Callable, t: float, q: np.ndarray, v: np.ndarray, state: np.ndarray | None = None
) -> np.ndarray | None:
    """(m, 1 + 2 nv) derivatives of what a function gives, flat, or None if it does not take dual numbers; one of (t, q, v,
    state) also by the numbers of its state."""
    nv, more = model.nv, 0 if state is None else state.size
    unit, E = np.eye(1 + 2 * nv + more), tangents(model, q)
    moves = np.hstack([np.zeros((model.nq, 1)), E, np.zeros((model.nq, nv + more))])
    try:
        places = np.array([Sloped(float(x), row) for x, row in zip(q, moves, strict=True)], dtype=object)
        speeds = np.array([Sloped(float(x), row) for x, row in zip(v, unit[1 + nv : 1 + 2 * nv], strict=True)], dtype=object)
        given = Sloped(float(t), unit[0]), places, speeds
        if state is not None:
            own = [Sloped(float(x), row) for x, row in zip(state.ravel(), unit[1 + 2 * nv :], strict=True)]
            given = *given, np.array([*own, None], dtype=object)[:-1].reshape(state.shape)
        found = function(*given)
        parts = found if isinstance(found, tuple) else (found,)
        numbers = [x for part in parts for x in np.ravel(np.asarray(_boxed(part), dtype=object))]
        rows = np.array([x.slope if isinstance(x, Sloped) else np.zeros_like(unit[0]) for x in numbers])
    except Exception:  # whatever it does with floats, it does not with these
        return None
    return rows if np.isfinite(rows).all() else None


def by_differences(model: Model, function: Callable, t: float, q, v, sizes: np.ndarray, state=None) -> np.ndarray:
    """The same by differences; sizes : (1 + 2 nv,) of time, departures, velocities, and of the numbers of a state. NaN where
    there is nothing finite."""
    nv, columns = model.nv, []

    def at(s, d):
        moved = t + s * d[0], model.integrate(q, s * d[1 : 1 + nv]), v + s * d[1 + nv : 1 + 2 * nv]
        if state is not None:
            moved = *moved, state + s * d[1 + 2 * nv :].reshape(state.shape)
        given = function(*moved)
        parts = given if isinstance(given, tuple) else (given,)
        return np.concatenate([np.ravel(np.asarray(part, dtype=float)) for part in parts])

    for d in np.diag(sizes):
        best, least, before = np.full(at(0.0, d).shape, np.nan), np.inf, None
        for k in range(TRIES):
            with np.errstate(all="ignore"):
                now = derivative(lambda s, d=d: at(s, d), STEP / SHORTER**k)
            if before is not None and np.isfinite(now).all() and np.isfinite(before).all():
                change = float(abs(now - before).max(initial=0.0))
                if change < least:
                    best, least = now, change
                if least <= SAME * float(abs(now).max(initial=0.0)) or change > 10.0 * least:
                    break
            before = now
        columns.append(best / d.max())
    return np.array(columns).T
