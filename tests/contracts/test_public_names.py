"""`import locomote`: quick, quiet, and every public name where it is said to be."""

import runpy
import subprocess
import sys
from collections import Counter

import pytest
from places import ROOT

import locomote as lo
from locomote import public

GROUPS = {"": lo} | {group: getattr(lo, group) for group in public.GROUPS}


def test_stubs_are_what_the_list_says():
    """Editors and type checkers read stubs; `python packaging/stubs.py` writes them."""
    for path, text in runpy.run_path(str(ROOT / "packaging" / "stubs.py"))["stubs"]().items():
        assert path.read_text() == text, path


def test_every_name_stands_in_one_place():
    """But for `lo.optimize`, of parameters, and `lo.gaits.optimize`, of gaits: by its bare name the first is found."""
    counted = Counter(name for group in GROUPS for name in public.homes(group))
    assert [name for name, n in counted.items() if n > 1] == ["optimize"]
    assert public.path_of("optimize") == "lo.optimize"


@pytest.mark.parametrize("group", GROUPS)
def test_every_name_loads(group):
    folder = GROUPS[group]
    assert sorted(folder.__all__) == sorted(dir(folder)) and set(public.homes(group)) <= set(folder.__all__)
    for name in folder.__all__:
        assert getattr(folder, name) is not None


def test_a_name_of_a_group_says_where_it_is():
    with pytest.raises(AttributeError, match=r"no attribute 'Wing'; it is lo\.water\.Wing"):
        lo.Wing
    with pytest.raises(AttributeError, match=r"'locomote.water' has no attribute 'Rod'; it is lo\.Rod"):
        lo.water.Rod


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
