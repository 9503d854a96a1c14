"""Functions of one coordinate in OpenSim files."""

from dataclasses import dataclass

from locomote.formats.faults import Faults
from locomote.formats.numbers import parse_numbers
from locomote.formats.unsupported import Unsupported
from locomote.formats.xml import Node

KINDS = ("Constant", "LinearFunction", "PolynomialFunction", "SimmSpline", "NaturalCubicSpline", "MultiplierFunction")
OTHERS = (
    "PiecewiseLinearFunction",
    "PiecewiseConstantFunction",
    "GCVSpline",
    "Sine",
    "StepFunction",
    "MultivariatePolynomialFunction",
)
MOST = 10_000  # numbers of a function


@dataclass(frozen=True)
class Function:
    """A polynomial, or a spline through knots.

    coefficients : of 1, x, x^2, ... ; knots : (x, y), which then count alone
    """

    coefficients: tuple[float, ...] = (0.0,)
    knots: tuple[tuple[float, ...], ...] = ()

    @property
    def constant(self) -> float | None:
        """Its value, if it does not change."""
        if self.knots:
            return self.knots[1][0] if len(set(self.knots[1])) == 1 else None
        return None if any(self.coefficients[1:]) else self.coefficients[0]

    @property
    def line(self) -> tuple[float, float] | None:
        """Slope and value at zero, if it is straight."""
        if self.knots or any(self.coefficients[2:]):
            return None
        return (*self.coefficients, 0.0)[1], self.coefficients[0]

    def scaled(self, factor: float) -> "Function":
        """This times a number."""
        if self.knots:
            return Function(knots=(self.knots[0], tuple(factor * value for value in self.knots[1])))
        return Function(tuple(factor * value for value in self.coefficients))


def read_function(owner: Node, unsupported: Unsupported, faults: Faults, depth: int = 0) -> Function:
    """The function of an element: a child, or that of its <function>."""
    holders = [owner, *owner.all("function")]
    node = next((child for holder in holders for child in holder.children if child.tag in (*KINDS, *OTHERS)), None)
    if node is None or depth > 20:
        return Function()
    if node.tag in OTHERS:
        unsupported.refuse(node, f"a function of kind {node.tag}")
        return Function()
    if node.tag == "Constant":
        return Function((numbers_in(node, "value", faults, (0.0,))[0],))
    if node.tag == "LinearFunction":
        slope, at_zero = (*numbers_in(node, "coefficients", faults, (1.0, 0.0)), 0.0)[:2]
        return Function((at_zero, slope))
    if node.tag == "PolynomialFunction":
        return Function(tuple(reversed(numbers_in(node, "coefficients", faults, (0.0,)))))
    if node.tag == "MultiplierFunction":
        return read_function(node, unsupported, faults, depth + 1).scaled(numbers_in(node, "scale", faults, (1.0,))[0])
    x, y = numbers_in(node, "x", faults, (0.0, 1.0)), numbers_in(node, "y", faults, (0.0, 0.0))
    if len(x) != len(y) or len(x) < 2 or any(b <= a for a, b in zip(x, x[1:], strict=False)):
        faults.add(node, f"has {len(x)} x and {len(y)} y, expected as many of both, at least two, with x that rises")
        return Function()
    return Function(knots=(x, y))


def numbers_in(node: Node, tag: str, faults: Faults, default: tuple[float, ...], count: int | None = None) -> tuple[float, ...]:
    """The numbers in the text of a child element."""
    child = node.first(tag)
    if child is None or not child.text.strip():
        return default
    values = parse_numbers(child.text, count or 1, count or MOST)
    if isinstance(values, str):
        faults.add(child, values)
        return default
    return values
