"""Hits that bounce and rub: Newton's restitution, made weaker where it would make energy.

With u-, u+ the velocities of a contact before and after, impulses do the work p . (u- + u+) / 2. Where u+_n = -e u-_n and
friction is along u+_t, that may be positive: friction of an impulse that turns the sliding round pushes it on. With e = 0 it
cannot (work = p . u+ - p W p / 2). So all hits of one group of bodies have s e instead of e, with

    s the largest in [0, 1] for which contacts of the group do no positive work                                      (1)

by a secant search that is kept between bounds. Groups are bodies that are coupled by joints and contacts.
"""

from locomote.compiler.source import helper, routine
from locomote.contact import delassus
from locomote.contact.alart_curnier import rows_of

# rows of state.rebounds, a column for each group, that of its first coordinate; STATE : of the search, as below
PART, LOW, AT_LOW, HIGH, AT_HIGH, WORK, SIZE, STATE = range(8)
REBOUNDS = 8
NONE, ASKED, FOUND = 0.0, 1.0, 2.0  # no hit that may be weaker; to look at; at its end
TURNS = 40  # steps of the search
ROUNDING, CLOSE = 1e-12, 1e-9  # work relative to its parts that is none; how close to none the search comes


@helper
def first_of(groups, k):
    """The coordinate that stands for the group of coordinate k."""
    while groups[k] != k:
        k = groups[k]
    return k


@routine
def group_of(state, r, nv):
    """The group of row r; -1 if nothing moves by it."""
    for k in range(nv):
        if state.rows[r, k] != 0.0:
            return first_of(state.groups, k)
    return -1


@routine
def ask_hits(state, count, m, nv):
    """Join coordinates to groups, and ask those with hits; returns whether there are any."""
    groups, table, some = state.groups, state.rebounds, False
    for j in range(count):
        some = some or state.hits[j] < 0.0
    if not some:
        return False
    for k in range(nv):
        groups[k] = k
        for i in range(REBOUNDS):
            table[i, k] = 0.0
    for r in range(m):
        one = -1
        for k in range(nv):
            if state.rows[r, k] != 0.0:
                other = first_of(groups, k)
                if one < 0:
                    one = other
                elif other != one:
                    groups[other] = one
    for plain in range(2):
        for j in range(count):
            g = group_of(state, state.blocks[j, delassus.FIRST], nv)
            if g >= 0 and state.hits[j] < 0.0 and state.plain[j] == plain:
                table[PART, g], table[STATE, g] = 1.0, NONE if plain != 0 else ASKED
                normal = state.blocks[j, delassus.FIRST] + 2
                state.offset[normal] = state.hits[j]
    return True


@routine
def weaken(state, count, m, nv):
    """Look at the work of contacts with v_end in state.v_try, and set restitution of what makes energy anew; returns whether
    impulses have to be found again."""
    table, again = state.rebounds, False
    for k in range(nv):
        table[WORK, k] = table[SIZE, k] = 0.0
    for j in range(count):
        first, kind = state.blocks[j, delassus.FIRST], state.blocks[j, delassus.KIND]
        for r in range(first, first + rows_of(kind)):
            g = group_of(state, r, nv)
            if g < 0 or state.impulse[r] == 0.0:
                continue
            u, before = state.drift[r], state.before[r] + state.drift[r]
            for k in range(nv):
                u += state.raw[r, k] * state.v_try[k]
            table[WORK, g] += 0.5 * state.impulse[r] * (before + u)
            table[SIZE, g] += 0.5 * abs(state.impulse[r]) * (abs(before) + abs(u))
    for g in range(nv):
        if table[STATE, g] == ASKED:
            now, work, rounding = table[PART, g], table[WORK, g], ROUNDING * table[SIZE, g]
            if now == 1.0 and work <= rounding:
                table[STATE, g] = FOUND
            elif now == 1.0:
                table[HIGH, g], table[AT_HIGH, g], table[PART, g] = 1.0, work, 0.0
                again = True
            else:
                again = True
                next_part(table, g, now, work)
    if again:
        for j in range(count):
            g = group_of(state, state.blocks[j, delassus.FIRST], nv)
            if g >= 0 and state.hits[j] < 0.0 and table[STATE, g] != NONE:
                normal = state.blocks[j, delassus.FIRST] + 2
                state.offset[normal] = table[PART, g] * state.hits[j]
    return again


@routine
def next_part(table, g, now, work):
    """The next s of a group: (1), by the rule of Illinois; at its end the lower bound."""
    if work <= 0.0:
        if table[AT_LOW, g] < 0.0 and now > 0.0:
            table[AT_HIGH, g] *= 0.5 if table[LOW, g] > 0.0 else 1.0
        table[LOW, g], table[AT_LOW, g] = now, work
    else:
        table[HIGH, g], table[AT_HIGH, g] = now, work
        table[AT_LOW, g] *= 0.5
    low, high, below, above = table[LOW, g], table[HIGH, g], table[AT_LOW, g], table[AT_HIGH, g]
    if (work <= 0.0 and -work <= CLOSE * table[SIZE, g]) or high - low < CLOSE or now == 0.0 and work > 0.0:
        table[PART, g], table[STATE, g] = low, FOUND
        return
    table[PART, g] = min(high, max(low, (low * above - high * below) / (above - below)))
