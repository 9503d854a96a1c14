"""Finite-element models as plain text.

    # anything after a hash is ignored
    nodes 4                     how many, then one line each: x y z, in the unit of the file (m)
    0 0 0
    ...
    freedoms 3                  for each node: 3 (x y z) or 6 (and turns about x y z)
    mass 30                     how many entries, then one line each: row column value, from 0; only one of two mirrored
    0 0 0.25                    entries is given
    ...
    stiffness 90
    ...

Mass in kg (kg m^2 of turns), stiffness in N/m (N, N m). Entries that are not there are zero; given twice they are added.
"""

import os
from pathlib import Path

import numpy as np
import scipy.sparse

from locomote.errors import ModelError
from locomote.files import whole_file
from locomote.model.flexible.finite_elements import FiniteElements

WORDS = ("nodes", "freedoms", "mass", "stiffness")
MOST = 2_000_000  # nodes, and 50 times as many entries


def read_finite_elements(path: str | os.PathLike) -> FiniteElements:
    """The model in a text file; a ModelError says in which line it is wrong."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise ModelError(str(path), f"it cannot be read: {fault}") from None
    lines = [(n, line.split("#")[0].split()) for n, line in enumerate(text.splitlines(), 1)]
    lines = [(n, words) for n, words in lines if words]
    parts: dict[str, np.ndarray] = {}
    k = 0
    while k < len(lines):
        n, words = lines[k]
        if len(words) != 2 or words[0] not in WORDS or words[0] in parts or not words[1].isdigit():
            wanted = " or ".join(word for word in WORDS if word not in parts)
            raise ModelError(str(path), f"line {n}: expected {wanted} and an integer, not {' '.join(words)!r:.60}")
        count = int(words[1])
        if count > 50 * MOST:
            raise ModelError(str(path), f"line {n}: {count} is more than can be read, {50 * MOST}")
        k += 1
        if words[0] == "freedoms":
            parts["freedoms"] = np.array([count])
            continue
        parts[words[0]] = table(path, lines, k, count, n)
        k += count
    missing = [word for word in WORDS if word not in parts]
    if missing:
        raise ModelError(
            str(path), f"it has no {' and no '.join(missing)}; see lo.rods.read_finite_elements for what is needed"
        )
    each = int(parts["freedoms"][0])
    if each not in (3, 6):
        raise ModelError(str(path), f"freedoms must be 3 or 6, not {each}")
    size = each * len(parts["nodes"])
    try:
        return FiniteElements(parts["nodes"], *(matrix(path, word, parts[word], size) for word in ("mass", "stiffness")))
    except ValueError as fault:
        raise ModelError(str(path), str(fault)) from None


def table(path, lines, start: int, count: int, head: int) -> np.ndarray:
    """(count, 3) numbers."""
    if start + count > len(lines):
        raise ModelError(str(path), f"line {head}: {count} lines are announced, {len(lines) - start} follow")
    rows = np.zeros((count, 3))
    for r, (n, words) in enumerate(lines[start : start + count]):
        try:
            rows[r] = [float(word) for word in words]
        except ValueError:
            raise ModelError(str(path), f"line {n}: expected three numbers, not {' '.join(words)!r:.60}") from None
    return rows


def matrix(path, word: str, entries: np.ndarray, size: int):
    """A symmetric sparse matrix."""
    places = entries[:, :2].astype(int)
    if (places != entries[:, :2]).any() or (places < 0).any() or (places >= size).any():
        raise ModelError(str(path), f"rows and columns of {word} must be integers from 0 to {size - 1}")
    half = scipy.sparse.coo_matrix((entries[:, 2], (places[:, 0], places[:, 1])), shape=(size, size)).tocsr()
    return half + half.T - scipy.sparse.diags(half.diagonal())


def write_finite_elements(model: FiniteElements, path: str | os.PathLike) -> None:
    """The same file, to the last digit."""
    out = [f"nodes {len(model.points)}", *(" ".join(repr(float(x)) for x in point) for point in model.points)]
    out.append(f"freedoms {model.each}")
    for word in ("mass", "stiffness"):
        half = scipy.sparse.tril(getattr(model, word)).tocoo()
        out.append(f"{word} {half.nnz}")
        out += [f"{r} {c} {float(x)!r}" for r, c, x in zip(half.row, half.col, half.data, strict=True)]
    with whole_file(path) as file:
        file.write(("\n".join(out) + "\n").encode())
