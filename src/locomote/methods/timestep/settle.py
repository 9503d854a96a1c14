"""Impulses of all contacts of a step, by the first solver that meets the contact law.

Few rows go by W (`contact.delassus`), which is small then: block after block, and by Newton's method. Many rows, and what is
left, go by velocities (`contact.proximal`), whose work grows with the number of rows only. W of many rows is made where
that fails, for ways that pass loads from contact to contact (`contact.softening`), and not beyond MOST_ROWS: what is
left then is said.
"""

from locomote.compiler.source import kernel, routine
from locomote.contact.delassus import KIND, POINT, settle
from locomote.contact.gauss_seidel import keep_better
from locomote.contact.proximal import missed, push, scales, settle_velocities, stick_more, sweep_rows, velocities
from locomote.contact.softening import settle_slowly
from locomote.methods.state import LEFT_OVER, MOST_ROWS
from locomote.methods.timestep.touching import feel_each_other

TOLERANCE, ENOUGH = 1e-9, 5e-9  # m/s, tolerances of the contact law; the second for hard cases
FEW_ROWS = 48  # for which W is made at once
STIFFEST = (1e7, 1e7, 1e8, 1e10)  # stiffness in `settle_velocities`, one after the other: loads that jam take more
MUCH, MORE = 2.0, 4.0  # friction of points that jam, and how it rises from 1 to what it is
SWEEPS, WORTH = 8, 0.3  # of Gauss-Seidel before Newton, while each changes less than this share of the one before


@kernel
def settle_contacts(state, count, m, nv):
    """Impulses for the blocks, rows and free speeds in a state, and the residual of the contact law."""
    state.solver[LEFT_OVER] = settled(state, count, m, nv)
    return 0


@routine
def settled(state, count, m, nv):
    """Residual of the contact law, m/s."""
    blocks, rows, soft, b, mu, p = state.blocks, state.rows, state.soft, state.free_speed, state.bounds, state.impulse
    guess, left = state.guess, 1e300
    for r in range(m):
        guess[r] = p[r]
    if m <= FEW_ROWS:
        feel_each_other(state, m, nv)
        left = settle(blocks, count, state.delassus, b, mu, p, m, state.dense, state.spare, state.kept, TOLERANCE)
        if left <= TOLERANCE:
            return left
    else:
        w, u, before = state.vectors[0], state.room[2], 1e300
        push(rows, p, w, m, nv)
        for _ in range(SWEEPS):
            change = sweep_rows(blocks, count, rows, soft, b, mu, p, w, nv)
            if change > WORTH * before or change < 0.1 * TOLERANCE:
                break
            before = change
        scales(blocks, count, rows, soft, state.room[0], nv)
        push(rows, p, w, m, nv)
        velocities(rows, b, w, u, m, nv)
        left = missed(blocks, count, mu, soft, state.room[0], p, u)
        if left <= TOLERANCE:
            return left
    for r in range(m):
        state.kept[r] = p[r]
    for start in range(len(STIFFEST)):  # from nothing (least self-stress), and from loads before
        if left > ENOUGH:
            for r in range(m):
                p[r] = guess[r] if start == 1 else 0.0
            now = settle_velocities(
                blocks, count, rows, soft, b, mu, p, m, nv, state.room, state.vectors, state.tangent, STIFFEST[start],
                TOLERANCE, ENOUGH,
            )  # fmt: skip
            left = keep_better(p, m, now, state.kept, left)
    most = 0.0
    for j in range(count):
        most = max(most, mu[j])
    for start in range(2, len(STIFFEST)):  # much friction: from less
        if left > ENOUGH and most > MUCH:
            for r in range(m):
                p[r] = 0.0
            less, now = 1.0, 1e300
            while True:
                for j in range(count):
                    state.shifted[j] = min(mu[j], less) if blocks[j, KIND] == POINT else mu[j]
                now = settle_velocities(
                    blocks, count, rows, soft, b, state.shifted, p, m, nv, state.room, state.vectors, state.tangent,
                    STIFFEST[start], TOLERANCE, ENOUGH,
                )  # fmt: skip
                if less >= most:
                    break
                stick_more(blocks, count, mu, p, less, MORE * less)
                less *= MORE
            left = keep_better(p, m, now, state.kept, left)
    for r in range(m):
        p[r] = state.kept[r]
    if left <= ENOUGH or m > MOST_ROWS:
        return left
    if m > FEW_ROWS:
        feel_each_other(state, m, nv)
    return settle_slowly(
        blocks, count, state.delassus, b, mu, p, m, state.dense, state.spare, state.kept, state.modes, state.diagonals,
        state.good, state.shifted, guess, state.trial, TOLERANCE, ENOUGH,
    )  # fmt: skip
