"""Parts of the site that Sphinx lacks: formulas as MathML, which browsers show without script or network, and links from
code in sentences to the reference."""

import re
import shutil
from pathlib import Path

import latex2mathml.converter
from api_reference import TARGETS
from docutils import nodes
from sphinx.addnodes import pending_xref


def inline_formula(self, node) -> None:
    """A formula within a line."""
    self.body.append(f"{mathml(node.astext(), 'inline')}&#8288;")  # a comma after it stays on its line
    raise nodes.SkipNode


def block_formula(self, node) -> None:
    """A formula on a line of its own."""
    self.body.append(f'<div class="formula">{mathml(node.astext(), "block")}</div>')
    raise nodes.SkipNode


def mathml(formula: str, display: str) -> str:
    """TeX as MathML."""
    return latex2mathml.converter.convert(formula, display=display)


def copy_gallery(app, error) -> None:
    """Moving pictures beside the pages: the front page names them in HTML, which Sphinx does not read."""
    if error is None:
        shutil.copytree(Path(app.srcdir) / "gallery", Path(app.outdir) / "gallery", dirs_exist_ok=True)


def link_names(app, doctree) -> None:
    """`lo.name` in sentences leads to the reference."""
    for node in list(doctree.findall(nodes.literal)):
        found = re.fullmatch(r"lo\.((?:[a-z]\w*\.)?\w+)(?:\([^()]*\))?", node.astext())
        if not found or found[1] not in TARGETS or isinstance(node.parent, nodes.reference | pending_xref):
            continue
        link = pending_xref("", refdomain="py", reftype="obj", reftarget=TARGETS[found[1]], refexplicit=True, refwarn=True)
        link["refdoc"] = app.env.current_document.docname
        node.replace_self(link)
        link += node
