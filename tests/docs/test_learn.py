"""Stories of the documentation: notebooks are made of the pages, and run."""

import importlib.util
import json

import pages
import pytest

FOLDER = pages.ROOT / "docs" / "learn"
spec = importlib.util.spec_from_file_location("make_notebooks", FOLDER / "make_notebooks.py")
assert spec is not None and spec.loader is not None
make_notebooks = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make_notebooks)
STORIES = make_notebooks.stories()


def test_every_story_is_listed():
    index = (FOLDER / "index.md").read_text(encoding="utf-8")
    assert len(STORIES) >= 7 and all(f"({page.name})" in index and f"\n{page.stem}\n" in index for page in STORIES)


@pytest.mark.parametrize("page", STORIES, ids=lambda page: page.stem)
def test_notebook_is_that_of_the_page(page):
    kept = page.with_suffix(".ipynb").read_text(encoding="utf-8")
    assert kept == make_notebooks.notebook(page), "run `python docs/learn/make_notebooks.py`"
    assert make_notebooks.LINK.format(page.stem) in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", STORIES, ids=lambda page: page.stem)
def test_notebook_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    cells = json.loads(page.with_suffix(".ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert code == [block.text.rstrip("\n") for block in pages.blocks(page) if block.language == "python"]
    assert "assert" in code[-1]
    namespace = {"__name__": page.stem}
    for number, text in enumerate(code):
        exec(compile(text, f"{page.stem}, cell {number}", "exec"), namespace)
