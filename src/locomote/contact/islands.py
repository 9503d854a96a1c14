"""Islands: trees of bodies that touch each other, directly or through others. Each is a problem by itself, and a smaller one.

Coordinates of an island stand tree after tree in the order in which its tangent is factored: next comes the tree with the
fewest neighbours among those that are left (minimum degree), which keeps blocks zero that are zero.
"""

from typing import NamedTuple

import numpy as np

from locomote.compiler.source import helper, routine
from locomote.contact.alart_curnier import rows_of
from locomote.contact.delassus import ARM, FIRST, KIND, OWNER, POINT
from locomote.linear.block_lu import eliminate_links
from locomote.linear.six_blocks import EIGHT

WHOLE = 2  # trees up to which all is one island
ISLAND, PLACE, ORDER, DEGREE, SHIFT = range(5)  # rows of `trees`, of a tree, but for ORDER: the trees in their order
TREE_ROWS = 5
SOFT, FREE, BOUND, IMPULSE = range(4)  # rows of `numbers`
NUMBERS = 4


class Island(NamedTuple):
    """Room of one island: blocks, spans, rows (m, nv), numbers (NUMBERS, m), starts (trees + 1), links (trees, trees)"""

    blocks: np.ndarray
    spans: np.ndarray
    rows: np.ndarray
    numbers: np.ndarray
    starts: np.ndarray
    links: np.ndarray


@helper
def first_of(trees, n):
    """The tree that stands for the island of tree n."""
    while trees[ISLAND, n] != n:
        n = trees[ISLAND, n]
    return n


@helper
def tree_of(spans, j, side, tree_at):
    """The tree that a span of block j is of, -1 if it is empty."""
    return tree_at[spans[j, 2 * side]] if spans[j, 2 * side + 1] > spans[j, 2 * side] else -1


@routine
def arrange(spans, count, tree_at, trees, links, total):
    """Islands of `total` trees, their order, and which of them feel each other in that order."""
    for n in range(total):
        trees[ISLAND, n] = n
        for i in range(total):
            links[n, i] = 0
    for j in range(count):
        a, b = tree_of(spans, j, 0, tree_at), tree_of(spans, j, 1, tree_at)
        if a >= 0 and b >= 0 and a != b:
            links[a, b] = links[b, a] = 1
            one, other = first_of(trees, a), first_of(trees, b)
            trees[ISLAND, max(one, other)] = min(one, other)
    for n in range(total):
        trees[ISLAND, n] = first_of(trees, n)
    place = 0
    for island in range(total):
        if trees[ISLAND, island] == island:
            place = order_island(trees, links, total, island, place)
    put_links(spans, count, tree_at, trees, links, total)


@routine
def order_island(trees, links, total, island, place):
    """Places of the trees of an island, from `place` on, by fewest neighbours; returns the next place."""
    for n in range(total):
        if trees[ISLAND, n] == island:
            trees[PLACE, n] = -1
            trees[DEGREE, n] = 0
            for i in range(total):
                trees[DEGREE, n] += links[n, i]
    while True:
        best = -1
        for n in range(total):
            if trees[ISLAND, n] == island and trees[PLACE, n] < 0 and (best < 0 or trees[DEGREE, n] < trees[DEGREE, best]):
                best = n
        if best < 0:
            return place
        trees[PLACE, best], trees[ORDER, place] = place, best
        place += 1
        for n in range(total):
            if links[best, n] != 0 and trees[PLACE, n] < 0:
                trees[DEGREE, n] -= 1
                for i in range(total):
                    if links[best, i] != 0 and i != n and trees[PLACE, i] < 0 and links[n, i] == 0:
                        links[n, i] = 1
                        trees[DEGREE, n] += 1


@routine
def put_links(spans, count, tree_at, trees, links, total):
    """Links by place instead of by tree, with those that factors add."""
    for n in range(total):
        for i in range(total):
            links[n, i] = 0
    for j in range(count):
        a, b = tree_of(spans, j, 0, tree_at), tree_of(spans, j, 1, tree_at)
        if a >= 0 and b >= 0 and a != b:
            links[trees[PLACE, a], trees[PLACE, b]] = links[trees[PLACE, b], trees[PLACE, a]] = 1
    eliminate_links(links, total)


@routine
def take_island(state, room, count, place):
    """The island whose first tree is at `place`, into its room: how many trees, blocks, rows and coordinates it has, and if
    they are those of `linear.six_blocks`: two more for each free body, which nothing moves."""
    trees, island = state.trees, state.trees[ISLAND, state.trees[ORDER, place]]
    n, nv, total, six = place, 0, state.trees.shape[1], True
    while n < total and trees[ISLAND, trees[ORDER, n]] == island:
        tree = trees[ORDER, n]
        six = six and state.tree_starts[tree + 1] - state.tree_starts[tree] == 6
        n += 1
    n -= place
    for i in range(n):
        tree = trees[ORDER, place + i]
        room.starts[i] = nv
        trees[SHIFT, tree] = nv - state.tree_starts[tree]
        nv += EIGHT if six else state.tree_starts[tree + 1] - state.tree_starts[tree]
    room.starts[n] = nv
    for i in range(n):
        for k in range(n):
            room.links[i, k] = state.links[place + i, place + k]
    blocks, m, owner = 0, 0, 0
    for j in range(count):
        a, b = tree_of(state.spans, j, 0, state.tree_at), tree_of(state.spans, j, 1, state.tree_at)
        if (a >= 0 and trees[ISLAND, a] == island) or (a < 0 and b >= 0 and trees[ISLAND, b] == island):
            kind = state.blocks[j, KIND]
            if kind == POINT:
                owner = m + 2
            copy_block(state, room, j, blocks, m, owner if kind == ARM else 0, six)
            blocks, m = blocks + 1, m + rows_of(kind)
    return n, blocks, m, nv, six


@routine
def copy_block(state, room, j, block, m, owner, six):
    """Block j becomes a block of the island, with rows from m on."""
    r, kind = state.blocks[j, FIRST], state.blocks[j, KIND]
    room.blocks[block, KIND], room.blocks[block, FIRST], room.blocks[block, OWNER] = kind, m, owner
    room.numbers[BOUND, block] = state.bounds[j]
    for side in range(2):
        tree, first, last = tree_of(state.spans, j, side, state.tree_at), state.spans[j, 2 * side], state.spans[j, 2 * side + 1]
        shift = state.trees[SHIFT, tree] if tree >= 0 else 0
        start = first + shift if tree >= 0 else 0
        stop = (start + EIGHT if six else last + shift) if tree >= 0 else 0
        room.spans[block, 2 * side], room.spans[block, 2 * side + 1] = start, stop
        for i in range(m, m + rows_of(kind)):
            for k in range(start, stop):
                room.rows[i, k] = state.rows[r + i - m, k - shift] if k - shift < last else 0.0
    for i in range(rows_of(kind)):
        room.numbers[SOFT, m + i], room.numbers[FREE, m + i] = state.soft[r + i], state.free_speed[r + i]
        room.numbers[IMPULSE, m + i] = state.impulse[r + i]


@routine
def give_back(state, room, count, place):
    """Impulses of the island whose first tree is at `place`."""
    trees, island, m = state.trees, state.trees[ISLAND, state.trees[ORDER, place]], 0
    for j in range(count):
        a, b = tree_of(state.spans, j, 0, state.tree_at), tree_of(state.spans, j, 1, state.tree_at)
        if (a >= 0 and trees[ISLAND, a] == island) or (a < 0 and b >= 0 and trees[ISLAND, b] == island):
            r = state.blocks[j, FIRST]
            for i in range(rows_of(state.blocks[j, KIND])):
                state.impulse[r + i] = room.numbers[IMPULSE, m]
                m += 1
