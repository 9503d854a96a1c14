"""README and docs do what they say: their examples run, their links lead somewhere, every public name is explained."""

import re

import pages
import pytest

import locomote as lo
from locomote import public
from locomote.methods.registry import METHODS

LINK = re.compile(r"\]\((?!https?://|mailto:|#)([^)#\s]+)(#[^)\s]*)?\)")


@pytest.mark.parametrize("page", pages.PAGES, ids=lambda page: page.name)
def test_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pages.run(page, tmp_path)


@pytest.mark.parametrize("page", pages.PAGES, ids=lambda page: page.name)
def test_examples_end_in_a_check(page):
    code = [block for block in pages.blocks(page) if block.language == "python" and block.file is None]
    unchecked = [block.line for block in code if "assert" not in block.text and block is code[-1]]
    assert not unchecked, f"{page.name}: the last example checks nothing (line {unchecked})"


@pytest.mark.parametrize("page", [*pages.PAGES, *sorted(pages.ROOT.glob("*.md"))], ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target, _ in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}, which is not there"


def test_every_public_name_is_explained():
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages.PAGES)
    missing = [name for name in public.everything() if not re.search(rf"\b{re.escape(name.split('.')[-1])}\b", text)]
    assert not missing


def test_every_method_has_its_line():
    text = (pages.ROOT / "docs" / "locomotion.md").read_text(encoding="utf-8")
    table = text.partition("| `method` |")[2].partition("\n\n")[0]
    first = [line.split("|")[1] for line in table.splitlines()[2:]]
    assert {name for cell in first for name in re.findall(r'`"(\w+)"`', cell)} == {"auto", *METHODS}


def test_readme_shows_what_the_demo_prints():
    """Line by line, as far as it is shown; the classification is not part of every summary."""
    text = (pages.ROOT / "README.md").read_text(encoding="utf-8")
    shown = text.partition("<!-- demo output -->")[2].split("```")[1].strip("\n").splitlines()
    system = lo.systems.load("snakeboard")
    problem = system.problem()
    run = problem.simulate(system.duration)
    printed = [
        *run.summary().splitlines(),
        *(f"classification    {line}" for line in str(problem.classify(0.0, run.q[0])).splitlines()),
    ]
    assert len(shown) > 5 and not [line for line in shown if line not in printed]


@pytest.mark.parametrize("name", sorted(path.stem for path in (pages.ROOT / "docs" / "pictures").glob("*.png")))
def test_pictures_are_small_and_of_systems(name):
    assert name.removesuffix("_strip") in lo.systems.names()
    assert (pages.ROOT / "docs" / "pictures" / f"{name}.png").stat().st_size < 150_000


def test_every_page_is_in_a_list():
    """Pages are reached from one of the four parts."""
    parts = [
        pages.ROOT / "docs" / f"{name}.md" for name in ("index", "do", "know", "look-up", "learn/index", "coming-from/index")
    ]
    lists = [block.text for page in (*parts, pages.ROOT / "docs" / "inside" / "index.md") for block in pages.blocks(page)]
    listed = {entry.rpartition("/")[2] for entry in " ".join(lists).split()}
    missing = [page.name for page in pages.PAGES if page.stem not in (*listed, "README", "index")]
    assert not missing, f"add them to a table and a toctree of docs/do.md, know.md or look-up.md: {missing}"


def test_pages_fit_the_screen():
    """Lines of code in examples are short enough to be read without scrolling."""
    for page in pages.PAGES:
        for block in pages.blocks(page):
            wide = [line for line in block.text.splitlines() if len(line) > 120]
            assert not wide, f"{page.name}, block in line {block.line}: {wide[0]}"
