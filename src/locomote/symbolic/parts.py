"""A record made shorter, and written as lines: inputs that are known put in, and what is used more than once named."""

from collections import Counter
from typing import Any

import numpy as np

from locomote.symbolic import trace as tr
from locomote.symbolic.equations import rational
from locomote.symbolic.plain import boxed
from locomote.symbolic.record import TWO, Record, places_of
from locomote.symbolic.simplify import sympy

LONG = 14  # operations of a part, from which on it gets a name even if it is used once


def folded(record: Record, fixed: dict[int, float]) -> Record:
    """The record with some inputs as the numbers that are given, and with what follows left out; sin^2 + cos^2 is one."""
    trace, value = tr.Trace(), {}
    given = boxed(trace.input(sum(count for (count,) in record.inputs.values())))
    for k, number in fixed.items():
        given[k] = number
    nodes, functions = record.trace.nodes, {tr.SQRT: "sqrt", tr.SIN: "sin", tr.COS: "cos"}

    def square_of(k: int, code: int) -> int:
        """u if node k is the square of the sine (or cosine) of u, else -1."""
        own, a, b, _ = nodes[k]
        return nodes[a][1] if own == tr.MUL and a == b and nodes[a][0] == code else -1

    for k in record.trace.needed(int(k) for places in record.results.values() for k in places.ravel()):
        code, a, b, c = nodes[k]
        if code == tr.INPUT:
            value[k] = given[a]
        elif code == tr.CONSTANT:
            value[k] = record.trace.values[k]
        elif (
            code == tr.ADD
            and max(square_of(a, tr.SIN), square_of(b, tr.SIN)) == max(square_of(a, tr.COS), square_of(b, tr.COS)) != -1
        ):
            value[k] = 1.0
        elif code in functions:
            own = value[a]
            value[k] = getattr(own if isinstance(own, tr.Number) else np, functions[code])(
                *(() if isinstance(own, tr.Number) else (own,))
            )
        elif code in TWO:
            value[k] = TWO[code](value[a], value[b])
        elif code == tr.NEG:
            value[k] = -value[a]
        else:  # goes by cases: kept for the refusal
            value[k] = trace.node(code, trace.place(value[a]), trace.place(value.get(b, 0.0)), trace.place(value.get(c, 0.0)))
    results = {label: places_of(trace, boxed([value[int(k)] for k in x.ravel()])) for label, x in record.results.items()}
    return Record(trace, record.inputs, results)


def named_parts(record: Record, symbols: dict[str, np.ndarray]) -> tuple[list[tuple[Any, Any]], dict[str, np.ndarray]]:
    """Results as SymPy expressions, with what is used more than once, or long, as parts of their own."""
    sp, nodes = sympy(), record.trace.nodes
    given = [x for label in record.inputs for x in symbols[label].ravel()]
    needed = record.trace.needed(int(k) for places in record.results.values() for k in places.ravel())
    uses = Counter(operand for k in needed for operand in tr.operands(nodes[k]))
    uses.update(int(k) for places in record.results.values() for k in places.ravel())
    one, two = {tr.SQRT: sp.sqrt, tr.SIN: sp.sin, tr.COS: sp.cos, tr.NEG: lambda x: -x}, {}
    two = {tr.ADD: lambda a, b: a + b, tr.SUB: lambda a, b: a - b, tr.MUL: lambda a, b: a * b, tr.DIV: lambda a, b: a / b}
    value, length, parts = {}, {}, []
    for k in needed:
        code, a, b, _ = nodes[k]
        if code == tr.INPUT:
            value[k], length[k] = given[a], 0
            continue
        if code == tr.CONSTANT:
            value[k], length[k] = rational(record.trace.values[k]), 0
            continue
        value[k] = one[code](value[a]) if code in one else two[code](value[a], value[b])
        length[k] = 1 + sum(length[x] for x in tr.operands(nodes[k]))
        plain = code == tr.NEG or (code in (tr.SIN, tr.COS) and nodes[a][0] == tr.INPUT)
        scaled = code == tr.MUL and (a in record.trace.values or b in record.trace.values) and length[k] == 1
        if not plain and not scaled and (uses[k] > 1 or length[k] >= LONG):
            symbol = sp.Symbol(f"p{len(parts) + 1}", real=True)
            parts.append((symbol, value[k]))
            value[k], length[k] = symbol, 0
    found = {label: boxed([value[int(k)] for k in places.ravel()]) for label, places in record.results.items()}
    return parts, found
