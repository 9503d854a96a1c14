"""The API reference of the HTML pages has every public name once, with its types, its docstring and its formula."""

import inspect
import re
import sys
import xml.etree.ElementTree as ElementTree

import pages
import pytest

import locomote as lo
from locomote import public

pytest.importorskip("latex2mathml")
sys.path.insert(0, str(pages.ROOT / "docs"))
import api_reference
import docstring_rst
import latex2mathml.converter

TEXT = {page: api_reference.reference(page) for page in api_reference.GROUPS}
WHOLE = "\n".join(TEXT.values())


def test_every_public_name_is_there_once():
    names = [name for name, value in public.everything().items() if callable(value)]
    count = {name: len(re.findall(rf"^\.\. py:\w+:: {re.escape(name)}(?=\(|$)", WHOLE, re.M)) for name in names}
    assert len(names) > 180 and {name for name, times in count.items() if times != 1} == set()


def test_every_group_has_its_page():
    folder = pages.ROOT / "docs" / "api"
    assert sorted(path.stem for path in folder.glob("*.md")) == sorted(api_reference.GROUPS)
    for page, (title, *_) in api_reference.GROUPS.items():
        text = (folder / f"{page}.md").read_text(encoding="utf-8")
        assert text.startswith(f"# {title}\n") and api_reference.MARK.search(text)[1] == page


def test_signatures_have_types_and_defaults():
    assert "inverse_dynamics(model: locomote.Model, q, v, a, *, wrenches=None, threads: int = 1) -> ndarray" in WHOLE
    assert ".. py:method:: simulate(duration: float, *, q=None, v=None, t: float = 0.0, method: str = 'auto'" in WHOLE
    assert "(self" not in WHOLE and "-> locomote.Trajectory" in WHOLE


def test_docstrings_become_fields_links_and_tables():
    text = "\n".join(docstring_rst.blocks(inspect.getdoc(lo.jacobian), api_reference.TARGETS))
    assert ":param q: (..., nq) configuration" in text and '      "local"    body axes, at the point' in text
    assert docstring_rst.linked("see `passive_force`, x_ and `a b`", api_reference.TARGETS) == (
        r"see :py:obj:`passive_force <locomote.passive_force>`\ , x\_ and ``a b``"
    )
    several = docstring_rst.fields(["step : s ; rtol, atol : of `x`"], {})
    assert several == [":param step: s", ":param rtol,atol: of ``x``\n"]


@pytest.mark.parametrize("name", api_reference.FORMULAS)
def test_formulas_are_those_of_public_names_and_well_formed(name):
    assert name in lo.__all__ and f".. math:: {api_reference.FORMULAS[name]}" in WHOLE
    tree = ElementTree.fromstring(latex2mathml.converter.convert(api_reference.FORMULAS[name], display="block"))
    assert tree.tag.endswith("math") and "\\" not in "".join(tree.itertext())
