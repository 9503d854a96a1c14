"""A recorder of arithmetic: a kernel that runs on its numbers leaves the list of operations that it did, in their order.

Operations are recorded once (the same operation on the same numbers is the same number), constants are folded, and what
zeros, ones and signs make superfluous is not recorded. Signs are pushed outward, so that a - b and b - a are one operation.
"""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from locomote.spatial.jets import Jet

ADD, SUB, MUL, DIV, NEG, SQRT, SIN, COS, ATAN2, FLOOR, LESS, LESS_EQUAL, EQUAL, NOT_EQUAL, SELECT, INPUT, CONSTANT = range(17)
EXP, LOG = range(17, 19)
NAMES = (
    "add", "sub", "mul", "div", "neg", "sqrt", "sin", "cos", "atan2", "floor", "less", "less_equal", "equal", "unequal",
    "select", "input", "constant", "exp", "log",
)  # fmt: skip


class Trace:
    """Operations in program order. Node k is (code, a, b, c): places of operands; of an input, its number."""

    def __init__(self) -> None:
        self.nodes: list[tuple[int, int, int, int]] = []
        self.values: dict[int, float] = {}  # values of constants
        self._known: dict[tuple, int] = {}
        self._constants: dict[tuple[float, float], int] = {}
        self.inputs = 0
        self.nonzero: set[int] = set()  # places of inputs that are never zero, by which branches may be decided

    def input(self, count: int, nonzero: Iterable[bool] = ()) -> list["Number"]:
        """A number of further inputs; nonzero : which of them are never zero."""
        first, self.inputs = self.inputs, self.inputs + count
        made = [Number(self, self._new((INPUT, first + k, 0, 0))) for k in range(count)]
        self.nonzero.update(number.place for number, never in zip(made, nonzero, strict=False) if never)
        return made

    def _new(self, node: tuple[int, int, int, int]) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def constant(self, value: float) -> int:
        """The place of a constant."""
        value = float(value)
        key = (value, math.copysign(1.0, value))
        if key not in self._constants:
            self._constants[key] = place = self._new((CONSTANT, 0, 0, 0))
            self.values[place] = value
        return self._constants[key]

    def place(self, x) -> int:
        """The place of a number or a constant."""
        return x.place if isinstance(x, Number) else self.constant(x)

    def node(self, code: int, a: int, b: int = 0, c: int = 0) -> "Number":
        """The number that an operation gives."""
        key = (code, a, b, c)
        place = self._known.get(key)
        if place is None:
            self.nodes.append(key)
            place = self._known[key] = len(self.nodes) - 1
        return Number(self, place)

    def needed(self, results: Iterable[int]) -> list[int]:
        """Places that results depend on, in program order."""
        wanted = bytearray(len(self.nodes))
        for place in results:
            wanted[place] = 1
        for place in range(len(self.nodes) - 1, -1, -1):
            if wanted[place]:
                for operand in operands(self.nodes[place]):
                    wanted[operand] = 1
        return [k for k in range(len(self.nodes)) if wanted[k]]


ARITY = {ADD: 2, SUB: 2, MUL: 2, DIV: 2, NEG: 1, SQRT: 1, SIN: 1, COS: 1, ATAN2: 2, FLOOR: 1, EXP: 1, LOG: 1}
ARITY |= {LESS: 2, LESS_EQUAL: 2, EQUAL: 2, NOT_EQUAL: 2, SELECT: 3, INPUT: 0, CONSTANT: 0}


def operands(node: tuple[int, int, int, int]) -> tuple[int, ...]:
    """Places of the operands of a node."""
    return node[1 : 1 + ARITY[node[0]]]


OTHERS = (np.ndarray, Jet)


class Number:
    """A number that records what is done with it."""

    __slots__ = ("place", "trace")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, trace: Trace, place: int):
        self.trace, self.place = trace, place

    def _negated(self):
        """The operand if this is a negation, else None."""
        code, a, _, _ = self.trace.nodes[self.place]
        return Number(self.trace, a) if code == NEG else None

    def _same(self, other: "Number") -> tuple["Number", float, float] | None:
        """x, c and d if this is c x and the other d x, with constants c and d."""
        (code, x, c, _), (other_code, y, d, _) = self.trace.nodes[self.place], self.trace.nodes[other.place]
        if code != MUL or other_code != MUL or x != y or c not in self.trace.values or d not in self.trace.values:
            return None
        return Number(self.trace, x), self.trace.values[c], self.trace.values[d]

    def __add__(self, other):
        if isinstance(other, OTHERS):
            return NotImplemented  # NumPy does it element by element, jets in all their parts
        if not isinstance(other, Number):
            if other == 0.0:
                return self
            return self.trace.node(ADD, self.place, self.trace.constant(other))
        if (inner := other._negated()) is not None:
            return self - inner
        if (inner := self._negated()) is not None:
            return other - inner
        if (same := self._same(other)) is not None:  # c x + d x = (c + d) x
            return same[0] * (same[1] + same[2])
        a, b = self.place, other.place
        return self.trace.node(ADD, a, b) if a <= b else self.trace.node(ADD, b, a)

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, OTHERS):
            return NotImplemented  # NumPy does it element by element, jets in all their parts
        if not isinstance(other, Number):
            return self + (-other)
        if self.place == other.place:
            return 0.0
        if (inner := other._negated()) is not None:
            return self + inner
        if (inner := self._negated()) is not None:
            return -(inner + other)
        if (same := self._same(other)) is not None:
            return same[0] * (same[1] - same[2])
        trace, a, b = self.trace, self.place, other.place
        if (SUB, b, a, 0) in trace._known:
            return -trace.node(SUB, b, a)
        return trace.node(SUB, a, b)

    def __rsub__(self, other):
        if other == 0.0:
            return -self
        if (inner := self._negated()) is not None:
            return inner + other
        return self.trace.node(SUB, self.trace.constant(other), self.place)

    def __mul__(self, other):
        if isinstance(other, OTHERS):
            return NotImplemented  # NumPy does it element by element, jets in all their parts
        trace = self.trace
        if not isinstance(other, Number):
            if other == 0.0:
                return 0.0
            if other == 1.0:
                return self
            if other == -1.0:
                return -self
            if other < 0.0:
                return -(self * (-other))
            if (inner := self._negated()) is not None:
                return -(inner * other)
            code, a, b, _ = trace.nodes[self.place]
            if code == MUL and b in trace.values:  # c (d x) = (c d) x
                return Number(trace, a) * (trace.values[b] * other)
            return trace.node(MUL, self.place, trace.constant(other))
        if (inner := self._negated()) is not None:
            return -(inner * other)
        if (inner := other._negated()) is not None:
            return -(self * inner)
        a, b = self.place, other.place
        return trace.node(MUL, a, b) if a <= b else trace.node(MUL, b, a)

    __rmul__ = __mul__

    def __truediv__(self, other):
        if isinstance(other, OTHERS):
            return NotImplemented  # NumPy does it element by element, jets in all their parts
        if not isinstance(other, Number):
            return self * (1.0 / other)
        if (inner := self._negated()) is not None:
            return -(inner / other)
        return self.trace.node(DIV, self.place, other.place)

    def __rtruediv__(self, other):
        if other == 0.0:
            return 0.0
        return self.trace.node(DIV, self.trace.constant(other), self.place)

    def __pow__(self, power):
        if power == 0.5:
            return self.sqrt()
        if isinstance(power, Number) or power != int(power):
            return NotImplemented
        result = 1.0
        for _ in range(abs(int(power))):
            result = self * result
        return result if power >= 0 else 1.0 / result

    def __neg__(self):
        inner = self._negated()
        return self.trace.node(NEG, self.place) if inner is None else inner

    def __pos__(self):
        return self

    def sqrt(self):
        return self.trace.node(SQRT, self.place)

    def sin(self):
        inner = self._negated()
        return self.trace.node(SIN, self.place) if inner is None else -inner.sin()

    def cos(self):
        inner = self._negated()
        return self.trace.node(COS, self.place) if inner is None else inner.cos()

    def exp(self):
        return self.trace.node(EXP, self.place)

    def log(self):
        return self.trace.node(LOG, self.place)

    def floor(self):
        return self.trace.node(FLOOR, self.place)

    def _compared(self, code, other, swapped=False):
        a, b = self.place, self.trace.place(other)
        return self.trace.node(code, b, a) if swapped else self.trace.node(code, a, b)

    def __lt__(self, other):
        return self._compared(LESS, other)

    def __gt__(self, other):
        return self._compared(LESS, other, True)

    def __le__(self, other):
        return self._compared(LESS_EQUAL, other)

    def __ge__(self, other):
        return self._compared(LESS_EQUAL, other, True)

    def __eq__(self, other) -> bool:
        return self._compared(EQUAL, other)

    def __ne__(self, other):
        if self.place in self.trace.nonzero and not isinstance(other, Number) and other == 0.0:
            return True
        return self._compared(NOT_EQUAL, other)

    def __bool__(self) -> bool:
        raise TypeError("a traced number has no value to decide by: use select")

    @staticmethod
    def atan2(y, x) -> "Number":
        """Angle of the point (x, y), one of them traced."""
        trace = (y if isinstance(y, Number) else x).trace
        return trace.node(ATAN2, trace.place(y), trace.place(x))

    @staticmethod
    def if_else(condition: "Number", yes, no) -> "Number":
        """`yes` where the traced condition holds, else `no`."""
        trace = condition.trace
        a, b = trace.place(yes), trace.place(no)
        return Number(trace, a) if a == b else trace.node(SELECT, condition.place, a, b)


class Known(Number):
    """A number whose sign is known, by which kernels may decide: as one that is not zero, so that there are slopes at zero."""

    __slots__ = ("sign",)

    def __init__(self, trace: Trace, place: int, sign: float):
        super().__init__(trace, place)
        self.sign = sign or 1.0

    def _compared(self, code, other, swapped=False):
        if isinstance(other, Number) or other != 0.0:
            return super()._compared(code, other, swapped)
        if code in (LESS, LESS_EQUAL):
            return (self.sign > 0.0) == swapped
        return code == NOT_EQUAL


def evaluate(trace: Trace, results: Sequence[int] | np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Results (..., results) at inputs (inputs, ...), operation by operation: slow, for tests and small things."""
    value: dict[int, np.ndarray | float] = {}
    two = {
        ADD: np.add, SUB: np.subtract, MUL: np.multiply, DIV: np.divide, ATAN2: np.arctan2, LESS: np.less,
        LESS_EQUAL: np.less_equal, EQUAL: np.equal, NOT_EQUAL: np.not_equal,
    }  # fmt: skip
    one = {NEG: np.negative, SQRT: np.sqrt, SIN: np.sin, COS: np.cos, FLOOR: np.floor, EXP: np.exp, LOG: np.log}
    for k in trace.needed(results):
        code, a, b, c = trace.nodes[k]
        if code == INPUT:
            value[k] = inputs[a]
        elif code == CONSTANT:
            value[k] = trace.values[k]
        elif code == SELECT:
            value[k] = np.where(value[a], value[b], value[c])
        elif code in one:
            value[k] = one[code](value[a])
        else:
            value[k] = two[code](value[a], value[b])
    shape = np.shape(inputs)[1:]
    return np.stack([np.broadcast_to(value[k], shape) for k in results], axis=-1) if len(results) else np.zeros((*shape, 0))
