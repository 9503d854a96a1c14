"""Which coordinates a constraint row can have entries at: those of the joints between its two bodies, and no others.

A joint above the body from which on both have the same ancestors moves both alike. So a row is short where a loop is local,
however large the tree is, and nothing has to look at the rest of it.
"""

import numpy as np

from locomote.constraints import columns as col
from locomote.constraints.columns import BETWEEN_BODIES, BODY, COUNT, FIRST, KIND, LINEAR, MEETING, OTHER
from locomote.model.columns import PARENT, V_COUNT, V
from locomote.model.model import Model


def meeting(topology: np.ndarray, body: int, other: int) -> int:
    """The last body that is an ancestor of both, or one of them; the world if there is none."""
    while body != other:  # parents stand before children, the world behind all
        if other == len(topology) - 1 or (body != len(topology) - 1 and body > other):
            body = int(topology[body, PARENT])
        else:
            other = int(topology[other, PARENT])
    return int(body)


def path(topology: np.ndarray, body: int, end: int) -> list[int]:
    """A body and its ancestors below `end`, which must be one of them."""
    bodies = []
    while body != end:
        bodies.append(int(body))
        body = topology[body, PARENT]
    return bodies


def joints_between(topology: np.ndarray, row: np.ndarray) -> list[int]:
    """The bodies whose joints move the two bodies of an elementary constraint relative to each other."""
    return [i for body in (row[BODY], row[OTHER]) for i in path(topology, body, row[MEETING])]


def coordinates_of(row: np.ndarray, linear: np.ndarray) -> list[int]:
    """The coordinates of v that a LINEAR constraint couples."""
    own = np.flatnonzero(linear[row[col.FUNCTION]]).tolist()
    return sorted({*own, int(row[col.ALONG])}) if row[col.PIECES] else own


def touched_by(model: Model, integers: np.ndarray, linear: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates of v that rows can have entries at, row after row, and (rows + 1,) where those of each row begin."""
    every, by_row = list(range(model.nv)), [[] for _ in owners(integers)]
    for row in integers:
        own = every  # for a function of the user, and for rods, whose joints are many
        if row[KIND] == LINEAR:
            own = coordinates_of(row, linear)
        elif row[KIND] in BETWEEN_BODIES and not model.flexible:
            joints = model.topology[sorted(joints_between(model.topology, row))]
            own = [k for joint in joints for k in range(joint[V], joint[V] + joint[V_COUNT])]
        for r in range(row[FIRST], row[FIRST] + row[COUNT]):  # several parts of a keel share rows, over all coordinates
            by_row[r] = own
    first = np.concatenate([[0], np.cumsum([len(own) for own in by_row])])
    return np.array([k for own in by_row for k in own], dtype=np.int64), first.astype(np.int64)


def owners(integers: np.ndarray) -> np.ndarray:
    """(rows,) elementary constraint that each row is of; the last of several."""
    result = np.zeros(int((integers[:, FIRST] + integers[:, COUNT]).max(initial=0)), dtype=np.int64)
    for c, row in enumerate(integers):
        result[row[FIRST] : row[FIRST] + row[COUNT]] = c
    return result
