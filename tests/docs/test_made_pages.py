"""Pages that scripts make of computed numbers say what is computed now."""

import json
import re
import sys

import pages
import pytest

import locomote as lo

sys.path.insert(0, str(pages.ROOT / "docs"))
import make_gallery
import make_is_it_right

DOCS = pages.ROOT / "docs"
TEXT = (DOCS / "is-it-right.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("title", make_is_it_right.CASES)
def test_published_numbers(title):
    source, function = make_is_it_right.CASES[title]
    what, theirs, ours = function()
    assert abs(ours - theirs) <= 1e-5 * max(abs(theirs), 1.0)
    assert f"| {title} | {what} | {theirs:.8g} |" in TEXT and f"| {source} |" in TEXT


def test_tests_of_published_cases_exist():
    listed = re.findall(r"^\| `([\w/]+\.py)` \|", TEXT, re.M)
    gone = set(listed) - {file for file, *_ in make_is_it_right.tests()}
    assert len(listed) > 20 and not gone, f"run `python docs/make_is_it_right.py`: {gone} are gone"
    assert all(words for _, words, _ in make_is_it_right.tests())


def test_systems_that_were_timed_exist():
    text = (DOCS / "how-fast.md").read_text(encoding="utf-8")
    timed = re.findall(r"^\| \[(\w+)\]\(systems/", text, re.M)
    assert len(timed) > 50 and set(timed) <= set(lo.systems.names())


def test_no_picture_of_the_gallery_is_stale():
    """Pictures are of what systems look like now."""
    drawn = json.loads(make_gallery.DRAWN.read_text(encoding="utf-8"))
    pictures = {path.stem for path in make_gallery.FOLDER.glob("*.webp")}
    old = [name for name in sorted(pictures) if drawn.get(name) != make_gallery.look_of(name)]
    assert not old and set(drawn) == pictures, f"run `python docs/make_gallery.py {' '.join(old)}`"


def test_a_system_that_looks_different_is_found(monkeypatch):
    before = make_gallery.look_of("snakeboard")
    load = lo.systems.load
    monkeypatch.setattr(lo.systems, "load", lambda name: load(name, rotor_mass=3.0))
    assert make_gallery.look_of("snakeboard") == before, "its shapes are the same"
    monkeypatch.setattr(lo.systems, "load", lambda name: load(name, length=0.3))
    assert make_gallery.look_of("snakeboard") != before


def test_the_gallery_is_that_of_the_catalogue():
    text = make_gallery.PAGE.read_text(encoding="utf-8")
    assert make_gallery.filled(text) == text, "run `python docs/make_gallery.py` with the names of what is new"
    sizes = {path.stem: path.stat().st_size for path in make_gallery.FOLDER.glob("*.webp")}
    assert sum(sizes.values()) < 15e6 and max(sizes.values()) < 3e5 and set(sizes) <= set(lo.systems.names())
