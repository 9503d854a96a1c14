"""Derivatives of a trace, recorded into the same trace, so that folding and sharing of operations go on.

With y = f(x) and g = dJ/dy, the reverse sweep gives dJ/dx, once through all operations from the last to the first:

    a + b : g, g        a b : g b, g a        a / b : w = g / b , -w y        c / b : -g y y / c                     (1)
    sqrt a : g / (2 y)    sin a : g cos a    cos a : -g sin a    exp a : g y    log a : g / a                        (2)
    atan2(a, b) : w = g / (a^2 + b^2) , w b, -w a    select(k, a, b) : select(k, g, 0), select(k, 0, g)              (3)

Comparisons and floor pass nothing. The forward sweep gives dy along a direction dx, by the same rules; `tangents` along
several, beside the operations themselves.
"""

from collections.abc import Mapping, Sequence

from locomote.symbolic import trace as tr
from locomote.symbolic.trace import Number, Trace, operands

PASSES_NOTHING = (tr.FLOOR, tr.LESS, tr.LESS_EQUAL, tr.EQUAL, tr.NOT_EQUAL, tr.INPUT, tr.CONSTANT)


def depending(trace: Trace, places: Sequence[int]) -> bytearray:
    """For each node, whether it has a slope by the given ones."""
    marks = bytearray(len(trace.nodes))
    for place in places:
        marks[place] = 1
    for k, node in enumerate(trace.nodes):
        if node[0] not in PASSES_NOTHING and not marks[k]:
            through = operands(node)[1:] if node[0] == tr.SELECT else operands(node)
            marks[k] = any(marks[a] for a in through)
    return marks


def adjoint(trace: Trace, seeds: Mapping[int, Number | float], wanted: Sequence[int]) -> list[Number | float]:
    """Slopes of the sum of (seed times node) by the wanted nodes. seeds : place -> number"""
    marks, bars = depending(trace, wanted), dict(seeds)
    for k in reversed(trace.needed(seeds)):
        g = bars.get(k, 0.0)
        if not marks[k] or not isinstance(g, Number) and g == 0.0:
            continue
        for place, slope in pulled(trace, k, g, marks):
            if marks[place]:
                bars[place] = slope + bars[place] if place in bars else slope
    return [bars.get(place, 0.0) for place in wanted]


def pulled(trace: Trace, k: int, g, marks) -> list[tuple[int, Number | float]]:
    """What a node passes to its operands."""
    code, a, b, c = trace.nodes[k]
    if code in PASSES_NOTHING:
        return []
    y, x = Number(trace, k), value(trace, a)
    if code == tr.ADD:
        return [(a, g), (b, g)]
    if code == tr.SUB:
        return [(a, g), (b, -g)]
    if code == tr.MUL:
        return [(a, value(trace, b) * g), (b, x * g)]
    if code == tr.NEG:
        return [(a, -g)]
    if code == tr.DIV:
        if a in trace.values:
            return [(b, -(y * y * g) * (1.0 / trace.values[a]))]
        share = g / Number(trace, b)
        return [(a, share), (b, -(y * share))] if marks[b] else [(a, share)]
    if code == tr.SELECT:
        condition = Number(trace, a)
        return [(b, Number.if_else(condition, g, 0.0)), (c, Number.if_else(condition, 0.0, g))]
    if code == tr.ATAN2:
        other = value(trace, b)
        share = g / (x * x + other * other)
        return [(a, other * share), (b, -(x * share))]
    return [(a, rate(code, x, y) * g)]


def tangent(trace: Trace, seeds: Mapping[int, Number | float], results: Sequence[int]) -> list[Number | float]:
    """Rates of results along a direction. seeds : place of an input -> its rate"""
    marks, dots = depending(trace, [*seeds]), dict(seeds)
    for k in trace.needed(results):
        if marks[k] and k not in dots:
            dots[k] = pushed(trace, k, dots)
    return [dots.get(place, 0.0) for place in results]


def tangents(
    trace: Trace, seeds: Sequence[Mapping[int, Number]], results: Sequence[int]
) -> tuple[Trace, list[int], list[list[Number | float]]]:
    """The same operations in a trace of their own, each with its rates along some directions right behind it, where values are
    still near; the places of results there, and their rates along each direction. seeds : place of an input -> its rate, an
    input as well"""
    own, marks = Trace(), [depending(trace, [*way]) for way in seeds]
    inputs = own.input(trace.inputs)
    dots: list[dict[int, Number | float]] = [
        {trace.nodes[k][1]: inputs[trace.nodes[x.place][1]] for k, x in way.items()} for way in seeds
    ]
    place: dict[int, int] = {}
    for k in trace.needed(results):
        code, a, *_ = trace.nodes[k]
        if code == tr.INPUT:
            place[k] = a
            continue
        if code == tr.CONSTANT:
            place[k] = own.constant(trace.values[k])
            continue
        here = place[k] = own.node(code, *(place[x] for x in operands(trace.nodes[k]))).place
        for moving, rates in zip(marks, dots, strict=True):
            if moving[k]:
                rates[here] = pushed(own, here, rates)
    found = [place[k] for k in results]
    return own, found, [[rates.get(k, 0.0) for k in found] for rates in dots]


def pushed(trace: Trace, k: int, dots: Mapping[int, Number | float]) -> Number | float:
    """The rate of a node, from those of its operands."""
    code, a, b, c = trace.nodes[k]
    y, x, da, db = Number(trace, k), value(trace, a), dots.get(a, 0.0), dots.get(b, 0.0)
    if code == tr.ADD:
        return da + db
    if code == tr.SUB:
        return da - db
    if code == tr.MUL:
        return da * value(trace, b) + x * db
    if code == tr.NEG:
        return -da
    if code == tr.DIV:
        return (da - y * db) * (1.0 / Number(trace, b))  # one division for all directions
    if code == tr.SELECT:
        return Number.if_else(Number(trace, a), db, dots.get(c, 0.0))
    if code == tr.ATAN2:
        other = value(trace, b)
        return (da * other - x * db) / (x * x + other * other)
    return rate(code, x, y) * da


def value(trace: Trace, place: int) -> Number | float:
    """The number at a place, which for a constant is a float, so that it folds."""
    return trace.values[place] if place in trace.values else Number(trace, place)


def rate(code: int, x, y) -> Number | float:
    """The slope of a function of one number x, whose value is y."""
    rates = {
        tr.SQRT: lambda: 0.5 / y, tr.SIN: lambda: x.cos(), tr.COS: lambda: -x.sin(), tr.EXP: lambda: y, tr.LOG: lambda: 1.0 / x,
    }  # fmt: skip
    return rates[code]()
