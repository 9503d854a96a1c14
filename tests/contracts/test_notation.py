"""NOTATION.md is true: its words are used in docstrings, its symbols in headers and code, and public arguments are in it."""

import ast
import inspect
import re
from pathlib import Path

import pytest

import locomote
from locomote import public

SOURCE = Path(locomote.__file__).parent
PAGE = Path(__file__).parents[2] / "NOTATION.md"
OTHER = set("t to at by x y z rng end run row leg key ax fps one law rod way log fed of".split())  # plain words


def rows() -> tuple[list[str], list[str]]:
    """First cells of the table of words, and of that of symbols."""
    words, symbols = PAGE.read_text().split("| symbol |")
    return tuple(  # type: ignore[return-value]
        [cell for cell in re.findall(r"^\| (.+?) \|", text, re.MULTILINE) if cell != "word"] for text in (words, symbols)
    )


def named(cells: list[str]) -> list[str]:
    """The names in cells: "V or (u, w)" are three."""
    return [name for cell in cells for name in re.split(r", | or ", re.sub("[()`]", "", cell))]


def sentences() -> str:
    """All docstrings of the package."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    trees = (ast.parse(path.read_text()) for path in SOURCE.rglob("*.py"))
    return "\n".join(ast.get_docstring(node) or "" for tree in trees for node in ast.walk(tree) if isinstance(node, kinds))


SENTENCES = sentences()
CODE = "\n".join(path.read_text() for path in SOURCE.rglob("*.py"))


def is_used(symbol: str, text: str) -> bool:
    return re.search(rf"(?<![\w']){re.escape(symbol)}(?![\w'#])", text) is not None


@pytest.mark.parametrize("word", named(rows()[0]))
def test_words_are_used(word):
    assert re.search(rf"\b{word}(s|es)?\b", SENTENCES, re.IGNORECASE), f"NOTATION.md has {word!r}, which no docstring has"


@pytest.mark.parametrize("symbol", named(rows()[1]))
def test_symbols_are_used(symbol):
    assert is_used(symbol, SENTENCES) and is_used(symbol, CODE), f"NOTATION.md has {symbol!r}, which no header has"


def test_short_arguments_are_symbols():
    """Arguments of public functions with short names are in the table, or plain words."""
    functions = [inspect.unwrap(f) for f in public.everything().values() if callable(f) and not inspect.isclass(f)]
    short = {name for f in functions for name in inspect.signature(f).parameters if len(name) <= 3}
    assert {"q", "v", "a", "tau"} <= short and not short - set(named(rows()[1])) - OTHER


def test_a_symbol_that_is_gone_is_seen():
    assert not is_used("g_ab", SENTENCES) and is_used("tau", SENTENCES)
