"""The page of the crossings: written from verdicts, and read again by the test that says whether it is true.

`python tests/helpers/crossings/crossing_page.py` writes docs/what-works-with-what.md. With `all` after it, it tries every pair
of kinds that can meet, and prints what is broken; that takes a while.
"""

import functools
import re
import sys
from pathlib import Path

from crossing_cases import pairs, rows, singles
from crossing_verbs import VERBS
from crossing_verdicts import BROKEN, NONE, REFUSED, WORKS, Verdict, verdict

PAGE = Path(__file__).resolve().parents[3] / "docs" / "what-works-with-what.md"
SIGNS = {WORKS: "yes", NONE: "-", BROKEN: "broken"}
HEAD = """# What works with what

Kinds of problem against what one does with them. Every cell is a test: small problems of each kind are made, simulated, saved,
resumed, differentiated and so on, and compared with another way to the same numbers (`tests/crossings`, which writes this page:
`python tests/helpers/crossings/crossing_page.py`).

- **yes**: right, by the check of that column.
- **a number**: refused at once, with the sentence of that number below the tables; N stands for numbers of the problem, M for
  the method of the column.
- **-**: the question has no meaning there.

| column | check |
|---|---|
"""
CHECKS = {
    "simulate": "it runs to the end, all numbers are finite, the audit passes",
    "twice": "two runs are the same bit for bit",
    "energy": "a balance of the test's own, from states, torques, forces at their places and reactions",
    "save and open": "the file has the same arrays, channels and verdict; the problem in it runs to the same bits",
    "resume": "Ctrl-C after any step, and the resumed run and its file have the bits of the whole one",
    "between": "a part of a run has all its channels, and passes the audit",
    "at": "states between samples against a run that has samples there",
    "tables": "dictionary, text and dataset have all channels with their numbers",
    "deep audit": "every sample computed anew passes",
    "extend": "half a run that goes on ends where the whole one does",
    "join": "two runs in one have all channels, and pass the audit",
    "joint wrenches": "along its axes every joint carries what drives, springs, dampers and couplings give it",
    "copies": "pickle and deepcopy run to the same bits",
    "threads": "four threads on one problem give the bits of one",
    "evaluate": "accelerations, torques and reactions at samples are those of the run",
    "derivatives": "derivatives by q, v and t against differences",
    "linearize": "derivatives about rest, along the constraints, against differences",
    "equilibrium": "nothing accelerates there, constraints hold, no contact pulls",
    "symbols": "the formula of `lo.symbolic_problem` against `evaluate`",
    "rollout": "two copies side by side against a run",
    "gradient": "slopes of `lo.gradient` by q and v, of a short adaptive run (over contacts: steps, by v), against differences",
    "stepper": "steps by hand against a run",
    "method ...": "this method against a run with tight tolerances",
    "summary and report": "texts without numbers that are none; a page that is not empty",
    "plot": "a picture that is not empty",
    "film": "a strip of pictures that is not empty",
    "joint limits": "with a limit on its way the joint stops there, and the audit passes",
    "effort limits": "with half the torque as limit no more acts, and the audit passes",
}
TABLES = (
    (
        "Runs",
        (
            "simulate",
            "twice",
            "energy",
            "save and open",
            "resume",
            "between",
            "at",
            "extend",
            "join",
            "copies",
            "threads",
            "joint wrenches",
        ),
    ),
    (
        "Instants and steps",
        ("evaluate", "derivatives", "linearize", "equilibrium", "symbols", "rollout", "gradient", "stepper"),
    ),
    ("Methods", tuple(name for name in VERBS if name.startswith("method "))),
    ("Pictures and limits", ()),
)


def cells(everything: bool = False):
    """Every row with every column that is asked of it."""
    for title, case in rows(everything).items():
        for name, done in VERBS.items():
            if not done.slow or len(case.acts) < 1 or case.title == case.acts[0]:
                yield title, name


def columns() -> list[tuple[str, tuple[str, ...]]]:
    """Tables of the page, the last with all columns that no other has."""
    named = {name for _, names in TABLES for name in names}
    return [(title, names or tuple(name for name in VERBS if name not in named)) for title, names in TABLES]


def text(verdicts: dict[tuple[str, str], Verdict]) -> str:
    """The page."""
    sentences = list(dict.fromkeys(v.sentence for v in verdicts.values() if v.kind == REFUSED))
    lines = [HEAD.rstrip("\n"), *(f"| {name} | {check} |" for name, check in CHECKS.items())]
    for title, names in columns():
        lines += ["", f"## {title}", "", f"| kind | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
        for row in rows():
            found = [verdicts.get((row, name)) for name in names]
            if any(found):
                signs = ["" if v is None else SIGNS.get(v.kind) or str(sentences.index(v.sentence) + 1) for v in found]
                lines.append(f"| {row} | {' | '.join(signs)} |")
    lines += ["", "## Sentences", "", *(f"{k}. {sentence}" for k, sentence in enumerate(sentences, 1)), ""]
    return "\n".join(lines)


def parsed(page: str) -> dict[tuple[str, str], Verdict]:
    """The verdicts that a page tells."""
    sentences = {int(k): sentence for k, sentence in re.findall(r"^(\d+)\. (.*)$", page, re.M)}
    kinds, result, names = {sign: kind for kind, sign in SIGNS.items()}, {}, []
    for line in page.splitlines():
        entries = [entry.strip() for entry in line.strip("|").split("|")]
        if line.startswith("| kind |"):
            names = entries[1:]
        elif line.startswith("| ") and names:
            for name, sign in zip(names, entries[1:], strict=True):
                if sign:
                    said = Verdict(kinds[sign]) if sign in kinds else Verdict(REFUSED, sentences[int(sign)])
                    result[entries[0], name] = said
    return result


@functools.cache
def runs(row: str) -> bool:
    """Whether a pair of the whole table has a motion: some drives and constraints contradict each other."""
    return not verdict(rows(True)[row], "simulate").sentence.startswith("the run fails")


def main(everything: bool) -> None:
    verdicts = {}
    for row, name in cells(everything):
        if everything and not runs(row):
            continue
        verdicts[row, name] = found = verdict(rows(everything)[row], name)
        if found.kind == BROKEN:
            print(f"{row} | {name} | {found.sentence}", flush=True)
    for kind in (WORKS, REFUSED, NONE, BROKEN):
        print(kind, sum(v.kind == kind for v in verdicts.values()))
    if not everything:
        PAGE.write_text(text(verdicts), encoding="utf-8")
        print(f"{len(singles())} kinds and {len(pairs())} pairs in {PAGE.name}")


if __name__ == "__main__":
    main("all" in sys.argv[1:])
