"""`import locomote`: quick, quiet, and every public name where it is said to be."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import locomote as lo

SOURCE = Path(lo.__file__)


def typed_names():
    """Names that the TYPE_CHECKING block imports, by module."""
    tree = ast.parse(SOURCE.read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    names = {}
    for node in block.body:
        assert isinstance(node, ast.ImportFrom) and all(alias.asname == alias.name for alias in node.names)
        names.setdefault(node.module, []).extend(alias.name for alias in node.names)
    return names


def test_type_checkers_see_the_same_names():
    typed = typed_names()
    assert sorted(typed.pop("locomote")) == sorted(lo.FOLDERS)
    assert {module: sorted(names) for module, names in typed.items()} == {m: sorted(names) for m, names in lo.PUBLIC.items()}


@pytest.mark.parametrize("name", lo.__all__)
def test_every_name_loads(name):
    assert getattr(lo, name) is not None
    assert name in dir(lo)


def test_unknown_name():
    with pytest.raises(AttributeError, match="no attribute 'inverse_dynamic'"):
        lo.inverse_dynamic


def test_import_is_light():
    """No compiler, no arrays, no output: counted, not timed."""
    code = "import sys, locomote; assert not {'numba', 'numpy', 'scipy', 'rich', 'typer'} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not done.stdout and not done.stderr


@pytest.mark.parametrize("first", ["", "lo.operation_count", "import locomote.symbolic.trace"])
def test_a_function_and_a_folder_of_the_same_name(first):
    """`lo.symbolic` can be called, whatever of its folder was imported before."""
    code = f"import locomote as lo\n{first}\nprint(lo.symbolic(lo.systems.load('simple_pendulum').model))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("<SymbolicModel")
