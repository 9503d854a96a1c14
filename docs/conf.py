"""Sphinx: Markdown pages in, HTML out (`make docs`). The pages load nothing from elsewhere: the theme brings its fonts and
scripts, search is a file of the site, formulas are MathML."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import api_reference
import site_parts

project = "locomote"
author = "The locomote authors"
copyright = "The locomote authors, MIT licence"
extensions = ["myst_parser", "sphinx_design", "sphinx_copybutton"]
html_title = "locomote"
html_theme = "pydata_sphinx_theme"
html_theme_options = {
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "navigation_with_keys": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_context = {"default_mode": "auto"}
html_favicon = "_static/favicon.svg"
html_sidebars = {"index": []}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_math_renderer = "mathml"
smartquotes = False  # sentences of docstrings have code in them, such as body="rod"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
toc_object_entries_show_parents = "hide"
copybutton_exclude = ".linenos, .gp"
myst_enable_extensions = ["colon_fence", "dollarmath", "deflist", "attrs_inline"]
myst_heading_anchors = 3
pygments_style = "a11y-high-contrast-light"


def setup(app):
    """Make the API reference when its pages are read, set formulas as MathML, link names of the package."""
    app.connect("source-read", api_reference.fill)
    app.connect("env-get-outdated", api_reference.always)
    app.connect("doctree-read", site_parts.link_names)
    app.connect("build-finished", site_parts.copy_gallery)
    app.add_html_math_renderer("mathml", (site_parts.inline_formula, None), (site_parts.block_formula, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
