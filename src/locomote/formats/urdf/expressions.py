"""Arithmetic in text, `2 * (width + 0.1)`, without running any code: the text is parsed, and its tree walked here.

Known are numbers, words, names, + - * / // % **, comparisons, and, or, not, `a if c else b`, and the functions and constants of
FUNCTIONS and CONSTANTS. All else (attributes, subscripts, calls of other names, comprehensions, ...) is refused.
"""

import ast
import math
import operator
import warnings
from collections.abc import Callable

from locomote.errors import ModelError

LONGEST = 1_000  # letters of an expression
MOST_NODES = 300
LARGEST_WORD = 10_000
Value = float | int | bool | str

OPERATORS: dict[type, Callable] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow,
}  # fmt: skip
COMPARISONS: dict[type, Callable] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip
SIGNS: dict[type, Callable] = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_}
FUNCTIONS: dict[str, Callable] = {
    name: getattr(math, name)
    for name in "sin cos tan asin acos atan atan2 sinh cosh tanh exp log log10 sqrt hypot floor ceil radians degrees".split()
} | {"abs": abs, "min": min, "max": max, "round": round, "float": float, "int": int, "str": str, "bool": bool, "pow": math.pow}
CONSTANTS: dict[str, Value] = {"pi": math.pi, "tau": math.tau, "e": math.e, "inf": math.inf, "True": True, "False": False}


class BadExpression(ValueError):
    """Why an expression has no value."""


def value_of(text: str, name_value: Callable[[str], Value]) -> Value:
    """The value of an expression; name_value : gives that of a name, or raises BadExpression."""
    if len(text) > LONGEST:
        raise BadExpression(f"an expression of {len(text)} letters; {LONGEST} are enough")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd syntax
            tree = ast.parse(text.strip(), mode="eval")
        if sum(1 for _ in ast.walk(tree)) > MOST_NODES:
            raise BadExpression(f"an expression of more than {MOST_NODES} parts")
        return _checked(_value(tree.body, name_value))
    except (SyntaxError, RecursionError, MemoryError):
        raise BadExpression(f"{text[:60]!r} is no expression") from None
    except (ArithmeticError, TypeError, ValueError) as error:
        if isinstance(error, BadExpression | ModelError):
            raise
        raise BadExpression(f"{text[:60]!r} has no value: {str(error)[:100]}") from None


def _checked(value: Value) -> Value:
    if isinstance(value, str) and len(value) > LARGEST_WORD:
        raise BadExpression(f"a word of more than {LARGEST_WORD} letters")
    if isinstance(value, int) and abs(value) > 2**63:
        raise BadExpression("an integer beyond 2^63")
    if isinstance(value, complex):
        raise BadExpression("a value that is no real number")
    return value


def _value(node: ast.AST, name_value: Callable[[str], Value]) -> Value:
    def of(part: ast.AST) -> Value:
        return _checked(_value(part, name_value))

    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float | str):
        return node.value
    if isinstance(node, ast.Name):
        return name_value(node.id)
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return _combined(type(node.op), of(node.left), of(node.right))
    if isinstance(node, ast.UnaryOp) and type(node.op) in SIGNS:
        return SIGNS[type(node.op)](of(node.operand))
    if isinstance(node, ast.BoolOp):
        whole = isinstance(node.op, ast.And)
        result: Value = whole
        for part in node.values:
            if bool(result := of(part)) is not whole:
                break
        return result
    if isinstance(node, ast.IfExp):
        return of(node.body) if of(node.test) else of(node.orelse)
    if isinstance(node, ast.Compare) and all(type(op) in COMPARISONS for op in node.ops):
        values = [of(node.left), *map(of, node.comparators)]
        return all(COMPARISONS[type(op)](a, b) for op, a, b in zip(node.ops, values, values[1:], strict=False))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS and not node.keywords:
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            raise BadExpression("a call with a star")
        return FUNCTIONS[node.func.id](*map(of, node.args))
    if isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else "something"
        raise BadExpression(f"a call of {name[:40]!r}, which is not known here; known are {', '.join(FUNCTIONS)}")
    raise BadExpression(f"{type(node).__name__}, which is not known here")


def _combined(operation: type, a: Value, b: Value) -> Value:
    """a and b by an operator; words can be joined and compared only."""
    if isinstance(a, str) or isinstance(b, str):
        if isinstance(a, str) and isinstance(b, str) and operation is ast.Add:
            return a + b
        raise BadExpression(f"{str(a)[:40]!r} and {str(b)[:40]!r}, of which one is no number")
    if operation is ast.Pow:
        return (
            math.pow(float(a), float(b))
            if isinstance(a, float) or isinstance(b, float) or abs(b) > 60 or abs(a) > 1e5
            else a**b
        )
    return OPERATORS[operation](a, b)
