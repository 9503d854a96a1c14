"""The house: folders of `src/locomote` in the order of its imports, drawn from the files themselves.

`python docs/inside/make_house.py` writes house.svg beside this file. A box is a folder, as wide as it has lines; a line leads
from a folder to one that it imports, as thick as there are files that do.
"""

import ast
from collections import Counter
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.patches import FancyBboxPatch, PathPatch
from matplotlib.path import Path as Curve

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parents[1] / "src" / "locomote"
FLOORS = {
    "numbers": ("compiler", "linear", "spatial", "qp"),
    "bodies": ("model", "formats"),
    "motion": ("kernels", "dynamics", "denoc"),
    "world": ("geometry", "constraints", "contact", "forces"),
    "problem": ("drives", "actuation", "evaluation", "methods"),
    "answers": ("runs", "locomotion", "control", "symbolic", "compiled"),
    "users": ("systems", "view", "bench", "cli"),
}
COLOURS = ("#4e79a7", "#76b7b2", "#59a14f", "#edc948", "#f28e2b", "#e15759", "#b07aa1")


def lines() -> Counter:
    """Lines of code of each folder."""
    found = Counter()
    for path in PACKAGE.rglob("*.py"):
        found[path.relative_to(PACKAGE).parts[0]] += path.read_text().count("\n")
    return found


def arrows() -> Counter:
    """How many files of a folder import from another one: (from, to) -> count. Imports for type checkers do not count."""
    found = Counter()
    for path in PACKAGE.rglob("*.py"):
        own, tree = path.relative_to(PACKAGE).parts[0], ast.parse(path.read_text())
        checked = [n for n in ast.walk(tree) if isinstance(n, ast.If) and "TYPE_CHECKING" in ast.dump(n.test)]
        skipped = {id(inner) for node in checked for inner in ast.walk(node)}
        asked = [n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module and id(n) not in skipped]
        found.update({(own, m.split(".")[1]) for m in asked if m.startswith("locomote.") and m.split(".")[1] != own})
    return found


def places(count: Counter) -> dict[str, tuple[float, float, float]]:
    """Left end, height and width of each box."""
    found, wide = {}, 100.0
    for row, folders in enumerate(FLOORS.values()):
        total, gap = sum(count[f] for f in folders), 3.0
        free = wide - gap * (len(folders) - 1) - 7.0 * len(folders)
        x = 0.0
        for folder in folders:
            width = 7.0 + free * count[folder] / total
            found[folder] = (x, 16.0 * row, width)
            x += width + gap
    return found


def draw() -> plt.Figure:
    """The picture."""
    count, boxes = lines(), places(lines())
    figure, axes = plt.subplots(figsize=(11, 8.5))
    for (own, other), files in arrows().items():
        if own in boxes and other in boxes:
            (x, y, w), (u, v, s) = boxes[own], boxes[other]
            start, end = (x + w / 2, y), (u + s / 2, v + 8)
            if y == v:  # side by side
                start, end = (x + (0 if u < x else w), y + 4), (u + (s if u < x else 0), v + 4)
            points = [start, (start[0], start[1] - 6), (end[0], end[1] + 6), end] if y != v else [start, start, end, end]
            curve = Curve(points, [Curve.MOVETO, Curve.CURVE4, Curve.CURVE4, Curve.CURVE4])
            axes.add_patch(PathPatch(curve, fill=False, lw=0.3 + 0.09 * files, color="0.35", alpha=0.35, zorder=1))
    for (floor, folders), colour in zip(FLOORS.items(), COLOURS, strict=True):
        axes.text(-3, boxes[folders[0]][1] + 4, floor, ha="right", va="center", fontsize=12, color=colour, weight="bold")
        for folder in folders:
            x, y, width = boxes[folder]
            style = "round,pad=0,rounding_size=1.2"
            axes.add_patch(FancyBboxPatch((x, y), width, 8, boxstyle=style, fc=colour, ec="white", lw=1.5, zorder=2))
            axes.text(
                x + width / 2, y + 4.9, folder, ha="center", va="center", fontsize=9.5, color="white", weight="bold", zorder=3
            )
            said = f"{round(count[folder] / 1000, 1)}k"
            axes.text(x + width / 2, y + 2.2, said, ha="center", va="center", fontsize=7.5, color="white", zorder=3)
    axes.set_xlim(-18, 101)
    axes.set_ylim(-2, 16 * len(FLOORS) - 6)
    axes.axis("off")
    figure.tight_layout()
    return figure


if __name__ == "__main__":
    plt.rcParams["svg.hashsalt"] = "house"  # the same file each time
    draw().savefig(HERE / "house.svg", metadata={"Date": None})
