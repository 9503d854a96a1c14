"""Sphinx: plain Markdown pages in, HTML out (`make docs`)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import api_reference

project = "locomote"
author = "The locomote authors"
extensions = ["myst_parser"]
html_theme = "furo"
myst_heading_anchors = 3
suppress_warnings = ["myst.xref_missing"]


def setup(app):
    """Make the API reference when its page is read."""
    app.connect("source-read", api_reference.fill)
