"""Write a notebook of every story beside its page: `python docs/learn/make_notebooks.py`. A test compares them with the pages,
and runs them."""

import json
import re
from pathlib import Path

HERE = Path(__file__).parent
LINK = "Also as a [notebook]({}.ipynb).\n\n"
PICTURE = re.compile(r"^!\[.*\]\(.*\)\n\n?", re.M)  # notebooks draw their own
CODE = re.compile(r"^```python\n(.*?)^```$\n*", re.M | re.S)


def stories() -> list[Path]:
    """The pages that become notebooks."""
    return [path for path in sorted(HERE.glob("*.md")) if path.stem != "index"]


def cell(kind: str, text: str, number: int) -> dict:
    """One cell of a notebook."""
    own = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {
        "cell_type": kind,
        "id": f"cell-{number}",
        "metadata": {},
        "source": text.rstrip("\n").splitlines(keepends=True),
    } | own


def notebook(page: Path) -> str:
    """The text of the notebook of a page: its sentences and its code, in cells."""
    text = PICTURE.sub("", page.read_text(encoding="utf-8").replace(LINK.format(page.stem), ""))
    parts = CODE.split(text)
    cells = [cell("code" if k % 2 else "markdown", part, k) for k, part in enumerate(parts) if part.strip()]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": cells, "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}}}
    return json.dumps(whole | {"nbformat": 4, "nbformat_minor": 5}, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for page in stories():
        page.with_suffix(".ipynb").write_text(notebook(page), encoding="utf-8")
