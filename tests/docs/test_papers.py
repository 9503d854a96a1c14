"""Pages on papers: what their scripts compute stands in them, tests that they name exist, links lead somewhere."""

import importlib
import re

import pytest
from places import DOCS, ROOT

PAPERS = DOCS / "papers"
SCRIPTS = sorted(path.stem for path in PAPERS.glob("make_*.py"))
PAGES = sorted(PAPERS.glob("*.md"))


@pytest.mark.parametrize("script", SCRIPTS)
def test_tables_are_what_is_computed(script, monkeypatch):
    monkeypatch.syspath_prepend(str(PAPERS))
    made = importlib.import_module(script)
    assert importlib.import_module("tables").filled(made.PAGE, made.PARTS) == made.PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tests_that_are_named_exist(page):
    text, known = page.read_text(encoding="utf-8"), ""
    for file, _, test in re.findall(r"`(tests/[\w/]+\.py)(::(\w+))?`", text):
        assert (ROOT / file).exists()
        known += (ROOT / file).read_text(encoding="utf-8")
        assert f"def {test}" in known
    for name in re.findall(r"\| (test_\w+) \|", text):
        assert f"def {name}" in known, f"{page.name} names {name}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_of_papers_lead_somewhere(page):
    for target in re.findall(r"\]\((?!https?://)([^)#\s]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_paper_is_listed():
    index = (PAPERS / "index.md").read_text(encoding="utf-8")
    assert all(f"({page.name})" in index for page in PAGES if page.name != "index.md")
