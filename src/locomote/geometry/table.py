"""The table of shapes and of their pairs, and what compiled code asks of it.

A shape is a row of `SHAPES`, from its file in `shapes/`. Compiled code takes a surface as a tuple

    code, three numbers, table of functions, row of it (height fields), scratch for its argument and for its result

and a body that rolls as (code, three numbers). Its questions become chains of comparisons with the codes, in their order,
planes first, made from the table: `normal_and_gap`, `normal_rate`, `support`, `support_rate`.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from locomote.compiler.callbacks import Callback
from locomote.compiler.source import helper
from locomote.geometry import shapes
from locomote.geometry.shape import KIND, SHAPE_NUMBERS, Packed, Row, Shape, Spot
from locomote.geometry.shapes.height_field import HeightField


def collected() -> Mapping[type[Shape], Row]:
    """Rows of all files of shapes, in the order of their codes."""
    names = [module.name for module in pkgutil.iter_modules(shapes.__path__)]
    found: list[Row] = [importlib.import_module(f"{shapes.__name__}.{name}").ROW for name in names]
    codes = [row.code for row in found if row.code is not None]
    assert len(set(codes)) == len(codes), f"two shapes have one code: {sorted(codes)}"
    found.sort(key=lambda row: len(names) if row.code is None else row.code)
    return MappingProxyType({row.shape: row for row in found})


def made(name: str, text: str, names: Mapping[str, Any]) -> Callable:
    """A helper from its text and the names that it uses."""
    space: dict[str, Any] = dict(names) | {"__name__": __name__}
    exec(compile(text, f"<{name} of all shapes>", "exec"), space)
    return helper(space[name])


def one_of(name: str, codes: Iterable[int]) -> Callable:
    """A helper that says whether a kind is one of some."""
    return made(name, f"def {name}(kind):\n    return {' or '.join(f'kind == {code}' for code in codes)}\n", {})


def by_kind(name: str, arguments: str, routines: Mapping[int, Callable], otherwise: Any) -> Callable:
    """A helper that hands its arguments to the routine of a kind; `otherwise` is what it gives for kinds without one."""
    first = arguments.split(",")[0]
    lines = [f"    if kind == {code}:\n        return on_{code}({arguments})\n" for code in routines]
    text = f"def {name}({arguments}):\n    kind = {first}[{KIND}]\n{''.join(lines)}    return otherwise\n"
    return made(name, text, {f"on_{code}": routine for code, routine in routines.items()} | {"otherwise": otherwise})


def routines(field: str, *, smooth: bool = False) -> dict[int, Callable]:
    """Code of a shape -> its routine, of the shapes that have one; smooth : only of those that something can roll on."""
    rows = [row for row in SHAPES.values() if row.code is not None and (row.smooth or not smooth)]
    return {row.code: getattr(row, field) for row in rows if getattr(row, field)}  # type: ignore[misc]


SHAPES = collected()
ZERO, NONE = (0.0, 0.0, 0.0), (float("nan"), float("nan"), float("nan"))
normal_and_gap = by_kind("normal_and_gap", "surface, y", routines("gap"), (NONE, float("nan")))
normal_rate = by_kind("normal_rate", "surface, y, dy", routines("normal_rate"), ZERO)
# the same for what rolls, whose kernels compile nothing of edges and ends
rolling_normal_and_gap = by_kind("normal_and_gap", "surface, y", routines("gap", smooth=True), (NONE, float("nan")))
rolling_normal_rate = by_kind("normal_rate", "surface, y, dy", routines("normal_rate", smooth=True), ZERO)
is_curved = one_of("is_curved", routines("normal_rate"))
support = by_kind("support", "shape, n", routines("support"), NONE)
support_rate = by_kind("support_rate", "shape, n, rate", routines("support_rate"), NONE)
PAIRS = MappingProxyType({pair: spots for row in SHAPES.values() for pair, spots in row.pairs.items()})


def row_of(shape: Any, field: str, what: str) -> Row:
    """The row of a shape that has a field; else a ValueError lists those that do. what : what the shape should be."""
    row = SHAPES.get(type(shape))
    if row is None or getattr(row, field) is None:
        known = ", ".join(row.shape.__name__ for row in SHAPES.values() if getattr(row, field) is not None)
        raise ValueError(f"unknown {what} {shape!r:.60}; known: {known}")
    return row


def pack(shape: Shape, field: str, what: str) -> Packed:
    """A shape that has a field as numbers for kernels; a ValueError says what is wrong with it."""
    row, numbers = row_of(shape, field, what), np.zeros(SHAPE_NUMBERS)
    given, frame = row.pack(shape)
    numbers[: len(given)] = given
    if not (np.isfinite(numbers).all() and np.isfinite(frame).all()):
        raise ValueError(f"all numbers of a surface must be finite: {shape!r:.100}")
    callback = Callback(shape.callback(), (8, 8, 8), name="the ground") if isinstance(shape, HeightField) else None
    return Packed(-1 if row.code is None else row.code, numbers, frame, callback)


def pack_surface(surface: Any) -> Packed:
    """A surface ready for kernels."""
    return pack(surface, "gap", "surface")


def pack_rolling(shape: Any) -> Packed:
    """A shape that rolls, ready for kernels."""
    if getattr(shape, "inside", False):
        raise ValueError(f"the inside of a {type(shape).__name__} does not roll; give its outside, or roll on it by surface=")
    return pack(shape, "support", "rolling shape")


def spots_of(shape: Shape, surface: Shape) -> list[Spot]:
    """Where a shape of a body may touch a surface; a ValueError says what would do if nothing is known of the pair."""
    for kind in type(surface).__mro__:
        if (type(shape), kind) in PAIRS:
            return PAIRS[type(shape), kind](shape, surface)
    row_of(surface, "gap", "surface")
    word, below = type(shape).__name__, type(surface).__name__
    above = sorted(a.__name__ for a, b in PAIRS if issubclass(type(surface), b))
    others = sorted(b.__name__ for a, b in PAIRS if a is type(shape))
    raise ValueError(
        f"how a {word} touches a {below} is not known: a {below} is touched by {' and '.join(above)}, "
        f"a {word} touches {' and '.join(others) or 'nothing'}"
    )


def surface_normals(surface: Any, y: np.ndarray) -> np.ndarray:
    """(n, 3) outward normals of a surface at places y (n, 3), both in the frame of its body."""
    row, packed = row_of(surface, "gap", "surface"), pack_surface(surface)
    turn, own = packed.frame[:3, :3], (y - packed.frame[:3, 3]) @ packed.frame[:3, :3]
    if row.normals is not None:
        return row.normals(surface, own) @ turn.T
    assert row.gap is not None
    shape = (packed.kind, *packed.numbers)
    try:
        n, _ = row.gap(shape, tuple(own.T))
    except ValueError:  # a shape with edges, which branches on the place
        return np.array([row.gap(shape, tuple(place))[0] for place in own.tolist()]).reshape(-1, 3) @ turn.T
    return np.stack([np.broadcast_to(x, len(y)) for x in n], axis=1) @ turn.T
