"""Arrays of traced numbers on which functions written for batches in NumPy run: one row of the batch, recorded as a formula.

Truth values are numbers, 0 or 1, so that they can be results. What decides by values (`if`, indices that are numbers) cannot be
recorded, and raises a TypeError.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from locomote.compiler import scalars
from locomote.compiler.scalars import select
from locomote.symbolic.trace import Number


def truth(condition) -> Any:
    """A comparison as 0 or 1."""
    return select(condition, 1.0, 0.0)


def holds(x) -> Any:
    """A number as a condition."""
    return x != 0.0


def tanh(x):
    return 1.0 - 2.0 / (scalars.exp(2.0 * x) + 1.0)


def pairwise(choose: Callable) -> Callable:
    return lambda a, b: a if a is b else choose(a, b)


ELEMENTWISE: dict[Any, Callable] = {
    np.maximum: pairwise(lambda a, b: select(a > b, a, b)), np.minimum: pairwise(lambda a, b: select(a < b, a, b)),
    np.absolute: lambda x: select(x < 0.0, -x, x), np.fabs: lambda x: select(x < 0.0, -x, x),
    np.sign: lambda x: select(x > 0.0, 1.0, select(x < 0.0, -1.0, 0.0)),
    np.less: lambda a, b: truth(a < b), np.less_equal: lambda a, b: truth(a <= b),
    np.greater: lambda a, b: truth(a > b), np.greater_equal: lambda a, b: truth(a >= b),
    np.equal: lambda a, b: truth(a == b), np.not_equal: lambda a, b: truth(a != b),
    np.logical_or: lambda a, b: select(holds(a), 1.0, truth(holds(b))),
    np.logical_and: lambda a, b: select(holds(a), truth(holds(b)), 0.0),
    np.logical_not: lambda a: select(holds(a), 0.0, 1.0),
    np.floor: scalars.floor, np.arctan2: scalars.atan2, np.tanh: tanh, np.exp: scalars.exp, np.log: scalars.log,
    np.sqrt: scalars.sqrt, np.sin: scalars.sin, np.cos: scalars.cos, np.square: lambda x: x * x,
    np.hypot: lambda a, b: scalars.sqrt(a * a + b * b), np.deg2rad: lambda x: x * (np.pi / 180),
}  # fmt: skip
ELEMENTWISE |= {
    np.bitwise_or: ELEMENTWISE[np.logical_or], np.bitwise_and: ELEMENTWISE[np.logical_and],
    np.invert: ELEMENTWISE[np.logical_not],
}  # fmt: skip


class BatchArray(np.ndarray):
    """Objects, most of them traced numbers, that NumPy's functions take."""

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **how):
        plain = [np.asarray(x, object) if isinstance(x, np.ndarray) else x for x in inputs]
        rule = ELEMENTWISE.get(ufunc)
        if rule is None:
            return batch(getattr(ufunc, method)(*plain, **how))
        each: Any = np.frompyfunc(rule, ufunc.nin, 1)
        if method == "reduce":  # any, all, max, min
            return batch(folded(rule, plain[0], how.get("axis", 0), how.get("keepdims", False)))
        return batch(each(*plain))

    def __array_function__(self, function, types, given, how):
        own = FUNCTIONS.get(function)
        return super().__array_function__(function, types, given, how) if own is None else own(*given, **how)

    def astype(self, dtype, *_, **__):
        """Numbers stay what they are."""
        return self


def folded(rule: Callable, x: np.ndarray, axis, keepdims) -> np.ndarray:
    """A rule of two numbers along an axis, or over all."""
    if axis is None:
        x, axis = x.reshape(-1), 0
    if not isinstance(axis, int):
        raise TypeError("truths, maxima and minima go along one axis, or over all")
    parts = np.moveaxis(x, axis, 0)
    each: Any = np.frompyfunc(rule, 2, 1)
    total = parts[0] if len(parts) > 1 else each(parts[0], parts[0])
    for part in parts[1:]:
        total = each(total, part)
    return np.expand_dims(total, axis) if keepdims else total


def where(condition, yes, no) -> Any:
    """As NumPy's."""
    each: Any = np.frompyfunc(lambda c, a, b: select(holds(c), a, b), 3, 1)
    return batch(each(*(np.asarray(x, object) for x in (condition, yes, no))))


def clip(x, low, high, **_) -> Any:
    """As NumPy's."""
    return np.minimum(np.maximum(batch(np.asarray(x, object)), low), high)


def einsum(subscripts, *arrays, **_) -> Any:
    """As NumPy's."""
    return batch(np.einsum(subscripts, *(np.asarray(x, object) for x in arrays)))


def norm(x, ord=None, axis=None, keepdims=False) -> Any:
    """As NumPy's, of vectors."""
    if ord not in (None, 2):
        raise TypeError("only the Euclidean norm is a formula here")
    return np.sqrt((x * x).sum(axis=axis, keepdims=keepdims))


FUNCTIONS = {np.where: where, np.clip: clip, np.einsum: einsum, np.linalg.norm: norm}


def batch(x) -> Any:
    """An array of objects as such an array; a single object as it is, in an array without axes."""
    return np.asarray(x, object).view(BatchArray)


def numbers_of(x: Any) -> Sequence[Any]:
    """What an array holds, as traced numbers and floats."""
    flat = np.asarray(x, object).ravel().tolist()
    for value in flat:
        if not isinstance(value, (Number, int, float, np.number, np.bool_)):
            raise TypeError(f"it gave {value!r:.40}, which is no number")
    return [value if isinstance(value, Number) else float(value) for value in flat]
