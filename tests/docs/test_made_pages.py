"""Pages that scripts make of computed numbers say what is computed now."""

import sys

import pages
import pytest

import locomote as lo

sys.path.insert(0, str(pages.ROOT / "docs"))
import make_is_it_right

DOCS = pages.ROOT / "docs"
TEXT = (DOCS / "is-it-right.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("title", make_is_it_right.CASES)
def test_published_numbers(title):
    source, function = make_is_it_right.CASES[title]
    what, theirs, ours = function()
    assert abs(ours - theirs) <= 1e-5 * max(abs(theirs), 1.0)
    assert f"| {title} | {what} | {theirs:.8g} |" in TEXT and f"| {source} |" in TEXT


def test_tests_of_published_cases_are_listed():
    for file, words, _ in make_is_it_right.tests():
        assert words and f"| `{file}` | " in TEXT, f"{file}: run `python docs/make_is_it_right.py`"


def test_every_system_has_its_speed():
    text = (DOCS / "how-fast.md").read_text(encoding="utf-8")
    missing = [name for name in lo.systems.names() if f"[{name}](systems/{name}.md)" not in text]
    assert not missing, f"run `python docs/make_how_fast.py`: {missing}"
