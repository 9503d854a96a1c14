"""Scratch arrays, declared once: which ones a recursion works in, their shapes, and what is in them.

A recursion names its scratch by a NamedTuple beside it. Each field says its shape, in sizes that only a model knows, and in a
sentence what the recursion leaves there:

    class Newton(NamedTuple):
        sine: Annotated[np.ndarray, NQ, "of joint angles, by `joint_sines`"]
        bodies: Annotated[np.ndarray, ROWS, WORK, "motion of each body and the wrench it takes"]

From that follow arrays on the stack of a kernel (`scratch.scratch_of`), lanes (`lane_scratch`), arrays of objects for symbols
and dual numbers (`made`), and those of records (`shape_of`). The recursion takes them all as one argument.
"""

import functools
import math
import operator
from collections.abc import Callable, Iterator
from typing import Annotated, Any, ClassVar, NamedTuple, get_args, get_origin, get_type_hints


class Size:
    """A size that only a model knows, by its name, or a sum, difference, product or quotient of such."""

    def __init__(self, name: str, operation: Callable | None = None, parts: tuple[Any, ...] = ()):
        self.name, self.operation, self.parts = name, operation, parts

    def at(self, sizes: Any) -> Any:
        """The size itself; `sizes` has those of a model as attributes: integers, or code for them."""
        if self.operation is None:
            return getattr(sizes, self.name)
        return self.operation(*(size_at(part, sizes) for part in self.parts))

    def __repr__(self) -> str:
        return f"({f' {self.name} '.join(map(repr, self.parts))})" if self.parts else self.name

    def __add__(self, other: Any) -> "Size":
        return Size("+", operator.add, (self, other))

    def __sub__(self, other: Any) -> "Size":
        return Size("-", operator.sub, (self, other))

    def __mul__(self, other: Any) -> "Size":
        return Size("*", operator.mul, (self, other))

    def __floordiv__(self, other: Any) -> "Size":
        return Size("//", operator.floordiv, (self, other))

    __radd__, __rmul__ = __add__, __mul__


NQ, NV = Size("nq"), Size("nv")
ROWS = Size("rows")  # rows of the packed model: moving bodies, and the world as the last


class Sizes(NamedTuple):
    """Sizes of a model."""

    nq: int
    nv: int
    rows: int


class Like:
    """The shape of an array that a declared kind of scratch has under a name."""

    def __init__(self, kind: type, name: str):
        self.shape = next(field.shape for field in declared(kind) if field.name == name)


class Declared(NamedTuple):
    """An array as it was declared."""

    name: str
    shape: tuple[Any, ...]
    holds: str  # what is in it afterwards


def size_at(size: Any, sizes: Any) -> Any:
    """A size that is a number, or one that a model knows."""
    return size.at(sizes) if isinstance(size, Size) else size


@functools.cache
def declared(kind: type) -> tuple[Declared, ...]:
    """The arrays of a class whose fields are annotated with sizes and a sentence."""
    for field in (fields := tuple(_fields(kind))):
        if not field.shape or not field.holds:
            raise TypeError(f"{kind.__name__}.{field.name} must say its shape, in sizes, and in one sentence what it holds")
    return fields


def shapes(kind: type) -> list[tuple[str, tuple[Any, ...]]]:
    """Names and shapes of the fields of a class: all of a declaration that counts for compiled code."""
    return [(field.name, field.shape) for field in _fields(kind)]


def _fields(kind: type) -> Iterator[Declared]:
    for name, hint in get_type_hints(kind, include_extras=True).items():
        if get_origin(hint) is ClassVar:
            continue
        notes = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
        shape = tuple(y for x in notes for y in (x.shape if isinstance(x, Like) else (x,)) if isinstance(y, (Size, int)))
        yield Declared(name, shape, " ".join(x for x in notes if isinstance(x, str)))


def shape_of(field: Declared, sizes: Any) -> tuple[Any, ...]:
    """The shape of a declared array for the sizes of a model."""
    return tuple(size_at(size, sizes) for size in field.shape)


def numbers_in(kind: type, sizes: Any) -> int:
    """How many numbers the scratch of a declared kind has."""
    return sum(math.prod(shape_of(field, sizes)) for field in declared(kind))


def made(kind: type, sizes: Any, make: Callable[[tuple[int, ...]], Any]) -> Any:
    """Scratch of a declared kind, from `make(shape)`."""
    return kind(*(make(shape_of(field, sizes)) for field in declared(kind)))
