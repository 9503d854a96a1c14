"""Names and sentences of files are text on every page, whatever is in them."""

import ast
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import locomote as lo
from locomote.view import page_words
from locomote.view.page_words import as_html, as_script

VIEW = Path(page_words.__file__).parent
EVIL = '<img src=x onerror="alert(1)">'
MARKDOWN = "![x](/etc/hostname)"
SINKS = ("add_html", "add_markdown", "content")  # what hands markup to a page


def texts_in(value):
    """All texts in a description."""
    if is_dataclass(value):
        return {text for field in fields(value) for text in texts_in(getattr(value, field.name))}
    if isinstance(value, tuple):
        return {text for part in value for text in texts_in(part)}
    return {value} if isinstance(value, str) else set()


def renamed(value, old, new):
    """A description with another text wherever this one stands."""
    if is_dataclass(value):
        return replace(value, **{f.name: renamed(getattr(value, f.name), old, new) for f in fields(value) if f.init})
    if isinstance(value, tuple):
        return tuple(renamed(part, old, new) for part in value)
    return new if isinstance(value, str) and value == old else value


def description():
    mesh = lo.Visual("mesh", size=(1.0, 1.0, 1.0), file="gone.stl", name="look")
    builder = lo.Builder("robot").body("trunk", visuals=[mesh], inertia=lo.Inertia.sphere(1.0, 0.1))
    builder.body("arm", parent="trunk", joint=lo.Joint("elbow", axis="y"), inertia=lo.Inertia(1.0, (0, 0, -1), np.eye(3)))
    return builder.build().description


def models():
    """The model with a hostile text for every text that may be another."""
    whole = description()
    for old in sorted(texts_in(whole)):
        for text in (EVIL, MARKDOWN):
            try:
                yield old, lo.Model(renamed(whole, old, f"{text}.stl" if old.endswith(".stl") else text))
            except (lo.LocomoteError, ValueError):
                continue  # a kind, an axis: only some words are taken there


MODELS = list(models())


def test_texts_are_tried_at_many_places():
    assert {"robot", "trunk", "arm", "elbow", "gone.stl"} <= {old for old, _ in MODELS}


@pytest.mark.parametrize(("old", "model"), MODELS, ids=[f"{k} {old}" for k, (old, _) in enumerate(MODELS)])
def test_reports_and_curves(old, model, tmp_path):
    run = lo.Locomotion(model, name=model.name).simulate(0.05, progress=False)
    run.report(tmp_path / "a.html")
    assert "<img src=x" not in (tmp_path / "a.html").read_text()
    assert "<img src=x" not in run._repr_html_()


@pytest.mark.parametrize(("old", "model"), MODELS, ids=[f"{k} {old}" for k, (old, _) in enumerate(MODELS)])
def test_the_viewer(old, model, monkeypatch):
    viser = pytest.importorskip("viser")
    sent, add = [], viser.GuiApi.add_html

    def kept(self, content, *args, **options):
        sent.append(content)
        return add(self, content, *args, **options)

    monkeypatch.setattr(viser.GuiApi, "add_html", kept)
    monkeypatch.setattr(viser.GuiApi, "add_markdown", lambda *args, **options: pytest.fail("Markdown takes markup and files"))
    viewer = model.view(browser=False, wait=False, port=0)
    try:
        assert not any("<img src=x" in text for text in sent)
        if old == "gone.stl":  # the sentence that it cannot be drawn has its name
            assert any("onerror=" in text or MARKDOWN in text for text in sent), sent
    finally:
        viewer.close()


def test_only_one_file_hands_markup_to_pages():
    """By looking at the code: the others have words put there by it."""
    for path in VIEW.glob("*.py"):
        if path.name == "page_words.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and node.attr in SINKS[:2]:
                pytest.fail(f"{path.name} calls {node.attr}: use page_words")
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    assert not (isinstance(target, ast.Attribute) and target.attr == "content"), f"{path.name} sets .content"
            if isinstance(node, ast.Import):
                assert all(name.name != "html" for name in node.names), f"{path.name} escapes by itself: use page_words"


def test_what_is_escaped():
    assert as_html('<a b="c">&\n') == "&lt;a b=&quot;c&quot;&gt;&amp;<br>"
    assert "</script>" not in as_script({"a": "</script>"})
