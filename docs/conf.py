"""Sphinx: plain Markdown pages in, HTML out (`make docs`)."""

project = "locomote"
author = "The locomote authors"
extensions = ["myst_parser"]
html_theme = "furo"
myst_heading_anchors = 3
suppress_warnings = ["myst.xref_missing"]
