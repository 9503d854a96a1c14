"""Rows that have no coordinate in common, taken apart: what holds for a matrix of blocks holds for each block alone."""

from typing import NamedTuple

import numpy as np


class Block(NamedTuple):
    """Numbers of the rows of a block, and of the columns that they have entries in; both ascending."""

    rows: np.ndarray
    columns: np.ndarray


def separate(A: np.ndarray) -> list[Block]:
    """The blocks of a matrix (..., rows, columns), in the order of their first rows; where there are several matrices, blocks
    of all of them. Rows without entries are blocks without columns."""
    pattern = (A != 0).any(axis=tuple(range(A.ndim - 2)))
    leader: list[int] = list(range(A.shape[-1]))

    def find(k: int) -> int:
        while leader[k] != k:
            leader[k] = leader[leader[k]]
            k = leader[k]
        return k

    entries = [np.flatnonzero(row).tolist() for row in pattern]
    for own in entries:
        for k in own[1:]:
            leader[find(k)] = find(own[0])
    rows: dict[int, list[int]] = {}
    columns: dict[int, list[int]] = {}
    for r, own in enumerate(entries):
        rows.setdefault(find(own[0]) if own else -1 - r, []).append(r)
    for k in np.flatnonzero(pattern.any(axis=0)).tolist():
        columns.setdefault(find(k), []).append(k)
    return [Block(np.array(own), np.array(columns.get(which, []), dtype=int)) for which, own in rows.items()]
