"""Every kind of problem against all that is done with problems: right, or refused at once in a sentence, as the page says."""

import crossing_page
import pytest
from crossing_broken import BROKEN
from crossing_cases import rows
from crossing_verdicts import BROKEN as IS_BROKEN
from crossing_verdicts import REFUSED, WORKS, verdict

SAID = crossing_page.parsed(crossing_page.PAGE.read_text(encoding="utf-8"))


def marked(row, name):
    """A cell, which must fail if it is known to be broken."""
    known = BROKEN.get((row, name))
    marks = [pytest.mark.xfail(reason=known, strict=True)] if known else []
    return pytest.param(row, name, marks=marks, id=f"{row} | {name}")


@pytest.mark.parametrize("row, name", [marked(*cell) for cell in crossing_page.cells()])
def test_cell(row, name):
    found, said = verdict(rows()[row], name), SAID.get((row, name))
    assert found.kind != IS_BROKEN, found.sentence
    assert found.kind == WORKS or name != "simulate", found  # what cannot run says nothing about the rest
    assert said is not None, "the page does not have this cell: run tests/helpers/crossings/crossing_page.py"
    assert found.kind == said.kind and (found.kind != REFUSED or found.sentence == said.sentence), found


def test_the_page_has_no_other_cells():
    assert set(SAID) == set(crossing_page.cells())


def test_what_is_known_to_be_broken_is_there():
    assert set(BROKEN) <= set(crossing_page.cells())
