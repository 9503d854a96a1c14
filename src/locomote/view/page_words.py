"""Words on pages: the one place where text becomes part of a page, of the viewer or of a report.

Names, titles and sentences come from untrusted files. They are shown as they are and never as
markup: all of it is escaped here, and nothing but this file hands markup to a page. Markdown is not used at all, since it takes
pictures from any file and lets markup through. Labels of sliders, buttons and boxes are text for viser already.
"""

import html
import json
from collections.abc import Sequence
from typing import Any


def as_html(words: Any) -> str:
    """Text for the inside of an element, or of a quoted attribute."""
    return html.escape(str(words), quote=True).replace("\n", "<br>")


def as_script(data: Any) -> str:
    """Numbers and texts as JSON for the inside of a script element."""
    return json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def element(name: str, *words: Any) -> str:
    """An element with text in it, a line each."""
    return f"<{name}>{'<br>'.join(map(as_html, words))}</{name}>"


def color_bar(title: str, low: str, high: str, colors: Sequence[str]) -> str:
    """A scale of colours with what it is of and its ends."""
    bar = f"display: inline-block; width: 8em; height: 0.7em; background: linear-gradient(to right, {', '.join(colors)})"
    return f'<p>{as_html(title)}<br>{as_html(low)} <span style="{as_html(bar)}"></span> {as_html(high)}</p>'


def framed(address: str, *, height: str, title: str = "") -> str:
    """A page within a page."""
    said = f'id="{as_html(title)}" title="{as_html(title)}" ' if title else ""
    return f'<iframe {said}src="{as_html(address)}" style="width: 100%; height: {as_html(height)}; border: 0"></iframe>'


class Words:
    """A paragraph beside the scene of the viewer, that can be changed."""

    def __init__(self, gui: Any, *words: Any):
        self._handle = gui.add_html(element("p", *words))

    def say(self, *words: Any) -> None:
        """Other words instead."""
        self._handle.content = element("p", *words)


class Page:
    """A page of its own beside the scene."""

    def __init__(self, gui: Any, address: str, *, height: str, title: str):
        self._height, self._title = height, title
        self._handle = gui.add_html(framed(address, height=height, title=title))

    def go(self, address: str) -> None:
        """Another address."""
        self._handle.content = framed(address, height=self._height, title=self._title)


class Scales:
    """Scales of colours beside the scene of the viewer."""

    def __init__(self, gui: Any):
        self._handle = gui.add_html("")

    def show(self, scales: Sequence[tuple[str, str, str]], colors: Sequence[str]) -> None:
        """Title and ends of each."""
        self._handle.content = "".join(color_bar(*scale, colors) for scale in scales)
