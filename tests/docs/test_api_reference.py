"""The API reference of the HTML pages has every public name, its signature and its formula."""

import html
import inspect
import sys
import xml.etree.ElementTree as ElementTree

import pages
import pytest

import locomote as lo
from locomote import public

pytest.importorskip("latex2mathml")
sys.path.insert(0, str(pages.ROOT / "docs"))
import api_reference

TEXT = api_reference.reference()


def test_every_public_name_is_there_once():
    names = [name for name, value in public.everything().items() if callable(value)]
    assert (
        len(names) > 180
        and [name for name in names if TEXT.count(f"\n### {name}\n") + TEXT.startswith(f"### {name}\n") != 1] == []
    )


def test_signatures_have_their_defaults():
    assert "inverse_dynamics(model, q, v, a, *, wrenches=None, threads=1)" in TEXT
    assert "Locomotion.simulate(duration, *, q=None, v=None, t=0.0, method='auto'" in TEXT and "(self" not in TEXT


def test_docstrings_are_there_as_they_are_written():
    for name in ("inverse_dynamics", "Trajectory", "open_run"):
        assert html.escape(inspect.getdoc(getattr(lo, name)).splitlines()[0]) in TEXT


@pytest.mark.parametrize("name", api_reference.FORMULAS)
def test_formulas_are_those_of_public_names_and_well_formed(name):
    assert name in lo.__all__
    tree = ElementTree.fromstring(api_reference.formula(name))
    assert tree[0].tag.endswith("math") and "\\" not in "".join(tree.itertext())
