"""Links or modules, seen alike: what a recursion over the tree takes, whatever its elements are.

    t_i = A_i t_p + P_i v_i ,   p the parent                                                                            (1)
    t_i' = A_i t_p' + P_i v_i' + A_i' t_p + P_i' v_i                                                                     (2)

Of a link, t_i has 6 numbers and A_i is 6 x 6. Of a module of s links, t_i has 6 s numbers (those of its links, one below the
other), M_i is block diagonal, and

    A_i  has one block column that is not zero: from the last link of the parent module to each link                     (3)
    P_i  = N_l N_d of the module alone: lower block triangle of A_kj times block diagonal of P_k                         (4)

A flexible body is one element, with its stations as links; they share coordinates, so that its P_k stand below each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from locomote.brief import brief
from locomote.denoc.flexible import units
from locomote.denoc.links import Links, transform, transform_rate
from locomote.errors import UnknownName

LEVELS = ("link", "module")


@brief
@dataclass(frozen=True)
class Element:
    """A link or a module: its place in the tree, its coordinates, and the matrices of (1) and (2).

    G : with w_i = M_i t_i' + G_i t_i ; weight : wrenches of gravity ; armature : (coordinates, coordinates)
    """

    name: str
    links: tuple[int, ...]
    parent: int
    columns: np.ndarray
    A: np.ndarray | None
    A_rate: np.ndarray | None
    P: np.ndarray
    P_rate: np.ndarray
    M: np.ndarray
    G: np.ndarray
    weight: np.ndarray
    armature: np.ndarray


def elements(links: Links, level: str = "link") -> list[Element]:
    """The links, or the modules, of a mechanism, outward."""
    if level not in LEVELS:
        raise UnknownName("level", level, LEVELS, "DeNOC")
    if level == "link":
        groups: dict[int, list[int]] = {}
        for k, own in enumerate(units(links.model)):
            groups.setdefault(own, []).append(k)
        return grouped(links, [tuple(group) for group in groups.values()], [links.names[k] for k in groups])
    return grouped(links, [module.links for module in links.modules], [module.name for module in links.modules])


def grouped(links: Links, groups: Sequence[tuple[int, ...]], names: Sequence[str]) -> list[Element]:
    """Elements of the given groups of links, outward; the links of a group hang on each other or on one link before."""
    home = {k: (i, row) for i, group in enumerate(groups) for row, k in enumerate(group)}
    result = []
    for group, name in zip(groups, names, strict=True):
        N_l, N_l_rate = triangle(links, group)
        columns = np.array(list(dict.fromkeys(c for k in group for c in coordinates(links.columns[k]))), dtype=int)
        N_d, N_d_rate = below(links, group, links.P, columns), below(links, group, links.P_rate, columns)
        before, parent, A, A_rate = links.parent[group[0]], -1, None, None
        if before >= 0:
            parent, place = home[before]
            A, A_rate = np.zeros((2, 6 * len(group), 6 * len(groups[parent])))
            for row, k in enumerate(group):  # (3)
                block = slice(6 * row, 6 * row + 6), slice(6 * place, 6 * place + 6)
                A[block], A_rate[block] = between(links, k, before)
        P, P_rate = N_l @ N_d, N_l_rate @ N_d + N_l @ N_d_rate  # (4)
        rows = list(group)
        M, G = diagonal(links.M[rows]), diagonal(links.G[rows])
        weight, armature = links.weight[rows].ravel(), np.diag(links.armature[columns])
        result.append(Element(name, tuple(group), parent, columns, A, A_rate, P, P_rate, M, G, weight, armature))
    return result


def coordinates(columns: slice) -> range:
    """Numbers of a slice of v."""
    return range(columns.start, columns.stop)


def below(links: Links, group: Sequence[int], motions: Sequence[np.ndarray], columns: np.ndarray) -> np.ndarray:
    """Motions of links, one below the other, over the coordinates of a group: block diagonal but for those that links share."""
    place, result = {int(c): n for n, c in enumerate(columns)}, np.zeros((6 * len(group), len(columns)))
    for row, k in enumerate(group):
        own = [place[c] for c in coordinates(links.columns[k])]
        result[6 * row : 6 * row + 6, own] = motions[k]
    return result


def diagonal(blocks: Sequence[np.ndarray] | np.ndarray) -> np.ndarray:
    """A block diagonal matrix."""
    result = np.zeros((sum(block.shape[0] for block in blocks), sum(block.shape[1] for block in blocks)))
    row = column = 0
    for block in blocks:
        result[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return result


def triangle(links: Links, group: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """N_l of a group of links and its rate: A_kj where k is j or outward of it."""
    N_l, rate = np.zeros((2, 6 * len(group), 6 * len(group)))
    place = {k: row for row, k in enumerate(group)}
    for row, k in enumerate(group):
        j = k
        while j in place:
            block = slice(6 * row, 6 * row + 6), slice(6 * place[j], 6 * place[j] + 6)
            N_l[block], rate[block] = between(links, k, j)
            j = links.parent[j]
    return N_l, rate


def between(links: Links, k: int, j: int) -> tuple[np.ndarray, np.ndarray]:
    """A_kj, from the twist of link j to that which its points would have at link k, and its rate."""
    return transform(links.X[j] - links.X[k]), transform_rate(links.t[j, 3:] - links.t[k, 3:])
