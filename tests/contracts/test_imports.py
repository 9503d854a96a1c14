"""Lists of imported names stay short: of a module of which much is used, the module is imported."""

import ast
from pathlib import Path

import locomote

SOURCE = Path(locomote.__file__).parent
MOST = 10


def long_lists(text: str) -> list[str]:
    nodes = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom))
    return [str(node.module) for node in nodes if len(node.names) > MOST]


def test_no_list_of_names_is_long():
    """Faces of folders (`__init__.py`) hand names on and do not use them."""
    files = [path for path in SOURCE.rglob("*.py") if path.name != "__init__.py"]
    found = {path.relative_to(SOURCE).as_posix(): long_lists(path.read_text()) for path in files}
    assert len(files) > 500 and not {path: lists for path, lists in found.items() if lists}


def test_a_long_list_is_seen():
    assert long_lists("from a.b import c, d") == []
    assert long_lists("from a.b import " + ", ".join("cdefghijklm")) == ["a.b"]
