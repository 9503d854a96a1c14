"""Impulses of all that touches in a step, by the first way that meets the law, island by island.

Bodies that touch each other go by loads and velocities in balance (`contact.balanced`); where that fails they go on as others
do, and a step that misses the law even then is taken again in halves. Of others, few rows go by W (`contact.delassus`), which
is small then: block after block, and by Newton's method. Many rows whose loads nearly hold, as those of the pass before do, go
by loads and velocities in balance too, in a step or two. Others, and what is left, go by velocities (`contact.proximal`), whose
work grows with the number of rows only. W of many rows is made where that fails, for ways that pass loads from contact to
contact (`contact.softening`), and not beyond MOST_ROWS: what is left then is said.
"""

from locomote.compiler.source import kernel, routine
from locomote.contact.alart_curnier import Contacts, own_blocks
from locomote.contact.balanced import settle_balanced, stay_balanced
from locomote.contact.delassus import KIND, POINT, settle
from locomote.contact.gauss_seidel import keep_better
from locomote.contact.islands import BOUND, FREE, IMPULSE, SOFT, WHOLE, Island, give_back, take_island
from locomote.contact.proximal import FIRST_KAPPA, SCALE, Room, W, settle_velocities, stick_more
from locomote.contact.softening import settle_slowly
from locomote.methods.state import FEW_ROWS, LEFT_OVER, MOST_ROWS
from locomote.methods.timestep.touching import feel_each_other

TIGHT = 1e-9  # m/s, of the law: loads that miss it by a hundred times that may be far from those that meet it
ENOUGH = 5.0  # times that, for what is hard to solve
FEW_PILED = 48  # rows of a pile up to which it goes by W in the end
STIFFEST = (1e7, 1e7, 1e8, 1e10)  # of `settle_velocities`, in turn: loads that jam take more
MUCH, MORE = 2.0, 4.0  # friction of points that jam, and how it rises from 1 to what it is


@kernel
def settle_contacts(state, count, m, nv):
    """Impulses for the blocks, rows and free speeds in a state, and what is left of the law."""
    total = state.trees.shape[1]
    if total <= WHOLE:
        felt = state.felt if state.felt.shape[0] > 0 else state.rows  # flexible bodies have none of their own at the end
        c = Contacts(
            state.blocks, state.whole_spans, state.rows, felt, state.soft, state.free_speed, state.bounds, count, m, nv,
            state.rows.shape[1], 1,
            state.tree_starts, state.links, False,
        )  # fmt: skip
        state.solver[LEFT_OVER] = settled(state, c, state.impulse)
        return 0
    room = Island(
        state.island_blocks, state.island_spans, state.island_rows, state.island_numbers, state.island_starts,
        state.island_links,
    )  # fmt: skip
    place, left = 0, 0.0
    while place < total:
        trees, blocks, rows, size, six = take_island(state, room, count, place)
        if blocks > 0:
            c = Contacts(
                room.blocks, room.spans, room.rows, room.rows, room.numbers[SOFT], room.numbers[FREE], room.numbers[BOUND],
                blocks, rows, size, size, trees, room.starts, room.links, six,
            )  # fmt: skip
            left = max(left, settled(state, c, room.numbers[IMPULSE]))
            give_back(state, room, count, place)
        place += trees
    state.solver[LEFT_OVER] = left
    return 0


@routine
def settled(state, c, p):
    """Impulses p of all blocks, from those of the step before; returns what is left of the law, m/s."""
    room = Room(state.room, state.vectors, state.tangent, state.own, state.way, state.best)
    guess, m, tolerance, left = state.guess, c.m, TIGHT, 1e300
    for r in range(m):
        guess[r] = p[r]
    if c.trees > 1:
        own_blocks(c, room.own, room.rows[SCALE])
        return settled_pile(state, c, room, p, tolerance)
    if m <= FEW_ROWS:
        feel_each_other(c, state.delassus, state.vectors[W])
        left = settle(c.blocks, c.count, state.delassus, c.b, c.mu, p, m, state.dense, state.spare, state.kept, tolerance)
    else:
        own_blocks(c, room.own, room.rows[SCALE])
        left = stay_balanced(c, room, p, tolerance)
        if left > tolerance:  # these lead nowhere
            left = 1e300
            for r in range(m):
                p[r] = guess[r]
    if left <= tolerance:
        return left
    own_blocks(c, room.own, room.rows[SCALE])
    left = settle_by_velocities(state, c, room, p, left, tolerance)
    return settled_slowly(state, c, p, left, tolerance)


@routine
def settled_pile(state, c, room, p, tolerance):
    """The same for bodies that touch each other. After `own_blocks`."""
    left = settle_balanced(c, room, p, tolerance)
    if left <= tolerance:
        return left
    left = settle_by_velocities(state, c, room, p, left, tolerance)
    for start in range(2):  # from the best so far, and from nothing
        if left > ENOUGH * tolerance:
            for r in range(c.m):
                state.kept[r], p[r] = p[r], p[r] if start == 0 else 0.0
            left = keep_better(p, c.m, settle_balanced(c, room, p, tolerance), state.kept, left)
            for r in range(c.m):
                p[r] = state.kept[r]
    return left if c.m > FEW_PILED else settled_slowly(state, c, p, left, tolerance)


@routine
def settled_slowly(state, c, p, left, tolerance):
    """By W, whatever way it takes, if it is not too large; p is the best so far, state.guess where all began."""
    if left <= ENOUGH * tolerance or c.m > MOST_ROWS:
        return left
    feel_each_other(c, state.delassus, state.vectors[W])
    return settle_slowly(
        c.blocks, c.count, state.delassus, c.b, c.mu, p, c.m, state.dense, state.spare, state.kept, state.modes,
        state.diagonals, state.good, state.shifted, state.guess, state.trial, tolerance, ENOUGH * tolerance,
    )  # fmt: skip


@routine
def settle_by_velocities(state, c, room, p, left, tolerance):
    """Newton's method from several starts, p being the best so far; returns what is left, m/s."""
    m, enough, few = c.m, ENOUGH * tolerance, c.m <= FEW_ROWS and c.trees == 1
    for r in range(m):
        state.kept[r] = p[r]
    # from what sweeps have made of loads before, and from nothing, which leaves the least self-stress: few rows can pay for it
    for start in range(len(STIFFEST) if c.trees == 1 else 1):
        if left > (enough if few or start > 1 else tolerance):
            for r in range(m):
                p[r] = (state.guess[r] if few else state.kept[r]) if start == (1 if few else 0) else 0.0
            now = settle_velocities(c, room, p, FIRST_KAPPA, STIFFEST[start], tolerance, enough)
            left = keep_better(p, m, now, state.kept, left)
    most = 0.0
    for j in range(c.count):
        most = max(most, c.mu[j])
    for start in range(2, len(STIFFEST)):  # much friction: from less
        if left > enough and most > MUCH:
            now = settle_from_less(state, c, room, p, most, STIFFEST[start], tolerance)
            left = keep_better(p, m, now, state.kept, left)
    for r in range(m):
        p[r] = state.kept[r]
    return left


@routine
def settle_from_less(state, c, room, p, most, stiffest, tolerance):
    """The same with friction that rises to what it is; returns what is left, m/s."""
    less, now = 1.0, 1e300
    for r in range(c.m):
        p[r] = 0.0
    while True:
        for j in range(c.count):
            state.shifted[j] = min(c.mu[j], less) if c.blocks[j, KIND] == POINT else c.mu[j]
        weaker = Contacts(
            c.blocks, c.spans, c.rows, c.felt, c.soft, c.b, state.shifted, c.count, c.m, c.nv, c.wide, c.trees, c.starts,
            c.links, c.six,
        )  # fmt: skip
        now = settle_velocities(weaker, room, p, FIRST_KAPPA, stiffest, tolerance, ENOUGH * tolerance)
        if less >= most:
            return now
        stick_more(c, c.mu, p, less, MORE * less)
        less *= MORE
