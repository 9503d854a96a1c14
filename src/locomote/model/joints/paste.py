"""Functions that do for each kind of joint what its file says, in one piece.

In a function under `by_kind`, a statement such as

    t = each(kind).twist(constants, i, j, v)

is replaced by a choice with the body of `twist` from each file of a kind that has one, `other` having the rest:

    if kind == REVOLUTE:
        t = (0.0, 0.0, 0.0, 0.0, 0.0, v[j])
    elif kind == PRISMATIC:
        ...

and `having(kind).SCREW` by `kind == REVOLUTE or ...`, the kinds whose files say SCREW = True. Calls would give the same
numbers, but Numba takes 20 ms for every small function and kind of number in every process that compiles; this takes none.
Arguments have the names of the parameters, and a body has at most one return, at its end.
"""

import ast
import copy
import linecache
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

each: Any = None  # marks of what is replaced
having: Any = None


@cache
def functions_in(path: str) -> dict[str, ast.FunctionDef]:
    """The functions of a file, by name."""
    return {node.name: node for node in ast.parse(Path(path).read_bytes()).body if isinstance(node, ast.FunctionDef)}


def word_of(kind: ModuleType) -> str:
    """REVOLUTE of the file revolute."""
    return kind.__name__.rpartition(".")[2].upper()


def _marked(node: ast.Attribute, mark: str) -> bool:
    """Whether a node is mark(kind).name."""
    return isinstance(node.value, ast.Call) and ast.unparse(node.value) == f"{mark}(kind)"


class _Paste(ast.NodeTransformer):
    def __init__(self, kinds: Sequence[ModuleType], other: ModuleType, names: dict[str, Any]):
        self.kinds, self.other, self.names = kinds, other, names

    def visit_Assign(self, node: ast.Assign) -> Any:
        return self._choice(node.value, node.targets) or self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> Any:
        return self._choice(node.value, []) or self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        if _marked(node, "having"):
            return ast.BoolOp(ast.Or(), [self._is(kind) for kind in self.kinds if getattr(kind, node.attr, False)])
        return self.generic_visit(node)

    def _is(self, kind: ModuleType) -> ast.Compare:
        self.names[word_of(kind)] = kind.NUMBER
        return ast.Compare(ast.Name("kind", ast.Load()), [ast.Eq()], [ast.Name(word_of(kind), ast.Load())])

    def _choice(self, call: ast.expr, targets: list[ast.expr]) -> list[ast.stmt] | None:
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or not _marked(call.func, "each"):
            return None
        given = [ast.unparse(x) for x in call.args]
        chain: list[ast.stmt] = self._body(self.other, call.func.attr, given, targets)
        for kind in reversed([kind for kind in self.kinds if hasattr(kind, call.func.attr)]):
            chain = [ast.If(self._is(kind), self._body(kind, call.func.attr, given, targets), chain)]
        return chain

    def _body(self, kind: ModuleType, name: str, given: list[str], targets: list[ast.expr]) -> list[ast.stmt]:
        function = functions_in(str(kind.__file__))[name]
        if given != [x.arg for x in function.args.args]:
            raise TypeError(f"{word_of(kind)}.{name} takes {[x.arg for x in function.args.args]}, but is given {given}")
        found = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
        own = {*given, *(node.id for node in found if isinstance(node.ctx, ast.Store))}
        for used in {node.id for node in found} & vars(kind).keys() - own:
            if self.names.setdefault(used, vars(kind)[used]) is not vars(kind)[used]:
                raise NameError(f"{used} is one thing in {kind.__name__} and another where {name} is pasted")
        body = copy.deepcopy(function.body[1:] if ast.get_docstring(function) else function.body)
        last = body[-1] if body else None
        if bool(targets) != isinstance(last, ast.Return):
            raise TypeError(f"{word_of(kind)}.{name} must {'end with a return' if targets else 'give nothing'}")
        if isinstance(last, ast.Return) and last.value is not None:
            body[-1] = ast.Assign(copy.deepcopy(targets), last.value)
        return body or [ast.Pass()]


def by_kind(kinds: Sequence[ModuleType], other: ModuleType) -> Callable[[Callable], Callable]:
    """A decorator that replaces `each` and `having` in a function, for these kinds."""

    def decorate(function: Callable) -> Callable:
        node = copy.deepcopy(functions_in(function.__code__.co_filename)[function.__name__])
        node.decorator_list, names, made = [], function.__globals__, {}
        text = ast.unparse(ast.fix_missing_locations(_Paste(kinds, other, names).visit(node)))
        path = f"<{function.__module__}.{function.__name__} with all kinds>"
        linecache.cache[path] = len(text), None, text.splitlines(keepends=True), path  # for tracebacks and debuggers
        exec(compile(text, path, "exec"), names, made)
        return made[function.__name__]

    return decorate
