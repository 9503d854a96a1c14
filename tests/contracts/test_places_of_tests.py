"""Tests are found from the code: folders of tests are those of the package, and hard files say what tests them."""

import ast
import re
from pathlib import Path

import pytest
from places import ROOT

import locomote

PACKAGE = Path(locomote.__file__).resolve().parent
TESTS = ROOT / "tests"
KINDS = ("laws", "contracts", "published")
BESIDES = {"published/data"}
# folders of code that no folder of tests is called after
ELSEWHERE = {
    "cli/commands": "contracts/cli calls each of them",
    "cli/studio/pages": "no Python: the page that contracts/cli/studio opens in a browser",
    "cli/studio/pages/pictures": "no Python: stills of the gallery",
    "learning/tasks": "laws/learning/test_environments runs each of them",
    "methods/rosenbrock": "laws/forces/test_soft_ground and laws/actuation/test_limits run its steps",
    "view/pages": "no Python: the pages that contracts/view opens in a browser",
}


def folders(root):
    """Folders below a folder that have files, as relative paths."""
    return {p.parent.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file() and "__pycache__" not in p.parts}


def test_every_folder_of_code_has_one_of_tests():
    there = {folder for kind in KINDS for folder in folders(TESTS / kind)}
    of_code = folders(PACKAGE) - {"."}
    assert of_code - there == set(ELSEWHERE)


@pytest.mark.parametrize("kind", KINDS)
def test_every_folder_of_tests_is_called_after_one_of_code(kind):
    known = folders(PACKAGE) | {p.as_posix() for f in folders(PACKAGE) for p in Path(f).parents}
    strange = {f for f in folders(TESTS / kind) if f not in known and f"{kind}/{f}" not in BESIDES}
    assert not strange


def test_helpers_stand_apart():
    """A file that pytest does not collect is shared: it stands in tests/helpers."""
    apart = {"conftest.py", "docs/typed_usage.py"}
    found = {p.relative_to(TESTS).as_posix() for p in TESTS.rglob("*.py") if not p.name.startswith("test_")}
    assert {name for name in found if not name.startswith("helpers/")} == apart
    assert not [*(TESTS / "helpers").rglob("test_*.py")]


def named_tests():
    """File of the package -> tests that its header names."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        header = ast.get_docstring(ast.parse(path.read_text())) or ""
        said = re.search(r"Tested by ([^.]*(?:\.py[^.]*)*)", header)
        if said:
            found[path.relative_to(PACKAGE).as_posix()] = re.findall(r"tests/[\w/]+(?:\.py)?", said[1])
    return found


def test_headers_name_tests_that_exist():
    named = named_tests()
    assert len(named) >= 10
    for file, tests in named.items():
        assert tests, file
        for test in tests:
            assert (ROOT / test).exists(), f"{file} says that {test} tests it"
