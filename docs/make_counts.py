"""Write the table and the plot of operation counts: `python docs/make_counts.py`.

Chains of n coordinates, any placement of any body: joints of one axis (revolute), of two (universal), of three (Euler
angles, or a ball), and a mixture of one, two and three in turn. Counts are those of the recorded kernels
(`lo.operation_count`), multiplications with divisions and additions; sines and cosines are not counted, as in the publications.
"""

from pathlib import Path

import numpy as np

import locomote as lo

HERE = Path(__file__).parent
SIZES = (2, 3, 4, 6, 8, 10, 12, 16, 20, 26, 30, 36, 42, 48, 50)
TABLE = (6, 12, 30, 48)
KINDS = {
    "one axis": ("revolute",),
    "two axes": ("universal",),
    "three axes": ("euler",),
    "ball": ("spherical",),
    "mixed": ("revolute", "universal", "euler"),
}
BASES = ("fixed", "free")
# multiplications and additions: (slope, constant); Shah, Saha, Dutt (2012), and what they compare with
PUBLISHED = {
    ("inverse", "fixed"): {"DeNOC": ((94, -81), (82, -75)), "Featherstone": ((130, -68), (101, -56))},
    ("forward", "fixed"): {"DeNOC": ((209, -198), (201, -185)), "Featherstone": ((300, -267), (279, -259))},
    ("inverse", "free"): {"DeNOC": ((164, 60), (156, 66))},
    ("forward", "free"): {"DeNOC": ((209, 60), (201, 66)), "before": ((224, 158), (205, 131))},
}


def chain(kinds: tuple[str, ...], n: int, base: str) -> lo.Model | None:
    """A chain of n coordinates of these joints in turn, on a base that counts for none of them; None if n does not fit."""
    rng, left, number = np.random.default_rng(5), n, 0
    builder = lo.Builder(f"{'+'.join(kinds)} {n}", base=base).body("base", inertia=inertia(rng))
    while left:
        kind = kinds[number % len(kinds)]
        size = lo.Joint("x", kind).sizes[1]
        if size > left:
            return None
        pose = np.eye(4)
        pose[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        pose[:3, :3] *= np.linalg.det(pose[:3, :3])
        pose[:3, 3] = rng.normal(size=3)
        parent = "base" if number == 0 else f"link{number - 1}"
        builder.body(f"link{number}", parent=parent, at=pose, joint=lo.Joint(f"j{number}", kind), inertia=inertia(rng))
        left, number = left - size, number + 1
    return builder.build()


def inertia(rng) -> lo.Inertia:
    """Of a box off its center, turned."""
    return lo.Inertia(1.0, rng.normal(size=3), (1.0, 0.1, 0.2, 1.1, 0.3, 0.9))


def counted(kinds: tuple[str, ...], n: int, base: str, which: str) -> tuple[int, int] | None:
    """Multiplications with divisions, and additions. The base is one more body, which is free or does not move."""
    if (model := chain(kinds, n, base)) is None:
        return None
    function = {"inverse": "inverse_dynamics", "forward": "forward_dynamics"}[which]
    count = lo.operation_count(model, function)
    return count.multiplications + count.divisions, count.additions


def published(formula, n: int) -> tuple[int, int]:
    """Both numbers of a formula."""
    (a, b), (c, d) = formula
    return a * n + b, c * n + d


def all_counts() -> dict:
    """(which, base, joints) -> {n: (multiplications, additions)}"""
    result = {}
    for which, base in PUBLISHED:
        for name, kinds in KINDS.items():
            found = {n: counted(kinds, n, base, which) for n in SIZES}
            result[which, base, name] = {n: count for n, count in found.items() if count is not None}
    return result


def table(counts: dict) -> str:
    """Rows for some n, ours by joints and what is published."""
    sizes = " | ".join(f"n = {n}" for n in TABLE)
    lines = [f"| dynamics | base | joints, or source | {sizes} |", "|---|---|---|" + "---|" * len(TABLE)]
    for (which, base), formulas in PUBLISHED.items():
        for name in KINDS:
            found = counts[which, base, name]
            cells = " | ".join(f"{found[n][0]} M {found[n][1]} A" if n in found else "-" for n in TABLE)
            lines.append(f"| {which} | {base} | {name} | {cells} |")
        for name, formula in formulas.items():
            cells = " | ".join("{} M {} A".format(*published(formula, n)) for n in TABLE)
            lines.append(f"| {which} | {base} | *{name}* | {cells} |")
    return "\n".join(lines)


def draw(counts: dict, file: Path) -> None:
    """All operations over n, one plot for each problem."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(10, 7), layout="constrained", sharex=True)
    for axis, (which, base) in zip(axes.flat, PUBLISHED, strict=True):
        for name in KINDS:
            found = counts[which, base, name]
            axis.plot(list(found), [sum(count) for count in found.values()], "o-", ms=3, label=name)
        for name, formula in PUBLISHED[which, base].items():
            axis.plot(
                SIZES,
                [sum(published(formula, n)) for n in SIZES],
                "k--" if name == "DeNOC" else "k:",
                label=f"{name}, published",
            )
        axis.set(title=f"{which} dynamics, {base} base", ylabel="multiplications and additions")
        axis.legend(fontsize=8)
        axis.grid(alpha=0.3)
    for axis in axes[1]:
        axis.set_xlabel("coordinates n (without the base)")
    figure.savefig(file, dpi=80)


def page(counts: dict) -> str:
    """The page, with the table in its place."""
    text = (HERE / "operation-counts.md").read_text(encoding="utf-8")
    head, tail = text.split("<!-- table -->\n")[0], text.split("<!-- end of table -->")[1]
    return f"{head}<!-- table -->\n{table(counts)}\n<!-- end of table -->{tail}"


if __name__ == "__main__":
    found = all_counts()
    (HERE / "operation-counts.md").write_text(page(found), encoding="utf-8")
    draw(found, HERE / "operation-counts.png")
