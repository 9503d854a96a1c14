"""Constraints whose rows are functions of the user."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.compiler.callbacks import Callback
from locomote.constraints import columns as col
from locomote.constraints.kinds import Constraint
from locomote.dynamics.differences import derivative
from locomote.model.model import Model


@brief
@dataclass(frozen=True)
class Custom(Constraint):
    """Rows from functions of (t, q, v).

    rows : -> (count, nv) the matrix A ; drift : -> (count,) A' v + b', by differences along the motion if not given ;
    speed : -> (count,) b, zero if not given ; error : -> (count,) position error of holonomic rows
    """

    rows: Callable[..., Any] = field(kw_only=True)
    count: int = field(default=1, kw_only=True)
    drift: Callable[..., Any] | None = field(default=None, kw_only=True)
    speed: Callable[..., Any] | None = field(default=None, kw_only=True)
    error: Callable[..., Any] | None = field(default=None, kw_only=True)

    @property
    def labels(self):
        return tuple(f"row{k}" for k in range(self.count))

    @property
    def holonomic(self):
        return (self.error is not None,) * self.count

    def pack(self, tables, owner):
        for label in ("rows", "drift", "speed", "error"):
            given = getattr(self, label)
            if not callable(given) and not hasattr(given, "address") and (given is not None or label == "rows"):
                raise ValueError(f"{label} must be a function of (t, q, v), not {given!r:.60}")
        if not isinstance(self.count, int) or isinstance(self.count, bool) or self.count < 1:
            raise ValueError(f"count is {self.count!r}, expected the number of rows, 1 or more")
        integers, _ = tables.put(owner, col.CUSTOM, self.count, None, None, np.eye(4), np.eye(4))
        nq, nv = tables.model.nq, tables.model.nv
        function = self.rows if hasattr(self.rows, "address") else custom_function(tables.model, self)
        sizes = (nq, nv, self.count * (nv + 3))
        integers[col.FUNCTION] = tables.function(Callback(function, sizes, name=f"constraint {self.title!r}"))


def fitting(given, shape: tuple[int, ...]) -> np.ndarray:
    """What a function of the user gave, as numbers in a shape."""
    try:
        array = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(f"{given!r:.60} came, expected an array of shape {shape}") from None
    if array.size != np.prod(shape):
        raise ValueError(f"an array of shape {array.shape} came, expected {shape}")
    return array.reshape(shape)


def custom_function(model: Model, c: Custom):
    """Rows, drift, speed and error of a custom constraint as one callback."""

    def values(function, t, q, v):
        return np.zeros(c.count) if function is None else fitting(function(t, q, v), (c.count,))

    def rows(t, q, v):
        return fitting(c.rows(t, q, v), (c.count, model.nv))

    def residual(t, q, v):
        return rows(t, q, v) @ v + values(c.speed, t, q, v)

    def drift(t, q, v):
        if c.drift is not None:
            return values(c.drift, t, q, v)
        return derivative(lambda s: residual(t + s, model.integrate(q, s * v), v), 2e-3)

    def custom(t, q, v):
        return np.concatenate([rows(t, q, v).ravel(), drift(t, q, v), values(c.speed, t, q, v), values(c.error, t, q, v)])

    return custom
