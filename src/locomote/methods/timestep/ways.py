"""How far bodies may go in a step over contacts: what is further than that from each other need not be looked at."""

from math import sqrt

from locomote.compiler.source import helper, routine
from locomote.kernels.kinematics import ORIGIN
from locomote.model.joints import past_place
from locomote.spatial.algebra import dot, subtract
from locomote.spatial.rows import load

SAFELY = 1.5  # times the way of a free body, whose speed changes in the step


@routine
def find_speeds(plan, state, v, v_free):
    """How fast each tree is, before the step or without contacts: speed and spin of a free body alone, the fastest coordinate
    of others, whose spin is less than nothing; returns the fastest of all."""
    most = 0.0
    for n in range(state.speeds.shape[0]):
        first = state.tree_starts[n]
        last, free = state.tree_starts[n + 1], past_place(plan.topology, state.body_of[first]) == first + 3
        fast, speed, spin = 0.0, 0.0, 0.0
        for k in range(first, last):
            fast = max(fast, max(abs(v[k]), abs(v_free[k])))
        if free and last - first == 6:
            for k in range(first, first + 3):
                speed += max(v[k] * v[k], v_free[k] * v_free[k])
                spin += max(v[k + 3] * v[k + 3], v_free[k + 3] * v_free[k + 3])
            state.speeds[n], state.spins[n] = sqrt(speed), sqrt(spin)
        else:
            state.speeds[n], state.spins[n] = fast, -1.0
        most = max(most, fast)
    return most


@helper
def way_of(plan, work, state, h, body, x, reach):
    """How far what is within `reach` of the place x goes with a body in the step, at most; by a rule that is no bound with
    trees of more than a free body."""
    if state.paths[body, 1] == 0:
        return 0.0
    n = state.tree_at[state.paths[body, 0]]
    if state.spins[n] >= 0.0:
        d = subtract(x, load(work.bodies, body, ORIGIN))
        return SAFELY * h * (state.speeds[n] + state.spins[n] * (sqrt(dot(d, d)) + reach))
    return 4.0 * h * state.speeds[n] * (1.0 + reach + sqrt(dot(x, x)))
