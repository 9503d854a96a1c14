"""The pages of the catalogue say what its files say, and their examples run."""

import importlib.util

import pages
import pytest

import locomote as lo

FOLDER = pages.ROOT / "docs" / "systems"
spec = importlib.util.spec_from_file_location("make_pages", FOLDER / "make_pages.py")
assert spec is not None and spec.loader is not None
make_pages = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make_pages)


def test_pages_are_up_to_date():
    made = make_pages.pages()
    assert sorted(made) == sorted(path.name for path in FOLDER.glob("*.md"))
    old = [name for name, text in made.items() if (FOLDER / name).read_text(encoding="utf-8") != text]
    assert not old, f"run `python docs/systems/make_pages.py`: {old} are old"


@pytest.mark.parametrize("name", lo.systems.names())
def test_example_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = [block for block in pages.blocks(FOLDER / f"{name}.md") if block.language == "python"]
    assert blocks and "assert" in blocks[-1].text
    pages.run(FOLDER / f"{name}.md", tmp_path)
