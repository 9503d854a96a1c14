"""A function of a model as the list of its operations, and that list done again on other numbers.

What is recorded has no operation twice and none that zeros and ones make superfluous; doing it again on symbols of
CasADi or SymPy is quicker than running the kernel on them, and leads to smaller expressions.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.errors import UnknownName
from locomote.kernels.mass_matrix import SHALLOW
from locomote.model.columns import DEPTH
from locomote.model.model import Model
from locomote.symbolic import trace as tr
from locomote.symbolic.functions import Numbers, function_named, input_shape, outputs
from locomote.symbolic.parameters import Parameters
from locomote.symbolic.plain import boxed, objects


@dataclass(frozen=True)
class Record:
    """A recorded function: names and shapes of its inputs, and for each result the places of its entries in the trace."""

    trace: tr.Trace
    inputs: dict[str, tuple[int, ...]]
    results: dict[str, np.ndarray]

    @property
    def operations(self) -> list[tuple[int, int, int, int]]:
        """What has to be done, in order; inputs and constants are not listed."""
        nodes = self.trace.nodes
        return [nodes[k] for k in self._needed() if nodes[k][0] not in (tr.INPUT, tr.CONSTANT)]

    def _needed(self) -> list[int]:
        return self.trace.needed(int(k) for places in self.results.values() for k in places.ravel())

    def again(
        self, inputs: dict[str, np.ndarray], functions, constant: Callable[[float], Any] = float
    ) -> dict[str, np.ndarray]:
        """Results, as arrays of objects, on other numbers, whose functions sqrt, sin, cos, exp, log, floor, atan2, if_else are
        given."""
        given = [x for label in self.inputs for x in inputs[label].ravel()]
        value: dict[int, Any] = {}
        for k in self._needed():
            code, a, b, c = self.trace.nodes[k]
            if code == tr.INPUT:
                value[k] = given[a]
            elif code == tr.CONSTANT:
                value[k] = constant(self.trace.values[k])
            elif code == tr.SELECT:
                value[k] = functions.if_else(value[a], value[b], value[c])
            elif code in ONE:
                value[k] = getattr(functions, ONE[code])(value[a])
            elif code == tr.ATAN2:
                value[k] = functions.atan2(value[a], value[b])
            else:
                value[k] = TWO[code](value[a], value[b]) if code in TWO else -value[a]
        return {
            label: boxed([value[int(k)] for k in places.ravel()]).reshape(places.shape)
            for label, places in self.results.items()
        }


ONE = {tr.SQRT: "sqrt", tr.SIN: "sin", tr.COS: "cos", tr.FLOOR: "floor", tr.EXP: "exp", tr.LOG: "log"}
TWO = {
    tr.ADD: lambda a, b: a + b, tr.SUB: lambda a, b: a - b, tr.MUL: lambda a, b: a * b, tr.DIV: lambda a, b: a / b,
    tr.LESS: lambda a, b: a < b, tr.LESS_EQUAL: lambda a, b: a <= b, tr.EQUAL: lambda a, b: a == b,
    tr.NOT_EQUAL: lambda a, b: a != b,
}  # fmt: skip


def recorded(
    model: Model, name: str, *, wrenches: bool = False, parameters: Parameters | None = None, symbols=None, **place
) -> Record:
    """A function of the table on traced inputs; with parameters, their vector p is the last input. If there are two ways to it,
    the shorter.

    symbols : (parameters,) booleans, which entries of p count; others stay the numbers that they are. All, if not given
    """
    check_options(name, wrenches, place)
    shallow = model.topology[-1, DEPTH] <= SHALLOW  # the other way is long in deep trees, and not even tried
    others = (False, True) if function_named(name).other and shallow else (False,)
    ways = [recorded_way(model, name, other, wrenches, parameters, symbols, place) for other in others]
    return min(ways, key=lambda way: len(way.operations))


def recorded_way(model: Model, name: str, other: bool, wrenches: bool, parameters, symbols, place: dict) -> Record:
    """`recorded`, by one of the ways that a function has."""
    function = function_named(name)
    shapes = {label: input_shape(model, label) for label in (*function.inputs, *(["wrenches"] if wrenches else []))}
    trace = tr.Trace()
    numbers = {label: boxed(trace.input(int(np.prod(shape)))).reshape(shape) for label, shape in shapes.items()}
    own = Numbers.of(model)
    if parameters is not None and parameters.names:
        shapes["p"] = (len(parameters.values),)
        p = boxed(trace.input(len(parameters.values)))
        if symbols is not None:
            p[~symbols] = parameters.values[~symbols]
        own = Numbers(parameters.constants(p), parameters.passive(p), parameters.inertias(p))
    results = outputs(model, name, numbers, own, other, **place)
    return Record(trace, shapes, dict(zip(function.results, (places_of(trace, x) for x in results), strict=True)))


def recorded_call(function, names: tuple[str, ...], shapes: tuple[int, ...], result: str) -> Record:
    """Any function of vectors of objects that returns one."""
    trace = tr.Trace()
    found = function(*(boxed(trace.input(count)) for count in shapes))
    return Record(trace, {name: (count,) for name, count in zip(names, shapes, strict=True)}, {result: places_of(trace, found)})


def places_of(trace: tr.Trace, array: np.ndarray) -> np.ndarray:
    """Places in a trace of the numbers of an array."""
    places = objects(array.shape)
    for k, x in enumerate(array.ravel()):
        places.flat[k] = trace.place(x)
    return places.astype(int)


def check_options(name: str, wrenches: bool, place: dict) -> None:
    """Refuse options that a function does not have, or that it lacks."""
    function = function_named(name)
    if wrenches and not function.loaded:
        raise ValueError(f"{name} takes no wrenches")
    for option in place:
        if option not in function.options:
            known = [*(["wrenches"] if function.loaded else []), *function.options]
            raise UnknownName("option", option, known, f"function {name!r}")
    if function.options and function.options[0] not in place:
        raise ValueError(f"{name} needs to know {function.options[0]}=... to be written down")
