"""Slopes forwards: rates of states along directions of the inputs, beside the states themselves.

A program takes a run and up to four directions with it, so that the step itself is computed once for all of them; two or one
where the code of four would be longer than what caches hold. Of one run, or few, directions stand in lanes side by side
instead, each beside a state of its own.

    runs N, directions k     N >= 8 :  steps of  1 + 1.7 k' of the work, k' <= 4 at a time
                             fewer  :  2.7 for every eight
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from locomote.compiled.scan import Scan, in_lanes, in_rows
from locomote.compiler.lanes import WIDTH
from locomote.gradients.parameters import Direction
from locomote.gradients.rollouts import LONGEST, Rolled

if TYPE_CHECKING:
    from locomote.gradients.fixed import Case

MOST = (4, 2, 1)  # directions in a program
ROOM = 2e8  # bytes for rates of inputs at a time
Found = dict[int, np.ndarray]  # by numbers of steps
LIMIT = 180_000  # operations of a step with one direction
QUICK = 100_000  # with several: of an eel four in one program, 143,000, take 10 forward runs, two and two 6.6


@dataclass(frozen=True)
class Way:
    """A direction: of which input, and rates of starts (N, q and v), entries, and controls and what is shared (steps, columns),
    None if these stay."""

    name: str
    index: tuple[int, ...]
    starts: np.ndarray
    entries: np.ndarray
    controls: np.ndarray | None = None
    shared: np.ndarray | None = None


def ways_of(case: "Case", name: str) -> list[Way]:
    """All directions of an input."""
    model, (q, v) = case.problem.model, case.starts
    none, still = np.zeros((len(q), model.nq + model.nv)), np.zeros(len(case.step.entries.places))
    if name in case.parameters:
        return [way_of(case, x, none) for x in case.directions if x.name == name]
    found = []
    if name == "controls":
        for index in np.ndindex(case.controls.shape[1:]):
            controls = np.zeros(case.controls.shape[1:])
            controls[index] = 1.0
            found.append(Way(name, index, none, still, controls))
        return found
    for k in range(model.nv):
        starts, held = none.copy(), [(place, slot) for place, slot in case.step.held if slot == k]
        if not held:
            unit = np.broadcast_to(np.eye(model.nv)[k], v.shape)
            if name == "q":
                starts[:, : model.nq] = case.pushed(unit)
                for place, _ in case.step.held:
                    starts[:, place] = 0.0
            else:
                starts[:, model.nq :] = unit
        found.append(Way(name, (k,), starts, still))
    return found


def way_of(case: "Case", direction: Direction, none: np.ndarray) -> Way:
    """That of one number of a parameter."""
    starts, nq, shared = none.copy(), case.problem.model.nq, direction.slopes["shared"]
    for n, (place, k) in enumerate(case.step.held):
        starts[:, [place, nq + k]] = direction.slopes["begins"][2 * n : 2 * n + 2]
    moves = shared if shared.any() else None
    return Way(direction.name, direction.index, starts, case.entry_slopes(direction), None, moves)


def rates_along(rolled: Rolled, ways: Sequence[Way], times: Sequence[int]) -> tuple[Found, Found]:
    """States (N, numbers) after so many steps, and their rates with entries (ways, N, numbers)."""
    controls, signals = any(x.controls is not None for x in ways), any(x.shared is not None for x in ways)
    each = 8 * rolled.steps * (rolled.controls.shape[2] * (1 + controls) + rolled.shared.shape[1] * signals + 1)
    some = max(MOST[0], int(ROOM / (each * rolled.count)))
    states: dict[int, np.ndarray] = {}
    rates: dict[int, list[np.ndarray]] = {}
    for begin in range(0, len(ways), some):
        own, found = together(rolled, ways[begin : begin + some], times, controls, signals)
        states |= own
        for n, x in found.items():
            rates.setdefault(n, []).append(x)
    return states, {n: np.concatenate(parts) for n, parts in rates.items()}


def program_along(rolled: Rolled, count: int, controls: bool, signals: bool) -> tuple[int, Scan]:
    """How many directions a program takes, of groups alike, and the compiled loop over it."""
    step, found, per = rolled.step, None, 1
    for most in MOST if rolled.count >= WIDTH else MOST[-1:]:
        per = -(-count // -(-count // most))
        if per == 1:
            break
        found = step.scan(f"along {per} {controls} {signals}", lambda per=per: step.along(per, controls, signals), QUICK)
        if found is not None:
            return per, found
    return per, rolled.scan(f"along {per} {controls} {signals}", lambda: step.along(1, controls, signals), LIMIT)


def together(rolled: Rolled, ways, times, controls: bool, signals: bool) -> tuple[Found, Found]:
    """The same of as many directions as there is room for."""
    step, N, T = rolled.step, rolled.count, rolled.steps
    size, count = step.size, step.size + len(step.entries.places)
    per, scan = program_along(rolled, len(ways), controls, signals)
    groups = -(-len(ways) // per)
    every = [*ways, *[ways[-1]] * (groups * per - len(ways))]
    integrals = np.zeros((N, len(step.integrands)))
    first = np.hstack([rolled.starts, integrals, rolled.entries])
    rates = [np.hstack([x.starts, integrals, np.broadcast_to(x.entries, (N, count - size))]) for x in every]
    carry = np.vstack([np.hstack([first, *rates[g * per : (g + 1) * per]]) for g in range(groups)])  # (groups N, ...)
    carry = in_lanes(carry, scan.lanes)
    width, columns, before = rolled.controls.shape[2], rolled.shared.shape[1], 0
    stops = step.model.nq if len(step.equations.plan.stops) else 0
    states, found = {0: first[:, :size]}, {0: np.array(rates[: len(ways)])}

    def moves(x: Any, shape: tuple[int, ...], begin: int, end: int) -> np.ndarray:
        """Rates of an input in some steps, alike for all runs."""
        own = np.zeros((end - begin, *shape)) if x is None else x[begin:end]
        return np.broadcast_to(own, (N, *own.shape))

    for end in sorted({*times, T, *range(LONGEST, T, LONGEST)} - {0}):
        rows = []
        for g in range(groups):
            own = every[g * per : (g + 1) * per]
            parts = [rolled.controls[:, before:end]]
            parts += [moves(x.controls, (width,), before, end) for x in own] if controls else []
            parts += [moves(x.shared, (columns,), before, end) for x in own] if signals else []
            rows.append(np.concatenate(parts, axis=2) if len(parts) > 1 else parts[0])
        y = np.empty((len(carry), end - before, stops, scan.lanes.width))
        scan.run(carry, in_lanes(np.concatenate(rows), scan.lanes), rolled.shared[before:end], y, rolled.threads)
        if stops:
            rolled.look(y)
        now = in_rows(carry, groups * N).reshape(groups, N, 1 + per, count)
        states[end], before = now[0, :, 0, :size], end
        found[end] = np.moveaxis(now[:, :, 1:], 2, 1).reshape(groups * per, N, count)[: len(ways)]
    rolled.look(carry[:, None, : step.model.nq])
    return states, found
