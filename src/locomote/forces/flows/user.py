"""Flows that users write: a plain function becomes a law of flow.

    @lo.water.flow
    def wave(t, x, height, k):
        return (height * sin(k * x[0] - t), 0.0, 0.0)

    water = lo.Fluid(flow=wave(height=0.3, k=2.0))

A function that gives the velocity alone is differentiated by differences of fourth order over `step`; one that gives
(U, G, dU/dt) is taken at its word.
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from locomote.forces.flows.fields import Flow
from locomote.forces.kinds import adopt
from locomote.forces.user import find_made

STEP = 1e-3  # m or s


@functools.cache
def unpacked(function: Callable, sizes: tuple[int, ...]) -> Callable:
    """A function (t, x, own numbers ...) as one that reads its numbers from an array."""
    adopt(function)
    handed, place = [], 0
    for size in sizes:
        each = [f"numbers[start + {place + k}]" for k in range(max(size, 1))]
        handed.append(f"({', '.join(each)},)" if size else each[0])
        place += max(size, 1)
    text = f"def law(t, x, numbers, start):\n    return function({', '.join(['t', 'x', *handed])})\n"
    names: dict[str, Any] = {"function": function, "__name__": __name__}
    exec(compile(text, f"<flow {function.__name__}>", "exec"), names)
    return names["law"]


@functools.cache
def differentiated(velocity: Callable, step: float) -> Callable:
    """A law of flow from its velocity alone."""

    def slope(a, b, c, d):
        """Fourth order: values at -2, -1, 1, 2 steps."""
        by = 1.0 / (12.0 * step)
        return (
            by * (a[0] - 8.0 * b[0] + 8.0 * c[0] - d[0]), by * (a[1] - 8.0 * b[1] + 8.0 * c[1] - d[1]),
            by * (a[2] - 8.0 * b[2] + 8.0 * c[2] - d[2]),
        )  # fmt: skip

    adopt(slope)

    def law(t, x, numbers, start):
        X, Y, Z = x[0], x[1], x[2]
        h, k = step, 2.0 * step
        a = slope(
            velocity(t, (X - k, Y, Z), numbers, start), velocity(t, (X - h, Y, Z), numbers, start),
            velocity(t, (X + h, Y, Z), numbers, start), velocity(t, (X + k, Y, Z), numbers, start),
        )  # fmt: skip
        b = slope(
            velocity(t, (X, Y - k, Z), numbers, start), velocity(t, (X, Y - h, Z), numbers, start),
            velocity(t, (X, Y + h, Z), numbers, start), velocity(t, (X, Y + k, Z), numbers, start),
        )  # fmt: skip
        c = slope(
            velocity(t, (X, Y, Z - k), numbers, start), velocity(t, (X, Y, Z - h), numbers, start),
            velocity(t, (X, Y, Z + h), numbers, start), velocity(t, (X, Y, Z + k), numbers, start),
        )  # fmt: skip
        rate = slope(
            velocity(t - k, x, numbers, start), velocity(t - h, x, numbers, start), velocity(t + h, x, numbers, start),
            velocity(t + k, x, numbers, start),
        )  # fmt: skip
        G = (a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2])
        return velocity(t, x, numbers, start), G, rate

    return law


class FlowLaw:
    """A law of flow that a user wrote; calling it with its numbers gives a flow."""

    def __init__(self, function: Callable, *, step: float = STEP):
        if not inspect.isfunction(function):
            raise TypeError(f"@lo.water.flow is for a plain function, not {function!r:.60}")
        names = list(inspect.signature(function).parameters)
        if len(names) < 2:
            raise TypeError(f"flow {function.__name__!r} takes ({', '.join(names)}), expected (t, x) and then its own numbers")
        self.function, self.labels, self.step = function, tuple(names[2:]), float(step)
        self.__doc__, self.__name__ = function.__doc__, function.__name__

    def __call__(self, **given: Any) -> "UserFlow":
        return UserFlow(self, given)

    def __reduce__(self):
        return find_made, (self.function.__module__, self.function.__qualname__, self.function.__name__, "flow")

    def __repr__(self) -> str:
        return f"<flow {self.__name__}({', '.join(self.labels)})>"


class UserFlow(Flow):
    """A user's flow with its numbers."""

    def __init__(self, of: FlowLaw, given: dict[str, Any]):
        if wrong := sorted(set(given) ^ set(of.labels)):
            raise TypeError(f"flow {of.__name__!r} takes {of.labels}; missing or unknown: {wrong}")
        self.of, self.given = of, given
        sizes, numbers = [], []
        for label in of.labels:
            value = np.asarray(given[label], dtype=float)
            if not np.isfinite(value).all():
                raise ValueError(f"{label} of flow {of.__name__!r} is {given[label]!r:.40}, expected finite numbers")
            sizes.append(0 if value.ndim == 0 else value.size)
            numbers += value.ravel().tolist()
        self._numbers, law = tuple(numbers), unpacked(of.function, tuple(sizes))
        tried = law(0.1, (0.2, 0.3, 0.4), np.array(numbers), 0)
        lengths = [len(x) if isinstance(x, tuple) else 0 for x in tried] if isinstance(tried, tuple) else []
        if lengths not in ([0, 0, 0], [3, 9, 3]):
            raise TypeError(
                f"flow {of.__name__!r} gives {tried!r:.80}, expected (ux, uy, uz), or ((ux, uy, uz), "
                f"nine numbers of the gradient, (dux/dt, duy/dt, duz/dt))"
            )
        self._law = law if lengths[1] else differentiated(law, of.step)

    @property
    def law(self) -> Callable:
        return self._law

    @property
    def numbers(self) -> tuple[float, ...]:
        return self._numbers

    def __reduce__(self):
        return UserFlow, (self.of, self.given)


def flow(function: Callable | None = None, *, step: float = STEP):
    """A flow from a plain function (t, x, own numbers ...) -> U, or (U, G, dU/dt): time, s; point of the world (3,), m;
    velocity (3,), m/s; gradient (9,), row by row, 1/s. It calls only functions of `locomote.law`, or others that do.

    step : of the differences where the gradient is not given, m and s
    """
    if function is None:
        return lambda given: FlowLaw(given, step=step)
    return FlowLaw(function, step=step)
